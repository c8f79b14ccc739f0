"""What a site reserves: whether its signals tell text miners and trainers of models to keep out."""

from collections.abc import Iterator
from enum import StrEnum

from newscorpus.data import Rejected, Rights


class RightsPolicy(StrEnum):
    """What a crawl does about a document whose site reserves its use."""

    RECORD = "record"
    SKIP = "skip"


REFUSALS = frozenset({"n", "?0"})
"""How Content-Usage says no: the token of the IETF's AI Preferences drafts, and the boolean of structured fields."""

TRAINING = frozenset({"ai", "bots", "genai", "tdm", "train-ai", "train-genai"})
"""The uses in those drafts that a corpus for language models falls under."""


def judge_rights(rights: Rights, policy: RightsPolicy, url: str) -> Rejected | None:
    """A rejection where the policy is to skip and the site reserves the use; None where the document may stay."""
    reserved = ", ".join(reservations(rights)) if policy is RightsPolicy.SKIP else ""
    return Rejected("rights", "reserved", reserved, url) if reserved else None


def reservations(rights: Rights) -> Iterator[str]:
    """The signals that reserve text and data mining or training, as `name=value`.

    TDM Reservation Protocol (W3C community group, 2024, section 5): `tdm-reservation` is 1. Meta robots `noai`, by
    convention; `noimageai` speaks of images, of which a corpus holds addresses only. Content-Usage: see `REFUSALS`.
    """
    if rights.tdm.strip() == "1":
        yield "tdm-reservation=1"
    if "noai" in rights.noai.split(", "):
        yield "robots=noai"
    for part in rights.content_usage.lower().split(","):
        name, _, value = part.strip().partition("=")
        if name in TRAINING and value.partition(";")[0].strip() in REFUSALS:
            yield f"content-usage: {part.strip()}"
