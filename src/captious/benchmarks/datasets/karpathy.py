"""The outputs of the M2 Transformer on the Karpathy test split (Cornia et al. 2020)."""

from __future__ import annotations

from pathlib import Path

from captious.benchmarks.data_files import wanted
from captious.corpus import Corpus
from captious.corpus.load import load_corpus


def load_karpathy_m2(folder: Path) -> Corpus:
    """5,000 images with a caption and five references each."""
    return load_corpus(
        wanted(folder, "coco_karpathy/m2_transformer.json"),
        wanted(folder, "coco_karpathy/reference_captions.json"),
    )
