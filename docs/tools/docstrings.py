"""Extension of Sphinx: docstrings of flexmb, which are written to be read as they are, on a page.

Formulas, indented in a docstring, keep their lines. A paragraph that lists arguments, `a` this; `b` that; becomes a
list. Names that lie deeper in the package than the public ones lead to these.
"""

from __future__ import annotations

import importlib
import inspect
import re
from functools import cache
from typing import TYPE_CHECKING, Any

import flexmb

if TYPE_CHECKING:  # texts of pages are made without Sphinx, too
    from sphinx.application import Sphinx

#: how a paragraph begins that lists things by name; what stands before the colon becomes a heading
LISTED = re.compile(r"((?:Arguments?|Options?|Of every \w+):)?\s*(?=`\w)")
#: numbers or words in columns, which need letters of one width
TABLE = re.compile(r"(\S+ {2,}){4}\S|^ +/", re.M)
#: a paragraph of lines `name: what it is`
NAMED = re.compile(r"(?!Arguments?:|Options?:)\w+: .*(\n(\w+: | {4}).*)*")
#: the beginning of a sentence behind a list
SENTENCE = re.compile(r"(?<!e\.g)(?<!i\.e)(?<! eq)\.\s+(?=[A-Z])")


def changed(lines: list[str]) -> list[str]:
    """A docstring as Sphinx needs it.

    >>> text = changed(["Arguments: `a` [m]; `b`, a number.", "", "    a = b", "", ">>> 1", "1"])
    >>> print(chr(10).join(text[:-3]))
    **Arguments**
    <BLANKLINE>
    - `a` [m]
    - `b`, a number.
    <BLANKLINE>
    .. code-block:: none
       :class: formula
    <BLANKLINE>
       a = b
    <BLANKLINE>
    >>> text[-3:]
    ['>>> 1', '1', '']
    """
    paragraphs = re.split(r"\n[ \t]*\n", "\n".join(lines).strip("\n"))
    found: list[str] = []
    k = 0
    while k < len(paragraphs):
        paragraph = paragraphs[k]
        k += 1
        if paragraph.startswith("    "):
            while k < len(paragraphs) and paragraphs[k].startswith("    "):
                paragraph += "\n\n" + paragraphs[k]
                k += 1
            found += _literal(paragraph, "none", "table" if TABLE.search(paragraph) else "formula")
        elif paragraph.startswith("Fields:\n"):
            found += ["**Fields**", "", *_literal(paragraph.partition("\n")[2], "python")]
        elif paragraph.startswith(">>>"):
            found += [*paragraph.splitlines(), ""]
        else:
            head, _, rest = paragraph.partition("\n    ")
            if rest and not head.startswith("-") and "\n" not in head.strip():
                paragraph, formula = head, "    " + rest
            else:
                formula = ""
            found += _paragraph(_escaped(paragraph))
            found += _literal(formula, "none", "formula") if formula else []
    return found


def _literal(text: str, language: str, css: str = "listing") -> list[str]:
    lines = inspect.cleandoc("\n" + text).splitlines()
    return [f".. code-block:: {language}", f"   :class: {css}", "", *(f"   {line}".rstrip() for line in lines), ""]


def _paragraph(text: str) -> list[str]:
    """A paragraph; a list if it names several things, each with what it is."""
    if NAMED.fullmatch(text):
        items = [" ".join(item.split()) for item in re.split(r"\n(?=\w)", text)]
        return [*(re.sub(r"^(\w+):", r"- `\1`:", item) for item in items), ""]
    match = LISTED.match(text)
    if match is None:
        return [*text.splitlines(), ""]
    items = _items(text[match.end() :])
    if sum(item.startswith("`") for item in items) < 2:
        return [*text.splitlines(), ""]
    end = SENTENCE.search(items[-1])
    behind = items[-1][end.end() :] if end else ""
    if end:
        items[-1] = items[-1][: end.start() + 1]
    found = [f"**{match[1].rstrip(':')}**", ""] if match[1] else []
    found += [f"- {' '.join(item.split())}" for item in items]
    return [*found, "", *([*behind.splitlines(), ""] if behind else [])]


