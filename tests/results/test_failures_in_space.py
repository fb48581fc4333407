"""Runs in space that end early, or whose motion may be wrong: what they say, and what they keep."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import pytest

import flexmb as fm
from flexmb.elements.spatial.rigid_body import SPATIAL_RIGID_BODY, RigidBody
from flexmb.kernels import kernel
from flexmb.machine import interruption
from flexmb.spatial import SpatialModel
from flexmb.system.bad_kernels import find_bad_kernel
from tests.models.tops import top


@kernel
def residual(p, iq, iv, t, q, v, a, lam, w, out, K, work):
    for i in range(p.shape[0]):
        for k in range(3):
            out[i, k] = a[iv[i, k]]
            out[i, 3 + k] = a[iv[i, 3 + k]]
        if t > 0.05:
            out[i, 4] = np.nan


@kernel
def tangent(p, iq, iv, t, q, v, a, lam, w, out, K, work):
    for i in range(p.shape[0]):
        for k in range(6):
            K[i, k, k] += w[0]


@dataclass(eq=False)
class Breaking(RigidBody):
    """A body whose moment about its y axis is no number from 0.05 s on."""

    def assemble(self, assembly):
        assembly.instance(self, BREAKING, assembly.node(self.frame.node), np.zeros(1))


BREAKING = replace(SPATIAL_RIGID_BODY, name="breaking", residual=residual, tangent=tangent, energy=None)


def breaking():
    m = SpatialModel("breaking")
    body = m.add(Breaking("body", m.add_frame("node", (1, 2, 3)), 1.0, (1.0, 1.0, 1.0)))
    body.move((0, 0, 0), (0, 0, 2.0))
    return m


def test_a_bad_kernel_is_told_with_coordinates_and_speeds():
    system = fm.System(breaking())
    text = find_bad_kernel(system, 0.06, system.q0, system.v0)
    assert "its residual gives nan [node.wy] for t = 0.06" in text
    assert "node.x = 1 (rate 0), node.y = 2 (rate 0), node.z = 3 (rate 0), node.e0 = 1, node.e1 = 0" in text
    assert text.endswith("node.e3 = 0, node.wx = 0, node.wy = 0, node.wz = 2")


@pytest.mark.parametrize(
    ("method", "options"), [("generalized_alpha", {"step": 1e-3}), ("rkf45", {"step": 1e-3}), ("dop853", {})]
)
def test_a_run_that_breaks_keeps_what_it_has(method, options, tmp_path):
    with pytest.warns(fm.errors.DivergenceWarning, match=r"its residual gives nan \[node\.wy\] for t = 0\.05"):
        run = fm.simulate(breaking(), 0.1, method, progress=False, **options)
    assert run.status == "diverged" and 0.04 < run.t[-1] < 0.052
    assert np.array_equal(fm.load(run.save(tmp_path / "broken.h5")).q, run.q)
    np.testing.assert_allclose(run["node"].orientation.as_rotvec()[:, 2], 2.0 * run.t, atol=1e-12)


def test_an_interrupted_run_can_go_on(monkeypatch, tmp_path):
    calls = []

    def asked():
        calls.append(1)
        if len(calls) == 3:
            raise KeyboardInterrupt

    whole = fm.simulate(top(), 1.0, step=1e-3, progress=False)
    monkeypatch.setattr("flexmb.solvers.march.driver.WORK", 64)
    monkeypatch.setattr(interruption, "raise_if_asked", asked)
    run = fm.simulate(top(), 1.0, step=1e-3, progress=False)
    monkeypatch.undo()
    assert run.status == "interrupted" and 1 < len(run) < len(whole)
    assert np.array_equal(run.q, whole.q[: len(run)])
    assert str(fm.load(run.save(tmp_path / "half.h5"))) == str(run)
    rest = fm.simulate(run.model, 1.0, t_start=float(run.t[-1]), initial=run, step=1e-3, progress=False)
    assert np.max(np.abs(rest.q[-1] - whole.q[-1])) < 1e-4


def test_steps_too_long_for_a_spinning_body_are_told():
    with pytest.warns(fm.errors.AccuracyWarning, match=r"model 'top': (its energy balance|the estimated error)"):
        run = fm.simulate(top(200.0), 0.1, "rkf45", step=1.25e-2, progress=False)
    assert run.status == "finished" and not run.trustworthy and "doubtful" in run.summary()
