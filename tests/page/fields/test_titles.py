import pytest
from hypothesis import given
from hypothesis import strategies as st

from newscorpus.data import Evidence
from newscorpus.page.fields.decide import decide_headline, decide_title, site_names, strip_site

SITES = site_names(["Deník Příklad"], "www.denikpriklad.cz")


@pytest.mark.parametrize(
    ("title", "stripped"),
    [
        ("Vláda schválila rozpočet - Deník Příklad", "Vláda schválila rozpočet"),
        ("Vláda schválila rozpočet | Domácí | Deník Příklad", "Vláda schválila rozpočet"),
        ("Deník Příklad: Vláda schválila rozpočet", "Vláda schválila rozpočet"),
        ("Vláda schválila «rozpočet»", "Vláda schválila «rozpočet»"),
        ("Vláda schválila rozpočet – denikpriklad.cz", "Vláda schválila rozpočet"),
        ("Praha - Brno: tři hodiny čekání", "Praha - Brno: tři hodiny čekání"),
        ("Sparta | Slavia", "Sparta | Slavia"),
        ("Domácí | Vláda schválila rozpočet", "Domácí | Vláda schválila rozpočet"),
        ("Deník Příklad", "Deník Příklad"),
        ("", ""),
    ],
)
def test_only_what_the_site_repeats_goes(title: str, stripped: str) -> None:
    assert strip_site(title, SITES, {"domácí"}) == stripped


URL = "https://www.denikpriklad.cz/domaci/vlada-jedna"
SHOWN, WRITTEN = "Vláda schválila rozpočet, opozice odešla", "Rozpočet 2025: vláda schválila, kolik dostanete"


@pytest.mark.parametrize(
    ("titles", "chosen"),
    [
        ([("microdata", "Domácí"), ("meta", "Vláda jedná"), ("heading", "Vláda jedná")], "Vláda jedná"),
        ([("json-ld", WRITTEN), ("heading", SHOWN)], SHOWN),
        ([("json-ld", WRITTEN), ("meta", WRITTEN), ("microdata", WRITTEN), ("heading", SHOWN)], WRITTEN),
        ([("meta", "Vláda schválila rozpočet"), ("heading", "Detail článku")], "Vláda schválila rozpočet"),
        ([("meta", "Vláda jedná | Rozpočet, daně"), ("heading", "Vláda jedná")], "Vláda jedná"),
        ([("meta", "Deník Příklad"), ("heading", "Vláda jedná")], "Vláda jedná"),
        ([("meta", "News - Deník Příklad"), ("heading", "Vláda jedná")], "Vláda jedná"),
        ([("meta", "domaci:vlada-jedna - Deník Příklad"), ("heading", "Власть заседает")], "Власть заседает"),
        ([("meta", "domaci:vlada-mlci"), ("heading", "Власть заседает")], "domaci:vlada-mlci"),
        ([("meta", "vlada-jedna")], "vlada-jedna"),
        ([], ""),
    ],
)
def test_the_title_that_most_sources_confirm_is_chosen(titles: list[tuple[str, str]], chosen: str) -> None:
    found = decide_title([Evidence("title", value, source) for source, value in titles], SITES, (), URL)
    assert (found.value if found else "") == chosen


@pytest.mark.parametrize(("heading", "chosen"), [("Vláda jedná", "Vláda jedná"), ("", "Vláda jedná | Rozpočet, daně")])
def test_a_description_is_no_title_unless_a_heading_shows_it(heading: str, chosen: str) -> None:
    evidence = [Evidence("description", "Vláda jedná", "meta"), Evidence("title", "Vláda jedná", "meta")]
    evidence.append(Evidence("title", "Vláda jedná | Rozpočet, daně", "meta"))
    evidence += [Evidence("title", heading, "heading")] if heading else []
    assert decide_headline(evidence, frozenset()).value == chosen


@given(st.text(max_size=80), st.sets(st.text(max_size=10), max_size=3))
def test_stripping_takes_from_the_ends_alone(title: str, sites: set[str]) -> None:
    stripped = strip_site(title, sites)
    assert stripped in title
    assert bool(stripped) == bool(title.strip()) or not stripped.strip()
