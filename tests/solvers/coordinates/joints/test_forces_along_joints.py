"""Forces that act along the joints of a tree alone, which need no positions of its links."""

import numpy as np
import pytest

import flexmb as fm
from flexmb.solvers.coordinates.coordinates import joint_coordinates
from flexmb.solvers.coordinates.joints import joint_motion
from flexmb.validation.performance import arm as upright


def pushed(*, by_spring: bool = False, by_torques: bool = True) -> fm.SpatialModel:
    """An arm that falls aside, with a torque in each of its hinges; with a spring from its end to the ground."""
    m = upright.arm(3)
    m.gravity = (3.0, 2.0, -9.81)
    for k in range(3 if by_torques else 0):
        m.joint_force(m.components[f"hinge {k}"], fm.Harmonic(2.0 + k, 5.0 + k), name=f"torque {k}")
    if by_spring:
        m.spring_damper(m.ground, m.frame("link 2.high 2"), stiffness=10.0)
    return m


def acting(model):
    return joint_coordinates(fm.System(model), "aba").joints.acting


def test_forces_on_links_are_told_from_those_along_joints():
    assert (acting(pushed()).any, acting(pushed()).along) == (1, 1)
    assert (acting(pushed(by_spring=True)).any, acting(pushed(by_spring=True)).along) == (1, 0)


@pytest.mark.parametrize(
    ("method", "options"),
    [("rkf45", {"step": 5e-3}), ("dop853", {}), ("generalized_alpha", {"step": 5e-3}), ("radau", {})],
)
def test_they_make_the_same_motion_as_through_all_positions(monkeypatch, method, options):
    runs = []
    for along in (True, False):
        if not along:
            monkeypatch.setattr(joint_motion, "along_joints", lambda *given: None)
        assert acting(pushed()).along == along
        runs.append(fm.simulate(pushed(), 0.2, method, formulation="aba", progress=False, **options))
    for name in ("t", "q", "v", "a", "multipliers"):
        assert np.array_equal(getattr(runs[0], name), getattr(runs[1], name)), name
    assert runs[0].energy.input[-1] != 0.0 and runs[0].energy.error == runs[1].energy.error


def coupled(*, forces: bool = True, held: bool = False) -> fm.SpatialModel:
    """The same arm, whose last hinge turns by half as much as the first; with or without torques, and held by a string
    from its end to the ground."""
    m = pushed(by_torques=forces)
    m.coupling(m.components["hinge 0"], m.components["hinge 2"], 0.5, name="mimic")
    if held:
        m.distance(m.ground.attach("hook", (0.4, 0.3, 0.2)), m.frame("link 2.high 2"), name="string")
    return m


def test_rows_that_couple_joints_are_told_from_those_on_links():
    assert (acting(coupled()).any, acting(coupled()).along) == (1, 1)
    assert (acting(coupled(forces=False)).any, acting(coupled(forces=False)).along) == (0, 1)
    assert acting(coupled(held=True)).along == 0


@pytest.mark.parametrize("forces", [True, False])
@pytest.mark.parametrize(
    ("method", "options"),
    [("rkf45", {"step": 5e-3}), ("euler", {"step": 1e-3}), ("dop853", {}), ("generalized_alpha", {"step": 5e-3})],
)
def test_coupled_joints_move_as_through_all_positions(monkeypatch, method, options, forces):
    runs = []
    for along in (True, False):
        if not along:
            monkeypatch.setattr(joint_motion, "along_joints", lambda *given: None)
        assert acting(coupled(forces=forces)).along == along
        model = coupled(forces=forces)
        runs.append(fm.simulate(model, 0.2, method, formulation="aba", progress=False, **options))
    for name in ("t", "q", "v", "a", "multipliers"):
        assert np.array_equal(getattr(runs[0], name), getattr(runs[1], name)), name
    turned = runs[0]["hinge 0.angle"]
    assert np.ptp(turned) > 1e-3 and runs[0]["hinge 2.angle"] == pytest.approx(0.5 * turned, abs=1e-9)


def in_plane(*, bent: bool = False) -> fm.PlanarModel:
    """A slide with two bars on it that hang from one another, a motor, a torque with a damper and a torsion spring in
    their hinges; or with a beam in place of the last bar."""
    m = fm.PlanarModel("slide", gravity=(0.0, -9.81))
    cart = m.add_body("cart", mass=2.0, inertia=0.1)
    m.prismatic(m.ground, cart.frame, axis=0.0, name="rail")
    last = cart.frame
    for k in range(2):
        bar = m.add_body(f"bar {k}", mass=1.0, inertia=0.1, position=(0.5 + k, 0.0))
        hinge = m.revolute(last, bar.attach("start", (-0.5, 0.0)), name=f"hinge {k}")
        m.joint_force(hinge, fm.Harmonic(2.0 + k, 5.0 + k), damping=0.3, name=f"torque {k}")
        m.motor(last, bar.frame, torque=0.5, name=f"motor {k}")
        last = bar.attach("end", (0.5, 0.0))
    if bent:
        steel = fm.Material(density=7850, youngs_modulus=205e9, poissons_ratio=0.3)
        beam = m.add_beam("beam", (2.0, 0.0), (2.5, 0.0), material=steel, section=fm.Rectangle(0.01, 0.01), modes=1)
        m.joint_force(m.revolute(last, beam.start, name="of beam"), 0.1, name="on beam")
        m.joint_force(m.revolute(beam.end, m.add_body("tip", mass=0.1, inertia=0.01, position=(2.5, 0.0)).frame), 0.1)
    return m


def test_in_the_plane_angles_of_links_are_sums_of_turns_but_behind_beams():
    assert (acting(in_plane()).any, acting(in_plane()).along) == (1, 1)
    assert acting(in_plane(bent=True)).along == 0


@pytest.mark.parametrize(
    ("method", "options"),
    [
        ("rkf45", {"step": 2e-3}),
        ("euler", {"step": 2e-3}),
        ("dop853", {}),
        ("generalized_alpha", {"step": 2e-3, "newton_tolerance": 1e-13}),
    ],
)
def test_in_the_plane_they_make_the_same_motion_as_through_all_positions(monkeypatch, method, options):
    runs = []
    for along in (True, False):
        if not along:
            monkeypatch.setattr(joint_motion, "along_joints", lambda *given: None)
        assert acting(in_plane()).along == along
        runs.append(fm.simulate(in_plane(), 0.3, method, formulation="aba", progress=False, **options))
    close = 1e-7 if method == "generalized_alpha" else 1e-10  # what Newton's method leaves
    for name in ("t", "q", "v", "a", "multipliers"):
        one, other = (getattr(run, name) for run in runs)
        assert np.allclose(one, other, rtol=0.0, atol=close * max(1.0, float(np.abs(other).max()))), name
