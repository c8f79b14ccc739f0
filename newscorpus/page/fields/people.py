"""Extract the names of authors from bylines, and separate agencies from people."""

import re
from collections.abc import Callable, Collection, Iterable, Iterator
from functools import lru_cache

from newscorpus.resources import read_toml
from newscorpus.tokens import collapse, folded_words

WORDS = read_toml(__package__, "people.toml")
NEXT = " / "
"""Separator of the regular expressions in lists of phrases."""
AGENCY_NAMES = frozenset(WORDS["agencies"])
AGENCY_SPELLINGS = {name.casefold(): name for name in reversed(WORDS["agencies"])}
AGENCIES = AGENCY_SPELLINGS.keys()
AGENCY_WORDS = frozenset(word for name in AGENCIES for word in folded_words(name))
NOBODY = frozenset((*WORDS["roles"].split(), *map(str.casefold, WORDS["picture_sources"])))
"""Texts in place of a name, case-folded: roles, and sources of pictures."""
PARTICLES = frozenset(WORDS["particles"].split())

PREFIX = re.compile(rf"^(?:{'|'.join(WORDS['prefixes'].split(NEXT))})\s*(?::\s*|\s+)", re.IGNORECASE)
"""Words before a name; without a colon they need a capital after them, see `without_prefix`."""
SOURCE = re.compile(
    r"(?:zdroj|izvor|vir|źródło|source|quelle|fonte|fuente|источник|извор|джерело|източник|πηγή)\s*:\s*", re.IGNORECASE
)
"""Words before agencies and sites that are the source of a text; of these only agencies count."""
SEPARATORS = re.compile(r"\s*(?:[;|•·\n]|\s[/–—]\s|\s-\s|\s&\s)\s*")
AND_WORDS = "and|und|et|y|e|i|a|u|и|і|й|та|και|och|og|en|ve|sowie|mit|with"
AND = re.compile(rf"\s+(?:{AND_WORDS}|in)\s+")
LAST = re.compile(rf"^(?:{AND_WORDS})\s+")
"""Before the last name of a list, after a comma; "in" is Slovene, but mostly stands before a place."""
PHOTO = r"(?i:fot(?:os?|ó|ky|ografi\w*|ograf\w*|\.)|photo(?:s|graph\w*)?|zdjęci[ea]|фото\w*|снимк\w*|φωτο\w*|φωτό)"
PICTURE = r"(?i:bild(?:er)?|pictures?|images?|ilustra\w*|illustrations?|grafi[ck]\w*|graphics?|video|image|kuva|kép)"
TEXT = r"(?i:text[eos]?|tekst|testo|текст|besedilo|κείμενο|words|story|автор|autor(?:ka|in)?|author|napsal[ai]?|piše)"
WITH = r"\s*(?:[&+/,]|(?i:and|und|et|y|e|i|a|in|и|και)\b)\s*"
TEXT_AND_PHOTO = re.compile(rf"(?<!\w)(?:{TEXT}{WITH}{PHOTO}|{PHOTO}{WITH}{TEXT})(?:\s*:|\s+(?i:by|von)\b)?")
CREDIT = re.compile(
    rf"(?<!\w)(?:{PHOTO}(?:\s*[:/©]|\s+(?i:by|von|par|por|di|od|от)\s|\s*(?=[A-ZÀ-ÞĀ-ŽΑ-ΩА-Я]))|{PICTURE}\s*:)"
    rf".*?(?=$|[;|•·]|(?<!\w){TEXT}(?:\s*:|\s+(?i:by|von)\b))"
)
"""A picture credit, up to the next separator or author prefix: its names are no authors."""
REVIEW = re.compile(rf"(?<!\w)(?:{'|'.join(WORDS['reviews'].split(NEXT))})\s*:?.*?(?=$|[;|•·])", re.IGNORECASE)
"""Reviewers, editors and translators, up to the next separator: they did not write the text."""
COMPANY = re.compile("|".join(WORDS["companies"].split()))
"""Legal forms after or before the name of a company; a bare one belongs to the name before the comma."""
NO_NAME = re.compile("|".join(WORDS["no_names"].split()), re.IGNORECASE)
"""Addresses, code, numbers, picture archives, and the systems and studios behind the site."""
ACCOUNT = re.compile(r"[a-z]{5,}|[a-z]+(?:[._][a-z]+)+|(?=\S*\d)[A-Za-z0-9._-]+")
"""The name of a user account: a lower-case Latin word, longer than journalists' initials, or one with a digit."""
SAME_LETTER = re.compile(r"(\w)(?:[\s+-]+\1)*[+-]?", re.IGNORECASE)
"""Controls of the font size: "A A A"."""
REMARK = re.compile(
    r"\s*\([^)]*\)|\s*\[[^\]]*\]|\s+(?:기자|특파원|논설위원|인턴기자)$|(?<=[\u4e00-\u9fff])(?:记者|記者)$"
)
CREDENTIALS = re.compile(
    r"^(?:[A-Z][A-Z-]{1,7}(?: \d+)?|(?:[A-Z][a-z]?\.){2,}[A-Z]?\.?|Ph\.? ?D\.?|(?:M\.?Sc|Dr|Mgr|Ing|Esq|CSc|DrSc)\.?)$"
)
DOUBLE = re.compile(r"(?<=[^\W\d_]{3} )([^\W\d_]*(\w\w|á)) - ([^\W\d_]*\2)(?=$|[,;|])")
"""A double surname, of one gender, written with spaces."""
SLUG = re.compile(r"[a-z]{2,}(?:-[a-z]{2,}){1,2}")
"""A name as in an address: "jane-doe"."""
GENERATION = re.compile(r"^(?:Jr|Sr|ml|st)\.?$|^I{2,3}$|^IV$", re.IGNORECASE)
OFFICE = re.compile(rf"^(?:{'|'.join(WORDS['offices'].split())})$", re.IGNORECASE)
"""Words that occur in no personal name."""
MIN_DEPARTMENT = 4
"""Minimum number of letters of a department; journalists' initials are shorter."""
MAX_NAME_WORDS = 6
MAX_AGENCY_LINE = 60
"""Maximum number of characters of a line that names agencies alone (a choice)."""
MAX_NAME_CHARACTERS = 70


