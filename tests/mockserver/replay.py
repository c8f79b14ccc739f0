"""Pages with gold text as sites on loopback: `replay.py COUNT FILE...` serves COUNT pages of each file at its own port.

Prints one line of JSON, {site: address}, and serves until it is killed. The front page links to all pages of its site.
"""

import sys
from itertools import islice
from pathlib import Path

from serving import PageSite, serve

from newscorpus.lab.gold.pages import read_pages

if __name__ == "__main__":
    count, *files = sys.argv[1:]
    sites = {}
    for file in map(Path, files):
        pages = [page.html.encode("utf-8", "replace") for page in islice(read_pages(file), int(count))]
        served = {f"/story-{number:06}.html": page for number, page in enumerate(pages)}
        links = "".join(f'<a href="{path}">{path}</a> ' for path in served)
        front = f"<html><body>{links}</body></html>".encode()
        sites[file.name.partition(".")[0].replace("_", "-")] = PageSite(served | {"/": front})
    serve({name: site.base for name, site in sites.items()}, *sites.values())
