"""Train systems on the marked pages, extract and evaluate with any of them, and show them side by side."""

import csv
from collections.abc import Awaitable, Callable, Mapping
from functools import cache
from importlib.util import find_spec
from pathlib import Path

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response

from newscorpus.model_folders import own_models
from newscorpus.page.registry import DEFAULT, choices, own_names, systems
from newscorpus.portal.schema import set_extractor
from newscorpus.views.ui.sources import FolderPages
from newscorpus.views.ui.state import answer, state_of

CHOSEN = (DEFAULT, "trafilatura-no-comments", "bte")
"""The extractors that are chosen at first, beside the group's own models: ours, the usual one, the oldest baseline."""

COLUMNS = (
    *("system", "extractor", "pages", "common", "extracted", "gold", "precision", "recall", "f1", "f1_low", "f1_high"),
    *("page_f1", "ngram_precision", "ngram_recall", "ngram_f1", "edits"),
)
"""Columns of the tables of `evaluate` that are shown."""

FIELDS = ("systems", "upper", "lower", "learners", "start", "model")
Given = Mapping[str, list[str]]
"""The values of a form, by the name of the field."""


def view(request: Request) -> Response:
    """Show the systems to choose from, and the table of the last evaluation."""
    state, (source, group) = state_of(request), state_of(request).group(request)
    _, table = source.evaluation(group)
    own = [name for name in own_names() if Path(name).name.startswith(group)]
    return state.render(
        request,
        "systems.html",
        f"Systems: {group}",
        group=group,
        systems=choices(),
        chosen={*CHOSEN, *own},
        own=own,
        trainers=_trainers() if can_train() else {},
        is_folder=isinstance(source, FolderPages),
        table=table,
        rows=_read_table(table),
    )


def can_train() -> bool:
    """Tell whether the packages for training are installed."""
    return find_spec("lightgbm") is not None


def _train(request: Request, given: Given) -> Response:
    """Train models on the pages of a group, as `newscorpus train` does: by default the default system."""
    state, (source, group) = state_of(request), state_of(request).group(request)
    trainers = _trainers()
    if unknown := {*given["learners"]} - {*trainers}:
        raise ValueError(f"{min(unknown)}: nothing that learns from marked pages")
    commands = []
    for name in given["learners"] or [DEFAULT]:
        begin = trainers[name] and (given["start"] or not given["learners"])
        output = own_models() / (group if name == DEFAULT else f"{group}-{name}")
        options = ["--start-from", name] if begin else []
        commands.append(["train", name, *options, "--output", str(output), "--data", str(source.data(group))])
    return answer(request, state.jobs.start(*commands))


def _extract(request: Request, given: Given) -> Response:
    """Extract the pages of a folder by the chosen systems, each into a subfolder; systems take the thresholds given."""
    state, (source, _) = state_of(request), state_of(request).group(request)
    folder, chosen, takes = source.folder, _checked(given["systems"]), {*systems(), *own_names()}
    thresholds = [f"--{name}={value}" for name in ("upper", "lower") for value in filter(None, given[name])]
    outputs = (
        ["--output", str(folder / Path(name).name), "--extractor", name, *(thresholds if name in takes else ())]
        for name in chosen
    )
    return answer(request, state.jobs.start(*(["extract", str(folder), "--no-filters", *each] for each in outputs)))


def _evaluate(request: Request, given: Given) -> Response:
    """Evaluate the chosen systems; the page reloads with the new table."""
    state, (source, group) = state_of(request), state_of(request).group(request)
    command, _ = source.evaluation(group)
    chosen = (word for name in _checked(given["systems"]) for word in ("--extractor", name))
    return answer(request, state.jobs.start([*command, *chosen]), reloads=True)


def _use(request: Request, given: Given) -> Response:
    """Write a trained model into the portal's file as its extractor."""
    state, (_, group) = state_of(request), state_of(request).group(request)
    (model,) = _checked(given["model"] or [f"{own_models().name}/{group}"])
    return state.render(request, "used.html", f"Mark: {group}", file=set_extractor(group, model))


def _on_form(act: Callable[[Request, Given], Response]) -> Callable[[Request], Awaitable[Response]]:
    """Return a handler that calls `act` with the values of the form."""

    async def handle(request: Request) -> Response:
        async with request.form() as form:
            given = {name: list(map(str, form.getlist(name))) for name in FIELDS}
        return await run_in_threadpool(act, request, given)

    return handle


ACTIONS = {
    name: _on_form(act)
    for name, act in (("train", _train), ("extract", _extract), ("evaluate", _evaluate), ("use", _use))
}
"""What the buttons start."""


def _checked(systems: list[str]) -> list[str]:
    """Return the chosen systems.

    Raises:
        ValueError: there are none, or one is unknown.
    """
    if not systems or (unknown := {*systems} - {*choices()}):
        raise ValueError(f"unknown extractor {min(unknown)!r}" if systems else "choose a system")
    return systems


@cache
def _trainers() -> Mapping[str, bool]:
    """Return the models that learn from marked pages, and whether they can start from the shipped one.

    Raises:
        ImportError: the packages for training are not installed.
    """
    from newscorpus.lab.training.registry import TRAINERS  # noqa: PLC0415 -- of the extra `train`

    return {name: one.start_from is not None for name, one in TRAINERS.items() if one.learns_own}


def _read_table(path: Path) -> list[dict[str, str]]:
    """Read the rows of an evaluation that are shown."""
    if not path.is_file():
        return []
    with path.open(encoding="utf-8", newline="") as file:
        rows = [row for row in csv.DictReader(file) if row.get("scope", "all") == "all"]
    return [{name: row[name] for name in COLUMNS if name in row} for row in rows]
