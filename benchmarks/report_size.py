"""How long a report of 2,500 captions takes to write, how large it is, how fast it opens.

Flickr8k-Expert: 500 photographs with five judged captions each, three raters. Each photograph's
captions are numbered 1 to 5 in the order of the file, and these numbers stand for systems.

    python benchmarks/report_size.py [--data FOLDER] [--photographs 500]
"""

from __future__ import annotations

import argparse
import os
import tempfile
import time
from pathlib import Path

from captious import scoring
from captious.corpus import Corpus, Judgments, Scores
from captious.corpus.images import find_images
from captious.corpus.judged import read_judgments
from captious.report import write_report

CAPTIONS = 5
METRICS = ("bleu1", "bleu4", "rouge_l", "cider")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    here = Path(__file__).resolve().parent.parent
    data = os.environ.get("CAPTIOUS_DATA", here.parent / "shared" / "data")
    parser.add_argument("--data", type=Path, default=Path(data))
    parser.add_argument("--photographs", type=int, default=500)
    asked = parser.parse_args()

    corpus, judgments = load(asked.data / "flickr8k", asked.photographs)
    scores = scoring.score(corpus, METRICS, resamples=1000)
    print(f"{len(corpus):,} captions of {len(corpus.image_ids):,} photographs")
    print(f"{'photographs':28} {'write s':>8} {'page MB':>8} {'opens s':>8}")
    with tempfile.TemporaryDirectory() as folder:
        os.environ["XDG_CACHE_HOME"] = str(Path(folder) / "cache")
        for mode, label in (
            ("beside", "beside, no small copies yet"),
            ("beside", "beside"),
            ("embed", "embedded"),
        ):
            page = Path(folder) / mode / "report.html"
            seconds, size = written(scores, judgments, page, mode)
            print(f"{label:28} {seconds:8.1f} {size / 1e6:8.1f} {opened(page):>8}")


def load(folder: Path, photographs: int) -> tuple[Corpus, Judgments]:
    """The first photographs that are here and have five judged captions or more."""
    found = read_judgments(
        folder / "ExpertAnnotations.txt", references=folder / "Flickr8k.token.txt"
    )
    whole = found.corpus
    if whole is None:
        raise SystemExit(f"{folder}: holds no captions")
    paths = dict(zip(whole.image_ids, find_images(folder / "images", whole.image_ids), strict=True))
    rows: dict[str, list[int]] = {}
    for row, image in enumerate(whole.image_of.tolist()):
        if paths[whole.image_ids[image]]:
            rows.setdefault(whole.image_ids[image], []).append(row)
    kept = {i: own[:CAPTIONS] for i, own in rows.items() if len(own) >= CAPTIONS}
    kept = dict(list(kept.items())[:photographs])
    examples = [(whole.example(row), k) for own in kept.values() for k, row in enumerate(own, 1)]
    numbers = {(e.image_id, e.system): str(k) for e, k in examples}
    corpus = Corpus.from_lists(
        [e.caption for e, _ in examples],
        [[r for r in e.references if r != e.caption] for e, _ in examples],
        image_ids=[e.image_id for e, _ in examples],
        systems=[f"caption {k}" for _, k in examples],
        image_paths={i: path for i, path in paths.items() if path},
    )
    judged = found.judgments
    keys = [judged.keys[i] for i in judged.example_of.tolist()]
    mine = [i for i, key in enumerate(keys) if key in numbers]
    return corpus, Judgments.from_columns(
        images=[keys[i][0] for i in mine],
        systems=[f"caption {numbers[keys[i]]}" for i in mine],
        raters=[judged.raters[judged.rater_of[i]] for i in mine],
        values=[float(judged.values[i]) for i in mine],
    )


def written(scores: Scores, judgments: Judgments, page: Path, mode: str) -> tuple[float, int]:
    start = time.perf_counter()
    done = write_report(scores, page, judgments=judgments, image_mode=mode, title="Flickr8k-Expert")
    return time.perf_counter() - start, done.size


def opened(page: Path) -> str:
    """Seconds until Chromium has loaded the page and its script has drawn the first cards."""
    try:
        from playwright.sync_api import Error, sync_playwright
    except ImportError:
        return "no playwright"
    with sync_playwright() as play:
        try:
            browser = play.chromium.launch(
                executable_path=os.environ.get("CHROMIUM", "/usr/bin/chromium"),
                args=["--no-sandbox", "--disable-gpu", "--disable-background-networking"],
            )
        except Error:
            return "no Chromium"
        view = browser.new_page()
        start = time.perf_counter()
        view.goto(page.as_uri(), wait_until="load")
        view.wait_for_function("document.getElementById('page').textContent !== ''")
        seconds = time.perf_counter() - start
        browser.close()
    return f"{seconds:.2f}"


if __name__ == "__main__":
    main()
