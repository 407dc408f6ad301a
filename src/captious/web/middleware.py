"""What stands around an application, be it whole or the scoring service alone.

From the outside in: proxies are believed or not, the path of the site is taken off, the request is
counted and logged, its host and size are checked and the answer gets its headers.
"""

from __future__ import annotations

from starlette.applications import Starlette

from captious.web.guard.headers_and_limits import Guard, Most, Proxies, Refuse
from captious.web.guard.prefix import Prefix, prefix_of
from captious.web.observe.observer import Metrics, Observer
from captious.web.settings import Reach


def surround(app: Starlette, reach: Reach, *, most: Most, refuse: Refuse) -> None:
    """Let every request pass through proxies, path, log, limits and headers."""
    app.state.settings, app.state.metrics = reach, Metrics()
    app.add_middleware(Guard, reach=reach, most=most, refuse=refuse)
    app.add_middleware(Observer, metrics=app.state.metrics)
    if prefix_of(reach.base_url):
        app.add_middleware(Prefix, prefix=prefix_of(reach.base_url))
    app.add_middleware(Proxies, trusted=reach.trusted_proxies)
