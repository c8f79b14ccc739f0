"""Mask personal data in texts: addresses of e-mail and computers, numbers of telephones, accounts, cards and persons.

Precision comes first: numbers are masked only where their check digits and dates are right, and telephone numbers only
with a country code or after a word for telephone. Names and addresses of people are not found.
"""

import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import date
from functools import partial
from ipaddress import ip_address
from itertools import chain
from operator import mul
from typing import Any

from newscorpus.data import Article
from newscorpus.page.quality.filters import by_language

MASKED_FIELDS = ("title", "lead", "description")
"""The article's fields with running text."""

AT = "zavináč|zavinac|afna|majmun|kukac|małpa|malpa|собака|равлик|маймунско а|παπάκι|arroba|klammeraffe"
DOT = "dot|tečka|tecka|bodka|točka|tocka|tačka|tacka|pika|kropka|punkt|точка|крапка|τελεία|punto"
"""Words that people write for "@" and "." to hide an address from programs."""
PLAIN_DOT, WRITTEN_DOT = r"\.", rf"(?: ?[\[({{<] ?(?:{DOT}) ?[\])}}>] ?| (?:{DOT}) )"
EMAIL = (
    r"(?<![\w.+-])[\w.+-]{1,64}(?:"
    rf"(?:@ ?| ?[\[({{<] ?(?:at|et|@|{AT}) ?[\])}}>] ?| (?:{AT}) )(?:[\w-]{{1,63}}(?:{PLAIN_DOT}|{WRITTEN_DOT})){{1,8}}"
    rf"| at (?:[\w-]{{1,63}}{WRITTEN_DOT}){{1,8}})"
    r"[^\W\d_]{2,24}(?![\w-])"
)
IBAN = r"(?<!\w)[A-Z]{2}\d{2}(?: ?[0-9A-Z]{4}){2,7}(?: ?[0-9A-Z]{1,3})?(?!\w)"
NUMBER = r"(?!\d{4}-\d\d-\d\d|\d{3}[ .]\d{3} [^\W\d_]{3})\(?\d(?:[ .\-/()]{0,3}\d){5,13}(?!\d)"
"""A telephone number, neither a date as in ISO 8601 nor, before a word, an amount of six digits."""
ABROAD = r"(?<![\w+])(?:\+(?=(?:\D{0,2}\d){8})|00(?=(?:\D{0,2}\d){8}))[1-9]\d{0,2}(?:[ .\-/]?\(?\d{1,4}\)?){2,6}(?!\d)"
GAP = r"(?:(?:č|no|nr|br|št|tel|kom|αρ)\.|[^\d.!?;+(\n\"<>{}=]){0,30}?"
"""Between a word for telephone and the number, in the same sentence."""
NEXT_PHONE = re.compile(
    r"(?<=\[phone\])(?:,|;|/| (?:a|i|nebo|alebo|ali|ili|lub|oraz|und|oder|or|and|in|и|или|або|ή|και))+ ?"
    rf"(?P<local>{NUMBER})"
)
"""A number that follows another telephone number."""
BIRTH_NUMBER = r"(?<![\d/])\d{6}/\d{3,4}(?![\d/])|\b(?:rodn|r\. ?č)[^\d\n]{0,40}(?P<local>\d{10})(?!\d)"
OIB = r"(?<!\w)OIB\D{0,15}(?P<local>\d{11})(?!\d)"
ELEVEN = r"(?<!\d)\d{11}(?!\d)"
THIRTEEN = r"(?<!\d)\d{13}(?!\d)"
ACCOUNT = r"(?<![\w/-])(?:\d{2,6}-)?\d{6,10}/\d{4}(?![\w/-])"
CARD = (
    r"(?<![\w-])(?:[2-6]\d{3}([ -])\d{4}\1\d{4}\1\d{4}|3[47]\d\d([ -])\d{6}\2\d{5})(?![\w-])"
    r"|(?:kart|card|карт|κάρτ|kreditk)[^\d\n]{0,30}(?P<local>[2-6]\d{12,18})(?!\d)"
)
IP = (
    r"(?:ver[sz]|v\.|έκδοσ|верси|różn|različic|inačic|firmware)[^\d\n]{0,12}\d+(?:\.\d+)+"  # matched, and refused
    r"|(?<![\w.])\d{1,3}(?:\.\d{1,3}){3}(?!\w|\.\d)|(?<![\w:.])[\da-f]{0,4}(?::[\da-f]{0,4}){2,7}(?![\w:])"
)

