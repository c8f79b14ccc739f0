"""The `newscorpus` command: one thin function a verb, which imports what it needs when it is called."""

import os
import sys
from collections import Counter
from collections.abc import Mapping
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from newscorpus.demo.errors import DemoError

if TYPE_CHECKING:
    from newscorpus.jobs.extract import Setup

app = typer.Typer(
    help="Build text corpora from news portals. To crawl: `scrapy crawl portal -a portal=NAME`.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)

DEMO_CORPUS = Path("corpora/demo")

EXTRACTOR_HELP = "Name of an extractor; without it, the default one."


class Format(StrEnum):
    """What `extract` writes of a page."""

    TEXT = "text"
    JSON = "json"
    BLOCKS = "blocks"


class Split(StrEnum):
    """Which of the pages with gold text count."""

    TRAIN = "train"
    DEV = "dev"
    ALL = "all"


def main() -> None:
    """Run the command; what the user or the machine got wrong is said in one line, with exit code 1 (2: usage)."""
    from newscorpus.terminal import complain, describe

    try:
        app()
    except BrokenPipeError:  # nobody reads on, as in `newscorpus extract ... | head`
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(1)
    except (ValueError, OSError, ImportError, DemoError) as error:
        complain(describe(error))
        sys.exit(1)


@app.command()
def demo(
    output: Annotated[Path, typer.Option(help="Folder of the corpus.")] = DEMO_CORPUS,
    port: Annotated[int, typer.Option(min=0, max=65535, help="Port of the server; 0 is any that is free.")] = 0,
    serve_only: Annotated[bool, typer.Option("--serve-only", help="Serve the portal, and do not crawl it.")] = False,
) -> None:
    """Serve the bundled portal on this machine, crawl it, and hold the corpus against the gold."""
    from rich.console import Console

    from newscorpus.demo.folder import remove_earlier
    from newscorpus.demo.run import run_demo
    from newscorpus.demo.server import serve
    from newscorpus.demo.show import crawl_progress, print_report

    if serve_only:
        serve(port, lambda base: typer.echo(f"The demo portal is at {base}/ until Ctrl-C."))
        return
    remove_earlier(output)
    with crawl_progress(Console(stderr=True)) as on_request:
        report = run_demo(output, port, on_request)
    print_report(report, Console())
    if report.surprises:
        raise typer.Exit(1)


@app.command()
def extract(
    source: Annotated[
        str, typer.Argument(metavar="SOURCE", help="FILE.html, URL, PAGES.jsonl[.gz|.zst], or - (HTML).")
    ],
    output: Annotated[Path | None, typer.Option(help="File to write; without it, standard output.")] = None,
    jobs: Annotated[int, typer.Option(min=1, help="Number of processes, for PAGES.")] = 1,
    format: Annotated[Format | None, typer.Option(help="Without it, text; of PAGES, json.")] = None,  # noqa: A002
    extractor: Annotated[str, typer.Option(help=EXTRACTOR_HELP)] = "",
    template: Annotated[Path | None, typer.Option(help="Plain template file, or a portal's .toml file.")] = None,
    url: Annotated[str, typer.Option(help="Address of the page in FILE.html.")] = "",
    contact: Annotated[str, typer.Option(envvar="NEWSCORPUS_CONTACT", help="Where the site of URL reaches you.")] = "",
) -> None:
    """Extract text and fields of one page, or of each page of a file: a line has `id`, `html` and perhaps `url`."""
    from newscorpus.jobs.extract import PAGES_SUFFIXES, Setup
    from newscorpus.jobs.source import is_web

    setup = Setup(extractor or _default_extractor(), template)
    from_web = is_web(source)
    if from_web and (url or not contact):
        raise typer.BadParameter("a URL needs --contact (or NEWSCORPUS_CONTACT), and takes no --url")
    if from_web or not source.endswith(PAGES_SUFFIXES):
        _extract_page(source, url, contact, setup, format or Format.TEXT, output)
    elif url or format not in (None, Format.JSON):
        raise typer.BadParameter("a file of pages holds their addresses itself, and gives json only")
    else:
        _extract_pages(Path(source), setup, jobs, output)


@app.command()
def build(corpus: Annotated[Path, typer.Argument(help="Folder of the corpus.")]) -> None:
    """Take duplicates out of what was crawled and publish the rest; every crawl ends with it."""
    from newscorpus.jobs.build import PUBLISHED
    from newscorpus.jobs.build import build as build_corpus

    report = build_corpus(corpus)
    for segment in report.torn:
        typer.echo(f"{segment}: the last line is cut off, since its writer died", err=True)
    left_out = _counted(report.duplicates)
    typer.echo(f"{report.documents} documents; {report.kept} kept, {report.words} words; left out: {left_out}")
    typer.echo(f"The corpus lies in {corpus / PUBLISHED}")


@app.command()
def evaluate(
    dataset: Annotated[list[Path], typer.Option(help="File of pages with gold text; may be repeated.")],
    extractor: Annotated[list[str] | None, typer.Option(help=f"{EXTRACTOR_HELP} May be repeated.")] = None,
    split: Annotated[Split, typer.Option(help="Which of the pages.")] = Split.DEV,
    jobs: Annotated[int, typer.Option(min=1, help="Number of processes.")] = 1,
    output: Annotated[Path | None, typer.Option(help="Folder for the figures, as CSV and JSON.")] = None,
    fields: Annotated[bool, typer.Option("--fields", help="Judge title, date and authors, not the text.")] = False,
    hidden: Annotated[bool, typer.Option("--hidden", help="With --fields: without structured data.")] = False,
) -> None:
    """Compare extractors on pages with gold text."""
    if output:
        output.mkdir(parents=True, exist_ok=True)
    if fields and jobs > 1:
        raise typer.BadParameter("--fields runs in one process")
    if hidden and not fields:
        raise typer.BadParameter("--hidden goes with --fields")
    if fields:
        _evaluate_fields(dataset, extractor or ["newscorpus"], split, hidden, output)
    else:
        _evaluate_texts(dataset, extractor or [_default_extractor()], split, jobs, output)


@app.command()
def train(
    name: Annotated[str, typer.Argument(help="Name of the model.")],
    data: Annotated[Path, typer.Option(help="Folder of the pages with gold text (docs/data.md).")],
    output: Annotated[
        Path | None, typer.Option(help="Folder of the model; without it, the one that is shipped.")
    ] = None,
) -> None:
    """Train a model from pages with gold text; the same pages give the same model."""
    from newscorpus.learning.train import TRAINERS
    from newscorpus.resources import data_folder

    if name not in TRAINERS:
        raise typer.BadParameter(f"unknown model {name!r}; known are: {', '.join(TRAINERS)}")
    folder = output or data_folder("models") / name
    metadata = TRAINERS[name](data, folder, lambda step: typer.echo(step, err=True))
    for group, scores in metadata.scores.items():
        typer.echo(f"{group}: " + ", ".join(f"{key} {value:.4g}" for key, value in scores.items()))
    typer.echo(f"The model lies in {folder}")


@app.command()
def ceiling(
    dataset: Annotated[list[Path], typer.Option(help="File of pages with gold text; may be repeated.")],
    split: Annotated[Split, typer.Option(help="Which of the pages.")] = Split.ALL,
) -> None:
    """Show how well a perfect choice of blocks would do: what no block classifier can surpass."""
    from newscorpus.learning.ceiling import find_ceilings

    for found in find_ceilings(dataset, split):
        typer.echo(
            f"{found.dataset}: {found.pages} articles, precision {found.precision:.4f}, recall {found.recall:.4f}, "
            f"F1 {found.f1:.4f}, mean page F1 {found.page_f1:.4f}"
        )


def _evaluate_texts(datasets: list[Path], extractors: list[str], split: Split, jobs: int, output: Path | None) -> None:
    from rich.console import Console

    from newscorpus.evaluation import report
    from newscorpus.evaluation.calibration import summarise_confidence
    from newscorpus.evaluation.compare import evaluate as evaluate_pages
    from newscorpus.evaluation.summary import summarise, summarise_rejections
    from newscorpus.terminal import progress

    results = list(progress(evaluate_pages(datasets, extractors, split, jobs), "pages evaluated"))
    summaries, rejections = summarise(results), summarise_rejections(results)
    confidence, worst = summarise_confidence(results), report.worst_pages(results, extractors[0])
    console = Console()
    report.print_summaries(summaries, console)
    report.print_blocks(summaries, console)
    report.print_rejections(rejections, console)
    report.print_confidence(confidence, console)
    report.print_worst(worst, console)
    if output:
        report.write_csv(output / "texts.csv", summaries)
        path = output / "texts.json"
        report.write_json(path, summaries=summaries, rejections=rejections, confidence=confidence, worst=worst)


def _evaluate_fields(datasets: list[Path], readers: list[str], split: Split, hidden: bool, output: Path | None) -> None:
    from rich.console import Console

    from newscorpus.evaluation.fields import evaluate_fields, print_field_summaries, summarise_fields
    from newscorpus.evaluation.report import write_json
    from newscorpus.terminal import progress

    results = progress(evaluate_fields(datasets, readers, split, hidden), "pages evaluated")
    summaries = summarise_fields(results)
    print_field_summaries(summaries, Console())
    if output:
        write_json(output / "fields.json", summaries=summaries)


def _default_extractor() -> str:
    from newscorpus.extractors.registry import DEFAULT

    return DEFAULT


def _extract_page(source: str, url: str, contact: str, setup: "Setup", form: Format, output: Path | None) -> None:
    from newscorpus.jobs.extract import load
    from newscorpus.jobs.show import FORMATS
    from newscorpus.jobs.source import is_web, read_source
    from newscorpus.terminal import sink

    content = FORMATS[form](load(setup), read_source(source, url, _user_agent(contact) if is_web(source) else ""))
    with sink(output) as file:
        file.write(content)


def _user_agent(contact: str) -> str:
    from newscorpus.addon.options import user_agent  # loads Scrapy, which no file needs

    return user_agent(contact)


def _extract_pages(source: Path, setup: "Setup", jobs: int, output: Path | None) -> None:
    from newscorpus.jobs.extract import extract_file
    from newscorpus.terminal import complain, progress, sink

    outcomes: Counter[str] = Counter()
    with sink(output) as file:
        for answer in progress(extract_file(source, setup, jobs), "pages"):
            file.write(answer.line)
            outcomes["broken" if answer.error else answer.rejected or "extracted"] += 1
            if answer.error:
                complain(answer.error)
    typer.echo(f"{source}: {_counted(outcomes)}", err=True)
    if outcomes["broken"]:
        raise typer.Exit(1)


def _counted(counts: Mapping[str, int]) -> str:
    """Counts as one line, the highest first."""
    ordered = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    return ", ".join(f"{name} {count}" for name, count in ordered) or "nothing"
