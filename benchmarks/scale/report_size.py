"""How long a report of 2,500 captions takes to write, how large it is, how fast it opens.

Flickr8k-Expert: judged captions of real photographs, three raters. At most five captions of each
photograph are taken, numbered in the order of the file; these numbers stand for systems.

    python benchmarks/scale/report_size.py [--data FOLDER] [--captions 2500]
"""

from __future__ import annotations

import argparse
import os
import tempfile
import time
from collections import Counter
from pathlib import Path

from captious import scoring
from captious.corpus import Corpus, Judgments, Scores
from captious.corpus.images import find_images
from captious.corpus.judged import read_judgments
from captious.report import write_report

MOST_CAPTIONS = 5  # of one photograph
METRICS = ("bleu1", "bleu4", "rouge_l", "cider")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    data = os.environ.get("CAPTIOUS_DATA", Path(__file__).resolve().parents[3] / "shared" / "data")
    parser.add_argument("--data", type=Path, default=Path(data))
    parser.add_argument("--captions", type=int, default=2500)
    asked = parser.parse_args()

    corpus, judgments = load(asked.data / "flickr8k", asked.captions)
    scores = scoring.score(corpus, METRICS, resamples=1000)
    print(f"{len(corpus):,} captions of {len(corpus.image_ids):,} photographs")
    print("The first row also loads the libraries and makes the small copies.")
    print(f"{'photographs':20} {'write s':>8} {'CPU s':>8} {'page MB':>8} {'opens s':>8}")
    with tempfile.TemporaryDirectory() as folder:
        os.environ["XDG_CACHE_HOME"] = str(Path(folder) / "cache")
        for mode, label in (("beside", "beside, first time"), ("beside", "beside"), ("embed", "embedded")):
            page = Path(folder) / mode / "report.html"
            seconds, cpu, size = written(scores, judgments, page, mode)
            row = f"{label:20} {seconds:8.1f} {cpu:8.1f} {size / 1e6:8.1f}"
            print(f"{row} {opened(page):>8}", flush=True)


def load(folder: Path, captions: int) -> tuple[Corpus, Judgments]:
    """Judged captions of the photographs that are here."""
    found = read_judgments(folder / "ExpertAnnotations.txt", references=folder / "Flickr8k.token.txt")
    whole = found.corpus
    if whole is None:
        raise SystemExit(f"{folder}: holds no captions")
    paths = dict(zip(whole.image_ids, find_images(folder / "images", whole.image_ids), strict=True))
    numbered: Counter[int] = Counter()
    examples = []
    for row, image in enumerate(whole.image_of.tolist()):
        numbered[image] += 1
        here = paths[whole.image_ids[image]] is not None
        if here and numbered[image] <= MOST_CAPTIONS and len(examples) < captions:
            examples.append((whole.example(row), numbered[image]))
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


def written(scores: Scores, judgments: Judgments, page: Path, mode: str) -> tuple[float, float, int]:
    """Seconds on the clock, seconds of processor time (all cores together), bytes of the page."""
    start, cpu = time.perf_counter(), time.process_time()
    done = write_report(scores, page, judgments=judgments, image_mode=mode, title="Flickr8k-Expert")
    return time.perf_counter() - start, time.process_time() - cpu, done.size


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
