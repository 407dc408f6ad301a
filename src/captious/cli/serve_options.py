"""The options of `captious serve`, except those of its scoring service."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

Database = Annotated[
    str,
    typer.Option(
        "--database",
        metavar="DATABASE",
        envvar="CAPTIOUS_DATABASE",
        help="SQLite file or postgresql://… address of the campaigns; created on first use.",
    ),
]
Files = Annotated[
    Path | None,
    typer.Option(
        "--files",
        metavar="DIR",
        envvar="CAPTIOUS_FILES",
        help="Folder of the images. Default: next to the SQLite file.",
    ),
]
Host = Annotated[
    str, typer.Option("--host", metavar="ADDRESS", help="Address to listen on; 0.0.0.0 for all networks.")
]
Port = Annotated[
    int, typer.Option("--port", metavar="N", min=0, max=65535, help="Port to listen on; 0 for any free port.")
]
BaseUrl = Annotated[
    str,
    typer.Option(
        "--base-url",
        metavar="URL",
        envvar="CAPTIOUS_BASE_URL",
        help="Public address, used in links: https://rate.example.org. With https, cookies are sent over "
        "https only. Default: from --host and --port.",
    ),
]
Workers = Annotated[int, typer.Option("--workers", metavar="N", min=1, help="Number of server processes.")]
Demo = Annotated[
    bool,
    typer.Option(
        "--demo", help="Run a demo: one campaign per protocol with simulated answers, in a temporary folder."
    ),
]
Browse = Annotated[bool, typer.Option("--open", help="Open the application in a browser.")]
Log = Annotated[
    str,
    typer.Option(
        "--log",
        metavar="plain|json",
        envvar="CAPTIOUS_LOG",
        help="Format of the log on stderr: plain or json.",
    ),
]
TrustedProxies = Annotated[
    str,
    typer.Option(
        "--trusted-proxies",
        metavar="LIST",
        envvar="CAPTIOUS_TRUSTED_PROXIES",
        help="Addresses or networks of proxies whose X-Forwarded-For is trusted: 127.0.0.1,10.0.0.0/8.",
    ),
]
AllowedHosts = Annotated[
    str,
    typer.Option(
        "--allowed-hosts",
        metavar="LIST",
        envvar="CAPTIOUS_ALLOWED_HOSTS",
        help="Host names that requests may use, separated by commas. Default: the host of --base-url, and "
        "this machine.",
    ),
]
