"""The scoring service against one call of `captious score` over the same captions, in one run.

64 clients, each with one connection and one caption a request, send as fast as they are answered (real
HTTP on loopback, the load generator in a process of its own). The peer scores the same captions in one
call: as `captious.score` in a process that has loaded everything, and as the command `captious score`, with
the start of its process. Captions come from the demo sample, each made different by a number, so that no
cache helps. Every value of the service must equal the peer's to the last bit.

Printed for each set of metrics: captions a second by the clock; the processor time of a caption in the web
server, in the scoring process, in the load generator and in the peer, and how many cores the first three
kept busy; then the service's share of the peers' throughput by the clock, and of their captions for the
processor time of both its processes. The web server and the scoring process work beside each other, but so
does the load generator: on two cores the three share them, which the peer need not. On a busy machine the
clock says little.

    python benchmarks/server/scoring_service.py [--metrics bleu4 spice sentsim] [--clients 64] [--requests 20]

soak.py watches its memory for long.
"""

from __future__ import annotations

import argparse
import asyncio
import gc
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


class Caller(asyncio.Protocol):
    """One client: sends its next request as soon as the last is answered; as cheap as can be."""

    def __init__(self, requests: Sequence[bytes]) -> None:
        self.requests, self.answers = requests, list[bytes]()
        self.done: asyncio.Future[list[bytes]] = asyncio.get_running_loop().create_future()
        self.parts, self.missing = list[bytes](), 0
        self.transport: Any = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Begin."""
        self.transport = transport
        self.transport.write(self.requests[0])

    def data_received(self, data: bytes) -> None:
        """Most answers come in one piece."""
        if not self.parts:
            head = data.index(b"\r\n\r\n") + 4
            self.missing = head + int(data[:head].partition(b"content-length: ")[2].partition(b"\r\n")[0])
        self.parts.append(data)
        self.missing -= len(data)
        if self.missing:
            return
        self.answers.append(b"".join(self.parts))
        self.parts.clear()
        if len(self.answers) < len(self.requests):
            self.transport.write(self.requests[len(self.answers)])
        else:
            self.done.set_result(self.answers)
            self.transport.close()

    def connection_lost(self, error: Exception | None) -> None:
        """The server hung up."""
        if not self.done.done():
            self.done.set_exception(error or ConnectionError("the server hung up"))


async def clients(port: int, shares: Sequence[Sequence[bytes]]) -> list[list[bytes]]:
    loop = asyncio.get_running_loop()
    callers = [(await loop.create_connection(lambda: Caller(own), "127.0.0.1", port))[1] for own in shares]  # noqa: B023
    return [await one.done for one in callers]


def load(arguments: argparse.Namespace) -> None:
    """The load generator's process: bodies on standard input, answers and seconds in a file."""
    shares = [[request_of(body.encode()) for body in share] for share in json.loads(sys.stdin.read())]
    gc.disable()
    clock, processor = time.perf_counter(), time.process_time()
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        found = runner.run(clients(arguments.load, shares))
    took = {"seconds": time.perf_counter() - clock, "processor": time.process_time() - processor}
    answers = [[content_of(one).decode() for one in own] for own in found]
    Path(arguments.answers).write_text(json.dumps(took | {"answers": answers}))


def request_of(body: bytes) -> bytes:
    head = b"POST /api/v1/score HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"
    return head + b"Content-Length: %d\r\n\r\n" % len(body) + body


def content_of(answer: bytes) -> bytes:
    head, _, content = answer.partition(b"\r\n\r\n")
    if not head.startswith(b"HTTP/1.1 200"):
        raise SystemExit(f"refused: {content.decode()}")
    return content


def generate(port: int, shares: list[list[bytes]]) -> dict[str, Any]:
    given = json.dumps([[body.decode() for body in share] for share in shares])
    with tempfile.NamedTemporaryFile() as answers:
        command = [sys.executable, __file__, "--load", str(port), "--answers", answers.name]
        subprocess.run(command, input=given, text=True, check=True)
        found: dict[str, Any] = json.loads(Path(answers.name).read_text())
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


def command(given: Sequence[Example], metrics: Sequence[str], folder: Path) -> tuple[float, float]:
    """`captious score` on files, with the start of its process: seconds by the clock, of the processor."""
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
    before, clock = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    subprocess.run([sys.executable, *words, "--resamples", "0"], check=True, stdout=subprocess.DEVNULL)
    after, took = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter() - clock
    return took, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


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
        with_start, whole = command(given, metrics, folder)
    for k, own in enumerate(found["answers"]):
        for place, answer in enumerate(own):
            scores = json.loads(answer)["examples"][0]["scores"]
            row = k + place * clients_
            if [scores[name] for name in metrics] != [column[row] for column in values]:
                raise SystemExit(f"caption {row}: the service and captious.score differ")
    n, seconds, generator = len(given), found["seconds"], found["processor"]
    each = [f"{part / n * 1e3:.3f} ms" for part in (web, scoring, generator, processor, whole)]
    by_clock = f"{clock / seconds:.0%} of the call, {with_start / seconds:.0%} of the command"
    by_processor = f"{processor / (web + scoring):.0%} and {whole / (web + scoring):.0%}"
    print(
        f"{','.join(metrics)}: {n:,} captions, load {os.getloadavg()[0]:.1f}\n"
        f"  service         {n / seconds:7,.0f} a second; of the processor {each[0]} in the web server and "
        f"{each[1]} in the\n{'':18}scoring process, {each[2]} in the load generator: together "
        f"{(web + scoring + generator) / seconds:.2f} cores\n"
        f"  captious.score  {n / clock:7,.0f} a second, {each[3]}\n"
        f"  captious score  {n / with_start:7,.0f} a second, {each[4]}, with the start of its process\n"
        f"  throughput      {by_clock}; by processor time {by_processor}",
        flush=True,
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--metrics", nargs="*", default=DEFAULT)
    parser.add_argument("--clients", type=int, default=64)
    parser.add_argument("--requests", type=int, default=20, help="of each client")
    parser.add_argument("--load", type=int, help=argparse.SUPPRESS)
    parser.add_argument("--answers", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.load:
        load(arguments)
    else:
        for metrics in arguments.metrics:
            compare(metrics.split(","), arguments.clients, arguments.requests)


if __name__ == "__main__":
    main()
