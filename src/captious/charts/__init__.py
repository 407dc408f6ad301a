"""Charts: one look, one grammar and one way to SVG, for reports, pages, exports and papers.

`Figure` is a chart with its words and its table twin; `theme` has the colours, light and dark;
`drawn` makes a figure of any table that says how it is drawn (`captious.tables.Chart`).
"""
