"""Models whose rows go beyond those of a tree: loops, drives, blades, tires, places along beams."""

from __future__ import annotations

from typing import Any

import numpy as np

import flexmb as fm
from flexmb.examples import spin_up
from flexmb.validation.random_mechanisms.trees_with_beams import planar_places, spatial_places
from tests.models.benches import counted_in_space, drives, plane, space, tires
from tests.models.drives import driven
from tests.models.four_bars import four_bar, four_bar_that_rubs, four_bar_with_rotors
from tests.models.linkages import four_bar_with_a_beam, rod_on_a_string, rods_between_balls
from tests.models.parallelograms import four_bars
from tests.models.rolling import ball
from tests.models.vehicles import skate


def held_places() -> fm.PlanarModel:
    """A body that slides on one that hangs on a place, and a beam that begins at another, are held and driven."""
    m: Any = planar_places(2, branch=True)
    m.distance(m.ground.attach("hook", (2.0, 0.3)), m.components["slide"].frame, name="string")
    law = fm.Harmonic(0.1, 3.0)
    m.drive_angle(m.components["bob"].frame, m.components["leaf"].frame, law, name="drive", relative_to_start=True)
    return m


def held_places_in_space() -> fm.SpatialModel:
    """The same in space: two bodies on places along beams, held by rods of no mass."""
    m: Any = spatial_places(np.random.default_rng(0), branch=True, floating=True)
    m.distance(m.ground.attach("hook", (2.0, 0.3, 0.5)), m.components["leaf"].frame, name="string")
    m.distance(m.components["arm"].frame, m.components["two"].end, name="strut")
    return m


def with_tires() -> fm.PlanarModel:
    """The bench of the plane with tires and drives."""
    m: Any = plane()
    tires(m)
    drives(m)
    return m


def counted() -> fm.SpatialModel:
    """The bench of space with counted angles, and a loop closed by two rods of no mass."""
    m: Any = space()
    counted_in_space(m)
    m.distance(m.base.frame, m.end, name="string")
    m.distance(m.components["left"].attach("rim", (0.1, 0, 0)), m.three.frame, name="strut")
    return m


#: makers of the models, by what they show
MODELS: dict[str, Any] = {
    "four-bar": four_bar, "parallelograms": lambda: four_bars(3), "driven": driven, "balls": rods_between_balls,
    "string": rod_on_a_string, "blade": skate, "rolling": ball, "rotors": four_bar_with_rotors,
    "beam in a loop": four_bar_with_a_beam, "driven beam": spin_up.build, "places": held_places,
    "places in space": held_places_in_space, "tires": with_tires, "counted": counted, "rubbing": four_bar_that_rubs,
}  # fmt: skip
