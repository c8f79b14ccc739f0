"""Run the `newscorpus` command: one thin function per verb, with its imports inside for a quick start.

Each module adds its verbs to `app` when it is imported here.
"""

import os
import signal
import sys
from collections.abc import Sequence

from newscorpus.cli import begin, crawl, extract, learn, look, portal, publish  # noqa: F401 -- each adds its verbs
from newscorpus.cli.app import app
from newscorpus.errors import ArgumentError, DemoError

__all__ = ["app", "main"]


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command, by default with the arguments of the process.

    An expected error is printed as one line, and SIGTERM is handled as Ctrl-C; docs/crawling.md lists the exit codes.
    """
    from newscorpus.terminal import complain, describe

    signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        app(arguments, prog_name="newscorpus")
    except BrokenPipeError:  # the reader has gone, as in `newscorpus extract ... | head`
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(1)
    except (ValueError, OSError, ImportError, DemoError) as error:
        complain(describe(error))
        sys.exit(2 if isinstance(error, ArgumentError) else 1)
