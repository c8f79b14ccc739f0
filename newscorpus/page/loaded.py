"""Load the default models, once for all worker processes, which are forked from the one that imports this module."""

import gc
from contextlib import suppress

import newscorpus.page.judge  # noqa: F401 -- the workers call it
from newscorpus.errors import CorpusError
from newscorpus.page.loading import prepare
from newscorpus.page.recipe import Recipe
from newscorpus.page.signature import sign

with suppress(CorpusError, ImportError, OSError, ValueError):  # a worker prepares itself, and tells
    prepare(Recipe())
sign("")  # draws the permutations, for which datasketch imports parts of scipy
gc.set_threshold(20_000)  # saves 2 % of the time of a page, since it makes few cycles and many objects
gc.freeze()  # so that no collection in a worker copies what they share
