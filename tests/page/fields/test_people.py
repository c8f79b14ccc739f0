import pytest
from hypothesis import given
from hypothesis import strategies as st

from newscorpus.page.fields.people import authors_and_agencies, is_account, is_personal_name, names_in


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("By Jane Doe", ("Jane Doe",)),
        ("Von Anna Schmidt und Jörg Müller", ("Anna Schmidt", "Jörg Müller")),
        ("Autor: Jan Novák, Petr Dvořák", ("Jan Novák", "Petr Dvořák")),
        ("Piše: Ana Horvat", ("Ana Horvat",)),
        ("Od Jana Nováka", ("Jana Nováka",)),
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
        ("Jan Novák, Foto: Petr Malý, archiv", ("Jan Novák",)),
        ("Foto: Petr Malý, Text: Jana Nová", ("Jana Nová",)),
        ("Text: Jana Nová; Foto: archiv autora", ("Jana Nová",)),
        ("Text und Fotos: Anna Schmidt", ("Anna Schmidt",)),
        ("Words and photos by Jane Doe", ("Jane Doe",)),
        ("By Jane Doe, photographs by John Roe", ("Jane Doe",)),
        ("Photo: John Roe", ()),
        ("Fot. Jan Kowalski", ()),
        ("Фото: EPA", ()),
        ("Φωτογραφίες: Νίκος Παππάς", ()),
        ("Снимка: архив", ()),
        ("Jana Nová, Getty Images", ("Jana Nová",)),
        ("Noviny, a.s.", ()),
        ("Vydavatelství Noviny s.r.o., Jana Nová", ("Jana Nová",)),
        ("Jana Nová, Noviny, a. s.", ("Jana Nová",)),
        ("Novine d.o.o.", ()),
        ("Wydawnictwo Prasa Sp. z o.o.", ()),
        ("Beispiel Medien GmbH & Co. KG", ()),
        ("ООО Ромашка", ()),
        ("Παράδειγμα Εκδόσεις Α.Ε.", ()),
        ("vesti.example.gr", ()),
        ("Priklad.cz", ()),
        ("Joomla! - Open Source Content Management", ()),
        ("Дизайн: Студия Пример", ()),
        ("A A A", ()),
        ("Α+ Α-", ()),
        ("mok", ("mok",)),
        ("Napisao: Ivo Ivić", ("Ivo Ivić",)),
        ("Besedilo: Ana Novak", ("Ana Novak",)),
        ("Zdroj: TASR", ("TASR",)),
        ("Автор: Олена Ткаченко | Розділ: Суспільство", ("Олена Ткаченко",)),
        ("Извор: Танјуг", ("Танјуг",)),
        ("Jan Novák, zdroj: Noviny", ("Jan Novák",)),
        ("Hina/Ivo Ivić", ("Hina", "Ivo Ivić")),
        ("Noviny.hr/Hina", ("Hina",)),
        ("dpa/bb", ("dpa",)),
        ("X.Li", ("X.Li",)),
        ("Dr.in Anna Schmidt", ("Dr.in Anna Schmidt",)),
        ("Petra Fotowska", ("Petra Fotowska",)),
        ("By Jane Doe, MD. | Medically reviewed by John Roe", ("Jane Doe",)),
        ("Autoři: Jan Novák, Petr Malý, překlad: Eva Malá", ("Jan Novák", "Petr Malý")),
        ("Autor článku: Jan Novák", ("Jan Novák",)),
        ("Rozmawiała Anna Nowak", ("Anna Nowak",)),
        ("Razgovarala: Ana Horvat", ("Ana Horvat",)),
        ("Аутори: Петар Петровић и Ана Илић", ("Петар Петровић", "Ана Илић")),
        ("Автор статьи: Иван Петров", ("Иван Петров",)),
        ("Фото/Автор: Иван Петров", ("Иван Петров",)),
        ("Besedilo in foto: Ana Kos", ("Ana Kos",)),
        ("Jana Nováková - Malá", ("Jana Nováková-Malá",)),
        ("Ivana Brlić - Mažuranić, Hina", ("Ivana Brlić-Mažuranić", "Hina")),
        ("Jan Novák - Praha", ("Jan Novák", "Praha")),
        ("Jane Doe, Ann Poe, and John Roe", ("Jane Doe", "Ann Poe", "John Roe")),
        ("Jan Novák, a Petr Malý", ("Jan Novák", "Petr Malý")),
        ("connor-mannion", ("Connor Mannion",)),
    ],
)
def test_names(text: str, names: tuple[str, ...]) -> None:
    assert tuple(name.rstrip(".") for name in names_in(text)) == tuple(name.rstrip(".") for name in names)


def test_agencies_and_the_paper_are_no_authors() -> None:
    authors, agencies = authors_and_agencies(["Jana Nováková, ČTK", "Le Figaro et AFP", "dpa/AFP"], {"lefigaro"})
    assert (authors, agencies) == (("Jana Nováková",), ("ČTK", "AFP", "dpa/AFP"))
    assert authors_and_agencies(["The Telegram & Gazette"], {"thetelegramgazette"}) == ((), ())
    assert authors_and_agencies(["ČTK"], {"čtk", "ctk"}) == ((), ("ČTK",))


@pytest.mark.parametrize(
    ("text", "authors", "has_agency"),
    [
        ("Zahraničí, ČTK", (), True),
        ("Домаћа редакција, Танјуг", (), True),
        ("Sport / dpa", (), True),
        ("tanjug", (), True),
        ("Mok, ČTK", ("Mok",), True),
        ("Jana Nová, ČTK", ("Jana Nová",), True),
        ("Zahraničí", ("Zahraničí",), False),
        ("Jane Doe, Political Editor", ("Jane Doe",), False),
        ("Jan Novák, redaktor; Jana Nová, šéfredaktorka", ("Jan Novák", "Jana Nová"), False),
        ("Ana Kos, urednica", ("Ana Kos",), False),
        ("Linda, Linda Doe", ("Linda Doe",), False),
        ("Editorial Team", ("Editorial Team",), False),
    ],
)
def test_departments_beside_an_agency_roles_and_parts_of_a_fuller_name_are_no_authors(
    text: str, authors: tuple[str, ...], has_agency: bool
) -> None:
    found, agencies = authors_and_agencies([text], frozenset())
    assert (found, bool(agencies)) == (authors, has_agency)


@pytest.mark.parametrize("account", ["npappas", "n.pappas", "editor7", "Editor7"])
def test_an_account_is_an_author_only_where_nobody_else_is_named(account: str) -> None:
    assert authors_and_agencies([account, "Jana Nová"], frozenset()) == (("Jana Nová",), ())
    assert authors_and_agencies([account], frozenset()) == ((account,), ())


@pytest.mark.parametrize("name", ["jana-nova", "mok", "Novák", "Νίκος"])
def test_a_name_is_no_account(name: str) -> None:
    assert not is_account(name)


@given(st.text(max_size=200))
def test_no_name_is_empty_or_holds_an_address(text: str) -> None:
    assert all(name.strip() == name and name and "@" not in name and "http:" not in name for name in names_in(text))


def test_a_label_is_no_part_of_a_name() -> None:
    assert is_personal_name("Jana van der Malik")
    assert not is_personal_name("Oznake: Otoci")
    assert not any(map(is_personal_name, ("Size Email This", "My Profile", "E-mail Alerts")))
