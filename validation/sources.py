"""The code that a case runs: the references that it uses, and a mark by which a change of either is seen."""

from __future__ import annotations

import ast
import hashlib
import inspect
import io
import sys
import tokenize
from types import CodeType, FunctionType, ModuleType

from flexmb.validation.registry import Case

REFERENCES = "flexmb.validation.references."
#: letters of a mark
LENGTH = 12


def references(case: Case) -> list[ModuleType]:
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


def mark(case: Case) -> str:
    """A mark of the files of a case and of its references, which changes with their code; empty if a case has no file.
    Comments, docstrings and spaces take no part."""
    if case.module not in sys.modules:
        return ""
    modules = [sys.modules[case.module], *references(case)]
    text = "\n".join(bare(inspect.getsource(module)) for module in modules)
    return hashlib.sha256(text.encode("utf-8")).hexdigest()[:LENGTH]


def bare(source: str) -> str:
    """The code of a file without comments, docstrings and spaces.

    >>> bare('def one(x):  # first\\n    \"\"\"One.\"\"\"\\n    return x + 1\\n')
    'defone(x):returnx+1'
    """
    docstrings = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str):
            docstrings |= set(range(node.lineno, (node.end_lineno or node.lineno) + 1))
    lines = source.splitlines(keepends=True)
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type == tokenize.COMMENT:
            row, column = token.start
            lines[row - 1] = lines[row - 1][:column]
    return "".join("".join(line.split()) for k, line in enumerate(lines, 1) if k not in docstrings)
