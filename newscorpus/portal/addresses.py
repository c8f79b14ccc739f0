"""Judge addresses by their form: purpose, other versions of an article, archives, and crawler traps."""

import re
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from datetime import date, timedelta
from enum import StrEnum
from functools import lru_cache
from urllib.parse import SplitResult, parse_qsl, unquote, urlsplit, urlunsplit

from newscorpus.data import ROBOTS_TXT, Evidence
from newscorpus.portal.portal import Portal
from newscorpus.urls import KEPT_ADDRESSES, SLUG_WORDS, canonical_url, names_document

PORTAL_EVIDENCE = "portal"
"""Source of evidence from a portal file."""
LAST_CHANGE = "last_change"
"""Field, and source, of the last change that a sitemap states of a page."""
OF_SITE = frozenset({PORTAL_EVIDENCE, ROBOTS_TXT, LAST_CHANGE})
"""Sources of evidence on all pages of a site, which does not tell articles from others."""

NAMED = Evidence("kind", "article", "user")
"""Evidence for a page that the user named as an article."""


class FetchKind(StrEnum):
    """Purpose of fetching an address; unwanted ones are not fetched."""

    ARTICLE = "article"
    SECTION = "section"
    UNWANTED = "unwanted"
    FEED = "feed"
    SITEMAP = "sitemap"
    MAYBE_LIST = "list"
    """A guessed feed or sitemap, which may not exist."""
    PROBE = "probe"
    """A nonexistent page, whose response shows how the site answers for missing pages."""


PAGE_KINDS = (FetchKind.ARTICLE, FetchKind.SECTION)
LIST_KINDS = (FetchKind.FEED, FetchKind.SITEMAP, FetchKind.MAYBE_LIST, FetchKind.SECTION)
"""Kinds whose responses list articles."""

NO_PAGES = frozenset(
    "7z aac adoc apk atom avi avif bmp css csv doc docx eps epub exe flac gif gz ico ics ipynb iso jpeg jpg js "
    "json m3u8 m4a m4v md mkv mobi mov mp3 mp4 mpeg mpg odp ods odt ogg opus pdf png ppt pptx ps psd rar rdf rss "
    "rst rtf svg swf tar tgz tif tiff torrent ttf txt vcf wav webm webmanifest webp wma wmv woff woff2 xls xlsx "
    "xml zip".split()
)
"""File extensions that are never pages; some site generators link to the source of each post."""

SERVICES = re.compile(
    r"/(?:(?:\w{1,3}-)?(?:admin|json|login)|log-?out|sign-?(?:in|up)|cart|checkout|basket|my-account|oembed|trackback|xmlrpc)"
    r"(?:\.php)?(?:/|$)",
    re.IGNORECASE,
)
"""Paths of services, which hold no articles."""
OWN_FEED = re.compile(
    r"(?:/[^/]+/(?:feeds?|rss2?)(?:/(?:rss2?|atom|rdf))?|/[^/_-]+[_-]rss2?"
    r"|/(?:feeds?|rss)/(?:authors?|categor[a-z]{1,4}|comments?|discussions|search|tags?)/[^/]+)/?$",
    re.IGNORECASE,
)
"""End of the path of a feed of a post, tag, section or search; a site's own feed lies right below its root."""
FEED_VALUE = re.compile(r"(?:comments-)?(?:feed|rss2?|atom|rdf)", re.IGNORECASE)
"""Values of a query parameter that requests a feed in place of the page."""

TOOL = re.compile(
    r"[?&](?:action=(?:edit|raw|submit)|do=(?:backlink|diff|edit|login|register|resendpwd|revisions)|redlink=1"
    r"|(?:diff|oldid)=\d+)(?:&|$)",
    re.IGNORECASE,
)
"""Parameters that request the editor or the versions of a page, as on wikis."""
VERSION = re.compile(r"(?<=[?&])(?:action=(?:history|info)|do=media|rev=\d+)(?:&|$)", re.IGNORECASE)
"""Parameters that do so on wikis, and on other sites may request an article."""
NO_PAGE_NAMES = frozenset({"attachment_id", "redirect_to", "return_to", "returnto", "returnurl"})
"""Parameters of pictures and of forms to log in, in lower case."""


