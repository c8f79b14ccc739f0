"""Add the verbs that extract without crawling: `newscorpus extract`, `reextract` and `batch`."""

from collections import Counter
from collections.abc import Mapping
from contextlib import ExitStack, closing
from dataclasses import astuple, fields
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Annotated, Literal

import typer
from typer import Argument, Option

from newscorpus.cli.app import Contact, Corpus, Jobs, Portal, Template, app, needs_extra, page_at, with_recipe
from newscorpus.tokens import counted

if TYPE_CHECKING:
    from collections.abc import Callable

    from newscorpus.corpus.changes import Change
    from newscorpus.page.page_files import PageOrigin
    from newscorpus.page.recipe import Recipe

Format = Literal["text", "json", "blocks", "brezovnik"]
"""Output formats of `extract`."""

LEARN = "learn"
"""Value of --profile for a profile learned from the pages themselves."""

SHOWN = 20
"""Maximum tasks named by --status."""


@app.command()
@with_recipe()
def extract(
    source: Annotated[
        str, Argument(metavar="SOURCE", help="FILE.html, URL, FOLDER, PAGES.jsonl[.gz|.zst], or - (HTML).")
    ],
    output: Annotated[
        Path | None, Option(help="File to write; default: standard output. For FOLDER: a folder.")
    ] = None,
    jobs: Jobs = 1,
    format: Annotated[Format | None, Option(help="Default: text; for PAGES, json.")] = None,  # noqa: A002
    portal: Portal = "",
    template: Template = None,
    profile: Annotated[str, Option(metavar="learn|FILE", help="Profile of the pages' portal; learn: from PAGES.")] = "",
    url: Annotated[str, Option(help="Address of the page in FILE.html.")] = "",
    contact: Contact = "",
    *,
    make_recipe: "Callable[[], Recipe]",
) -> None:
    """Extract the article of a page, or of each of many pages.

    The crawl's filters apply: rights, quality and, with --portal, language. A line of PAGES has `id`, `html` and
    optionally `url`; the output line has the same `id`. FOLDER has pages in html/, HTML files or WARC files; each that
    is not rejected makes a file.
    """
    from newscorpus.page.page_files import PAGES_SUFFIXES, page_origin
    from newscorpus.urls import is_web

    from_web = is_web(source)
    if "://" in source and not from_web:
        raise typer.BadParameter(f"{source}: only addresses that begin with http:// or https:// are fetched")
    if url and not is_web(url):
        raise typer.BadParameter(f"--url is {url!r}; an address begins with https:// or http://")
    if portal and template:
        raise typer.BadParameter("--portal excludes --template")
    is_file = not from_web and source.endswith(PAGES_SUFFIXES)
    if profile == LEARN and not is_file:
        raise typer.BadParameter("--profile learn is for a file of pages, which it learns from")
    recipe = make_recipe()
    origin = page_origin(portal, template, Path(profile) if profile not in {"", LEARN} else None)
    if not from_web and Path(source).is_dir() and not url:
        _extract_folder(Path(source), recipe, origin, format or "text", jobs, output)
    elif not is_file:
        _extract_page(source, url, contact, recipe, origin, format or "text", output)
    elif url or format not in (None, "json"):
        raise typer.BadParameter("a file of pages holds their addresses itself, and gives json only")
    else:
        _extract_pages(Path(source), recipe, origin, jobs, output, learns=profile == LEARN)


def _extract_page(
    source: str, url: str, contact: str, recipe: "Recipe", origin: "PageOrigin", form: Format, output: Path | None
) -> None:
    from newscorpus.data import Rejected
    from newscorpus.page.loading import extractor_of
    from newscorpus.page.page_files import rejection_line
    from newscorpus.terminal import sink
    from newscorpus.urls import id_of_page
    from newscorpus.views.explain.formats import FORMATS, refusal

    extractor_of(recipe)  # reports a wrong name before anything is fetched
    page = origin(page_at(source, url, contact))
    content, fetched = FORMATS[form](recipe, page), page.page
    if isinstance(content, Rejected):
        if form != "json":
            raise ValueError(refusal(fetched.url or "the page", content))
        content = rejection_line(id_of_page(fetched.url, fetched.body), fetched.url, content)
    with sink(output) as file:
        file.write(content)


