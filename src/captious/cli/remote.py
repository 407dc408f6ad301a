"""`captious score --server`: the same table, computed by a scoring service."""

from __future__ import annotations

import os
from dataclasses import fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from captious.corpus import Corpus, Scores

TOKEN = "CAPTIOUS_TOKEN"

Server = Annotated[
    str,
    typer.Option(
        "--server", metavar="URL", help="Use a scoring service, http://HOST:PORT, instead of this machine."
    ),
]
TokenFile = Annotated[
    Path | None,
    typer.Option("--token-file", metavar="FILE", help=f"File with the service's token. Default: ${TOKEN}."),
]


def refuse_without_server(server: str, token_file: Path | None) -> None:
    """Refuse an option that only a service uses."""
    from captious.errors import InputError

    if token_file is not None and not server:
        raise InputError("--token-file only works with --server. Add --server URL, or leave it out.")


def score_at(
    server: str,
    token_file: Path | None,
    corpus: Corpus,
    metrics: str,
    options: dict[str, str | None],
    *,
    resamples: int,
    level: float,
    seed: int,
    findings: bool,
) -> Scores:
    """Scores of a service; `options` are set where a metric has them, as `--df` and `--long` do."""
    from captious.client import Client
    from captious.groups import GROUPS, usual
    from captious.metrics import split_list

    wanted = split_list(metrics or usual(corpus))
    spelled = {_with_options(name, options) if name not in GROUPS else name: name for name in wanted}
    client = Client(server, _token(token_file))
    scores = client.score(
        corpus, list(spelled), resamples=resamples, level=level, seed=seed, findings=findings
    )
    renamed = {
        spelled.get(name, name): replace(found, name=spelled.get(name, name))
        for name, found in scores.metrics.items()
    }
    if scores.found is not None:
        own = replace(scores.found, sources=[spelled.get(name, name) for name in scores.found.sources])
        scores = replace(scores, found=own)
    return replace(scores, metrics=renamed)


def _with_options(name: str, options: dict[str, str | None]) -> str:
    from captious.metrics import find
    from captious.metrics.registry import name_and_options

    plain, given = name_and_options(name)
    known = find(plain)
    own = {field.name for field in fields(known)} if known is not None else set()
    more = [f"{option}={value}" for option, value in options.items() if value is not None and option in own]
    return f"{plain}[{','.join([*filter(None, [given]), *more])}]" if more else name


def _token(path: Path | None) -> str:
    from captious.errors import InputError

    if path is None:
        return os.environ.get(TOKEN, "")
    try:
        token = path.read_text("utf-8").strip()
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"{path}: the token cannot be read ({error}).") from None
    if not token or not token.isascii() or not token.isprintable() or " " in token:
        raise InputError(f"{path}: contains no token. The file must contain only the token.")
    return token
