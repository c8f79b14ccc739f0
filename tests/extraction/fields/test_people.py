import pytest
from hypothesis import given
from hypothesis import strategies as st

from newscorpus.extraction.fields.people import authors_and_agencies, names_in


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("By Jane Doe", ("Jane Doe",)),
        ("Von Anna Schmidt und Jörg Müller", ("Anna Schmidt", "Jörg Müller")),
        ("Autor: Jan Novák, Petr Dvořák", ("Jan Novák", "Petr Dvořák")),
        ("Piše: Ana Horvat", ("Ana Horvat",)),
        ("Автор: Иван Петров и Анна Смирнова", ("Иван Петров", "Анна Смирнова")),
        ("Janez Novak in Ana Kos", ("Janez Novak", "Ana Kos")),
        ("Ursula von der Leyen", ("Ursula von der Leyen",)),
        ("Einar Torkelsen / Journalist", ("Einar Torkelsen",)),
        ("Jane Doe, Ph.D., MBA", ("Jane Doe",)),
        ("Martin Luther King, Jr.", ("Martin Luther King, Jr",)),
        ("D.D.", ("D.D",)),
        ("jane.doe@example.org", ()),
        ("https://example.org/author/jane", ()),
        ("@janedoe", ()),
        ("admin", ()),
        ("Redaktion", ()),
        ("구현모 기자", ("구현모",)),
        ("Jane Doe (Berlin)", ("Jane Doe",)),
        ("Jane Doe; John Roe", ("Jane Doe", "John Roe")),
        ("Jane Doe, Jane Doe", ("Jane Doe",)),
        ("", ()),
    ],
)
def test_names(text: str, names: tuple[str, ...]) -> None:
    assert tuple(name.rstrip(".") for name in names_in(text)) == tuple(name.rstrip(".") for name in names)


def test_agencies_and_the_paper_are_no_authors() -> None:
    authors, agencies = authors_and_agencies(["Jana Nováková, ČTK", "Le Figaro et AFP", "dpa/AFP"], {"lefigaro"})
    assert (authors, agencies) == (("Jana Nováková",), ("ČTK", "AFP", "dpa/AFP"))


@given(st.text(max_size=200))
def test_no_name_is_empty_or_holds_an_address(text: str) -> None:
    assert all(name.strip() == name and name and "@" not in name and "http:" not in name for name in names_in(text))
