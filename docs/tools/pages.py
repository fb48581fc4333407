"""Pages that run: the blocks of Python in a page of Markdown, in one namespace, and what they print.

A block of text directly behind a block of Python holds what that prints. A block whose first line is `# needs exudyn`
is skipped where that package is not installed. A page names the warnings of flexmb that its blocks give.
"""

from __future__ import annotations

import ast
import contextlib
import io
import os
import re
import tempfile
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from importlib.util import find_spec
from itertools import zip_longest
from pathlib import Path
from types import ModuleType
from typing import Any

FENCE = re.compile(r"^(?P<ticks>`{3,})(?P<language>[^\n`]*)\n(?P<body>.*?)^(?P=ticks)[ \t]*$", re.M | re.S)
NEEDS = re.compile(r"# needs ([\w.]+)\n")


class PageError(Exception):
    """A page that does not run, or does not print what it says."""


@dataclass(frozen=True)
class Block:
    """A block of Python: its code, the line of the page on which that begins, what the page says that it prints, and
    where that stands in the page (empty where nothing stands, behind the block)."""

    code: str
    line: int
    shown: str
    span: tuple[int, int]

    @property
    def missing(self) -> str:
        """The package that the block needs and that is not installed; empty if there is none."""
        needs = NEEDS.match(self.code)
        return needs[1] if needs and find_spec(needs[1]) is None else ""


@dataclass(frozen=True)
class Outcome:
    """What a block has printed, the value of its last line, if that is an expression, and the names that there are
    behind it."""

    printed: str
    value: Any = None
    names: dict[str, Any] = field(default_factory=dict, repr=False)


def blocks(text: str) -> list[Block]:
    """The blocks of Python of a page.

    >>> page = "```python\\nprint(1)\\n```\\n\\n```text\\n1\\n```\\n"
    >>> [(block.code, block.line, block.shown) for block in blocks(page)]
    [('print(1)\\n', 2, '1\\n')]
    """
    fences = list(FENCE.finditer(text))
    found = []
    for fence, behind in zip_longest(fences, fences[1:]):
        if fence["language"].strip() != "python":
            continue
        output = behind is not None and behind["language"].strip() == "text"
        output = output and not text[fence.end() : behind.start()].strip()
        shown, span = (behind["body"], behind.span()) if output else ("", (fence.end(), fence.end()))
        found.append(Block(fence["body"], text.count("\n", 0, fence.start("body")) + 1, shown, span))
    return found


def run(path: Path, text: str, after: Callable[[int, Outcome], None] | None = None) -> list[Outcome | None]:
    """Run the blocks of a page, in a folder of their own; what comes out of each, None where it was skipped. `after` is
    called after each block with its number, while its figures are open."""
    from matplotlib import pyplot

    module = ModuleType("__main__")
    outcomes: list[Outcome | None] = []
    with _elsewhere(), _look():
        for k, block in enumerate(blocks(text)):
            if block.missing:
                outcomes.append(None)
                continue
            try:
                with _named_warnings(text):
                    outcome = _execute(block, path, module)
                if after is not None:
                    after(k, outcome)
            except Exception as error:
                raise PageError(f"{path}:{block.line}: {type(error).__name__}: {error}") from error
            finally:
                pyplot.close("all")
            outcomes.append(outcome)
    return outcomes


def differences(text: str, outcomes: list[Outcome | None]) -> list[str]:
    """Where a page says something else than its blocks print."""
    found = []
    for block, outcome in zip(blocks(text), outcomes, strict=True):
        if outcome is not None and _lines(outcome.printed) != _lines(block.shown):
            found.append(f"line {block.line}: the block prints\n{outcome.printed}and the page says\n{block.shown}")
    return found


def with_outputs(text: str, outcomes: list[Outcome | None]) -> str:
    """The page with what its blocks print."""
    for block, outcome in reversed(list(zip(blocks(text), outcomes, strict=True))):
        if outcome is None:
            continue
        first, last = block.span
        lines = "\n".join(_lines(outcome.printed))
        output = f"```text\n{lines}\n```" if lines else ""
        if first == last and output:
            output = f"\n\n{output}"
        if first != last and not output:
            first = len(text[:first].rstrip())
        text = text[:first] + output + text[last:]
    return text


def _execute(block: Block, path: Path, module: ModuleType) -> Outcome:
    """Run a block as Python would, with the value of a last expression."""
    tree = ast.parse("\n" * (block.line - 1) + block.code, str(path))
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    printed, value = io.StringIO(), None
    with contextlib.redirect_stdout(printed):
        exec(compile(tree, str(path), "exec"), module.__dict__)
        if isinstance(last, ast.Expr):
            value = eval(compile(ast.Expression(last.value), str(path), "eval"), module.__dict__)
    return Outcome(printed.getvalue(), value, module.__dict__)


def _lines(text: str) -> list[str]:
    """Lines without spaces at their ends, and without empty ones at the end."""
    return [line.rstrip() for line in text.rstrip().splitlines()]


@contextlib.contextmanager
def _named_warnings(text: str) -> Iterator[None]:
    """Keep silent warnings of flexmb that a page names; others of flexmb are errors."""
    with warnings.catch_warnings(record=True) as given:
        warnings.simplefilter("always")
        yield
    for warning in given:
        if not warning.category.__module__.startswith("flexmb"):
            warnings.warn_explicit(warning.message, warning.category, warning.filename, warning.lineno)
        elif warning.category.__name__ not in text:
            raise PageError(f"the page does not say that this gives a {warning.category.__name__}: {warning.message}")


@contextlib.contextmanager
def _elsewhere() -> Iterator[None]:
    """Stay in a new folder, which is then deleted."""
    here = Path.cwd()
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        os.chdir(folder)
        try:
            yield
        finally:
            os.chdir(here)


@contextlib.contextmanager
def _look() -> Iterator[None]:
    """Figures in the look of flexmb, without a screen."""
    import matplotlib

    matplotlib.use("agg")
    from matplotlib import style

    with style.context("flexmb.plots.light"):
        yield
