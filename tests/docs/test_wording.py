"""Docstrings that name what they describe, and sentences that can be followed."""

from __future__ import annotations

from docs.tools import wording
from docs.tools.wording import Found

#: docstrings of today that begin with a word in place of their subject; there may only be fewer
MOST = 589


def test_no_more_docstrings_leave_out_their_subject():
    found = wording.openings(wording.docstrings())
    assert len(found) <= MOST, "name the thing that a docstring describes; see: python -m docs wording"
    assert len(found) == MOST, f"lower MOST to {len(found)}, so that nothing grows back"


def test_openings_are_found():
    texts = [Found("a.py", k, words) for k, words in enumerate(("Its rate.", "Rate of turning.", "Item of a list."))]
    assert [x.line for x in wording.openings(iter(texts))] == [0]


def test_long_sentences_are_found_on_their_lines():
    long = " ".join(["word"] * (wording.LONGEST + 1))
    text = f"A short one.\n\nAnd this: {long}.\nBut {' '.join(['word'] * 20)}; {' '.join(['word'] * 20)}.\n"
    found = wording.long_sentences(iter([Found("a.py", 7, text)]))
    assert [(x.line, x.words[:9]) for x in found] == [(9, "And this:")]


def test_code_formulas_and_tables_of_pages_are_no_prose():
    text = "# A title\n\n```python\nx = 1\n```\n\n| a | b |\n|---|---|\n\n$$ x = y $$\n\nProse."
    assert wording.NO_PROSE.sub("", text).split() == ["Prose."]
