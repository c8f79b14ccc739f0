"""Kazennikov's third experiment in spirit: do clusters of news on extracted text agree with those on gold text?"""

from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path

from sklearn.cluster import AgglomerativeClustering
from sklearn.feature_extraction.text import TfidfVectorizer

from benchmarks.reproduce.block_systems import text_of
from benchmarks.reproduce.tables import table
from newscorpus.lab.evaluation.scores import Overlap
from newscorpus.lab.gold.pages import read_pages
from newscorpus.page.loading import load

DATASET = "l3s_gn1"
"""News that Google grouped in 2008; no shipped model was trained on it."""
SYSTEMS = ("main-text", "node-svm", "bte", "trafilatura-no-comments")
DISTANCE = 0.7
"""Mean cosine distance up to which clusters are joined."""


def reproduce(data: Path) -> str:
    """Pairs of documents in one cluster, on extracted text against gold text."""
    pages = list(read_pages(data / f"{DATASET}.jsonl.zst"))
    gold = clusters([page.text for page in pages])
    rows = []
    for name in SYSTEMS:
        extractor = load(name)
        found = clusters([text_of(extractor, page) for page in pages])
        scores = shared_pairs(found, gold).scores
        rows.append((name, len(set(found)), scores.precision, scores.recall, scores.f1))
    return (
        "# Clusters of news (Kazennikov 2013, third experiment)\n\n"
        f"{len(pages)} pages of {DATASET}; TF-IDF, average linkage, cosine distance up to {DISTANCE}; on gold text "
        f"{len(set(gold))} clusters, {_pairs(gold)} pairs. Published, against clusters made by people: F 0.901 on text "
        "by hand-written rules, 0.895 on text found automatically.\n\n"
        f"{table(('text by', 'clusters', 'P of pairs', 'R of pairs', 'F1 of pairs'), rows)}"
    )


def clusters(texts: Sequence[str]) -> list[int]:
    """The cluster of each text; one without words is a cluster of its own."""
    places = [place for place, text in enumerate(texts) if text.strip()]
    vectors = TfidfVectorizer(sublinear_tf=True, min_df=2, max_df=0.5).fit_transform([texts[place] for place in places])
    model = AgglomerativeClustering(n_clusters=None, metric="cosine", linkage="average", distance_threshold=DISTANCE)
    of_place = dict(zip(places, model.fit_predict(vectors.toarray()).tolist(), strict=True))
    return [of_place.get(place, -1 - place) for place in range(len(texts))]


def shared_pairs(found: Sequence[int], gold: Sequence[int]) -> Overlap:
    """Pairs of documents that are together in both clusterings, and in each."""
    return Overlap(_pairs(zip(found, gold, strict=True)), _pairs(found), _pairs(gold))


def _pairs(labels: Iterable[object]) -> int:
    return sum(size * (size - 1) // 2 for size in Counter(labels).values())
