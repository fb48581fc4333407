"""Every kind of quantity by every consumer: a number that agrees, or a refusal whose reason is known."""

from __future__ import annotations

import pytest

from docs.tools.places import DOCS
from flexmb.errors import AccuracyWarning, InitialConditionWarning
from flexmb.quantities.of_joints import joint_units
from flexmb.results.layout import Layout
from flexmb.results.meaning import meaning
from flexmb.system.system import System
from flexmb.validation.asked import AGREE, KINDS, MODELS, WHY, Cell, cells, table, why


@pytest.fixture(scope="module")
def asked() -> list[Cell]:
    with (
        pytest.warns(AccuracyWarning, match="the estimated error of its motion"),
        pytest.warns(InitialConditionWarning, match="the initial speeds do not fit the joints"),
        pytest.warns(InitialConditionWarning, match="the initial positions did not meet the joints"),
    ):
        return list(cells())


def test_all_numbers_agree(asked):
    """To the rounding of the largest number that the quantity has in the table: of stresses that is large [Pa]."""
    largest: dict[str, float] = {}
    for cell in asked:
        if cell.numbers is not None:
            largest[cell.name] = max(largest.get(cell.name, 1.0), abs(cell.numbers[1]))
    for cell in asked:
        if cell.numbers is not None:
            got, known = cell.numbers
            assert abs(got - known) <= AGREE * largest[cell.name], cell


def test_every_refusal_has_a_reason(asked):
    for cell in asked:
        assert cell.numbers is not None or why(cell) in WHY, cell
        assert not cell.refusal or cell.name.partition(".")[0] in cell.refusal, cell


def test_the_page_shows_the_table(asked):
    page = (DOCS / "how-to" / "asked.md").read_text(encoding="utf-8")
    begin, end = "<!-- begin: python -m flexmb.validation.asked -->\n", "<!-- end -->"
    shown = page[page.index(begin) + len(begin) : page.index(end)].strip()
    assert shown == table(asked), "write it anew: python -m flexmb.validation.asked"


def test_no_kind_of_quantity_is_left_out():
    """What the kinds of the table mean are all the kinds that names have."""
    for dimension, build in enumerate(MODELS):
        layout = Layout.of(System(build()))
        found = {known.kind for names in KINDS.values() if (known := meaning(layout, names[dimension])) is not None}
        assert found == {
            "energy",
            "whole",
            "place",
            "section",
            "touch",
            "motion",
            "line",
            "force",
            "stress",
            "coordinate",
            "coordinate rate",
        }
        asked_for = {names[dimension].rpartition(".")[2] for names in KINDS.values()}
        assert {"rate", "acceleration", "effort"} <= asked_for
        for pair in layout.pairs.values():
            assert pair.joint is None or joint_units(pair.joint) or not pair.joint.coordinates
