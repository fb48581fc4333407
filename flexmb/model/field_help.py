"""What `help` says of a component first: its own text, all fields that it takes, and what its bases say of theirs."""

from __future__ import annotations

import inspect
from dataclasses import MISSING, Field
from typing import Any

from flexmb.model import checks

#: the word with which the paragraph on the fields of a class begins
_ARGUMENTS = "Arguments:"


def with_fields(of: type) -> str | None:
    """The docstring of a class that will be a dataclass, with a list of its fields, its bases' too; None if it has no
    docstring of its own.

    >>> import flexmb as fm
    >>> print(fm.planar.Revolute.__doc__.partition("Fields:")[2].strip("\\n"))  # doctest: +ELLIPSIS
        a: Frame
        b: Frame
        friction: JointFriction | None = None
        name: str = ''
    <BLANKLINE>
    Of every PairComponent: frames `a` and `b`; what moves is b, measured against a.
    <BLANKLINE>
    Of every Component: `name`, by which results and messages know it; a model calls one ...
    """
    text = of.__dict__.get("__doc__")
    if not text:
        return None
    text = inspect.cleandoc(text)
    given = {what: where for base in reversed(of.__mro__) for what, where in _own_fields(base).items()}
    if not given:
        return text
    if given.get("name", "").endswith("''"):
        given["name"] = given.pop("name")  # given by keyword, the last of all
    untold = {what for what in given if f"`{what}`" not in text}
    paragraphs = [text, "\n".join(["Fields:", *(f"    {what}: {shown}" for what, shown in given.items())])]
    for base in of.__mro__[1:]:
        told = next((x for x in _paragraphs(base) if x.startswith(_ARGUMENTS)), "")
        if told and any(f"`{what}`" in told for what in untold & set(_own_fields(base))):
            paragraphs.append(f"Of every {base.__name__}: {told.removeprefix(_ARGUMENTS).strip()}")
            untold = {what for what in untold if f"`{what}`" not in told}
    return "\n\n".join(paragraphs)


def _paragraphs(of: type) -> list[str]:
    return inspect.cleandoc(of.__dict__.get("__doc__") or "").split("\n\n")


def _own_fields(of: type) -> dict[str, str]:
    """Type and default of each field that a class adds and that its maker gives."""
    found: dict[str, str] = {}
    for what, kind in inspect.get_annotations(of).items():
        default: Any = of.__dict__.get(what, MISSING)
        if isinstance(default, Field):
            if not default.init:
                continue
            default = default.default
        if what.startswith("_") or str(kind).startswith("ClassVar"):
            continue
        known = default is not MISSING and default == default  # not NaN, which stands for what has to be given
        found[what] = f"{kind} = {checks.quoted(default)}" if known else str(kind)
    return found
