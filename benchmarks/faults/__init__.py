"""Faults at the file operations of every verb."""
