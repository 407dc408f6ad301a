"""A page to see, and the ways to one."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from playwright.sync_api import Page

from screens.site import Site

Visit = Callable[[Page, Site], None]


@dataclass(frozen=True)
class Stop:
    """A page to see; `photo` pictures are JPEG, the others PNG."""

    name: str
    visit: Visit
    photo: bool = False
    script: bool = True

    @property
    def file(self) -> str:
        """The picture's ending."""
        return "jpg" if self.photo else "png"


def public(address: str) -> Visit:
    def visit(page: Page, site: Site) -> None:
        page.goto(site.address + address)

    return visit


def admin(path: str, protocol: str = "") -> Visit:
    def visit(page: Page, site: Site) -> None:
        site.sign_in(page.context)
        slug = f"/c/{site.slug(protocol)}" if protocol else ""
        page.goto(f"{site.address}/admin{slug}{path}")
        for _ in range(200):
            if not page.locator("[data-computing], [data-state=waiting]").count():
                break
            page.wait_for_timeout(250)  # what is computed or drawn comes by itself

    return visit


def work(protocol: str) -> Visit:
    def visit(page: Page, site: Site) -> None:
        site.enter(page.context, protocol)
        page.goto(f"{site.address}/work/{site.slug(protocol)}")

    return visit


def then(visit: Visit, act: Visit) -> Visit:
    def both(page: Page, site: Site) -> None:
        visit(page, site)
        act(page, site)

    return both


def press(key: str) -> Visit:
    return lambda page, site: page.keyboard.press(key)
