"""Types of arrays in function signatures."""

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]
Flags = NDArray[np.bool_]
Hashes = NDArray[np.uint64]
Matrix = NDArray[np.float32]
"""One row per item, one column per feature."""
