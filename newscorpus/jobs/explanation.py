"""What can be told of an address in a corpus."""

from dataclasses import dataclass
from enum import StrEnum

from newscorpus.data import Evidence, Record, Rejected
from newscorpus.jobs.left_out import DuplicateLine


class Fate(StrEnum):
    """What became of an address."""

    NEVER_MET = "never_met"
    MET = "met"
    QUEUED = "queued"
    WAITING = "waiting"
    UNDER_WAY = "under_way"
    READ = "read"
    NO_RESPONSE = "no_response"
    REJECTED = "rejected"
    DUPLICATE = "duplicate"
    SUPERSEDED = "superseded"
    NOT_BUILT = "not_built"
    PUBLISHED = "published"


@dataclass(frozen=True, slots=True)
class Found:
    """How the crawl came upon an address; times are ISO 8601, "" for none.

    Attributes:
        url: the address that was asked for.
        portal: name of the portal.
        kind: what it was taken for: "article", "section", "feed", "sitemap" ...
        trail: the page that named it, the one that named that, and so on back to a start.
        evidence: what feeds and sitemaps said of it.
        attempts: how often it was asked for.
        retry_at: before which it is not asked for again.
        next_visit: when a revisit is due.
    """

    url: str
    portal: str
    kind: str
    trail: tuple[str, ...]
    evidence: tuple[Evidence, ...]
    attempts: int
    retry_at: str
    next_visit: str


@dataclass(frozen=True, slots=True)
class Answered:
    """The last answer of an address.

    Attributes:
        fetched: ISO 8601.
        status: of HTTP.
        n_bytes: of the body, decoded.
        redirected_to: address that answered in the end; "" for the one that was asked.
        archive_file: where its page lies in the archive; "" where it gave none.
        archive_offset: of its records in that file.
    """

    fetched: str
    status: int
    n_bytes: int
    redirected_to: str
    archive_file: str
    archive_offset: int


@dataclass(frozen=True, slots=True)
class Explanation:
    """All that a corpus tells of an address.

    Attributes:
        url: as it was asked about.
        fate: what became of it.
        found: None where no ledger knows it.
        answered: None where nothing came back.
        rejected: why it is no document.
        row: the document as it came, the text that was kept last.
        left_out: what the document repeats, where it was left out.
        published: what stands in the corpus: the document, the one that stands for it, or an earlier text of what was
            rejected when it was asked for again.
        stands_for: the documents that were left out for it, and its own earlier texts.
    """

    url: str
    fate: Fate
    found: Found | None = None
    answered: Answered | None = None
    rejected: Rejected | None = None
    row: Record | None = None
    left_out: DuplicateLine | None = None
    published: Record | None = None
    stands_for: tuple[DuplicateLine, ...] = ()
