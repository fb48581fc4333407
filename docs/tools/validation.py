"""The pages of validation: one for each case, and the table of all of them.

Text and mechanisms are those of the cases, numbers those that `flexmb validate --json` has written into
`docs/validation/results.json`: to compute all of them takes minutes.
"""

from __future__ import annotations

import inspect
import re
import sys
import time
from collections.abc import Iterable
from functools import cache
from typing import Any

from docs.tools import docstrings
from docs.tools.places import DOCS, FIGURES
from flexmb.validation import Case, cases, groups
from flexmb.validation.recorded import Results, read
from flexmb.validation.sources import references

#: what the cases have found
FILE = DOCS / "validation" / "results.json"
#: links to things of the validation, which have no page: their names are words
ROLE = re.compile(r":\w+:`~?\.?(?!flexmb\.(?!validation))(?:\w+\.)*(\w+)`")
#: what a function returns that makes a mechanism
MADE = re.compile(r"Model|Equilibrium|State|Solution|Robot")
#: words between stars, which are escaped as signs
STARS = re.compile(r"(?<!\S)(\\\*|\\\*\\\*)(\w[^*\\]*[\w.])\1(?!\w)")
PICTURE = ".. image:: /{folder}/{name}-{ground}.png\n   :alt: {alt}\n   :class: only-{ground} figure\n\n"


@cache
def results() -> Results:
    """The recorded results of all cases."""
    return read(FILE)


def record(names: Iterable[str]) -> list[str]:
    """Compute cases, and put their results in place of those that are recorded; what is outside its tolerance."""
    from flexmb import __version__

    newer = Results(__version__)
    for name in names:
        begun = time.perf_counter()
        records = cases()[name].compute()
        newer.add(cases()[name], records, time.perf_counter() - begun)
    FILE.write_text(results().replaced(newer, cases()).text(), encoding="utf-8")
    results.cache_clear()
    return [f"{check['case']}: {check['quantity']}" for check in newer.checks if not check["passed"]]


def pages() -> dict[str, str]:
    """The pages by their paths within the site."""
    found = {f"validation/{case.name}.rst": page(case) for case in cases().values()}
    return {"validation/cases.inc": table(), **found}


def table() -> str:
    """All cases under their headings: what each is about, and how many of its numbers are right."""
    text = ""
    for heading, members in groups().items():
        text += f"## {heading}\n\n```{{list-table}}\n:widths: 25 60 15\n:header-rows: 1\n:class: names\n\n"
        text += "* - case\n  - what is computed\n  - right\n"
        for case in members:
            passed, count = counts(case)
            text += f"* - [{case.name}]({case.name}.rst)\n  - {_marked(_sentence(case.about))}\n"
            text += f"  - {passed} of {count}\n"
        text += f"```\n\n```{{toctree}}\n:hidden:\n:caption: {heading}\n\n"
        text += "".join(f"{case.name} <{case.name}>\n" for case in members) + "```\n\n"
    return text


def counts(case: Case) -> tuple[int, int]:
    """How many numbers of a case are within their tolerance, and how many there are, without those that were fitted."""
    counted = [check for check in results().of(case.name).checks if not check["identified"]]
    return sum(check["passed"] for check in counted), len(counted)


def page(case: Case) -> str:
    """The page of a case."""
    own = results().of(case.name)
    module = sys.modules[case.module]
    known = references(case)
    passed, count = counts(case)
    text = f":html_theme.sidebar_secondary.remove: true\n\n{case.name}\n{'=' * len(case.name)}\n\n"
    text += f".. rst-class:: subtitle\n\n{_marked(_sentence(case.about))}\n\n"
    if case.draw is not None:
        text += _picture(f"validation-{case.name}", f"the mechanism of the case {case.name}")
        text += f"*In the picture.* {drawn(case)}\n\n" if drawn(case) else ""
    text += _text(module.__doc__) + _text(case.text)
    text += f"**{passed} of {count}** numbers are within their tolerance. The command\n\n"
    text += f".. code-block:: none\n\n   flexmb validate {case.name}\n\n"
    text += f"computes them again; it took {own.cases[case.name]['seconds']:g} s when they were recorded. "
    text += f"The case is implemented in {_file(case.module)}"
    text += f", its reference in {' and '.join(_file(r.__name__) for r in known)}.\n\n" if known else ".\n\n"
    if own.errors:
        text += f"{_heading('Errors')}Dashed: the order of the theory, through the middle of the errors.\n\n"
        for k, (against, quantities) in enumerate(by_axis(own.errors).items()):
            alt = f"errors against {against}: {', '.join(series['quantity'] for series in quantities)}"
            text += _picture(f"validation-{case.name}-errors-{k}", _escaped(alt))
            for series in quantities:
                text += f"{_escaped(series['quantity'])}: {_escaped(series['note'])}.\n\n" if series["note"] else ""
    text += _heading("The reference" if len(known) == 1 else "The references") if known else ""
    for reference in known:
        text += f"{_file(reference.__name__)}:\n\n" if len(known) > 1 else ""
        text += _text(reference.__doc__)
    return text + _heading("Numbers") + _numbers(own.checks)


