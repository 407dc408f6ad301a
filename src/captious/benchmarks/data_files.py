"""Where each benchmark's files come from, under which licence, and where they are put.

A checksum is that of the copy with which the published values were reproduced. An address was seen in a
listing of the repository that it names, at that commit; it was never fetched by us, and a file that comes
from it may differ in spacing from the copy. What has no plain address says what a person has to do.

Files are looked for in `--data`, else `$CAPTIOUS_DATA`, else `$XDG_DATA_HOME/captious/benchmarks` (which is
`~/.local/share/captious/benchmarks`). Where that holds nothing, `../shared/data` is looked at, a developer's
default. What other programs said of these data ("golden" values) is at `--golden`, else
`$CAPTIOUS_GOLDEN`, else in the folder `golden` beside the data folder.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Literal, NamedTuple

from captious.errors import InputError, UnknownNameError
from captious.models.download import download
from captious.models.locate import sha256


class Obtained(NamedTuple):
    """The files of a benchmark after an attempt to get them, and what a person still has to do."""

    source: Source
    folder: Path
    states: dict[str, State]
    fetched: tuple[str, ...]
    steps: str

    @property
    def whole(self) -> bool:
        """Whether every file is there."""
        return "missing" not in self.states.values()


def known_source(name: str) -> Source:
    """The source of a benchmark by name; a line with the nearest name where there is none."""
    if name not in SOURCES:
        raise UnknownNameError("benchmark", name, SOURCES)
    return SOURCES[name]


def obtain(name: str, folder: Path | None = None) -> Obtained:
    """Fetch what has an address and is not there; nothing is written over."""
    source, place = known_source(name), folder_to_fill(folder)
    wanted = [file for file in source.files if file.url and state_of(file, place) == "missing"]
    for file in wanted:
        download(file.url, place / file.path)
    states = _states(source.files, place)
    left = source.steps if "missing" in states.values() else ""
    return Obtained(source, place, states, tuple(file.path for file in wanted), left)


def _states(files: tuple[File, ...], folder: Path) -> dict[str, State]:
    return {file.path: state_of(file, folder) for file in files}


VARIABLE = "CAPTIOUS_DATA"
GOLDEN_VARIABLE = "CAPTIOUS_GOLDEN"
GOLDEN = "golden"
BESIDE = Path("..") / "shared" / "data"


class MissingDataError(InputError):
    """A benchmark's files are not here; says which file is wanted and how to name its folder."""


def data_folder(given: Path | None = None) -> Path:
    """The folder of the benchmark data; a clear line where there is none."""
    named = _named_folder(given, "--data", VARIABLE)
    if named is not None:
        return named
    if user_folder().is_dir() and any(user_folder().iterdir()):
        return user_folder()
    if BESIDE.is_dir():
        return BESIDE
    raise MissingDataError(
        f"no benchmark data found. Give their folder with --data DIR or ${VARIABLE}; "
        "`captious get benchmarks` shows where they come from."
    )


def _named_folder(given: Path | None, option: str, variable: str) -> Path | None:
    """The folder that the option or else the environment variable names; None where neither does."""
    if given is not None:
        if not given.is_dir():
            raise MissingDataError(f"{given}: there is no such folder. Check {option}.")
        return given
    named = os.environ.get(variable)
    if named and not Path(named).is_dir():
        raise MissingDataError(f"${variable} is {named}, which is not a folder. Correct it.")
    return Path(named) if named else None


def user_folder() -> Path:
    """Where benchmark data of this user are kept."""
    home = os.environ.get("XDG_DATA_HOME")
    return (Path(home) if home else Path.home() / ".local" / "share") / "captious" / "benchmarks"


def folder_to_fill(given: Path | None = None) -> Path:
    """Where `captious get benchmarks` puts files: it need not be there yet, and is never a developer's."""
    return given or Path(os.environ.get(VARIABLE) or user_folder())


def golden_folder(data: Path, given: Path | None = None) -> Path:
    """The folder of what other programs said; a clear line where there is none."""
    named = _named_folder(given, "--golden", GOLDEN_VARIABLE)
    if named is not None:
        return named
    beside = data.resolve().parent / GOLDEN
    if beside.is_dir():
        return beside
    raise MissingDataError(
        "no golden values (results of other programs) found. Give their folder with "
        f"--golden DIR or ${GOLDEN_VARIABLE}, or put them into {GOLDEN}/ next to the data folder."
    )


