"""Add the verbs of training and measuring: `newscorpus train`, `features` and `evaluate`."""

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer
from typer import Argument, Option

from newscorpus.cli.app import Jobs, app, needs_extra

if TYPE_CHECKING:
    from newscorpus.lab.training.block_learner import BlockLearner
    from newscorpus.lab.training.sources import TrainingPages
    from newscorpus.model_folders import Metadata

DATA_HELP = "Pages and their text: JSON lines with `html` and `text`, or a folder with html/ and clean/; repeatable."
Data = Annotated[list[Path] | None, Option(metavar="PATH", help=DATA_HELP)]
Silver = Annotated[Path | None, Option(metavar="CORPUS", help="Archived crawl; the portals' templates give the texts.")]
Texts = Annotated[Path | None, Option(help="With --silver: JSON lines with `url` and `text`, in place of templates.")]
LABELS_HELP = "exact: a block equals a paragraph (default with --texts); aligned: half of it is in the text."
START_HELP = "Keep the shipped model of this name, and add to it from your own pages: main-text, or learned-fields."
FIELDS_HELP = "Also learn title, date and authors: for pages where they are missing, or for all that declare them too."


FieldUse = Literal["missing", "always"]
"""Pages on which a model decides on title, date and authors: those that declare none, or all."""

LabelMethod = Literal["exact", "aligned"]
"""How gold text gives labels of blocks; keys of `newscorpus.lab.gold.align.LABELLERS`."""

HowLabelled = Annotated[LabelMethod | None, Option(help=LABELS_HELP)]


@app.command()
def train(
    name: Annotated[
        str, Argument(metavar="NAME", help="main-text, learned-fields, or a published system, such as paragraph-svm.")
    ],
    data: Data = None,
    silver: Silver = None,
    texts: Texts = None,
    labels: HowLabelled = None,
    fields: Annotated[FieldUse | None, Option(help=FIELDS_HELP)] = None,
    start_from: Annotated[list[str] | None, Option(metavar="NAME", help=START_HELP)] = None,
    output: Annotated[Path | None, Option(help="Folder of the model; default: models/NAME-own.")] = None,
) -> None:
    """Train a model from pages and their text.

    Equal pages give equal models. `letters` needs no pages. Use the model by its folder: `--extractor models/NAME-own`.
    """
    with needs_extra("train"):
        from newscorpus.lab.training.registry import BLOCK_LEARNERS, TRAINERS, WITHOUT_PAGES
    from newscorpus.lab.training.own import advice, default_folder

    if name not in {**TRAINERS, **WITHOUT_PAGES}:
        raise typer.BadParameter(f"unknown model {name!r}; known are: {', '.join((*TRAINERS, *WITHOUT_PAGES))}")
    folder = output or default_folder(name)
    if name in WITHOUT_PAGES:
        if data or silver or texts or labels or start_from or fields:
            raise typer.BadParameter(f"{name} is made without pages; only --output goes with it")
        trained = [WITHOUT_PAGES[name](folder)]
    else:
        if labels and name not in BLOCK_LEARNERS:
            raise typer.BadParameter(f"--labels goes with one of: {', '.join(BLOCK_LEARNERS)}")
        startable = {name, "learned-fields"} if fields else {name}
        able = [known for known, each in TRAINERS.items() if each.start_from]
        if odd := {*(start_from or ())} - (startable & {*able}):
            raise typer.BadParameter(
                f"--start-from {min(odd)} is not for {name}; {', '.join(able)} start from themselves"
            )
        source = _source(data, silver, texts, TRAINERS[name].licences)
        own = _learner(name, labels, texts) if name in BLOCK_LEARNERS else None
        trained = _train(name, source, own, {*(start_from or ())}, fields, folder, is_silver=silver is not None)
    for group, scores in (item for metadata in trained for item in metadata.scores.items()):
        typer.echo(f"{group}: " + ", ".join(f"{key} {value:g}" for key, value in scores.items()))
        if said := advice(scores):
            typer.echo(said)
    typer.echo(f"The model lies in {folder}")


