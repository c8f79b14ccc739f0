"""Start the `newscorpus` command; `python -m newscorpus` is the same."""

import sys
from importlib import import_module

from newscorpus.errors import STOPPED


def main() -> None:
    """Run the command; Ctrl-C while it is imported or cleans up is no traceback either."""
    try:
        import_module("newscorpus.cli").main()
    except KeyboardInterrupt:
        sys.exit(STOPPED)


if __name__ == "__main__":
    main()