def _items(text: str) -> list[str]:
    """The parts of a list between semicolons, other than those in brackets or in code."""
    depth, code, parts = 0, False, [""]
    for letter in text:
        code ^= letter == "`"
        depth += 0 if code else (letter in "([") - (letter in ")]")
        if letter == ";" and depth <= 0 and not code:
            parts.append("")
        else:
            parts[-1] += letter
    return [part.strip() for part in parts if part.strip()]


def _escaped(text: str) -> str:
    """Signs that are only signs in a docstring, and markup on a page."""
    parts = re.split(r"(`[^`]*`_?|``.*?``)", text)
    for k in range(0, len(parts), 2):
        parts[k] = re.sub(r"([|*])", r"\\\1", parts[k])
        parts[k] = re.sub(r"(?<=\w)_(?!\w)", r"\\_", parts[k])
        parts[k] = re.sub(r"^(?=\w)", r"\\ ", parts[k]) if k else parts[k]
    return "".join(parts)


@cache
def public_names() -> dict[str, str]:
    """The public name of each object by the name of the place where it is defined."""
    found: dict[str, str] = {}
    for room in (
        "flexmb",
        "flexmb.planar",
        "flexmb.spatial",
        "flexmb.bodies",
        "flexmb.control",
        "flexmb.formulations",
        "flexmb.errors",
        "flexmb.testing",
    ):
        module = importlib.import_module(room)
        for name in getattr(module, "__all__", dir(module)):
            thing = getattr(module, name, None)
            where = getattr(thing, "__module__", None)
            own = getattr(thing, "__qualname__", None)
            if isinstance(where, str) and own is not None:
                found.setdefault(f"{where}.{own}", f"{room}.{name}")
    return found


def process(app: Sphinx, what: str, name: str, thing: Any, options: Any, lines: list[str]) -> None:
    lines[:] = changed(lines)


def signature(app: Sphinx, what: str, name: str, thing: Any, options: Any, given: Any, returned: Any) -> Any:
    """Signatures of classes whose fields are listed with their types go without types; types of other classes have
    their whole names, since a short one may mean a class of the plane or of space."""
    if what == "class" and "Fields:" in (thing.__doc__ or ""):
        plain = inspect.signature(thing)
        parts = [p.replace(annotation=inspect.Parameter.empty) for p in plain.parameters.values()]
        return str(plain.replace(parameters=parts, return_annotation=inspect.Signature.empty)), None
    if what == "class" and hasattr(type(thing), "__signature__") and given:
        from sphinx.util.inspect import signature as read
        from sphinx.util.inspect import stringify_signature

        return stringify_signature(read(thing.__init__, bound_method=True), show_return_annotation=False), None
    return given, returned


def resolve(app: Sphinx, env: Any, node: Any, content: Any) -> Any:
    """Names that lead nowhere: to the public name of the same object, or, in docstrings, to nothing."""
    from sphinx.util.nodes import make_refnode

    if node.get("refdomain") != "py":
        return None
    target = node["reftarget"]
    for defined, name in public_names().items():
        if target == defined or target.startswith(f"{defined}."):
            objects = env.get_domain("py").objects
            entry = objects.get(name + target[len(defined) :]) or objects.get(name)
            if entry is not None:
                return make_refnode(app.builder, node["refdoc"], entry.docname, entry.node_id, content, name)
    return content if node["refdoc"].startswith(("reference/", "how-to/messages")) else None


def skip(app: Sphinx, what: str, name: str, thing: Any, skipped: bool, options: Any) -> bool | None:
    """Leave out what a component says to the engine, on pages of single components."""
    owner = str(app.env.current_document.docname).rpartition("/")[2]
    room = str(app.env.current_document.docname).split("/")[-2]
    if (
        room in ("planar", "spatial")
        and hasattr(flexmb.Component, name)
        and issubclass(getattr(getattr(flexmb, room), owner), flexmb.Component)
    ):
        return True
    return None


def setup(app: Sphinx) -> dict[str, Any]:
    app.connect("autodoc-process-docstring", process)
    app.connect("autodoc-process-signature", signature)
    app.connect("autodoc-skip-member", skip)
    app.connect("missing-reference", resolve)
    return {"version": "1", "parallel_read_safe": True}
