"""Pages of the reference: one for each public name, and one for each room with a table of its names."""

from __future__ import annotations

import importlib
import inspect
import re
from typing import Any

import flexmb
from docs.tools.places import ROOT

#: rooms with public names, and what they are called on the site
ROOMS = {
    "flexmb": "fm: models, analyses, results",
    "flexmb.planar": "fm.planar: the plane",
    "flexmb.spatial": "fm.spatial: space",
    "flexmb.bodies": "fm.bodies: bodies from finite elements",
    "flexmb.control": "fm.control: sensors, laws, design",
    "flexmb.environments": "fm.environments: environments for learning, of gymnasium",
    "flexmb.formulations": "fm.formulations: what formulations yield",
    "flexmb.errors": "fm.errors: errors and warnings",
    "flexmb.testing": "fm.testing: conformance of your own components",
}
#: headings of names by the room of the package in which they are defined
GROUPS = {
    "flexmb.planar": "Model",
    "flexmb.spatial": "Model",
    "flexmb.model": "Frames and properties",
    "flexmb.elements": "Bodies and beams",
    "flexmb.joints": "Joints and drives",
    "flexmb.forces": "Forces, loads and motors",
    "flexmb.results": "Results",
    "flexmb.feedback": "Sensors, laws and controllers",
    "flexmb.control": "Design",
}


def names(room: str) -> list[str]:
    """The public names of a room, without other rooms."""
    module = importlib.import_module(room)
    if room == "flexmb.errors":
        found = [name for name, x in vars(module).items() if isinstance(x, type) and x.__module__ == room]
    else:
        found = [name for name in module.__all__ if not inspect.ismodule(getattr(module, name))]
    return [name for name in found if name != "__version__"]


def is_own(room: str, name: str) -> bool:
    """Whether the name has its page in this room, and not in `flexmb` itself, where it stands too."""
    return room == "flexmb" or getattr(flexmb, name, None) is not getattr(importlib.import_module(room), name)


def groups(room: str) -> dict[str, list[str]]:
    """The names of a room under headings."""
    module = importlib.import_module(room)
    found: dict[str, list[str]] = {}
    if room == "flexmb":
        text = (ROOT / "flexmb" / "__init__.pyi").read_text(encoding="utf-8")
        for about, body in re.findall(r"^# \w+: (.+)\n((?:from .*\n)+)", text, re.M):
            found[about[0].upper() + about[1:]] = re.findall(r"import (\w+) as", body)
        return found
    for name in names(room):
        thing = getattr(module, name)
        if room == "flexmb.errors":
            heading = "Warnings" if issubclass(thing, Warning) else "Errors"
        else:
            where = thing.__module__
            heading = next((title for part, title in GROUPS.items() if where.startswith(f"{part}.")), "")
        found.setdefault(heading, []).append(name)
    order = ["", *GROUPS.values()]
    return dict(sorted(found.items(), key=lambda item: order.index(item[0]) if item[0] in order else 0))


def pages() -> dict[str, str]:
    """All pages of the reference that are generated, by their paths without the folder of the site."""
    found: dict[str, str] = {}
    described: dict[Any, str] = {}
    for room, title in ROOMS.items():
        short = room.rpartition(".")[2]
        module = importlib.import_module(room)
        text = f"{title}\n{'=' * len(title)}\n\n.. py:module:: {room}\n\n"
        own = {name: room if is_own(room, name) else "flexmb" for here in groups(room).values() for name in here}
        for heading, here in groups(room).items():
            text += f"{heading}\n{'-' * len(heading)}\n\n" if heading else ""
            text += ".. list-table::\n   :widths: 30 70\n   :class: names\n\n"
            for name in here:
                role = "class" if isinstance(getattr(module, name), type) else "func"
                thing = getattr(module, name)
                text += f"   * - :py:{role}:`{name} <{own[name]}.{name}>`\n     - {_summary(thing)}\n"
                if own[name] == room:
                    first = described.setdefault(thing, f"{room}.{name}")
                    page = _page(room, name, thing) if first == f"{room}.{name}" else _pointer(room, name, first)
                    found[f"reference/{short}/{name}.rst"] = page
            text += "\n"
        text += ".. toctree::\n   :hidden:\n\n"
        text += "".join(f"   {short}/{name}\n" for name in own if own[name] == room)
        found[f"reference/{short}.rst"] = text
    return found


def _summary(thing: Any) -> str:
    """The first sentence of a docstring, in one line."""
    from docs.tools.docstrings import _escaped

    first = " ".join((inspect.getdoc(thing) or "").partition("\n\n")[0].split())
    sentence = re.match(r".+?[.;:](?=\s|$)", first)
    text = (sentence[0] if sentence else first).rstrip(";:")
    return _escaped(text if text.endswith(".") else f"{text}.")


def _pointer(room: str, name: str, first: str) -> str:
    """The page of a class that another room has too, and describes."""
    return (
        f"{name}\n{'=' * len(name)}\n\n.. py:class:: {room}.{name}\n\n"
        f"   One class for the plane and for space: :py:class:`{first}`.\n"
    )


def _page(room: str, name: str, thing: Any) -> str:
    title = f"{name}\n{'=' * len(name)}\n\n"
    text = f"{title}.. currentmodule:: {room}\n\n"
    if not isinstance(thing, type):
        kind = "autofunction" if callable(thing) else "autodata"
        return f"{text}.. {kind}:: {name}\n"
    text += f".. autoclass:: {name}\n"
    if issubclass(thing, flexmb.Component) or issubclass(thing, Exception):
        return text
    return f"{text}   :inherited-members: object, str, tuple, dict, list, float, int\n"
