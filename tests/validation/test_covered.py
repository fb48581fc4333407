"""The table of derivatives of runs: what it says of kinds that differ most, and that it is the one of the page."""

from __future__ import annotations

from pathlib import Path

import pytest

import flexmb as fm
from flexmb.validation.derivatives.covered import KINDS, METHODS, cells

PAGE = Path(__file__).parents[2] / "docs" / "how-to" / "sensitivities.md"
ASKED = [
    "loop: lengths, spring",
    "event: mass, place, instant",
    "friction by the joint's force: coefficient, mass",
    "redundant joints: mass, initial speed",
]
REASONS = {"event": "it has the event 'met'", "friction": "friction by a joint's own force"}


@pytest.mark.warns(
    fm.errors.RedundancyWarning, "constrain the same motion", kind="redundant joints: mass, initial speed"
)
@pytest.mark.parametrize("kind", ASKED)
def test_each_cell_is_a_small_number_or_a_refusal_with_its_reason(kind):
    shown = {line.split("|")[1].strip(): line.split("|")[2:5] for line in PAGE.read_text().splitlines() if "|" in line}
    found = list(cells({kind: KINDS[kind]}))
    assert len(found) == len(METHODS)
    for cell, said in zip(found, shown[kind]):
        assert (said.strip() == "–") == bool(cell.refusal)
        if cell.refusal:
            assert REASONS[kind.split()[0].rstrip(":")] in cell.refusal
        else:
            assert cell.deviation < (1e-7 if cell.method == "radau" else 1e-5)


def test_the_page_has_all_kinds():
    rows = [line.split("|")[1].strip() for line in PAGE.read_text().splitlines() if "|" in line]
    assert [row for row in rows if row in KINDS] == list(KINDS)
