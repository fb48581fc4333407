"""The references of chains of rods: numbers computed elsewhere, energy and momentum, the chain without its base."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.optimize import brentq

from flexmb.validation.references import floating_chain, parallelogram, planar_chain
from flexmb.validation.references.planar_chain import FOUR, SEVEN, THREE, PlanarChain

#: accelerations at rest [rad/s²] and angles at a time [rad], computed elsewhere to the digits that are given
KNOWN = {
    "three": (THREE, (4.67643878, 4.25176347, -2.84883183), 3.0, (2.57133513, -0.91034365, 3.82630597)),
    "seven": (
        SEVEN, (12.43858191, -15.77149147, 4.22596589, -1.13237207, 0.30352241, -0.08171757, 0.02334788), 3.0,
        (3.62504594, 0.39532576, 0.15359495, 0.92920734, 0.3201732, -0.60125697, -0.49544321),
    ),
    "four": (
        FOUR, (6.49645453, 0.10233976, -2.79796404, 0.24260619), 2.0, (1.97877512, 2.09265157, 0.65968332, 7.48329078)
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", KNOWN)
def test_open_chains_have_the_known_numbers_and_keep_their_energy(name):
    chain, start, t_end, there = KNOWN[name]
    still = np.zeros(len(start))
    assert chain.acceleration(np.array(chain.start), still) == pytest.approx(start, abs=6e-9)
    theta, rate = chain.motion(np.array([0.0, t_end]))
    assert theta[1] == pytest.approx(there, abs=6e-9)
    assert chain.energy(theta[1], rate[1]) == pytest.approx(chain.energy(theta[0], still), abs=1e-10)


def test_power_of_an_open_chain_is_zero_in_any_state():
    rng = np.random.default_rng(0)
    chain = PlanarChain((0.7, 1.3, 0.4, 1.0), np.zeros(4))
    theta, rate = rng.normal(size=(2, 4))
    second, h = chain.acceleration(theta, rate), 1e-6
    ahead, behind = (chain.energy(theta + s * rate, rate + s * second) for s in (h, -h))
    assert (ahead - behind) / (2.0 * h) == pytest.approx(0.0, abs=1e-7)


def test_the_parallelogram_is_laid_flat_where_its_motion_says():
    known = (0.31426607, 0.9427982, 1.57133034, 2.19986247, 2.82839461)
    times = parallelogram.flat(3.0)
    assert times == pytest.approx(known, abs=6e-9)
    assert np.cos(parallelogram.angle(times, parallelogram.THROUGH_FLAT)) == pytest.approx(np.zeros(5), abs=1e-12)
    run = solve_ivp(
        lambda t, y: [y[1], 1.2 * parallelogram.G * np.sin(y[0])], (0.0, 3.0), [parallelogram.THROUGH_FLAT, 0.0],
        method="DOP853", rtol=1e-13, atol=1e-14, dense_output=True,
    )  # fmt: skip
    last = brentq(lambda t: np.cos(run.sol(t)[0]), 2.8, 2.85, xtol=1e-14)
    assert last == pytest.approx(times[-1], abs=1e-10)
    energy = parallelogram.energy(
        parallelogram.angle(times, parallelogram.THROUGH_FLAT), parallelogram.rate(times, parallelogram.THROUGH_FLAT)
    )
    assert energy == pytest.approx(np.full(5, planar_chain.G), abs=1e-11)


def test_the_floating_chain_keeps_energy_and_momenta():
    chain, start = floating_chain.six_rods(), floating_chain.SIX_START
    assert chain.energy(start) == pytest.approx(1.443299, abs=1e-12)
    end = chain.motion(start, np.array([0.0, 0.3]))[1]
    assert chain.equations(end)[2] == pytest.approx(chain.equations(start)[2], abs=1e-12)
    assert chain.energy(end) == pytest.approx(chain.energy(start), abs=1e-12)
    assert chain.equations(start)[2][:3] / 6.0 == pytest.approx([0.00667, 0.00667, -0.01], abs=5e-6)
