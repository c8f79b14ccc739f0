"""Reproduce the paragraph SVM (Novotný 2016, Plzeň): a linear support vector machine decides on each `<p>`.

Published, on 82,538 pages of four Czech sites: F1 0.872 (Boilerpipe 0.854), 58.62 words to edit a page (78.97). Repeat
it: `python -m benchmarks.reproduce DATA --only paragraph_svm`, or `make reproduce`.
"""
