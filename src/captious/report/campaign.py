"""A campaign's report as one HTML page that does not access the network."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING

from captious._version import __version__
from captious.charts.drawn import figure_of, page_figure
from captious.charts.render import can_draw
from captious.charts.theme import DARK, LIGHT, css_variables
from captious.files import atomically
from captious.tables import Table, moment
from captious.tables.html import to_html

if TYPE_CHECKING:
    from captious.campaigns.records import Campaign
    from captious.campaigns.store.database import Database

_PAGE = """\
<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<meta name="color-scheme" content="light dark">
<title>{title}</title>
<style>
{style}
</style>
</head>
<body>
<a class="skip" href="#main">Skip to the results</a>
<header class="top">
<div class="bar"><p class="brand">captious campaign</p></div>
<h1>{title}</h1>
<ul class="facts">{facts}</ul>
</header>
<main id="main">
{sections}
</main>
<footer><p>Made with captious {version}. This page is self-contained.</p></footer>
</body>
</html>
"""


def write_page(
    db: Database, campaign: Campaign, results: Sequence[Table], agreement: Sequence[Table], out: Path
) -> None:
    """Write the page, atomically."""
    from captious.campaigns.quality.control import rater_quality, rater_table
    from captious.campaigns.results import analysis, course

    view = analysis.overview(db, campaign)
    facts = [
        campaign.rules().title,
        f"{view.done:,} of {view.target:,} responses",
        f"{view.raters_active} raters, {view.raters_removed} removed",
        f"state: {campaign.state}",
        f"as of {moment(db.now())}",
    ]
    past = course.progress(db, campaign).tables()
    people = rater_table(rater_quality(db, campaign))
    parts = {
        "Results": [*results, *analysis.results(db, campaign).more()],
        "Agreement": [*agreement, *analysis.agreement(db, campaign).more()],
        "Course": past,
        "Raters": people,
    }
    page = render(campaign.title, facts, parts)
    with atomically(out) as temporary:
        temporary.write_text(page, encoding="utf-8")


def _chart(table: Table) -> str:
    if table.chart is None:
        return ""
    if not can_draw():
        return '<p class="notes">Charts need captious[report].</p>'
    figure = figure_of(table)
    wide, narrow = page_figure(figure)
    how = f'<figcaption class="how">{escape(figure.how)}</figcaption>' if figure.how else ""
    return f'<figure class="drawing">{wide}\n{narrow}{how}</figure>\n'


def render(title: str, facts: Sequence[str], parts: Mapping[str, Sequence[Table]]) -> str:
    """The page as text."""
    sheet = (files("captious.report") / "static" / "report.css").read_text(encoding="utf-8")
    light, dark = css_variables(LIGHT), css_variables(DARK)
    style = f":root {{ {light} }}\n@media (prefers-color-scheme: dark) {{ :root {{ {dark} }} }}\n{sheet}"
    sections = "\n".join(
        f'<section aria-labelledby="{name.lower()}"><h2 id="{name.lower()}">{escape(name)}</h2>\n'
        + "\n".join(to_html(table) + _chart(table) for table in tables)
        + "</section>"
        for name, tables in parts.items()
        if tables
    )
    return _PAGE.format(
        title=escape(title),
        style=style,
        facts="".join(f"<li>{escape(fact)}</li>" for fact in facts),
        sections=sections or "<p>There is nothing to report yet.</p>",
        version=__version__,
    )
