"""Phrases that stand where an article has ended: further reading, related articles, comments.

Rules after Boilerpipe's filters (Kohlschütter et al. 2010), as Brezovnik (2021, Ljubljana) chose them.
"""

from collections.abc import Mapping
from typing import Final

from newscorpus.config import PostAnalysisConfig
from newscorpus.data import Block, Label, LabelledBlock
from newscorpus.extraction.fields.months import fold
from newscorpus.extraction.post_analysis.headline import Labelled, is_heading, is_headline, possible_headlines, relabel
from newscorpus.tokens import count_words, words

PHRASES: Final[Mapping[str, tuple[str, ...]]] = {
    "cs": (
        "čtěte také", "čtěte též", "čtěte i", "čtěte dále", "čtěte více", "přečtěte si také", "přečtěte si i",
        "mohlo by vás zajímat", "související články", "související", "další články", "diskuse", "diskuze",
        "komentáře", "přidat komentář", "vstoupit do diskuse", "vstoupit do diskuze",
    ),
    "sk": (
        "čítajte tiež", "čítajte aj", "čítajte viac", "prečítajte si aj", "prečítajte si tiež",
        "mohlo by vás zaujímať", "súvisiace články", "súvisiace", "ďalšie články", "diskusia", "komentáre",
        "pridať komentár", "vstúpiť do diskusie",
    ),
    "pl": (
        "czytaj także", "czytaj też", "czytaj również", "czytaj więcej", "przeczytaj także", "przeczytaj też",
        "przeczytaj również", "zobacz także", "zobacz też", "zobacz również", "powiązane artykuły",
        "podobne artykuły", "polecane artykuły", "więcej na ten temat", "komentarze", "dodaj komentarz",
    ),
    "hr": (
        "pročitajte i", "pročitajte još", "pročitajte više", "pročitaj i", "pročitaj još", "čitajte i", "čitajte još",
        "povezani članci", "povezane vijesti", "vezani članci", "vezane vijesti", "slične vijesti",
        "možda će vas zanimati", "komentari", "dodaj komentar", "ostavite komentar",
    ),
    "bs": (
        "pročitajte i", "pročitajte još", "pročitajte više", "povezani članci", "povezane vijesti", "slične vijesti",
        "komentari", "dodaj komentar", "ostavite komentar",
    ),
    "sr": (
        "pročitajte i", "pročitajte još", "povezani članci", "povezane vesti", "slične vesti", "komentari",
        "pošaljite komentar", "ostavite komentar",
        "прочитајте и", "прочитајте још", "повезани чланци", "повезане вести", "сличне вести", "коментари",
        "пошаљите коментар", "оставите коментар",
    ),
    "sl": (
        "sorodni članki", "sorodne novice", "povezani članki", "povezane novice", "preberite tudi", "preberite še",
        "preberite več", "preberi tudi", "preberi še", "poglejte tudi", "komentarji", "dodaj komentar",
    ),
    "mk": (
        "прочитајте и", "прочитај и", "прочитајте повеќе", "поврзани вести", "поврзани статии", "слични вести",
        "коментари",
    ),
    "bg": (
        "прочетете още", "прочетете и", "вижте още", "вижте също", "още по темата", "свързани новини",
        "свързани статии", "коментари", "напиши коментар",
    ),
    "ru": (
        "читайте также", "читайте ещё", "читайте далее", "смотрите также", "материалы по теме", "новости по теме",
        "ещё по теме", "похожие новости", "комментарии", "оставить комментарий", "добавить комментарий",
    ),
    "uk": (
        "читайте також", "читайте ще", "дивіться також", "матеріали по темі", "матеріали за темою", "новини по темі",
        "новини за темою", "схожі новини", "коментарі", "залишити коментар", "додати коментар",
    ),
    "el": (
        "διαβάστε επίσης", "διαβάστε ακόμα", "διαβάστε ακόμη", "διαβάστε περισσότερα", "δείτε επίσης", "δείτε ακόμα",
        "σχετικά άρθρα", "σχετικές ειδήσεις", "σχόλια", "προσθήκη σχολίου",
    ),
    "de": (
        "lesen sie auch", "lesen sie mehr", "lies auch", "auch interessant", "mehr zum thema",
        "das könnte sie auch interessieren", "das könnte dich auch interessieren", "ähnliche artikel",
        "verwandte artikel", "weitere artikel", "kommentare", "kommentar schreiben",
    ),
    "en": (
        "read also", "also read", "read more", "read next", "see also", "related", "related articles",
        "related stories", "related news", "related content", "related links", "related topics", "more on this story",
        "more on this topic", "you may also like", "you might also like", "recommended for you", "please rate this",
        "comments", "add comment", "add a comment", "add your comment", "leave a comment", "leave a reply",
        "post a comment", "reader comments", "reader views", "users responded in", "have your say",
        "what you think", "join the conversation",
    ),
    "fr": (
        "à lire aussi", "lire aussi", "lisez aussi", "lire la suite", "à voir aussi", "voir aussi",
        "sur le même sujet", "articles similaires", "articles liés", "commentaires", "laisser un commentaire",
    ),
    "es": (
        "lea también", "lee también", "leer también", "leer más", "lea más", "vea también", "ver también",
        "te puede interesar", "le puede interesar", "noticias relacionadas", "artículos relacionados",
        "más sobre este tema", "comentarios", "deja un comentario",
    ),
    "it": (
        "leggi anche", "leggi pure", "vedi anche", "guarda anche", "potrebbe interessarti", "articoli correlati",
        "notizie correlate", "commenti", "lascia un commento",
    ),
    "pt": (
        "leia também", "leia mais", "ler também", "veja também", "saiba mais", "notícias relacionadas",
        "artigos relacionados", "comentários", "deixe um comentário",
    ),
    "nl": (
        "lees ook", "lees meer", "lees verder", "bekijk ook", "gerelateerde artikelen", "gerelateerd",
        "meer over dit onderwerp", "reacties", "plaats een reactie",
    ),
    "sv": (
        "läs också", "läs även", "läs mer", "se även", "relaterade artiklar", "relaterat", "mer om ämnet",
        "kommentarer", "rätta artikeln",
    ),
    "hu": (
        "olvassa el", "olvasd el", "kapcsolódó cikkek", "kapcsolódó", "ajánlott cikkek", "ez is érdekelheti",
        "hozzászólások", "kommentek",
    ),
    "ro": (
        "citește și", "citiți și", "citește mai mult", "vezi și", "articole similare", "articole asemănătoare",
        "știri similare", "comentarii", "lasă un comentariu",
    ),
    "tr": (
        "ilgili haberler", "benzer haberler", "ayrıca okuyun", "bunlar da ilginizi çekebilir",
        "ilginizi çekebilir", "yorumlar", "yorum yap", "yorum yaz",
    ),
}  # fmt: skip
"""By language. One of several words ends an article where a block begins with it, one word where it stands alone."""


