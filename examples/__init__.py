"""Jobs that begin where newscorpus ends."""
