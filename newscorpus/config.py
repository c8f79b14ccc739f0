"""Typed configuration of each stage; every number names its origin."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Final, Literal, get_args


@dataclass(frozen=True, slots=True)
class Limits:
    """Limits per page, so that no page can stall a crawl or exhaust its memory.

    Every stage takes time and memory in proportion to these, so a page takes at most 10 s and 1 GB. A page above a
    limit is rejected. "Largest" is the maximum of the 5,044 pages of our sets.
    """

    max_bytes: int = 20_000_000  # of the body; news pages of 2026 have at most 5 MB, 99.9 % of them less than 3 MB
    # Tags, counted as `<`; an element takes some 250 bytes and 5 µs. Largest: 18,736; live blogs have some 80,000.
    max_tags: int = 500_000
    # Attributes of an element; with more all are dropped, since the parser takes quadratic time: 0.1 s for 5,000
    # (libxml2 2.14). Largest: 92.
    max_attributes: int = 1_000
    max_all_attributes: int = 500_000  # of a page; each takes some 120 bytes. Largest: 19,245
    # Nesting of elements; deeper text is kept as if it were at this depth. Real pages have less than 100.
    max_depth: int = 250
    max_blocks: int = 100_000  # each takes some 3 kB during classification. Largest: 2,641
    # Characters of visible text; one takes some 60 bytes, a word of one character 200. Largest: 246,599; a long novel
    # has three million.
    max_characters: int = 2_000_000
    # Characters in classes, ids and roles of elements with text; a word of them takes some 5 µs. Largest: 143,581.
    max_name_characters: int = 2_000_000
    page_seconds: float = 30.0  # of CPU time; most pages take 0.01 s, the slowest real one took 2 s


class Part(StrEnum):
    """A part of articles that only some conventions count as main text; kept unless a portal leaves it out."""

    EMBEDDED_POSTS = "embedded_posts"
    TABLES = "tables"
    BOXES = "boxes"


@dataclass(frozen=True, slots=True)
class SignatureParameters:
    """Parameters of MinHash signatures, stored with them, since only signatures with equal parameters compare."""

    normaliser: str = "nfc-fold-1"  # of the text: Unicode NFC, folded as in `page.signature`
    shingle_words: int = 5  # words per shingle, as in FineWeb (Penedo et al. 2024, section 3.4)
    # 32-bit hash of a shingle: polynomials of characters and of words, `newscorpus.page.signature`.
    hashing: str = "polynomial-32"
    scheme: str = "affine32"  # datasketch's family of permutations; affine32 has no bias on long texts (datasketch#212)
    permutations: int = 128  # length of a signature; the standard error of the Jaccard estimate is at most 0.044
    seed: int = 1  # of the permutations


class Survivor(StrEnum):
    """Which of several similar documents is kept: the earliest, the longest (in words) or the latest."""

    FIRST = "first"
    LONGEST = "longest"
    LATEST = "latest"


@dataclass(frozen=True, slots=True)
class DuplicateConfig:
    """Definition of duplicates, and the choice of the document that is kept."""

    # Minimum Jaccard similarity of the shingles of near-duplicates. At 0.7 the bands find 61 % of the pairs; below,
    # too few.
    threshold: float = 0.7
    # Texts are compared unless the estimate of their signatures is this far below the threshold: three standard errors
    # at 0.7 with 128 permutations.
    margin: float = 0.12
    # Bands of the index; with `rows`, they find 95 % of the pairs at a similarity of 0.8, 99.99 % at 0.9.
    bands: int = 16
    rows: int = 8  # hash values per band
    survivor: Survivor = Survivor.FIRST  # the near-duplicate to keep, by date of publication; ties by length of URL, id
    revision: Survivor = Survivor.LATEST  # the text of a document to keep, by date of fetch
    excerpts: bool = True  # whether excerpts are removed
    # Minimum share of an excerpt's n-grams of `excerpt_words` words that are in the longer text. Texts of equal length
    # with a Jaccard similarity of 0.5 share two thirds, which must not suffice.
    containment: float = 0.8
    excerpt_words: int = 7  # n-grams of 7 words seldom recur by chance, and an edit changes at most 7 of them
    # One n-gram in so many is indexed for finding excerpts (Manber 1994), with 4 bytes each. An excerpt of 150 words
    # shares none with probability 0.01.
    excerpt_sample: int = 32
    excerpt_documents: int = 50  # n-grams in more documents are ignored as common phrases
    excerpt_least_words: int = 60  # minimum of an excerpt under another headline: round-ups quote shorter items whole
    # Minimum share of the shorter headline's words in the other one for headlines of one article.
    headline_share: float = 0.5
    # The same if the longer text contains several documents: two headlines of one site may share half of their words.
    holder_headline_share: float = 0.8
    # Share of a text's words in other documents above which it is a list of them. In lists of whole posts, headlines,
    # dates and tags make 10 to 25 % of the words; a text with a third of its own is an article.
    list_share: float = 2 / 3
    # Minimum words, and share of words, before the first quoted document that make the text an article, unless its
    # address is a list's: two paragraphs. A list begins with a heading, and perhaps a line on its subject.
    opening_words: int = 40
    opening_share: float = 0.05
    # Minimum number of kept documents of one portal with a paragraph that is cut as boilerplate; 0 cuts nothing.
    boilerplate_documents: int = 10
    # Minimum share of the portal's documents with the paragraph, so that large corpora keep sentences that recur.
    boilerplate_share: float = 0.001
    boilerplate_words: int = 4  # minimum length of such a paragraph; shorter ones are answers and sub-headings


class ShardFormat(StrEnum):
    """Format of shards: JSON lines compressed by zstd or gzip, or plain, or Parquet; each value is the file suffix."""

    ZSTD = "zst"
    GZIP = "gz"
    PLAIN = "jsonl"
    PARQUET = "parquet"


@dataclass(frozen=True, slots=True)
class ShardConfig:
    """Files of the published corpus."""

    format: ShardFormat = ShardFormat.ZSTD
    # Maximum bytes of a shard, as uncompressed JSON lines in any format; a longer record is a shard of its own. Most
    # have little more than half. Changes rewrite whole shards (docs/years.md); ten million news articles make some
    # 1,000 of 64 MB.
    max_bytes: int = 64_000_000
    # Maximum documents of a range of days, which begins a shard and which one task writes: some five minutes. A day is
    # not divided.
    range_documents: int = 1_000_000


class Gone(StrEnum):
    """Treatment of articles that their site deleted."""

    KEEP = "keep"
    LEAVE_OUT = "leave-out"


@dataclass(frozen=True, slots=True)
class BuildConfig:
    """Configuration of `build`."""

    signature: SignatureParameters = SignatureParameters()
    duplicates: DuplicateConfig = DuplicateConfig()
    shards: ShardConfig = ShardConfig()
    # Minimum confidence of published texts that have one; None excludes texts with the flag `low_confidence`.
    least_confidence: float | None = None
    gone: Gone = Gone.KEEP


class SplitRule(StrEnum):
    """How documents are split for training and testing: not at all, by cluster, or by date."""

    NONE = "none"
    CLUSTER = "cluster"
    DATE = "date"


@dataclass(frozen=True, slots=True)
class SplitConfig:
    """Split of a corpus."""

    rule: SplitRule = SplitRule.NONE  # documents of one cluster always stay together
    validation: float = 0.05  # share of the documents, 0..1; our choice
    test: float = 0.05  # share of the documents, 0..1
    seed: int = 1  # of the split by cluster


class ExportFormat(StrEnum):
    """Formats of exports."""

    HF = "hf"
    DOLMA = "dolma"
    PARQUET = "parquet"
    VERTICAL = "vertical"
    TEI = "tei"
    TEXT = "text"
    MARKDOWN = "markdown"
    CSV = "csv"
    WACZ = "wacz"


@dataclass(frozen=True, slots=True)
class ExportConfig:
    """Files of an export."""

    # Maximum bytes of text in a file, as UTF-8; a longer document has a file of its own. Programs that load a whole
    # file, such as XML editors, can open 64 MB. Ignored by `vertical` and `text`.
    max_bytes: int = 64_000_000
    per_line: bool = False  # `text` writes one document per line, not one per file
    subcorpus: str = ""  # name of a saved search, whose documents alone are written; "" for all
    where: str = ""  # SQL expression over the columns, true for the documents to write; "" for all
    since: str = ""  # release since which the documents to write were added or changed; "" for all
    with_title: bool = False  # the headline is the first paragraph of the text
    annotation: str = ""  # folder of an annotation of the corpus, for `tei` and `vertical`; "" for none
    scorers: tuple[str, ...] = ()  # MODULE:FUNCTION that returns numbers for a text, for `dolma` and `parquet`


@dataclass(frozen=True, slots=True)
class LanguageConfig:
    """Detection of languages."""

    # Characters given to the detectors, in three places of a longer text; with 1,000 at its beginning py3langid decides
    # otherwise on two of 1,453 texts, in 1.5 times the time.
    sample_characters: int = 600
    # With fewer letters in the sample the declared language is accepted. The decisions on the first 30, 60 and 100
    # characters agree with that on 1,000 for 92, 98 and 99 % of the pages of fundus and daniel (langdetect).
    min_letters: int = 60
    min_score: float = 0.5  # minimum probability of a declared language: more likely than not
    variant_characters: int = 5_000  # read to tell Croatian, Bosnian, Serbian and Montenegrin apart
    min_certain: float = 0.9  # minimum probability of a language that makes a text mixed
    min_mixed: float = 0.1  # minimum share of other languages in a mixed text


@dataclass(frozen=True, slots=True)
class QualityConfig:
    """Thresholds of the filters, and masks.

    Where a paper's threshold drops good news articles, ours is laxer; the comment has the paper's. docs/quality.md has
    the shares.
    """

    off: tuple[str, ...] = ()  # names of disabled filters
    # Kinds of data to mask: "email", "phone", "iban", "account", "card", "ip", "birth_number", "oib", "emso", "pesel".
    mask: tuple[str, ...] = ()
    # Half of Gopher's 50 (Rae et al. 2021, appendix A.1.1), since news in brief are shorter than web documents and
    # inflected languages need fewer words; it drops 0.1 % of daniel (50: 1.8 %), 2.7 % of dragnet, which has blogs
    # (4.8 %), and nothing of the others. Scripts without spaces: see `page.quality.filters`.
    min_words: int = 25
    # Probability of an article from which a text may be as short as flash news, and the filters that also match good
    # articles only flag. Out of fold, 7 of 147 pages without an article reach it, none of the 7 that these filters
    # reject, and 3,435 of 3,688 articles (`benchmarks/results/out_of_fold.md`, 2026-11).
    sure_article: float = 0.97
    letters_a_part: int = 200  # minimum length of the parts of a text in which letters are measured
    # Minimum gain of the bigram model over single letters, in nats per letter (`page.quality.letters`). Four of the
    # 51,516 parts of gold texts are below, and hardly any text with shifted or shuffled letters is above.
    min_letter_gain: float = -0.08
    # Maximum share of unreadable parts; the opening of a paywalled article may be readable. No gold text has more than
    # a fifth.
    max_unreadable: float = 0.33
    # Lost characters (U+FFFD) per word. None of 4,669 gold texts has one in a hundred words; a misdecoded text in a
    # Slavic language has one in every few.
    max_lost_a_word: float = 0.05
    min_flash_words: int = 8  # minimum number of words of flash news: a sentence
    max_flash_words: int = 60  # maximum length of a text tagged as flash news
    max_stub_words: int = 150  # maximum length of a paywall stub: two or three opening paragraphs
    max_stub_lines: int = 4  # maximum paragraphs of a stub; a short item with more is complete
    max_prompt_words: int = 40  # maximum length of a last paragraph that is a call to subscribe
    min_ticker_entries: int = 6  # minimum timed paragraphs of a ticker; reports of matches or trials have a few
    min_ticker_share: float = 0.2  # minimum share of timed paragraphs; an entry has up to five paragraphs
    min_gallery_images: int = 6  # minimum images of a gallery
    max_gallery_words: int = 1_000  # maximum length of a declared gallery; more is an article with pictures
    # A text with fewer consists of captions; articles with six images or more have 12 and more (630 pages, 2026-11).
    min_words_an_image: int = 10
    min_listing_lines: int = 5  # minimum paragraphs of a list; fewer allow no shares
    max_listing_words: int = 15  # maximum mean length of lines of a list; headlines seldom have more
    max_listing_ended: float = 0.12  # maximum share of lines that end like sentences (FineWeb: 0.12)
    # Words in different paragraphs that end like sentences from which a text is an article, whatever list, table or
    # repetition stands beside them: twice the longest stub. Four articles with tables have at least 398, five lists at
    # most 243.
    min_sentence_words: int = 300
    min_horoscope_signs: int = 6  # minimum signs of the zodiac that start paragraphs: half of them
    min_odds: int = 10  # minimum decimal odds of a table
    min_odds_share: float = 0.05  # odds per word of the table
    # Share of characters in repeated lines; a text that occurs twice is kept (Gopher, table A1: 0.2, which drops
    # articles that repeat their lead).
    max_repeated_lines: float = 0.5
    min_repetition_words: int = 50  # n-grams are counted from this length on: Gopher's minimum
    # Share of characters in the most frequent 2-, 3- and 4-gram (Gopher, table A1: 0.2, 0.18, 0.16).
    max_top_ngrams: tuple[float, ...] = (0.25, 0.25, 0.25)
    # Share of characters in repeated 5-, 6-, ... grams (Gopher, table A1: 0.15, 0.14, 0.13, 0.12, 0.11, 0.1).
    max_duplicate_ngrams: tuple[float, ...] = (0.5,)
    min_mean_word_length: float = 3.0  # in characters (Gopher, A.1.1)
    max_mean_word_length: float = 10.0  # in characters (Gopher, A.1.1)
    min_lettered_words: float = 0.6  # share of words with a letter (Gopher, A.1.1: 0.8, which drops reports on shares)
    max_symbols_a_word: float = 0.1  # hash signs and ellipses per word (Gopher, A.1.1)
    max_bullet_lines: float = 0.9  # share of lines that start with a bullet (Gopher, A.1.1)
    # Share of lines that end in an ellipsis (Gopher, A.1.1: 0.3; some columnists write so).
    max_ellipsis_lines: float = 0.7
    short_line_characters: int = 30  # a shorter line is short (FineWeb)
    max_short_lines: float = 0.9  # share of short lines (FineWeb: 0.67, which drops interviews and reports with tables)
    max_code_lines: float = 0.5  # share of lines that look like code; 0.2 drops articles on programming
    language_model: str = ""  # file of a fastText model that replaces py3langid, such as lid.176.bin or GlotLID


@dataclass(frozen=True, slots=True)
class PolitenessConfig:
    """Backing off from slow and refusing sites. No pause is shorter than the delay in the portal's file."""

    max_delay_seconds: float = 60.0  # maximum delay for a slow site; AutoThrottle's default
    # Maximum Crawl-delay: a crawl at one page in five minutes never ends, so sites that ask for more are not crawled.
    max_crawl_delay_seconds: float = 300.0
    # This many refusals (403, 429, 5xx, no response) of the last `recent_answers` addresses make the site suspect. If
    # one page in five is dead, that happens by chance in 1 % of the cases, and costs one request of a known page.
    max_refusals: int = 5
    recent_answers: int = 8
    first_pause_seconds: float = 60.0  # doubled after each further refusal; RFC 9110 names no number
    max_pause_seconds: float = 3_600.0  # maximum pause, and maximum Retry-After
    max_pauses: int = 6  # pauses in a row, about an hour in all, after which the site is given up for the run
    # Factor of the delays between retries of an address. The second delay is the first pause of a site, and the third
    # failure is final, so a crawl waits 75 seconds for dead pages.
    retry_growth: float = 4.0
    robots_seconds: float = 86_400.0  # lifetime of a robots.txt: 24 hours (RFC 9309, section 2.4)