def _train(
    name: str,
    source: "TrainingPages",
    learner: "BlockLearner | None",
    start_from: set[str],
    fields: FieldUse | None,
    folder: Path,
    *,
    is_silver: bool,
) -> "list[Metadata]":
    from newscorpus.lab.training.block_learner import train as train_blocks
    from newscorpus.lab.training.learned_fields import train_learned_fields
    from newscorpus.lab.training.own import apart, named, train_own
    from newscorpus.lab.training.registry import TRAINERS
    from newscorpus.model_folders import FIELDS, FIELDS_MODEL

    trainer = TRAINERS[name]
    train_pages = partial(train_blocks, learner) if learner else trainer.train
    if not source.learns_all and (not is_silver or learner):
        if start_from or fields:
            raise typer.BadParameter("--start-from and --fields go with pages of your own")
        return [named(train_pages(source, _show_step), name, folder).save(folder)]
    if not trainer.learns_own:
        raise typer.BadParameter(f"{name} learns from the sets alone: it takes many sites")
    source = replace(source, pages=apart(source.pages), learns_all=True)
    own = (trainer.start_from if name in start_from else trainer.train_own) or train_pages
    if not fields:
        return [train_own(name, own, source, folder, _show_step)]
    decides = fields == "always"
    learn_fields = partial(train_learned_fields, start=FIELDS_MODEL in start_from, decides=decides)
    if name == FIELDS_MODEL:
        return [train_own(name, learn_fields, source, folder, _show_step)]
    learned = named(learn_fields(source, _show_step), FIELDS_MODEL, folder / FIELDS)
    return [train_own(name, own, source, folder, _show_step), learned.save(folder / FIELDS)]


@app.command()
def features(
    name: Annotated[str, Argument(metavar="NAME", help="System that decides block by block, such as paragraph-svm.")],
    output: Annotated[Path, Argument(metavar="FILE", help="Table to write: .csv, or .arff for Weka.")],
    data: Data = None,
    silver: Silver = None,
    texts: Texts = None,
    labels: HowLabelled = None,
) -> None:
    """Write the blocks that a system is trained on as a table.

    A row has the features of a block and its class.
    """
    with needs_extra("train"):
        from newscorpus.lab.training.registry import BLOCK_LEARNERS
    from newscorpus.lab.gold.pages import LICENCES
    from newscorpus.lab.training.block_learner import labelled_pages, table_lines
    from newscorpus.terminal import progress, sink

    source = _source(data, silver, texts, LICENCES)
    if name not in BLOCK_LEARNERS:
        raise typer.BadParameter(f"unknown system {name!r}; known are: {', '.join(BLOCK_LEARNERS)}")
    learner = _learner(name, labels, texts)
    pages = labelled_pages(learner, source.articles)
    lines = table_lines(output.suffix, learner.features, progress(pages, "pages"))
    with sink(output) as file:
        file.writelines(lines)


def _source(
    data: list[Path] | None, silver: Path | None, texts: Path | None, licences: Mapping[str, str]
) -> "TrainingPages":
    from newscorpus.lab.training.own import is_own, own_source
    from newscorpus.lab.training.sources import gold_source, silver_source

    if data and texts:
        raise typer.BadParameter("--texts goes with --silver")
    if silver and not data:
        return silver_source(silver, _show_step, texts)
    if silver or not data:
        raise typer.BadParameter("one of --data and --silver is needed")
    if all(map(is_own, data)):
        return own_source(data)
    if len(data) > 1:
        raise typer.BadParameter("--data: a folder of sets is given alone")
    return gold_source(data[0], _show_step, licences)


def _show_step(step: str) -> None:
    typer.echo(step, err=True)


def _learner(name: str, labels: LabelMethod | None, texts: Path | None) -> "BlockLearner":
    from newscorpus.lab.gold.align import LABELLERS
    from newscorpus.lab.training.registry import BLOCK_LEARNERS

    chosen = labels or ("exact" if texts else "aligned")
    return replace(BLOCK_LEARNERS[name], label=LABELLERS[chosen])


PageSplit = Literal["train", "dev", "all"]
"""Splits of the pages with gold text."""


