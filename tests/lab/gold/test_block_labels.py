from lxml.html import HtmlElement

from newscorpus.lab.gold.align import LABELLERS, label_by_alignment, label_exactly
from newscorpus.lab.gold.pages import GoldPage
from newscorpus.page.parsing.parse import parse
from newscorpus.page.parsing.segment import segment

HTML = "<h1>New bridge</h1><p>The bridge opened today at noon.</p><p>It cost twelve million. Read more here.</p><p>Home"
TEXT = "The bridge  opened today at noon.\nIt cost twelve million."
PAGE = GoldPage("1", "toy", "", "", "en", "New bridge", "", (), HTML, TEXT, "", "train")


def test_exact_labels_ask_for_the_same_paragraph_and_soft_ones_for_half_of_it() -> None:
    tree = parse(HTML)
    assert isinstance(tree, HtmlElement)
    blocks = segment(tree)
    assert label_exactly(blocks, PAGE).tolist() == [False, True, False, False]
    assert label_by_alignment(blocks, PAGE).tolist() == [False, True, True, False]
    assert set(LABELLERS.values()) == {label_exactly, label_by_alignment}
