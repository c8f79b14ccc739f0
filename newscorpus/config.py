"""Configure each stage with typed values; every number says where it comes from."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Literal, get_args


@dataclass(frozen=True, slots=True)
class Limits:
    """Bounds on one page, so that no page can stall a crawl or exhaust its memory.

    Every stage takes time and memory in proportion to these, so that a page takes 10 s and 1 GB at most. A page beyond
    one of them is rejected; "most seen" is that of the 5,044 pages of our sets.
    """

    max_bytes: int = 20_000_000  # longest body that is parsed; news pages of 2026 stay below 5 MB, 99.9 % below 3 MB
    # Most tags of a page, counted as `<`: an element takes some 250 bytes and 5 µs. Most seen: 18,736; live blogs have
    # some 80,000.
    max_tags: int = 500_000
    # Attributes of an element above which all are dropped, since the parser takes quadratic time over them: 0.1 s for
    # 5,000 (libxml2 2.14). Most seen: 92.
    max_attributes: int = 1_000
    max_all_attributes: int = 500_000  # most attributes of a page: each takes some 120 bytes; most seen: 19,245
    # Deepest nesting of elements that is walked; real pages stay below 100, and the text below is kept, as if it stood
    # at this depth.
    max_depth: int = 250
    max_blocks: int = 100_000  # most blocks: each takes some 3 kB while it is classified; most seen: 2,641
    # Longest visible text: a character takes some 60 bytes, a word of one character 200. Most seen: 246,599; a long
    # novel has three million.
    max_characters: int = 2_000_000
    # Most characters of classes, ids and roles of elements with text: a word of them takes some 5 µs. Most seen:
    # 143,581.
    max_name_characters: int = 2_000_000
    page_seconds: float = 30.0  # longest time for one page; most take 0.01 s, and the hardest real one seen 2 s


class Part(StrEnum):
    """A part of articles that some count as main text and others do not; kept unless a portal leaves it out."""

    EMBEDDED_POSTS = "embedded_posts"
    TABLES = "tables"
    BOXES = "boxes"


@dataclass(frozen=True, slots=True)
class SignatureParameters:
    """What a MinHash signature depends on; stamped beside every stored signature, since only equal ones compare."""

    normaliser: str = "nfc-fold-1"  # how the text becomes words: Unicode NFC, folded as in `page.signature`
    shingle_words: int = 5  # words in a shingle; 5-grams as FineWeb takes them (Penedo et al. 2024, section 3.4)
    # 32-bit hash of a shingle: polynomials of characters and of words, `newscorpus.page.signature`.
    hashing: str = "polynomial-32"
    scheme: str = "affine32"  # datasketch's family of permutations; affine32 has no bias on long texts (datasketch#212)
    permutations: int = 128  # length of the signature; 128 leave the Jaccard estimate a standard error of 0.044 at most
    seed: int = 1  # of the permutations


class Survivor(StrEnum):
    """Which one of several like documents stays: the earliest, the one of most words, or the latest."""

    FIRST = "first"
    LONGEST = "longest"
    LATEST = "latest"


@dataclass(frozen=True, slots=True)
class DuplicateConfig:
    """What counts as a duplicate, and which document stays."""

    # Least Jaccard similarity of the shingles of near-duplicates. At 0.7 the bands still find 61 % of the pairs; below
    # they find so few that the result would be chance.
    threshold: float = 0.7
    # Texts are compared unless the estimate of their signatures is this far below the threshold: three standard errors
    # at 0.7 with 128 permutations.
    margin: float = 0.12
    # Bands of the index; with `rows`, 95 % of the pairs at a similarity of 0.8 are found, 99.99 % at 0.9.
    bands: int = 16
    rows: int = 8  # hash values in a band
    survivor: Survivor = Survivor.FIRST  # which of several near-duplicates stays, by date of publication; ties by id
    revision: Survivor = Survivor.LATEST  # which text of one document stays, by date of fetch
    excerpts: bool = True  # whether excerpts are left out
    # Least share of an excerpt's runs of `excerpt_words` words that are in the longer text. Texts of one length and a
    # Jaccard similarity of 0.5 have two thirds in common, which must not suffice.
    containment: float = 0.8
    excerpt_words: int = 7  # words in a run; 7 seldom recur by chance, and an edit breaks no more than 7 of them
    # Of so many runs one is kept for finding excerpts (Manber 1994). An excerpt of 150 words shares none with
    # probability 0.01; the index needs 4 bytes for each.
    excerpt_sample: int = 32
    excerpt_documents: int = 50  # a run in more documents than these is common property and finds nothing
    # Fewest words of an excerpt that stands under another headline: shorter items are quoted whole in round-ups.
    excerpt_least_words: int = 60
    # Least share of the words of two headlines, of those of the shorter one, that makes them headlines of one article.
    headline_share: float = 0.5
    # The same where the longer text holds several documents: two headlines of one site may share half of their words.
    holder_headline_share: float = 0.8
    # Share of a text's words in other documents above which it is a mere list of them. Lists of whole posts have the
    # headlines, dates and tags between them as their own, 10 to 25 %; what has a third of its own is an article.
    list_share: float = 2 / 3
    # Words before the first of these, and their share of all words, from which on it is an article that quotes them,
    # unless its address is a list's: two paragraphs. A list begins with a heading, and perhaps a line on its subject.
    opening_words: int = 40
    opening_share: float = 0.05
    # Documents of one portal in which a paragraph stands when it is cut as boilerplate; 0 cuts nothing. Counted among
    # documents that stay.
    boilerplate_documents: int = 10
    # Share of the portal's documents in which it must stand as well, so that in large corpora sentences that do recur
    # are not cut.
    boilerplate_share: float = 0.001
    boilerplate_words: int = 4  # shortest paragraph that is counted; shorter ones are answers and sub-headings


class ShardFormat(StrEnum):
    """What shards are: JSON lines compressed by zstd, by gzip or not at all, or Parquet; each is its files' suffix."""

    ZSTD = "zst"
    GZIP = "gz"
    PLAIN = "jsonl"
    PARQUET = "parquet"


