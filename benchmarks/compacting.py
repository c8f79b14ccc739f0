"""Measure what compacting an archive saves: `python -m benchmarks.compacting PAGES...`.

Takes the sites of which most pages lie in sets of pages, archives them as a crawl does, each answer compressed as it
would come, and compacts the file. As a file of a crawl holds thousands of pages of a site and its dictionary is made of
a few of them, pages that the dictionary has not seen are measured apart: it is then made of the others, one half. Then
all pages make, several times over, a file as long as a crawl's files become, which a process of its own compacts.
Writes benchmarks/results/compact.md.
"""

import argparse
import gzip
import json
import multiprocessing
import resource
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import count
from pathlib import Path

from zstandard import ZstdCompressionDict, ZstdCompressor

from benchmarks.newspapers import ROOT
from newscorpus.config import Limits
from newscorpus.data import Page
from newscorpus.lines import unpacked_lines
from newscorpus.settings import NEWSCORPUS_ARCHIVE_FILE_BYTES
from newscorpus.store.archive.compact import LEVEL, train_dictionary, write_compact
from newscorpus.store.archive.frames import read_closing
from newscorpus.store.archive.read import read_capture, read_captures
from newscorpus.store.archive.values import ByteRange, Capture, Exchange, Origin
from newscorpus.store.archive.write import ArchiveWriter, encode

RESULT = ROOT / "benchmarks" / "results" / "compact.md"
SITES = 12
LEAST_BYTES = 20_000
"""Mean length of the pages of a site; shorter ones are no news pages of today."""
OTHER_LEVEL = 19
DATE = "2026-11-20T08:00:00.000000Z"
KB = 1_000


def pages_of(paths: Sequence[Path]) -> Iterator[tuple[str, bytes]]:
    """Read pages, each with its site and set."""
    for path in paths:
        for line in unpacked_lines(path):
            page = json.loads(line)
            if page["domain"] and page["html"]:  # sets are of different years
                yield f"{page['domain']} ({path.name.partition('.')[0]})", page["html"].encode()


def sites(paths: Sequence[Path]) -> dict[str, list[bytes]]:
    """Read the pages of the sites that have most."""
    found: defaultdict[str, list[bytes]] = defaultdict(list)
    for site, page in pages_of(paths):
        found[site].append(page)
    long = {name: pages for name, pages in found.items() if sum(map(len, pages)) > LEAST_BYTES * len(pages)}
    return dict(sorted(long.items(), key=lambda item: -len(item[1]))[:SITES])


def archived(pages: Iterable[bytes], folder: Path) -> Path:
    """Write pages as a crawl does, until its file is as long as a crawl's become."""
    headers = (("Content-Type", "text/html; charset=utf-8"), ("Content-Encoding", "gzip"))
    with ArchiveWriter(folder, NEWSCORPUS_ARCHIVE_FILE_BYTES, "newscorpus/0") as writer:
        for number, body in enumerate(pages):
            url = f"https://news.example/{number}"
            page = Page(url, body, {"content-type": "text/html; charset=utf-8"}, DATE)
            exchange = Exchange(url, DATE, 200, headers, gzip.compress(body, 6, mtime=0))
            place = writer.append(encode(exchange, Capture(page, origin=Origin("news", ("en",))), Limits().max_bytes))
            if place.offset + place.length >= NEWSCORPUS_ARCHIVE_FILE_BYTES:
                break
    return folder / "archive" / "000001.warc.gz"


def rows(found: Mapping[str, Sequence[bytes]]) -> Iterator[str]:
    """Write the table."""
    unseen = f"unseen, before | unseen, after | at level {OTHER_LEVEL}"
    yield f"| site | pages | before | after | {unseen} | dictionary | packing, ms | in all, ms | read, ms |"
    yield "|---|" + "---:|" * 10
    for name, pages in found.items():
        with tempfile.TemporaryDirectory() as folder:
            yield f"| {name} | {len(pages)} | {' | '.join(_figures(pages, Path(folder)))} |"