def _extract_folder(
    source: Path, recipe: "Recipe", origin: "PageOrigin", form: Format, jobs: int, output: Path | None
) -> None:
    from newscorpus.data import Page
    from newscorpus.lab.evaluation.folder import extract_folder
    from newscorpus.terminal import complain, progress
    from newscorpus.views.explain.formats import SUFFIXES, in_format, refusal

    if output is None:
        raise typer.BadParameter("a folder of pages needs --output, the folder to write")
    in_format(form, recipe, origin, Page("", b""))  # reports a wrong name or format before anything is written
    pages = extract_folder(source, output, partial(in_format, form, recipe, origin), jobs, SUFFIXES[form])
    outcomes: Counter[str] = Counter()
    for name, rejected in progress(pages, "pages"):
        outcomes["rejected" if rejected else "extracted"] += 1
        if rejected:
            complain(refusal(name, rejected))
    typer.echo(f"{source}: {counted(outcomes)}", err=True)


def _extract_pages(
    source: Path, recipe: "Recipe", origin: "PageOrigin", jobs: int, output: Path | None, *, learns: bool
) -> None:
    from newscorpus.page.page_files import extract_file, learn_file
    from newscorpus.terminal import complain, progress, sink

    outcomes: Counter[str] = Counter()
    with ExitStack() as stack:
        folder = Path(stack.enter_context(TemporaryDirectory(prefix="newscorpus-")))
        profiles = learn_file(source, recipe, origin, jobs, folder) if learns else {}
        file = stack.enter_context(sink(output))
        for extracted in progress(extract_file(source, recipe, origin, jobs, profiles), "pages"):
            file.write(extracted.line)
            outcomes["broken" if extracted.error else extracted.rejected or "extracted"] += 1
            if extracted.error:
                complain(extracted.error)
    typer.echo(f"{source}: {counted(outcomes)}", err=True)
    if learns:
        typer.echo(f"sites with a profile: {len(profiles)}", err=True)
    if outcomes["broken"]:
        raise typer.Exit(1)


@app.command()
@with_recipe("post_analysis", "upper", "lower", "no_filters")
def reextract(
    corpus: Corpus,
    files: Annotated[str, Option(metavar="WARC,...", help="WARC files or patterns, in place of the archive.")] = "",
    output: Annotated[Path | None, Option(help="Write the result as a new corpus.")] = None,
    apply: Annotated[bool, Option("--apply", help="Store the result in the corpus itself.")] = False,
    diff: Annotated[bool, Option("--diff", help="Show how texts differ.")] = False,
    limit: Annotated[int, Option(min=1, help="With --diff: most documents shown.")] = 20,
    jobs: Jobs = 1,
    *,
    make_recipe: "Callable[[], Recipe]",
) -> None:
    """Extract the archived pages again and show what changes.

    Today's model and templates are used, with the profiles of the corpus. With --output the result is a new corpus,
    which `newscorpus build FOLDER` publishes; with --apply it is stored in the corpus, for `newscorpus build CORPUS`;
    otherwise nothing is written.
    """
    from newscorpus.corpus import changes, reextract
    from newscorpus.corpus.published import note_copy
    from newscorpus.page.judgement import RuleTally
    from newscorpus.page.recipe import add_profile
    from newscorpus.portal.profile import profiles_of
    from newscorpus.portal.schema import list_portals, load_portal
    from newscorpus.store.ledger.addresses import unfinished_captures
    from newscorpus.store.pages import archive_files, named_files
    from newscorpus.store.removals import keep_removals, removals_of
    from newscorpus.terminal import print_table, progress

    if apply and (output or diff):
        raise typer.BadParameter("--apply changes the corpus itself; without it, --output and --diff show what changes")
    recipe = make_recipe()
    paths = named_files(files) if files else archive_files(corpus)
    portals = tuple(map(load_portal, list_portals()))
    tally = RuleTally()
    if apply:
        archived = reextract.Archived(corpus, paths, recipe, portals, jobs)
        applied = reextract.apply(archived, partial(progress, what="pages"), tally)
        for warning in tally.warnings():
            typer.echo(warning, err=True)
        typer.echo(f"pages extracted again: {_summed(applied.outcomes)}")
        if applied.n_passed:
            typer.echo(f"pages that this recipe had extracted before: {applied.n_passed:,}")
        if applied.outcomes:
            typer.echo(f"Next: newscorpus build {corpus}")
        return
    with ExitStack() as stack:
        folder = output or Path(stack.enter_context(TemporaryDirectory(prefix="newscorpus-")))
        prepare = partial(add_profile, recipe, profiles_of(corpus))
        unfinished = () if files else unfinished_captures(corpus)
        extracted = reextract.reextract(paths, recipe, portals, jobs, prepare, tally, unfinished)
        keep_removals(folder, removals_of(corpus))
        if output:
            note_copy(corpus, output)
        done = reextract.store(progress(extracted, "pages"), folder)
        found = list(changes.find_changes(corpus, folder, done.read))
        if diff:
            _print_differences(found, limit)
        columns = [field.name.replace("_", " ") for field in fields(changes.PortalChanges)]
        print_table(columns, map(astuple, changes.count_changes(found)), numbers=True)
    for warning in tally.warnings():
        typer.echo(warning, err=True)
    typer.echo(f"pages extracted: {_summed(done.outcomes)}")
    if output:
        typer.echo(f"The new corpus lies in {output}; newscorpus build {output} publishes it")


