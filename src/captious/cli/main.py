"""The `captious` command.

Exit codes: 0 done, 1 the answer is no, 2 bad input (one line on stderr, never a traceback).
"""

from __future__ import annotations

import os
import re
import sys
import warnings
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib import import_module
from itertools import pairwise
from typing import Any

import typer
from typer.core import TyperGroup

from captious.errors import CaptiousError, CaptiousWarning, InputError, MissingDependencyError, one_line
from captious.wrong_fields import in_words

# Typer keeps its copy of Click private; what it raises for a wrong option is public by descent.
UsageError: type[Exception] = next(
    kind
    for kind in typer.BadParameter.__mro__
    if kind.__name__ == "ClickException" and issubclass(kind, Exception)
)

# Options that take several values in a row: `--candidates a.json b.json`.
SPREAD = frozenset({"--candidates", "-c", "--references", "-r", "--name"})

# Where each command lives, by its job, in the order of the help; the one asked for is imported alone.
JOBS = {
    "Start": {
        "demo": "captious.cli.demo:demo",
        "doctor": "captious.cli.doctor:doctor",
        "get": "captious.cli.get:app",
    },
    "Score captions": {
        "score": "captious.cli.score:score",
        "compare": "captious.cli.compare:compare",
        "explain": "captious.cli.explain:explain",
        "report": "captious.cli.report:report",
        "data": "captious.cli.data:app",
    },
    "Ask people": {
        "campaign": "captious.cli.campaign.commands:app",
        "crowd": "captious.cli.crowd.commands:app",
        "serve": "captious.cli.serve:app",
        "judgments": "captious.cli.judgments:app",
        "estimate": "captious.cli.estimate:estimate",
    },
    "Evaluate and train metrics": {
        "meta": "captious.cli.meta:meta",
        "train": "captious.cli.train.commands:app",
        "reproduce": "captious.cli.reproduce:reproduce",
        "study": "captious.cli.study:study",
    },
}
COMMANDS = {name: place for commands in JOBS.values() for name, place in commands.items()}
# What commands were called in 0.1; the longest beginning counts. They go with 0.3.
RENAMED = {
    **{name: f"data {name}" for name in ("check", "stats", "filter", "detect", "df")},
    **{name: f"judgments {name}" for name in ("agreement", "aggregate", "audit", "plan")},
    "df build": "data df",
    "humanr": "crowd humanr",
    "weights": "get weights",
    "weights list": "get weights",
    "weights get": "get weights",
    "weights verify": "get weights --verify",
    "benchmarks": "get benchmarks",
    "benchmarks list": "get benchmarks",
    "benchmarks get": "get benchmarks",
    "benchmarks where": "get benchmarks --where",
    "benchmarks rows": "get rows",
}
INTERRUPTED = "interrupted. Long commands resume where they stopped when you run them again."


class ByJob(TyperGroup):
    """Commands, listed by the job they serve."""

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """A heading for each job."""
        for job, commands in JOBS.items():
            with formatter.section(job):
                found = [(name, self.commands[name]) for name in commands if name in self.commands]
                formatter.write_dl([(name, one.get_short_help_str(limit=200)) for name, one in found])


