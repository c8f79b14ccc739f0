"""Text density (Kohlschütter and Nejdl 2008, "A Densitometric Approach to Web Page Segmentation", CIKM; section 3)."""

from newscorpus.text import words

LINE_COLUMNS = 80
"""Width at which the text is wrapped (Kohlschütter et al. 2010, section 3.3)."""


def text_density(text: str) -> float:
    """Words a line of `text` wrapped at `LINE_COLUMNS`; the last line is left out, and a single line counts its words.

    A word takes its characters and one column more, as in Boilerpipe; marks take none.
    """
    full_lines = in_full_lines = in_line = column = 0
    for word in words(text):
        column += len(word) + 1
        if column > LINE_COLUMNS and in_line:
            full_lines += 1
            in_full_lines += in_line
            in_line, column = 0, len(word)
        in_line += 1
    return in_full_lines / full_lines if full_lines else float(in_line)
