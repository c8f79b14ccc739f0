import numpy as np
import pytest

from newscorpus.lab.systems.blocks import neighbour_names, with_neighbours


def test_the_block_then_the_one_before_then_the_one_after() -> None:
    own = np.array([[1, 2], [3, 4], [5, 6]], np.float32)
    assert with_neighbours(own).tolist() == [[1, 2, 0, 0, 3, 4], [3, 4, 1, 2, 5, 6], [5, 6, 3, 4, 0, 0]]
    assert neighbour_names(["a", "b"]) == ("a", "b", "a@-1", "b@-1", "a@+1", "b@+1")


@pytest.mark.parametrize("blocks", [0, 1])
def test_few_blocks(blocks: int) -> None:
    assert with_neighbours(np.ones((blocks, 2), np.float32)).tolist() == [[1, 1, 0, 0, 0, 0]] * blocks
