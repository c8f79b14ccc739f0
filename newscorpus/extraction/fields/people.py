"""Take the names of authors out of what pages write around them, and separate agencies from people."""

import re
from collections.abc import Collection, Iterable, Iterator
from functools import lru_cache

from newscorpus.resources import read_toml
from newscorpus.tokens import collapse, folded_words

WORDS = read_toml(__package__, "people.toml")
AGENCIES = frozenset(map(str.casefold, WORDS["agencies"]))
ROLES = frozenset(WORDS["roles"].split())
"""Single words that stand where a name should be, case folded."""
PARTICLES = frozenset(WORDS["particles"].split())

PREFIX = re.compile(
    r"^(?:(?:written |posted |reported |photos? |text )?by|von|vom|par|por|di|da|av|af|door|od|auteurs?"
    r"|author(?:\(s\)|s)?|autore|autori|autor(?:ka|ři|i|en|in|es)?|avtor(?:ica|ji)?|piše|pišu|napsal[ai]?|pripravil[aio]?|zpracoval[ai]?"
    r"|připravil[ai]?|spracoval[ai]?|автор(?:ы|и|ка)?|текст|пише|от|συντάκτης|του|της|γράφει(?: ο| η)?"
    r"|eine? (?:artikel|beitrag|kommentar|analyse|gastbeitrag) von"
    r"|na|tekst|text|testo|texte|opracował[ai]?|oprac\.?|byline)\s*(?::\s*|\s+)",
    re.IGNORECASE,
)
"""What stands before a name. Without a colon it needs a capital after it, see `_without_prefix`."""
SEPARATORS = re.compile(r"\s*(?:[;|•·\n]|\s[/–—]\s|\s-\s|\s&\s)\s*")
AND = re.compile(r"\s+(?:and|und|et|y|e|i|a|u|in|и|і|й|та|και|och|og|en|ve|sowie|mit|with)\s+")
NO_NAME = re.compile(r"https?:|www\.|@|\.(?:com|net|org|de|php|html?)\b|[<>{}\[\]=_#]|\d{2}", re.IGNORECASE)
REMARK = re.compile(
    r"\s*\([^)]*\)|\s*\[[^\]]*\]|\s+(?:기자|특파원|논설위원|인턴기자)$|(?<=[\u4e00-\u9fff])(?:记者|記者)$"
)
CREDENTIALS = re.compile(
    r"^(?:[A-Z][A-Z-]{1,7}(?: \d+)?|(?:[A-Z][a-z]?\.){2,}[A-Z]?\.?|Ph\.? ?D\.?|(?:M\.?Sc|Dr|Mgr|Ing|Esq|CSc|DrSc)\.?)$"
)
GENERATION = re.compile(r"^(?:Jr|Sr|ml|st)\.?$|^I{2,3}$|^IV$", re.IGNORECASE)
OFFICE = re.compile(
    r"^(?:director|editor\w*|edited|manager|develop\w+|engineer\w*|officer|coordinator|team|staff|release|review\w*|recipe|written"
    r"|publish\w*|updat\w*|posted|by|on|at|news\w*|redaktion\w*|redak[ct]\w+|корреспондент|редак\w+|journalist\w*|report\w*"
    r"|correspondent|korrespondent\w*|author|autor\w*|online|media|press|magazine|archiv\w*|share|follow|read|more|comments?)$",
    re.IGNORECASE,
)
"""Words that no personal name has."""
MAX_NAME_WORDS = 6
MAX_NAME_CHARACTERS = 70


def names_in(text: str) -> tuple[str, ...]:
    """The names of people and agencies in a byline or an author field, in order, each once."""
    names = (_cleaned(part, position) for position, part in enumerate(_parts(text)))
    return tuple(dict.fromkeys(name for name in names if name))


def is_agency(name: str) -> bool:
    """Whether `name` is a news agency, or several ("dpa/AFP")."""
    folded = name.casefold()
    return folded in AGENCIES or all(part.strip() in AGENCIES for part in folded.split("/"))


def is_personal_name(name: str) -> bool:
    """Whether `name` looks like the full name of a person: two to four words, capitals, no word of a profession."""
    parts = name.split()
    if not 1 < len(parts) <= 4 or not parts[0][0].isupper() or any(map(OFFICE.search, parts)):
        return False
    return all(part[0].isupper() or part in PARTICLES for part in parts)


def authors_and_agencies(texts: Iterable[str], sites: Collection[str]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Authors and agencies named in `texts`, without the names of the site itself (`sites`, squeezed)."""
    names = dict.fromkeys(name for text in texts for name in names_in(text))
    agencies = tuple(name for name in names if is_agency(name))
    authors = tuple(name for name in names if not is_agency(name) and squeezed(name) not in sites)
    return authors, agencies


@lru_cache(4_096)  # titles and names are compared again and again
def squeezed(name: str) -> str:
    """Letters and digits alone, case folded: what makes two spellings of a name equal."""
    return "".join(folded_words(name))


def starts_like_byline(text: str) -> bool:
    """Whether `text` begins with "By", "Von", "Autor:" and a capital after it."""
    return _without_prefix(text) != text


def _parts(text: str) -> Iterator[str]:
    """The pieces between separators; commas part names, but not a name from its title."""
    for piece in SEPARATORS.split(_without_prefix(REMARK.sub("", collapse(text)))):
        for part in _joined_generations(piece.split(",")):
            yield from _split_at_and(part)


def _without_prefix(text: str) -> str:
    """`text` without "By", "Von", "Autor:" before a name in capitals."""
    match = PREFIX.match(text)
    if not match or (":" not in match[0] and text[match.end() : match.end() + 1].islower()):
        return text
    return text[match.end() :]


def _joined_generations(parts: list[str]) -> Iterator[str]:
    name = ""
    for part in map(str.strip, parts):
        if GENERATION.match(part):
            name = f"{name}, {part}" if name else ""
            continue
        if name:
            yield name
        name = part
    if name:
        yield name


def _split_at_and(part: str) -> list[str]:
    """Both sides of an "and" where each could be a name of its own: two words or more, or an agency."""
    sides = [side.strip() for side in AND.split(part)]
    whole = all(len(side.split()) > 1 or is_agency(side) for side in sides) or any(is_agency(side) for side in sides)
    return sides if whole else [part]


def _cleaned(part: str, position: int) -> str:
    """The name in `part`; "" where there is none; capitals that follow a name are a title, those before it initials."""
    name = _without_prefix(part.strip()).strip(" \t,.:;-–—*/|\"'«»“”„")
    name = name + "." if re.search(r"\b(?:[A-ZÀ-Ž]|Jr|Sr)$", name) and part.strip().endswith(".") else name
    if not name or NO_NAME.search(name) or name.casefold() in ROLES:
        return ""
    if is_agency(name):
        return name
    if (position and CREDENTIALS.match(name)) or len(name) > MAX_NAME_CHARACTERS or len(name.split()) > MAX_NAME_WORDS:
        return ""
    return name if any(char.isalpha() for char in name) else ""
