"""Languages told by the text; a fastText file of the user's, written here as fastText writes it, is never unpickled."""

import itertools
import random
import struct
import sys
from dataclasses import replace
from pathlib import Path

import langdetect
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from py3langid.langid import MODEL_FILE, LanguageIdentifier

from newscorpus.config import LanguageConfig
from newscorpus.data import Page
from newscorpus.errors import CorpusError
from newscorpus.page.judge import process_page
from newscorpus.page.quality.assess import read_quality
from newscorpus.page.quality.language import by_fasttext, by_langdetect, by_langid, by_script, detect, judge_language
from newscorpus.page.recipe import Recipe
from newscorpus.page.rows import Row
from newscorpus.page.source_page import SourcePage
from tests.mockserver.kinds import expect

TEXTS = {
    "sr": "Vlada Srbije usvojila je juče predlog zakona o budžetu za narednu godinu, saopšteno je posle sednice. "
    "Ministar finansija rekao je da će prosečna plata porasti za osam odsto, a da će penzije biti uvećane od januara.",
    "sr-Cyrl": "Влада Србије усвојила је јуче предлог закона о буџету за наредну годину, саопштено је после седнице. "
    "Министар финансија рекао је да ће просечна плата порасти за осам одсто, а да ће пензије бити увећане од јануара.",
    "bs": "Vijeće ministara Bosne i Hercegovine usvojilo je prijedlog zakona o budžetu, saopćeno je nakon sjednice. "
    "Ministar finansija kazao je da će prosječna plaća porasti za osam posto.",
    "hr": "Vlada je jučer usvojila prijedlog zakona o proračunu za sljedeću godinu, priopćeno je nakon sjednice. "
    "Ministar financija rekao je da će prosječna plaća porasti za osam posto, a mirovine će biti uvećane od siječnja.",
    "sl": "Vlada je včeraj sprejela predlog zakona o proračunu za prihodnje leto, so sporočili po seji. "
    "Minister za finance je povedal, da se bo povprečna plača zvišala za osem odstotkov, pokojnine pa bodo višje.",
    "mk": "Владата вчера го усвои предлог-законот за буџетот за наредната година, беше соопштено по седницата. "
    "Министерот за финансии рече дека просечната плата ќе се зголеми за осум проценти, а пензиите ќе бидат повисоки.",
    "bg": "Правителството прие вчера проекта на закон за бюджета за следващата година, съобщиха след заседанието. "
    "Министърът на финансите каза, че средната заплата ще се увеличи с осем процента.",
    "be": "Урад учора зацвердзіў праект закона аб бюджэце на наступны год, паведамілі пасля пасяджэння ў Мінску. "
    "Міністр фінансаў сказаў, што сярэдняя зарплата вырасце на восем працэнтаў, а пенсіі павялічацца са студзеня.",
    "ru": "Правительство вчера утвердило проект закона о бюджете на следующий год, сообщили после заседания. "
    "Министр финансов сказал, что средняя зарплата вырастет на восемь процентов, а пенсии увеличатся с января.",
    "uk": "Уряд учора затвердив проєкт закону про бюджет на наступний рік, повідомили після засідання. "
    "Міністр фінансів сказав, що середня зарплата зросте на вісім відсотків, а пенсії збільшаться із січня.",
    "cs": "Vláda včera schválila návrh zákona o rozpočtu na příští rok, oznámil po zasedání mluvčí. "
    "Ministr financí řekl, že průměrná mzda vzroste o osm procent a důchody se zvýší od ledna.",
    "sk": "Vláda včera schválila návrh zákona o rozpočte na budúci rok, oznámil po zasadnutí hovorca. "
    "Minister financií povedal, že priemerná mzda vzrastie o osem percent a dôchodky sa zvýšia od januára.",
    "pl": "Rząd przyjął wczoraj projekt ustawy budżetowej na przyszły rok, poinformowano po posiedzeniu. "
    "Minister finansów powiedział, że przeciętne wynagrodzenie wzrośnie o osiem procent.",
    "el": "Η κυβέρνηση ενέκρινε χθες το σχέδιο νόμου για τον προϋπολογισμό, ανακοινώθηκε μετά τη συνεδρίαση. "
    "Ο υπουργός Οικονομικών είπε ότι ο μέσος μισθός θα αυξηθεί κατά οκτώ τοις εκατό.",
    "de": "Die Regierung hat gestern den Entwurf des Haushaltsgesetzes beschlossen, hieß es nach der Sitzung. "
    "Der Finanzminister sagte, der Durchschnittslohn werde um acht Prozent steigen.",
    "no": "Regjeringen vedtok i går forslaget til statsbudsjett for neste år, ble det opplyst etter møtet i Oslo. "
    "Finansministeren sa at gjennomsnittslønnen kommer til å øke med åtte prosent, og at pensjonene også skal opp.",
}
GEORGIAN = "მთავრობამ გუშინ დაამტკიცა ბიუჯეტის კანონის პროექტი მომავალი წლისთვის, განაცხადეს სხდომის შემდეგ."


