"""The scoring service against one call of `captious score` over the same captions, in one run.

64 clients, each with one connection and one caption a request, send as fast as they are answered (real
HTTP on loopback, the load generator in a process of its own). The peer scores the same captions in one
call: as `captious.score` in a process that has loaded everything, and as the command, with the start of
its process over 64 captions and without it. Captions come from the demo sample, each made different by a
number, so that no cache helps.

Printed for each set of metrics: captions a second by the clock, the processor time of a caption in the web
server and in the scoring process, and the peer's; then the service's share of the peer's throughput by the
clock (where the two processes of the service work beside each other), and of the processor time of both
processes together. On a busy machine the clock says little.

    python benchmarks/scoring_service.py [--metrics bleu4 spice sentsim] [--clients 64] [--requests 20]

soak.py watches its memory for long.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import resource
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import uvloop

from campaign_traffic import Wire

TICKS = os.sysconf("SC_CLK_TCK")
DEFAULT = ("bleu4", "bleu1,bleu2,bleu3,bleu4,meteor,rouge_l", "spice", "rulegrammar", "sentsim")


class Example(NamedTuple):
    """One caption with what it is scored against."""

    caption: str
    references: list[str]
    objects: list[str]


def examples(count: int, first: int = 0) -> list[Example]:
    """Captions of the demo, each with a number of its own."""
    from captious.corpus.load import load_corpus
    from captious.data import demo_files

    files = demo_files()
    corpus = load_corpus(list(files.systems), files.references, objects=files.objects)
    found = []
    for number in range(first, first + count):
        one = corpus.example(number % len(corpus))
        texts = [f"{text.rstrip('. ')} {number}" for text in one.references]
        found.append(Example(f"{one.caption.rstrip('. ')} {number}", texts, one.objects or []))
    return found


def body_of(example: Example, metrics: Sequence[str]) -> bytes:
    return json.dumps({"metrics": list(metrics), "examples": [example._asdict()]}).encode()


class Service:
    """`captious serve --scoring-only` with its scoring process."""

    def __init__(self, metrics: str, folder: Path) -> None:
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        command = [
            "-m",
            "captious",
            "serve",
            "--scoring-only",
            "--scoring",
            metrics,
            "--port",
            str(self.port),
        ]
        self.process = subprocess.Popen(
            [sys.executable, *command, "--scoring-folder", str(folder)],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        for _ in range(600):
            with socket.socket() as trial:
                if trial.connect_ex(("127.0.0.1", self.port)) == 0:
                    return
            time.sleep(0.1)
        raise SystemExit("the service did not start")

    def processes(self) -> list[int]:
        """The web server's process id, and that of its scoring process."""
        own = self.process.pid
        return [own, *map(int, Path(f"/proc/{own}/task/{own}/children").read_text().split())]

    def processor_seconds(self) -> tuple[float, float]:
        """User and system time of the web server and of the scoring process."""
        web, scoring = (
            sum(map(int, Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[11:13])) / TICKS
            for pid in self.processes()
        )
        return web, scoring

    def stop(self) -> None:
        """End both."""
        self.process.terminate()
        self.process.wait()


async def client(port: int, bodies: Sequence[bytes]) -> list[bytes]:
    """One connection; a request when the last is answered."""
    loop = asyncio.get_running_loop()
    _, wire = await loop.create_connection(Wire, "127.0.0.1", port)
    found = []
    for body in bodies:
        head = b"POST /api/v1/score HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"
        waiting = wire.waiting = loop.create_future()
        wire.write(head + b"Content-Length: %d\r\n\r\n" % len(body) + body)
        answer, content = await waiting
        if not answer.startswith(b"HTTP/1.1 200"):
            raise SystemExit(f"refused: {content.decode()}")
        found.append(content)
    if wire.transport is not None:
        wire.transport.close()
    return found


async def clients(port: int, shares: Sequence[Sequence[bytes]]) -> list[list[bytes]]:
    return await asyncio.gather(*(client(port, share) for share in shares))


def load(arguments: argparse.Namespace) -> None:
    """The load generator's process: bodies on standard input, answers and seconds on standard output."""
    shares = [[body.encode() for body in share] for share in json.loads(sys.stdin.read())]
    began = time.perf_counter()
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        found = runner.run(clients(arguments.load, shares))
    took = time.perf_counter() - began
    print(json.dumps({"seconds": took, "answers": [[one.decode() for one in own] for own in found]}))