@dataclass(frozen=True, slots=True)
class ShardConfig:
    """How the published corpus is cut into files."""

    format: ShardFormat = ShardFormat.ZSTD  # of each shard
    # Most bytes of a shard, counted as JSON lines before compression whatever the format; a longer record has a shard
    # of its own. Most are little more than half as long. What changes is written shard by shard (docs/years.md): at
    # 64 MB ten million news articles make some 1,000.
    max_bytes: int = 64_000_000


class Gone(StrEnum):
    """What becomes of articles that their site deleted."""

    KEEP = "keep"
    LEAVE_OUT = "leave-out"


@dataclass(frozen=True, slots=True)
class BuildConfig:
    """All that decides what `build` writes."""

    signature: SignatureParameters = SignatureParameters()
    duplicates: DuplicateConfig = DuplicateConfig()
    shards: ShardConfig = ShardConfig()
    # Least confidence of a text that is published, where one is stated; where it is None, texts with the flag
    # `low_confidence` are left out.
    least_confidence: float | None = None
    gone: Gone = Gone.KEEP


class SplitRule(StrEnum):
    """How documents are split for training and testing: not at all, by cluster, or by date."""

    NONE = "none"
    CLUSTER = "cluster"
    DATE = "date"


@dataclass(frozen=True, slots=True)
class SplitConfig:
    """How a corpus is split."""

    rule: SplitRule = SplitRule.NONE  # documents of one cluster stay together in any case
    validation: float = 0.05  # share of the documents, 0..1; one in twenty, chosen
    test: float = 0.05  # share of the documents, 0..1
    seed: int = 1  # another one draws another split by cluster


class ExportFormat(StrEnum):
    """The forms that a published corpus can be exported to."""

    HF = "hf"
    DOLMA = "dolma"
    PARQUET = "parquet"
    VERTICAL = "vertical"
    TEI = "tei"
    TEXT = "text"