@pytest.mark.parametrize("key", TEXTS)
def test_a_text_in_the_declared_language_is_kept_and_labelled_so(key: str) -> None:
    declared = key.partition("-")[0]
    verdict = judge_language(TEXTS[key], (declared,))
    assert (verdict.language, verdict.ok) == (declared, True)
    assert 0.9 < verdict.score <= 1.0


@pytest.mark.parametrize(
    ("key", "declared"),
    [
        ("de", ("cs",)),
        ("sk", ("cs",)),
        ("sl", ("hr", "bs", "sr")),
        ("sr-Cyrl", ("hr",)),
        ("mk", ("hr",)),
        ("sr-Cyrl", ("mk",)),
        ("mk", ("sr",)),
        ("mk", ("sr", "hr")),
        ("hr", ("sl",)),
        ("ru", ("sr",)),
        ("ru", ("uk",)),
        ("ru", ("be",)),
        ("be", ("ru",)),
        ("de", ("pl", "en")),
    ],
)
def test_a_text_in_another_language_is_refused(key: str, declared: tuple[str, ...]) -> None:
    verdict = judge_language(TEXTS[key], declared)
    assert not verdict.ok
    assert verdict.language == key.partition("-")[0]


@pytest.mark.parametrize(
    ("key", "declared", "stated", "label"),
    [
        ("no", ("no",), "nb", "nb"),
        ("no", ("no",), "nn", "nn"),
        ("no", ("nb",), "", "nb"),
        ("no", ("nb",), "no", "nb"),
        ("no", ("nb", "nn"), "nn", "nn"),
        ("no", ("nb", "no"), "nn", "nn"),
        ("no", ("sv", "no"), "nb", "nb"),
        ("hr", ("hr", "sr"), "", "hr"),
        ("sr", ("sr", "hr"), "", "sr"),
        ("hr", ("bs",), "", "bs"),
        ("hr", ("bs", "hr"), "", "hr"),
        ("hr", ("bs", "hr"), "bs", "bs"),
        ("sr", ("hr", "sr"), "sr", "sr"),
        ("hr", ("hr", "sr"), "en", "hr"),
        ("sr-Cyrl", ("hr", "sr"), "hr", "sr"),
        ("sr-Cyrl", ("hr", "sr"), "", "sr"),
        ("ru", ("be", "ru"), "", "ru"),
        ("ru", ("rue", "ru"), "", "ru"),
        ("be", ("ru", "be"), "", "be"),
        ("de", ("pl", "de"), "", "de"),
    ],
)
def test_of_several_declared_languages_the_one_that_fits_is_the_label(
    key: str, declared: tuple[str, ...], stated: str, label: str
) -> None:
    verdict = judge_language(TEXTS[key], declared, stated=stated)
    assert (verdict.language, verdict.ok) == (label, True)


