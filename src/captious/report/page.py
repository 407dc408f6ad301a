"""The page: figures, tables and cards through the templates into one HTML text."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Mapping, Sequence
from hashlib import sha256
from importlib.resources import files
from typing import Any, NamedTuple

from captious._version import __version__
from captious.charts.marked_text import MARKED_CSS
from captious.charts.render import Figure, page_svg
from captious.charts.theme import DARK, LIGHT, MARKS, css_variables
from captious.corpus import Findings
from captious.explanation import drawing, style_sheet
from captious.report.cards import first_cards
from captious.report.explained import MARKED, legend
from captious.report.explorer import Explorer
from captious.report.figures import Figures
from captious.report.study import Study
from captious.tables.html import to_html

SCRIPTS = ("page.js", "explorer.js")
STYLES = ("report.css",)


class Section(NamedTuple):
    """A part of the page with its own heading."""

    key: str
    title: str
    figures: list[Figure]


def render_page(
    study: Study,
    figures: Figures,
    explorer: Explorer,
    *,
    title: str,
    beside: bool,
    findings: Sequence[Findings] = (),
) -> str:
    """The whole page as text. Names, ids and captions are escaped by the templates."""
    from jinja2 import Environment, PackageLoader
    from markupsafe import Markup

    environment = Environment(loader=PackageLoader("captious.report"), autoescape=True)
    environment.filters["table"] = lambda table, **how: Markup(to_html(table, **how))
    script = "\n".join(_static(name) for name in SCRIPTS)
    digest = b64encode(sha256(script.encode()).digest()).decode()
    judged = study.judged
    text = environment.get_template("report.html").render(
        title=title,
        version=__version__,
        facts=_facts(study, findings),
        judged=judged is not None,
        judgments_note=judged.note if judged else "",
        summary=_summary(figures),
        sections=_sections(figures),
        drawings={f.key: Markup(_drawing(f)) for f in figures.all},
        system_table=figures.table,
        cautions=list(dict.fromkeys(line for one in study.scores.metrics.values() for line in one.notes)),
        signatures=[(name, metric.signature) for name, metric in study.scores.metrics.items()],
        cards=first_cards(explorer),
        images=len(explorer.data["images"]),
        count=_count(explorer),
        marks=MARKS,
        payload=Markup(safe_json(_without_shown(explorer))),
        legend=legend(findings),
        opened=MARKED,
        style=Markup("\n".join([*map(_static, STYLES), style_sheet(), MARKED_CSS])),
        script=Markup(script),
        script_hash=Markup(f"sha256-{digest}"),
        light=Markup(css_variables(LIGHT | drawing.variables(drawing.LIGHT))),
        dark=Markup(css_variables(DARK | drawing.variables(drawing.DARK))),
        beside=beside,
    )
    return text.lstrip()


def safe_json(data: Any) -> str:
    """JSON that cannot end the `script` element around it.

    >>> safe_json({"caption": "</script>"})
    '{"caption":"\\\\u003c/script\\\\u003e"}'
    """
    import orjson

    text = orjson.dumps(data).decode()
    for character in "<>&\u2028\u2029":
        text = text.replace(character, f"\\u{ord(character):04x}")
    return text


def _sections(figures: Figures) -> list[Section]:
    sections = [
        Section("systems", "Systems", figures.systems),
        Section("correlation", "Metrics and judgments", figures.correlations),
        Section("ranking", "Rankings", figures.rankings),
        Section("distribution", "Distributions", figures.distributions),
        Section("raters", "Agreement between raters", figures.raters),
    ]
    if not figures.distributions:
        sections[1] = sections[1]._replace(title="Metrics")
    return [section for section in sections if section.figures]


def _summary(figures: Figures) -> list[str]:
    leading = [*figures.systems, *figures.correlations[:1], *figures.rankings, *figures.raters]
    return [figure.finding for figure in leading]


def _drawing(figure: Figure) -> str:
    wide = page_svg(figure.wide, figure.alternative, "wide", figure.key)
    return wide + page_svg(figure.narrow, figure.alternative, "narrow", figure.key)


def _facts(study: Study, findings: Sequence[Findings]) -> list[str]:
    corpus = study.corpus
    images = len(set(corpus.image_of.tolist()))
    facts = [_many(images, "image"), _many(len(study.systems), "system"), _many(len(corpus), "caption")]
    counts = corpus.reference_counts
    low, high = int(counts.min()), int(counts.max())
    if high:
        facts.append(f"{low if low == high else f'{low} to {high}'} references each")
    facts.append(_many(len(study.scores), "metric"))
    if study.judged is not None:
        raters = [rater for rater in study.judged.raters if rater]
        by = f" by {_many(len(raters), 'rater')}" if raters else ""
        facts.append(f"{study.judged.count:,} {study.judged.label}{by}")
    if findings:
        sources = {source for one in findings for source in one.sources}
        facts.append(f"{_many(sum(map(len, findings)), 'finding')} by {_many(len(sources), 'source')}")
    return facts


def _many(count: int, noun: str) -> str:
    return f"{count:,} {noun}{'' if count == 1 else 's'}"


def _count(explorer: Explorer) -> str:
    images = explorer.data["images"]
    captions = sum(len(image["rows"]) for image in images)
    return f"{_many(len(images), 'image')}, {captions:,} captions"


def _without_shown(explorer: Explorer) -> Mapping[str, Any]:
    """The data without the photographs and panels that the page itself holds already."""
    images = list(explorer.data["images"])
    for place in explorer.first:
        image = {key: value for key, value in images[place].items() if key != "src"}
        image["rows"] = [{key: value for key, value in row.items() if key != "p"} for row in image["rows"]]
        images[place] = image
    return {**explorer.data, "images": images}


def _static(name: str) -> str:
    return (files("captious.report") / "static" / name).read_text(encoding="utf-8")
