"""The work of a drive while sampled controllers change what they command, several steps after one another."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import flexmb as fm

G, LENGTH, MASS, ARM, INERTIA = 9.81, 1.0, 1.3, 0.5, 0.1
SWING, RATE, PERIOD, END = 0.8, 6.0, 0.1, 1.0


def law(t: float, y: np.ndarray) -> list[float]:
    return [5.0 * np.cos(9.0 * t)]


def arm() -> fm.PlanarModel:
    """A link whose angle is driven carries a free one, on which a torque is held from sample to sample."""
    m = fm.PlanarModel("arm", gravity=(0.0, -G))
    upper = m.add_body("upper", mass=1.0, inertia=0.1)
    m.revolute(m.ground, upper.frame, name="shoulder")
    m.drive_angle(m.ground, upper.frame, fm.Harmonic(SWING, RATE))
    lower = m.add_body("lower", mass=MASS, inertia=INERTIA, position=(LENGTH + ARM, 0.0))
    m.revolute(upper.attach("end", (LENGTH, 0.0)), lower.attach("start", (-ARM, 0.0)), name="elbow")
    lower.move((0.0, SWING * RATE * LENGTH), 0.0)
    m.point_torque(lower.frame, 0.0, name="push")
    m.add_controller("law", period=PERIOD, sensors=fm.control.Reference(0.0), commands="push", law=law)
    return m


def drives_work(times: np.ndarray) -> np.ndarray:
    """The work of the drive until such times, the first of which is 0: the change of all energy less the work of the
    torque u,

        (J + m c²) φ̈ + m L c (cos(φ − ψ) ψ̈ + sin(φ − ψ) ψ̇²) = u − m g c cos φ

    for the angle φ of the free link on the driven one, whose angle is ψ(t) and whose mass center is its pivot."""
    inertia, coupled = INERTIA + MASS * ARM**2, MASS * LENGTH * ARM

    def rates(t: float, x: np.ndarray, u: float) -> list[float]:
        psi, rate = SWING * np.sin(RATE * t), SWING * RATE * np.cos(RATE * t)
        pulls = coupled * (-(RATE**2) * psi * np.cos(x[0] - psi) + rate**2 * np.sin(x[0] - psi))
        return [x[1], (u - MASS * G * ARM * np.cos(x[0]) - pulls) / inertia, u * x[1]]

    found = []
    x = np.zeros(3)
    for begin in np.arange(0.0, END - 1e-9, PERIOD):
        own = times[(times >= begin - 1e-9) & (times < begin + PERIOD - 1e-9)]
        ends = [begin, begin + PERIOD]
        given = {"rtol": 1e-11, "atol": 1e-12, "dense_output": True}
        part = solve_ivp(rates, ends, x, method="DOP853", args=tuple(law(begin, np.zeros(1))), **given)
        found.append(part.sol(own))
        x = part.y[:, -1]
    phi, speed, given = np.concatenate([*found, x[:, None]], axis=1)
    psi, rate = SWING * np.sin(RATE * times), SWING * RATE * np.cos(RATE * times)
    kinetic = 0.5 * (0.1 + MASS * LENGTH**2) * rate**2 + 0.5 * inertia * speed**2
    kinetic += coupled * rate * speed * np.cos(phi - psi)
    energy = kinetic + MASS * G * (LENGTH * np.sin(psi) + ARM * np.sin(phi))
    return np.asarray(energy - energy[0] - given)


@pytest.mark.parametrize("formulation", [None, "aba"])
@pytest.mark.parametrize(("method", "exact"), [("dop853", 5e-5), ("rkf45", 1e-6), ("radau", 1e-6)])
def test_a_drive_carries_a_link_that_is_pushed(method: str, exact: float, formulation: str | None) -> None:
    """Of the long steps of "dop853" Simpson's rule is no more exact."""
    options = {} if formulation is None else {"formulation": formulation}
    found = fm.simulate(arm(), END, method, tolerance=1e-9, progress=False, **options)
    wanted = drives_work(found.t)
    assert found.trustworthy and found.energy.error < exact
    np.testing.assert_allclose(found.energy.drives, wanted, rtol=0, atol=exact * np.max(np.abs(wanted)))