@dataclass(frozen=True, slots=True)
class ExportConfig:
    """How an export is cut into files."""

    # Most bytes of text in a file, as UTF-8; a longer document has a file of its own. A file of 64 MB opens in programs
    # that hold it whole, XML editors among them. Does not concern `vertical` and `text`.
    max_bytes: int = 64_000_000
    per_line: bool = False  # `text` puts one document on a line, and not one in a file


@dataclass(frozen=True, slots=True)
class LanguageConfig:
    """How the language of a text is detected."""

    # How much of the text the detectors see; on 1,000 characters py3langid says the same of the 1,453 texts compared
    # but two, and takes half as long again.
    sample_characters: int = 600
    # With fewer in the sample the declared language is taken on trust. The verdict on the first 30, 60 and 100
    # characters agrees with that on 1,000 in 92, 98 and 99 % of the pages of the fundus and daniel sets (langdetect).
    min_letters: int = 60
    min_score: float = 0.5  # probability a declared language needs: more likely than not


@dataclass(frozen=True, slots=True)
class QualityConfig:
    """Which articles are kept, and what of them is masked.

    Where a paper's number drops good news articles, ours is laxer, and the paper's stands beside it; docs/quality.md
    has the shares, and the papers' numbers as a file.
    """

    off: tuple[str, ...] = ()  # names of filters that are not asked
    # What is masked in the texts: "email", "phone", "iban", "birth_number", "oib", "emso", "pesel"; or nothing.
    mask: tuple[str, ...] = ()
    # Half of Gopher's 50 (Rae et al. 2021, appendix A.1.1), since news in brief are shorter than web documents and
    # inflected languages say as much in fewer words; of daniel it drops 0.1 % (50: 1.8 %), of dragnet, which has blogs,
    # 2.7 % (4.8 %), of the others nothing. Scripts without spaces: see `page.quality.filters`.
    min_words: int = 25
    # Probability that the page holds an article, from which on a text may be as short as flash news, and filters that
    # good articles, too, give cause to only flag. Out of fold 7 of 147 pages without an article reach it, and none of
    # the 9 that these filters refuse; 3,489 of 3,688 articles do (`benchmarks/results/out_of_fold.md`, 2026-11).
    sure_article: float = 0.97
    letters_a_part: int = 200  # fewest letters of a part of a text that is measured for being unreadable
    # Least gain, in nats a letter, of foretelling letters by those before them (`corpus.quality.letters`). Of the
    # 51,516 parts of gold texts four stay below; of texts with shifted or shuffled letters hardly one is above.
    min_letter_gain: float = -0.08
    # Share of unreadable parts; the opening of a closed article may be in plain letters. Of the gold texts none has
    # more than a fifth.
    max_unreadable: float = 0.33
    # Characters lost to a wrong charset (U+FFFD), for each word. Of 4,669 gold texts none has one in a hundred words; a
    # text in a Slavic language that was read wrongly has one in every few.
    max_lost_a_word: float = 0.05
    min_flash_words: int = 8  # the same of flash news, by their headlines: a sentence
    max_flash_words: int = 60  # longest text tagged as flash news
    # Longest text taken for the open part of a closed article; two or three opening paragraphs.
    max_stub_words: int = 150
    max_stub_lines: int = 4  # most paragraphs of the same; an item of so few words with more of them is whole
    max_prompt_words: int = 40  # longest last paragraph taken for a call to subscribe rather than for text
    min_ticker_entries: int = 6  # fewest timed paragraphs of a ticker; a report of a match or a trial names a few times
    min_ticker_share: float = 0.2  # share of paragraphs that are timed; an entry has up to five paragraphs
    min_gallery_images: int = 6  # fewest images of a gallery
    # Longest text of a page that calls itself a gallery; more is an article with pictures.
    max_gallery_words: int = 1_000
    min_words_an_image: int = 20  # a text with fewer is captions
    min_listing_lines: int = 5  # fewest paragraphs of a list; of fewer no share is taken
    max_listing_words: int = 15  # mean of words in a line of a list; headlines seldom have more
    max_listing_ended: float = 0.12  # share of lines that end as sentences do: 0.12, as in FineWeb (Penedo et al. 2024)
    # Words in paragraphs that end as sentences, from which on a text is an article with a list or a table: twice the
    # longest stub. Of four articles with tables the fewest is 398, of five lists of any kind the most 243.
    max_listing_sentences: int = 300
    min_horoscope_signs: int = 6  # fewest signs of the zodiac that start paragraphs; half of them
    min_odds: int = 10  # fewest decimal odds of a table
    min_odds_share: float = 0.05  # odds for each word of it
    # Share of characters in lines that stood there before: a text that stands there twice is kept (Gopher, table A1:
    # 0.2, which drops articles that repeat their lead).
    max_repeated_lines: float = 0.5
    min_repetition_words: int = 50  # n-grams of shorter texts are not counted: Gopher's least length
    # Share of characters in the most frequent 2-, 3- and 4-gram (Gopher, table A1: 0.2, 0.18, 0.16).
    max_top_ngrams: tuple[float, ...] = (0.25, 0.25, 0.25)
    # Share of characters in 5-, 6-, ... grams that stood there before (Gopher, table A1: 0.15, 0.14, 0.13, 0.12, 0.11,
    # 0.1).
    max_duplicate_ngrams: tuple[float, ...] = (0.5,)
    min_mean_word_length: float = 3.0  # in characters (Gopher, A.1.1)
    max_mean_word_length: float = 10.0  # in characters (Gopher, A.1.1)
    min_lettered_words: float = 0.6  # share of words with a letter (Gopher, A.1.1: 0.8, which drops reports on shares)
    max_symbols_a_word: float = 0.1  # hash signs and ellipses for each word (Gopher, A.1.1)
    max_bullet_lines: float = 0.9  # share of lines that start with a bullet (Gopher, A.1.1)
    # Share of lines that end in an ellipsis (Gopher, A.1.1: 0.3; some columnists write so).
    max_ellipsis_lines: float = 0.7
    short_line_characters: int = 30  # a shorter line is short (FineWeb)
    max_short_lines: float = 0.9  # share of short lines (FineWeb: 0.67, which drops interviews and reports with tables)
    # Share of lines that look like program code; chosen: with 0.2 articles on programming go.
    max_code_lines: float = 0.5
    # File of a fastText model that detects languages in place of py3langid, such as lid.176.bin or GlotLID.
    language_model: str = ""


