"""ResNet and VGG as functions of their weights, under the names of torchvision.

The depth is read from the names, so that any ResNet (He et al. 2016) and any plain VGG (Simonyan
and Zisserman 2015) runs; batch norms use their stored statistics.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

Tensor = Any
Weights = Mapping[str, Tensor]
_STAGES = (1, 2, 3, 4)
_VGG_SIDE = 7


def resnet(w: Weights, pixels: Tensor) -> Tensor:
    """Mean features of the last stage; `w` holds `conv1`, `bn1`, `layer1` … `layer4`."""
    from torch.nn.functional import conv2d, max_pool2d

    states = _norm(w, "bn1", conv2d(pixels, w["conv1.weight"], stride=2, padding=3)).relu()
    states = max_pool2d(states, kernel_size=3, stride=2, padding=1)
    for stage in _STAGES:
        for number in range(depth(w, stage)):
            stride = 2 if stage > 1 and number == 0 else 1
            states = _block(w, f"layer{stage}.{number}", states, stride)
    return states.mean(dim=(2, 3))


def depth(w: Weights, stage: int) -> int:
    """How many blocks a stage has."""
    found = (re.match(rf"layer{stage}\.(\d+)\.", name) for name in w)
    return max((int(match[1]) + 1 for match in found if match), default=0)


def resnet_names(w: Weights) -> Iterator[str]:
    """Every weight that `resnet` reads, given the blocks that `w` has."""
    yield "conv1.weight"
    yield from _norm_names("bn1")
    for stage in _STAGES:
        for number in range(max(1, depth(w, stage))):
            block = f"layer{stage}.{number}"
            for part in _parts(w, block):
                yield f"{block}.conv{part}.weight"
                yield from _norm_names(f"{block}.bn{part}")
            if f"{block}.downsample.0.weight" in w:
                yield f"{block}.downsample.0.weight"
                yield from _norm_names(f"{block}.downsample.1")


def _norm_names(name: str) -> list[str]:
    return [f"{name}.{part}" for part in ("weight", "bias", "running_mean", "running_var")]


def _parts(w: Weights, name: str) -> range:
    return range(1, 4) if f"{name}.conv3.weight" in w else range(1, 3)


def _block(w: Weights, name: str, states: Tensor, stride: int) -> Tensor:
    """A residual block; of three convolutions the middle one strides, of two the first."""
    from torch.nn.functional import conv2d

    parts = _parts(w, name)
    strided = 2 if len(parts) == 3 else 1
    shortcut, inner = states, states
    for part in parts:
        kernel = w[f"{name}.conv{part}.weight"]
        step = stride if part == strided else 1
        inner = conv2d(inner, kernel, stride=step, padding=kernel.shape[2] // 2)
        inner = _norm(w, f"{name}.bn{part}", inner)
        if part != parts[-1]:
            inner = inner.relu()
    if f"{name}.downsample.0.weight" in w:
        shortcut = conv2d(states, w[f"{name}.downsample.0.weight"], stride=stride)
        shortcut = _norm(w, f"{name}.downsample.1", shortcut)
    return (inner + shortcut).relu()


def _norm(w: Weights, name: str, states: Tensor) -> Tensor:
    from torch.nn.functional import batch_norm

    mean, variance = w[f"{name}.running_mean"], w[f"{name}.running_var"]
    return batch_norm(states, mean, variance, w[f"{name}.weight"], w[f"{name}.bias"])


def vgg(w: Weights, pixels: Tensor) -> Tensor:
    """The second last layer; `w` holds `features.N` and two linear layers of `classifier`.

    Of the numbers of two convolutions that follow each other, three apart means that their stage
    ends in a pooling layer between them.
    """
    from torch.nn.functional import adaptive_avg_pool2d, conv2d, linear, max_pool2d

    states = pixels
    numbers = _numbers(w, "features")
    for number, following in zip(numbers, [*numbers[1:], numbers[-1] + 3], strict=True):
        name = f"features.{number}"
        states = conv2d(states, w[f"{name}.weight"], w[f"{name}.bias"], padding=1).relu()
        if following - number == 3:
            states = max_pool2d(states, kernel_size=2, stride=2)
    states = adaptive_avg_pool2d(states, (_VGG_SIDE, _VGG_SIDE)).flatten(1)
    for number in _numbers(w, "classifier"):
        states = linear(states, w[f"classifier.{number}.weight"], w[f"classifier.{number}.bias"]).relu()
    return states


def _numbers(w: Weights, part: str) -> list[int]:
    found = (re.fullmatch(rf"{part}\.(\d+)\.weight", name) for name in w)
    return sorted(int(match[1]) for match in found if match)
