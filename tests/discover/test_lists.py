"""Feeds and sitemaps: well-formed, broken, hostile."""

import gzip
import tracemalloc
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from newscorpus.data import Evidence, Page, Rejected
from newscorpus.discover.entries import BATCH, Listing, ListingEntry
from newscorpus.discover.lists import (
    MAX_CHARACTERS,
    MAX_CLAIMS,
    MAX_MARKS,
    ListingError,
    inflate,
    parse_list,
    read_list,
)
from tests.mockserver.kinds import expect

URL = "http://example.org/lists/feed.xml"


def test_the_newest_comes_first_by_what_the_list_or_the_address_says() -> None:
    lines = ("2025-01-01", "2026-02-03", "")
    entries = [
        f"<sitemap><loc>http://a.example/{n}.xml</loc><lastmod>{at}</lastmod></sitemap>" for n, at in enumerate(lines)
    ]
    entries.append("<sitemap><loc>http://a.example/sitemap-2025-07.xml</loc></sitemap>")
    found = read_list("sitemap", Page(URL, f"<sitemapindex>{''.join(entries)}</sitemapindex>".encode()))
    assert isinstance(found, Listing)
    names = [entry.url.removeprefix("http://a.example/") for entry in found.children]
    assert names == ["2.xml", "1.xml", "sitemap-2025-07.xml", "0.xml"]


RSS = """<?xml version="1.0" encoding="windows-1250"?>
<rss version="2.0" xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:content="http://purl.org/rss/1.0/modules/content/">
<channel><title>Noviny</title><link>http://example.org/</link><language>cs-CZ</language>
<item><title>Žluťoučký   kůň</title><link> /a?x=1&amp;y=2 </link><dc:creator><![CDATA[Jan Novák]]></dc:creator>
<pubDate>Fri, 20 Nov 2026 08:00:00 +0100</pubDate><category>Domácí</category><category>Koně</category></item>
<item><title>Jen guid</title><guid>http://example.org/b</guid><author>mail@example.org (Eva Malá)</author></item>
<item><title>Bez adresy</title><guid isPermaLink="false">12345</guid></item>
</channel></rss>"""

ATOM = """<feed xmlns="http://www.w3.org/2005/Atom" xml:lang="hr"><title>Vijesti</title>
<entry><title type="html">Naslov</title><link rel="self" href="/self"/><link href="../c"/><updated>2026-11-20</updated>
<published>2026-11-19T10:00:00Z</published><author><name>Ana</name><email>a@b.hr</email></author>
<author><name>Ivo</name></author><category term="Sport"/></entry>
<entry><title>Bez poveznice</title></entry></feed>"""

RDF = """<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns="http://purl.org/rss/1.0/">
<channel><title>x</title></channel><item rdf:about="x"><title>d</title><link>http://example.org/d</link></item></rdf:RDF>"""

NEWS = """<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9" xmlns:n="http://www.google.com/schemas/sitemap-news/0.9"
xmlns:image="http://www.google.com/schemas/sitemap-image/1.1">
<url><loc>
http://example.org/e </loc><lastmod>2026-11-20</lastmod>
<image:image><image:loc>http://example.org/e.jpg</image:loc></image:image>
<n:news><n:publication><n:name>Noviny</n:name><n:language>cs</n:language></n:publication>
<n:publication_date>2026-11-20T09:00+01:00</n:publication_date><n:title>T &amp; T</n:title>
<n:keywords>a, b ,</n:keywords></n:news>
</url><url><loc>/relative</loc></url><url><lastmod>2026</lastmod></url></urlset>"""


def test_rss_entries_and_what_they_say() -> None:
    listing = parse_list(Page(URL, RSS.encode("cp1250")))
    assert [entry.url for entry in listing.entries] == ["http://example.org/a?x=1&y=2", "http://example.org/b"]
    assert listing.broken == 1
    assert listing.entries[0].evidence == (
        Evidence("title", "Žluťoučký kůň", "feed"),
        Evidence("authors", "Jan Novák", "feed"),
        Evidence("published", "Fri, 20 Nov 2026 08:00:00 +0100", "feed"),
        Evidence("tags", "Domácí", "feed"),
        Evidence("tags", "Koně", "feed"),
        Evidence("language", "cs-CZ", "feed"),
    )
    assert Evidence("authors", "Eva Malá", "feed") in listing.entries[1].evidence


