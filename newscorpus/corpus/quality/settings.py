"""The configuration of filters and masks, from a TOML file."""

import dataclasses
import tomllib
from collections.abc import Collection, Iterable
from pathlib import Path
from typing import Any

import msgspec

from newscorpus.config import QualityConfig
from newscorpus.corpus.errors import CorpusError
from newscorpus.corpus.masking import KINDS
from newscorpus.corpus.quality.judge import FILTERS


def read_quality(path: Path) -> QualityConfig:
    """The configuration in a file, whose keys are those of `QualityConfig`; what it leaves out is as by default.

    Raises:
        CorpusError: the file cannot be read, has an unknown key or a wrong value; the message names file and key.
    """
    try:
        table = tomllib.loads(path.read_text("utf-8"))
    except OSError as error:
        raise CorpusError(f"{path}: {error.strerror}") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise CorpusError(f"{path}: not valid TOML: {error}") from error
    _check(path, "key", table, [field.name for field in dataclasses.fields(QualityConfig)])
    try:
        config = msgspec.convert(table, QualityConfig)
    except msgspec.ValidationError as error:
        what, _, where = str(error).rpartition(" - at `$.")
        raise CorpusError(f"{path}: {where.rstrip('`')}: {what}") from error
    _check(path, "filter in off:", config.off, FILTERS)
    _check(path, "kind in mask:", config.mask, KINDS)
    return config


def changed_settings(config: QualityConfig) -> dict[str, Any]:
    """What a configuration has other than by default, as a file would say it."""
    values, defaults = dataclasses.asdict(config), dataclasses.asdict(QualityConfig())
    return {name: value for name, value in values.items() if value != defaults[name]}


def _check(path: Path, what: str, names: Iterable[str], known: Collection[str]) -> None:
    """Refuse a name that is not known."""
    if unknown := [name for name in names if name not in known]:
        raise CorpusError(f"{path}: unknown {what} {unknown[0]}; known: {', '.join(known)}")
