"""How much memory the steps of a run will need, as far as that is known before it."""

from __future__ import annotations

from typing import Any

from flexmb.model.memory import check_memory, is_much
from flexmb.system.system import System

#: bytes of a number
_NUMBER = 8
#: what is kept lies in chunks that are joined at the end: twice for a moment
_COPIES = 2


def check_room_for_steps(system: System, span: float, options: dict[str, Any], where: str) -> None:
    """Refuse, or warn of, a run over `span` [s] whose steps are so short that what is kept of them fills the memory."""
    name = next((x for x in ("step", "max_step") if options.get(x)), None)
    if name is None:
        return
    every = options.get("save_every", 1)
    count = span / options[name] / every
    needed = _COPIES * _NUMBER * count * (1 + 3 * system.n + system.m)
    if not is_much(needed):
        return
    check_memory(
        needed,
        f"{count:.3g} steps of {options[name] * every:g} s with {system.n} coordinates",
        f"take a longer {name}" + (", or a larger save_every" if "save_every" in options else ""),
        where,
    )
