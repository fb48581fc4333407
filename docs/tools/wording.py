"""Long sentences, and docstrings that do not name what they describe.

A reader who opens a file in the middle has not read the docstring above: "Its rate." or "The same in space." tells them
nothing. Such openings are counted by kind of word, and a test keeps the count from growing.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from typing import NamedTuple

from docs.tools.places import DOCS

ROOT = DOCS.parent
#: rooms whose docstrings are read
ROOMS = ("flexmb", "elements", "examples", "validation")
#: a sentence of more words than this is hard to follow in one reading
LONGEST = 25
#: how a docstring begins that leaves its subject to the reader
OPENINGS = re.compile(r"(Its|It|They|Those|That|The same|What|Which|Where|How far|How many|Of|As|Such|So)\b(?!’)")
#: parts of a page that are not prose: blocks of code, directives, formulas, tables, comments, targets
NO_PROSE = re.compile(
    r"^(```|:::|~~~).*?^\1[^\n]*$|^\$\$.*?\$\$|^ *\|[^\n]*$|<!--.*?-->|^\([^\n]*\)=$|^#+ [^\n]*$", re.M | re.S
)
#: the end of a sentence, or of one of several that semicolons join; not of an abbreviation, an initial or a number
END = re.compile(r"(?<!e\.g)(?<!i\.e)(?<! eq)(?<! al)(?<!\b[A-Z])[.!?;](?=[)\"”]?(\s|$))")


class Found(NamedTuple):
    """A place in a file, and the words that stand there."""

    path: str
    line: int
    words: str


def sentences(text: str) -> Iterator[tuple[int, str]]:
    """Sentences of prose with the number of the line on which each begins, counted from 0. A list's items are sentences
    of their own, and what is indented by four blanks is no prose.

    >>> list(sentences("One is short. Two goes on\\nto the next line.\\n\\n    x = y\\n\\n- an item\\n- another"))
    [(0, 'One is short.'), (0, 'Two goes on to the next line.'), (5, 'an item'), (6, 'another')]
    """
    at = 0
    for part in re.split(r"(\n[ \t]*\n|\n(?= *(?:[-*]|\d+\.) ))", text):
        words = part.strip("\n")
        if words.strip() and not words.startswith("    ") and not words.startswith(">>>"):
            begin = 0
            for end in [*(m.end() for m in END.finditer(words)), len(words)]:
                sentence = " ".join(re.sub(r"^\s*([-*]|\d+\.) ", "", words[begin:end]).split())
                if sentence:
                    shift = len(words[begin:end]) - len(words[begin:end].lstrip())
                    yield at + words[: begin + shift].count("\n"), sentence
                begin = end
        at += part.count("\n")


def docstrings() -> Iterator[Found]:
    """The docstrings of all modules, classes and functions."""
    for room in ROOMS:
        for path in sorted((ROOT / room).rglob("*.py")):
            for x in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
                if isinstance(x, ast.Module | ast.ClassDef | ast.FunctionDef) and ast.get_docstring(x):
                    line = x.body[0].lineno
                    yield Found(str(path.relative_to(ROOT)), line, ast.get_docstring(x) or "")


def pages() -> Iterator[Found]:
    """The prose of all pages; what is left out keeps its lines."""
    for path in sorted(DOCS.rglob("*.md")):
        if "_build" not in path.parts:
            text = NO_PROSE.sub(lambda m: "\n" * m[0].count("\n"), path.read_text(encoding="utf-8"))
            yield Found(str(path.relative_to(ROOT)), 1, text)


def openings(texts: Iterator[Found]) -> list[Found]:
    """Docstrings that begin with a word in place of their subject, with the first line of each."""
    return [Found(x.path, x.line, x.words.split("\n")[0]) for x in texts if OPENINGS.match(x.words)]


def long_sentences(texts: Iterator[Found]) -> list[Found]:
    """Sentences of more than :data:`LONGEST` words, the longest first."""
    found = [
        Found(x.path, x.line + at, sentence)
        for x in texts
        for at, sentence in sentences(x.words)
        if len(sentence.split()) > LONGEST
    ]
    return sorted(found, key=lambda x: -len(x.words.split()))
