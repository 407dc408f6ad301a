"""A table is whole at any width: each name and number of the wide table stands in the narrow one."""

import json
import re

import pytest

RATED = [
    (image, rater, 1 + (image * 7 + len(rater) * 3) % 5)
    for image in range(12)
    for rater in ("ann", "bob", "cy")
]
STYLES = re.compile(r"\x1b\[[0-9;]*m")
COMMANDS = {
    "one system": "score -c {good} -r {references} -m bleu4,cider,meteor,rouge_l,spice,sentsim[agg=max]",
    "several systems": "score -c {good} {poor} -r {references} -m bleu1,bleu4,cider,meteor,rouge_l,spice",
    "compare": "compare -c {good} {poor} -r {references} -m cider,rouge_l",
    "paper": "score -c {good} {poor} -r {references} -m bleu1,bleu4,cider,rouge_l --baseline poor",
    "check": "data check -c {good} {poor} -r {good}",
    "stats": "data stats {good}",
    "explain": "explain -c {good} -r {references} -m spice --id 1",
    "agreement": "judgments agreement {ratings} --resamples 50",
    "aggregate": "judgments aggregate {ratings} --by rater",
    "meta": "meta {rated} -m bleu1,bleu4,rouge_l,meteor --coefficient pearson,kendall_c --resamples 20",
    "protocols": "campaign protocols",
    "plan": "judgments plan --sd-images 1 --sd-raters 1 --mean 0.5 --simulations 20",
    "doctor": "doctor --all",
    "weights": "get weights",
    "benchmarks": "get benchmarks",
    "crowd": "crowd providers",
}


@pytest.mark.parametrize("width", [40, 60, 80, 120, 200])
@pytest.mark.parametrize("command", COMMANDS)
def test_no_name_and_no_number_is_cut(run, files, tmp_path, monkeypatch, command: str, width: int) -> None:
    ratings = tmp_path / "ratings.jsonl"
    rows = ({"image": str(image), "rater": rater, "rating": value} for image, rater, value in RATED)
    ratings.write_text("".join(json.dumps(row) + "\n" for row in rows))
    rated = tmp_path / "rated.jsonl"
    texts = ["A dog runs.", "Two dogs run on the sand.", "A cat."]
    rows = (
        {
            "image": str(image),
            "caption": texts[image % 3],
            "references": ["Dogs run on sand."],
            "rating": 1 + image % 4,
        }
        for image in range(12)
    )
    rated.write_text("".join(json.dumps(row) + "\n" for row in rows))
    arguments = COMMANDS[command].format(**files, ratings=ratings, rated=rated).split()
    whole = run(*arguments)
    monkeypatch.setenv("TTY_COMPATIBLE", "1")  # rich then takes standard output for a terminal of COLUMNS
    monkeypatch.setenv("COLUMNS", str(width))
    narrow = run(*arguments)
    assert narrow.code == whole.code in (0, 1), whole.err
    words = {word for word in whole.out.split() if not set(word) <= set("─ ")}
    assert len(words) > 5
    lost = words - set(STYLES.sub("", narrow.out).split())
    # A list leaves out a column that is empty everywhere, and the heading of its first column.
    assert lost <= {"revision", "protocol"}