def wanted(folder: Path, *names: str, option: str = "--data") -> Path:
    """The first of some files that exists under the folder; else a line that names the first."""
    for name in names:
        if (folder / name).is_file():
            return folder / name
    source = source_of(names[0])
    help_with = f"`captious get benchmarks {source.name}`" if source else "docs/benchmarks.md"
    raise MissingDataError(
        f"{folder / names[0]}: there is no such file. The benchmark needs it; {help_with} shows where it "
        f"comes from. Give its folder with {option}."
    )


State = Literal["as tested", "another copy", "present", "missing"]
_GITHUB = "https://raw.githubusercontent.com/"
_CIDER = "vrama91/cider-matlab/febe63b05723c1fdb4cb47d646a9ca90f33e8c59/data/"
_THUMB = "jungokasai/THumB/{}/mscoco/mscoco_THumB-1.0.jsonl"
_THUMB_FIRST = _THUMB.format("95195a22d37420c4b421ab95bdbe24458592caac")
_THUMB_LATER = _THUMB.format("35e97e11bf9b9b853ed8cc81d75215f5b8205d95")
_EXPERT = "hjkim811/EXPERT/8e1788a3460f4bdcdcd0bab3124efb6f6d0f3099/annotations/"


class File(NamedTuple):
    """One file of a benchmark, below the data folder; `sha256` and `url` are empty where none is known."""

    path: str
    sha256: str = ""
    url: str = ""


class Source(NamedTuple):
    """How one benchmark is obtained: who released it, page, licence, files, what to do by hand."""

    name: str
    paper: str
    page: str
    licence: str
    files: tuple[File, ...]
    steps: str = ""


_TOKENS = File(
    "flickr8k/Flickr8k.token.txt", "fc18d93dd1816b367a790e08c73c10b4ef1465102bad4f2412f19ea967c1344a"
)
_KARPATHY = File(
    "coco_karpathy/reference_captions.json",
    "2cc44f8e50d5aa420eeb7e6558b30af36754732704833d2b135ff8dde2b598b3",
)
_FLICKR_STEPS = (
    "Ask for the data by the form on the page; an e-mail brings the addresses. Unpack Flickr8k_text.zip into "
    "flickr8k/, and the photographs of Flickr8k_Dataset.zip, which only metrics of images need, into "
    "flickr8k/images/"
)
_KARPATHY_STEPS = (
    'coco_karpathy/reference_captions.json is {"COCO number": [five captions]} of the images whose split is '
    "test in Karpathy's dataset_coco.json"
)

