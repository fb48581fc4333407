"""Short reports in HTML, which notebooks show at the end of a cell: a title, lines of text, tables.

Whatever comes from users (names, messages, units) is escaped. A report is short whatever it tells of: of long tables
it has the first rows and columns and the number of those left out, and of long texts the beginning.
"""

from __future__ import annotations

import html
from collections.abc import Iterable, Sequence
from itertools import islice
from typing import Any

import numpy as np

#: the largest numbers of rows and of columns of a table, and of lines of text
MOST_ROWS, MOST_COLUMNS, MOST_LINES = 20, 12, 20
#: the largest numbers of letters in an entry of a table, and in a line of text
LONGEST_ENTRY, LONGEST_LINE = 100, 600
#: a part of a complex number that is smaller than the number by this factor is shown as zero
ROUNDING = 1e-12
#: the style of what is text in a table; notebooks put entries to the right, as numbers want it
_LEFT = ' style="text-align:left"'


def report(title: str, lines: Iterable[Any] = (), *parts: str) -> str:
    """A report: its title, lines of text below it, and `parts` that are HTML already, such as tables.

    >>> report("Solution of 'm'", ["3 < 4"])
    '<div><b>Solution of &#x27;m&#x27;</b><br>3 &lt; 4</div>'
    """
    texts = [str(line).strip() for line in lines]
    shown = [html.escape(_cut(text, LONGEST_LINE)) for text in texts if text][:MOST_LINES]
    if len(texts) > MOST_LINES:
        shown.append(f"… {len(texts) - MOST_LINES} more")
    head = "<br>".join([f"<b>{html.escape(_cut(title, LONGEST_LINE))}</b>", *shown])
    return f"<div>{head}{''.join(parts)}</div>"


def report_of(text: str, *parts: str) -> str:
    """A report of a text with several lines, of which the first is the title."""
    title, *lines = text.split("\n")
    return report(title, lines, *parts)


def table(head: Sequence[str], rows: Iterable[Sequence[Any]], count: int | None = None) -> str:
    """A table with a row for each entry of `rows`, nothing if there are none. `count`: how many rows there are, where
    `rows` has no length.

    >>> table(["f [Hz]"], [(1.25,)])
    '<table><thead><tr><th>f [Hz]</th></tr></thead><tbody><tr><td>1.25</td></tr></tbody></table>'
    """
    first = [list(row) for row in islice(rows, MOST_ROWS)]
    if not first:
        return ""
    total = count if count is not None else len(rows) if isinstance(rows, Sequence) else len(first)
    width = len(head) if len(head) <= MOST_COLUMNS else MOST_COLUMNS - 1
    names = [html.escape(_cut(str(name), LONGEST_ENTRY)) for name in head[:width]]
    sides = [_LEFT if any(_is_text(row[k]) for row in first) else "" for k in range(width)]
    more = f"… {len(head) - width} more" if len(head) > width else ""
    top = "".join(f"<th{side}>{name}</th>" for name, side in zip(names, sides)) + (f"<th>{more}</th>" if more else "")
    lines = ["".join(f"<td{side}>{entry(x)}</td>" for x, side in zip(row, sides)) for row in first]
    body = "".join(f"<tr>{line}{'<td>…</td>' if more else ''}</tr>" for line in lines)
    if total > len(first):
        body += f'<tr><td{_LEFT} colspan="{width + bool(more)}">… {total - len(first)} more</td></tr>'
    return f"<table><thead><tr>{top}</tr></thead><tbody>{body}</tbody></table>"


def entry(value: Any) -> str:
    """The HTML of one value: numbers to six digits, of arrays how long they are, long texts cut.

    >>> entry(0.1 + 0.2), entry(3.0 - 4.0j), entry(np.zeros(50)), entry("<a>")
    ('0.3', '3 − 4i', '50 numbers', '&lt;a&gt;')
    """
    if value is None:
        return ""
    if isinstance(value, bool | np.bool_):
        return "yes" if value else "no"
    if isinstance(value, float | np.floating):
        return _number(float(value))
    if isinstance(value, complex | np.complexfloating):
        z = complex(value)
        real, imaginary = (0.0 if abs(x) < ROUNDING * abs(z) else x for x in (z.real, z.imag))
        return f"{_number(real)} {'−' if imaginary < 0.0 else '+'} {_number(abs(imaginary))}i"
    if isinstance(value, np.ndarray):
        return f"{value.size} numbers"
    return html.escape(_cut(str(value), LONGEST_ENTRY))


def some(names: Iterable[str], most: int = 8) -> str:
    """The first names of a list, and how many more there are.

    >>> some(["a", "b", "c"], 2)
    'a, b, … 1 more'
    """
    every = list(names)
    return ", ".join(every[:most]) + (f", … {len(every) - most} more" if len(every) > most else "")


def _number(value: float) -> str:
    return f"{value:.6g}".replace("-", "−")


def _is_text(value: Any) -> bool:
    return isinstance(value, str)


def _cut(text: str, most: int) -> str:
    return text if len(text) <= most else f"{text[: most - 1]}…"
