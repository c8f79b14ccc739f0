"""Add the verbs that compare extractors on gold pages: `newscorpus evaluate`, `evaluate-folder` and `ceiling`."""

from enum import StrEnum
from functools import partial
from pathlib import Path
from typing import Annotated

import typer
from typer import Argument, Option

from newscorpus.cli.app import Jobs, app, default_extractor

Datasets = Annotated[list[Path], Option(metavar="FILE", help="Pages with gold text; may be repeated.")]


class PageSplit(StrEnum):
    """Which of the pages with gold text count."""

    TRAIN = "train"
    DEV = "dev"
    ALL = "all"


@app.command()
def evaluate(
    dataset: Datasets,
    extractor: Annotated[
        list[str] | None, Option(metavar="NAME", help="Extractor, or a model's folder; may be repeated.")
    ] = None,
    split: Annotated[PageSplit, Option(help="Which of the pages.")] = PageSplit.DEV,
    jobs: Jobs = 1,
    output: Annotated[Path | None, Option(help="Write the figures as CSV and JSON.")] = None,
    fields: Annotated[bool, Option("--fields", help="Compare title, date and authors, not the text.")] = False,
    hidden: Annotated[bool, Option("--hidden", help="With --fields: hide the structured data.")] = False,
) -> None:
    """Compare extractors on pages with gold text."""
    if output:
        output.mkdir(parents=True, exist_ok=True)
    if fields and jobs > 1:
        raise typer.BadParameter("--fields runs in one process")
    if hidden and not fields:
        raise typer.BadParameter("--hidden goes with --fields")
    _say_all(dataset, split)
    if fields:
        _evaluate_fields(dataset, extractor or ["newscorpus"], split, hidden, output)
    else:
        _evaluate_texts(dataset, extractor or [default_extractor()], split, jobs, output)


@app.command("evaluate-folder")
def evaluate_folder(
    folder: Annotated[Path, Argument(metavar="FOLDER", help="Has html/, clean/ and a subfolder for each extractor.")],
    extractor: Annotated[
        list[str] | None,
        Option(metavar="NAME", help="Extractor, or a model's folder, to use on html/ first; may be repeated."),
    ] = None,
    template: Annotated[
        list[Path] | None,
        Option(metavar="FILE", help="Template to use on html/ first; may be repeated."),
    ] = None,
    jobs: Jobs = 1,
) -> None:
    """Score the texts that extractors left in a folder.

    Counts the words in common with clean/, and writes evaluation.csv into each extractor's subfolder. That of a model
    is named by its folder, that of a template by its file without the suffix.
    """
    from newscorpus.evaluation.folder import evaluate_folder, extract_folder, find_article, print_folder
    from newscorpus.recipe import Recipe, extractor_of
    from newscorpus.stored.pages import page_origin
    from newscorpus.terminal import progress, table_console

    chosen = [(Path(name).name, Recipe(name), page_origin()) for name in extractor or ()]
    chosen += [(path.stem, Recipe("template"), page_origin(template=path)) for path in template or ()]
    for name, recipe, origin in chosen:
        extractor_of(recipe)  # a wrong name is an error before any page is read
        find = partial(find_article, recipe, origin)
        for _ in progress(extract_folder(folder, name, find, jobs), f"pages extracted by {name}"):
            pass
    print_folder(evaluate_folder(folder), table_console())


@app.command()
def ceiling(
    dataset: Datasets,
    split: Annotated[PageSplit, Option(help="Which of the pages.")] = PageSplit.ALL,
) -> None:
    """Score a perfect choice of blocks.

    No classifier of blocks can do better.
    """
    from newscorpus.evaluation.compare import find_ceilings

    for found in find_ceilings(dataset, split):
        typer.echo(
            f"{found.dataset}: {found.pages} articles, precision {found.precision:.4f}, recall {found.recall:.4f}, "
            f"F1 {found.f1:.4f}, mean page F1 {found.page_f1:.4f}"
        )


def _say_all(datasets: list[Path], split: PageSplit) -> None:
    """Say of which files all pages count, because they have no split."""
    from newscorpus.gold.pages import read_pages

    for path in datasets if split is not PageSplit.ALL else ():
        first = next(read_pages(path), None)
        if first and not first.split:
            typer.echo(f"{path}: its pages have no split; all of them count", err=True)


def _evaluate_texts(
    datasets: list[Path], extractors: list[str], split: PageSplit, jobs: int, output: Path | None
) -> None:
    from newscorpus.evaluation import report
    from newscorpus.evaluation.compare import evaluate as evaluate_pages
    from newscorpus.evaluation.summary import summarise, summarise_confidence, summarise_rejections
    from newscorpus.terminal import progress, table_console

    results = list(progress(evaluate_pages(datasets, extractors, split, jobs), "pages evaluated"))
    summaries, rejections = summarise(results), summarise_rejections(results)
    confidence, worst = summarise_confidence(results), report.worst_pages(results, extractors[0])
    console = table_console()
    report.print_summaries(summaries, console)
    report.print_similarity(summaries, console)
    report.print_blocks(summaries, console)
    report.print_rejections(rejections, console)
    report.print_confidence(confidence, console)
    report.print_worst(worst, console)
    if output:
        report.write_csv(output / "texts.csv", summaries)
        path = output / "texts.json"
        report.write_json(path, summaries=summaries, rejections=rejections, confidence=confidence, worst=worst)


def _evaluate_fields(
    datasets: list[Path], readers: list[str], split: PageSplit, hidden: bool, output: Path | None
) -> None:
    from newscorpus.evaluation.fields import evaluate_fields, print_field_summaries, summarise_fields
    from newscorpus.evaluation.report import write_json
    from newscorpus.terminal import progress, table_console

    results = progress(evaluate_fields(datasets, readers, split, hidden), "pages evaluated")
    summaries = summarise_fields(results)
    print_field_summaries(summaries, table_console())
    if output:
        write_json(output / "fields.json", summaries=summaries)
