"""From claims to places: which words of a sentence a finding marks, and how sure it is."""

from __future__ import annotations

from collections.abc import Sequence

from captious.corpus.findings import Place
from captious.metrics.invented.evidence import Claim
from captious.metrics.invented.reading import Reading

MAJOR, MINOR = "major", "minor"


def places_of(
    one: Reading,
    number: int,
    claims: Sequence[Claim],
    threshold: float,
    confidence: float,
    whole: bool = False,
) -> list[Place]:
    """The places of a sentence in which something is probably wrong.

    A claim that is wrong by itself begins a place: at its own words where its clause has named something
    true before, else with the clause. It ends where something true follows in the clause and nothing doubtful
    after it, else with the sentence: what is said of an invented thing is invented. Where only several
    doubtful claims together are probably wrong, the place goes from the clause of the first to the end. With
    `whole`, the place is the sentence.
    """
    sentence = one.sentences[number]
    doubtful = [claim for claim in claims if claim.wrong > 0]
    wrong = [claim for claim in doubtful if claim.wrong >= threshold]
    if whole or not doubtful:
        first = max(doubtful, key=lambda claim: claim.wrong, default=Claim(0, 0, "inference", 0.0))
        return [_place(one, sentence, confidence, first.kind, first.evidence)]
    if not wrong:
        start = _clause(one, doubtful[0].first).start
        evidence = "; ".join(dict.fromkeys(claim.evidence for claim in doubtful))
        return [_place(one, range(start, sentence.stop), confidence, doubtful[0].kind, evidence)]
    firsts = {claim.first for claim in doubtful}
    true = [
        mention
        for mention in one.mentions
        if mention.first in sentence and mention.first not in firsts and not mention.modifies
    ]
    found: list[tuple[range, Claim]] = []
    for claim in wrong:
        clause = _clause(one, claim.first)
        known = any(clause.start <= mention.first < claim.first for mention in true) or claim.kind != "object"
        start = claim.first if known else clause.start
        follows = any(claim.last < mention.first < clause.stop for mention in true)
        alone = all(other.last <= claim.last for other in doubtful)
        stop = (
            claim.last + 1 if (follows and alone) or claim.kind in ("attribute", "count") else sentence.stop
        )
        if found and start < found[-1][0].stop:
            before, first = found[-1]
            found[-1] = (range(before.start, max(stop, before.stop)), first)
        else:
            found.append((range(start, stop), claim))
    return [
        _place(one, words, max(confidence, claim.wrong), claim.kind, claim.evidence) for words, claim in found
    ]


def _clause(one: Reading, word: int) -> range:
    return next(clause for clause in one.clauses if word in clause)


def _place(one: Reading, words: range, confidence: float, kind: str, evidence: str) -> Place:
    start, end = one.place(words)
    severity = MAJOR if kind == "object" else MINOR
    return Place(start, end, kind, severity, round(confidence, 4), evidence=evidence)
