"""What the demo portal should become: the main text of every page, and its fate."""

from dataclasses import dataclass

import msgspec

from newscorpus.demo.site import PLACEHOLDER, SITE


@dataclass(frozen=True, slots=True)
class Gold:
    """What is right for one page, written by its author.

    Attributes:
        url: the page's canonical address; of a page refused in discovery, all addresses below it are meant.
        title: headline.
        published: ISO 8601, a day where the page gives no time.
        authors: persons named in the byline.
        language: BCP 47 primary tag.
        expect: "kept", "duplicate" or "rejected".
        reason: "stage/reason" of a rejection or of a duplicate, or "".
        cluster: name of a group of near-duplicates, of which it does not matter which one is kept; "" for none.
        text: main text, one paragraph a line; "" where the page is never read.
    """

    url: str
    title: str
    published: str
    authors: tuple[str, ...]
    language: str
    expect: str
    reason: str
    cluster: str
    text: str

    @property
    def fate(self) -> str:
        """What should become of the page: "kept", "duplicate" or "stage/reason"."""
        return self.reason if self.expect == "rejected" else self.expect


def read_gold(base: str = PLACEHOLDER) -> dict[str, Gold]:
    """The gold of all pages by name, with `base` in place of the placeholder in their addresses."""
    decoder = msgspec.json.Decoder(Gold)
    files = sorted((SITE / "gold").glob("*.json"))
    return {file.stem: decoder.decode(file.read_bytes().replace(PLACEHOLDER.encode(), base.encode())) for file in files}