def generate(port: int, shares: list[list[bytes]]) -> dict[str, Any]:
    command = [sys.executable, __file__, "--load", str(port)]
    given = json.dumps([[body.decode() for body in share] for share in shares])
    done = subprocess.run(command, input=given, text=True, stdout=subprocess.PIPE, check=True)
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def peer(given: Sequence[Example], metrics: Sequence[str]) -> tuple[float, float, list[list[float]]]:
    """One call of `captious.score`: seconds by the clock, of the processor, and the values."""
    import captious

    corpus = captious.Corpus.from_lists(
        [one.caption for one in given],
        [one.references for one in given],
        objects={str(place): one.objects for place, one in enumerate(given)},
    )
    captious.score(
        corpus.select(range(min(64, len(corpus)))).compact(), list(metrics)
    )  # loads what is needed
    clock, processor = time.perf_counter(), time.process_time()
    scores = captious.score(corpus, list(metrics))
    took = time.perf_counter() - clock, time.process_time() - processor
    return *took, [scores[name].values.tolist() for name in metrics]


def command(given: Sequence[Example], metrics: Sequence[str], folder: Path) -> float:
    """Processor seconds of `captious score` on files, with the start of its process."""
    ids = range(len(given))
    files = {
        "captions.json": [{"image_id": n, "caption": given[n].caption} for n in ids],
        "references.json": {str(n): given[n].references for n in ids},
        "objects.json": {str(n): given[n].objects for n in ids},
    }
    for name, content in files.items():
        (folder / name).write_text(json.dumps(content))
    words = ["-m", "captious", "score", "-c", str(folder / "captions.json"), "-m", ",".join(metrics)]
    words += ["-r", str(folder / "references.json"), "--objects", str(folder / "objects.json")]
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([sys.executable, *words, "--resamples", "0"], check=True, stdout=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def compare(metrics: Sequence[str], clients_: int, requests: int) -> None:
    given = examples(clients_ * requests, first=10_000)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        service = Service(",".join(metrics), folder)
        warm = [[body_of(one, metrics)] for one in examples(clients_)]
        generate(service.port, warm)
        before = service.processor_seconds()
        shares = [[body_of(one, metrics) for one in given[k::clients_]] for k in range(clients_)]
        found = generate(service.port, shares)
        after = service.processor_seconds()
        web, scoring = (late - early for early, late in zip(before, after, strict=True))
        service.stop()
        clock, processor, values = peer(given, metrics)
        start = command(given[:clients_], metrics, folder)
        whole = command(given, metrics, folder)
    for k, own in enumerate(found["answers"]):
        for place, answer in enumerate(own):
            scores = json.loads(answer)["examples"][0]["scores"]
            row = k + place * clients_
            if [scores[name] for name in metrics] != [column[row] for column in values]:
                raise SystemExit(f"caption {row}: the service and captious.score differ")
    n = len(given)
    own = (web + scoring) / n
    without_start = (whole - start) / (n - clients_)
    print(
        f"{','.join(metrics)}: {n:,} captions, load {os.getloadavg()[0]:.1f}\n"
        f"  service          {n / found['seconds']:7,.0f} a second, {web / n * 1e3:.3f} ms in the web server "
        f"and {scoring / n * 1e3:.3f} ms in the scoring process\n"
        f"  captious.score   {n / clock:7,.0f} a second, {processor / n * 1e3:.3f} ms; the command "
        f"{without_start * 1e3:.3f} ms, with its start {start / clients_ * 1e3:.1f} ms\n"
        f"  share of         throughput {clock / found['seconds']:.0%}, processor time "
        f"{processor / n / own:.0%}, of the command {without_start / own:.0%}, "
        f"with its start {start / clients_ / own:.0%}",
        flush=True,
    )


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--metrics", nargs="*", default=DEFAULT)
    parser.add_argument("--clients", type=int, default=64)
    parser.add_argument("--requests", type=int, default=20, help="of each client")
    parser.add_argument("--load", type=int, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.load:
        load(arguments)
    else:
        for metrics in arguments.metrics:
            compare(metrics.split(","), arguments.clients, arguments.requests)


if __name__ == "__main__":
    main()
