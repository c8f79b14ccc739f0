"""Reproduce Texttractor (Mrózek 2014, Brno University of Technology): a neural network on blocks, and four rules.

Published, judged by eye on 32 pages: with the rules 90 blocks wrongly marked and 21 missed, without them 99 and 113;
0.945 of the good blocks marked. Repeat it: `python -m benchmarks.reproduce DATA --only texttractor`, or `make
reproduce`.
"""
