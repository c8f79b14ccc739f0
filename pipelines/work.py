"""How the worker processes begin, and how they end."""

import os
import signal
import threading
from multiprocessing import connection, parent_process

from newscorpus.recipe import extractor_for


def prepare(extractor: str) -> int:
    """Make a new process ready: it outlives Ctrl-C, which its parent handles, but not its parent. Gives its id.

    Raises:
        ValueError: there is no such extractor, or its model is missing.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_parent, daemon=True).start()
    extractor_for(extractor)
    return os.getpid()


def _end_with_parent() -> None:
    """Wait for the death of the parent, which may be sudden, and follow it."""
    parent = parent_process()
    if parent is not None:
        connection.wait([parent.sentinel])
        os._exit(1)
