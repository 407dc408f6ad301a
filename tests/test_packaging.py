"""What a release must hold: one version, licences of what is bundled, types for others' checkers."""

import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import captious

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]


def test_the_citation_has_the_version_of_the_package() -> None:
    found = re.search(r"^version: (\S+)$", (ROOT / "CITATION.cff").read_text(), re.MULTILINE)
    assert found is not None
    assert found[1] == captious.__version__


def test_every_bundled_data_file_is_named_in_the_notice() -> None:
    notice = (ROOT / "NOTICE").read_text()
    heavy = [path for path in (ROOT / "src").rglob("*") if path.suffix in (".npz", ".gz")]
    assert heavy
    unnamed = [str(path.relative_to(ROOT)) for path in heavy if str(path.relative_to(ROOT)) not in notice]
    assert unnamed == []
    assert "src/captious/data/demo/images" in notice


def test_users_choose_their_versions_and_tests_pin_them() -> None:
    pinned = (ROOT / "requirements-dev.txt").read_text()
    models = PROJECT["optional-dependencies"]["models"]
    assert all("==" not in one for one in models if one.startswith(("torch", "transformers")))
    assert re.search(r"^torch==", pinned, re.MULTILINE)
    assert re.search(r"^transformers==", pinned, re.MULTILINE)


@pytest.mark.long
def test_another_projects_type_checker_sees_our_types(tmp_path: Path) -> None:
    (tmp_path / "theirs.py").write_text(
        "import captious\n"
        "scores = captious.score(captious.Corpus.from_lists(['a dog'], [['a dog']]), 'rouge_l')\n"
        "value: float = scores['rouge_l'].score\n"
        "wrong: int = scores.to_markdown()\n"
    )
    command = [sys.executable, "-m", "mypy", "--strict", "--no-incremental", "--config-file=", "theirs.py"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    errors = [line for line in done.stdout.splitlines() if line.startswith("theirs.py")]
    assert [line.split(": ")[0] for line in errors] == ["theirs.py:4"], done.stdout
