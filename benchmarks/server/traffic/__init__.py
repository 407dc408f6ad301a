"""Simulated raters over real HTTP, for the scripts of this folder.

The server is `captious serve` in a process of its own, of this tree or of another release. Each
rater is a browser with one connection: it opens its link, fetches the page, thinks, submits and
goes on. The client is a plain asyncio protocol, so that it takes little of the processors that it
shares with the server.
"""