MIN_IP_NUMBER, MIN_IP_DIGITS = 20, 6
"""Four small numbers are a version or a chapter, few digits between colons a time or program code."""
MIN_PHONE_DIGITS, MAX_PHONE_DIGITS = 6, 15
"""ITU-T E.164 allows 15 with the country code; local numbers of fewer than six are short codes."""

OTHER_NUMBER = re.compile(
    r"\d{1,2}[./-] ?\d{1,2}[./-] ?(?:19|20)\d\d|(?:19|20)\d\d(?:-\d\d|(?:[ -]+(?:19|20)\d\d)+)"
    r"|[1-9]\d?(?:[ .]\d{3})+|\+?\d{1,3}(?:[ .]\d{3})*[ .]000"
)
"""Dates, years and amounts, which may also follow a word for telephone ("call 2. 5. 2024")."""
BANKS = frozenset((
    "0100 0200 0300 0600 0710 0720 0800 0900 1100 1111 2010 2020 2060 2070 2100 2200 2220 2250 2260 2600 2700 "
    "3000 3030 3050 3060 3100 3500 4000 4300 5200 5500 5600 5800 5900 6000 6100 6200 6210 6300 6363 6500 6700 "
    "6800 7300 7500 7910 7930 7950 7960 7970 7990 8030 8040 8060 8090 8100 8120 8130 8150 8160 8170 8180 8190 "
    "8198 8200 8215 8220 8230 8240 8250 8255 8265 8270 8280 8320 8330 8350 8360 8370 8390 8400 8410 8420 8430 "
    "8450 8460 8500 9950 9951 9952 "
).split())  # fmt: skip
"""Codes of Czech and Slovak banks, past ones included."""


def _phone() -> str:
    """Return the pattern of a number with a country code, or after a word for telephone; "." ends a whole word."""
    words = dict.fromkeys(chain.from_iterable(by_language("telephone").values()))
    cues = (rf"{re.escape(one[:-1])}(?!\w)" if one.endswith(".") else rf"{re.escape(one)}\w*" for one in words)
    return rf"{ABROAD}|(?<!\w)(?:{'|'.join(cues)})\.?{GAP}(?P<local>{NUMBER})"


def is_iban(text: str) -> bool:
    """Check an IBAN (ISO 13616): read with the country before its check digits, it is 1 modulo 97."""
    code = text.replace(" ", "")
    return 15 <= len(code) <= 34 and int("".join(str(int(one, 36)) for one in code[4:] + code[:4])) % 97 == 1


def is_birth_number(text: str) -> bool:
    """Check a Czech or Slovak birth number (Act 133/2000 Coll., section 13): a date, then 3 or, since 1954, 4 digits.

    Those of ten digits are divisible by 11. Women's months have 50 added; since 2004 20 or 70 may be.
    """
    digits = text.replace("/", "")
    year, month, day = int(digits[:2]), int(digits[2:4]) % 50, int(digits[4:6])
    month = month - 20 if month > 20 else month
    if len(digits) == 9:
        return year < 54 and _is_date(1900 + year, month, day)
    number = int(digits)
    odd = int(digits[:9]) % 11 == 10 and digits[9] == "0"  # given out until 1985
    return (number % 11 == 0 or odd) and _is_date((1900 if year >= 54 else 2000) + year, month, day)


def is_oib(text: str) -> bool:
    """Check a Croatian personal number, by ISO 7064, MOD 11,10."""
    rest = 10
    for digit in map(int, text[:-1]):
        rest = ((rest + digit) % 10 or 10) * 2 % 11
    return (11 - rest) % 10 == int(text[-1])


def is_emso(text: str) -> bool:
    """Check the EMŠO or JMBG of Slovenia and former Yugoslavia: date of birth, and a weighted sum modulo 11."""
    digits = [int(one) for one in text]
    day, month, year = int(text[:2]), int(text[2:4]), int(text[4:7])
    check = -sum(map(mul, digits, (7, 6, 5, 4, 3, 2, 7, 6, 5, 4, 3, 2))) % 11
    return check == digits[12] and _is_date((1000 if year > 800 else 2000) + year, month, day)


