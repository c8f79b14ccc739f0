"""Put FineWeb's filters, a token counter and a decontamination behind our extraction, in one pipeline of datatrove.

    python -m examples.datatrove_pipeline ARCHIVE OUTPUT TOKENIZER.json BENCHMARK.txt
    newscorpus build OUTPUT/corpus

ARCHIVE is a crawled corpus, a WARC file or a file of pages, here or in an object store; TOKENIZER.json a tokenizer of
Hugging Face; BENCHMARK.txt has a question or an answer a line, which models are tested with and must not be trained on.
Needs `pip install 'newscorpus[batch]' orjson tokenizers`.
"""

import sys
from pathlib import Path

import numpy as np
from datatrove.executor import LocalPipelineExecutor
from datatrove.pipeline.base import PipelineStep
from datatrove.pipeline.decont.n_grams import NGramsDecontConfig, NGramsDecontFilter
from datatrove.pipeline.filters import FineWebQualityFilter, GopherQualityFilter, GopherRepetitionFilter
from datatrove.pipeline.tokens import TokensCounter
from datatrove.pipeline.writers import JsonlWriter
from datatrove.utils.hashing import HashConfig, create_hash_func
from datatrove.utils.text import ngrams, simplify_text
from datatrove.utils.word_tokenizers import WhitespaceTokenizer

from newscorpus.batch.steps import Extract, ReadArchives, Sign, WriteIntake
from newscorpus.tokens import tokenise


class Tokens(WhitespaceTokenizer):
    """Our own tokens, for every language that puts spaces between words; those of datatrove ask for more packages."""

    def word_tokenize(self, text: str) -> list[str]:
        """Split a text into words and punctuation."""
        return tokenise(text)


WORDS = Tokens()
DECONTAMINATION = NGramsDecontConfig(n_grams=12, hash_config=HashConfig(hash_fc="sha1"))
"""With its default hash datatrove 0.10 fails where xxhash is of version 4."""


def index_benchmark(lines: Path, folder: Path) -> None:
    """Write the runs of words of a benchmark as `NGramsDecontFilter` reads them.

    datatrove's own `NGramsDecontIndexer` takes its tasks from lighteval, which fetches them from the web.
    """
    hash_run = create_hash_func(DECONTAMINATION.hash_config)
    hashes = {
        hash_run(" ".join(run))
        for line in lines.read_text("utf-8").splitlines()
        for run in ngrams(
            WORDS.word_tokenize(simplify_text(line, DECONTAMINATION.norm_config)), DECONTAMINATION.n_grams
        )
    }
    folder.mkdir(parents=True, exist_ok=True)
    np.array(sorted(hashes), DECONTAMINATION.hash_config.np_descr).tofile(folder / f"{lines.stem}.index.hashes")


def pipeline(archive: str, output: Path, tokenizer: str) -> list[PipelineStep]:
    """List the steps: each drops documents, which it keeps with the reason in a folder of its own, or adds to them."""

    def dropped(name: str) -> JsonlWriter:
        return JsonlWriter(str(output / "dropped" / name), compression=None)

    return [
        ReadArchives([archive]),
        Extract(exclusion_writer=dropped("extract")),
        GopherRepetitionFilter(exclusion_writer=dropped("repetition"), language=WORDS),
        GopherQualityFilter(min_stop_words=None, exclusion_writer=dropped("quality"), language=WORDS),
        FineWebQualityFilter(exclusion_writer=dropped("fineweb"), language=WORDS),
        NGramsDecontFilter(
            str(output / "benchmark"), DECONTAMINATION, exclusion_writer=dropped("benchmark"), language=WORDS
        ),
        TokensCounter(tokenizer),
        Sign(),
        JsonlWriter(str(output / "documents"), compression=None),
        WriteIntake(str(output / "corpus")),
    ]


def main(archive: str, output: str, tokenizer: str, benchmark: str, tasks: int = 1) -> None:
    """Run the pipeline; run again, it does only the tasks that are not done."""
    folder = Path(output)
    index_benchmark(Path(benchmark), folder / "benchmark")
    steps = pipeline(archive, folder, tokenizer)
    LocalPipelineExecutor(steps, tasks=tasks, workers=tasks, logging_dir=str(folder / "tasks")).run()


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], sys.argv[3], sys.argv[4])