@app.command()
def evaluate(
    folder: Annotated[
        Path | None, Argument(metavar="FOLDER", help="Folder of pages with texts in clean/, or marks.")
    ] = None,
    dataset: Annotated[list[Path] | None, Option(metavar="FILE", help="Pages with gold text; may be repeated.")] = None,
    extractor: Annotated[
        list[str] | None,
        Option(metavar="NAME", help="Extractor, or a model's folder; may be repeated. With FOLDER: used on html/."),
    ] = None,
    template: Annotated[
        list[Path] | None, Option(metavar="FILE", help="With FOLDER: template to use on html/; may be repeated.")
    ] = None,
    split: Annotated[PageSplit, Option(help="Which of the pages.")] = "dev",
    jobs: Jobs = 1,
    output: Annotated[Path | None, Option(help="Write the figures as CSV and JSON.")] = None,
    fields: Annotated[bool, Option("--fields", help="Compare title, date and authors, not the text.")] = False,
    hidden: Annotated[bool, Option("--hidden", help="With --fields: hide the structured data.")] = False,
    ceiling: Annotated[
        bool, Option("--ceiling", help="Score a perfect choice of blocks: no classifier of blocks can do better.")
    ] = False,
) -> None:
    """Compare extractors on pages with gold text.

    The pages are those of --dataset, or of FOLDER. In FOLDER, the texts in each extractor's subfolder, named like the
    model's folder or the template's file, are scored against clean/ or the marks; evaluation.csv compares extractors.
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
        _evaluate_folder(folder, extractor or [], template or [], split, jobs)
        return
    _evaluate_datasets(dataset or [], extractor, split, jobs, output, fields=fields, hidden=hidden, ceiling=ceiling)


def _evaluate_datasets(
    datasets: list[Path],
    extractor: list[str] | None,
    split: PageSplit,
    jobs: int,
    output: Path | None,
    *,
    fields: bool,
    hidden: bool,
    ceiling: bool,
) -> None:
    from newscorpus.lab.evaluation import compare, summary
    from newscorpus.lab.evaluation.fields import evaluate_fields, print_field_summaries, summarise_fields
    from newscorpus.lab.gold.pages import read_pages
    from newscorpus.page.registry import DEFAULT
    from newscorpus.terminal import progress, table_console

    if output:
        output.mkdir(parents=True, exist_ok=True)
    for path in datasets if split != "all" else ():
        first = next(read_pages(path), None)
        if first and not first.split:
            _show_step(f"{path}: its pages have no split; all of them count")
    if ceiling:
        for found in compare.find_ceilings(datasets, split):
            typer.echo(
                f"{found.dataset}: {found.pages} articles, precision {found.precision:.4f}, recall {found.recall:.4f}, "
                f"F1 {found.f1:.4f}, mean page F1 {found.page_f1:.4f}"
            )
    elif fields:
        compared = evaluate_fields(datasets, extractor or ["newscorpus"], split, hidden)
        summaries = summarise_fields(progress(compared, "pages evaluated"))
        print_field_summaries(summaries, table_console())
        if output:
            summary.write_json(output / "fields.json", {"summaries": summaries})
    else:
        names = extractor or [DEFAULT]
        results = list(progress(compare.evaluate(datasets, names, split, jobs), "pages evaluated"))
        report = summary.make_report(results, names[0])
        summary.print_report(report, table_console())
        if output:
            summary.write_csv(output / "texts.csv", report.summaries)
            summary.write_json(output / "texts.json", report)


def _evaluate_folder(folder: Path, extractors: list[str], templates: list[Path], split: PageSplit, jobs: int) -> None:
    from newscorpus.lab.evaluation.folder import evaluate_folder, extract_folder, gold_texts, print_folder, text_of
    from newscorpus.page.loading import extractor_of
    from newscorpus.page.page_files import page_origin
    from newscorpus.page.recipe import Recipe
    from newscorpus.store.pages import saved_pages
    from newscorpus.terminal import progress, table_console
    from newscorpus.tokens import number_of

    n_gold, n_pages = len(gold_texts(folder, split)), len(saved_pages(folder))  # report what is missing first
    chosen = [(Path(name).name, Recipe(name), page_origin()) for name in extractors]
    chosen += [(path.stem, Recipe("template"), page_origin(template=path)) for path in templates]
    for _, recipe, _ in chosen:
        extractor_of(recipe)  # reports a wrong name before any page is read
    for name, recipe, origin in chosen:
        pages = extract_folder(folder, folder / name, partial(text_of, recipe, origin), jobs)
        n_rejected = sum(bool(rejected) for _, rejected in progress(pages, f"pages extracted by {name}"))
        _show_step(f"{number_of(n_pages - n_rejected, 'page')} extracted by {name}, {n_rejected:,} rejected")
    print_folder(evaluate_folder(folder, split), table_console())
    if n_gold < n_pages:
        of = "" if split == "all" else f" in the split '{split}'"
        _show_step(f"{n_gold:,} of {number_of(n_pages, 'page')} have gold text{of}; the others are not scored")
