"""Question kinds, a module each: what is asked, what is an answer, and what an answer means."""

from captious.protocols.questions.base import (
    LONGEST_TEXT,
    RECORDING,
    Answer,
    Field,
    Option,
    Problem,
    QuestionKind,
    Said,
    When,
    as_number,
    offered_kinds,
    question_kind,
    question_kinds,
    register,
)

__all__ = [
    "LONGEST_TEXT",
    "RECORDING",
    "Answer",
    "Field",
    "Option",
    "Problem",
    "QuestionKind",
    "Said",
    "When",
    "as_number",
    "offered_kinds",
    "question_kind",
    "question_kinds",
    "register",
]
