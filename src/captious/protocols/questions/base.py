"""The contract of a question kind, and the question itself as data.

A kind is one module, registered with `@register("name")`: what it takes for an answer, what can be
chosen, how an answer is put in words and in numbers, what a simulated rater answers, and how a file
describes it. Its template is `web/templates/questions/<block>.html`. Nobody else knows a kind by name.

Answers are plain values, ready for JSON: a number, a text, the value of the chosen option, or several
values with a number each (`{"duplication": 0.5}`, `{"A": 1, "B": 2}`), or a list of marks, a mapping
each. A recording is a file that the
campaign keeps; the answer is its name, the SHA-256 of its bytes with an ending.
"""

from __future__ import annotations

import json
import math
import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import TYPE_CHECKING, Any, ClassVar, Literal, NamedTuple

from captious.corpus.findings import Place
from captious.errors import UnknownNameError, one_line
from captious.plugins import Registry
from captious.stats.alpha import Scale

if TYPE_CHECKING:
    from captious.protocols.yaml_file import At, YamlFile

Mark = dict[str, Any]
Answer = str | float | dict[str, float] | list[Mark]
Say = Callable[[str], str]

LONGEST_TEXT = 2000
RECORDING = re.compile(r"[0-9a-f]{64}\.(?:webm|ogg|wav|mp3|m4a)")
ROUNDING = 1e-9


class Problem(NamedTuple):
    """What is wrong with one field's answer, in one line."""

    field: str
    message: str


@dataclass(frozen=True)
class Option:
    """One value of a choice. Where several may be chosen it can have an amount: fixed, or from a range."""

    value: str
    label: str
    help: str = ""
    example: str = ""
    amount: float | None = None
    low: float | None = None
    high: float | None = None

    @property
    def free(self) -> bool:
        """Whether the rater gives the amount."""
        return self.low is not None


@dataclass(frozen=True)
class When:
    """A field counts only where an earlier answer is below a number, or holds an option."""

    field: str
    below: float | None = None
    has: str = ""

    def holds(self, answers: Mapping[str, Answer]) -> bool:
        """Whether the earlier answer calls for the field."""
        earlier = answers.get(self.field)
        if self.below is not None:
            number = as_number(earlier)
            return number is not None and number < self.below
        return earlier == self.has or (isinstance(earlier, dict) and self.has in earlier)


@dataclass(frozen=True)
class Field:
    """One question: `caption` is the blind key of the caption it is about, "" for the whole item.

    A number goes from `low` to `high` in steps of `step` (None: any) and may name points of its scale
    in `options`. `fine` is the option of a choice that finds no fault; where it is `preset`, a page
    has it chosen from the start.
    """

    name: str
    kind: str
    label: str
    help: str = ""
    required: bool = True
    caption: str = ""
    low: float | None = None
    high: float | None = None
    step: float | None = None
    options: tuple[Option, ...] = ()
    when: When | None = None
    fine: str = ""
    preset: bool = False

    @property
    def rules(self) -> QuestionKind:
        """Its kind."""
        from captious.protocols.questions.base import question_kind

        return question_kind(self.kind)

    @property
    def aspect(self) -> str:
        """Its name without the key of its caption."""
        return self.name.removeprefix(f"{self.caption}.") if self.caption else self.name

    def option(self, value: str) -> Option | None:
        """The option of that value."""
        return next((option for option in self.options if option.value == value), None)

    def problem(self, message: str) -> Problem:
        """What is wrong with its answer, under its label."""
        label = self.label if self.label.endswith(("?", ":", ".")) else f"{self.label}:"
        where = f"Caption {self.caption}, " if self.caption else ""
        return Problem(self.name, f"{where}{label} {message}")


class Said(NamedTuple):
    """A number that an answer says: of one option (`part`) or one caption, "" for the question itself."""

    value: float
    part: str = ""
    caption: str = ""

    def aspect(self, field: Field) -> str:
        """What the number is about, as results name it."""
        return f"{field.aspect}: {self.part}" if self.part else field.aspect


