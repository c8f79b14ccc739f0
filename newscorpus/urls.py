"""Identify web addresses: canonical form, host, site and document id; and decide which may be requested.

`canonical_url` returns text that is not an absolute http or https URL with a host unchanged; its host and site are "",
and it still has an id. Only `is_public` raises.
"""

import hashlib
import re
from collections.abc import Iterable
from functools import lru_cache
from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network
from urllib.parse import SplitResult, unquote, unquote_plus, urljoin, urlsplit

from tld import get_fld, get_tld
from w3lib.url import canonicalize_url

DEFAULT_PORTS = {"http": 80, "https": 443}

TRACKING = re.compile(
    r"(?:utm|mtm|hsa)_\w+|(?:at|ns|pk)_(?:campaign|medium|mchannel|source|kwd|keyword|content|link_\w+)|_ga|_gl|_openstat|__twitter_impression|_hsenc|_hsmi|hsctatracking"
    r"|fbclid|gclid|gclsrc|dclid|gbraid|wbraid|msclkid|yclid|ysclid|twclid|ttclid|li_fat_id|srsltid|igshid|igsh"
    r"|mc_cid|mc_eid|mkt_tok|oly_enc_id|oly_anon_id|vero_id|xtor|wt_mc|wt_zmc",
    re.IGNORECASE,
)
"""Names of tracking parameters, which never identify the document."""

SESSION = re.compile(
    r"phpsessid|jsessionid|aspsessionid\w*|sessionid|session_id|oscsid|zenid|cfid|cftoken", re.IGNORECASE
)
"""Names of query parameters that always hold a session."""

PERHAPS_SESSION = re.compile(r"s|sid|session|sess", re.IGNORECASE)
"""Names that hold a session on some sites and an article's number on others (PHP-Nuke's `sid`): the value decides."""

TOKEN = re.compile(r"(?=\D*\d)(?=[^a-z]*[a-z])[a-z0-9]{16,}", re.IGNORECASE)
"""The value of a session: sixteen or more letters and digits, at least one of each."""

PATH_SESSION = re.compile(r";(?:jsessionid|phpsessid|sid)=[^/;?]*|/\(S\([a-z0-9]{24}\)\)(?=/)", re.IGNORECASE)
"""Sessions in a path: Java's and PHP's path parameters, ASP.NET's `/(S(...))/`."""

INDEX_FILE = re.compile(r"(?<=[^/])/index\.(?:html?|php)$")
"""The index file of a folder, at the end of a path. A front page keeps it, since it may differ from `/`."""

ID_LENGTH = 16
"""Hex digits of an id. 64 bits fit an integer column, and among ten million documents two ids meet with a probability
of 3 in a million (birthday bound)."""

KEPT_ADDRESSES = 8_192
"""Size of the caches of ids and sites, some 2 MB each: a crawl needs both several times per link, and links repeat."""

MAX_ADDRESS = 10_000
"""Maximum characters of an address; servers accept some 8,000, and the ledger stores each address."""

SLUG_WORDS = 3
"""Minimum words of a headline in a path; names of sections have one or two."""

LONG_WORD = 4
"""Minimum letters of a word that distinguishes headlines. Of two headlines of one site, in the addresses of our sets,
26 % share a word of three letters or more and 20 % one of four."""

DOCUMENT_NUMBER = re.compile(r"(?<!\d)(?!(?:19|20)\d\d(?:(?:0[1-9]|1[0-2])(?:[0-3]\d)?)?(?!\d))\d{3,}")
"""Matches a possible document number, unlike a year, a month or a day."""

FILE_ENDING = re.compile(r"\.\w{2,5}$")

NAT64 = ip_network("64:ff9b::/96")
"""IPv6 addresses that embed IPv4 addresses (RFC 6052)."""

PUBLIC_V6 = (ip_network("2000::/3"), NAT64)
"""Address space of sites (IANA, "IPv6 Global Unicast Address Assignments"). The rest is site-local, embeds IPv4
addresses or is unassigned, and Python considers much of it global."""


