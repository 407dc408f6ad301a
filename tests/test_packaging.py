"""What a release must hold: one version, licences of what is bundled, types for others' checkers."""

import re
import shutil
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


def test_the_source_distribution_has_what_its_pages_and_tests_name() -> None:
    """`docs/operating.md` names files of `deploy`, and tests here read the requirements."""
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["hatch"]["build"]["targets"]
    included = {path.name for pattern in settings["sdist"]["include"] for path in ROOT.glob(pattern)}
    assert {"deploy", "docs", "tests", "Makefile", "requirements-dev.txt"} <= included


def test_users_choose_their_versions_and_tests_pin_them() -> None:
    pinned = (ROOT / "requirements-dev.txt").read_text()
    models = PROJECT["optional-dependencies"]["models"]
    assert all("==" not in one for one in models if one.startswith(("torch", "transformers")))
    assert re.search(r"^torch==", pinned, re.MULTILINE)
    assert re.search(r"^transformers==", pinned, re.MULTILINE)


@pytest.mark.parametrize("page", ["README.md", "docs/index.md"])
def test_all_is_every_extra_but_those_that_the_page_names(page: str) -> None:
    extras = PROJECT["optional-dependencies"]
    (held,) = (re.fullmatch(r"captious\[(.*)\]", one) for one in extras["all"])
    assert held is not None
    left_out = extras.keys() - set(held[1].split(",")) - {"all", "demo"}  # demo is made of the others
    said = re.search(r"`all` leaves out .*?: (.*?)\. Install", (ROOT / page).read_text(), re.DOTALL)
    assert said is not None
    assert set(re.findall(r"`(\w+)`", said[1])) == left_out


THEIRS = Path(__file__).parent / "consumer"
CHECKERS = {
    "mypy": ("--strict", "--no-incremental", "--config-file="),
    "pyright": ("--pythonpath", sys.executable),
}


@pytest.mark.long
@pytest.mark.parametrize("checker", CHECKERS)
def test_another_projects_type_checker_sees_our_types(checker: str, tmp_path: Path) -> None:
    """It finds nothing in a file that uses every public name, and every mistake in another."""
    pytest.importorskip(checker)
    files = [shutil.copy(file, tmp_path) for file in sorted(THEIRS.glob("*.py"))]
    command = [sys.executable, "-m", checker, *CHECKERS[checker], *(Path(file).name for file in files)]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    if checker == "pyright" and not re.search(r"^\d+ errors?,", done.stdout, re.MULTILINE):
        pytest.skip(f"pyright cannot start: {done.stderr.strip()[-200:]}")  # npm has it
    errors = re.findall(r"(\w+\.py):(\d+)[^\n]*error:", done.stdout)
    lines = (THEIRS / "wrong_types.py").read_text().splitlines()
    marked = {("wrong_types.py", str(number)) for number, line in enumerate(lines, 1) if "# wrong" in line}
    assert set(errors) == marked, done.stdout + done.stderr


def test_the_other_project_uses_every_public_name() -> None:
    used = set(re.findall(r"\w+", (THEIRS / "every_public_name.py").read_text()))
    assert set(captious.__all__) - used == set()
