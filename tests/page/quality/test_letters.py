"""Texts whose letters were shifted, shuffled or encoded are refused; no text is for being in an unknown language."""

import string

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.unreadable import DISFIGURED, misread, next_points
from newscorpus.config import QualityConfig
from newscorpus.data import Article, Fields, Rejected
from newscorpus.page.quality import assess_quality
from newscorpus.page.quality.letters import letter_gains

PLAIN = {
    "de": "Der Stadtrat hat am Montagabend nach langer Debatte den Haushalt für das kommende Jahr "
    "beschlossen. Für die Sanierung der beiden Grundschulen sind sechs Millionen Euro vorgesehen, für"
    " neue Radwege knapp zwei. Die Opposition stimmte dagegen, weil sie die Einnahmen aus der "
    "Gewerbesteuer für zu hoch angesetzt hält. Der Kämmerer widersprach.",
    "cs": "Zastupitelé v pondělí večer po dlouhé rozpravě schválili rozpočet na příští rok. Na opravu obou "
    "základních škol je v něm šest milionů korun, na nové cyklostezky necelé dva. Opozice hlasovala "
    "proti, protože podle ní radnice čeká z daní víc, než kolik jí přijde. Starosta namítl, že se "
    "vycházelo z čísel ministerstva a že rezerva stačí.",
    "en": "The council passed the budget for next year on Monday night after a long debate. Six million has"
    " been set aside to repair the two primary schools, and just under two for new cycle paths. The "
    "opposition voted against it, since they believe that income from business taxes was put too "
    "high. The treasurer said that he had been careful.",
    "ru": "Городской совет в понедельник вечером после долгих споров принял бюджет на следующий год. На "
    "ремонт двух школ выделено шесть миллионов рублей, на новые велосипедные дорожки чуть меньше "
    "двух. Оппозиция голосовала против, так как считает, что доходы от налогов завышены. Казначей "
    "возразил, что исходил из прошлогодних цифр.",
    "el": "Το δημοτικό συμβούλιο ενέκρινε τη Δευτέρα το βράδυ, μετά από μακρά συζήτηση, τον προϋπολογισμό "
    "του επόμενου έτους. Για την επισκευή των δύο σχολείων προβλέπονται έξι εκατομμύρια ευρώ, για "
    "νέους ποδηλατοδρόμους σχεδόν δύο. Η αντιπολίτευση καταψήφισε, επειδή θεωρεί ότι τα έσοδα από "
    "τους φόρους υπολογίστηκαν πολύ υψηλά.",
}
UNKNOWN = {
    "Võro": "Kõik inemiseq sünnüseq vapos ja ütesugumaidsis uma avvo ja õiguisi poolõst. Näile om annõt mudsu"
    " ja süämetunnistus ja nä piät ütstõõsõga vele muudu läbi käümä.",
    "Latgalian": "Vysi ļauds pīdzymst breivi i ar vīneigu pošcīneibu i tīseibom. Jī ir apdāvynuoti ar pruotu i "
    "sirdsapziņu i jim vīnam pret ūtru juosaizatur bruoļu goram.",
    "Hawaiian": "Hānau kūʻokoʻa ʻia nā kānaka apau loa, a ua kau like ka hanohano a me nā pono kīvila ma luna o "
    "kākou pākahi. Ua kuʻu mai ka noʻonoʻo pono a me ka ʻike pono ma luna o kākou, no laila, e aloha "
    "kākou kekahi i kekahi.",
    "Hmong": "Txhua tus neeg yug los muaj kev ywj pheej thiab sib npaug zos hauv txoj cai. Lawv xaj nrog lub "
    "laj thawj thiab lub siab thiab ib leeg yuav tsum coj ua ke ib yam li kwv tij.",
    "Rusyn": "Вшыткы людьскы створїня родять ся слободны і рівны у достойности і правах. Вни суть обдарены "
    "розумом і свідомостьов і мають жыти єден з другым у дусі братерства.",
    "Basque": "Gizon-emakume guztiak aske jaiotzen dira, duintasun eta eskubide berberak dituztela; eta "
    "ezaguera eta kontzientzia dutenez gero, elkarren artean senide legez jokatu beharra dute.",
}
"""The first article of the Universal Declaration of Human Rights; the first five languages are not in the model."""


