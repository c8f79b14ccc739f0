"""Keep what people mark on archived pages: a journal of all marks, and the gold pages made from it.

The journal `gold/NAME.marks` is an append-only file of JSON lines. A mark is on the disk before its request is
answered, so a server that dies loses none. A page that a person calls done is written to `gold/NAME.jsonl`.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import msgspec

from newscorpus.errors import CorpusError, LabError
from newscorpus.files import exclusive, extend, replacing, sync
from newscorpus.lab.evaluation.scores import Confusion, confusion
from newscorpus.lab.gold.pages import ARTICLE, GoldPage, Mark
from newscorpus.layout import GOLD
from newscorpus.lines import complete_lines, encode_line
from newscorpus.page.fields.dates import Setting, parse_date
from newscorpus.page.fields.people import names_in
from newscorpus.store.archive.values import ByteRange
from newscorpus.urls import is_web

ListName = Literal["measure", "teach"]
SPLITS: Mapping[str, str] = {"measure": "dev", "teach": "train"}
"""The split of each list: training and evaluation read only their own."""

KINDS = ("good", "bad", "title", "lead", "date", "author")
"""Kinds of blocks: main text, not, headline, lead (also main text), date, author."""
MAIN_TEXT = frozenset({"good", "lead"})
READERS: Mapping[str, Callable[[str, Setting], tuple[str, ...]]] = {
    "date": lambda text, setting: tuple(filter(None, [parse_date(text, setting)])),
    "author": lambda text, _: names_in(text),
}
"""How to read the values of the kinds whose text is not the value ("Published: 1 May 2026")."""

PATIENCE_SECONDS = 30.0
"""Maximum wait for another writer of marks on the same portal."""

SETTLED = "settled"
"""Name of the person who settles disagreements."""


class MarkedBlock(msgspec.Struct, frozen=True):
    """A block as it was marked."""

    position: int  # among the blocks of the page, from 0
    kind: str  # of `KINDS`; "" takes the mark back
    path: str = ""  # of its element
    text: str = ""
    values: tuple[str, ...] = ()  # of a date, ISO 8601; of an author, the names; () where none can be read


class MarkLine(msgspec.Struct, frozen=True, omit_defaults=True):
    """A line of the journal: blocks that a person marked at once, a page marked as done, or one reopened."""

    page: str  # address of the page
    list: ListName
    who: str
    when: str  # ISO 8601
    blocks: tuple[MarkedBlock, ...] = ()
    place: ByteRange | None = None  # of a page that is done: where it lies in the archive
    n_blocks: int = 0  # of a page that is done
    kept: ByteRange | None = None  # of a page that was rejected and should not have been: where it lies
    reopens: bool = False  # the page is not done after all


LINES = msgspec.json.Decoder(MarkLine)


@dataclass(frozen=True, slots=True)
class PageMarks:
    """What one person marked on one page."""

    page: str
    list: ListName
    who: str
    blocks: Mapping[int, MarkedBlock]  # by position
    when: str  # of the last line
    place: ByteRange | None = None  # None until the person called the page done
    n_blocks: int = 0  # on the page; known when it is done
    kept: ByteRange | None = None  # where it lies, if it was rejected and should not have been
    n_lines: int = 0  # of the journal, from which these marks were read


def journal_of(corpus: Path, name: str) -> Path:
    """Return the journal of the marks on a portal's pages."""
    return corpus / GOLD / f"{name}.marks"


def read_marks(journal: Path) -> list[PageMarks]:
    """Read the marks of every person on every page, in the order of the first mark; a torn last line is skipped.

    Raises:
        CorpusError: a line is damaged.
    """
    found: dict[tuple[str, str, str], PageMarks] = {}
    for offset, line in complete_lines(journal) if journal.is_file() else ():
        try:
            one = LINES.decode(line)
        except msgspec.DecodeError as error:
            raise CorpusError(f"{journal}, at offset {offset}: {error}") from error
        key = one.page, one.list, one.who
        before = found.get(key, PageMarks(*key, {}, ""))
        blocks = {**before.blocks, **{block.position: block for block in one.blocks}}
        kept = {at: block for at, block in blocks.items() if block.kind}
        place = None if one.reopens else one.place or before.place
        n_blocks = one.n_blocks or before.n_blocks
        stored = one.kept or before.kept
        found[key] = PageMarks(*key, kept, one.when, place, n_blocks, stored, before.n_lines + 1)
    return list(found.values())