class QuestionKind(ABC):
    """What one kind of question takes, shows and says.

    `title` is its name for those who choose it, and `note` explains its means. A file describes it
    with `keys` beside what every question has; one that is not `offered` is for protocols only.
    `compares` says that it is asked once about two captions, or about all of an image. Another
    question may depend on its answer (`condition`): if it is below a number, or has an option. Right
    answers can be `known` in advance, unlike the words of a text. An answer is a `recorded` file, or
    is given by `one_press`. Where it `lists` marks, a list is one answer, and
    an empty one says that there is nothing to mark.
    """

    name: ClassVar[str]
    title: ClassVar[str] = ""
    note: ClassVar[str] = ""
    keys: ClassVar[tuple[str, ...]] = ()
    offered: ClassVar[bool] = True
    compares: ClassVar[Literal["", "two", "all"]] = ""
    condition: ClassVar[Literal["", "below", "has"]] = ""
    known: ClassVar[bool] = True
    recorded: ClassVar[bool] = False
    one_press: ClassVar[bool] = False
    lists: ClassVar[bool] = False

    # A file

    def read(self, file: YamlFile, where: At, own: Mapping[str, object], field: Field) -> Field:
        """The field with what its `keys` say."""
        return field

    def about(self, field: Field, captions: Sequence[str]) -> tuple[Field, ...]:
        """The questions of an item with captions of these keys: one, or one for each caption."""
        if len(captions) < 2:
            return (field,)
        return tuple(replace(field, name=f"{key}.{field.name}", caption=key) for key in captions)

    # A page

    def block(self, field: Field) -> str:
        """The template that shows it."""
        return self.name

    def points(self, field: Field) -> tuple[Option, ...]:
        """What can be chosen, in order; nothing where the answer is typed."""
        return field.options

    def inputs(self, field: Field) -> tuple[str, ...]:
        """The names under which a page sends its answer."""
        return (field.name,)

    def gather(self, field: Field, sent: Sequence[tuple[str, str]]) -> object:
        """The answer, still unchecked, from what a page sent under the names of `inputs`."""
        return sent[-1][1]

    # An answer

    @abstractmethod
    def check(self, field: Field, answer: object) -> Answer | Problem:
        """The answer cleaned, or what is wrong with it."""

    def on_captions(self, field: Field, answer: Answer, captions: Mapping[str, str]) -> Answer | Problem:
        """A checked answer in the light of the captions that stand beside it, by key."""
        return answer

    @abstractmethod
    def wanted(self, field: Field) -> str:
        """What to do where there is no answer."""

    def nothing(self) -> Answer | None:
        """The answer to an optional question that was left out."""
        return None

    def words(self, field: Field, answer: Answer, say: Say = str) -> str:
        """An answer as a person would say it, its labels through `say`."""
        option = field.option(plain(answer))
        return say(option.label) if option is not None else plain(answer)

    def right(self, wanted: object, given: object, tolerance: float = 0.0) -> bool:
        """Whether an answer is a known one."""
        return given == wanted

    # Statistics

    def numbers(self, field: Field, answer: Answer) -> tuple[Said, ...]:
        """The answer as numbers on its `scale`; nothing for texts. Raters are compared by these."""
        return ()

    def scale(self, field: Field) -> Scale:
        """What the numbers mean to Krippendorff's alpha."""
        return "nominal"

    def ends(self, field: Field) -> tuple[float, float] | None:
        """The lowest and highest of `numbers`, None where they have no end."""
        return (0.0, 1.0)

    def judged(self, field: Field, answer: Answer) -> tuple[Said, ...]:
        """The answer as judgments of the captions, whose mean by system is a result."""
        return self.numbers(field, answer)

    def levels(self, field: Field) -> Mapping[str, Sequence[float]]:
        """The values that `judged` can have, lowest first, by part; nothing where any number can be."""
        return {}

    def judged_range(self, field: Field) -> Mapping[str, tuple[float, float]]:
        """The lowest and highest value of `judged`, by part."""
        return {part: (min(values), max(values)) for part, values in self.levels(field).items()}

    def apart(self, field: Field, one: Answer, other: Answer) -> float:
        """How far two answers are from each other (0 to 1) in what `numbers` do not say."""
        return 0.0

    def common(self, field: Field, answers: Sequence[Answer]) -> Answer | None:
        """What all answers have in common, from which a decision starts; None where they differ."""
        return answers[0] if all(one == answers[0] for one in answers) else None

    def places(self, field: Field, answer: Answer) -> tuple[Place, ...] | None:
        """What the answer finds wrong in the caption, and where; None where the question does not ask."""
        return None

    @abstractmethod
    def simulated(self, field: Field, opinions: Mapping[str, float]) -> Any:
        """What someone answers who finds the captions so good (0 to 1); None for no answer."""

    # Language models

    def prompt(self, field: Field) -> str:
        """What a language model is told to answer."""
        return "One of:"

    @abstractmethod
    def schema(self, field: Field) -> dict[str, Any]:
        """The JSON schema of an answer."""

    def from_json(self, field: Field, value: object) -> object:
        """What was answered by the schema, for `check`."""
        return value