def _summed(outcomes: Mapping[str, int]) -> str:
    """Format the sum of counts, and the counts."""
    return f"{sum(outcomes.values()):,}" + (f" ({counted(outcomes)})" if outcomes else "")


def _print_differences(found: "list[Change]", limit: int) -> None:
    from newscorpus.corpus.changes import ChangeKind, difference
    from newscorpus.tokens import printable

    shown = [change for change in found if change.kind in {ChangeKind.TEXT, ChangeKind.GAINED, ChangeKind.LOST}]
    for change in shown[:limit]:
        typer.echo(f"=== {change.kind}: {change.source}, {change.id}")
        typer.echo("\n".join(map(printable, difference(change))))
    if len(shown) > limit:
        typer.echo(f"... {len(shown) - limit} more documents")


@app.command()
def batch(
    recipe: Annotated[Path, Argument(metavar="RECIPE.toml", help="Inputs and output.")],
    engine: Annotated[Literal["local", "slurm"], Option(help="Where tasks run.")] = "local",
    tasks: Annotated[int | None, Option(min=1, help="Number of tasks; default: that of the recipe.")] = None,
    at_once: Annotated[int, Option(min=1, help="With --engine local: number of tasks at a time.")] = 1,
    task: Annotated[str, Option(metavar="STAGE/N", help="Run only this task, in this process.")] = "",
    status: Annotated[bool, Option("--status", help="Show the finished tasks, and run none.")] = False,
) -> None:
    """Make one corpus of many archives, on many machines.

    The minimal recipe: inputs = ["crawls/*.warc.gz"], output = "corpus". After a failure, run the command again: only
    unfinished tasks run.
    """
    with needs_extra("batch"):
        from newscorpus.batch import engine as engines
    from newscorpus.batch.plan import begin, plan_file, read_plan, read_recipe
    from newscorpus.corpus.published import open_corpus
    from newscorpus.terminal import complain, progress
    from newscorpus.tokens import number_of

    if task:
        name, _, number = task.partition("/")
        if name not in list(engines.Stage) or not number.isdecimal():
            raise typer.BadParameter(f"--task is {task!r}; expected one of {', '.join(engines.Stage)}, and /N")
        begun = plan_file(recipe)
        plan = read_plan(begun) if begun.is_file() else begin(recipe, tasks)
        engines.run_task(plan, engines.Stage(name), int(number))
        return
    plan = read_plan(plan_file(recipe)) if status else begin(recipe, tasks)
    if status:
        for one in engines.stages_of(plan):
            missing, n_tasks = engines.missing(plan, one), engines.tasks_of(plan, one)
            named = f"; not done: {', '.join(map(str, missing[:SHOWN]))}" if missing else ""
            typer.echo(f"{one}: {n_tasks - len(missing)} of {n_tasks} done{named}")
    elif engine == "slurm":
        for one, job in engines.submit(plan, read_recipe(recipe).slurm).items():
            typer.echo(f"{one}: {f'job {job}' if job else 'done already'}")
        typer.echo(f"squeue shows them; newscorpus batch {recipe} --status says what is done")
    else:
        for stage in engines.stages_of(plan):
            with closing(engines.run_here(recipe, plan, stage, at_once)) as ended:
                failures = list(filter(None, progress(ended, f"tasks of {stage}")))
            for failure in failures:
                complain(f"{stage}, task {failure.number}: {failure.why} ({failure.log})")
            if failures:
                complain(f"newscorpus batch {recipe} tries them again; what is done stays done")
                raise typer.Exit(1)
        published = open_corpus(plan.folder)
        manifest = published.manifest
        documents = number_of(manifest.documents, "document")
        typer.echo(f"{documents}, {manifest.words:,} words; the corpus lies in {published.folder}")
