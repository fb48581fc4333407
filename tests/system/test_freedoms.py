"""The count of freedoms: what parts bring and joints take, by count and by rank, in the plane and in space."""

from __future__ import annotations

import numpy as np
import pytest

import flexmb as fm
from flexmb.errors import NamingError
from flexmb.examples import slider_crank
from flexmb.validation import bricard, fold
from tests.models.chains import chain
from tests.models.modal_bodies import blob, flat_blob
from tests.models.pendulums import SOFT, flexible_pendulum


def test_a_driven_linkage_in_the_plane():
    free, driven = (slider_crank.build("rigid", driven=x).freedoms() for x in (False, True))
    assert (free.count, free.freedoms, free.redundant, free.deforming) == (1, 1, [], 0)
    assert free.motions == ["'crank' turns, 'rod' turns"]
    assert (driven.count, driven.freedoms, driven.motions) == (0, 0, [])
    assert (driven["crank"], driven["elbow"], driven["motor"]) == (3, -2, -1)
    with pytest.raises(NamingError, match="there is no part 'elbo'"):
        driven["elbo"]


def test_linkages_in_space_that_the_count_does_not_see():
    """Grübler's count of the Bricard linkage is 0, that of a four-bar on parallel hinges −2; both move."""
    found = bricard.build().freedoms()
    assert (found.count, found.freedoms, len(found.redundant)) == (0, 1, 1)
    found = fold.in_space().freedoms()
    assert (found.count, found.freedoms, len(found.redundant)) == (-2, 1, 3)
    assert all(text.startswith("joint 'right top' (row ") and "'left foot'" in text for text in found.redundant)


@pytest.mark.parametrize(
    "joint, takes",
    [("weld", 6), ("revolute", 5), ("prismatic", 5), ("cylindrical", 4), ("spherical", 3), ("planar_joint", 3)],
)
def test_what_joints_in_space_take(joint, takes):
    m = fm.SpatialModel("m")
    body = m.add_body("body", mass=1.0, inertia=(1, 1, 1))
    getattr(m, joint)(m.ground, body.frame, name="joint")
    found = m.freedoms()
    assert found["joint"] == -takes and found.freedoms == found.count == 6 - takes


def test_coordinates_of_components_count_with_their_rows():
    """A hinge that counts turns takes five; a rotor behind an elastic reducer is free, behind a rigid one it is not."""
    m = fm.SpatialModel("m")
    arm = m.add_body("arm", mass=1.0, inertia=(1, 1, 1))
    hinge = m.revolute(m.ground, arm.frame, axis="z", count_turns=True, name="hinge")
    m.joint_force(hinge, 1.0, name="actuator")
    m.motor(m.ground, arm.frame, inertia=0.1, ratio=3.0, name="stiff")
    m.motor(m.ground, arm.frame, inertia=0.1, stiffness=3.0, name="soft")
    found = m.freedoms()
    assert [(part.name, part.freedoms) for part in found.parts] == [("arm", 6), ("hinge", -5), ("soft", 1)]
    assert found.freedoms == found.count == 2


@pytest.mark.parametrize("theory", ["cms", "ancf", "exact", "floating"])
def test_beams_bring_what_a_body_brings_and_deform_besides(theory):
    model = flexible_pendulum(theory)
    found, system = model.freedoms(), fm.System(model)
    assert [part.freedoms for part in found.parts] == [3, -2] and found.parts[0].what == "beam 'rod'"
    assert (found.count, found.freedoms, found.deforming) == (1, 1, system.n - system.m - 1)


@pytest.mark.parametrize("make, rigid", [(blob, 6), (flat_blob, 3)])
def test_reduced_bodies_with_what_stands_on_them(make, rigid):
    body = make()
    body.at("a").enter()
    found = body.model.freedoms()
    assert (found["blob"], found.freedoms, found.deforming) == (rigid, rigid, 3)


def test_a_bridge_that_is_held_at_both_ends_is_strained():
    m = fm.PlanarModel("bridge")
    first = m.add_beam("first", (0, 0), (1, 0), properties=SOFT)
    second = m.add_beam("second", first.end, (2, 0), properties=SOFT)
    m.weld(m.ground, first.start)
    m.weld(m.ground.attach("bank", (2, 0)), second.end)
    found = m.freedoms()
    assert found.parts[0].what == "beam 'first' and beam 'second'"
    assert (found.count, found.freedoms, found.straining, found.redundant) == (-3, 0, 3, [])


def test_rows_of_speeds_and_frames_and_what_is_off():
    m = fm.PlanarModel("skate")
    blade = m.add_body("blade", mass=1.0, inertia=0.1)
    m.knife_edge(m.ground, blade.frame, name="edge")
    m.add_frame("hand", (1.0, 0.0))
    found = m.freedoms()
    assert (found["hand"], found["edge"], found.freedoms, found.of_positions) == (3, -1, 5, 6)
    m.switch_off(m.weld(m.ground, blade.frame, name="brake"))
    assert m.freedoms().freedoms == 5
    m.switch_on(m.components["brake"])
    assert m.freedoms().freedoms == 3 and len(m.freedoms().redundant) == 1


def test_rows_that_repeat_others_are_found_where_the_drawing_leaves_joints_open():
    m = fm.SpatialModel("door")
    leaf = m.add_body("leaf", mass=20.0, inertia=(1, 2, 3), position=(1e-3, -2e-3, 1e-3))
    for k, height in enumerate((0.3, 1.7)):
        m.revolute(m.ground.attach(f"post {k}", (0, 0, height)), leaf.attach(f"eye {k}", (0, 0, height)), axis="z")
    assert (m.freedoms().freedoms, len(m.freedoms().redundant)) == (1, 5)


def test_it_prints_as_a_table():
    found = chain(2).freedoms()
    lines = str(found).splitlines()
    assert lines[0].startswith("Freedoms of ") and len({line.rindex(" ") for line in lines[1:5]}) == 1
    assert "2 free motions by rank, 2 by count" in str(found) and "<table>" in found._repr_html_()
    assert repr(found).endswith("2 by rank, 2 by count)") and np.sign(found.parts[0].freedoms) == 1
