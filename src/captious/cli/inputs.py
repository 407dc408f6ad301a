"""From what was typed to a corpus and metrics, the same way in every command."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

from captious.cli.output import note
from captious.corpus import Corpus, Scores
from captious.corpus.load import load_with_notes
from captious.corpus.readers import PathText
from captious.errors import InputError, UnknownNameError, one_line
from captious.groups import expand, usual
from captious.metric_names import GROUPS, plain_name
from captious.metrics import Asked, Metric, resolve, resolve_all, split_list
from captious.models.encoders.long_texts import check_long


def load(
    candidates: Sequence[PathText],
    references: Sequence[PathText] | None,
    names: Sequence[str] | None,
    images: Path | None = None,
    objects: Path | None = None,
    common: bool = False,
    duplicates: str = "error",
    columns: str = "",
) -> Corpus:
    """Load what was named on the command line, and say what a reader should know of it."""
    from captious.corpus.shards.places import files_of

    def typed(places: Sequence[PathText]) -> list[Path]:
        """Paths, not texts: what is typed is a file, whatever it looks like; a pattern is its files."""
        return [Path(one) for place in places for one in files_of(place) or [str(place)]]

    loaded = load_with_notes(
        typed(candidates),
        typed(references) if references else None,
        names=names,
        images=images,
        objects=objects,
        common=common,
        columns=roles(columns),
        duplicates=duplicates,  # type: ignore[arg-type]  # load_with_notes refuses what is unknown
    )
    for line in loaded.notes:
        note(line)
    return loaded.corpus


def roles(text: str) -> dict[str, str]:
    """The columns that `ROLE=NAME,…` names.

    >>> roles("image=Image File,caption=Alt Text, in English")
    {'image': 'Image File', 'caption': 'Alt Text, in English'}
    """
    found = dict(part.partition("=")[::2] for part in re.split(r",\s*(?=\w+=)", text) if part)
    if any(not role.strip() or not name.strip() for role, name in found.items()):
        raise InputError(f'--columns "{one_line(text)}": write ROLE=NAME, for example caption="Alt Text".')
    return {role.strip(): name.strip() for role, name in found.items()}


def with_encoders(corpus: Corpus, given: Sequence[str]) -> Corpus:
    """The corpus with the encoders that `SYSTEM=ENCODER` options declare."""
    declared = dict(corpus.encoders)
    for text in given:
        system, equals, encoder = (part.strip() for part in text.partition("="))
        if not equals or not encoder:
            raise InputError(
                f'--system-encoder "{one_line(text)}": write SYSTEM=ENCODER, for example clipcap=CLIP.'
            )
        if system not in corpus.systems:
            raise UnknownNameError("system", system, corpus.systems)
        declared[system] = encoder
    return replace(corpus, encoders=declared) if given else corpus


def metrics(
    text: str | Sequence[Asked],
    df: Path | None = None,
    corpus: Corpus | None = None,
    long: str | None = None,
    any_language: bool = False,
) -> list[Asked]:
    """The metrics that were asked for, groups by their members; without any, the usual ones."""
    named = asked(text) if isinstance(text, str) else text
    chosen = expand(named or usual(corpus), corpus, frequencies=df is not None, any_language=any_language)
    for line in chosen.reasons():
        note(line)
    wanted = chosen.metrics
    if not wanted and chosen.left_out:
        first, why = next(iter(chosen.left_out.items()))
        why = why if why.endswith(".") else f"{why}."
        raise InputError(
            f"none of these metrics can run. The first, {first}: {why} Name others with --metrics."
        )
    if df is not None:
        wanted, used = _with_option(wanted, "df", str(df))
        if not used:
            note(f"--df {df} is not used: none of these metrics uses document frequencies.")
    if long is not None:
        wanted = _with_long(wanted, long)
    if any_language:
        wanted, _ = _with_option(wanted, "any_language", "yes")
    return wanted


def _with_long(wanted: list[Asked], long: str) -> list[Asked]:
    """The metrics with the option `long` set where they have a limit; refused where one does not offer it.

    A limit in words is kept, whatever `long` says, where another metric offers it.
    """
    check_long(long)
    found, refusals, used = list(wanted), dict[str, str](), False
    for place, one in enumerate(wanted):
        metric = resolve(one)
        if metric.longest is None:
            continue
        if refusal := refused_long(metric, long):
            refusals.setdefault(metric.longest.unit, refusal)
            continue
        used = True
        if metric.longest.default != long or getattr(metric, "long", long) != long:
            found[place] = _with_option([one], "long", long)[0][0]
    if refusal := refusals.get("tokens") or (refusals.get("words", "") if not used else ""):
        raise InputError(refusal)
    if not used:
        note(f"--long {long} is not used: none of these metrics has a limit.")
    return found


def refused_long(metric: Metric, long: str) -> str:
    """Why a metric with a limit cannot treat long texts so; empty where it can, or has no limit.

    >>> refused_long(resolve("spice"), "chunk")
    '--long chunk: spice does not offer it; beyond 5,000 words it knows error. Leave --long out.'
    """
    if metric.longest is None or long in metric.longest.beyond:
        return ""
    known = " or ".join(metric.longest.beyond)
    return (
        f"--long {long}: {metric.name} does not offer it; beyond {metric.longest} it knows {known}. "
        "Leave --long out."
    )


def words(text: str) -> list[str]:
    """Split at commas.

    >>> words("precision, recall,")
    ['precision', 'recall']
    """
    return [word.strip() for word in text.split(",") if word.strip()]


def asked(text: str) -> list[Asked]:
    """The names that were typed; `module:function` is imported."""
    if ":" not in text:
        return list(split_list(text))
    from captious.metrics.function import imported, is_function

    return [imported(name) if is_function(name) else name for name in split_list(text)]


def known(text: str) -> list[Asked]:
    """The names that were typed, refused before files are read where one is no metric."""
    found = asked(text)
    named = [name for name in found if not isinstance(name, str) or plain_name(name) not in GROUPS]
    if named or (text and not found):
        resolve_all(named)
    return found


def _with_option(wanted: list[Asked], option: str, value: str) -> tuple[list[Asked], bool]:
    """The metrics with an option set where they have it, and whether any has."""
    found: list[Asked] = []
    for one in wanted:
        metric = resolve(one)
        if option not in {own.name for own in fields(metric)}:
            found.append(one)
        elif isinstance(one, str) and "[" in one and value.isalpha():  # brackets tell it from others
            found.append(f"{one.rstrip(']')},{option}={value}]")
        else:
            given: dict[str, Any] = {option: True if value == "yes" else value}
            found.append(replace(metric, **given))
    return found, found != wanted


def refuse_options(given: Mapping[str, object], why: str) -> None:
    """Refuse the options that were given, which do not belong to this file."""
    for name, value in given.items():
        if value:
            raise InputError(f"{name} {why}. Leave it out.")


def limits(given: Sequence[str]) -> dict[str, float]:
    """The least score of each metric, as `METRIC=VALUE` says it.

    >>> limits(["CIDEr=1.1", "cider[n=2]=0.5"])
    {'cider': 1.1, 'cider[n=2]': 0.5}
    """
    found = {}
    for text in given:
        name, _, value = text.rpartition("=")
        try:
            found[plain_name(name)] = float(value)
        except ValueError:
            name = ""
        if not name:
            raise InputError(f'--fail-under "{one_line(text)}": write METRIC=VALUE, for example cider=1.1.')
    return found


def below(scores: Scores, least: Mapping[str, float]) -> list[str]:
    """A line for each score that is worse than it should be."""
    lines = []
    for name, wanted in least.items():
        if name not in scores.metrics:
            raise InputError(f"--fail-under: {name} is not scored. Name it in --metrics too.")
        better = scores[name].metric.higher_is_better
        for system, value in scores[name].systems.items():
            if not (value.score >= wanted if better else value.score <= wanted):
                side = "below" if better else "above"
                lines.append(f"{system}: {name} is {value.score:.4g}, {side} {wanted:g}")
    return lines


def refuse_beside_scores(**others: object) -> None:
    """Refuse what `--scores` has already or cannot use: it is of captions that were scored before."""
    given = [f"--{name.replace('_', '-')}" for name, value in others.items() if value]
    if given:
        raise InputError(f"--scores already contains captions and scores. Leave out {' and '.join(given)}.")