def application(arguments: Sequence[str] = ()) -> typer.Typer:
    """The command that the arguments name first; all commands where they name none."""
    app = typer.Typer(
        name="captious",
        cls=ByJob,
        help="Evaluate image captions with metrics and human judgments.",
        no_args_is_help=True,
        add_completion=True,
        pretty_exceptions_enable=False,
        rich_markup_mode=None,
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    app.callback(invoke_without_command=True)(about)
    for name in _wanted(arguments):
        module, _, attribute = COMMANDS[name].partition(":")
        found = getattr(import_module(module), attribute)
        if isinstance(found, typer.Typer):
            app.add_typer(found, name=name)
        else:
            app.command(name)(found)
    return app


def _wanted(arguments: Sequence[str]) -> list[str]:
    """The commands to import: the one that is typed, or those that its beginning may become."""
    typed = arguments or _typed_so_far()
    if typed and typed[0] in COMMANDS:
        return [typed[0]]
    begun = "".join(typed) if len(typed) == 1 and not arguments else ""
    return [name for name in COMMANDS if name.startswith(begun)]


def _typed_so_far() -> list[str]:
    """The words behind `captious` that a shell wants completed, by the variables that its script sets."""
    if "_CAPTIOUS_COMPLETE" not in os.environ:
        return []
    return (os.environ.get("COMP_WORDS") or os.environ.get("_TYPER_COMPLETE_ARGS") or "").split()[1:]


def about(version: bool = typer.Option(False, "--version", help="Print the version.")) -> None:
    """Evaluate image captions with metrics and human judgments."""
    if version:
        from captious._version import __version__

        typer.echo(f"captious {__version__}")
        raise typer.Exit


def spread(arguments: Sequence[str]) -> list[str]:
    """Repeat an option that takes several values before each of them.

    >>> spread(["score", "--candidates", "a.json", "b.json", "--format", "json"])
    ['score', '--candidates', 'a.json', '--candidates', 'b.json', '--format', 'json']
    """
    result: list[str] = []
    option, given = "", 0
    for argument in arguments:
        if argument.startswith("-") and argument != "-":
            option, given = (argument if argument in SPREAD else ""), 0
        elif option:
            if given:
                result.append(option)
            given += 1
        result.append(argument)
    return result


def renamed(arguments: Sequence[str]) -> tuple[list[str], str]:
    """The arguments with a command's present name, and a line where it is not the one that was typed.

    >>> renamed(["weights", "get", "clipscore"])
    (['get', 'weights', 'clipscore'], 'captious weights get is now captious get weights.')
    """
    for length in (2, 1):
        old = " ".join(arguments[:length])
        if old in RENAMED:
            new = RENAMED[old]
            return [*new.split(), *arguments[length:]], f"captious {old} is now captious {new}."
    return list(arguments), ""


def refuse_blank(arguments: Sequence[str]) -> None:
    """Refuse `--name ""`, which is what a script passes on when its variable is not set."""
    for before, argument in pairwise(("", *arguments)):
        option, equals, value = argument.partition("=")
        if not argument.strip():
            where = before if before.startswith("-") else "an argument"
            raise InputError(f"{where}: the value is empty. Give one, or leave it out.")
        if equals and option.startswith("--") and not value.strip():
            raise InputError(f"{option}: the value is empty. Give one, or leave it out.")


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line and turn errors into one line and an exit code."""
    given = spread(sys.argv[1:] if arguments is None else arguments)
    try:
        refuse_blank(given)
        with _warnings_as_notes():
            code = _run(given)
        if sys.stdout is not None:  # closed by `>&-`, Python has no standard output at all
            sys.stdout.flush()
    except CaptiousError as error:
        _fail(error.typed, 2)
    except ModuleNotFoundError as error:
        extra = _extra_of(error.name or "")
        if not extra:
            raise
        _fail(MissingDependencyError(f"this command needs {error.name}", extra).typed, 2)
    except BrokenPipeError:
        _leave_quietly()
    except OSError as error:
        where = f"{error.filename}: " if error.filename else ""
        _fail(f"{where}{error.strerror or error}.", 2)
    except (KeyboardInterrupt, typer.Abort):
        _fail(INTERRUPTED, 130)
    except typer.Exit as stop:
        sys.exit(stop.exit_code)
    except UsageError as error:
        command = getattr(getattr(error, "ctx", None), "command_path", "captious")
        said = str(error.format_message())  # type: ignore[attr-defined]
        if said.startswith("Usage:"):  # a group without a command: its help is the answer
            print(said, file=sys.stderr)
            sys.exit(2)
        said = " ".join((_wrong_value(error) or said).split())
        _fail(f"{said}{'' if said.endswith(('.', '?')) else '.'} See {command} --help.", 2)
    else:
        if code == 130:  # Typer's answer to Ctrl-C
            _fail(INTERRUPTED, 130)
        sys.exit(code if isinstance(code, int) else 0)


def _run(given: list[str]) -> Any:
    """The command's exit code, None where it is done."""
    given, said = renamed(given)
    if said:
        print(f"note: {said}", file=sys.stderr)
    command = typer.main.get_command(application(given))
    for line in repeated_lines(command, given):
        print(f"note: {line}", file=sys.stderr)
    return command(given, prog_name="captious", standalone_mode=False)


def _wrong_value(error: Exception) -> str:
    """The value of an option that Typer's pydantic refused, in our words; empty for any other mistake."""
    refused = getattr(error.__cause__, "errors", None)
    if refused is None:
        return ""
    found = refused()[0]
    names = getattr(getattr(error, "param", None), "opts", None) or ["an argument"]
    value, words = found["input"], in_words(found).removeprefix(f"{found['input']!r} ")
    if str(value).strip("+- ").casefold() == "nan":  # which every limit refuses in its own words
        words = "give a number"
    return f'{names[0]} "{one_line(str(value), 40)}": {words}'


@contextmanager
def _warnings_as_notes() -> Iterator[None]:
    """Our own warnings are for the person who typed the command, as one line each."""
    with warnings.catch_warnings():
        others = warnings.showwarning

        def show(message: Warning | str, category: type[Warning], *where: Any) -> None:
            if issubclass(category, CaptiousWarning):
                print(f"note: {getattr(message, 'typed', message)}", file=sys.stderr)
            else:
                others(message, category, *where)

        warnings.showwarning = show  # type: ignore[assignment]
        yield


def _extra_of(module: str) -> str:
    """The smallest extra whose packages bring a module, by captious's own metadata; "" where none does.

    >>> _extra_of("sqlalchemy.orm"), _extra_of("json")
    ('web', '')
    """
    from importlib.metadata import requires

    extras: dict[str, list[str]] = {}
    for line in requires("captious") or ():
        package, _, condition = line.partition(";")
        if extra := re.search(r"extra == ['\"]([\w-]+)['\"]", condition):
            name = re.split(r"[^\w.-]", package.strip())[0]
            extras.setdefault(extra[1], []).append(name.casefold().replace("-", "_"))
    wanted = module.partition(".")[0].casefold()
    bring = [extra for extra, packages in extras.items() if wanted in packages]
    return min(bring, key=lambda extra: len(extras[extra]), default="")


def _leave_quietly() -> None:
    """The reader of our output has gone, as `head` does; there is nobody left to tell."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    sys.exit(0)


def _fail(message: str, code: int) -> None:
    print(f"error: {message}", file=sys.stderr)
    sys.exit(code)


def repeated_lines(command: Any, arguments: Sequence[str]) -> Iterator[str]:
    """A line for each option of one value that is typed more than once; `command` is Typer's for all."""
    for argument in arguments:
        below = getattr(command, "commands", {})
        if not below:
            break
        command = below.get(argument, command)
    takes_one = {
        name: parameter.opts[0]
        for parameter in command.params
        if not (getattr(parameter, "multiple", True) or getattr(parameter, "is_flag", True))
        for name in parameter.opts
    }
    typed = [argument.partition("=")[0] for argument in arguments if argument.startswith("-")]
    for option, times in Counter(takes_one[one] for one in typed if one in takes_one).items():
        if times > 1:
            yield f"{option} is given {times} times; only the last one counts."
