"""Torsional springs and bushings against closed forms."""

from __future__ import annotations

import math

import numpy as np
import pytest

import flexmb as fm
from flexmb.errors import ModelError
from flexmb.testing import Recorder


def two(angle: float = 0.0) -> tuple[fm.PlanarModel, fm.planar.Frame, fm.planar.Frame]:
    m = fm.PlanarModel("m")
    a = m.add_body("a", mass=1.0, inertia=0.1, position=(1.0, 2.0), angle=angle)
    b = m.add_body("b", mass=1.0, inertia=0.1, position=(1.0, 2.0), angle=angle)
    return m, a.frame, b.frame


def test_a_torsion_spring_counts_turns_and_frame_offsets() -> None:
    m, a, b = two()
    tilted = b.attach("tilted", (0.3, 0.0), 0.25)
    spring = Recorder.of(m.torsion_spring(a, tilted, stiffness=4.0, damping=0.5, free_angle=0.1))
    angles, rates = np.array([0, 0, 0.2, 0, 0, 0.2 + 4.0 * math.pi]), np.array([0, 0, 1.0, 0, 0, -1.0])
    moment = 4.0 * (4.0 * math.pi + 0.25 - 0.1) + 0.5 * -2.0
    assert spring.residual(0.0, angles, rates, np.zeros(6))[[2, 5]] == pytest.approx([-moment, moment], rel=1e-14)


def test_a_torsion_spring_starts_at_rest() -> None:
    m, a, b = two(0.7)
    spring = Recorder.of(m.torsion_spring(a, b.attach("tilted", (0.3, 0.0), 0.25), stiffness=4.0))
    assert spring.residual(0.0, spring.q, spring.v, spring.v) == pytest.approx(np.zeros(6), abs=1e-15)


def test_a_bushing_pulls_in_the_axes_of_its_first_frame() -> None:
    m, a, b = two(math.pi / 2)
    bushing = Recorder.of(m.bushing(a, b, stiffness=(100.0, 10.0, 2.0), damping=(1.0, 3.0, 0.5)))
    q = bushing.q + np.array([0, 0, 0, 0.0, 0.2, 0.3])  # along y of space, which is x of frame a
    r = bushing.residual(0.0, q, np.zeros(6), np.zeros(6))
    # on a: force 20 along y on the line through its origin, moment 0.6
    assert r == pytest.approx([0.0, -20.0, -0.6, 0.0, 20.0, 0.6], rel=1e-13, abs=1e-13)
    v = np.array([0, 0, 0, 0.5, 0.0, 2.0])  # along x of space, −y of frame a
    r = bushing.residual(0.0, bushing.q, v, np.zeros(6))
    assert r == pytest.approx([-1.5, 0.0, -1.0, 1.5, 0.0, 1.0], rel=1e-13, abs=1e-13)


def test_a_bushing_couples_through_a_full_matrix() -> None:
    m, a, b = two()
    S = np.array([[4.0, 1.0, 0.5], [1.0, 3.0, -0.2], [0.5, -0.2, 2.0]])
    bushing = Recorder.of(m.bushing(a, b, stiffness=S, free=(0.1, 0.0, 0.0)))
    e = np.array([-0.1, 0.0, 0.0])
    assert bushing.residual(0.0, bushing.q, bushing.v, bushing.v)[3:] == pytest.approx(S @ e, rel=1e-14)
    assert bushing.energy(0.0, bushing.q, bushing.v)[1] == pytest.approx(0.5 * e @ S @ e, rel=1e-14)


@pytest.mark.parametrize(
    ("stiffness", "says"),
    [
        ((1.0, 2.0), r"bushing 'soft': stiffness must be three finite numbers \(x, y, angle\)"),
        ((1.0, math.inf, 2.0), r"bushing 'soft': stiffness\[1\] is inf; give finite numbers"),
        ("hard", "bushing 'soft': stiffness must be three finite numbers"),
        ((1.0, -1.0, 2.0), "bushing 'soft': stiffness has the eigenvalue -1; it must not be negative"),
        (np.triu(np.ones((3, 3))), "bushing 'soft': the matrix of stiffness is not symmetric"),
    ],
)
def test_wrong_matrices_are_named(stiffness: object, says: str) -> None:
    m, a, b = two()
    with pytest.raises(ModelError, match=says):
        m.bushing(a, b, stiffness=stiffness, name="soft")


@pytest.mark.parametrize("verb", ["torsion_spring", "motor"])
def test_in_the_plane_there_is_one_axis(verb: str) -> None:
    m = fm.PlanarModel("m")
    body = m.add_body("body", mass=1.0, inertia=0.1)
    with pytest.raises(ModelError, match="axis is 'x'; in the plane all turns are about z; leave axis out"):
        getattr(m, verb)(m.ground, body.frame, axis="x")


def test_an_orientation_is_of_space() -> None:
    _, a, b = two()
    with pytest.raises(ModelError, match="free_orientation is for space; in the plane free ends with the angle"):
        a.model.bushing(a, b, stiffness=(1.0, 1.0, 1.0), free_orientation=np.eye(3))
