"""Publishing systems filled with articles whose truth is known, a module for each; see `__main__`."""
