"""Mask personal data in texts: e-mail addresses, telephone numbers, bank accounts and personal ids.

Precision comes first: numbers are masked only where their check digits and dates are right, and telephone numbers only
with a country code or after a word for telephone. Names and addresses of people are not found.
"""

import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import date
from functools import partial
from operator import mul
from typing import Any

from newscorpus.data import Article

MASKED_FIELDS = ("title", "lead", "description")
"""The article's fields with running text."""

EMAIL = r"(?<![\w.+-])[\w.+-]{1,64}@(?:[\w-]{1,63}\.){1,8}[^\W\d_]{2,24}(?![\w-])"
IBAN = r"(?<!\w)[A-Z]{2}\d{2}(?: ?[0-9A-Z]{4}){2,7}(?: ?[0-9A-Z]{1,3})?(?!\w)"
TELEPHONE_WORD = (
    r"(?:tel(?:efon|éfono|\.)?|phone|mobil(?:e|ní|ný|ni|ny)?|mob\.|gsm|fax|call|zavolejte|volejte|zadzwoń|"
    r"тел(?:ефон|\.)?|моб(?:ильный|\.)?|τηλ(?:έφωνο|\.)?)"
)
PHONE = (
    r"(?<![\w+])(?:\+|00)[1-9]\d{0,2}(?:[ .\-/]?\(?\d{1,4}\)?){2,6}(?!\d)"
    rf"|(?<!\w){TELEPHONE_WORD}[:. ]{{0,3}}(?:č\. ?|no\. ?|číslo:? ?)?"
    r"(?P<local>\(?\d(?:[ .\-/()]{0,2}\d){5,11})(?!\d)"
)
BIRTH_NUMBER = r"(?<![\d/])\d{6}/?\d{3,4}(?![\d/])"
ELEVEN = r"(?<!\d)\d{11}(?!\d)"
THIRTEEN = r"(?<!\d)\d{13}(?!\d)"

MIN_PHONE_DIGITS, MAX_PHONE_DIGITS = 6, 15
"""ITU-T E.164 allows 15 with the country code; local numbers of fewer than six are short codes."""

OTHER_NUMBER = re.compile(
    r"\d{1,2}[./-] ?\d{1,2}[./-] ?(?:19|20)\d\d|(?:19|20)\d\d(?:-\d\d|(?:[ -]+(?:19|20)\d\d)+)"
    r"|\+?\d{1,3}(?: \d{3})*(?: 000){2,}"
)
"""Dates, years and round amounts, which may also follow a word for telephone ("call 2. 5. 2024")."""


def is_iban(text: str) -> bool:
    """Check an IBAN (ISO 13616): read with the country before its check digits, it is 1 modulo 97."""
    code = text.replace(" ", "")
    return 15 <= len(code) <= 34 and int("".join(str(int(one, 36)) for one in code[4:] + code[:4])) % 97 == 1


def is_birth_number(text: str) -> bool:
    """Check a Czech or Slovak birth number (Act 133/2000 Coll., section 13): a date, then 3 or, since 1954, 4 digits.

    Those of ten digits are divisible by 11. Women's months have 50 added; since 2004 20 or 70 may be. Nine digits
    count only with their slash.
    """
    digits = text.replace("/", "")
    if len(digits) == 9 and "/" not in text:
        return False
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


def is_phone(text: str) -> bool:
    """Check that the number of digits fits a telephone number, and that it is no date, time span or amount."""
    return MIN_PHONE_DIGITS <= sum(map(str.isdigit, text)) <= MAX_PHONE_DIGITS and not OTHER_NUMBER.fullmatch(text)


KINDS: Mapping[str, tuple[re.Pattern[str], Callable[[str], bool]]] = {
    "email": (re.compile(EMAIL), lambda _: True),
    "iban": (re.compile(IBAN), is_iban),
    "birth_number": (re.compile(BIRTH_NUMBER), is_birth_number),
    "emso": (re.compile(THIRTEEN), is_emso),
    "pesel": (re.compile(ELEVEN), is_pesel),
    "oib": (re.compile(ELEVEN), is_oib),
    "phone": (re.compile(PHONE, re.IGNORECASE), is_phone),
}
"""Patterns of the kinds that can be masked, and checks of matches; in this order: ids before telephone numbers."""


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
