"""The rating game as a protocol: what is shown, what an answer is worth, what becomes of it."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any, ClassVar, Self

from captious.corpus import Corpus
from captious.errors import InputError
from captious.protocols.base import (
    FIRST,
    UNLIMITED,
    Caption,
    Exported,
    ExportFile,
    ExportNote,
    Guide,
    HumanProtocol,
    Item,
    Outcome,
    Past,
    Response,
    Row,
    Table,
    Words,
    captions_of,
    matched,
    opaque,
    row_of,
)
from captious.protocols.capabilities import FromFile, Game
from captious.protocols.game import cold_start, feedback, guide
from captious.protocols.game.need import LEAST_RATINGS, MOST_RATINGS, wanted_ratings
from captious.protocols.game.player import PLAYED, Ladder, Standing, after
from captious.protocols.game.points import PointTable, Scale, Scored, score
from captious.protocols.game.training import TrainingPair, probation_rounds
from captious.protocols.item import Field, Form, Option, Problem, as_number
from captious.protocols.questions.number import point
from captious.protocols.registry import register
from captious.protocols.simulation import Someone

TUTORIAL, PROBATION = "tutorial", "probation"
ASPECT = "rating"
KEY = "A"
COMPUTER, RATINGS, WHY, PLACE = "computer", "ratings", "why", "place"
WAIT_SECONDS = 3.0  # Scott et al. 2023, 3.2
SECONDS_PER_PAIR = 10.0  # Scott et al. 2023, 3.3: about 10 s in CocoG
DAILY_GOAL = 20
DAY = 24 * 3600


@register("game")
@dataclass(frozen=True)
class RatingGame(HumanProtocol, FromFile, Game):
    """Raters predict the consensus of a pair and score points (Scott et al. 2023).

    A file describes the game: the training pairs, and whatever shall differ from the paper.
    """

    title: ClassVar[str] = "Rating game"
    citation: ClassVar[str] = "Scott et al. 2023, Improved Image Caption Rating, 3.1-3.3"
    words: ClassVar[Words] = Words(
        name="Rating game",
        what="Raters predict the consensus rating of each caption and score points. A tutorial teaches the "
        "scale, and raters who guess are held back.",
        needs="Images, captions, and a file with the tutorial and the curated pairs.",
        cost="4 to 7 ratings per pair, about 10 seconds each.",
        gives="Pairs with all ratings and their rounded mean, split for training.",
        invitation="You will rate how well captions fit photographs, and score points for being close to the "
        "consensus of all players.",
        asks="rating",
    )
    stages: ClassVar[Mapping[str, str]] = {TUTORIAL: "Tutorial", FIRST: "Game", PROBATION: "Probation"}
    suffixes: ClassVar[tuple[str, ...]] = (".game",)
    usual_seconds: ClassVar[float | None] = SECONDS_PER_PAIR
    reads_past: ClassVar[bool] = True
    pauses: ClassVar[bool] = True
    export_files: ClassVar[tuple[ExportNote, ...]] = (
        ExportNote("pairs.jsonl", "each pair with all its ratings, their rounded mean and its split"),
        ExportNote("points.csv", "each rater's points, for payment"),
    )

    ladder: Ladder = field(default_factory=Ladder)
    tutorial: tuple[TrainingPair, ...] = ()
    probation: tuple[TrainingPair, ...] = ()
    scale: Scale = field(default_factory=Scale)
    levels: tuple[guide.Level, ...] = guide.TABLE_2
    points: PointTable = field(default_factory=PointTable)
    least_ratings: int = LEAST_RATINGS
    most_ratings: int = MOST_RATINGS
    wait_seconds: float = WAIT_SECONDS
    daily_goal: int = DAILY_GOAL
    metrics: tuple[str, ...] = ()

    @classmethod
    def from_text(cls, text: str, source: str = "protocol") -> Self:
        """The game that a file describes."""
        from captious.protocols.game.file import parse_game

        return cls(**parse_game(text, source))

    # Making a campaign

    @property
    def ranges(self) -> Mapping[str, tuple[float, float]]:
        """The scale."""
        return {ASPECT: (self.scale.low, self.scale.high)}

    def items(self, corpus: Corpus, *, seed: int) -> list[Item]:
        """The training pairs, then every pair of the corpus that is no training pair."""
        trained = {(pair.image, pair.caption) for pair in (*self.tutorial, *self.probation)}
        found = self._training(seed)
        for image, texts in captions_of(corpus).items():
            for text, systems in texts.items():
                if (image, text) not in trained:
                    found.append(
                        Item(
                            key=opaque(seed, "pair", image, text),
                            image=image,
                            captions=(Caption(KEY, text),),
                            form=self.form,
                            sources={KEY: tuple(systems)},
                            target=self.least_ratings,
                        )
                    )
        if len(found) == len(self._training(seed)):
            raise InputError("game: no pair is left to rate. Give captions that are not training pairs.")
        return found

    def _training(self, seed: int) -> list[Item]:
        found = [self._practice(TUTORIAL, 0, at, pair, seed) for at, pair in enumerate(self.tutorial)]
        if self.ladder.trial_pairs:
            for turn, pairs in enumerate(probation_rounds(self.probation, self.ladder.probation_pairs)):
                found += [self._practice(PROBATION, turn, at, pair, seed) for at, pair in enumerate(pairs)]
        return found

    def _practice(self, stage: str, turn: int, at: int, pair: TrainingPair, seed: int) -> Item:
        return Item(
            key=opaque(seed, stage, str(turn), str(at)),
            image=pair.image,
            captions=(Caption(KEY, pair.caption),),
            form=self.form,
            sources={KEY: (stage,)},
            stage=stage,
            target=UNLIMITED,
            balance=_label(stage, turn if stage == PROBATION else at),
            practice=True,
            facts={RATINGS: list(pair.ratings), WHY: pair.why, PLACE: at, "turn": turn},
        )

    def first_metrics(self) -> tuple[str, ...]:
        """The metrics of the cold start."""
        return self.metrics

    def with_first_metrics(self, file: str, metrics: Sequence[str]) -> str:
        """The game's file with other metrics of the cold start."""
        from captious.protocols.game.file import with_metrics

        return with_metrics(file, metrics)

    def with_scores(self, items: Sequence[Item], scores: Mapping[str, Mapping[str, float]]) -> list[Item]:
        """Each pair with its first ratings: two, from one metric or from two (see `cold_start`)."""
        pairs = [item for item in items if not item.practice]
        made: dict[str, list[float]] = {item.key: [] for item in pairs}
        for place in range(cold_start.COMPUTER_RATINGS):
            own = scores[self.metrics[min(place, len(self.metrics) - 1)]]
            ratings = cold_start.ratings_from_scores([own[item.key] for item in pairs], self.scale)
            for item, rating in zip(pairs, ratings, strict=True):
                made[item.key].append(rating)
        return [
            item if item.practice else replace(item, facts={**item.facts, COMPUTER: made[item.key]})
            for item in items
        ]

    @property
    def form(self) -> Form:
        """One question: the rating."""
        options = tuple(Option(f"{level.rating:g}", level.name, level.means) for level in self.levels)
        return Form(
            (
                Field(
                    ASPECT,
                    "scale",
                    "How will most players rate this caption?",
                    low=self.scale.low,
                    high=self.scale.high,
                    step=self.scale.step,
                    options=options,
                ),
            )
        )

    def guide(self, stage: str = FIRST) -> tuple[Guide, ...]:
        """How to play and what each rating means."""
        first = {TUTORIAL: (guide.TUTORIAL,), PROBATION: (guide.PROBATION,)}
        return guide.guides(self.levels, *first.get(stage, ()))

    # A rater at work

    def may_take(self, item: Item, record: Mapping[str, Any]) -> bool:
        """The tutorial in its order, then the game, or the round of probation they are in."""
        standing = self.standing(record)
        if item.stage == TUTORIAL:
            return standing.phase == TUTORIAL and item.facts[PLACE] == standing.played
        if item.stage == PROBATION:
            return standing.phase == PROBATION and item.facts["turn"] == standing.rounds - 1
        return standing.phase in PLAYED

    def practice_labels(self, record: Mapping[str, Any]) -> tuple[str, ...]:
        """The next pair of the tutorial, or the pairs of their round of probation."""
        standing = self.standing(record)
        if standing.phase == TUTORIAL:
            return (_label(TUTORIAL, standing.played),)
        return (_label(PROBATION, standing.rounds - 1),) if standing.phase == PROBATION else ()

    def minimum_seconds(self, item: Item) -> float:
        """Nobody can look at a pair in less."""
        return self.wait_seconds

    def may_correct(self, item: Item) -> bool:
        """Never: the consensus has been seen."""
        return False

    def outcome(self, item: Item, response: Response, past: Past) -> Outcome | list[Problem]:
        """Points against the consensus of the ratings so far, and where the rater stands now."""
        rating = rating_of(response)
        before = self.standing(past.record)
        earlier = [rating_of(one) for one in past.earlier]
        scored = self.scored(item, rating, earlier)
        now = after(before, scored.points, self.ladder)
        lines = (
            feedback.points_line(scored, rating),
            str(item.facts.get(WHY, "")) or feedback.why_line(scored),
            feedback.change_line(before, now, self.ladder),
        )
        wanted = None
        if not item.practice:
            wanted = wanted_ratings(
                [*earlier, rating], self.scale, least=self.least_ratings, most=self.most_ratings
            )
        return Outcome(
            feedback=tuple(line for line in lines if line),
            record=self._record(past.record, before, now, response.time),
            target=wanted,
            noted={
                "points": float(scored.points),
                "score": float(now.score),
                "consensus": "" if scored.consensus is None else scored.consensus,
                "n": float(scored.n),
                "variance": scored.variance,
                "phase": before.phase,
            },
        )

    def scored(self, item: Item, rating: float, earlier: Sequence[float]) -> Scored:
        """What a rating is worth, given the earlier ratings of the pair by others."""
        if item.practice:
            previous = list(item.facts[RATINGS])
        else:
            previous = cold_start.earlier_ratings(item.facts.get(COMPUTER, []), earlier)
        return score(rating, previous, scale=self.scale, table=self.points)

    def standing(self, record: Mapping[str, Any]) -> Standing:
        """Where a rater with that record stands."""
        kept = record.get("standing")
        return Standing(**kept) if kept else self._begin

    @property
    def _begin(self) -> Standing:
        return replace(self.ladder, tutorial_pairs=len(self.tutorial)).start()

    def _record(
        self, record: Mapping[str, Any], before: Standing, now: Standing, at: float
    ) -> dict[str, Any]:
        day = 0 if math.isnan(at) else int(at // DAY)
        today = record.get("today", 0) if record.get("day") == day else 0
        return {**record, "standing": asdict(now), "day": day, "today": today + (before.phase in PLAYED)}

    def record_lines(self, record: Mapping[str, Any]) -> tuple[str, ...]:
        """Points, level, streak and how much of the day's goal is reached."""
        standing = self.standing(record)
        lines = [feedback.standing_line(standing, self.ladder)]
        if standing.streak > 1:
            lines.append(f"{standing.streak} in a row")
        if standing.phase in PLAYED and self.daily_goal:
            lines.append(f"today {record.get('today', 0)} of {self.daily_goal}")
        return tuple(lines)

    def mood(self, noted: Mapping[str, Any]) -> str:
        """Points are good, no points are near, lost points are off."""
        points = noted.get("points", 0)
        return "good" if points > 0 else "near" if points == 0 else "off"

    def score_of(self, record: Mapping[str, Any]) -> int | None:
        """The points of trial and game."""
        return self.standing(record).score

    # What becomes of responses

    def rows(self, items: Iterable[Item], responses: Iterable[Response]) -> Iterable[Row]:
        """One judgment a rating."""
        for item, response in matched(items, responses):
            for system in item.sources[KEY]:
                yield row_of(item, response, item.captions[0], system, ASPECT, rating_of(response))

    def tables(self, items: Sequence[Item], responses: Sequence[Response]) -> list[Table]:
        """The distribution of ratings, the virtual raters' agreement, and points by rater."""
        from captious.protocols.game.dataset import game_tables

        return game_tables(items, responses, self.scale)

    def agreement(
        self, items: Sequence[Item], responses: Sequence[Response], *, resamples: int = 1000
    ) -> list[Table]:
        """What is said of every protocol, and the paper's Table 3."""
        from captious.protocols.game.dataset import agreement_table

        shared = super().agreement(items, responses, resamples=resamples)
        return [*shared, *agreement_table(items, responses)]

    def possible_scores(self) -> Mapping[str, Sequence[float]]:
        """The ratings of the scale."""
        return {ASPECT: self.scale.levels}

    def extra_files(self, data: Exported) -> list[ExportFile]:
        """The data set as the paper has it, and points for payment."""
        from captious.protocols.game.dataset import pairs_lines, points_lines

        about = {note.name: note.about for note in self.export_files}
        return [
            ExportFile("pairs.jsonl", about["pairs.jsonl"], pairs_lines(data, self.scale)),
            ExportFile("points.csv", about["points.csv"], points_lines(data.items, data.responses)),
        ]

    def simulated(self, item: Item, someone: Someone) -> dict[str, Any]:
        """The level of the scale that a rater with known opinions finds right."""
        if item.practice and someone.rater.habit == "careful":
            value = (sum(item.facts[RATINGS]) / len(item.facts[RATINGS]) - self.scale.low) / (
                self.scale.high - self.scale.low
            )
        else:
            value = someone.opinion(item, KEY)
        return {ASPECT: point(value + someone.noise(), self.scale.low, self.scale.high)}


def _label(stage: str, place: int) -> str:
    """The label under which a part of the training is found."""
    return f"{stage} {place + 1:03d}"


def rating_of(response: Response) -> float:
    """The rating that a response gives."""
    found = as_number(response.answers.get(ASPECT))
    if found is None:
        raise InputError(f"item {response.item}: a response has no rating.")
    return found