@dataclass(frozen=True, slots=True)
class PolitenessConfig:
    """How a crawl treats a site that is slow or refuses. The delay of the portal's file is the floor of all pauses."""

    # Longest delay that a slow site brings about by its slowness; AutoThrottle's default.
    max_delay_seconds: float = 60.0
    # Longest Crawl-delay that is waited for; at one page in five minutes a crawl never ends, so that a site that asks
    # for more is not crawled.
    max_crawl_delay_seconds: float = 300.0
    # Of the last `recent_answers` addresses, so many refused (403, 429, 5xx, no answer) put the site in doubt. Where
    # one page in five is dead, that is chance in 1 % of the cases, and costs a look at a page that was there before.
    max_refusals: int = 5
    recent_answers: int = 8
    # Of a site that refuses; doubled each time that it still does. RFC 9110 names no number.
    first_pause_seconds: float = 60.0
    max_pause_seconds: float = 3_600.0  # longest pause, and longest Retry-After that is waited for
    max_pauses: int = 6  # pauses in a row after which the site is given up for the run: about an hour of them
    # By which the time grows that an address is left alone when it fails again. After its second failure that time is
    # the first pause of a site, and the third one is the last; so a crawl waits 75 seconds for pages that stay dead.
    retry_growth: float = 4.0
    robots_seconds: float = 86_400.0  # how long a robots.txt holds: 24 hours (RFC 9309, section 2.4)


