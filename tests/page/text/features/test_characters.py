import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from newscorpus import code_points as kinds
from newscorpus.page.text.features.characters import Characters, count_characters
from newscorpus.tokens import words as split_words

ANY_TEXT = st.text(st.characters(), max_size=30)
SURROGATES = st.text(st.characters(categories=["Cs"]), max_size=5)
PLANE_TEXT = st.text(st.characters(max_codepoint=0xFFFF), max_size=60)


def only(text: str) -> Characters:
    return count_characters([text])


def test_every_text_is_counted_by_itself() -> None:
    counted = count_characters(["Ab.", "c", "D, e. f"])
    assert counted.length.tolist() == [3, 1, 7]
    assert counted.letters.tolist() == [2, 1, 3]
    assert counted.spaces.tolist() == [0, 0, 2]
    assert counted.sentences.tolist() == [1, 0, 1]
    assert counted.words.count.tolist() == [1, 1, 3]
    assert counted.words.text.tolist() == [0, 1, 2, 2, 2]


def test_scripts_without_spaces_have_a_word_a_character() -> None:
    words = count_characters(["我去学校。", "ไปไหน", "AIと人", "서울 시민", "カタカナ"]).words
    assert (words.count.tolist(), words.unspaced.tolist()) == ([4, 5, 3, 2, 4], [4, 5, 2, 0, 4])


def test_a_sentence_ends_where_space_or_nothing_follows_the_mark() -> None:
    texts = ["One. Two.", "3.14 metres", "Wait... what?", "好。", "क्या।", "no end"]
    assert count_characters(texts).sentences.tolist() == [2, 0, 2, 1, 1, 0]


def test_three_full_stops_at_the_end() -> None:
    texts = ["more...", "...", "..", "more…", "a.b."]
    assert count_characters(texts).ends_in_dots.tolist() == [True, True, False, False, False]


def test_words_in_upper_case() -> None:
    upper, others = ["ABC", "ÚSTÍ", "ДОМ", "ΑΘΗΝΑ"], ["A1B", "A_B", "I", "Abc", "aBC"]
    found = count_characters([f"x {text} y" for text in (*upper, *others)]).words.all_caps.tolist()
    assert found == [1] * len(upper) + [0] * len(others)


def test_first_and_last_character() -> None:
    counted = count_characters(["Ab:", "9 lives", "c…"])
    assert [int(bits) & kinds.UPPER for bits in counted.first_kinds] == [kinds.UPPER, 0, 0]
    assert int(counted.first_kinds[1]) & kinds.DIGIT
    assert int(counted.last_kinds[0]) & kinds.COLON
    assert int(counted.last_kinds[2]) & kinds.TERMINAL
    assert int(counted.last_kinds[2]) & kinds.OPEN_END


def test_equal_words_hash_alike_whatever_their_case_and_place() -> None:
    words = count_characters(["The bridge", "opened. THE Bridge", "egdirb"]).words
    the, bridge, opened, the_again, bridge_again, backwards = words.hash.tolist()
    assert (the, bridge) == (the_again, bridge_again)
    assert len({the, bridge, opened, backwards}) == 4
    assert len(set(only("x" * 3_000 + "a " + "x" * 3_000 + "b").words.hash.tolist())) == 2


def test_of_further_texts_only_the_words_are_read() -> None:
    counted = count_characters(["one two"], ["Two three", "", "one"])
    one, two = counted.words.hash.tolist()
    title, nothing, rest = counted.words.others
    assert counted.length.tolist() == [7]
    assert counted.words.count.tolist() == [2]
    assert title.tolist()[0] == two
    assert len(nothing) == 0
    assert rest.tolist() == [one]


def test_characters_beyond_the_plane_lone_surrogates_and_none() -> None:
    counted = count_characters(["𝔊 😀", "𠀀𠀁", "a\ud83db", ""])
    assert counted.length.tolist() == [3, 2, 3, 0]
    assert counted.words.count.tolist() == [2, 2, 2, 0]
    assert (counted.letters[3], counted.spaces[3], counted.sentences[3]) == (0, 0, 0)


@given(st.lists(PLANE_TEXT, min_size=1, max_size=5))
def test_counts_agree_with_python(texts: list[str]) -> None:
    counted = count_characters(texts)
    assert counted.length.tolist() == [len(text) for text in texts]
    assert counted.letters.tolist() == [sum(map(str.isalpha, text)) for text in texts]
    assert counted.spaces.tolist() == [sum(map(str.isspace, text)) for text in texts]
    assert counted.count(kinds.UPPER).tolist() == [sum(map(str.isupper, text)) for text in texts]
    assert counted.count(kinds.DIGIT).tolist() == [sum(map(str.isdigit, text)) for text in texts]


@given(st.lists(st.text("abcČŠ1我とไ. ,_हिَ", max_size=20), min_size=1, max_size=5))
def test_words_agree_with_the_text_module(texts: list[str]) -> None:
    words = count_characters(texts).words
    expected = [split_words(text) for text in texts]
    assert words.count.tolist() == [len(found) for found in expected]
    by_hash: dict[int, str] = {}
    for word, value in zip([word for found in expected for word in found], words.hash.tolist(), strict=True):
        assert by_hash.setdefault(value, word.lower()) == word.lower()


@given(st.lists(st.one_of(ANY_TEXT, SURROGATES), min_size=1, max_size=5))
def test_no_text_raises(texts: list[str]) -> None:
    counted = count_characters(texts, texts)
    assert len(counted.words.text) == len(counted.words.hash) == counted.words.count.sum()
    assert np.concatenate(counted.words.others).tolist() == counted.words.hash.tolist()
