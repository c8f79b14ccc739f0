"""Reproduce the element classifier (Kazennikov 2013, Moscow): a linear SVM on elements of the tree, in two stages.

Published, share of right elements on sites not seen, by groups of features: 0.885 (first group) to 0.926 (all four) and
0.936 (two stages), trained on Lenta. Repeat it: `python -m benchmarks.reproduce DATA --only node_svm`, or `make
reproduce`.
"""
