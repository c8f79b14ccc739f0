"""Texttractor (Mrózek 2014, Brno University of Technology)."""
