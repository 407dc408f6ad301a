from __future__ import annotations

import json
import re
from html.parser import HTMLParser

import pytest

from captious import Corpus, Judgments, score
from captious.errors import InputError, UnknownNameError
from captious.report import write_report

EVIL = '</script><script>alert("x")</script><img src=x onerror=alert(1)>&amp;'


class Elements(HTMLParser):
    """Start tags with their attributes, and the text outside scripts and styles."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.text: list[str] = []
        self._quiet = False

    def handle_starttag(self, tag, attrs) -> None:
        self.tags.append((tag, dict(attrs)))
        self._quiet = tag in ("script", "style")

    def handle_endtag(self, tag) -> None:
        self._quiet = False

    def handle_data(self, data) -> None:
        if not self._quiet:
            self.text.append(data)


def _parsed(path) -> Elements:
    elements = Elements()
    elements.feed(path.read_text(encoding="utf-8"))
    return elements


def _payload(path) -> dict:
    text = path.read_text(encoding="utf-8")
    found = re.search(r'id="explorer-data">(.*?)</script>', text, re.DOTALL)
    return json.loads(found[1])


@pytest.fixture(scope="module")
def demo(demo_scores, demo_judgments, tmp_path_factory):
    folder = tmp_path_factory.mktemp("report")
    return write_report(
        demo_scores,
        folder / "demo.html",
        judgments=demo_judgments,
        title="The demo sample",
        judgments_label="illustrative judgments",
        judgments_note="No study was run.",
        resamples=100,
    )


def test_the_page_asks_the_network_for_nothing(demo) -> None:
    for tag, attributes in _parsed(demo.page).tags:
        for name in ("src", "href", "xlink:href", "srcset"):
            address = attributes.get(name) or ""
            assert not re.match(r"(?:https?:)?//", address), (tag, address)
        assert tag not in ("link", "iframe", "object", "embed")
    policy = next(a for t, a in _parsed(demo.page).tags if "http-equiv" in a)
    assert "default-src 'none'" in policy["content"]


def test_charts_tables_and_first_examples_are_there_without_script(demo) -> None:
    elements = _parsed(demo.page)
    text = "".join(elements.text)
    assert sum(tag == "svg" for tag, _ in elements.tags) == 2 * 7
    assert "A skyline of lit skyscrapers under a pink dusk sky" in text
    shown = [a for t, a in elements.tags if t == "li" and a.get("class") == "card"]
    assert len(shown) == 20
    pictures = [a for t, a in elements.tags if t == "img"]
    assert len(pictures) == 20
    assert all(a["alt"] for a in pictures)
    assert "Without JavaScript the page shows the first 20 of 24 images." in text


def test_photographs_of_the_first_page_are_there_once(demo) -> None:
    text = demo.page.read_text(encoding="utf-8")
    addresses = re.findall(r"data:image/jpeg;base64,[\w+/=]+", text)
    assert len(addresses) == len(set(addresses)) == 24


def test_label_and_note_of_the_judgments_are_shown(demo) -> None:
    text = " ".join("".join(_parsed(demo.page).text).split())
    assert "960 illustrative judgments by 2 raters" in text
    assert "About the judgments. No study was run." in text
    assert "human" not in text.lower().replace("human captions", "")


def test_signatures_are_shown(demo, demo_scores) -> None:
    text = "".join(_parsed(demo.page).text)
    for name in demo_scores:
        assert demo_scores[name].signature in text


def test_two_reports_of_the_same_scores_are_equal(demo, demo_scores, demo_judgments, tmp_path):
    again = write_report(
        demo_scores,
        tmp_path / "again.html",
        judgments=demo_judgments,
        title="The demo sample",
        judgments_label="illustrative judgments",
        judgments_note="No study was run.",
        resamples=100,
    )
    assert again.page.read_bytes() == demo.page.read_bytes()


def test_markup_in_captions_ids_and_names_stays_text(tmp_path) -> None:
    corpus = Corpus.from_lists(
        [EVIL, "a cat"],
        [[EVIL, "a cat"]] * 2,
        image_ids=[EVIL, EVIL],
        systems=[EVIL, "b"],
        objects={EVIL: [EVIL]},
    )
    judged = Judgments.from_columns(
        images=[EVIL] * 4,
        systems=[EVIL, EVIL, "b", "b"],
        raters=[EVIL, "r"] * 2,
        aspects=[EVIL] * 4,
        values=[1, 2, 4, 5],
    )
    written = write_report(
        score(corpus, ["bleu1", "rouge_l"]),
        tmp_path / "evil.html",
        judgments=judged,
        title=EVIL,
        judgments_label=EVIL,
        judgments_note=EVIL,
        resamples=20,
    )
    elements = _parsed(written.page)
    assert sum(tag == "script" for tag, _ in elements.tags) == 2
    assert not any("onerror" in attributes for _, attributes in elements.tags)
    assert not any(attributes.get("src") == "x" for _, attributes in elements.tags)
    assert EVIL in "".join(elements.text)
    data = _payload(written.page)
    assert data["images"][0]["id"] == EVIL
    assert data["images"][0]["rows"][0]["c"] in (EVIL, "a cat")


def test_a_folder_is_no_page(demo_scores, tmp_path) -> None:
    with pytest.raises(InputError, match="is a folder"):
        write_report(demo_scores, tmp_path)


def test_unknown_image_mode(demo_scores, tmp_path) -> None:
    with pytest.raises(UnknownNameError, match='unknown image mode "besides"'):
        write_report(demo_scores, tmp_path / "page.html", image_mode="besides")
