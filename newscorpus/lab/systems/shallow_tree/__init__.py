"""Reproduce the Slovene decision tree (Brezovnik 2021, Ljubljana): shallow features of text blocks, rules around it.

Published: similarity of characters 0.940 (Boilerpipe 0.846) in ten-fold cross-validation on Slovene portals. Repeat it:
`python -m benchmarks.reproduce DATA --only shallow_tree`, or `make reproduce`.
"""
