"""Damage pages at random, as transport, editors and attackers do."""

from collections.abc import Callable
from random import Random

Damage = Callable[[bytes, Random], bytes]
MAX_BYTES = 1_000_000
"""Of a damaged page; what is repeated may grow to it."""


def cut(body: bytes, chance: Random) -> bytes:
    """Keep the beginning."""
    return body[: chance.randrange(len(body))]


def flip(body: bytes, chance: Random) -> bytes:
    """Turn bits over."""
    damaged = bytearray(body)
    for _ in range(chance.choice((1, 20, 500))):
        damaged[chance.randrange(len(damaged))] ^= 1 << chance.randrange(8)
    return bytes(damaged)


def drop_tags(body: bytes, chance: Random) -> bytes:
    """Leave out every tenth tag, with the text behind it."""
    pieces = body.split(b"<")
    return b"<".join(piece for piece in pieces if chance.random() < 0.9)


def double_tags(body: bytes, chance: Random) -> bytes:
    """Repeat some tags."""
    return b"<".join(b"<".join([piece] * chance.choice((1, 1, 1, 1, 2, 3))) for piece in body.split(b"<"))


def shuffle_tags(body: bytes, chance: Random) -> bytes:
    """Put the tags in another order."""
    pieces = body.split(b"<")
    chance.shuffle(pieces)
    return b"<".join(pieces)


def lose_ends_of_tags(body: bytes, chance: Random) -> bytes:
    """Leave out the ends of some tags."""
    return b"".join(piece if chance.random() < 0.1 else piece + b">" for piece in body.split(b">"))


def insert_rubbish(body: bytes, chance: Random) -> bytes:
    """Put in what belongs nowhere."""
    rubbish = (b"\0", b"\xff\xfe", b"<![CDATA[", b"<?xml?>", b"&#xD800;", b"</html>", b"<plaintext>", b"<!--", b'"')
    at = chance.randrange(len(body))
    return body[:at] + chance.choice(rubbish) * chance.choice((1, 100)) + body[at:]


def repeat(body: bytes, chance: Random) -> bytes:
    """Repeat a part many times."""
    start = chance.randrange(len(body))
    part = body[start : start + chance.randrange(1, 3_000)]
    return body[:start] + part * (chance.choice((3_000, 300_000)) // len(part)) + body[start:]


def nest(body: bytes, chance: Random) -> bytes:
    """Open elements inside each other, and close some of them."""
    at = chance.randrange(len(body))
    tag = chance.choice(
        (b"b", b"div", b"a", b"p", b"table", b"ul><li", b"span itemprop=name", b"noscript", b"template")
    )
    depth = chance.choice((20, 300, 1_500))
    closed = b"</" + tag.split(b">")[0].split()[0] + b">"
    return body[:at] + b"<%b>" % tag * depth + body[at:] + closed * chance.randrange(depth)


def crowd(body: bytes, chance: Random) -> bytes:
    """Give a tag many attributes, or a long one."""
    at = max(body.find(b">", chance.randrange(len(body))), 0)
    value = chance.choice((b"", b"=1", b"='>'", b'="<b>"', b"=\"'"))
    many = b"".join(b" a%d%b" % (number, value) for number in range(chance.choice((50, 3_000, 40_000))))
    name = chance.choice((b"class", b"id", b"style", b"href", b"content", b"itemprop"))
    long = b' %b="%b"' % (name, chance.choice((b"-", b"a", b"main-text ", b"> ", b"&amp;")) * 50_000)
    return body[:at] + chance.choice((many, long)) + body[at:]


DAMAGES: tuple[Damage, ...] = (
    cut, flip, drop_tags, double_tags, shuffle_tags, lose_ends_of_tags, insert_rubbish, repeat, nest, crowd,
)  # fmt: skip


def damage_at_random(body: bytes, chance: Random) -> bytes:
    """Damage a page in one to four ways."""
    for one in chance.choices(DAMAGES, k=chance.choice((1, 1, 2, 3, 4))):
        body = one(body, chance)[:MAX_BYTES] or b"<"
    return body
