"""What the class, id and role of an element say about its content, in the words that page designers use.

Designers name their boxes in English nearly everywhere, and in their own language at times. A name is cut into its
words (`articleBody` and `article-body` into article, body), and each word speaks for the kinds whose patterns it
contains. Words recur from site to site, so what each says is remembered.
"""

import re
from functools import lru_cache
from typing import Final

KINDS: Final[dict[str, str]] = {
    "article": "arti[ck] story ^post entry news blog [cč]l[aá]ne?k zpr[aá]v vijest novic haber nyhet noticia ^zesz",
    "content": """
        content inhalt obsah tre[sś][cć] body text copy prose rich wysiwyg paragraph besedil sadr[zž]aj
        vsebin conteni contenu cuerpo corpo testo metni tekst detail""",
    "main": "main primary ^center ^centre middle hlavn glavn g[lł][oó]wn haupt principal",
    "lead": """
        lead perex intro standfirst summary excerpt abstract subtitle subhead ^de[ck]k?$ chap[oô] kicker
        zajawk podnaslov uvod ingress vorspann ^lid$""",
    "comment": "comment [ck]om+ent diskus discus reply replies respond opini forum livefyre viafoura yorum coral",
    "navigation": "nav menu crumb pagin ^pager ^paging toolbar skip jump sitemap ^tabs?$ izbornik meni",
    "related": """
        related similar souvis povezan podobn recommend recirc ^more also teaser promo popular trend latest
        outbrain taboola upnext ^next ^prev suggest nejcten najcita najnov najbolj czytaj weiter ^mehr ^card
        tile widget carousel slider swiper feed list ^links? grid archive""",
    "share": """
        share sharing social facebook twitter whatsapp telegram pinterest linkedin addthis addtoany sdilet
        follow bookmark ^sns""",
    "advert": """
        ^ads?$ advert sponsor banner reklam oglas publicid anzeige werbung inzer ^dfp ^gpt adslot commercial
        affiliate shop product price""",
    "meta": """
        ^meta byline author autor avtor writer journalist date datum time publish posted credit source
        ^info$ contributor profile ^bio$ avatar signature""",
    "caption": """
        caption figure photo image ^im[ga] picture foto galler galer slideshow legend media video player
        thumb lightbox bildunter audio podcast""",
    "tags": "^tags?$ taglist tagcloud keyword topic categor kategor rubri ^labels?$ stit?ky oznak klicov",
    "footer": "foot bottom copyright legal colophon imprint impressum disclaimer paticka ^noga stopka terms",
    "sidebar": "side ^rail secondary complementary ^right ^left spalte",
    "header": "header masthead logo ^top hlavicka zaglavlje brand cover hero",
    "headline": "headline titl?e titel titul nadpis naslov nag[lł]ow ^h[1-6]$ heading sottotitol",
    "subscribe": """
        newsletter subscri signup ^sign paywall premium regist login member p[rř]edplat narocn pretplat abon
        donat support piano regwall offer account user""",
    "prompt": """
        cookie consent gdpr privacy popup modal overlay notice alert dialog tooltip hidden ^sr$ reader
        visually offscreen print warning message notif toast banner""",
    "form": """
        search hledat szukaj pretra iskanje filter form input select button btn field vote poll rating
        survey""",
    "quote": "quot citat cita zitat",
    "embed": "embed tweet instagram iframe ^box infobox factbox aside sidenote note callout highlight table chart",
    "live": "live ticker timeline updates?$",
    "hash": "^css$ ^sc$ ^jsx$ ^svelte$ ^styled$",
    "wrapper": """
        wrap container inner outer ^row ^col layout block section group item element module component page
        site region zone area""",
}
"""A name for each kind of box, and the patterns of its words (lower case, letters only), set apart by white space."""

NAMES = tuple(KINDS)

_PATTERNS = tuple(re.compile("|".join(patterns.split())) for patterns in KINDS.values())
_WORD = re.compile(r"[A-Z]?[a-zà-ž]+|[A-Z]+(?![a-z])")


def kinds_of(name: str) -> int:
    """The kinds that `name` (classes, id and role of one element, joined by spaces) speaks of, a bit each."""
    kinds = 0
    for word in _WORD.findall(name):
        kinds |= _kinds_of_word(word.lower())
    return kinds


@lru_cache(maxsize=50_000)
def _kinds_of_word(word: str) -> int:
    return sum(1 << bit for bit, pattern in enumerate(_PATTERNS) if pattern.search(word))