def reason(text: str) -> str:
    verdict = assess_quality(Article("https://a.example/1", text, Fields(), "test"))
    return verdict.reason if isinstance(verdict, Rejected) else ""


@pytest.mark.parametrize("language", PLAIN)
@pytest.mark.parametrize("how", ["next code point", "moved by 1", "moved by 3", "moved by 13", "shuffled in words"])
def test_shifted_and_shuffled_letters_are_refused(language: str, how: str) -> None:
    assert reason(PLAIN[language]) == ""
    assert reason(DISFIGURED[how](PLAIN[language])) == "unreadable"
    for encoded in ("Base64", "hexadecimal"):  # by this filter or another
        assert reason(DISFIGURED[encoded](PLAIN[language]))


def test_a_text_is_refused_where_a_wrong_encoding_makes_it_unreadable_or_loses_its_letters() -> None:
    assert {language for language, text in PLAIN.items() if reason(misread(text)) == "unreadable"} == {"cs", "ru", "el"}
    polish = "Rada miejska uchwaliła w poniedziałek budżet na przyszły rok po długiej dyskusji. " * 3
    assert reason(polish) == ""
    assert reason(misread(polish, "utf-8", "cp1250")) == "unreadable"
    assert reason(polish + " Zażółć gęślą ja\ufffdń.") == ""


@pytest.mark.parametrize("language", UNKNOWN)
def test_a_language_is_not_refused_for_being_unknown(language: str) -> None:
    twice = f"{UNKNOWN[language]}\n{UNKNOWN[language]}"
    gains = letter_gains(twice, QualityConfig().letters_a_part)
    assert len(gains)
    assert gains.min() > 0
    assert letter_gains(DISFIGURED["shuffled in words"](twice), 200).max() < QualityConfig().min_letter_gain


@pytest.mark.parametrize(
    "text",
    [
        "მთავრობამ გუშინ დაამტკიცა ბიუჯეტის კანონის პროექტი მომავალი წლისთვის, განაცხადეს სხდომის შემდეგ. " * 5,
        "行政院昨日通過明年度預算,總額較今年增加百分之三,其中以國防與科技支出增幅最大,預計下週送交立法院審議。" * 9,
        "وافقت الحكومة أمس على مشروع قانون الموازنة للعام المقبل، بحسب ما أعلن بعد الجلسة في العاصمة. " * 5,
    ],
)
def test_other_scripts_are_not_judged(text: str) -> None:
    assert letter_gains(text, 200).size == 0
    assert letter_gains(next_points(text), 200).size == 0


def test_an_opening_in_plain_letters_does_not_hide_the_rest() -> None:
    plain = PLAIN["de"]
    assert reason("\n".join([plain, next_points(PLAIN["en"]), next_points(plain)])) == "unreadable"
    assert reason("\n".join([plain, PLAIN["en"], PLAIN["cs"], next_points(plain)])) == ""


def test_capitals_accents_and_hyphens_cost_nothing() -> None:
    plain = letter_gains(PLAIN["de"], 200)
    assert letter_gains(PLAIN["de"].upper(), 200) == pytest.approx(plain)
    assert letter_gains(
        PLAIN["de"].replace("Haushalt", "Haus\u00adhalt").replace("ü", "u\u0308"), 200
    ) == pytest.approx(plain)
    assert (letter_gains(PLAIN["de"] + " (iPhone 15, G20, 4K, H2O, Covid-19, McDonald's, 20 m²)", 200) > 0.1).all()


def test_short_texts_are_not_judged_and_long_ones_in_few_parts() -> None:
    assert letter_gains(next_points(PLAIN["de"])[:150], 200).size == 0
    assert len(letter_gains(PLAIN["en"] * 500, 200)) == 16


@given(st.text(st.characters() | st.sampled_from(string.ascii_letters + "жшé \n"), max_size=400))
def test_any_text_can_be_measured(text: str) -> None:
    gains = letter_gains(text, 20)
    assert np.isfinite(gains).all()
