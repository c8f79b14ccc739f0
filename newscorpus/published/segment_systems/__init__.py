"""The segment systems (Bakić 2012): SVM-seg and the two hybrids."""