def save_mark(
    journal: Path, line: MarkLine, setting: Setting = Setting(), seen: int | None = None
) -> tuple[dict[int, tuple[str, ...]], int]:
    """Append and fsync a line unless it changes nothing, and rewrite the gold pages if they change.

    Dates are read in the context of `setting`. `seen` is the number of lines of this person on this page that were
    known when the marks were made: marks based on others are refused.

    Returns:
        the values read from dates and authors, by position; the number of lines now.

    Raises:
        LabError: unknown kind of mark, or the page was marked meanwhile.
        CorpusError: another process keeps the lock.
        OSError: for instance, the disk is full.
    """
    if unknown := {block.kind for block in line.blocks} - {*KINDS, ""}:
        raise LabError(f"unknown mark {min(unknown)!r}; known are: {', '.join(KINDS)}")
    read = {one.position: READERS[one.kind](one.text, setting) for one in line.blocks if one.kind in READERS}
    blocks = tuple(msgspec.structs.replace(one, values=read.get(one.position, ())) for one in line.blocks)
    line = msgspec.structs.replace(line, blocks=blocks)
    journal.parent.mkdir(exist_ok=True)
    with exclusive(journal.with_suffix(".lock"), "mark", PATIENCE_SECONDS):
        known = {(one.page, one.list, one.who): one for one in read_marks(journal)}
        before = known.get((line.page, line.list, line.who))
        n_lines = before.n_lines if before else 0
        if seen is not None and seen != n_lines:
            raise LabError(f"{line.who} marked this page in another window meanwhile: load it anew to see the marks")
        if before is None or (
            any(before.blocks.get(one.position, MarkedBlock(one.position, "")) != one for one in line.blocks)
            or any(new and new != old for new, old in ((line.place, before.place), (line.kept, before.kept)))
            or (line.reopens and before.place)
        ):
            with journal.open("ab+", buffering=0) as file:  # a torn last line is overwritten
                committed = max((offset + len(text) + 1 for offset, text in complete_lines(journal)), default=0)
                extend(file, committed, encode_line(line))
                sync(file)
            n_lines += 1
        if line.place or line.kept or line.reopens:
            write_gold(journal)
    return read, n_lines


def judged_elsewhere(marks: Iterable[PageMarks], who: str, page: str) -> frozenset[str]:
    """Return the texts that a person marked bad on other pages of the portal, so that they are not asked again."""
    others = (one for one in marks if one.who == who and one.page != page)
    return frozenset(block.text for one in others for block in one.blocks.values() if block.kind == "bad")


def write_gold(journal: Path) -> int:
    """Write the pages that are done, or were wrongly rejected, to `NAME.jsonl` beside the journal; return their number.

    If several people did a page, the settled marks count, else those of the first person. A wrongly rejected page is an
    article, without text until somebody has done it.
    """
    done: defaultdict[str, list[PageMarks]] = defaultdict(list)
    for one in read_marks(journal):
        if one.place or one.kept:
            done[one.page].append(one)
    with replacing(journal.with_suffix(".jsonl")) as file:
        for versions in done.values():
            finished = [one for one in versions if one.place] or versions
            chosen = next((one for one in finished if one.who == SETTLED), finished[0])
            in_order = [chosen.blocks[at] for at in sorted(chosen.blocks)]
            dates, names = (
                [value for block in in_order if block.kind == kind for value in block.values]
                for kind in ("date", "author")
            )
            page = GoldPage(
                id=chosen.page,
                dataset=journal.stem,
                url=chosen.page if is_web(chosen.page) else "",
                title=" ".join(block.text for block in in_order if block.kind == "title"),
                date=next(iter(dates), ""),
                authors=tuple(dict.fromkeys(names)),
                text="\n".join(block.text for block in in_order if block.kind in MAIN_TEXT),
                split=SPLITS[chosen.list],
                list=chosen.list,
                marks=tuple(
                    Mark(one.path, "good" if one.kind in MAIN_TEXT else "bad", chosen.who, chosen.when, one.position)
                    for one in in_order
                ),
                archive=chosen.place or chosen.kept,
                page_type=ARTICLE if any(one.kept for one in versions) else "",
            )
            held = msgspec.to_builtins(page)  # the HTML stays in the archive
            file.write(encode_line({key: value for key, value in held.items() if key not in {"html", "dataset"}}))
    return len(done)


def place_of(file: str, offset: int) -> ByteRange:
    """Return the place of a page, in a file of the corpus or folder, relative to its folder `gold`."""
    return ByteRange(f"../{file}", offset, 0)


@dataclass(frozen=True, slots=True)
class Agreement:
    """Agreement of two people."""

    first: str  # their names
    second: str
    pages: int  # done by both
    blocks: Confusion  # verdicts of the second person against those of the first
    differing: tuple[tuple[str, str], ...]  # list and address of the pages on which they differ


def agreement(marks: Iterable[PageMarks], first: str, second: str) -> Agreement:
    """Compare two people on the pages that both have done; an unmarked block is no main text."""
    done = {(one.who, one.list, one.page): one for one in marks if one.place}
    blocks, differing, pages = Confusion(), [], 0
    for (who, name, page), ours in done.items():
        theirs = done.get((second, name, page)) if who == first else None
        if theirs is None:
            continue
        pages += 1
        n_blocks = max(ours.n_blocks, theirs.n_blocks)
        verdicts = [
            [at in one.blocks and one.blocks[at].kind in MAIN_TEXT for at in range(n_blocks)] for one in (theirs, ours)
        ]
        blocks += confusion(*verdicts)
        if verdicts[0] != verdicts[1]:
            differing.append((name, page))
    return Agreement(first, second, pages, blocks, tuple(differing))
