"""Tables of a meta-evaluation."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import replace

from captious.benchmarks.meta_evaluation.result import MetaResult, Value
from captious.tables import Cell, Number, Table, p_value, with_interval


def tables(results: list[MetaResult]) -> list[Table]:
    """The protocol first, then a table for each aspect, then the differences."""
    return [_protocol(results), *_values_and_differences(results)]


def latex_tables(results: list[MetaResult]) -> list[Table]:
    """The same for a paper: the protocol stands in comments."""
    said = [f"protocol {results[0].benchmark}"]
    said += [f"{name}: {value}" for name, value in _protocol(results).rows]
    first, *rest = _values_and_differences(results)
    return [_with_notes(first, before=said), *rest]


def _values_and_differences(results: list[MetaResult]) -> list[Table]:
    same = len({tuple(result.results) for result in results}) == 1
    if len(results) > 1 and same and all(_single(result) for result in results):
        values = [_side_by_side(results)]
    else:
        values = [_values(result, several=len(results) > 1) for result in results]
    values[-1] = _with_notes(values[-1], after=results[0].signatures.values())
    return [*values, *(_differences(result) for result in results if result.differences)]


def by_value(column: str, parts: dict[str, list[MetaResult]]) -> list[Table]:
    """A row for each value, aspect and metric."""
    if not parts:
        return []
    first = next(iter(parts.values()))[0]
    names = list(next(iter(first.results.values())))
    rows: list[list[Cell]] = [
        [
            value,
            str(result.protocol["aspect"]),
            metric,
            result.n,
            *(_number(own[name], best=False) for name in names),
        ]
        for value, results in parts.items()
        for result in results
        for metric, own in result.results.items()
    ]
    reasons = [line for results in parts.values() for result in results for line in _reasons(result)]
    header = [column, "aspect", "metric", "n", *names]
    return [Table(f"by {column}", header, rows, "\n".join(dict.fromkeys(reasons)))]


def _with_notes(table: Table, before: Iterable[str] = (), after: Iterable[str] = ()) -> Table:
    return replace(table, note="\n".join([*before, *table.notes, *after]))


def _single(result: MetaResult) -> bool:
    return all(len(values) == 1 for values in result.results.values())


def long_table(results: list[MetaResult]) -> Table:
    """A row for each aspect, metric and coefficient, for programs."""
    rows: list[list[Cell]] = []
    for result in results:
        for metric, values in result.results.items():
            for name, value in values.items():
                ends = [Number(end, str(end)) for end in (value.value, value.low, value.high)]
                aspect = result.protocol.get("aspect", "")
                rows.append([result.benchmark, aspect, metric, name, *ends, value.n])
    header = ["benchmark", "aspect", "metric", "coefficient", "value", "low", "high", "n"]
    return Table("", header, rows)


def _protocol(results: list[MetaResult]) -> Table:
    first = results[0].protocol
    if len(results) > 1:
        first = first | {"aspect": [result.protocol["aspect"] for result in results]}
    rows: list[list[Cell]] = [
        [key.replace("_", " "), _shown(value)] for key, value in first.items() if key != "name"
    ]
    return Table("", ["protocol", results[0].benchmark], rows)


def _shown(value: object) -> str:
    if isinstance(value, dict):
        return ", ".join(f"{key}={one}" for key, one in value.items())
    if isinstance(value, list):
        return ", ".join(str(one) for one in value)
    return str(value)


def _values(result: MetaResult, *, several: bool) -> Table:
    names = list(next(iter(result.results.values())))
    best = {name: _best(result, name) for name in names}
    rows: list[list[Cell]] = [
        [metric, *(_number(values[name], metric == best[name]) for name in names)]
        for metric, values in result.results.items()
    ]
    title = str(result.protocol["aspect"]) if several else ""
    return Table(title, [f"metric, n = {result.n:,}", *names], rows, "\n".join(_reasons(result)))


def _side_by_side(results: list[MetaResult]) -> Table:
    """Aspects as columns, where there is one coefficient: the layout of THumB's Table 4."""
    name = next(iter(next(iter(results[0].results.values()))))
    best = [_best(result, name) for result in results]
    rows: list[list[Cell]] = [
        [
            metric,
            *(
                _number(result.results[metric][name], metric == top)
                for result, top in zip(results, best, strict=True)
            ),
        ]
        for metric in results[0].results
    ]
    header = [f"{name}, n = {results[0].n:,}", *(str(r.protocol["aspect"]) for r in results)]
    return Table("", header, rows, "\n".join([line for result in results for line in _reasons(result)]))


def _reasons(result: MetaResult) -> list[str]:
    """Why a value is not there, in words."""
    return sorted(
        f"{metric}, {name}: {value.reason}"
        for metric, values in result.results.items()
        for name, value in values.items()
        if value.reason
    )


def _best(result: MetaResult, name: str) -> str:
    defined = {
        metric: values[name].value
        for metric, values in result.results.items()
        if not math.isnan(values[name].value)
    }
    return max(defined, key=lambda metric: defined[metric]) if len(defined) > 1 else ""


def _number(value: Value, best: bool) -> Number:
    return with_interval(value.value, value.low, value.high, percent=True, best=best)


def _differences(result: MetaResult) -> Table:
    rows: list[list[Cell]] = []
    for pair in result.differences:
        rows.append(
            [
                f"{pair.a} - {pair.b}",
                pair.coefficient,
                with_interval(pair.difference, pair.low, pair.high, percent=True),
                p_value(pair.p_bootstrap),
                p_value(pair.p_williams),
            ]
        )
    header = ["pair", "coefficient", "difference", "p bootstrap", "p Williams"]
    return Table(f"{result.benchmark}: differences between metrics", header, rows)