def names_in(text: str) -> tuple[str, ...]:
    """Return the names of people and agencies in a byline or an author field, in order, deduplicated."""
    people = DOUBLE.sub(r"\1-\3", collapse(text))
    for others in (REMARK, TEXT_AND_PHOTO, CREDIT, REVIEW):
        people = others.sub("", people)
    pieces = (piece.split(",") for piece in SEPARATORS.split(without_prefix(people.strip())))
    parts = [part for piece in pieces for joined in _joined(piece) for part in _split_at_and(joined)]
    names = (_cleaned(part, position) for position, part in enumerate(parts))
    return tuple(dict.fromkeys(name for name in names if name))


def is_agency(name: str) -> bool:
    """Tell whether `name` is a news agency, or several ("dpa/AFP")."""
    folded = name.casefold()
    return folded in AGENCIES or all(part.strip() in AGENCIES for part in folded.split("/"))


def agencies_alone(text: str) -> tuple[str, ...]:
    """Return the agencies of a credit line that names nobody else: "(tasr)", "Źródło: PAP"; () for other texts."""
    if len(text) > MAX_AGENCY_LINE or AGENCY_WORDS.isdisjoint(folded_words(text)):  # as most lines
        return ()
    names = names_in(text.strip("()[] "))
    known = [AGENCY_SPELLINGS.get(name.casefold(), "") for name in names]
    return tuple(known) if all(known) and squeezed("".join(names)) == squeezed(SOURCE.sub("", text)) else ()


def is_personal_name(name: str) -> bool:
    """Tell whether `name` looks like a person's full name: two to four capitalised words, none a profession."""
    parts = name.split()
    if not 1 < len(parts) <= 4 or not parts[0][0].isupper() or any(map(OFFICE.search, parts)):
        return False
    return all((part[0].isupper() or part in PARTICLES) and part[-1] != ":" for part in parts)  # no label


def is_ordinary(name: str, text: str, how: Callable[[Iterable[bool]], bool] = all) -> bool:
    """Tell whether `text` has all words of `name` (with `any`, one of them) in lower case, unlike a person's."""
    return how(re.search(rf"(?<!\w){re.escape(word.lower())}(?!\w)", text) is not None for word in name.split())


