"""Reproduce SVM-seg and the two hybrids (Bakić 2012, Zagreb): segments of a page, and four other extractors.

Published, F1 of the longest common subsequence of words on cleaneval: SVM-A 0.930, SVM-B 0.915, SVM-seg 0.901 (BTE
0.944). Repeat it: `python -m benchmarks.reproduce DATA --only bakic hybrids`, or `make reproduce`.
"""
