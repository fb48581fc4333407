"""Orders of convergence of explicit methods, projected onto joints, in the plane and in space."""

from __future__ import annotations

import numpy as np
import pytest

import flexmb as fm
from flexmb.solvers.methods.explicit import runge_kutta
from flexmb.validation import heavy_top
from flexmb.validation.references import heavy_top as top
from tests.models.chains import chain
from tests.models.pendulums import swung


def fixed(model, t_end, method, step, monkeypatch):
    """A run of fixed steps, whatever the method."""
    monkeypatch.setattr(runge_kutta, "RKF45", {"dop853": runge_kutta.DOP853, "rkf45": runge_kutta.RKF45}[method])
    return fm.simulate(model, t_end, "rkf45", step=step, progress=False)


@pytest.mark.parametrize(("method", "order", "step"), [("rkf45", 5, 2e-2), ("dop853", 8, 1 / 10)])
def test_order_on_a_pendulum(method, order, step, monkeypatch):
    errors = []
    for h in (step, 0.5 * step):
        run = fixed(chain(1), 2.0, method, h, monkeypatch)
        errors.append(np.max(np.abs(run["link0"].angle - swung(run.t))))
    assert np.log2(errors[0] / errors[1]) == pytest.approx(order, abs=0.5)


@pytest.mark.parametrize(("method", "order", "step"), [("rkf45", 5, 4e-3), ("dop853", 8, 1e-2)])
def test_order_on_the_heavy_top(method, order, step, monkeypatch):
    errors = []
    for h in (step, 0.5 * step):
        run = fixed(heavy_top.build(), 0.2, method, h, monkeypatch)
        q, omega = top.motion(run.t)
        place = np.max(np.abs(run["top"].position - top.center(q)))
        errors.append((place, np.max(np.abs(run.v[:, 3:6] - omega)) / 150.0))
    assert np.log2(np.array(errors[0]) / errors[1]) == pytest.approx([order, order], abs=0.5)
