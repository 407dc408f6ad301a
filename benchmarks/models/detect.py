"""Object detection: captious against a plain loop over the backend, and against its own cache.

Both look at the same photographs with the same weights in the same process, by turns. The clock
depends on what else the machine does; the verdict is by processor time, which does not. The plain
loop is what one writes by hand: read a photograph with Pillow, scale it, run OpenCV's or ONNX
Runtime's network, keep what is sure enough. Then captious runs again from its cache on disk, with a
detector and a cache that were opened anew; the digests of the photographs and of the weights are
part of its time. With `--gold` the labels found are compared with COCO's instances instead.

    python benchmarks/models/detect.py [--data DIR] [--model ssd] [--images 150] [--gold] [--threshold 0.6]
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import numpy as np
from PIL import Image

from captious.corpus.objects import labels_by_image
from captious.models.detect.cache import DetectionCache
from captious.models.detect.detector import Detections, Detector, open_detector
from captious.models.detect.run import detect_files
from captious.models.detect.ssd import SsdDetector
from captious.models.detect.yolo import YoloDetector
from captious.models.images import image_files

ROUNDS = 5
FASTER_FROM_CACHE = 100
TOLERANCE = 1.05  # what two runs of one loop differ by


def ssd_loop(detector: SsdDetector) -> Callable[[Path], list[str]]:
    import cv2

    model = cv2.dnn.DetectionModel(str(detector.files.graph), str(detector.files.description))
    model.setInputParams(scale=1 / 127.5, size=(320, 320), mean=(127.5,) * 3, swapRB=False)
    names = detector.files.labels.read_text().splitlines()

    def look(path: Path) -> list[str]:
        pixels = np.array(Image.open(path).convert("RGB"))
        return [names[number - 1] for number in model.detect(pixels, confThreshold=0.6)[0]]

    return look


def yolo_loop(detector: YoloDetector) -> Callable[[Path], list[str]]:
    """The network on a frame that is a multiple of 32, as the makers run exports of free size."""
    import cv2
    import onnxruntime

    session = onnxruntime.InferenceSession(str(detector.path), providers=["CPUExecutionProvider"])
    feed = session.get_inputs()[0].name

    def look(path: Path) -> list[str]:
        pixels = np.array(Image.open(path).convert("RGB"))
        scale = 640 / max(pixels.shape[:2])
        height, width = (round(side * scale) for side in pixels.shape[:2])
        pixels = cv2.resize(pixels, (width, height))
        down, right = -height % 32, -width % 32
        pixels = cv2.copyMakeBorder(
            pixels,
            down // 2,
            down - down // 2,
            right // 2,
            right - right // 2,
            cv2.BORDER_CONSTANT,
            value=(114, 114, 114),
        )
        tensor = pixels.transpose(2, 0, 1)[None].astype(np.float32) / 255
        table = session.run(None, {feed: tensor})[0][0].T
        best, number = table[:, 4:].max(1), table[:, 4:].argmax(1)
        sure = best >= 0.6
        boxes = table[sure, :4]
        boxes[:, :2] -= boxes[:, 2:] / 2
        kept = cv2.dnn.NMSBoxesBatched(boxes.tolist(), best[sure].tolist(), number[sure].tolist(), 0.6, 0.7)
        return [detector.labels[number[sure][i]] for i in kept]

    return look


def plain_loop(detector: Detector) -> Callable[[Path], list[str]]:
    if isinstance(detector, SsdDetector):
        return ssd_loop(detector)
    if isinstance(detector, YoloDetector):
        return yolo_loop(detector)
    sys.exit("the plain loop is written for ssd and for YOLO exports")


def timed(work: Callable[[], object]) -> tuple[np.ndarray, object]:
    """Seconds by the clock and of the processor, and the result."""
    start = np.array([time.perf_counter(), time.process_time()])
    result = work()
    return np.array([time.perf_counter(), time.process_time()]) - start, result


def speed(model: str, files: dict[str, Path]) -> bool:
    detector = open_detector(model)
    detector.load()
    look = plain_loop(detector)
    parts = [dict(list(files.items())[i::ROUNDS]) for i in range(ROUNDS)]
    first = next(iter(files.items()))
    detect_files(dict([first]), detector)  # both networks are warm
    look(first[1])
    raw, ours, same = np.zeros(2), np.zeros(2), 0
    with tempfile.TemporaryDirectory() as folder:
        os.environ["CAPTIOUS_CACHE"] = folder
        with DetectionCache.of(detector) as cache:
            for number, part in enumerate(parts):
                jobs = [
                    lambda part=part: {name: look(path) for name, path in part.items()},
                    lambda part=part: detect_files(part, detector, cache=cache).images,
                ]
                order = (0, 1) if number % 2 else (1, 0)
                results = {which: timed(jobs[which]) for which in order}
                raw += results[0][0]
                ours += results[1][0]
                theirs, found = results[0][1], results[1][1]
                same += sum(Counter(theirs[name]) == Counter(found[name].above(0.6).labels) for name in part)

        def again() -> int:
            fresh = open_detector(model)
            with DetectionCache.of(fresh) as cache:
                return detect_files(files, fresh, cache=cache).from_cache

        cached, from_cache = min((timed(again) for _ in range(3)), key=lambda pair: pair[0][0])
    print(f"{len(files)} photographs, {detector.name}; seconds by the clock and of the processor")
    for name, spent in (("plain loop", raw), ("captious", ours), ("from the cache", cached)):
        print(f"{name:16}{spent[0]:9.3f} s {spent[1]:9.3f} s")
    slower, faster = raw / ours, ours / cached
    print(f"captious is {slower[0]:.2f} x (processor: {slower[1]:.2f} x) the plain loop's speed")
    print(f"the cache is {faster[0]:.0f} x (processor: {faster[1]:.0f} x) faster, {from_cache} hits")
    print(f"the same labels in {same} of {len(files)} images")
    return bool(slower[1] >= 1 / TOLERANCE and faster[1] >= FASTER_FROM_CACHE)


def accuracy(model: str, data: Path, threshold: float) -> None:
    folder = data / "coco_mini"
    gold: dict[str, list[str]] = {}
    for split in ("train2017", "val2017"):
        gold |= labels_by_image(folder / "annotations" / f"instances_{split}.json")
    files = image_files([folder / "train2017", folder / "val2017"])
    detector = open_detector(model)
    with DetectionCache.of(detector) as cache:
        found = detect_files(files, detector, cache=cache).images
    rows = [(gold[str(int(Path(name).stem))], one) for name, one in found.items()]
    for cut in sorted({0.3, 0.4, 0.5, threshold}):
        print(f"threshold {cut:g}: " + against_gold(rows, cut))


def against_gold(rows: list[tuple[list[str], Detections]], cut: float) -> str:
    shared, seen, drawn = np.zeros(2), np.zeros(2), np.zeros(2)
    for labels, one in rows:
        truth, ours = Counter(labels), Counter(one.above(cut).labels)
        shared += [len(truth.keys() & ours.keys()), (truth & ours).total()]
        seen += [len(ours), ours.total()]
        drawn += [len(truth), truth.total()]
    return "   ".join(
        f"{what}: precision {p:.3f}, recall {r:.3f}"
        for what, p, r in zip(("kinds", "counts"), shared / seen, shared / drawn, strict=True)
    )


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    default = os.environ.get("CAPTIOUS_DATA", "../shared/data")
    parser.add_argument("--data", type=Path, default=Path(default))
    parser.add_argument("--model", default="ssd", help="ssd or a YOLO export")
    parser.add_argument("--images", type=int, default=150, help="photographs of Flickr8k")
    parser.add_argument("--gold", action="store_true", help="compare with COCO's instances instead")
    parser.add_argument("--threshold", type=float, default=0.6)
    arguments = parser.parse_args()
    if arguments.gold:
        accuracy(arguments.model, arguments.data, arguments.threshold)
        return 0
    every = image_files([arguments.data / "flickr8k" / "images"])
    files = dict(list(every.items())[: arguments.images])
    return 0 if speed(arguments.model, files) else 1


if __name__ == "__main__":
    sys.exit(main())