def as_number(answer: object) -> float | None:
    """The finite number that an answer is or spells; None where it is none.

    >>> as_number(" 4 "), as_number("nan"), as_number(True), as_number("four")
    (4.0, None, None, None)
    """
    if isinstance(answer, bool) or not isinstance(answer, (int, float, str)):
        return None
    try:
        value = float(answer)
    except (ValueError, OverflowError):
        return None
    return value if math.isfinite(value) else None


def plain(answer: object) -> str:
    """An answer as it stands in a box.

    >>> plain(4.0), plain(None), plain("yes"), plain([{"start": 2}])
    ('4', '', 'yes', '[{"start": 2}]')
    """
    if answer is None:
        return ""
    if isinstance(answer, list):
        return json.dumps(answer, ensure_ascii=False)
    return f"{float(answer):.10g}" if isinstance(answer, (int, float)) else str(answer)


def shown(answer: object) -> str:
    """What was answered, cut for a message."""
    return one_line(str(answer), 40)


def within(value: float, low: float | None, high: float | None, step: float | None = None) -> bool:
    """Whether a number lies in a range, on one of its steps."""
    if (low is not None and value < low) or (high is not None and value > high):
        return False
    if step is None:
        return True
    steps = (value - (low or 0.0)) / step
    return abs(steps - round(steps)) < ROUNDING


def range_words(low: float | None, high: float | None, step: float | None = None) -> str:
    """A range in words: a whole number from 1 to 5."""
    whole = "a whole number" if step == 1 else "a number"
    if low is None and high is None:
        return whole
    if low is None or high is None:
        return f"{whole} of at {'most' if low is None else 'least'} {high if low is None else low:g}"
    return f"{whole} from {low:g} to {high:g}"


def overall(opinions: Mapping[str, float]) -> float:
    """One opinion of all captions: of one, how good it is; of several, how much better the last is."""
    values = list(opinions.values()) or [0.5]
    return values[0] if len(values) == 1 else 0.5 + (values[-1] - values[0]) / 2


KINDS = Registry[QuestionKind]("question kind", "captious.protocols.questions", "captious.questions")
register = KINDS.register

# In the order in which they are offered; others follow by name.
_FIRST = ("scale", "choice", "multi", "number", "text", "yes_no", "pair", "rank")


@cache
def question_kinds() -> dict[str, QuestionKind]:
    """Every question kind by name."""
    known = KINDS.all()
    names = sorted(known, key=lambda name: (_FIRST.index(name) if name in _FIRST else len(_FIRST), name))
    return {name: known[name]() for name in names}


def question_kind(name: str) -> QuestionKind:
    """A question kind by its name.

    >>> question_kind("rank").title
    'Ranking of the captions'
    >>> question_kind("scales")
    Traceback (most recent call last):
    captious.errors.UnknownNameError: unknown question kind "scales". Did you mean "scale"?
    """
    known = question_kinds()
    if name not in known:
        raise UnknownNameError("question kind", name, known)
    return known[name]


def offered_kinds() -> dict[str, QuestionKind]:
    """The kinds that a file and the builder may ask for."""
    return {name: kind for name, kind in question_kinds().items() if kind.offered}