@dataclass(frozen=True, slots=True)
class RevisitConfig:
    """Intervals between visits of feeds, sitemaps and sections, by how often they change."""

    first_seconds: float = 3_600.0  # between the first two visits: in an hour a news portal publishes something
    # Factor of this interval for each link between a start page and a section: four hours for the nearest, days for the
    # hundreds of pages of old sections.
    depth_factor: float = 4.0
    min_seconds: float = 600.0  # a news feed has some 20 entries; few portals publish as many in ten minutes
    max_seconds: float = 604_800.0  # a week, so that additions to archives are not missed for long


@dataclass(frozen=True, slots=True)
class ArticleRevisitConfig:
    """Intervals between visits of an article, by the changes of articles of its age (benchmarks/results/revisit.md)."""

    chance: float = 0.02  # probability of a change with which an article is due
    min_seconds: float = 3_600.0  # an hour
    max_seconds: float = 31_536_000.0  # a year


RuleName = Literal[
    "start",
    "common_parent",
    "lonely_ends",
    "neighbours",
    "terminating_phrases",
    "title_match",
    "heading_to_content",
    "ignore_after_content",
    "trailing_headlines",
    "expand_title_to_content",
    "drop_headline",
    "doubtful_tail",
]
"""The rules of post-analysis, `page.text.post_analysis.RULES`."""

