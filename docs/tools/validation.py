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
from types import CodeType, FunctionType, ModuleType
from typing import Any

from docs.tools import docstrings
from docs.tools.places import DOCS, FIGURES
from flexmb.validation import Case, cases, groups
from flexmb.validation.recorded import Results, read

#: what the cases have found
FILE = DOCS / "validation" / "results.json"
REFERENCES = "flexmb.validation.references."
ROLE = re.compile(r":\w+:`~?flexmb\.validation\.(?:\w+\.)*(\w+)`")
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
        newer.add(name, records, time.perf_counter() - begun)
    FILE.write_text(results().replaced(newer, cases()).text(), encoding="utf-8")
    results.cache_clear()
    return [f"{check['case']}: {check['quantity']}" for check in newer.checks if not check["passed"]]


def pages() -> dict[str, str]:
    """The pages by their paths within the site."""
    found = {f"validation/{case.name}.rst": page(case) for cases in groups().values() for case in cases}
    return {"validation/cases.inc": table(), **found}


def table() -> str:
    """All cases under their headings: what each is about, and how many of its numbers are right."""
    text = ""
    for heading, cases in groups().items():
        text += f"### {heading}\n\n```{{list-table}}\n:widths: 25 60 15\n:header-rows: 1\n:class: names\n\n"
        text += "* - case\n  - what is computed\n  - right\n"
        for case in cases:
            passed, count = counts(case)
            text += f"* - [{case.name}]({case.name}.rst)\n  - {_marked(_sentence(case.about))}\n"
            text += f"  - {passed} of {count}\n"
        text += f"```\n\n```{{toctree}}\n:hidden:\n:caption: {heading}\n\n"
        text += "".join(f"{case.name} <{case.name}>\n" for case in cases) + "```\n\n"
    return text


def counts(case: Case) -> tuple[int, int]:
    """How many numbers of a case are within their tolerance, and how many there are, without those that were fitted."""
    counted = [check for check in results().of(case.name).checks if not check["identified"]]
    return sum(check["passed"] for check in counted), len(counted)


def page(case: Case) -> str:
    """The page of a case."""
    own = results().of(case.name)
    module = sys.modules[case.module]
    references = used(case)
    passed, count = counts(case)
    title = _sentence(case.about)
    text = f"{title}\n{'=' * len(title)}\n\n"
    if case.draw is not None:
        text += _picture(f"validation-{case.name}", f"the mechanism of the case {case.name}")
    text += _text(module.__doc__) + _text(case.text)
    text += f"**{passed} of {count}** numbers are within their tolerance. The command\n\n"
    text += f".. code-block:: none\n\n   flexmb validate {case.name}\n\n"
    text += f"computes them again; it took {own.seconds[case.name]:g} s when they were recorded. The case is implemented in "
    files = [_file(name) for name in (case.module, *(reference.__name__ for reference in references))]
    text += f"{files[0]}" + (f", its references in {', '.join(files[1:])}" if files[1:] else "") + ".\n\n"
    if own.errors:
        text += f"{_heading('Errors')}The dashed lines have the order of the theory and go through the last error.\n\n"
        for k, (against, quantities) in enumerate(by_axis(own.errors).items()):
            alt = f"errors against {against}: {', '.join(series['quantity'] for series in quantities)}"
            text += _picture(f"validation-{case.name}-errors-{k}", _escaped(alt))
    if references:
        text += _heading("The reference" if len(references) == 1 else "The references")
        text += "".join(_text(reference.__doc__) for reference in references)
    return text + _heading("Numbers") + _numbers(own.checks)


def by_axis(errors: list[dict[str, Any]]) -> dict[str, list[dict[str, Any]]]:
    """Series of errors by what they are plotted against."""
    found: dict[str, list[dict[str, Any]]] = {}
    for series in errors:
        found.setdefault(series["against"], []).append(series)
    return found


def used(case: Case) -> list[ModuleType]:
    """The modules of references that the function of a case uses, or functions of its file that it calls."""
    module = sys.modules[case.module]
    found: dict[str, ModuleType] = {}
    seen: set[str] = set()
    codes: list[CodeType] = [inspect.unwrap(case.compute).__code__]
    while codes:
        code = codes.pop()
        codes += [part for part in code.co_consts if isinstance(part, CodeType)]
        for name in code.co_names:
            thing = getattr(module, name, None)
            if name in seen or thing is None:
                continue
            seen.add(name)
            where = thing.__name__ if isinstance(thing, ModuleType) else getattr(thing, "__module__", "")
            if where.startswith(REFERENCES):
                found[where] = sys.modules[where]
            function = inspect.unwrap(thing) if callable(thing) else None
            if isinstance(function, FunctionType) and where == case.module:
                codes.append(function.__code__)
    return list(found.values())


def _numbers(checks: list[dict[str, Any]]) -> str:
    """The table of digits."""
    text = ".. list-table::\n   :header-rows: 1\n   :class: digits\n   :widths: 26 14 14 9 9 14 14\n\n"
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
    """A docstring as paragraphs; names of things of the validation are words."""
    text = ROLE.sub(r"`\1`", inspect.cleandoc(docstring or ""))
    return "\n".join(docstrings.changed(text.splitlines())) + "\n" if text else ""


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