def canonical_url(url: str) -> str:
    """Return the canonical form of an address, the same for all addresses of a document; idempotent.

    After `w3lib.url.canonicalize_url` (sorted query, unified escapes, no fragment, dot segments resolved), it drops
    tracking parameters, session ids, default ports, the trailing dot of a host, user names and the `index.html` of a
    folder.
    """
    parts = _canonical_parts(url)
    return parts.geturl() if parts else url


def host_of(url: str) -> str:
    """Return the host name in lower case and ASCII (IDNA), without port; "" if there is none."""
    parts = _canonical_parts(url)
    return parts.hostname or "" if parts else ""


def is_within(url: str, domains: Iterable[str]) -> bool:
    """Whether the host of `url` is one of `domains` (lower case, ASCII) or a subdomain of one."""
    try:
        host = (urlsplit(url).hostname or "").rstrip(".")
    except ValueError:  # such as an unclosed "[": no host
        return False
    host = host if host.isascii() else host_of(url)
    return any(host == domain or host.endswith("." + domain) for domain in domains)


@lru_cache(KEPT_ADDRESSES)
def site_key(url: str) -> str:
    """Return the site: the registered domain by the bundled public suffix list, including its private section.

    For hosts without one (IP addresses, localhost) it is host and port: `127.0.0.1:8000`. "" without a host.
    """
    parts = _canonical_parts(url)
    if parts is None:
        return ""
    return get_fld(parts, fail_silently=True, search_private=True) or parts.netloc


def public_suffix(host: str) -> str:
    """Return the public suffix of a host in lower case by the bundled list, such as "co.uk"; "" if there is none."""
    return str(get_tld(f"//{host}", fail_silently=True, search_private=True) or "")


def web_address(base: str, address: str) -> str:
    """Make an address on the page or list at `base` absolute; "" if it is not a web address, or too long."""
    if len(address) > MAX_ADDRESS:
        return ""
    try:
        url = urljoin(base, address.strip())
        parts = urlsplit(url)
        is_one = parts.scheme in DEFAULT_PORTS and parts.hostname and parts.port != 0  # an invalid port raises
    except ValueError:
        return ""
    return url if is_one else ""


def is_remote(name: str) -> bool:
    """Whether a name is a URL rather than a path."""
    return "://" in name


def is_web(source: str) -> bool:
    """Tell an address of the web from a file."""
    return source.lower().startswith(("http://", "https://"))


@lru_cache(KEPT_ADDRESSES)
def document_id(url: str) -> str:
    """Return the id of the document at `url`, stable across runs: 16 hex digits of the SHA-256 of its canonical form.

    http and https give the same id, since sites that changed to https kept their articles.
    """
    name = re.sub(r"\Ahttps?:", "", canonical_url(url))
    return hashlib.sha256(name.encode("utf-8", "surrogatepass")).hexdigest()[:ID_LENGTH]


def id_of_page(url: str, body: bytes) -> str:
    """Return the id of the document at `url`; for a page without an address, a hash of its content."""
    return document_id(url) if url else hashlib.sha256(body).hexdigest()[:ID_LENGTH]


def document_address(url: str, canonical: str) -> str:
    """Return the address of the document at `url`: the declared canonical address where it is plausible, else `url`.

    It is plausible on the same site, unless it is the front page, looks like a section's while `url` looks like a
    document's, or names another document (headlines without a common word, or only other numbers): faulty templates
    give all pages one canonical address. Ignoring a right one leaves two equal texts, of which `build` keeps one;
    accepting a wrong one loses articles.
    """
    own, named = _canonical_parts(url), _canonical_parts(canonical)
    if own is None or named is None or site_key(url) != site_key(canonical):
        return url
    ours, theirs = unquote(f"{own.path}?{own.query}"), unquote(f"{named.path}?{named.query}")
    is_front = not theirs.strip("/?")
    is_section = names_document(ours) and not names_document(theirs)
    if is_front or is_section:
        return url
    # An equal number says that both name one document, whose headline changed. Words are not compared where one
    # address may be the other in another script.
    if {*DOCUMENT_NUMBER.findall(ours)} & {*DOCUMENT_NUMBER.findall(theirs)} or ours.isascii() != theirs.isascii():
        return canonical
    words, others = _headline_words(ours), _headline_words(theirs)
    if words and others:
        return canonical if words & others else url
    differs_in_numbers = ours != theirs and re.sub(r"\d+", "0", ours) == re.sub(r"\d+", "0", theirs)
    return url if differs_in_numbers else canonical