RULE_SETS: Final[Mapping[str, tuple[RuleName, ...]]] = {
    "none": (),
    "mrozek": ("start", "common_parent", "lonely_ends", "neighbours"),
    "brezovnik": (
        "terminating_phrases", "title_match", "heading_to_content", "ignore_after_content", "trailing_headlines",
        "expand_title_to_content",
    ),
}  # fmt: skip
"""Names that stand for rules: those of Mrózek 2014 (Texttractor) and of Brezovnik 2021, in their order."""


@dataclass(frozen=True, slots=True)
class Revision:
    """Thresholds and rules that turn scores of blocks into labels; None: the extractor's own."""

    post_analysis: tuple[str, ...] | None = None  # in order; each a `RuleName` or a key of `RULE_SETS`
    upper: float | None = None  # score above which a block is good
    lower: float | None = None  # score above which a block is almost good
    end_phrases: tuple[str, ...] | None = None  # further phrases that end an article

    def checked(self) -> "Revision":
        """Return this revision if it is valid.

        Raises:
            ValueError: a rule is unknown, or the upper threshold is below the lower one; one line.
        """
        known = (*RULE_SETS, *get_args(RuleName))
        if unknown := [name for name in self.post_analysis or () if name not in known]:
            raise ValueError(f"unknown rule {unknown[0]!r}; known are: {', '.join(known)}")
        if self.upper is not None and self.lower is not None and self.upper < self.lower:
            raise ValueError(f"the upper threshold, {self.upper:g}, is below the lower one, {self.lower:g}")
        return self

    @property
    def rules(self) -> tuple[str, ...]:
        """The names of the rules, with those of sets in place of the sets; () where they are the extractor's."""
        return tuple(rule for name in self.post_analysis or () for rule in RULE_SETS.get(name, (name,)))

    @property
    def config(self) -> "PostAnalysisConfig":
        """The configuration of the rules, with the phrases."""
        return PostAnalysisConfig(end_phrases=self.end_phrases or ())

    def or_else(self, other: "Revision") -> "Revision":
        """Return this revision, with `other` for what is None."""
        return Revision(*(getattr(self if getattr(self, name) is not None else other, name) for name in self.__slots__))


