"""Count the pages on which each rule of a template matches."""

from collections import Counter
from collections.abc import Iterator, Mapping

from newscorpus.page.judgement import Judgement
from newscorpus.page.source_page import SourcePage
from newscorpus.portal.portal import TemplateSection
from newscorpus.tokens import number_of


class RuleTally:
    """Counts per portal and template rule of the pages on which it matches."""

    def __init__(self) -> None:
        self._pages: Counter[tuple[str, str, str]] = Counter()
        self._short: Counter[str] = Counter()
        self._found: Counter[tuple[str, str, str]] = Counter()
        self._misfits: dict[tuple[str, str, str], str] = {}

    def add(self, page: SourcePage, judged: Judgement) -> Mapping[str, int]:
        """Count a judged page; return the increment of each rule's count, by PORTAL/FIELD/RULE."""
        if page.template is None or judged.rule_hits is None:
            return {}
        source, by_rule = page.source, {(hit.field, hit.position): hit for hit in judged.rule_hits}
        added: Counter[tuple[str, str, str]] = Counter()
        for key in TemplateSection.__slots__:
            for position, rule in enumerate(getattr(page.template, key)):
                hit = by_rule.get((key, position))
                added[source, key, rule] += bool(hit)
                if hit and hit.misfit:
                    self._misfits.setdefault((source, key, rule), hit.misfit)
        self._pages.update(added.keys())
        self._short[source] += judged.is_short
        self._found.update(added)  # with the zeros
        return {"/".join(rule_of): n for rule_of, n in added.items()}

    def warnings(self) -> Iterator[str]:
        """Yield warnings of rules without matches or with implausible values, and of truncated texts."""
        for (source, key, rule), n in self._found.items():
            if not n:
                pages = self._pages[source, key, rule]
                yield f"template of {source}: the rule {rule!r} of {key} found nothing on {number_of(pages, 'page')}"
        for (source, key, rule), value in self._misfits.items():
            yield f"template of {source}: the rule {rule!r} of {key} finds what cannot be its value, such as {value!r}"
        for source, n in self._short.items():
            if n:
                yield (
                    f"template of {source}: pages whose text is less than half as long as the extractor finds it: {n}"
                    " of the tenth that is compared; their rows have the flag template_short"
                )