class AddressTrust(StrEnum):
    """How likely an address is an article; except for certain ones, the page decides."""

    CERTAIN = "certain"
    """By the portal's patterns, a feed or the user."""
    LIKELY = "likely"
    """It looks like an article's; the page may declare itself something else."""
    DOUBTFUL = "doubtful"
    """It looks like a section's; the page needs proof that it is an article."""
    UNLIKELY = "unlikely"
    """It looks like a list, a forum, a shop or a manual; the page needs strong proof."""
    LISTED = "listed"
    """It is that of a tag, an author, a month, a further page of a list or a page about the site, or similar ones were
    lists; the page must declare its date, or declare itself an article and show one, unless it is about the site."""
    SECTION = "section"
    """No article: by the portal's file, or because it is a front page."""


PROMISING = (AddressTrust.CERTAIN, AddressTrust.LIKELY)
"""Addresses whose pages are articles unless they declare otherwise."""

LISTING = re.compile(
    r"/(?:authors?|autor|tags?|tema|topics?|(?:@@)?search)(?:/|$)|/(?:page|seite|strana|stranica|stranka|strona)(?:/?$|/\d+(?:/|$))",
    re.IGNORECASE,
)
OTHER_KINDS = re.compile(
    r"[/.](?:bbs|boards?|collections?|community|discuss(?:ion)?|docs?|documentation|e?shop|forums?|products?|questions?"
    r"|threads?|wiki)(?=[/.]|$)",
    re.IGNORECASE,
)
"""Searched in `.host/path`: parts of portals that hold no articles."""
ABOUT_SITE = re.compile(
    r"[/:](?:about(?:-us)?|accessibility|advertis(?:e|ing)|contacts?(?:-us)?|cookies?(?:-policy)?|disclaimer|faq|imprint"
    r"|newsletters?|privacy(?:-policy)?|subscri(?:be|ptions?)|terms(?:-(?:of-(?:use|service)|and-conditions))?"
    r"|agb|anket[ay]|datenschutz|gdpr|impress?um|inzerc(?:e|ia)|kontakty?|o-n[aá]s|o-nama|om-oss|predplatne"
    r"|prenumer(?:ata|era)|redak(?:ce|cia|cja|cija|tion)|regulamin|(?:uvjeti|uslovi)-kori[sš]\w+|podm[ií]nky"
    r"|ueber-uns|контакт[иы]?|о-на(?:с|ма)"
    r"|pogoji(?:-uporabe)?|(?:varstvo-)?zasebnosti?|oglasevanje|marketing|politika-privatnosti|reklama|pravyla|pravila"
    r"|konfid[ei]n\w+|rolunk|felhasznalasi-feltetelek|adatvedelem|mediaajanlat|mediadaten|nutzungsbedingungen"
    r"|aviso-legal|quienes-somos|publicidad|contacto|politica-de-(?:privacidad|cookies)|mentions-legales)(?:\.\w{2,5})?/?$"
    # Services of newspapers: weather, programmes, horoscopes, notices of deaths.
    r"|/(?:weather|pocas[ií]|pogoda|vreme|vrijeme|idojaras|wetter|el-tiempo|meteo|tv-\w+|programacion-tv"
    r"|(?:horoskop|horosco(?:pe|po)s?|horoszkop|goroskop|osmrtnice|citulje|obituaries|gyaszhirek|trauer(?:anzeigen)?|esquelas"
    r"|necrologi(?:e|os)?|nekrologi|parte)(?:/[^/]+){0,2})(?:\.\w{2,5})?/?$",
    re.IGNORECASE,
)
PAGE_NUMBER = re.compile(
    r"(?:.*[\W_])?(?:current_?)?(?:offset|paged?|start|strana|stranica|stranka|strona)\]?", re.IGNORECASE
)
"""Name of a parameter with a page number: "page", "query-12-page" (WordPress), "tx_news[currentPage]" (TYPO3)."""
DOCUMENT = re.compile(r"\.(?:aspx?|cfm|do|jhtml|jsp|php\d?|s?html?)$", re.IGNORECASE)
NUMBER = re.compile(r"\d{5,}")
"""An article number; four digits may be a year."""
DAY_NUMBER = re.compile(r"(?:19|20)\d\d(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])")
HASH = re.compile(
    r"(?=[0-9a-f-]*\d)(?=[0-9a-f-]*[a-f])(?:[0-9a-f]{12,}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})"
    r"|(?=.*\d.*\d)(?=.*[a-z].*[a-z])(?=.*[A-Z].*[A-Z])[A-Za-z0-9_-]{16,}"
)
"""A hash, a UUID, or a similar segment in letters of both cases."""
ARTICLE_WORD = re.compile(
    r"article|(?<![a-z])(?:story|stories|artyk|artik|art[ií]cul|beitrag|clan(?:ek|ky|ok|ak)|vij?est|novost|noticia|statya"
    r"|zpr[aá]v|spr[aá]v|hir(?:ek)?(?![a-z])|haber|nouvelle)",
    re.IGNORECASE,
)
"""Beginnings of words for article or news, in names of directories, scripts and parameters."""
ID = re.compile(r"[A-Za-z_.-]{0,6}\d{3,}[\w.-]*")
"""An article number beside such a word, where it may be shorter."""

