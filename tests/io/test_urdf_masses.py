"""Inertias in URDF files that no body can have."""

from __future__ import annotations

import numpy as np
import pytest

import flexmb as fm
from flexmb.examples import robots
from tests.io.elements import empty, joint, link

ARM = robots.folder() / "arm.urdf"


class TestRepaired:
    def test_a_link(self, written):
        # Σ = diag(0.15, 0.15, -0.05) [kg m²]; without its negative part J = diag(0.15, 0.15, 0.3)
        path = written(empty("a"), link("b", inertia=(0.1, 0.1, 0.3)), joint("j", "revolute", "a", "b"))
        with pytest.warns(
            fm.errors.AccuracyWarning, match=r"link 'b', .*\[0\.1, 0\.1, 0\.3\] kg m².* 0\.0707 kg m² from"
        ):
            robot = fm.read_urdf(path, improper_inertia="repair")
        J = robot.components["b"].tensor()
        assert np.allclose(J, np.diag([0.15, 0.15, 0.3]), atol=2e-7, rtol=0.0)
        robot.actuate("j", 3.0)
        assert robot.accelerations(fm.simulate(robot, 0.01, progress=False))["j"][-1] == pytest.approx(10.0, rel=1e-6)

    def test_links_without_mass_have_no_inertia(self, written):
        path = written(empty("a"), link("b", 0.0), link("c"), *(
            joint(name, kind, *ends) for name, kind, *ends in (("j", "revolute", "a", "b"), ("k", "fixed", "b", "c"))
        ))  # fmt: skip
        with pytest.warns(fm.errors.AccuracyWarning, match="link 'b'"):
            robot = fm.read_urdf(path, improper_inertia="repair")
        assert np.allclose(robot.components["b"].tensor(), np.diag([0.1, 0.1, 0.1]))

    def test_masses_on_a_line_get_some_inertia_about_it(self, written):
        point = {"inertia": (0, 0, 0)}
        parts = link("b", 1.0, "0 0 1", **point), link("c", 1.0, "0 0 3", **point), joint("k", "fixed", "b", "c")
        path = written(empty("a"), *parts, joint("j", "revolute", "a", "b", axis="1 0 0"))
        assert np.allclose(fm.read_urdf(path).components["b"].tensor().diagonal(), [2.0, 2.0, 0.0])
        with pytest.warns(fm.errors.AccuracyWarning, match="link 'b' and what is fixed to it"):
            robot = fm.read_urdf(path, improper_inertia="repair")
        assert np.allclose(robot.components["b"].tensor().diagonal(), [2.0, 2.0, 0.0], atol=1e-5)

    def test_a_possible_inertia_stays_as_it_is(self):
        plain, asked = (fm.read_urdf(ARM, meshes=False, improper_inertia=what) for what in ("refuse", "repair"))
        for name, body in plain.components.items():
            if hasattr(body, "tensor"):
                assert np.array_equal(body.tensor(), asked.components[name].tensor())