@pytest.mark.parametrize(
    ("days", "are_own"), [((1, 2, 3, 4, 4), True), ((1, 2, 9, 9, 9), False), ((1, 2, 3, 4), False)]
)
def test_a_last_change_is_that_of_the_page_unless_most_entries_share_it(days: Sequence[int], *, are_own: bool) -> None:
    entries = (f"<url><loc>/{at}</loc><lastmod>2026-11-0{day}</lastmod></url>" for at, day in enumerate(days))
    found = parse_list(Page(URL, f"<urlset>{''.join(entries)}</urlset>".encode())).entries
    assert [entry.has_own_change for entry in found] == [are_own] * len(days)


def test_an_entry_of_a_comment_says_nothing_of_the_article() -> None:
    item = "<item><title>On: A</title><link>http://a.example/?p=6#{}</link><author>Reader</author></item>"
    feed = f"<rss><channel>{item.format('comment-2')}{item.format('xtor=RSS-1')}</channel></rss>"
    comment, article = parse_list(Page(URL, feed.encode())).entries
    assert (comment.url, comment.evidence) == ("http://a.example/?p=6#comment-2", ())
    assert Evidence("authors", "Reader", "feed") in article.evidence


def test_atom_entries_and_what_they_say() -> None:
    listing = parse_list(Page(URL, ATOM.encode()))
    assert listing.broken == 1
    (entry,) = listing.entries
    assert entry.url == "http://example.org/c"
    assert entry.modified == "2026-11-20"
    assert set(entry.evidence) == {
        Evidence("title", "Naslov", "feed"),
        Evidence("modified", "2026-11-20", "feed"),
        Evidence("published", "2026-11-19T10:00:00Z", "feed"),
        Evidence("authors", "Ana", "feed"),
        Evidence("authors", "Ivo", "feed"),
        Evidence("tags", "Sport", "feed"),
        Evidence("language", "hr", "feed"),
    }


def test_the_headline_of_a_feed_is_title_and_description_whatever_their_markup() -> None:
    def headline(said: str) -> int:
        rss = f"<rss><channel><item><link>https://x.org/a</link>{said}</item></channel></rss>"
        (entry,) = parse_list(Page(URL, rss.encode())).entries
        return entry.headline

    first = headline("<title>Bridge</title><description>It opens.</description>")
    assert first == headline("<title>Bridge</title><description>&lt;p>It opens.&lt;/p> 3</description><guid>5</guid>")
    others = ("<title>Bridge</title>", "<title>Bridge</title><description>No.</description>")
    assert len({first, *map(headline, others)}) == 3


def test_rss_1_keeps_its_items_outside_the_channel_and_mail_addresses_are_left_out() -> None:
    feed = RDF.replace("<title>d</title>", "<author>editor@example.org</author>").encode()
    assert parse_list(Page(URL, feed)).entries == (ListingEntry("http://example.org/d"),)


def test_a_feed_is_read_as_far_as_it_goes() -> None:
    broken = RSS.replace("kůň", "kůň &nbsp; & co").encode("cp1250")[:-60]
    assert addresses(broken) == ["http://example.org/a?x=1&y=2", "http://example.org/b"]


@pytest.mark.parametrize("address", ["file:///etc/passwd", "javascript:x", "http://[broken", "mailto:a@b.c"])
def test_an_entry_that_leads_to_no_web_address_is_broken(address: str) -> None:
    listing = parse_list(Page(URL, RDF.replace("http://example.org/d", address).encode()))
    assert listing == Listing(broken=1)


def test_sitemap_with_news_fields() -> None:
    listing = parse_list(Page(URL, NEWS.encode()))
    assert listing.broken == 1
    assert listing.entries == (
        ListingEntry(
            "http://example.org/e",
            (
                Evidence("site_name", "Noviny", "sitemap"),
                Evidence("language", "cs", "sitemap"),
                Evidence("published", "2026-11-20T09:00+01:00", "sitemap"),
                Evidence("title", "T & T", "sitemap"),
                Evidence("tags", "a", "sitemap"),
                Evidence("tags", "b", "sitemap"),
            ),
            "2026-11-20",
        ),
        ListingEntry("http://example.org/relative"),
    )


def test_sitemap_index_names_its_children() -> None:
    index = "<sitemapindex><sitemap><loc>http://example.org/1.xml.gz</loc><lastmod>2026-11-20</lastmod></sitemap><sitemap><loc>2</loc></sitemap></sitemapindex>"
    assert parse_list(Page(URL, index.encode())) == Listing(
        children=(
            ListingEntry("http://example.org/1.xml.gz", modified="2026-11-20"),
            ListingEntry("http://example.org/lists/2"),
        )
    )


