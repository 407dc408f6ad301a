"""The metrics of the CLIP family, by their papers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from captious.corpus.columns import FloatArray
from captious.metrics.base import Need
from captious.metrics.clip.family import NO_PROMPT, ClipFamily, harmonic_mean
from captious.metrics.registry import register
from captious.models.weights.known import MCIP, PAC_B32


@register("clipscore")
@dataclass(frozen=True)
class ClipScore(ClipFamily):
    """CLIPScore (Hessel et al. 2021): w max(cos(c, v), 0), of a caption c and an image v.

    >>> ClipScore().w, ClipScore().prompt
    (2.5, 'A photo depicts')
    """

    title: ClassVar[str] = "CLIP-S"
    summary: ClassVar[str] = "cosine of CLIP ViT-B/32 caption and image vectors; no references"
    citation: ClassVar[str] = "Hessel et al. 2021"
    needs: ClassVar[frozenset[Need]] = frozenset({"image"})
    bounds: ClassVar[tuple[float, float]] = (0.0, 2.5)

    def combine(self, image: FloatArray, references: FloatArray) -> FloatArray:
        """w times the cosine."""
        return self.w * image


@register("refclipscore")
@dataclass(frozen=True)
class RefClipScore(ClipFamily):
    """RefCLIPScore (Hessel et al. 2021): harmonic mean of CLIPScore and max(max_r cos(c, r), 0).

    >>> RefClipScore().needs == {"image", "references"}
    True
    """

    title: ClassVar[str] = "RefCLIP-S"
    summary: ClassVar[str] = "harmonic mean of CLIPScore and the highest cosine with a reference"
    citation: ClassVar[str] = "Hessel et al. 2021"
    needs: ClassVar[frozenset[Need]] = frozenset({"image", "references"})
    bounds: ClassVar[tuple[float, float]] = (0.0, 1.4285714285714286)  # 2 w / (w + 1)
    of_references: ClassVar[bool] = True

    def combine(self, image: FloatArray, references: FloatArray) -> FloatArray:
        """Harmonic mean of both."""
        return harmonic_mean(self.w * image, references)


@register("refonlyc")
@dataclass(frozen=True)
class RefOnlyC(ClipFamily):
    """RefOnlyC (Kasai et al. 2022, Table 4): RefCLIPScore without its image: max(max_r cos(c, r), 0).

    >>> RefOnlyC().of_image
    False
    """

    title: ClassVar[str] = "RefOnlyC"
    summary: ClassVar[str] = (
        "highest cosine with a reference (CLIP text encoder); RefCLIPScore without the image"
    )
    citation: ClassVar[str] = "Kasai et al. 2022, Table 4"
    needs: ClassVar[frozenset[Need]] = frozenset({"references"})
    of_image: ClassVar[bool] = False
    of_references: ClassVar[bool] = True

    def combine(self, image: FloatArray, references: FloatArray) -> FloatArray:
        """The best reference's cosine."""
        return references


@register("mcipscore")
@dataclass(frozen=True)
class McipScore(ClipScore):
    """MCIPScore (Ruiz et al. 2024, 3.1.2): CLIPScore with MCIP's image encoder on ViT-L/14-336.

    The paper gives neither weight nor prompt; its program takes 2.5 and none, and so do we.

    >>> McipScore().encoder
    'MCIP-ViT-L-14-336'
    """

    title: ClassVar[str] = "MCIPScore"
    summary: ClassVar[str] = "CLIPScore with MCIP, a CLIP ViT-L/14-336 tuned for retrieval"
    citation: ClassVar[str] = "Ruiz et al. 2024; Schall et al. 2024"

    encoder: str = MCIP
    prompt: str = NO_PROMPT


@register("mcipscore_ref")
@dataclass(frozen=True)
class McipScoreRef(RefClipScore):
    """MCIPScore with references (Ruiz et al. 2024, 3.1.2): RefCLIPScore with MCIP.

    >>> McipScoreRef().w
    2.5
    """

    title: ClassVar[str] = "MCIPScore-ref"
    summary: ClassVar[str] = "RefCLIPScore with MCIP, a CLIP ViT-L/14-336 tuned for retrieval"
    citation: ClassVar[str] = "Ruiz et al. 2024; Schall et al. 2024"

    encoder: str = MCIP
    prompt: str = NO_PROMPT


@register("pacscore")
@dataclass(frozen=True)
class PacScore(ClipScore):
    """PAC-S (Sarto et al. 2023): CLIPScore with w = 2 and an encoder tuned on augmented pairs.

    >>> PacScore().w
    2.0
    """

    title: ClassVar[str] = "PAC-S"
    summary: ClassVar[str] = "CLIPScore with an encoder tuned on augmented positive pairs, w = 2"
    citation: ClassVar[str] = "Sarto et al. 2023"
    bounds: ClassVar[tuple[float, float]] = (0.0, 2.0)

    encoder: str = PAC_B32
    w: float = 2.0


@register("refpacscore")
@dataclass(frozen=True)
class RefPacScore(RefClipScore):
    """RefPAC-S (Sarto et al. 2023): harmonic mean of PAC-S and the highest cosine with a reference.

    >>> RefPacScore().encoder
    'PAC-S-ViT-B-32'
    """

    title: ClassVar[str] = "RefPAC-S"
    summary: ClassVar[str] = "harmonic mean of PAC-S and the highest cosine with a reference"
    citation: ClassVar[str] = "Sarto et al. 2023"
    bounds: ClassVar[tuple[float, float]] = (0.0, 1.3333333333333333)  # 2 w / (w + 1)

    encoder: str = PAC_B32
    w: float = 2.0