def _figures(pages: Sequence[bytes], folder: Path) -> list[str]:
    path = archived(pages, folder)
    compact, before = path.with_name("000001.warc.zst"), path.stat().st_size
    with compact.open("wb") as file:
        spent = _milliseconds(lambda: write_compact(path, file)) / len(pages)
    places = [one.place for one in read_captures(path) if isinstance(one, Capture) and one.place]
    path.unlink()
    read = _milliseconds(lambda: [read_capture(path, place.offset) for place in places]) / len(pages)
    with compact.open("rb") as file:
        closing = read_closing(file)
    dictionary = len(closing.packed_dictionary) if closing else 0
    came, packed, took, smaller, took_longer = _unseen(pages[::2], pages[1::2])
    sizes = (before / len(pages) / KB, compact.stat().st_size / len(pages) / KB, came, packed, smaller, dictionary / KB)
    return [*(f"{size:.1f}" for size in sizes), f"{took:.0f}, {took_longer:.0f}", f"{spent:.0f}", f"{read:.1f}"]


def _unseen(seen: Sequence[bytes], others: Sequence[bytes]) -> Iterator[float]:
    """Bytes a page of which the dictionary was not made, as it came and by two levels; milliseconds of these."""
    places = [ByteRange("", number, 0) for number in range(len(seen))]
    dictionary, _ = train_dictionary(places, lambda place: seen[place.offset])
    yield sum(len(gzip.compress(page, 6)) for page in others) / len(others) / KB
    for level in (LEVEL, OTHER_LEVEL):
        given = ZstdCompressionDict(dictionary.as_bytes()) if dictionary else None  # else it would keep to one level
        packer = ZstdCompressor(level, dict_data=given)
        began = time.process_time()
        n_bytes = sum(len(packer.compress(page)) for page in others)
        yield n_bytes / len(others) / KB
        yield 1000 * (time.process_time() - began) / len(others)


def large(paths: Sequence[Path]) -> str:
    """Say what compacting a file of full length takes."""
    with tempfile.TemporaryDirectory() as folder:
        path = archived((page for _ in count() for _, page in pages_of(paths)), Path(folder))
        compact = path.with_name("000001.warc.zst")
        process = multiprocessing.get_context("spawn").Process(target=_compact, args=(path, compact))
        process.start()
        process.join()
        used = resource.getrusage(resource.RUSAGE_CHILDREN)
        if process.exitcode:
            raise SystemExit(f"compacting failed: {process.exitcode}")
        took = f"{used.ru_utime + used.ru_stime:,.0f} seconds of the processor and {used.ru_maxrss / 1024:,.0f} MB"
        sizes = " MB became one of ".join(f"{one.stat().st_size / KB**2:,.0f}" for one in (path, compact))
    return f"With the pages of all sites of the sets, which have little in common, a file of {sizes} MB in {took}."


def _compact(path: Path, compact: Path) -> None:
    with compact.open("wb") as file:
        write_compact(path, file)


def _milliseconds(work: Callable[[], object]) -> float:
    began = time.process_time()
    work()
    return 1000 * (time.process_time() - began)


def main() -> None:
    """Run, and write the result."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("pages", nargs="+", type=Path)
    paths = parser.parse_args().pages
    found = sites(paths)
    text = f"""# What compacting an archive saves

kB a page, as `newscorpus archive --compact` leaves it. Made by `python -m benchmarks.compacting` with sets of real
pages ([docs/data.md](../../docs/data.md)): the {SITES} sites of which most pages are in one set. *before*, *after*: the
whole file by its pages, with index and dictionary, which stands in it twice; that is much for so few pages, and one
part in a thousand of a file of a gigabyte. *unseen*: bodies alone, gzipped as they come and packed, of every other
page, the dictionary made of those between; nearly all pages of a large file are unseen in this way. *dictionary*:
packed, kB. *packing*: CPU time for a body at levels {LEVEL} and {OTHER_LEVEL}. *in all*: CPU time a page, the making of
the dictionary and reading all again included. *read*: CPU time to read one page by its place.

"""
    RESULT.write_text(text + "\n".join([*rows(found), "", large(paths)]) + "\n")


if __name__ == "__main__":
    main()
