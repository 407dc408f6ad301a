"""Twenty megapixels for a phone."""

from __future__ import annotations

from io import BytesIO

import numpy as np
from PIL import Image

from captious.campaigns.store.pictures.narrower import WIDTHS, narrower

PHONE = 300_000  # bytes


def photograph(width: int, height: int) -> bytes:
    """Clouds with the grain of a camera: what makes files of photographs large."""
    rng = np.random.default_rng(5)
    shape = (height // 40, width // 40, 3)
    coarse = Image.fromarray(rng.integers(0, 256, shape, dtype=np.uint8))
    smooth = np.asarray(coarse.resize((width, height), Image.Resampling.BICUBIC), dtype=np.int16)
    grain = rng.normal(0, 4, (height, width, 1)).astype(np.int16)
    out = BytesIO()
    Image.fromarray(np.clip(smooth + grain, 0, 255).astype(np.uint8)).save(out, "JPEG", quality=92)
    return out.getvalue()


def test_a_photograph_of_20_megapixels_is_small_on_a_phone() -> None:
    whole = photograph(5472, 3648)
    found = narrower(whole)
    assert sorted(found) == list(WIDTHS)
    for width, content in found.items():
        with Image.open(BytesIO(content)) as copy:
            assert copy.size == (width, round(width * 3648 / 5472))
    # 390 pixels at three dots each are 1170: the browser takes the copy of 1280.
    assert len(found[1280]) < PHONE
    assert len(whole) > 10 * len(found[1280])


def test_small_pictures_have_no_copies_and_transparency_is_kept() -> None:
    assert narrower(photograph(640, 480)) == {}
    out = BytesIO()
    rng = np.random.default_rng(1)
    Image.fromarray(rng.integers(0, 256, (500, 1000, 4), dtype=np.uint8)).save(out, "PNG")
    with Image.open(BytesIO(narrower(out.getvalue())[640])) as copy:
        assert (copy.mode, copy.size) == ("RGBA", (640, 320))