def drawn(case: Case) -> str:
    """What the function says that makes the mechanism of a case, in one line; empty if it says nothing."""
    function: Any = case.draw
    if function.__name__ == "<lambda>":
        names = (getattr(sys.modules[case.module], name, None) for name in function.__code__.co_names)
        makers = [thing for thing in names if MADE.search(str(getattr(thing, "__annotations__", {}).get("return", "")))]
        function = makers[-1] if makers else None
    about = (inspect.getdoc(function) or "").partition("\n\n")[0]
    return docstrings._escaped(ROLE.sub(r"`\1`", " ".join(about.split())))


def by_axis(errors: list[dict[str, Any]]) -> dict[str, list[dict[str, Any]]]:
    """Series of errors by what they are plotted against."""
    found: dict[str, list[dict[str, Any]]] = {}
    for series in errors:
        found.setdefault(series["against"], []).append(series)
    return found


def _numbers(checks: list[dict[str, Any]]) -> str:
    """The table of digits."""
    text = ".. list-table::\n   :header-rows: 1\n   :class: digits\n   :widths: 26 13 13 8 8 16 16\n\n"
    heads = ("quantity", "got", "reference", "difference", "tolerance", "this tolerance is", "the reference is from")
    rows: list[tuple[str, ...]] = [heads]
    for check in checks:
        got, reference, tolerance = check["got"], check["reference"], check["tolerance"]
        digits = "{:.3g}" if reference == 0.0 else "{:.10g}"
        outcome = "" if check["passed"] else " **(fails)**"
        outcome = " (fitted: not counted)" if check["identified"] else outcome
        texts = (_escaped(check[key]) for key in ("quantity", "because", "source"))
        quantity, because, source = texts
        numbers = (digits.format(got), digits.format(reference), f"{got - reference:.1e}", f"{tolerance:.1e}")
        rows.append((quantity + outcome, *numbers, because, source))
    for row in rows:
        text += "".join(f"   {'* -' if k == 0 else '  -'} {cell}\n" for k, cell in enumerate(row))
    return text + "\n"


def _picture(name: str, alt: str) -> str:
    return "".join(
        PICTURE.format(folder=FIGURES.name, name=name, ground=ground, alt=alt) for ground in ("light", "dark")
    )


def _text(docstring: str | None) -> str:
    """A docstring as paragraphs, of which the first one is no list; names of things of the validation are words."""
    text = ROLE.sub(r"`\1`", inspect.cleandoc(docstring or ""))
    if not text:
        return ""
    head, _, rest = text.partition("\n\n")
    lines = [*docstrings._escaped(head).splitlines(), "", *docstrings.changed(rest.splitlines())]
    text = "\n".join(lines) + "\n"
    return STARS.sub(lambda words: words[0].replace("\\", ""), text)


def _file(module: str) -> str:
    return f"``{module.removeprefix('flexmb.').replace('.', '/')}.py``"


def _heading(text: str) -> str:
    return f"{text}\n{'-' * len(text)}\n\n"


def _sentence(text: str) -> str:
    """A text with a capital at its beginning; names such as ω keep theirs."""
    return text[:1].upper() + text[1:]


def _escaped(text: str) -> str:
    return docstrings._escaped(text).replace("`", "")


def _marked(text: str) -> str:
    """Signs that are markup in MyST."""
    return re.sub(r"([*_|$`<\[\]])", r"\\\1", text)
