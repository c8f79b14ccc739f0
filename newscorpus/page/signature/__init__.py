"""Sign texts by MinHash."""