FOLDER_PAGE = re.compile(r"/index\.\w{2,5}$")
DATED = re.compile(r"/(?:19|20)\d\d[/-]\d\d?[/-](?:\d\d?[/-])?(?=[^/]*[^\W\d_])")


def find_kind(url: str, portal: Portal) -> FetchKind:
    """Decide the purpose of `url` by the portal's patterns, else by its form."""
    if portal.is_article(url):
        return FetchKind.ARTICLE
    if portal.is_section(url):
        return FetchKind.SECTION
    if portal.only_articles and (portal.sections or looks_like_article(url)):
        return FetchKind.UNWANTED
    return FetchKind.ARTICLE if looks_like_article(url) else FetchKind.SECTION


def find_trust(url: str, portal: Portal, evidence: Collection[Evidence] = ()) -> AddressTrust:
    """Judge how likely `url` is an article, by the portal's file, its form, or its evidence.

    Pages named by the user are articles; so are entries of feeds, unless the portal has patterns for articles or they
    are about the site.
    """
    is_described = any(one.source not in OF_SITE for one in evidence) and not portal.articles and not is_front(url)
    is_described = is_described and not is_about_site(url)
    if NAMED in evidence or is_described or portal.is_article(url):
        return AddressTrust.CERTAIN
    if portal.only_articles or portal.is_section(url) or url in portal.start or is_front(url):
        return AddressTrust.SECTION
    if looks_like_article(url):
        return AddressTrust.LIKELY
    parts = urlsplit(url)
    archive = find_archive(url)
    if is_about_site(url):
        return AddressTrust.LISTED
    if is_listing(url) or (archive and not archive.endswith("*")):
        is_page_of_list = is_further(url) or SEARCH.search(parts.path) or (archive and not parts.query)
        return AddressTrust.LISTED if is_page_of_list else AddressTrust.UNLIKELY
    is_other = archive or OTHER_KINDS.search(f".{parts.hostname or ''}{parts.path}")
    return AddressTrust.UNLIKELY if is_other else AddressTrust.DOUBTFUL


def is_listing(url: str) -> bool:
    """Whether an address looks like a listing: of a tag or an author, or with a page number in its query."""
    parts = urlsplit(url)
    # With a path a short `p` is a page number; without one it is an article number (WordPress).
    has_path = bool(parts.path.strip("/"))
    paged = (
        value
        for name, value in parse_qsl(parts.query)
        if PAGE_NUMBER.fullmatch(name) or (name == "p" and has_path and len(value) < 3)
    )
    return bool(LISTING.search(parts.path)) or any(map(str.isdigit, paged))


def is_front(url: str) -> bool:
    """Whether an address is a front page: without a path, and without numbers in its query except page numbers."""
    parts = urlsplit(url)
    asked = (
        value or name
        for name, value in parse_qsl(parts.query, keep_blank_values=True)
        if not PAGE_NUMBER.fullmatch(name)
    )
    return parts.path in {"", "/"} and not any(re.search(r"\d{3}|^\d+$", text) for text in asked)


