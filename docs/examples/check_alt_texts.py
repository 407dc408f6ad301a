"""Check the alt texts of Markdown and HTML files against rules, with a captious scoring service.

    python check_alt_texts.py --server http://127.0.0.1:8000 --rule "lm>=-6" README.md docs/*.html

Every image must have an alt text, and every alt text must keep every rule: a metric that needs no
references, `>=` or `<=`, and a number. Local images are sent along, for metrics that look at them. Prints a
line for each alt text that fails, as `file:line: …`. Ends with 0 if none does, 1 if one does, and 2 if the
check could not be made. The token of the service is in $CAPTIOUS_TOKEN.
"""

from __future__ import annotations

import argparse
import os
import re
import sys
from html.parser import HTMLParser
from pathlib import Path
from typing import NamedTuple

from captious import Client, Corpus
from captious.errors import CaptiousError, InputError

MARKDOWN_IMAGE = re.compile(r"!\[(?P<alt>[^\]]*)\]\((?P<source>[^)\s]+)[^)]*\)")
RULE = re.compile(r"(?P<metric>.+?)(?P<sign>>=|<=)(?P<bound>-?[\d.]+)")


class Found(NamedTuple):
    """An image in a file, with its alt text; None where it has none."""

    file: Path
    line: int
    source: str
    alt: str | None

    @property
    def picture(self) -> Path | None:
        """The image's own file, where it is one of this repository."""
        path = self.file.parent / self.source
        return path if "://" not in self.source and path.is_file() else None


class Images(HTMLParser):
    """The images of an HTML file. An empty alt text marks decoration, and is left alone."""

    def __init__(self, file: Path) -> None:
        super().__init__()
        self.file, self.found = file, list[Found]()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Keep an image."""
        given = dict(attrs)
        if tag == "img" and given.get("alt") != "":
            self.found.append(Found(self.file, self.getpos()[0], given.get("src") or "", given.get("alt")))


def images_of(file: Path) -> list[Found]:
    """Every image of a Markdown or HTML file."""
    try:
        text = file.read_text("utf-8")
    except UnicodeDecodeError:
        raise InputError(f"{file}: is not UTF-8 text. Give Markdown and HTML files only.") from None
    parser = Images(file)
    parser.feed(text)
    for number, line in enumerate(text.splitlines(), 1):
        for match in MARKDOWN_IMAGE.finditer(line):
            parser.found.append(Found(file, number, match["source"], match["alt"].strip() or None))
    return sorted(parser.found, key=lambda one: one.line)


def broken_rules(client: Client, images: list[Found], rules: list[re.Match[str]]) -> list[str]:
    """A line for each alt text and each rule that it breaks."""
    ids = [f"{place} {one.source}" for place, one in enumerate(images)]
    pictures = {name: str(one.picture) for name, one in zip(ids, images, strict=True) if one.picture}
    corpus = Corpus.from_lists([one.alt or "" for one in images], image_ids=ids, image_paths=pictures)
    scores = client.score(corpus, [rule["metric"] for rule in rules])
    lines = []
    for rule in rules:
        bound = float(rule["bound"])
        for one, value in zip(images, scores[rule["metric"]].values.tolist(), strict=True):
            kept = value >= bound if rule["sign"] == ">=" else value <= bound  # False where there is no score
            if not kept:
                wanted = f"{rule['metric']} {value:.2f}, wanted {rule['sign']} {bound:g}"
                lines.append(f'{one.file}:{one.line}: "{one.alt}": {wanted}')
    return lines


def main() -> int:
    """Check the files, and say what fails; an error is one line."""
    try:
        return check()
    except OSError as error:
        line = f"{error.filename}: {error.strerror}."
    except CaptiousError as error:
        line = str(error)
    print(f"error: {line}", file=sys.stderr)
    return 2


def check() -> int:
    """Check the files, and print what fails."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--server", required=True)
    parser.add_argument("--rule", action="append", required=True, help='such as "lm>=-6"')
    parser.add_argument("files", nargs="*", type=Path)
    given = parser.parse_args()
    rules = [match for rule in given.rule if (match := RULE.fullmatch(rule.replace(" ", "")))]
    if len(rules) < len(given.rule):
        parser.error("a rule is METRIC>=NUMBER or METRIC<=NUMBER")
    images = [one for file in given.files for one in images_of(file)]
    lines = [f"{one.file}:{one.line}: {one.source} has no alt text" for one in images if not one.alt]
    described = [one for one in images if one.alt]
    if described:
        client = Client(given.server, os.environ.get("CAPTIOUS_TOKEN", ""))
        lines += broken_rules(client, described, rules)
    print("\n".join(lines) if lines else f"{len(images)} alt texts keep every rule")
    return 1 if lines else 0


if __name__ == "__main__":
    sys.exit(main())
