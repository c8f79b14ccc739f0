"""The maximum-sum interval, the heart of Body Text Extraction."""

from collections.abc import Sequence


def best_interval(gains: Sequence[int]) -> tuple[int, int]:
    """The interval `[i, j)` of `gains` with the largest sum; `(0, 0)` where no interval has a sum above 0.

    Linear time (Kadane's maximum-sum subarray). Of several intervals with that sum the one with the smallest i is
    taken, and of those the one with the smallest j.
    """
    best, best_start, best_end = 0, 0, 0
    total, start = 0, 0
    for index, gain in enumerate(gains):
        if total < 0:
            total, start = 0, index
        total += gain
        if total > best:
            best, best_start, best_end = total, start, index + 1
    return best_start, best_end