@dataclass(frozen=True, slots=True)
class PostAnalysisConfig:
    """Configuration of the rules that revise labels; distances count blocks."""

    near_blocks: int = 3  # size of the surroundings of a block, and of the start and end of a page (Mrózek 2014)
    sibling_blocks: int = 3  # good blocks that make all blocks of their parent good (Mrózek 2014)
    lonely_blocks: int = 5  # maximum distance of a block at the end to a good one before it (Mrózek 2014)
    end_phrases: tuple[str, ...] = ()  # further phrases that end an article
    max_phrase_words: int = 14  # maximum length of a block that ends an article (Boilerpipe)
    min_words_before_end: int = 60  # minimum words of running text before the end of an article (Boilerpipe)
    min_running_words: int = 9  # minimum length of a block of running text; Boilerpipe's 9 tokens per line
    max_link_share: float = (
        1 / 3
    )  # maximum share of words in links of running text (Boilerpipe, NumWordsRulesClassifier)
    min_headline_likeness: float = 0.8  # minimum Dice coefficient of words with the headline; our choice
    # Minimum words of text on either side of the heading of another article: two or three paragraphs, so that neither a
    # lead before a list of short items nor a teaser counts as an article.
    min_article_words: int = 60
    # Score of a sure block, and number of other blocks between the text and its doubtful tail: out of fold (2026-11) 31
    # articles of 3,688 become better, seven worse.
    min_sure_score: float = 0.8
    min_gap_blocks: int = 4