@dataclass(frozen=True, slots=True)
class RevisitConfig:
    """How often feeds, sitemaps and sections are asked for again, between two bounds, by how often they change."""

    # From the first visit to the second: an hour, in which a news portal publishes something.
    first_seconds: float = 3_600.0
    # By which that interval grows with each link between a start page and a section; so the hundreds of pages of old
    # sections wait for days, and those a link away for four hours.
    depth_factor: float = 4.0
    # Shortest: a news feed shows some 20 entries, and few portals write that many in ten minutes.
    min_seconds: float = 600.0
    # Longest: a week, so that an archive that is added to after all is not missed for long.
    max_seconds: float = 604_800.0


@dataclass(frozen=True, slots=True)
class ArticleRevisitConfig:
    """When an article is due, by how often articles of its age change (`benchmarks/results/revisit.md`)."""

    # Of a change since the last visit with which an article is due: one in fifty of those that are asked has changed.
    chance: float = 0.02
    min_seconds: float = 3_600.0  # shortest interval: an hour
    max_seconds: float = 31_536_000.0  # longest: a year


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
]
"""The rules of post-analysis, `page.text.post_analysis.RULES`."""


@dataclass(frozen=True, slots=True)
class Revision:
    """How the labels of blocks come from their scores; what is None is as the extractor does it by itself."""

    post_analysis: tuple[str, ...] | None = None  # names of rules, in order; each a `RuleName`
    upper: float | None = None  # score above which a block is good
    lower: float | None = None  # score above which a block is almost good, which some rules ask for
    end_phrases: tuple[str, ...] | None = None  # phrases that end an article, beside those that the rules know

    def checked(self) -> "Revision":
        """This one.

        Raises:
            ValueError: a rule is unknown, or the upper threshold is below the lower one; one line.
        """
        if unknown := [name for name in self.post_analysis or () if name not in get_args(RuleName)]:
            raise ValueError(f"unknown rule {unknown[0]!r}; known are: {', '.join(get_args(RuleName))}")
        if self.upper is not None and self.lower is not None and self.upper < self.lower:
            raise ValueError(f"the upper threshold, {self.upper:g}, is below the lower one, {self.lower:g}")
        return self

    @property
    def config(self) -> "PostAnalysisConfig":
        """The numbers of the rules, with the phrases."""
        return PostAnalysisConfig(end_phrases=self.end_phrases or ())

    def or_else(self, other: "Revision") -> "Revision":
        """This one, with what it leaves open as in `other`."""
        return Revision(*(getattr(self if getattr(self, name) is not None else other, name) for name in self.__slots__))


@dataclass(frozen=True, slots=True)
class PostAnalysisConfig:
    """Numbers of the rules that revise a page's labels; distances count blocks."""

    near_blocks: int = 3  # how far the surroundings of a block, and the start and end of a page, reach (Mrózek 2014)
    sibling_blocks: int = 3  # good blocks that make all blocks of their parent good (Mrózek 2014)
    lonely_blocks: int = 5  # how far before it a block at the end needs a good one (Mrózek 2014)
    end_phrases: tuple[str, ...] = ()  # that end an article, beside those of phrases.toml
    max_phrase_words: int = 14  # longest block that may end an article: fewer than 15 words (Boilerpipe)
    min_words_before_end: int = 60  # words of running text that must stand before the end of an article (Boilerpipe)
    min_running_words: int = 9  # fewest words of a block of running text; Boilerpipe's 9 tokens a line
    # Most of a block's words inside links for running text (Boilerpipe, NumWordsRulesClassifier).
    max_link_share: float = 1 / 3
    # Dice coefficient of words from which a block is the headline; four words of five, chosen.
    min_headline_likeness: float = 0.8
    # Fewest words of text on either side of the heading of another article: two or three paragraphs, so that neither a
    # lead before a list of short items nor a teaser counts as an article.
    min_article_words: int = 60