def opens_with_phrase(text: str) -> bool:
    """Whether `text` begins with a phrase of several words, or has nothing else before a colon than a phrase.

    Case, accents and numbers do not count: "12 Comments" and "ΣΧΟΛΙΑ (3)" are phrases.
    """
    said = _key(text)
    alone = _key(text.partition(":")[0])
    return alone in _KEYS or any(said[:length] in _KEYS for length in range(2, _LONGEST + 1))


def _key(text: str) -> tuple[str, ...]:
    # Upper case has lost the difference between the Turkish ı and i.
    return tuple(word for word in words(fold(text).replace("ı", "i")) if not word.isdigit())


_KEYS = frozenset(_key(phrase) for phrases in PHRASES.values() for phrase in phrases)
_LONGEST = max(map(len, _KEYS))


def terminating_phrases(labelled: Labelled, _title: str, config: PostAnalysisConfig) -> Labelled:
    """A short block that begins with "read also", "comments" or the like is bad (TerminatingBlocksFinder)."""
    ends = {at for at, item in enumerate(labelled) if _ends_article(item.block, config)}
    return relabel(labelled, ends, Label.BAD)


def ignore_after_content(labelled: Labelled, _title: str, config: PostAnalysisConfig) -> Labelled:
    """All is bad from the terminating block on that has 60 words of running text before it.

    Boilerpipe's IgnoreBlocksAfterContentFilter counts the words of good blocks of nine tokens a line or more; here
    those of good blocks of nine words or more count.
    """
    words_so_far = 0
    for at, item in enumerate(labelled):
        if words_so_far >= config.min_words_before_end and _ends_article(item.block, config):
            return relabel(labelled, range(at, len(labelled)), Label.BAD)
        n_words = count_words(item.block.text) if item.label is Label.GOOD else 0
        words_so_far += n_words if n_words >= config.min_running_words else 0
    return labelled


def heading_to_content(labelled: Labelled, title: str, _config: PostAnalysisConfig) -> Labelled:
    """Headings directly before a good block are good, the headline excepted (Brezovnik 2021)."""
    headlines = possible_headlines(title)
    joined = set()
    is_before_good = False
    for at, item in reversed(list(enumerate(labelled))):
        if is_before_good and is_heading(item.block) and not is_headline(item.block, headlines):
            joined.add(at)
        is_before_good = item.label is Label.GOOD or at in joined
    return relabel(labelled, joined, Label.GOOD)


def trailing_headlines(labelled: Labelled, _title: str, _config: PostAnalysisConfig) -> Labelled:
    """Good headings below all other good blocks are bad (TrailingHeadlineToBoilerplateFilter)."""
    content = [at for at, item in enumerate(labelled) if item.label is Label.GOOD and not is_heading(item.block)]
    end = content[-1] if content else -1
    trailing = {at for at, item in enumerate(labelled) if at > end and item.label is Label.GOOD}
    return relabel(labelled, trailing, Label.BAD)


def expand_title_to_content(labelled: Labelled, title: str, config: PostAnalysisConfig) -> Labelled:
    """Between the headline and the first good block, what might be content is good (ExpandTitleToContentFilter)."""
    headlines = possible_headlines(title)
    begin = next((at for at, item in enumerate(labelled) if item.label is Label.GOOD), 0)
    found = [at for at, item in enumerate(labelled[: begin + 1]) if is_headline(item.block, headlines)]
    if not found:
        return labelled
    lead = {at for at in range(found[-1] + 1, begin) if _might_be_content(labelled[at], config)}
    return relabel(labelled, lead, Label.GOOD)


def _ends_article(block: Block, config: PostAnalysisConfig) -> bool:
    return count_words(block.text) <= config.max_phrase_words and opens_with_phrase(block.text)


def _might_be_content(item: LabelledBlock, config: PostAnalysisConfig) -> bool:
    """Almost good, or running text: Boilerpipe asks for blocks that a former step held to be content."""
    n_words = count_words(item.block.text)
    is_running = n_words >= config.min_running_words
    return item.label is Label.ALMOST or (
        is_running and count_words(item.block.link_text) <= config.max_link_share * n_words
    )
