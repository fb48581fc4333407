"""Names as a user gives them: new ones, and those that there have to be, with the nearest ones for a wrong one."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Any

from flexmb.errors import NamingError
from flexmb.model.checks import quoted


def name(value: Any, where: str) -> str:
    """A name: a text that is not empty and has printable characters only."""
    if not isinstance(value, str) or not value:
        raise NamingError(f"{where} needs a name that is a text, not {quoted(value)}")
    if not value.isprintable():
        raise NamingError(
            f"{where}: its name holds a character that cannot be printed; give one of letters, digits and signs"
        )
    return value


def all_different(names: Iterable[str], what: str, where: str) -> None:
    """Refuse a name that is given twice."""
    seen: set[str] = set()
    for one in names:
        name(one, f"{where}: {what}")
        if one in seen:
            raise NamingError(f"{where}: {what} {one!r} is given twice; give it once")
        seen.add(one)


def numbered(name: str, taken: Iterable[str]) -> str:
    """The name, or with the first number from 2 on with which it is not taken.

    >>> numbered("strain", ["strain", "strain 2"])
    'strain 3'
    """
    others, proposal, number = set(taken), name, 1
    while proposal in others:
        number += 1
        proposal = f"{name} {number}"
    return proposal


def similar(name: Any, known: Iterable[str]) -> str:
    """' (did you mean …?)' with the known names nearest to a wrong one; an empty text if none is near."""
    import difflib

    near = difflib.get_close_matches(name, list(known), n=3, cutoff=0.5) if isinstance(name, str) else []
    return f" (did you mean {' or '.join(map(repr, near))}?)" if near else ""


def known(name: Any, names: Collection[str], kind: str, where: str) -> str:
    """One of the names that exist."""
    if not isinstance(name, str) or name not in names:
        raise unknown(name, names, kind, where)
    return name


def unknown(name: Any, known: Iterable[str], kind: str, where: str) -> NamingError:
    """The error for a name that nothing has."""
    known = sorted(known)
    shown = ", ".join(known[:12]) + (", …" if len(known) > 12 else "")
    return NamingError(f"{where}: there is no {kind} {quoted(name)}{similar(name, known)}; it has: {shown or 'none'}")