def test_packed_sitemap_is_unpacked_also_when_cut_off() -> None:
    entries = "".join(f"<url><loc>http://example.org/{number}</loc></url>" for number in range(5000))
    packed = gzip.compress(f"<urlset>{entries}</urlset>".encode())
    assert len(parse_list(Page(URL, packed)).entries) == 5000
    assert 1000 < len(parse_list(Page(URL, packed[: len(packed) * 3 // 4])).entries) < 5000


def test_members_of_a_packed_file_follow_each_other_and_what_unpacks_too_far_is_refused() -> None:
    assert inflate(gzip.compress(b"one ") + gzip.compress(b"two"), 7) == b"one two"
    for packed in (gzip.compress(b"x" * 1001), gzip.compress(b"x" * 600) * 2):
        with pytest.raises(ListingError, match="longer than 1000 bytes"):
            inflate(packed, 1000)


def test_entities_are_neither_expanded_nor_loaded() -> None:
    declared = '<!DOCTYPE rss [<!ENTITY a "boom"><!ENTITY b "&a;&a;"><!ENTITY f SYSTEM "file:///etc/passwd">]>'
    feed = RDF.replace("<rdf:RDF", declared + "<rdf:RDF", 1).replace("<title>d<", "<title>d&b;&f;e<")
    assert parse_list(Page(URL, feed.encode())).entries[0].evidence == (Evidence("title", "d&b;&f;e", "feed"),)


@pytest.mark.parametrize(
    ("title", "read"),
    [
        ("bread & butter", "bread & butter"),
        ("bread &amp; butter", "bread & butter"),
        ("bread&nbsp;&#38; butter", "bread & butter"),
        ("caf&eacute; &#x26; co", "café & co"),
        ("<![CDATA[bread & butter &amp; jam]]>", "bread & butter & jam"),
        ("one <b>two <i>three</i> four</b> five <!-- no --> six", "one two three four five six"),
        ("half a character &#55357;!", "half a character \ufffd!"),
    ],
)
def test_ampersands_and_markup_are_read_as_they_were_meant(title: str, read: str) -> None:
    for link in ("?a=1&amp;copy=2", "?a=1&copy=2", "<![CDATA[?a=1&copy=2]]>"):
        entry = f"<item><link>{link}</link><title>{title}</title></item>"
        (found,) = parse_list(Page(URL, f"<rss><channel>{entry}</channel></rss>".encode())).entries
        assert found.url == f"{URL}?a=1&copy=2"
        assert found.evidence == (Evidence("title", read, "feed"),)


def test_ampersands_are_repaired_in_little_memory() -> None:
    body = b"<urlset>" + b"&" * 200_000 + b"<url><loc>http://example.org/e</loc></url></urlset>"
    tracemalloc.start()
    (entry,) = parse_list(Page(URL, body)).entries
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert entry.url == "http://example.org/e"
    assert peak < 20 * len(body)


@pytest.mark.parametrize("mark", [b"&", b"<a/>"])
def test_more_marks_than_any_list_has_are_refused(mark: bytes) -> None:
    found = expect(Rejected, read_list("sitemap", Page(URL, b"<urlset>" + mark * (MAX_MARKS + 1))))
    assert found.detail == f"{MAX_MARKS + 1 + (mark != b'&')} tags or references, more than {MAX_MARKS}"


def test_what_a_list_says_is_bounded() -> None:
    """What processes hand on takes memory of the crawl."""
    item = (
        f"<item><link>http://example.org/a</link><title>{'x' * 20_000}</title>{'<category>a{}</category>' * 100}</item>"
    )
    item = "".join(part + str(number) for number, part in enumerate(item.split("{}")))
    (entry,) = parse_list(Page(URL, f"<rss>{item}</rss>".encode())).entries
    assert len(entry.evidence) == MAX_CLAIMS
    assert len(entry.evidence[0].value) == MAX_CHARACTERS
    long = f"<rss><item><link>http://example.org/{'a' * MAX_CHARACTERS}</link></item></rss>"
    assert parse_list(Page(URL, long.encode())) == Listing(broken=1)


def test_entries_beyond_the_most_that_are_taken_are_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("newscorpus.discover.lists.MAX_ENTRIES", 3)
    for form, name in (("urlset", "url"), ("sitemapindex", "sitemap")):
        entries = "".join(f"<{name}><loc>/{number}</loc></{name}>" for number in range(5))
        listing = parse_list(Page(URL, f"<{form}>{entries}</{form}>".encode())).newest_first()
        assert (len(listing.entries) + len(listing.children), listing.broken, listing.beyond) == (3, 0, 2)


def test_a_list_is_worked_on_in_parts() -> None:
    entries = tuple(ListingEntry(f"http://example.org/{number}") for number in range(2 * BATCH + 1))
    listing = Listing(entries, entries[:-1], broken=3, beyond=4)
    parts = list(listing.parts())
    assert tuple(entry for part in parts for entry in part.entries) == entries
    assert tuple(entry for part in parts for entry in part.children) == entries[:-1]
    assert [sum(part.broken for part in parts), sum(part.beyond for part in parts)] == [3, 4]
    assert max(len(part.entries) + len(part.children) for part in parts) == BATCH


@pytest.mark.parametrize("body", [b"", b"   ", b"plain words", b"<html><body>no</body></html>", b"\x00\xff\xfe", b"{}"])
@pytest.mark.parametrize("form", ["feed", "sitemap"])
def test_what_is_no_list_is_rejected_with_a_reason(form: str, body: bytes) -> None:
    rejected = expect(Rejected, read_list(form, Page(URL, body)))
    assert (rejected.stage, rejected.reason, rejected.url) == ("discovery", f"broken_{form}", URL)
    assert rejected.detail
    assert "\n" not in rejected.detail


@given(st.one_of(st.binary(), st.text("<>/&;rsitemuloc='\" \n!-[]?").map(lambda text: ("<rss>" + text).encode())))
def test_never_raises_whatever_comes(body: bytes) -> None:
    for form in ("feed", "sitemap"):
        assert isinstance(read_list(form, Page(URL, body)), Listing | Rejected)


FEED = "<rss><channel>{}</channel></rss>"
ITEMS = "".join(f"<item><title>Článek {n} – dnes</title><link>http://example.org/{n}</link></item>" for n in range(3))
SITEMAP = "<urlset>{}</urlset>".format("".join(f"<url><loc>http://example.org/{n}</loc></url>" for n in range(3)))
THREE = [f"http://example.org/{n}" for n in range(3)]
DECLARATION = '<?xml version="1.0" encoding="UTF-8"?>\n'


def addresses(body: str | bytes) -> list[str]:
    listing = parse_list(Page(URL, body.encode() if isinstance(body, str) else body))
    return [entry.url for entry in (*listing.entries, *listing.children)]


@pytest.mark.parametrize("document", [FEED.format(ITEMS), SITEMAP])
@pytest.mark.parametrize(
    "before",
    [
        "\n\n ",
        "\ufeff\ufeff",
        "\u00a0\n",
        "\0",
        "<!-- cached at <b>10:00</b> -->\n",
        "<br />\n<b>Warning</b>:  fopen() in <b>/var/www/f.php</b> on line <b>3</b><br />\n",
        "Notice: Undefined index: x in http://example.org/f.php on line 5\n",
        "<script>if (1 < 2) x();</script>",
        "<!DOCTYPE html>\n",
    ],
)
def test_a_list_is_read_from_where_it_begins(before: str, document: str) -> None:
    for declaration in (DECLARATION, ""):
        assert addresses(before + declaration + document) == THREE


@pytest.mark.parametrize(
    "title",
    [
        "bread&nbsp;& butter",
        "\x0b\x1f",
        "&#11;&#0;&#x1f;",
        "&#55357;&#56832; &#xD83D;&#xde00; &#xFFFE; &#99999999;",
        "one<br>two<BR /><img src='a.png'>three<hr>",
        "<img>http://example.org/a.png</img>",
        "1 < 2 <3",
        "x</title><media:content url='http://example.org/a.jpg'/><title>",
    ],
)
def test_what_xml_does_not_allow_costs_no_entry(title: str) -> None:
    assert addresses(FEED.format(ITEMS.replace("dnes", title))) == THREE


@pytest.mark.parametrize(
    ("declared", "charset"),
    [
        ("windows-1250", "utf-8"),
        ("utf-16", "utf-8"),
        ("utf-8", "cp1250"),
        ("", "cp1250"),
        ("utf8mb4", "utf-8"),
        ("utf-16", "utf-16"),
        ("utf-16", "utf-16-le"),
        ("utf-16", "utf-16-be"),
    ],
)
def test_a_charset_that_is_not_the_declared_one_is_found(declared: str, charset: str) -> None:
    declaration = f'<?xml version="1.0" encoding="{declared}"?>' if declared else ""
    items = ITEMS.replace("dnes", "žluťoučký kůň úpěl ďábelské ódy & příšerně")
    listing = parse_list(Page(URL, (declaration + FEED.format(items)).encode(charset)))
    assert [entry.url for entry in listing.entries] == THREE
    assert listing.entries[0].evidence[0].value == "Článek 0 – žluťoučký kůň úpěl ďábelské ódy & příšerně"


def test_prefixes_need_no_declaration() -> None:
    item = "<item><dc:creator>Ana</dc:creator><link>http://example.org/0</link><media:content url='x'/></item>"
    (entry,) = parse_list(Page(URL, FEED.format(item).encode())).entries
    assert entry.evidence == (Evidence("authors", "Ana", "feed"),)
    news = "</loc><news:news><news:title>A &amp; B</news:title></news:news><xhtml:link rel='alternate' href='/en'/>"
    (entry, *_) = parse_list(Page(URL, SITEMAP.replace("</loc>", news).encode())).entries
    assert entry == ListingEntry("http://example.org/0", (Evidence("title", "A & B", "sitemap"),))
    prefixed = SITEMAP.replace("<", "<s:").replace("<s:/", "</s:")
    for sitemap in (prefixed, prefixed.replace("urlset>", "urlset xmlns:s='http://s.example/'>", 1)):
        assert addresses(sitemap) == THREE


def test_addresses_in_a_feed_are_resolved_against_its_base() -> None:
    entries = '<entry xml:base="b/"><link href="1"/></entry><entry><link href="2" xml:base="/c/"/></entry>'
    feed = f'<feed xml:base="http://example.org/a/"><entry><link href="3"/></entry>{entries}</feed>'
    expected = ["http://example.org/a/3", "http://example.org/a/b/1", "http://example.org/c/2"]
    assert addresses(feed) == expected


@pytest.mark.parametrize(
    "inside",
    [
        "<link>http://counter.example/1</link><feedburner:origLink>http://example.org/0</feedburner:origLink>",
        "<id>http://example.org/0</id>",
        "<id>tag:example.org,2026:0</id><link href='http://example.org/0'/>",
    ],
)
def test_the_address_of_an_entry_is_found(inside: str) -> None:
    assert addresses(f"<feed><entry>{inside}</entry></feed>") == THREE[:1]


@pytest.mark.parametrize(
    "sitemap",
    [
        gzip.compress(gzip.compress(SITEMAP.encode(), mtime=0), mtime=0),
        SITEMAP.replace("<loc>", "<loc><![CDATA[\n ").replace("</loc>", " ]]></loc>"),
        SITEMAP.replace("<loc>http://example.org", "<loc>\n\t"),
        SITEMAP.replace("<loc>", "<image:image><image:loc>/i.jpg</image:loc></image:image><loc>"),
        SITEMAP.replace("</loc>", "</loc><image><loc>/i.jpg</loc></image>"),
        SITEMAP.replace("<url><loc>http://example.org/1", "Warning: x<br>\n<url><loc>http://example.org/1"),
        f"<root>{SITEMAP}</root>",
        SITEMAP.upper().replace("HTTP://EXAMPLE.ORG", "http://example.org"),
        FEED.format(ITEMS),
        "\ufeff\ufeff" + "\n".join(THREE),
        "\r".join(THREE),
        "\r\n".join(THREE).encode("utf-16"),
        "# our pages\n\nnonsense\n" + "\n".join(THREE),
    ],
)
def test_sitemaps_as_sites_write_them(sitemap: str | bytes) -> None:
    assert addresses(sitemap) == THREE


@pytest.mark.parametrize("root", ["urlset", "sitemapindex"])
def test_addresses_and_sitemaps_may_be_mixed(root: str) -> None:
    url, sitemap = "<url><loc>/1</loc></url>", "<sitemap><loc>/2.xml</loc></sitemap>"
    for inside in (url + sitemap, f"<sitemapindex>{sitemap}</sitemapindex>{url}"):
        assert parse_list(Page(URL, f"<{root}>{inside}</{root}>".encode())) == Listing(
            (ListingEntry("http://example.org/1"),), (ListingEntry("http://example.org/2.xml"),)
        )


def test_a_page_that_speaks_of_lists_is_none() -> None:
    page = "<!DOCTYPE html><html><body><pre>\nhttp://example.org/1\n<rss><item><link>/2</link></item></rss></pre></body></html>"
    rejected = expect(Rejected, read_list("feed", Page(URL, page.encode())))
    assert rejected.detail.startswith("neither a feed nor a sitemap nor addresses; it begins: <!DOCTYPE html><html>")
