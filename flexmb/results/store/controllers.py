"""How files hold what sampled controllers read and commanded, and where they stand at the end of the run."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from flexmb.results.signals import ControllerState, ControlLog, Instants
from flexmb.system.sampling import LEVELS

if TYPE_CHECKING:
    from flexmb.results.store.hdf5 import Contents

#: numbers with which a controller goes on: attributes of its state, the integers among them, and arrays
NUMBERS, INTEGERS = ("t", "period", "delay", "first"), ("instants", "pending")
ARRAYS = {"memory": 1, "counted": 2, "growth": 2}


def draft_control_state(draft: Any, at: str, log: ControlLog) -> None:
    """Enter into a draft where the controller of a log stands at the end of its run, if that is known."""
    if log.earlier is not None:
        draft.numbers |= {f"{at}/earlier/{name}": x for name, x in log.earlier._asdict().items()}
    if log.state is None:
        return
    state, at = log.state, f"{at}/state"
    draft.attributes[at] = {name: getattr(state, name) for name in (*NUMBERS, *INTEGERS)}
    draft.attributes[at]["noise"] = np.uint64(state.noise)
    draft.numbers |= {f"{at}/{name}": getattr(state, name) for name in ARRAYS}
    draft.numbers |= {f"{at}/sent/{name}": x for name, x in state.sent._asdict().items()}


def read_control_log(contents: Contents, at: str) -> ControlLog:
    """What a controller read and commanded."""
    sensors, commands = contents.texts(f"{at}/sensors"), contents.texts(f"{at}/commands")
    widths = (len(sensors), len(commands))
    t, y, u = _instants(contents, at, widths)
    units = [contents.texts(f"{at}/{what}_units", (n,)) for what, n in zip(("sensor", "command"), widths)]
    return ControlLog(
        str(contents.attribute(at, "name")),
        t,
        y,
        u,
        sensors,
        commands,
        float(contents.attribute(at, "delay")),
        units[0],
        units[1],
        earlier=_instants(contents, f"{at}/earlier", widths) if contents.has(f"{at}/earlier") else None,
        state=_state(contents, f"{at}/state", widths) if contents.has(f"{at}/state") else None,
    )


def _instants(contents: Contents, at: str, widths: tuple[int, int]) -> Instants:
    t = contents.numbers(f"{at}/t", (None,))
    return Instants(t, *(contents.numbers(f"{at}/{what}", (len(t), n)) for what, n in zip("yu", widths)))


def _state(contents: Contents, at: str, widths: tuple[int, int]) -> ControllerState:
    given: dict[str, Any] = {name: float(contents.attribute(at, name)) for name in NUMBERS}
    given |= {name: int(contents.attribute(at, name)) for name in INTEGERS}
    given |= {name: contents.numbers(f"{at}/{name}", (None,) * size) for name, size in ARRAYS.items()}
    sent = _instants(contents, f"{at}/sent", widths)
    if given["growth"].shape != (LEVELS, 4) or given["counted"].shape != (widths[0], 7):
        raise contents.fail(at, "does not fit the sensors")
    if not 0 <= given["pending"] <= len(sent.t) <= given["instants"] or not given["period"] > 0.0:
        raise contents.fail(f"{at}/pending", "does not fit the instants")
    return ControllerState(sent=sent, noise=int(contents.attribute(at, "noise")), **given)