def names_document(path: str) -> bool:
    """Whether a path or query holds a number, or three words as in a headline; few sections do."""
    return re.search(r"\d|[^/_-][_-]+[^/_-]+[_-]+[^/_-]", path) is not None


def _headline_words(path: str) -> set[str]:
    """Return the words of the headlines in a path or query, without short ones, which any two headlines may share."""
    parts = (re.split(r"[\W_]+", FILE_ENDING.sub("", part.casefold())) for part in re.split("[/?&=]", path))
    named = ([word for word in part if word.isalpha()] for part in parts)
    return {word for part in named if len(part) >= SLUG_WORDS for word in part if len(word) >= LONG_WORD}


@lru_cache  # site and id of an address are asked for one after the other
def _canonical_parts(url: str) -> SplitResult | None:
    """Return the canonical form in parts; None unless it is an http or https URL with a host."""
    try:
        # Sessions in the path are removed before dot segments are resolved, since these may follow them.
        plain = canonicalize_url(url)
        bare = PATH_SESSION.sub("", plain)
        parts = urlsplit(plain if bare == plain else canonicalize_url(bare))
        host, port = (parts.hostname or "").rstrip("."), parts.port
    except ValueError:
        return None
    if parts.scheme not in DEFAULT_PORTS or not host:
        return None
    netloc = f"[{host}]" if ":" in host else host
    if port not in (None, DEFAULT_PORTS[parts.scheme]):
        netloc = f"{netloc}:{port}"
    kept = []
    for pair in parts.query.split("&"):
        name, _, value = pair.partition("=")
        name = unquote_plus(name)
        is_noise = TRACKING.fullmatch(name) or SESSION.fullmatch(name)
        if not is_noise and not (PERHAPS_SESSION.fullmatch(name) and TOKEN.fullmatch(value)):
            kept.append(pair)
    return parts._replace(netloc=netloc, path=INDEX_FILE.sub("/", parts.path), query="&".join(kept))


def is_public(address: str) -> bool:
    """Whether an IP address belongs to the public internet, and is not private, loopback, link-local or the like.

    IPv6 addresses that embed an IPv4 address (6to4, Teredo, NAT64) must be public in both forms.

    Raises:
        ValueError: `address` is no IP address.
    """
    ip = ip_address(address.partition("%")[0])
    if isinstance(ip, IPv6Address) and not any(ip in network for network in PUBLIC_V6):
        return False
    embedded: list[IPv4Address | None] = []
    if isinstance(ip, IPv6Address):
        nat64 = IPv4Address(int(ip) & 0xFFFFFFFF) if ip in NAT64 else None
        embedded = [ip.sixtofour, *(ip.teredo or ()), nat64]
    return all(part.is_global and not part.is_multicast for part in (ip, *filter(None, embedded)))


def literal_address(host: str) -> str:
    """`host` if it is a literal IP address, brackets removed; "" if it is a name."""
    bare = host.strip("[]")
    try:
        ip_address(bare.partition("%")[0])
    except ValueError:
        return ""
    return bare


def host_and_port(url: str) -> str:
    """Return `host:port` of a web address, with an explicit port; "" for other text."""
    try:
        parts = urlsplit(url)
        host, port = parts.hostname or "", parts.port or DEFAULT_PORTS[parts.scheme]
    except (ValueError, KeyError):
        return ""
    return f"{host}:{port}" if host else ""


def is_loopback(url: str) -> bool:
    """Whether the host of `url` is literally `localhost` or a loopback address."""
    host = host_and_port(url).rpartition(":")[0]
    literal = literal_address(host)
    return host == "localhost" or bool(literal and ip_address(literal.partition("%")[0]).is_loopback)


def may_ask(url: str, loopback: Iterable[str] = ()) -> bool:
    """Whether `url` is a web address and its host no literal private address, or one of `loopback` (`host:port`)."""
    where = host_and_port(url)
    literal = literal_address(where.rpartition(":")[0])
    return bool(where) and (not literal or where in loopback or is_public(literal))
