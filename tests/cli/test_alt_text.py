"""From the CSV of a website to its worst alternative texts, as an accessibility team does it."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest
import yaml

SITE = """Page title,Image File,Alt Text
Our shop,hero.jpg,A man in a red coat holds a brown dog on a beach.
Our shop,logo.png,logo
Team,IMG_2031.jpg,IMG_2031.jpg
Team,anna.jpg,image of Anna in the garden
Sale,hero.jpg,Sale
Contact,map.png,
"""


@pytest.fixture
def site(tmp_path: Path) -> Path:
    (tmp_path / "site.csv").write_text(SITE)
    return tmp_path / "site.csv"


def test_headers_are_found_by_meaning_and_an_image_may_stand_in_several_places(run, site: Path) -> None:
    found = run("score", "-c", site, "-m", "alttext", "--worst", "4", "-f", "json")
    assert found.code == 0
    assert found.json["systems"]["site"]["alttext"]["n"] == 6
    worst = {(row["image"], row["context"]): row["why"] for row in found.json["worst"]}
    assert worst == {
        ("logo.png", "Our shop"): "tells nothing of the image",
        ("IMG_2031.jpg", "Team"): "the name of a file",
        ("hero.jpg", "Sale"): "repeats the text beside it",
        ("map.png", "Contact"): "empty: right only if the image is decorative",
    }


@pytest.mark.parametrize("delimiter", [",", "\t"])
def test_columns_of_any_name(run, site: Path, delimiter: str) -> None:
    header = "Page title,Image File,Alt Text"
    text = site.read_text().replace(header, "Where,What file,Said").replace(",", delimiter)
    site.write_text(text)
    columns = "image=What file,caption=Said,context=Where"
    found = run("score", "-c", site, "-m", "alttext", "--columns", columns, "--worst", "1", "-f", "json")
    assert found.json["worst"][0] == {
        "image": "logo.png",
        "context": "Our shop",
        "system": "site",
        "caption": "logo",
        "alttext": 0.0,
        "why": "tells nothing of the image",
    }
    for wrong, said in (("image=Nothing", 'there is no column "Nothing"'), ("image", "write ROLE=NAME")):
        refused = run("score", "-c", site, "-m", "alttext", "--columns", wrong)
        assert refused.code == 2 and said in refused.err and refused.err.count("\n") == 1


def test_a_second_caption_is_still_an_error_where_no_place_tells_them_apart(run, tmp_path: Path) -> None:
    twice = tmp_path / "twice.csv"
    twice.write_text("image_id,caption\n1,a dog\n1,a cat\n")
    assert 'image id "1" has a second caption' in run("score", "-c", twice, "-m", "alttext").err


def test_the_worst_are_listed_in_every_form(run, files) -> None:
    for form in ("table", "csv", "markdown", "latex", "html"):
        found = run("score", "-c", files["good"], files["poor"], "-r", files["references"], "-m", "rouge_l",
                    "--worst", "2", "-f", form)  # fmt: skip
        assert found.code == 0 and "The bus." in found.out and "A man riding a horse." not in found.out


def test_a_score_that_is_too_low_fails(run, files) -> None:
    common = ["score", "-c", files["good"], files["poor"], "-r", files["references"], "-m", "cider,rouge_l"]
    assert run(*common, "--fail-under", "CIDEr=0.0", "--fail-under", "rouge_l=0.1").code == 0
    found = run(*common, "--fail-under", "rouge_l=0.5")
    assert found.code == 1
    assert found.err.startswith("note: poor: rouge_l is 0.") and found.err.endswith("below 0.5\n")
    for wrong, said in (("cider", "write METRIC=VALUE"), ("bleu1=0.5", "bleu1 is not scored")):
        refused = run(*common, "--fail-under", wrong)
        assert refused.code == 2 and said in refused.err


def test_the_examples_for_ci_run(run, site: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The step of GitHub Actions and the hook of pre-commit, as the guide prints them."""
    monkeypatch.chdir(site.parent)
    page = (Path(__file__).parents[2] / "docs" / "guides" / "alt-text.md").read_text(encoding="utf-8")
    action, hooks = map(yaml.safe_load, re.findall(r"```yaml\n(.*?)```", page, re.DOTALL))
    steps = [step["run"] for step in action["jobs"]["alt-text"]["steps"] if "run" in step]
    hook = hooks["repos"][0]["hooks"][0]
    assert re.search(hook["files"], "site.csv")
    commands = [shlex.split(steps[-1]), [*shlex.split(hook["entry"]), "site.csv"]]
    for command in commands:
        assert command[0] == "captious"
        assert run(*command[1:]).code == 0  # 0.29 on average
    site.write_text(SITE.replace("A man in a red coat holds a brown dog on a beach.", "photo"))
    for command in commands:
        found = run(*command[1:])
        assert found.code == 1 and "below 0.2" in found.err
