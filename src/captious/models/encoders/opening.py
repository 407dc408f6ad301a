"""From a name to an embedder: published weights, a folder or file of them, or a file of vectors."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from importlib.util import find_spec
from os import getpid
from pathlib import Path

from captious.errors import InputError, MissingDependencyError
from captious.files import cache_folder
from captious.models import locate, weights
from captious.models.encoders import sentence
from captious.models.encoders.base import EmbeddedImages, EmbeddedTexts, Embedder, ImageFile
from captious.models.encoders.feature_file import FeatureFile, is_feature_file
from captious.models.encoders.model_embedder import ModelEmbedder
from captious.models.encoders.recipe import Recipe
from captious.models.encoders.tokeniser import Tokeniser, packaged_tokeniser, read_tokeniser
from captious.models.encoders.vision_text import DTYPES, Layout, VisionText, layout_of

_PACKAGES = ("torch", "transformers", "tokenizers", "PIL")
# Longer names first: a name that holds "siglip" is no CLIP.
FAMILIES = ("siglip", "mobileclip", "clip", "blip", "vilbert", "vilt", "dino", "vse")


def family_of(name: str) -> str:
    """The kind of encoder that a name speaks of; empty where it names none that is known.

    >>> family_of("CLIP ViT-B/32"), family_of("google/siglip-base-patch16-224"), family_of("ResNet-101")
    ('clip', 'siglip', '')
    """
    folded = name.lower()
    return next((family for family in FAMILIES if family in folded), "")


def open_embedder(name: str, *, device: str = "cpu", dtype: str = "float32", cache: bool = True) -> Embedder:
    """The embedder of a name: weights of `captious.models.weights`, a path, a sentence encoder.

    What is open is remembered for this process alone: threads do not survive a fork. It is opened
    again where the name leads to other files.
    """
    if name in locate.CARRIERS:
        return _sentence(name, getpid())
    path = Path(name).expanduser()
    if path.exists() and is_feature_file(path):
        return _features(path, _changed(path))
    if dtype not in DTYPES:
        raise InputError(f'dtype "{dtype}" is not known. Give {", ".join(DTYPES)}.')
    known = weights.known(name)
    home = cache_folder() if cache else None
    if weights.search(name) is None:
        _require_packages(name)  # as `ready` says it, and before anything is fetched
    found = weights.find(name)
    return _open(name, found, known, device, dtype, home, getpid(), _changed(found.path))


def ready(name: str) -> None:
    """Raise `MissingDependencyError` where weights or packages are absent; loads nothing."""
    if name in locate.CARRIERS:
        sentence.ready(name, "auto")
        return
    path = Path(name).expanduser()
    if path.exists() and is_feature_file(path):
        return
    _require_packages(name)
    if weights.search(name) is None and not weights.allowed():
        weights.find(name)


def _require_packages(name: str) -> None:
    for package in _PACKAGES:
        if find_spec(package) is None:
            raise MissingDependencyError(f'the encoder "{name}" needs {package}', "models")


def _changed(path: Path) -> tuple[int, ...]:
    """When the files of a path were last written."""
    files = sorted(path.iterdir()) if path.is_dir() else [path]
    return tuple(file.stat().st_mtime_ns for file in files)


@lru_cache(maxsize=2)
def _sentence(name: str, process: int) -> Embedder:
    return SentenceEmbedder(name)


@lru_cache(maxsize=4)
def _features(path: Path, changed: tuple[int, ...]) -> Embedder:
    return FeatureFile(path)


@lru_cache(maxsize=4)
def _open(
    name: str,
    found: weights.Found,
    known: weights.Known | None,
    device: str,
    dtype: str,
    home: Path | None,
    process: int,
    changed: tuple[int, ...],
) -> Embedder:
    layout = layout_of(found.path, *((known.side, known.limit) if known is not None else ()))
    base = _base(known)
    tokeniser = _tokeniser(found.path, layout, base)
    loaded = None
    if found.path.is_file() and known is None:  # only the weights say what they are for
        loaded = VisionText(layout, device, dtype, base)
        layout = layout._replace(recipe=Recipe(loaded.side, loaded.side), limit=loaded.limit)
    label = label_of(name, found, layout)
    return ModelEmbedder(
        label, layout, tokeniser, device=device, dtype=dtype, cache=home is not None, base=base, loaded=loaded
    )


def label_of(name: str, found: weights.Found, layout: Layout) -> str:
    """What a signature says of weights: their name, and the hub's revision or a digest of the file."""
    known = weights.known(name)
    shown = known.name if known is not None else name
    if found.place == "path":
        shown = found.path.resolve().name
    mark = found.revision[:8] or locate.digest(layout.weights)
    return f"{shown}@{mark}"


def _base(known: weights.Known | None) -> Path | None:
    """The folder of the model that known weights were tuned from, where it is here."""
    if known is None or not known.base:
        return None
    found = weights.search(known.base)
    if found is None and weights.allowed():
        found = weights.fetch(known.base)
    return found.path if found is not None else None


def _tokeniser(path: Path, layout: Layout, base: Path | None) -> Tokeniser:
    """The model's own tokeniser; for single files of CLIP any CLIP's, which are all the same."""
    clip = layout.family == "clip"
    own = read_tokeniser(path if path.is_dir() else path.parent, clip=clip)
    if own is not None:
        return own
    if path.is_dir() and not clip:
        raise InputError(f"{path}: contains no tokenizer.json. Download the model again.")
    others = [
        weights.search(known.name)
        for known in weights.KNOWN.values()
        if clip and family_of(known.hub) == "clip"
    ]
    for folder in (base, *(found.path for found in others if found is not None)):
        borrowed = read_tokeniser(folder) if folder is not None and folder.is_dir() else None
        if borrowed is not None:
            return borrowed
    return packaged_tokeniser()


class SentenceEmbedder:
    """A sentence encoder as an embedder of texts; it has no images."""

    family = ""

    def __init__(self, name: str) -> None:
        self._name = name
        self._encoder = sentence.load_encoder(name)

    @property
    def windows(self) -> str:
        """The label of the windows that it reads a long text in."""
        return sentence.windows_of(sentence.sentence_limit(self._encoder))

    def facts(self) -> dict[str, str]:
        """Name and weights of the encoder."""
        return {"enc": self._encoder.label, "backend": self._encoder.backend}

    def images(self, images: Sequence[ImageFile]) -> EmbeddedImages:
        """Refused: a sentence encoder sees no images."""
        raise InputError(f"{self._name}: is a sentence encoder and cannot read images. Use one such as CLIP.")

    def texts(self, texts: Sequence[str], long: str, prompt: str = "") -> EmbeddedTexts:
        """Sentence vectors of the texts."""
        whole = [f"{prompt} {text}" if prompt else text for text in texts]
        made = sentence.sentence_vectors(self._encoder, whole, long)
        return EmbeddedTexts(made.pooled, made.beyond)
