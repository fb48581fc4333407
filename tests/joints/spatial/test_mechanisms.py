"""Mechanisms of several joints in space against reference numbers, computed in minimal coordinates."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import flexmb as fm

TIGHT = {"method": "dop853", "tolerance": 1e-11, "progress": False}


def test_the_spatial_slider_crank():
    """Haug's: a spherical joint between crank and rod, a cross between rod and slider, one axis along the slide."""
    m = fm.SpatialModel("slider-crank", gravity=(0.0, 0.0, -9.81))
    crank = m.add_body("crank", mass=0.12, inertia=(1e-4, 1e-4, 1e-5), position=(0.0, 0.1, 0.16))
    tip, pin = np.array([0.0, 0.1, 0.2]), np.array([0.2, 0.0, 0.0])
    along = (pin - tip) / 0.3
    normal = np.cross([1.0, 0.0, 0.0], along)
    normal /= np.linalg.norm(normal)
    axes = Rotation.from_matrix(np.column_stack([along, normal, np.cross(along, normal)]))
    rod = m.add_body("rod", mass=0.5, inertia=(4e-4, 4e-3, 4e-3), position=0.5 * (tip + pin), orientation=axes)
    slider = m.add_body("slider", mass=2.0, inertia=(1e-4, 1e-4, 1e-4), position=pin)
    bearing = m.add_frame("bearing", (0.0, 0.1, 0.12), fixed=True)
    m.revolute(bearing, crank.frame.attach("foot", (0.0, 0.0, -0.04)), axis="x", name="crank bearing")
    m.spherical(crank.frame.attach("tip", (0.0, 0.0, 0.04)), rod.frame.attach("start", (-0.15, 0.0, 0.0)))
    m.universal(slider.frame, rod.frame.attach("end", (0.15, 0.0, 0.0)), axis="x", axis_b="y", name="cross")
    m.prismatic(m.ground, slider.frame, axis="x", name="slide")
    # the speed of its hinge, not of its center
    crank.frame.move(velocity=np.cross((6.0, 0.0, 0.0), (0.0, 0.0, 0.04)), angular_velocity=(6.0, 0.0, 0.0))
    s = fm.simulate(m, 1.0, **TIGHT)
    assert np.max(np.abs(s["rod"].angular_velocity[0] - [1.92, -0.96, 0.48])) < 1e-12
    found = s.at([0.1, 0.25, 0.5, 1.0])["slide.position"]
    wanted = [0.226787188553, 0.284860002921, 0.184952629778, 0.211721661393]
    assert np.max(np.abs(found - wanted)) < 1e-9
    assert len(fm.System(m).rows) == 17


def test_bricard():
    """Five rods and six hinges, one constraint more than needed in every position."""
    m = fm.SpatialModel("bricard", gravity=(0.0, -9.81, 0.0))
    points = np.array([(0, 0, 0), (1, 0, 0), (1, -1, 0), (1, -1, 1), (0, -1, 1), (0, 0, 1)], dtype=float)
    thin, across = 0.1**2 / 6.0, (1.0 + 0.1**2) / 12.0
    last = m.ground
    for k, axis in enumerate("yzxyzx"):
        here, there = points[k], points[(k + 1) % 6]
        if k == 5:
            first = m.add_frame("post", here, fixed=True)
            m.revolute(first, last, axis=axis, name=f"hinge {k + 1}")
            break
        inertia = np.where(np.abs(there - here) > 0.5, thin, across)
        rod = m.add_body(f"rod {k + 1}", mass=1.0, inertia=inertia, position=0.5 * (here + there))
        m.revolute(last, rod.frame.attach(f"start {k + 1}", 0.5 * (here - there)), axis=axis, name=f"hinge {k + 1}")
        last = rod.frame.attach(f"end {k + 1}", 0.5 * (there - here))
    with pytest.warns(fm.errors.RedundancyWarning, match="rank 29 of 30"):
        s = fm.simulate(m, 2.0, **TIGHT)
    found = s.at([1.0, 2.0])["end 2"].position
    wanted = [[0.274481319265, -0.886707938735, -0.462330002687], [-0.778135373033, -0.980352683443, -0.197252670617]]
    assert np.max(np.abs(found - wanted)) < 1e-8
    assert abs(s.energy.total[0] + 29.43) < 1e-12 and np.ptp(s.energy.total) < 1e-7


def test_a_four_bar_in_space_has_three_rows_more_than_needed():
    m = fm.SpatialModel("four-bar", gravity=(3.0, 0.0, -9.81))
    points = np.array([(0, 0, 0), (0, 0, 1), (2, 0, 1.5), (2, 0, 0)], dtype=float)
    last = m.ground
    for k in range(3):
        here, there = points[k], points[k + 1]
        bar = m.add_body(f"bar {k}", mass=1.0, inertia=(0.1, 0.1, 0.1), position=0.5 * (here + there))
        m.revolute(last, bar.frame.attach(f"start {k}", 0.5 * (here - there)), axis="y", name=f"hinge {k}")
        last = bar.frame.attach(f"end {k}", 0.5 * (there - here))
    m.revolute(m.add_frame("post", points[3], fixed=True), last, axis="y", name="hinge 3")
    with pytest.warns(fm.errors.RedundancyWarning, match="rank 17 of 20"):
        s = fm.simulate(m, 0.5, step=0.01, progress=False)
    assert np.ptp(s["bar 1"].position[:, 0]) > 0.1 and np.max(np.abs(s["bar 1"].position[:, 1])) < 1e-9
    with pytest.raises(fm.errors.RedundancyError):
        fm.simulate(m, 0.5, redundant="error", progress=False)
    # with a spherical and a universal joint in place of two hinges no row is left over
    for k in (1, 2):
        joint = m.components.pop(f"hinge {k}")
        if k == 1:
            m.spherical(joint.a, joint.b, name="ball")
        else:
            m.universal(joint.a, joint.b, axis="y", axis_b="x", name="cross")
    free = fm.simulate(m, 0.5, step=0.01, progress=False, redundant="error")
    assert np.max(np.abs(free["bar 1"].position - s["bar 1"].position)) < 1e-6
    assert free.unique_reactions("cross")
