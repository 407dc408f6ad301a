"""The options of `captious serve`, but for those of its scoring service."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

Database = Annotated[
    str,
    typer.Option(
        "--database",
        envvar="CAPTIOUS_DATABASE",
        help="File (SQLite) or postgresql://… address of the campaigns; made on first use.",
    ),
]
Files = Annotated[
    Path | None,
    typer.Option(
        "--files", envvar="CAPTIOUS_FILES", help="Folder of the images; by default beside an SQLite file."
    ),
]
Host = Annotated[str, typer.Option("--host", help="Address to listen on; 0.0.0.0 for every network.")]
Port = Annotated[int, typer.Option("--port", min=0, max=65535, help="0 for any free one.")]
BaseUrl = Annotated[
    str,
    typer.Option(
        "--base-url",
        envvar="CAPTIOUS_BASE_URL",
        help="Where people reach it, for "
        "links: https://rate.example.org. With https, cookies travel by https only.",
    ),
]
Workers = Annotated[int, typer.Option("--workers", min=1, help="Server processes.")]
Demo = Annotated[
    bool,
    typer.Option("--demo", help="A campaign of each protocol with made-up answers, in a temporary folder."),
]
Browse = Annotated[bool, typer.Option("--open", help="Open it in a browser.")]
Log = Annotated[str, typer.Option("--log", envvar="CAPTIOUS_LOG", help="Lines on stderr: plain or json.")]
TrustedProxies = Annotated[
    str,
    typer.Option(
        "--trusted-proxies",
        envvar="CAPTIOUS_TRUSTED_PROXIES",
        help="Addresses or networks of proxies whose X-Forwarded-For is believed: 127.0.0.1,10.0.0.0/8.",
    ),
]
AllowedHosts = Annotated[
    str,
    typer.Option(
        "--allowed-hosts",
        envvar="CAPTIOUS_ALLOWED_HOSTS",
        help="Names under which it may be asked for; by default that of --base-url and this machine.",
    ),
]
