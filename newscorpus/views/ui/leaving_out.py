"""Show what was left out of a corpus and why, and take down what should have been kept."""

from collections import Counter
from collections.abc import Mapping
from pathlib import Path

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response

from newscorpus.corpus.left_out import read_duplicates
from newscorpus.errors import CorpusError
from newscorpus.layout import DUPLICATES
from newscorpus.store.reasons import Reason, find_reason
from newscorpus.views.stats.count import Refusals, refusals
from newscorpus.views.ui.desk import desk_of
from newscorpus.views.ui.marking import keep

SAMPLES = 20
"""Pages of each reason, those with the least hash of their addresses."""


async def view(request: Request) -> Response:
    """Show every reason with its number and some of its pages."""
    desk, name = desk_of(request), request.path_params["corpus"]
    groups, duplicates = await run_in_threadpool(_left_out, desk.corpus(request))
    values = {"corpus": name, "groups": groups, "duplicates": duplicates}
    return desk.render(request, "left_out.html", f"Left out: {name}", **values)


async def mark(request: Request) -> Response:
    """Save that a page should have been kept."""
    async with request.form() as form:
        url, who = str(form.get("page", "")), str(form.get("who", ""))
    await run_in_threadpool(keep, desk_of(request).corpus(request), url, who)
    return PlainTextResponse("marked: should have been kept")


def _left_out(corpus: Path) -> tuple[list[tuple[Refusals, Reason]], Mapping[str, int]]:
    """What was rejected, each with what the reason means, and how many documents were left out as duplicates."""
    path = corpus / DUPLICATES
    duplicates = Counter(line.kind.value for line in (read_duplicates(path) if path.is_file() else ()))
    groups = [(one, _meaning(f"{one.stage}/{one.reason}")) for one in refusals([corpus], SAMPLES)]
    return groups, dict(duplicates.most_common())


def _meaning(name: str) -> Reason:
    try:
        return find_reason(name)
    except CorpusError:  # the corpus was crawled by another version, or a pipeline of one's own rejects
        return Reason(name, "a reason that this version does not give", "")
