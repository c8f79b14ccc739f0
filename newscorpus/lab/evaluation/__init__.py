"""Score extracted text and fields against gold, print side-by-side tables, and hold the quality gate."""