@lru_cache(KEPT_ADDRESSES)
def looks_like_article(url: str) -> bool:
    """Whether an address looks like an article's: with a date, an article number, a hash, or a headline at its end."""
    if is_listing(url):
        return False
    parts = urlsplit(url)
    query = parse_qsl(parts.query, keep_blank_values=True)
    *folders, name = unquote(parts.path).strip("/").split("/")
    last = DOCUMENT.sub("", name)
    if DATED.search(FOLDER_PAGE.sub("/", parts.path)) or any(map(_is_id, folders)):
        return True
    texts = [last, *(text for pair in query for text in pair)]
    if any(_is_id(text) or (NUMBER.search(text) and not DAY_NUMBER.fullmatch(text)) for text in texts):
        return True
    named = any(map(ARTICLE_WORD.search, (*folders, name, *(key for key, _ in query))))
    if named and any(map(ID.fullmatch, (*folders, last, *(value for _, value in query)))):
        return True
    words = [word for word in re.split(r"[-_+ ]", last) if word]
    return len(words) >= SLUG_WORDS and not all(map(str.isdecimal, words))


def _is_id(text: str) -> bool:
    return bool(NUMBER.fullmatch(text) and not DAY_NUMBER.fullmatch(text)) or bool(HASH.fullmatch(text))


PRINT_WORDS = "print|tisk|tlac|stampaj|stampa|ispis|drukuj|druck"
PATH_END = re.compile(rf"(?:/(?:amp|{PRINT_WORDS})/?$|\.amp(?=(?:\.html|/)?$))", re.IGNORECASE)
"""Path endings of other versions, in several languages; `/story.amp.html` keeps its suffix."""
PATH_BEGIN = re.compile(r"^/amp(?=/.)", re.IGNORECASE)
COMMENTS = re.compile(r"/comment-page-\d+(?=/?$)", re.IGNORECASE)
"""End of the path of a page whose comments fill several pages."""
SWITCHES = frozenset({"amp", "nb", "print", "tisk"})
CHOICES = frozenset({"do", "format", "output", "outputtype", "version", "view"})
VERSIONS = frozenset({"amp", "print"})
ACTIONS = frozenset(
    {"_wpnonce", "cpage", "cst", "like_comment", "replytocom", "reply_to", "unapproved", "moderation-hash"}
)
"""Parameters of forms for replies and votes, of pages of comments, and of caches (`cst`)."""
ARRANGEMENTS = frozenset("dir order order_by orderby share shared sort sort_by sort_on sort_order sortby".split())
"""Parameters that share a page or sort a list, unless the value has a number, which may be an article's."""


def _split(url: str) -> SplitResult:
    """Split an address; the parts of an invalid one are empty."""
    try:
        return urlsplit(url)
    except ValueError:
        return urlsplit("")


def plain_address(url: str) -> str:
    """Replace the address of another version of a page by its own.

    Other versions are AMP, print, reply form, share link, sorted list and page of comments.
    """
    parts = _split(url)
    own = COMMENTS.sub("", parts.path)
    plain = PATH_END.sub(lambda found: "/" if found[0].endswith("/") else "", own)
    path = PATH_BEGIN.sub("", plain if names_document(plain) else own)  # "/media/print" may be a section
    pairs = parts.query.split("&")
    kept = []
    for pair in pairs:
        name, _, value = pair.lower().partition("=")
        is_action = name in ACTIONS or (name in ARRANGEMENTS and not re.search(r"\d{3}", value))
        is_switch = name in SWITCHES and value in {"", "1", "true", "yes"}
        if not is_action and not is_switch and not (name in CHOICES and value in VERSIONS):
            kept.append(pair)
    if path == parts.path and kept == pairs:
        return url
    return urlunsplit(parts._replace(path=path, query="&".join(kept)))


MAX_PARAMETERS = 8
MAX_REPEATS = 2
"""Maximum occurrences of a directory in a path; broken relative links repeat it endlessly."""

FORESIGHT = timedelta(days=7)
"""Maximum distance of a date in an address into the future, since events of the next days are announced."""

FUTURE = "a date to come"
"""Beginning of the message for endless calendars; a single such address is no trap."""

WRITTEN_DATE = re.compile(
    r"(?<!\d)(19\d\d|20\d\d|21\d\d)(?:[-/._](0[1-9]|1[0-2]|[1-9](?!\d))(?:[-/._](0[1-9]|[12]\d|3[01]))?"
    r"|(0[1-9]|1[0-2])(0[1-9]|[12]\d|3[01]))(?!\d)"
)
"""Year, month and day, or year and month with a separator; six digits without one are a number."""
YEAR_NAMES = frozenset({"year", "y", "rok", "god", "godina", "leto", "jahr"})
MONTH_NAMES = frozenset({"month", "m", "mesic", "mesiac", "mjesec", "mesec", "miesiac", "monat"})


