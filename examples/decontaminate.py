"""Leave out the documents of a corpus that hold runs of 12 words of a benchmark, by datatrove's own filter.

    python -m examples.decontaminate CORPUS BENCHMARK.txt OUTPUT
    newscorpus build OUTPUT/corpus

CORPUS is published; BENCHMARK.txt has a question or an answer a line. `OUTPUT/dropped` names the documents left out.
Needs `pip install 'newscorpus[batch]' orjson`.
"""

import sys
from pathlib import Path

from datatrove.executor import LocalPipelineExecutor
from datatrove.pipeline.decont.n_grams import NGramsDecontFilter
from datatrove.pipeline.writers import JsonlWriter

from examples.datatrove_pipeline import DECONTAMINATION, WORDS, index_benchmark
from newscorpus.batch.steps import ReadCorpus, WriteIntake


def main(corpus: str, benchmark: str, output: str, tasks: int = 1) -> None:
    """Run the pipeline."""
    folder = Path(output)
    index_benchmark(Path(benchmark), folder / "benchmark")
    dropped = JsonlWriter(str(folder / "dropped"), compression=None)
    steps = [
        ReadCorpus(corpus),
        NGramsDecontFilter(str(folder / "benchmark"), DECONTAMINATION, exclusion_writer=dropped, language=WORDS),
        WriteIntake(str(folder / "corpus")),
    ]
    LocalPipelineExecutor(steps, tasks=tasks, workers=tasks, logging_dir=str(folder / "tasks")).run()


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], sys.argv[3])
