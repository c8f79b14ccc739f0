"""Name the types of the arrays that travel between functions."""

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]
Flags = NDArray[np.bool_]
Hashes = NDArray[np.uint64]
Matrix = NDArray[np.float32]
"""A row for each thing described, a column for each feature."""
