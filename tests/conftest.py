"""What the tests share."""

import os
from pathlib import Path

import pytest

DATA_VARIABLE = "NEWSCORPUS_DATA"
BESIDE_CHECKOUT = Path(__file__).parents[2] / "shared" / "data"


@pytest.fixture(scope="session")
def gold_data() -> Path:
    """The folder of the pages with gold text; the test is skipped where it is missing."""
    folder = Path(os.environ.get(DATA_VARIABLE, BESIDE_CHECKOUT))
    if not folder.is_dir():
        pytest.skip(f"the pages with gold text are not here ({folder}); set {DATA_VARIABLE} to their folder")
    return folder
