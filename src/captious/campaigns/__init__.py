"""Human campaigns: items, raters, assignments and an append-only log of responses, in a database.

Each module is one room: `create`, `lifecycle`, `raters`, `links`, `accounts`, `assignment`,
`responses`, `images`, `log`, `backup`. Every function takes the `Database` first and is one
transaction.
"""