def find_trap(url: str, today: date) -> str:
    """Return why `url` looks like a trap (endless calendar, repeating path, too many parameters), or ""."""
    try:
        parts = urlsplit(url)
    except ValueError:
        return "no valid address"
    parameters = parse_qsl(parts.query, keep_blank_values=True)
    if (latest := max(_dates(parts.path, parameters), default=date.min)) > today + FORESIGHT:
        return f"{FUTURE}: {latest:%Y-%m}"
    directories = Counter(part for part in parts.path.split("/")[:-1] if part and not part.isdigit())
    if directories and max(directories.values()) > MAX_REPEATS:
        return f"a path that repeats itself: {directories.most_common(1)[0][0]}"
    if len(parameters) > MAX_PARAMETERS and (n := urlsplit(canonical_url(url)).query.count("&") + 1) > MAX_PARAMETERS:
        return f"{n} parameters"
    return ""


def shape_of(url: str) -> str:
    """Return the common form of addresses that differ only in digits: pages of a section, days of an archive."""
    return re.sub(r"\d+", "0", url)


FURTHER = re.compile(
    r"[/_-](?:index|p|page|pg|seite|str|strana|stranica|stranka|strona)[/_-]?\d{1,4}(?:\.\w{2,5})?/?$", re.IGNORECASE
)
"""The end of the path of a second or later page of a list."""
NAMED_ARCHIVE = re.compile(
    r"/(aut(?:eur|hor|or)(?:e[ns]|i|s)?|contributors?|[ck]ategor[a-z]{1,4}|cimke|etiquetas?|keywords?|labels?|mots?(?:-cles?)?"
    r"|oznak[ae]|schlagwor(?:t|te)|stit(?:ek|ky)|tags?|tema|topics?)[/:][^/]+(?:/archive)?/?$",
    re.IGNORECASE,
)
"""An archive with a name, such as `/tag/bridges/`, or `/wiki/Category:Bridges`."""
DAY_ARCHIVE = re.compile(
    r"/(?:19|20)\d\d(?:[/-](?:0?[1-9]|1[0-2])(?:[/-](?:0?[1-9]|[12]\d|3[01]))?|/week/\d\d?)?(?:/|\.html?)?$"
)
SEARCH = re.compile(r"/(?:@@)?search(?:\.\w{2,5})?/?$", re.IGNORECASE)
"""End of the path of a search, whose links to tags are archives."""
ARCHIVE_NAMES = frozenset({"author", "author_name", "cat", "category_name", "m", "tag"})
"""Parameters of a front page that select an archive (WordPress without permalinks)."""


def find_archive(url: str) -> str:
    """Return the form of archives of tags, categories, authors, searches, years, months or days; "" for others.

    It ends in `*` for all but years, months and days. Archives repeat the articles of start pages, feeds and sitemaps,
    and there may be more of them than articles.
    """
    parts = _split(url)
    path = FURTHER.sub("", FOLDER_PAGE.sub("/", parts.path))
    if found := NAMED_ARCHIVE.search(path):
        return f"{parts.netloc}{re.sub(r'[0-9]+', '0', path[: found.start()])}/{found[1]}/*"
    if SEARCH.search(path) and parts.query:
        return f"{parts.netloc}{path.rstrip('/')}?*"
    if DAY_ARCHIVE.search(path):
        return f"{parts.netloc}{re.sub(r'[0-9]+', '0', path.rstrip('/'))}"
    asked = {name for name, _ in parse_qsl(parts.query)} & ARCHIVE_NAMES if path in {"", "/"} else ()
    name = min(asked, default="")
    return f"{parts.netloc}/?{name}" + "=*" * (name != "m") if name else ""


def is_about_site(url: str) -> bool:
    """Whether `url` is that of a page about a site or its services, which may show the day of its last change.

    Some feeds list it.
    """
    return bool(ABOUT_SITE.search(unquote(_split(url).path)))


def is_further(url: str) -> bool:
    """Whether `url` is a second or later page of a list, by a number at the end of its path or in its query."""
    parts = _split(url)
    return bool(FURTHER.search(parts.path)) or any(
        PAGE_NUMBER.fullmatch(name) and value.isdigit() for name, value in parse_qsl(parts.query)
    )