def is_pesel(text: str) -> bool:
    """Check a Polish PESEL (Act of 24 September 2010, art. 15): date of birth with century, and a weighted sum."""
    digits = [int(one) for one in text]
    check = -sum(map(mul, digits, (1, 3, 7, 9, 1, 3, 7, 9, 1, 3))) % 10
    century = (1900, 2000, 2100, 2200, 1800)[int(text[2:4]) // 20]
    return check == digits[10] and _is_date(century + int(text[:2]), int(text[2:4]) % 20, int(text[4:6]))


def is_account(text: str) -> bool:
    """Check a Czech or Slovak account (Decree 169/2011 Coll.): weighted sums modulo 11, and a known bank."""
    number, _, bank = text.partition("/")
    parts = [[int(one) for one in part.zfill(10)] for part in number.split("-")]
    return bank in BANKS and all(sum(map(mul, part, (6, 3, 7, 9, 10, 5, 8, 4, 2, 1))) % 11 == 0 for part in parts)


def is_card(text: str) -> bool:
    """Check a number of a payment card (ISO/IEC 7812-1): its Luhn sum is divisible by 10."""
    digits = [int(one) for one in reversed(text) if one.isdigit()]
    return sum(digits[::2]) % 10 == -sum(sum(divmod(2 * one, 10)) for one in digits[1::2]) % 10


def is_address(text: str) -> bool:
    """Check an IP address of another computer than the reader's own."""
    try:
        address = ip_address(text)
    except ValueError:
        return False
    if address.version == 6:
        return sum(map(str.isalnum, text)) >= MIN_IP_DIGITS
    return max(address.packed) >= MIN_IP_NUMBER and not address.is_loopback


def is_phone(text: str) -> bool:
    """Check that the number of digits fits a telephone number, and that it is no date, time span or amount."""
    return MIN_PHONE_DIGITS <= sum(map(str.isdigit, text)) <= MAX_PHONE_DIGITS and not OTHER_NUMBER.fullmatch(text)


KINDS: Mapping[str, tuple[re.Pattern[str], Callable[[str], bool]]] = {
    "email": (re.compile(EMAIL, re.IGNORECASE), lambda _: True),
    "iban": (re.compile(IBAN), is_iban),
    "card": (re.compile(CARD, re.IGNORECASE), is_card),
    "account": (re.compile(ACCOUNT), is_account),
    "birth_number": (re.compile(BIRTH_NUMBER, re.IGNORECASE), is_birth_number),
    "emso": (re.compile(THIRTEEN), is_emso),
    "pesel": (re.compile(ELEVEN), is_pesel),
    "oib": (re.compile(OIB), is_oib),
    "ip": (re.compile(IP, re.IGNORECASE), is_address),
    "phone": (re.compile(_phone(), re.IGNORECASE), is_phone),
}
"""Patterns of the kinds that can be masked, and checks of matches; in this order: ids before telephone numbers."""
MASKED = re.compile(rf"\[(?:{'|'.join(KINDS)})\]")
"""What stands in a text for masked data."""


def mask_text(text: str, kinds: Sequence[str]) -> tuple[str, Counter[str]]:
    """Replace data of these kinds by "[email]" etc.; count each kind."""
    found: Counter[str] = Counter()

    def masked(match: re.Match[str], name: str, is_valid: Callable[[str], bool]) -> str:
        part = match.groupdict().get("local") or match[0]  # the word before a local telephone number stays
        if not is_valid(part):
            return match[0]
        found[name] += 1
        return f"{match[0].removesuffix(part)}[{name}]"

    for name, (pattern, is_valid) in KINDS.items():
        if name in kinds:
            text = pattern.sub(partial(masked, name=name, is_valid=is_valid), text)
    n_before = 0
    while n_before < found["phone"]:
        n_before = found["phone"]
        text = NEXT_PHONE.sub(partial(masked, name="phone", is_valid=is_phone), text)
    return text, found


def mask(article: Article, kinds: Sequence[str]) -> Article:
    """Mask text and fields of an article; add a flag `masked_KIND:COUNT` for each kind that was found."""
    if not kinds:
        return article
    text, found = mask_text(article.text, kinds)
    fields: dict[str, Any] = {name: mask_text(getattr(article.fields, name), kinds)[0] for name in MASKED_FIELDS}
    flags = tuple(f"masked_{name}:{count}" for name, count in sorted(found.items()))
    return replace(article, text=text, fields=replace(article.fields, **fields), flags=(*article.flags, *flags))


def _is_date(year: int, month: int, day: int) -> bool:
    try:
        return bool(date(year, month, day))
    except ValueError:
        return False