def test_what_a_page_states_labels_a_short_text_and_saves_no_other_language_or_form_of_norwegian() -> None:
    assert judge_language("Kratka vest.", ("hr", "sr"), stated="sr").language == "sr"
    for key, declared, stated, label in (
        ("de", ("hr", "sr"), "de", "de"),
        ("no", ("nb",), "nn", "nn"),
        ("no", ("nb", "en"), "nn", "no"),
    ):
        verdict = judge_language(TEXTS[key], declared, stated=stated)
        assert (verdict.language, verdict.ok) == (label, False)


@pytest.mark.parametrize("declared", ["hr", "bs", "sr", "cnr", "sh"])
@pytest.mark.parametrize("key", ["hr", "bs", "sr"])
def test_no_text_is_refused_for_a_confusion_of_croatian_bosnian_serbian_and_montenegrin(
    key: str, declared: str
) -> None:
    verdict = judge_language(TEXTS[key], (declared,))
    assert (verdict.language, verdict.ok) == (declared, True)
    assert verdict.score > 0.9


def test_a_second_opinion_saves_a_text_refuses_none_and_settles_a_doubt() -> None:
    assert judge_language(TEXTS["cs"], ("cs",), detector=lambda _: {"sk": 0.6, "cs": 0.4}).ok
    assert not judge_language(TEXTS["de"], ("cs",), detector=lambda _: {"sk": 0.6, "cs": 0.4}).ok
    assert detect(TEXTS["cs"], detector=lambda _: {"sk": 0.4, "cs": 0.3}).language == "cs"
    assert detect(TEXTS["cs"], detector=lambda _: {"sk": 0.6, "cs": 0.3}).language == "sk"


def test_a_script_of_one_language_settles_it_and_others_settle_nothing() -> None:
    korean, thai = "회의가 끝난 뒤 예산안을 발표했다 KBS", "ราคาทองคำวันนี้"
    for text, language in ((TEXTS["el"], "el"), (GEORGIAN, "ka"), (korean, "ko"), (thai, "th")):
        assert by_script(text) == by_langid(text) == {language: 1.0}
    for text in ("", "12:30", TEXTS["cs"], TEXTS["ru"], "NBC naming Λ and π in formulas"):
        assert by_script(text) == {}


def test_py3langid_gives_the_same_probabilities() -> None:
    library = LanguageIdentifier.from_model_file(MODEL_FILE, norm_probs=True)
    for text in (*TEXTS.values(), "a", "не", "NBC", "中文", " ".join(TEXTS.values())):
        chances = dict(library.rank(text))
        any_language = 1.0 - chances.pop("zxx")
        if not by_script(text):
            expected = {name: one / any_language for name, one in chances.items() if one >= 0.01 * any_language}
            assert by_langid(text) == expected


def test_names_and_numbers_are_not_taken_for_no_language() -> None:
    text = (
        "1. FC Köln - SV Werder 2:1 (1:0), VfL Bochum - FC Augsburg 1:1 (0:1), SC Freiburg - RB Leipzig 0:3 (0:2) " * 4
    )
    assert "zxx" not in by_langid(text)
    assert sum(by_langid(text).values()) <= 1.0 + 1e-6


@pytest.mark.parametrize("text", ["", "Kratka vest.", "12:30 14:05 +++ 3:1 (2:0) " * 40, "\0\ud800 \n", "…" * 500])
def test_what_cannot_be_told_is_taken_on_trust(text: str) -> None:
    verdict = judge_language(text, ("sr", "hr"))
    assert (verdict.language, verdict.score, verdict.ok) == ("sr", 0.0, True)


