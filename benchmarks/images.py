"""Measure the images found of articles, against addresses that a person marked.

    python -m benchmarks.images DATA

DATA is the folder of the pages with gold text (docs/data.md). benchmarks/images.jsonl names, for 147 pages, the images
that belong to the article: a list of addresses for each image, since a page names its renditions, and further addresses
that count as neither right nor wrong (galleries elsewhere, posters of videos). An address found is right if it is that
of an image not yet found. Writes benchmarks/results/images.md.
"""

import json
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any

from benchmarks.reproduce.tables import table
from newscorpus.data import Article, Page, Rejected
from newscorpus.lab.gold.pages import read_pages
from newscorpus.page.extractor import read
from newscorpus.page.fields.images import find_images
from newscorpus.page.loading import extractor_of
from newscorpus.page.recipe import Recipe

MARKED = Path(__file__).with_name("images.jsonl")
RESULTS = Path(__file__).parent / "results" / "images.md"


HEAD = """# Images of articles

By `python -m benchmarks.images DATA`. The rules were made on the pages of train. At the first look the precision on dev
was 0.891; rules on links, names, least sizes and renditions were then changed after its errors and checked on train, so
dev is no longer unseen. Fresh: pages of other dev sites, looked at only then; what was found and left out was judged by
eye, which favours recall.

"""


def count(found: Collection[str], marked: Mapping[str, Any]) -> Counter[str]:
    """Count the images of a page: right, wrong, and all that are marked."""
    left = [set(addresses) for addresses in marked["images"]]
    counts = Counter(marked=len(left))
    for address in found:
        image = next((each for each in left if address in each), None)
        if image is not None:
            left.remove(image)
            counts["right"] += 1
        elif address not in marked["optional"]:
            counts["wrong"] += 1
    return counts


def main(data: Path) -> None:
    """Measure the images of the metadata alone and those of articles, by split."""
    marked = {(page["set"], page["id"]): page for page in map(json.loads, MARKED.read_text("utf-8").splitlines())}
    extractor = extractor_of(Recipe())
    totals = defaultdict[tuple[str, str], Counter[str]](Counter)
    seconds = 0.0
    for dataset in sorted({name for name, _ in marked}):
        for gold in read_pages(data / f"{dataset}.jsonl.zst"):
            if (dataset, gold.id) not in marked:
                continue
            of_page, page = marked[dataset, gold.id], Page.from_html(gold.html, gold.url)
            prepared, article = read(page), extractor(page)
            declared = () if isinstance(prepared, Rejected) else prepared.fields.images
            found = article.fields.images if isinstance(article, Article) else declared
            for name, images in (("metadata alone", declared), ("article", found)):
                totals[of_page["split"], name] += count([image.url for image in images], of_page)
                totals[of_page["split"], name]["pages"] += 1
            if isinstance(article, Article) and not isinstance(prepared, Rejected):
                start, lines = time.process_time(), article.text.split("\n")
                find_images(prepared.tree, page.url, prepared.all_blocks, lines, declared)
                seconds += time.process_time() - start
    rows = [
        (*key, one["pages"], one["marked"], one["right"] / (one["right"] + one["wrong"]), one["right"] / one["marked"])
        for key, one in sorted(totals.items(), reverse=True)
    ]
    result = table(("split", "images", "pages", "marked", "precision", "recall"), rows)
    RESULTS.write_text(HEAD + result, encoding="utf-8")
    print(result, f"{1000 * seconds / len(marked):.2f} ms CPU a page", sep="\n")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