def authors_and_agencies(texts: Iterable[str], sites: Collection[str]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return authors and agencies named in `texts`, without the site itself (`sites`, squeezed) and departments.

    Names of user accounts count only if nobody else is named, roles and parts of a fuller name only if it is not.
    """
    # A site may be called "The Telegram & Gazette"
    others = (text for text in texts if squeezed(text) not in sites or is_agency(text))
    names = dict.fromkeys(name for text in others for name in names_in(text))
    agencies = tuple(name for name in names if is_agency(name))
    people = [name for name in names if not is_agency(name) and squeezed(name) not in sites]
    # Beside other names, one with a word that occurs in no personal name is a role or department.
    named = [name for name in people if not any(map(OFFICE.search, name.split()))]
    people = named or people
    if agencies:
        people = [name for name in named if " " in name or len(name) < MIN_DEPARTMENT or not name[0].isupper()]
    words = [set(folded_words(name)) for name in people]
    people = [name for name, own in zip(people, words, strict=True) if not any(own < other for other in words)]
    return tuple(name for name in people if not is_account(name)) or tuple(people), agencies


def is_account(name: str) -> bool:
    """Tell whether `name` is a user account, which counts as a person only without other names."""
    return bool(ACCOUNT.fullmatch(name))


def is_vague(name: str) -> bool:
    """Tell whether `name` is a user account, initials or a single Latin word, which another source may replace."""
    return is_account(name) or (name.isascii() and name.isalpha())


@lru_cache(4_096)  # titles and names are compared again and again
def squeezed(name: str) -> str:
    """Reduce to case-folded letters and digits, so that spellings of a name are equal."""
    return "".join(folded_words(name))


def without_prefix(text: str) -> str:
    """Strip "By", "Von", "Autor:" before a capitalised name."""
    match = PREFIX.match(text)
    if not match or (":" not in match[0] and text[match.end() : match.end() + 1].islower()):
        return text
    return text[match.end() :]


def _joined(parts: list[str]) -> Iterator[str]:
    """Yield the names between commas, "Jr." joined to the name before it; companies are dropped."""
    name = ""
    for part in map(str.strip, parts):
        if form := COMPANY.search(part):
            if name and form[0].strip() != part:
                yield name
            name = ""
            continue
        if GENERATION.match(part):
            name = f"{name}, {part}" if name else ""
            continue
        if name:
            yield name
        name = part
    if name:
        yield name


def _split_at_and(part: str) -> list[str]:
    """Split at an "and" if each side could be a name: two words or more, or an agency.

    Beside an agency, a slash counts as well; a lower-case text after it is a desk of the agency ("dpa/bb").
    """
    slashed = [side.strip() for side in part.split("/")]
    if any(map(is_agency, slashed)) and not is_agency(part):
        return [side for side in slashed if is_agency(side) or not side.islower()]
    sides = [side.strip() for side in AND.split(part)]
    whole = all(len(side.split()) > 1 or is_agency(side) for side in sides) or any(is_agency(side) for side in sides)
    return sides if whole else [part]


def _cleaned(part: str, position: int) -> str:
    """Return the name in `part`, or ""; capitals after a name are a title, those before it initials."""
    source = SOURCE.match(part.strip())
    name = part.strip()[source.end() if source else 0 :]
    name = without_prefix(LAST.sub("", name) if position else name).strip(" \t,.:;-–—*/|\"'«»“”„")
    name = name + "." if re.search(r"\b(?:[A-ZÀ-Ž]|Jr|Sr)$", name) and part.strip().endswith(".") else name
    _, colon, value = name.partition(": ")
    is_other_label = colon and not is_personal_name(value)  # "Section: Society"
    if not name or NO_NAME.search(name) or name.casefold() in NOBODY or is_other_label:
        return ""
    if is_agency(name):
        return name
    if source or SAME_LETTER.fullmatch(name):
        return ""
    if SLUG.fullmatch(name):
        return " ".join(map(str.capitalize, name.split("-")))
    if (position and CREDENTIALS.match(name)) or len(name) > MAX_NAME_CHARACTERS or len(name.split()) > MAX_NAME_WORDS:
        return ""
    return name if any(char.isalpha() for char in name) else ""
