"""A mechanism of the plane, built in space in a plane that lies askew, moves and is held as in the plane."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import flexmb as fm
from flexmb.spatial import SpatialModel
from tests.models.lifted import GRAVITY, TILT, lifted

STIFFNESS, DAMPING, FREE = 40.0, 0.3, 0.5
DRIVE = fm.Harmonic(0.8, 3.0)


def planar(driven):
    """Two rods in a row on hinges, with a spring in the second hinge; the first one swings or is driven."""
    m = fm.PlanarModel("plane", gravity=GRAVITY)
    upper = m.add_body("upper", mass=1.5, inertia=0.2, position=(0.5, 0.0))
    lower = m.add_body("lower", mass=0.8, inertia=0.1, position=(1.0, -0.4), angle=0.3)
    m.revolute(m.ground, upper.attach("top", (-0.5, 0.0)), name="shoulder")
    elbow = upper.attach("end", (0.5, 0.0))
    wrist = lower.attach("top", tuple(Rotation.from_rotvec([0, 0, -0.3]).apply([0.0, 0.4, 0.0])[:2]))
    m.revolute(elbow, wrist, name="elbow")
    m.torsion_spring(elbow, wrist, stiffness=STIFFNESS, damping=DAMPING, free_angle=0.3 + FREE)
    if driven:
        m.drive_angle(m.ground, upper.frame, DRIVE, name="motor")
    return m


def spatial(driven):
    """The same; the bodies' third axes are across the plane."""
    m = SpatialModel("space", gravity=lifted(GRAVITY))
    turn = Rotation.from_rotvec([0.0, 0.0, 0.3])
    upper = m.add_body("upper", mass=1.5, inertia=(0.15, 0.25, 0.2), position=lifted((0.5, 0.0)), orientation=TILT)
    lower = m.add_body(
        "lower", mass=0.8, inertia=(0.08, 0.06, 0.1), position=lifted((1.0, -0.4)), orientation=TILT * turn
    )
    axis = TILT.apply([0.0, 0.0, 1.0])
    m.revolute(m.ground, upper.attach("top", (-0.5, 0.0, 0.0)), axis=axis, name="shoulder")
    elbow = upper.attach("end", (0.5, 0.0, 0.0))
    wrist = lower.attach("top", turn.inv().apply([0.0, 0.4, 0.0]))
    m.revolute(elbow, wrist, axis="z", name="elbow")
    m.torsion_spring(elbow, wrist, axis="z", stiffness=STIFFNESS, damping=DAMPING, free_angle=FREE)
    if driven:
        m.drive_angle(m.ground, upper.frame, DRIVE, axis=axis, name="motor")
    return m


@pytest.mark.parametrize("driven", [False, True])
@pytest.mark.parametrize(
    ("method", "options", "off"),
    [
        ("generalized_alpha", {"step": 1e-3, "newton_tolerance": 1e-12}, 1e-8),
        ("projection", {"tolerance": 1e-11, "absolute_tolerance": 1e-12}, 1e-8),
    ],
)
def test_motions_and_joint_forces_are_those_of_the_plane(method, options, off, driven):
    flat = fm.simulate(planar(driven), 1.0, method, progress=False, **options)
    solid = fm.simulate(spatial(driven), 1.0, method, progress=False, **options)
    if method != "generalized_alpha":
        flat, solid = flat.at(flat.t[-1:]), solid
    last = slice(-len(flat), None)
    for name in ("upper", "lower"):
        assert np.max(np.abs(solid[name].position[last] - lifted(flat[name].position))) < off
        # speeds are moved onto ġ = 0 with the matrix at hand, which is not renewed in the same steps: the speeds of the
        # method, at this step 4e-4 m/s off where a motor drives, are the same to a hundredth of that
        assert np.max(np.abs(solid[name].velocity[last] - lifted(flat[name].velocity))) < 300 * off
        assert np.max(np.abs(solid[name].acceleration[last] - lifted(flat[name].acceleration))) < 1e3 * off
        angles = np.array([[0.0, 0.0, 1.0]]) * flat[name].angle[:, None]
        wanted = TILT * Rotation.from_rotvec(angles)
        assert np.max((wanted.inv() * solid[name].orientation[last]).magnitude()) < 10 * off
    for joint in ("shoulder", "elbow"):
        held = -solid.multipliers_of(joint)[last, :3]
        assert np.max(np.abs(held - lifted(flat.reaction(joint)[0]))) < 1e4 * off
        # nothing tilts the hinges: the bodies' axes are principal ones and the loads lie in the plane
        assert np.max(np.abs(solid.multipliers_of(joint)[last, 3:])) < 1e3 * off
    if driven:
        wanted = flat.multipliers_of("motor")[:, 0]
        assert np.max(np.abs(solid.multipliers_of("motor")[last, 1] - wanted)) < 1e4 * off
