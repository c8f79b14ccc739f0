"""The formats by name. Adding one is a module, an entry here and in `ExportFormat`, and a test."""

from collections.abc import Callable, Mapping
from pathlib import Path

from newscorpus.config import ExportFormat
from newscorpus.corpus.export import dolma, hf, parquet, tei, text, vertical
from newscorpus.corpus.export.source import Source

Write = Callable[[Source, Path], None]
"""Writes a corpus into an empty folder; reads each part once, and holds few documents in memory."""

FORMATS: Mapping[ExportFormat, Write] = {
    ExportFormat.HF: hf.write,
    ExportFormat.DOLMA: dolma.write,
    ExportFormat.PARQUET: parquet.write,
    ExportFormat.VERTICAL: vertical.write,
    ExportFormat.TEI: tei.write,
    ExportFormat.TEXT: text.write,
}
