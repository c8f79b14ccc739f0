"""The attacks of `benchmarks/attacks.py`, a module for each thing that is attacked."""
