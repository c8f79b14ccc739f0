"""Extract archives on many processes or machines: partitions of a recipe, run as tasks by datatrove."""
