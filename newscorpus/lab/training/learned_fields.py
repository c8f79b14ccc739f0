"""Train the model of learned fields (Kazennikov 2013) on pages that declare their fields.

The labels come from a page's structured data (title, date, authors). The structured data is then removed, and the
classifier learns to pick the elements whose text has the same values.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby, islice
from operator import attrgetter

import numpy as np
from scipy.sparse import hstack
from sklearn.svm import LinearSVC

from newscorpus.arrays import Flags
from newscorpus.data import STATED, Fields, Page, Rejected
from newscorpus.errors import LabError
from newscorpus.lab.evaluation.fields import hide_structured
from newscorpus.lab.evaluation.scores import Overlap
from newscorpus.lab.gold.pages import TEACH, GoldPage
from newscorpus.lab.training.model import TrainedModel
from newscorpus.lab.training.node_svm import bias_parameter, draw_places, join_machines, join_rows, weights_file
from newscorpus.lab.training.sources import Progress, TrainingPages, group_kfold
from newscorpus.model_folders import FIELDS_MODEL
from newscorpus.page.fields.dates import Setting, find_dates
from newscorpus.page.fields.learned import FIELDS, LONGEST, describe_candidates, pick
from newscorpus.page.fields.markup import plain
from newscorpus.page.fields.nodes import COLUMNS, DECIDES, FEATURES, LinearModel, Nodes, load_linear
from newscorpus.page.fields.people import names_in, squeezed
from newscorpus.page.fields.reading import read_fields
from newscorpus.page.parsing.parse import parse

MODEL_VERSION = "1"
PACKAGES = ("numpy", "scikit-learn", "scipy")
BESIDE_NAMES = 30
"""Letters and digits that may stand beside the names in an element that holds the authors ("By", a role, a place)."""

ABOUT = (
    "Picks the elements of a page that hold its title, its date of publication and its authors, for pages that do not "
    "declare them: a linear support vector machine over hashed features of elements, after Kazennikov (2013)."
)
USE = "by `newscorpus.page.fields`; what it finds has the source `learned`."
SOURCE = "Pages whose structured data gives the fields; it was taken away before their elements were described."
MEASURE = (
    "Right element picked, of the pages that have one; on a fifth of the sites, by machines that learned from the "
    "others. On other sets, with the ablation of the publication: `docs/fields.md`."
)
OWN_SOURCE = (
    "Pages of which a person says the fields, or else their structured data; it was taken away before their elements "
    "were described."
)
OWN_MEASURE = (
    "Right element picked, of the pages that have one; cross-validated by machines that did not learn from the page's "
    "site, and by the shipped model."
)

PAGES_A_SET = 600
"""Maximum number of training pages per set."""
NEGATIVES = 60
"""Wrong elements sampled per page, in addition to the right ones: most are easy."""
PENALTY = 0.03
"""C of the machines: of 0.003, 0.01 and 0.03, the last scores best on held-out sites (dev, 2026-11)."""
BASE_SCALE, CORRECTION_PENALTY = 10.0, 0.001
"""Factor of the shipped model's score as a feature, so that its use is hardly penalised, and C of what corrects it: of
0.0001 to 0.03 the one that learned a byline unknown to the shipped model from 12 pages and lost least on 12 to 20 pages
of 1, 2, 3 and 10 sites (2026-11)."""
SEED = 1


@dataclass(frozen=True, slots=True)
class FieldPage:
    """A page to learn from."""

    dataset: str
    site: str
    setting: Setting  # context for parsing its dates
    nodes: Nodes  # its candidates, described without structured data
    may_hold: Flags  # whether each candidate could hold each field; shape (candidates, fields)
    holds: Flags  # whether it does; same shape
    truth: Fields


def train_learned_fields(
    source: TrainingPages, _progress: Progress, *, start: bool = False, decides: bool = False
) -> TrainedModel:
    """Train `learned-fields` on the pages of `source`, or go on (`start`) from the shipped model.

    A model that `decides` is used also for fields that a page declares.

    Raises:
        LabError: a field is declared by no page, or held by no element.
    """
    pages: list[FieldPage] = []
    for _, of_set in groupby(source.pages, attrgetter("dataset")):
        pages += islice(make_field_pages(of_set), PAGES_A_SET)
    rest = [page for page in pages if not source.is_held_out(page.site)]
    held_out = [page for page in pages if source.is_held_out(page.site)]
    if not any(page.holds.any() for page in pages):
        raise LabError("nothing can be learned: no page has an element that holds a field")
    base = load_linear(FIELDS_MODEL) if start else None
    model = fit_fields(pages, keeps_shipped=source.learns_all, base=base)
    penalty = CORRECTION_PENALTY if start else PENALTY
    how = f"Linear support vector machines (LIBLINEAR), C {penalty:g}, one a field; {COLUMNS} columns"
    return TrainedModel(
        name=FIELDS_MODEL,
        version=MODEL_VERSION,
        features=FEATURES,
        parameters={**bias_parameter(model), **({DECIDES: 1.0} if decides else {})},
        weights=weights_file(model),
        packages=PACKAGES,
        data=source.describe(Counter(page.dataset for page in pages)),
        scores=_score_own(pages, base)
        if source.learns_all
        else {"sites set aside": score_picks(held_out, fit_fields(rest))},
        about=ABOUT,
        source=OWN_SOURCE if source.learns_all else SOURCE,
        how=f"{how}{', added to those of the shipped model' if start else ''}.",
        measure=OWN_MEASURE if source.learns_all else MEASURE,
        use=USE,
    )


def _score_own(pages: Sequence[FieldPage], base: LinearModel | None) -> dict[str, dict[str, float]]:
    """Return the share of right picks by field: cross-validated by site, and of the shipped model."""
    own = dict.fromkeys(FIELDS, Overlap())
    for training, held_out in group_kfold([page.site for page in pages]):
        model = fit_fields([pages[at] for at in training], keeps_shipped=True, base=base)
        counted = count_picks([pages[at] for at in held_out], model)
        own = {field: own[field] + counted[field] for field in FIELDS}
    counts = {"cross-validated": own, "shipped": count_picks(pages, load_linear(FIELDS_MODEL))}
    known = [field for column, field in enumerate(FIELDS) if any(page.holds[:, column].any() for page in pages)]
    return {name: {field: picks[field].scores.recall for field in known} for name, picks in counts.items()}


def make_field_pages(pages: Iterable[GoldPage]) -> Iterator[FieldPage]:
    """Make training examples of `pages`, leaving out those that cannot be parsed or declare no field."""
    for page in pages:
        tree = parse(page.html)
        if isinstance(tree, Rejected):
            continue
        if page.list == TEACH and (page.title or page.date or page.authors):  # labels of a person or of the set
            truth = Fields(title=page.title, published=page.date, authors=page.authors, language=page.language)
        else:
            truth = declared(read_fields(tree, Page.from_html(page.html, page.url)).fields)
        hidden = parse(hide_structured(page.html))
        if isinstance(hidden, Rejected) or not (truth.title or truth.published or truth.authors):
            continue
        nodes = describe_candidates(hidden)
        if not nodes.elements:
            continue
        setting = Setting(None, truth.language)
        may_hold = np.zeros((len(nodes.elements), len(FIELDS)), bool)
        holds = np.zeros_like(may_hold)
        for place, (element, amount) in enumerate(zip(nodes.elements, nodes.amounts, strict=True)):
            text = plain(element.text_content())
            for column, field in enumerate(FIELDS):
                if amount.characters <= LONGEST[field]:
                    may_hold[place, column], holds[place, column] = matches_field(field, text, truth, setting)
        yield FieldPage(page.dataset, page.site, setting, nodes, may_hold, holds, truth)


def declared(fields: Fields) -> Fields:
    """Return title, date and authors as far as structured data gives them; a heading may confirm the title."""
    source = fields.provenance
    return Fields(
        title=fields.title if source.title in STATED | {"heading"} else "",
        published=fields.published if source.published in STATED else "",
        authors=fields.authors if source.authors in STATED else (),
        language=fields.language,
    )


def matches_field(field: str, text: str, truth: Fields, setting: Setting) -> tuple[bool, bool]:
    """Tell whether an element with this text could hold the field, and whether it does."""
    if field == "published":
        days = [date.value[:10] for date in find_dates(text, setting)] if truth.published else []
        return bool(days), truth.published[:10] in days
    letters = squeezed(text)
    if field == "title":
        return bool(truth.title), letters == squeezed(truth.title) != ""
    names = [squeezed(name) for name in truth.authors]
    holds = bool(names) and all(name in letters for name in names)
    return bool(names), holds and len(letters) <= sum(map(len, names)) + BESIDE_NAMES and bool(names_in(text))


def fit_fields(
    pages: Sequence[FieldPage], *, keeps_shipped: bool = False, base: LinearModel | None = None
) -> LinearModel:
    """Fit one linear machine per field, as a model without a name.

    For a field that no page holds, the shipped model's machine is kept (`keeps_shipped`), or training fails. The score
    of the model `base` is one more feature, so what is learned is a correction of it.
    """
    machines: list[LinearModel | LinearSVC] = []
    for column, field in enumerate(FIELDS):
        if with_field := [page for page in pages if page.holds[:, column].any()]:
            generator = np.random.default_rng(SEED)
            others = [page.may_hold[:, column] & ~page.holds[:, column] for page in with_field]
            if not any(other.any() for other in others):  # nothing can be mistaken for it: all other elements
                others = [~page.holds[:, column] for page in with_field]
            places = [
                draw_places(page.holds[:, column], other, NEGATIVES, generator)
                for page, other in zip(with_field, others, strict=True)
            ]
            rows = join_rows([page.nodes for page in with_field], places)
            answers = np.concatenate([page.holds[at, column] for page, at in zip(with_field, places, strict=True)])
            penalty = CORRECTION_PENALTY if base else PENALTY
            machine = LinearSVC(C=penalty, class_weight="balanced", random_state=SEED, max_iter=5_000)
            if base:
                below = base.output(column)
                machine.fit(hstack([rows, BASE_SCALE * (rows @ below.weights.astype(float) + below.bias)]), answers)
                share = BASE_SCALE * machine.coef_[0, -1]
                weights = machine.coef_[:, :-1].T + share * below.weights
                machines.append(LinearModel("", weights, machine.intercept_ + share * below.bias))
            else:
                machines.append(machine.fit(rows, answers))
        elif keeps_shipped:
            machines.append(load_linear(FIELDS_MODEL).output(column))
        else:
            raise LabError(f"nothing can be learned: no page has an element that holds the field {field}")
    return join_machines(machines)


def score_picks(pages: Sequence[FieldPage], model: LinearModel) -> dict[str, float]:
    """Return the share of right picks by field, of the pages where an element holds the field."""
    counted = count_picks(pages, model)
    return {field: picks.scores.recall if picks.gold else 0.0 for field, picks in counted.items()}


def count_picks(pages: Sequence[FieldPage], model: LinearModel, *, two_stages: bool = True) -> dict[str, Overlap]:
    """Count by field, over pages whose field is known: right picks, picks, and pages where an element holds it.

    A pick on a page without such an element is wrong, unless stage two of `pick` reduces it to the right text.
    """
    counted = dict.fromkeys(FIELDS, Overlap())
    for page in pages:
        scores = model.score(page.nodes)
        for column, field in enumerate(FIELDS):
            if getattr(page.truth, field):
                picked = pick(page.nodes, scores[:, column], field, page.setting)
                element, text = picked or (None, "")
                if element is not None and not two_stages:
                    text = plain(element.text_content())
                is_right = matches_field(field, text, page.truth, page.setting)[1]
                holds = is_right or bool(page.holds[:, column].any())
                counted[field] += Overlap(int(is_right), int(picked is not None), int(holds))
    return counted