SOURCES: dict[str, Source] = {
    one.name: one
    for one in (
        Source(
            "flickr8k-expert",
            "Hodosh, Young and Hockenmaier 2013",
            "https://forms.illinois.edu/sec/1713398",
            "research use, not commercial",
            (
                File(
                    "flickr8k/ExpertAnnotations.txt",
                    "e604ba9c13158f74dcc6319362ff3c10a30d883851618b49054a75aab8cb8e6b",
                ),
                _TOKENS,
            ),
            _FLICKR_STEPS,
        ),
        Source(
            "flickr8k-cf",
            "Hodosh, Young and Hockenmaier 2013",
            "https://forms.illinois.edu/sec/1713398",
            "research use, not commercial",
            (File("flickr8k/CrowdFlowerAnnotations.txt"), _TOKENS),
            _FLICKR_STEPS,
        ),
        Source(
            "composite",
            "Aditya et al. 2018",
            "https://imagesdg.wordpress.com/image-to-scene-description-graph/",
            "unknown: ask its authors",
            (File("composite/composite.jsonl"),),
            'The page links to the judgments. Write rows {"subset", "image", "candidate", "relevance", '
            '"thoroughness", "references"}, and "human": true or false for who wrote the candidate; without '
            '"human" the first of each image counts as a person\'s. The references are those of Flickr8k, '
            "Flickr30k and COCO",
        ),
        Source(
            "pascal-50s",
            "Vedantam, Zitnick and Parikh 2015",
            "https://vrama91.github.io/cider/",
            "unknown: ask its authors",
            (
                File(
                    "pascal50s/pascal_50s.json",
                    "f6033bbcf74583a22d289cf080fff5b930c04cf6d29e33e0170552e8e0237da9",
                    _GITHUB + _EXPERT + "pascal_50s.json",
                ),
                File(
                    "pascal50s/pascal50S.mat",
                    "28178122b75e8c5f3c7a5690afe12fcd2a1121a9abe2658dc85901301a96a7d8",
                    _GITHUB + _CIDER + "pascal50S.mat",
                ),
            ),
        ),
        Source(
            "thumb",
            "Kasai et al. 2022",
            "https://github.com/jungokasai/THumB",
            "none in its repository",
            (
                File(
                    "thumb/mscoco_THumB-1.0.jsonl",
                    "463ebf947c793a541922ead33eb10a885e77c19e9c7d27cf89e034bfff643efa",
                    _GITHUB + _THUMB_LATER,
                ),
                File(
                    "thumb/first_release/mscoco_THumB-1.0.jsonl",
                    "fcde8b5efdac7311f95b2ff58c1c165add7790011025e3844584c3db7b941e58",
                    _GITHUB + _THUMB_FIRST,
                ),
                File(
                    "thumb/mscoco_references.jsonl",
                    "897672f1f53ed33a376237c33fabc89ebbd04b40e9ced82691c2e9c9324d8fdf",
                ),
            ),
            "The references are in the folder mscoco of the repository; its page names the file. Save it as "
            "thumb/mscoco_references.jsonl",
        ),
        Source(
            "nebula",
            "Matsuda, Wada and Sugiura 2024",
            "https://huggingface.co/datasets/Ka2ukiMatsuda/Nebula",
            "unknown: see its page",
            (
                File(
                    "nebula/nebula_test.json",
                    "ac70204016a35ccc3a81603a7c1c9c836152ab8d7d3fea6a33e84eafe937df39",
                    _GITHUB + _EXPERT + "nebula_test.json",
                ),
            ),
        ),
        Source(
            "capeval1k",
            "Lee et al. 2021",
            "https://github.com/hwanheelee1993/UMIC",
            "none in its repository",
            (
                File(
                    "capeval1k/capeval1k.jsonl",
                    "b57f630fc8ded77fbbb2b3db2f63c6e00e2d314133abbbcc0711c241caf342d0",
                ),
                _KARPATHY,
            ),
            "The captions and their scores are in txt_db/capeval1k of the repository, an LMDB of pieces. "
            'Write them as rows {"id", "image", "caption_wordpiece_detok", "target"}. ' + _KARPATHY_STEPS,
        ),
        Source(
            "vicr",
            "Narins et al. 2023",
            "",
            "unknown: ask its authors",
            (File("vicr/VICR.csv"),),
            "Ask the authors of the Validated Image Caption Rating dataset. A sample of theirs can stand in: "
            "vicr_sample/VICR_Sample250.csv",
        ),
        Source(
            "foils",
            "Hsieh et al. 2023 (SugarCrepe)",
            "https://github.com/RAIVNLab/sugar-crepe",
            "MIT; the captions are COCO's",
            (
                File(
                    "foils/sugarcrepe.jsonl",
                    "9ea1fc57c3fa21dcf346591dbdc4dc8625ddee8ea0021a61f35520bc222d1273",
                ),
            ),
            "Write the pairs of data/*.json whose image has references as rows "
            '{"kind", "image", "caption", "foil", "references"}',
        ),
        Source(
            "discofoil",
            "Lin et al. 2025 (DiscoSG)",
            "https://github.com/ShaoqLin/DiscoSG",
            "none stated",
            (File("detailed/discofoil.jsonl"),),
            'Write the pairs of the DiscourseFOIL set as rows {"image", "reference", "wrong", "corrected"}',
        ),
        Source(
            "mhal",
            "Gunjal et al. 2024 (M-HalDetect); Cai et al. 2025 (MHALO)",
            "https://github.com/csuJC/MHALO",
            "none stated",
            (File("detailed/mhal.jsonl"), File("detailed/coco_objects.json.gz")),
            'Write its part mhal as rows {"image", "caption", "spans": [[start, end, text]]} and the objects '
            "of COCO's images (instances, and words of the references) as {image: [names]}",
        ),
    )
}


def source_of(path: str) -> Source | None:
    """The benchmark that a file belongs to.

    >>> source_of("nebula/nebula_test.json").name
    'nebula'
    """
    return next((one for one in SOURCES.values() if path in (file.path for file in one.files)), None)


def state_of(file: File, folder: Path) -> State:
    """Whether a file is there, and whether it is the copy with which published values were reproduced."""
    path = folder / file.path
    if not path.is_file():
        return "missing"
    if not file.sha256:
        return "present"
    return "as tested" if sha256(path) == file.sha256 else "another copy"
