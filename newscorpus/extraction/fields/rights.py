"""What a page says of machine use: robots, text and data mining reservations, AI training."""

from collections.abc import Mapping

from newscorpus.data import Rights
from newscorpus.extraction.fields.clean import plain
from newscorpus.extraction.fields.markup import Markup

AI_WORDS = ("noai", "noimageai")


def read_rights(markup: Markup, headers: Mapping[str, str]) -> Rights:
    """The rights signals of a page and of the response that carried it; a header comes before a meta element."""
    robots = _joined(headers.get("x-robots-tag", ""), *markup.metas.get("robots", ()))
    words = {word.strip() for word in robots.lower().replace(";", ",").split(",")}
    return Rights(
        robots=robots,
        tdm=plain(headers.get("tdm-reservation") or markup.first_meta("tdm-reservation")),
        tdm_policy=plain(headers.get("tdm-policy") or markup.first_meta("tdm-policy")),
        content_usage=plain(headers.get("content-usage") or markup.first_meta("content-usage")),
        noai=", ".join(word for word in AI_WORDS if word in words),
    )


def _joined(*values: str) -> str:
    return ", ".join(dict.fromkeys(text for value in values if (text := plain(value))))