def is_further_of(url: str, listing: str) -> bool:
    """Whether `url` is a further page of the list at `listing`: no other path or parameter than for the page number."""
    parts, others = _split(url), _split(listing)
    if not listing or not is_further(url) or parts.netloc != others.netloc:
        return False
    paths = [FURTHER.sub("", each.path).strip("/") for each in (parts, others)]
    names, known = (
        {name for name, _ in parse_qsl(each.query) if not PAGE_NUMBER.fullmatch(name)} for each in (parts, others)
    )
    return paths[0] == paths[1] and names <= known


NAME = re.compile(r"[^/.]*[^\W\d_][^/.]*")
"""In a path, a name of a directory or page that is not a number."""
KEPT_PATTERNS = 2_000
"""Size of the caches of patterns and sections."""


@lru_cache(KEPT_PATTERNS)
def pattern_of(url: str) -> str:
    """Return the common form of addresses that differ in words and numbers; articles and lists get different ones."""
    parts = urlsplit(url)

    def placeholder(name: re.Match[str]) -> str:
        words = [word for word in re.split(r"[-_+]|%20", name[0]) if word]
        looks_like_headline = len(words) >= SLUG_WORDS or any(map(str.isdigit, name[0]))
        return "**" if looks_like_headline else "*"

    path = re.sub(r"\d+", "0", NAME.sub(placeholder, parts.path))
    names = re.sub(r"\d+", "0", "&".join(sorted(name for name, _ in parse_qsl(parts.query, keep_blank_values=True))))
    is_list = is_listing(url) or is_further(url) or find_archive(url)
    return f"{parts.netloc}{path}?{names}" + " list" * bool(is_list)


@lru_cache(KEPT_PATTERNS)
def section_of(url: str) -> str:
    """Return the section of an address: its host and the first directory of its path, if there is one."""
    parts = urlsplit(url)
    first, _, rest = parts.path.strip("/").partition("/")
    return f"{parts.netloc}/{first}" if rest and not any(map(str.isdigit, first)) else parts.netloc


def latest_date(url: str) -> date | None:
    """Return the latest day or month in an address; None without a date."""
    parts = _split(url)
    return max(_dates(parts.path, parse_qsl(parts.query)), default=None)


def _dates(path: str, parameters: list[tuple[str, str]]) -> Iterator[date]:
    """Return the dates in a path or a query; a missing day or month counts as the first."""
    for text in (path, *(value for _, value in parameters)):
        for year, month, day, joined_month, joined_day in WRITTEN_DATE.findall(text):
            yield from _valid(year, month or joined_month, day or joined_day or "1")
    named = {name.lower(): value for name, value in parameters}
    month = next((value for name, value in named.items() if name in MONTH_NAMES), "1")
    for name, value in named.items():
        if name in YEAR_NAMES:
            yield from _valid(value, month, "1")


def _valid(year: str, month: str, day: str) -> Iterator[date]:
    try:
        yield date(int(year), int(month), int(day))
    except ValueError:
        return


def may_be_page(url: str) -> bool:
    """Tell whether an address may lead to a page; `file:` passes, so that its refusal is counted."""
    parts = urlsplit(url)
    if parts.scheme not in {"http", "https"}:
        return parts.scheme == "file"
    _, dot, ending = parts.path.rpartition("/")[2].rpartition(".")
    if (dot and ending.lower() in NO_PAGES) or SERVICES.search(parts.path) or OWN_FEED.search(parts.path):
        return False
    if TOOL.search(url):
        return False
    for name, value in parse_qsl(parts.query.lower()) if parts.query else ():
        if name in NO_PAGE_NAMES or (name in {"feed", "format", "output", "type"} and FEED_VALUE.fullmatch(value)):
            return False
    return True


def drop_versions(links: Sequence[str], page: str) -> Iterator[str]:
    """Yield the `links` on `page`, except to its own history and versions; on a wiki, also to those of other pages."""
    host = urlsplit(page).netloc
    is_wiki = any(TOOL.search(url) and urlsplit(url).netloc == host for url in links)
    own = "" if is_front(FOLDER_PAGE.sub("/", page)) else page
    for url in links:
        if not VERSION.search(url) or not (is_wiki or VERSION.sub("", url).rstrip("?&") == own):
            yield url
