"""The table of formulations and kinds of mechanisms has no hole, and says what they do now."""

from __future__ import annotations

import math

import pytest

import flexmb as fm
from docs.tools.places import DOCS
from flexmb.elements.spatial import BEAMS
from flexmb.formulations.classical.scope import ASSUMPTIONS, obstacles
from flexmb.formulations.kinds import FORMULATIONS
from flexmb.formulations.papers import NAMES
from flexmb.validation.formulations.kinds import FURTHER, KINDS
from flexmb.validation.formulations.pairs import ACCURATE, ENDS, EVERY, accelerations, cell, known, read, rough

ALL = KINDS | FURTHER
PAGE = (DOCS / "how-to" / "formulations.md").read_text(encoding="utf-8")
SHOWN = read(PAGE[PAGE.index("<!-- begin: python -m") : PAGE.index("<!-- end -->")])
#: what no component that is built in has: inertia on coordinates that belong to no body and no wheel
OF_OWN_COMPONENTS = {"other inertia"}


def test_every_formulation_stands_there_with_every_kind():
    assert set(SHOWN) == {(name, kind) for name in (*FORMULATIONS, *NAMES) for kind in ALL}, (
        "write the tables anew: python -m flexmb.validation.formulations.pairs"
    )


def test_every_assumption_has_a_kind_that_breaks_it_and_every_beam_one_of_its_own():
    found = {o.feature for build in ALL.values() for o in obstacles(fm.Tree.fitting(build()))}
    assert found == set(ASSUMPTIONS) - OF_OWN_COMPONENTS
    beams = {type(c).__name__ for build in ALL.values() for c in build().components.values()}
    assert {BEAMS[theory].__name__ for theory in BEAMS} <= beams


@pytest.mark.parametrize("name", EVERY)
def test_what_is_recorded_is_a_small_number_or_a_known_reason(name):
    for kind in ALL:
        shown = SHOWN[name, kind]
        if shown.startswith("*"):
            assert shown.strip("*") in ASSUMPTIONS, (name, kind)
            continue
        off, end = map(float, shown.removeprefix("≈ ").split(", "))
        assert math.isfinite(off) and math.isfinite(end)
        if shown.startswith("≈"):
            assert rough(name, kind)
        else:
            assert off <= ACCURATE and end <= ENDS, (name, kind)


@pytest.mark.parametrize("kind", ALL)
def test_papers_and_joint_coordinates_do_now_what_is_recorded(kind):
    for name in (*NAMES, "aba"):
        now, shown = cell(name, kind, runs=False), SHOWN[name, kind]
        assert now.refusal == (shown.strip("*") if shown.startswith("*") else ""), name
        if not now.refusal and not rough(name, kind):
            assert now.accelerations <= ACCURATE, name


@pytest.mark.parametrize(
    ("name", "kind"), [("lagrange", "loop"), ("ada", "quadratic field"), ("dca", "rolling"), ("hybrid", "branch")]
)
def test_other_compiled_formulations_too(name, kind):
    assert accelerations(name, kind) <= ACCURATE


@pytest.mark.parametrize(("name", "kind"), [("kane", "loop"), ("hooker-1970", "states"), ("jerkovsky", "commands")])
def test_ends_of_runs(name, kind):
    assert cell(name, kind).end <= ENDS


def test_a_wrong_formulation_would_be_seen():
    """What is compared with moves: accelerations and the way of the run are not small."""
    for kind in KINDS:
        run = known(kind).run
        assert abs(run.a[0]).max() > 1e-2 and abs(run.q[-1] - run.q[0]).max() > 1e-3, kind
