"""A picture in the widths of screens, so that a phone is not sent a camera's twenty megapixels."""

from __future__ import annotations

import io
from collections.abc import Mapping

WIDTHS = (640, 1280, 2560)
QUALITY = 75


def narrower(content: bytes) -> Mapping[int, bytes]:
    """The picture as WebP in each of `WIDTHS` that it exceeds; files that are no smaller are left out.

    `content` is a picture that `cleaned` has made.
    """
    from PIL import Image

    found: dict[int, bytes] = {}
    with Image.open(io.BytesIO(content)) as picture:
        whole = picture.width
        profile = picture.info.get("icc_profile")
        # JPEG is decoded at a fraction of its size where that is enough.
        picture.draft(None, (min(whole, max(WIDTHS)), 1))
        shown: Image.Image = picture
        for width in sorted((one for one in WIDTHS if one < whole), reverse=True):
            height = max(1, round(width * picture.height / picture.width))
            if shown.mode not in ("RGB", "RGBA"):
                shown = shown.convert("RGBA" if shown.has_transparency_data else "RGB")
            shown = shown.resize((width, height), Image.Resampling.LANCZOS, reducing_gap=3.0)
            out = io.BytesIO()
            shown.save(out, "WEBP", quality=QUALITY, icc_profile=profile)
            if out.tell() < len(content):
                found[width] = out.getvalue()
    return found