def test_without_declared_languages_or_where_the_detector_knows_none_any_will_do() -> None:
    verdict = judge_language(TEXTS["pl"], ())
    assert (verdict.language, verdict.ok) == ("pl", True)
    assert judge_language("", ()).language == ""
    assert judge_language(GEORGIAN, ("rue",)).language == "rue"
    assert judge_language(GEORGIAN, ("ka",)).score == 1.0
    assert not judge_language(GEORGIAN, ("cs",)).ok


def test_three_places_decide_and_a_text_in_two_languages_is_flagged() -> None:
    czech, german = (f"{TEXTS[name]}\n" for name in ("cs", "de"))
    assert not judge_language(czech * 3 + german * 30, ("cs",)).ok
    verdict = judge_language(czech * 3 + german * 20, ())
    assert (verdict.language, verdict.flags) == ("de", ("mixed_language",))
    assert judge_language(czech * 20 + german * 3, ("cs",)).flags == ("mixed_language",)
    assert judge_language(czech * 40 + german, ("cs",)).flags == (), "a quotation"
    assert not judge_language(czech * 10, ("cs",), LanguageConfig(min_score=1.1)).ok


@pytest.mark.parametrize(
    ("text", "language", "candidates"),
    [
        (TEXTS["sr"], "sr", ""),
        (TEXTS["bs"], "bs", ""),
        (TEXTS["hr"], "hr", ""),
        (TEXTS["sl"], "sl", ""),
        ("Pre nedelju dana deca su videla mesec iznad reke, a posle je padao sneg i duvao severni vetar.", "sr", ""),
        ("Savjet opštine nijesu čekali do sjutra: odbornici su izglasali budžet i pozvali građane na skup.", "cnr", ""),
        (
            "Vozači na planinskim putevima neka računaju na zastoje, a kiša će padati do subote popodne.",
            "hbs",
            "bs,hr,sr",
        ),
        (
            "Prije osam dana nepoznati su mladići oteli torbu starici i pobjegli prema parku iza škole.",
            "hbs",
            "bs,cnr,hr",
        ),
    ],
)
def test_croatian_bosnian_serbian_and_montenegrin_are_told_apart_by_their_words(
    text: str, language: str, candidates: str
) -> None:
    verdict = judge_language(text, ())
    assert (verdict.language, verdict.ok) == (language, True)
    assert verdict.flags == ((f"language_candidates:{candidates}",) if candidates else ())
    if candidates:
        assert judge_language(text, ("hr", "bs", "sr")).language == "hbs"
        assert judge_language(text, ("hr", "bs"), stated="bs").language == "bs"


def test_detection_of_close_languages() -> None:
    chinese = "臺灣大學醫學院附設醫院院長表示，臨床用血進入季節性緊張階段，血庫存量不足，呼籲市民捐血。" * 2
    assert judge_language(chinese, ("zh",)).ok
    assert detect(chinese).language == "zh"
    assert detect(TEXTS["sr-Cyrl"]).language == "sr"
    assert detect(TEXTS["mk"] * 3 + " Горан Ћурић").language == "mk", "a name has a Serbian letter"


def test_the_same_answer_every_time_whatever_others_do() -> None:
    mixed = TEXTS["cs"][:70] + TEXTS["sk"][:70]
    first = by_langdetect(mixed)
    for number in range(10):
        random.seed(number)
        langdetect.DetectorFactory.seed = number
        assert by_langdetect(mixed) == first
    langdetect.DetectorFactory.seed = None


@pytest.mark.parametrize("chances", [*itertools.permutations((0.1, 0.2, 0.6))])
def test_a_score_is_the_same_to_the_last_digit_in_every_run(chances: tuple[float, ...]) -> None:
    found = dict(zip(("wuu", "yue", "zh"), chances, strict=True))
    assert judge_language(TEXTS["cs"], ("zh",), detector=lambda _: found).score == 0.9


