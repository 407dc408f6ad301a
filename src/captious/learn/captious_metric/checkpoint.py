"""The state of tuning on disk: every parameter, the optimiser's two moments of it, and the step."""

from __future__ import annotations

from typing import Any

import numpy as np

from captious.learn.journal import Arrays, Journal

FORGETFUL = Journal(None, "")
_STEP = "tuning"
_MOMENTS = ("exp_avg", "exp_avg_sq")  # of Adam, by PyTorch's names


def save(journal: Journal, optimiser: Any, step: int) -> None:
    """Keep the state after a step, in place of an earlier one."""
    found: Arrays = {"step": np.array(step)}
    for name, parameter in _named(optimiser):
        found[name] = parameter.detach().numpy()
        for moment in _MOMENTS:
            if moment in optimiser.state[parameter]:
                found[f"{name} {moment}"] = optimiser.state[parameter][moment].numpy()
    journal.write(_STEP, found)


def restore(journal: Journal, optimiser: Any) -> int:
    """Put the parameters and the optimiser in the state that was kept; how many steps it has done."""
    import torch

    found = journal.read(_STEP)
    if found is None:
        return 0
    step = int(found["step"])
    for name, parameter in _named(optimiser):
        parameter.data = torch.tensor(found[name])
        moments = {moment: found.get(f"{name} {moment}") for moment in _MOMENTS}
        if all(values is not None for values in moments.values()):
            state = {moment: torch.tensor(values) for moment, values in moments.items()}
            optimiser.state[parameter] = {"step": torch.tensor(float(step)), **state}
    return step


def _named(optimiser: Any) -> list[tuple[str, Any]]:
    parameters = [one for group in optimiser.param_groups for one in group["params"]]
    return [(f"parameter {place}", one) for place, one in enumerate(parameters)]
