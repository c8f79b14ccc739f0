"""Bands: equal ones meet in a bucket, others do not."""

import numpy as np
import pytest
from datasketch import MinHashLSH

from newscorpus.corpus.duplicates.near import Buckets, band_keys
from newscorpus.page.signature import minhash_of


def test_candidates_are_those_of_datasketch() -> None:
    signatures = np.random.default_rng(0).integers(0, 2, (300, 128), np.uint32)
    lsh = MinHashLSH(num_perm=128, params=(16, 8))
    for row, signature in enumerate(signatures):
        lsh.insert(row, minhash_of(signature))
    keys = band_keys(signatures, 16, 8)
    buckets = Buckets([keys[:, band] for band in range(16)])
    found = [buckets.candidates(row).tolist() for row in range(300)]
    assert found == [sorted(set(lsh.query(minhash_of(signature))) - {row}) for row, signature in enumerate(signatures)]
    assert any(found)


def test_a_key_depends_on_place_and_value() -> None:
    signatures = np.array([[1, 2, 3, 4], [2, 1, 3, 4], [1, 2, 4, 3]], np.uint32)
    keys = band_keys(signatures, 2, 2)
    assert keys.shape == (3, 2)
    assert (keys[0, 0] == keys[2, 0], keys[0, 1] == keys[1, 1]) == (True, True)
    assert len({*keys[:, 0].tolist(), *keys[:, 1].tolist()}) == 4


@pytest.mark.parametrize("n_items", [0, 1])
def test_too_few_items_have_no_candidates(n_items: int) -> None:
    buckets = Buckets([np.zeros(n_items, np.uint32)] * 3)
    assert all(buckets.candidates(item).tolist() == [] for item in range(n_items))