@settings(max_examples=60, deadline=None)
@given(st.text(max_size=300), st.lists(st.sampled_from(["cs", "sr", "ka", "be", "zh"]), max_size=3))
def test_any_text_gets_a_verdict(text: str, declared: list[str]) -> None:
    verdict = judge_language(text, tuple(declared))
    assert 0.0 <= verdict.score <= 1.0
    assert verdict.ok or declared
    assert verdict.language in declared or not verdict.ok or not declared


MAGIC, VERSION, SOFTMAX, SUPERVISED = 793_712_314, 12, 3, 3
WORDS = {"vlada": (4.0, -4.0), "government": (-4.0, 4.0)}
LABELS = ("__label__srp_Latn", "__label__eng_Latn")


def fasttext_model(path: Path) -> Path:
    """Write a model of two words and two labels, whose vectors of two dimensions point at one label each."""
    pytest.importorskip("fasttext", reason="fasttext-predict is not installed: it has no wheel for Python 3.14")
    settings = (2, 5, 5, 1, 5, 1, SOFTMAX, SUPERVISED, 0, 0, 0, 100)
    entries = [(word, 10, 0) for word in (*WORDS, "</s>")] + [(label, 5, 1) for label in LABELS]
    parts = [struct.pack("<14i", MAGIC, VERSION, *settings), struct.pack("<d", 0.0001)]
    parts.append(struct.pack("<3i2q", len(entries), len(entries) - 2, 2, 30, -1))
    parts += [name.encode() + b"\0" + struct.pack("<qb", count, kind) for name, count, kind in entries]
    parts.append(b"\0" + struct.pack("<2q6f", 3, 2, *WORDS["vlada"], *WORDS["government"], 0.0, 0.0))
    parts.append(b"\0" + struct.pack("<2q4f", 2, 2, 1.0, 0.0, 0.0, 1.0))
    path.write_bytes(b"".join(parts))
    return path


def test_a_model_of_the_users_names_languages_by_their_short_codes(tmp_path: Path) -> None:
    detect = by_fasttext(fasttext_model(tmp_path / "own.bin"))
    assert max((chances := detect("vlada\nvlada")), key=lambda name: chances[name]) == "sr"
    assert chances["sr"] > 0.9
    assert detect("government vlada government")["en"] > 0.5
    assert set(detect("")) <= {"sr", "en"}


def test_a_quality_file_names_it_and_pages_are_judged_by_it(tmp_path: Path) -> None:
    fasttext_model(tmp_path / "own.bin")
    settings = tmp_path / "quality.toml"
    settings.write_text('language_model = "own.bin"\noff = ["repeated_words"]\n')
    quality = read_quality(settings)
    assert quality.language_model == str(tmp_path / "own.bin")
    paragraphs = "".join(f"<p>Der Rat hat am Montag den Haushalt für das Jahr {at} beschlossen.</p>" for at in range(9))
    html = f"<article><h1>Haushalt</h1><p>Die Rede handelte von vlada, vlada und vlada.</p>{paragraphs}</article>"
    page = SourcePage(Page.from_html(html, "https://a.example/1"), languages=("sr",))
    row = expect(Row, process_page(Recipe(quality=quality), page))
    assert row.record.language == "sr"
    assert not isinstance(process_page(Recipe(quality=replace(quality, language_model="")), page), Row)


def test_what_cannot_be_used_is_one_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    settings, model = tmp_path / "quality.toml", tmp_path / "own.bin"
    settings.write_text('language_model = "own.bin"\n')
    with pytest.raises(CorpusError, match=r"own\.bin: No such file"):
        read_quality(settings)
    model.write_bytes(b"\x80\x04]")
    with pytest.raises(CorpusError, match=r"own\.bin: not a fastText model$"):
        read_quality(settings)
    fasttext_model(model)
    monkeypatch.setitem(sys.modules, "fasttext", None)
    with pytest.raises(CorpusError, match=r"pip install 'newscorpus\[fasttext\]'"):
        read_quality(settings)
