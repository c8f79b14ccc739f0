"""Add the verb that compares extractors on gold pages: `newscorpus evaluate`."""

from enum import StrEnum
from functools import partial
from pathlib import Path
from typing import Annotated

import typer
from typer import Argument, Option

from newscorpus.cli.app import Jobs, app, default_extractor


class PageSplit(StrEnum):
    """Which of the pages with gold text count."""

    TRAIN = "train"
    DEV = "dev"
    ALL = "all"


@app.command()
def evaluate(
    folder: Annotated[
        Path | None, Argument(metavar="[FOLDER]", help="Has html/, clean/ and a subfolder for each extractor.")
    ] = None,
    dataset: Annotated[list[Path] | None, Option(metavar="FILE", help="Pages with gold text; may be repeated.")] = None,
    extractor: Annotated[
        list[str] | None,
        Option(metavar="NAME", help="Extractor, or a model's folder; may be repeated. With FOLDER: used on html/."),
    ] = None,
    template: Annotated[
        list[Path] | None, Option(metavar="FILE", help="With FOLDER: template to use on html/; may be repeated.")
    ] = None,
    split: Annotated[PageSplit, Option(help="Which of the pages.")] = PageSplit.DEV,
    jobs: Jobs = 1,
    output: Annotated[Path | None, Option(help="Write the figures as CSV and JSON.")] = None,
    fields: Annotated[bool, Option("--fields", help="Compare title, date and authors, not the text.")] = False,
    hidden: Annotated[bool, Option("--hidden", help="With --fields: hide the structured data.")] = False,
    ceiling: Annotated[
        bool, Option("--ceiling", help="Score a perfect choice of blocks: no classifier of blocks can do better.")
    ] = False,
) -> None:
    """Compare extractors on pages with gold text.

    The pages are those of --dataset, or of FOLDER. Of FOLDER the words in common with clean/ are counted, and
    evaluation.csv goes into each extractor's subfolder; that of a model is named by its folder, that of a template by
    its file without the suffix.
    """
    if bool(folder) is bool(dataset):
        raise typer.BadParameter("name either FOLDER or --dataset")
    if template and not folder:
        raise typer.BadParameter("--template goes with FOLDER")
    if fields and jobs > 1:
        raise typer.BadParameter("--fields runs in one process")
    if hidden and not fields:
        raise typer.BadParameter("--hidden goes with --fields")
    if folder:
        if fields or ceiling or output:
            raise typer.BadParameter("--fields, --ceiling and --output go with --dataset")
        _evaluate_folder(folder, extractor or [], template or [], jobs)
        return
    datasets = dataset or []
    if output:
        output.mkdir(parents=True, exist_ok=True)
    _say_all(datasets, split)
    if ceiling:
        _print_ceilings(datasets, split)
    elif fields:
        _evaluate_fields(datasets, extractor or ["newscorpus"], split, hidden, output)
    else:
        _evaluate_texts(datasets, extractor or [default_extractor()], split, jobs, output)


def _evaluate_folder(folder: Path, extractors: list[str], templates: list[Path], jobs: int) -> None:
    from newscorpus.lab.evaluation.folder import evaluate_folder, extract_folder, find_article, print_folder
    from newscorpus.page.recipe import Recipe, extractor_of
    from newscorpus.store.pages import page_origin
    from newscorpus.terminal import progress, table_console

    chosen = [(Path(name).name, Recipe(name), page_origin()) for name in extractors]
    chosen += [(path.stem, Recipe("template"), page_origin(template=path)) for path in templates]
    for name, recipe, origin in chosen:
        extractor_of(recipe)  # a wrong name is an error before any page is read
        find = partial(find_article, recipe, origin)
        for _ in progress(extract_folder(folder, name, find, jobs), f"pages extracted by {name}"):
            pass
    print_folder(evaluate_folder(folder), table_console())


def _print_ceilings(datasets: list[Path], split: PageSplit) -> None:
    from newscorpus.lab.evaluation.compare import find_ceilings

    for found in find_ceilings(datasets, split):
        typer.echo(
            f"{found.dataset}: {found.pages} articles, precision {found.precision:.4f}, recall {found.recall:.4f}, "
            f"F1 {found.f1:.4f}, mean page F1 {found.page_f1:.4f}"
        )


def _say_all(datasets: list[Path], split: PageSplit) -> None:
    """Say of which files all pages count, because they have no split."""
    from newscorpus.lab.gold.pages import read_pages

    for path in datasets if split is not PageSplit.ALL else ():
        first = next(read_pages(path), None)
        if first and not first.split:
            typer.echo(f"{path}: its pages have no split; all of them count", err=True)


def _evaluate_texts(
    datasets: list[Path], extractors: list[str], split: PageSplit, jobs: int, output: Path | None
) -> None:
    from newscorpus.lab.evaluation import report
    from newscorpus.lab.evaluation.compare import evaluate as evaluate_pages
    from newscorpus.lab.evaluation.summary import summarise, summarise_confidence, summarise_rejections
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
    from newscorpus.lab.evaluation.fields import evaluate_fields, print_field_summaries, summarise_fields
    from newscorpus.lab.evaluation.report import write_json
    from newscorpus.terminal import progress, table_console

    results = progress(evaluate_fields(datasets, readers, split, hidden), "pages evaluated")
    summaries = summarise_fields(results)
    print_field_summaries(summaries, table_console())
    if output:
        write_json(output / "fields.json", summaries=summaries)
