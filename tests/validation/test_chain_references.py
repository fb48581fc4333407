"""The references of chains of hinges in space: numbers computed elsewhere, energy, work, other coordinates."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import flexmb as fm
from flexmb.algebra.differences import derivative
from flexmb.validation import bricard as bricard_case
from flexmb.validation import cases, checks_of, tilted_planes
from flexmb.validation import spatial_four_bar as four_bar_case
from flexmb.validation.references import bricard, five_link_chain, spatial_four_bar
from flexmb.validation.references.hinge_chain import HingeChain

CHAINS = {
    "five links": five_link_chain.chain(),
    "Bricard": bricard.chain(),
    "four-bar": spatial_four_bar.chain(),
}


def test_five_links_have_the_known_numbers():
    chain = five_link_chain.chain()
    still = np.zeros(5)
    assert np.max(np.abs(chain.acceleration(still, still) - five_link_chain.START_ACCELERATION)) < 1e-12
    q, rate = chain.motion(np.array([0.0, 1.0]))
    assert np.max(np.abs(q[1] - five_link_chain.END)) < 1e-12
    assert chain.energy(q[1], rate[1]) == pytest.approx(chain.energy(q[0], rate[0]), abs=1e-10)


def test_bricards_loop_has_the_known_numbers():
    chain = bricard.chain()
    q, rate = chain.motion(np.array([0.0, *bricard.PLACES]))
    for k, place in enumerate(bricard.PLACES.values(), 1):
        assert np.max(np.abs(bricard.third_hinge(q[k]) - place)) < 1e-12
        assert chain.energy(q[k], rate[k]) == pytest.approx(bricard.ENERGY, abs=1e-11)
        assert chain.rank(q[k]) == 4
        assert np.max(np.abs(chain.closing(chain.pose(q[k], rate[k]))[0])) < 1e-12


def test_the_four_bar_keeps_its_lengths_and_its_energy():
    chain = spatial_four_bar.chain()
    q, rate = chain.motion(np.array([0.0, 0.4, 0.8]))
    corners = spatial_four_bar.corners()
    np.testing.assert_allclose(np.linalg.norm(np.diff(corners, axis=0), axis=1), spatial_four_bar.LENGTHS, rtol=1e-15)
    for k in range(3):
        assert chain.energy(q[k], rate[k]) == pytest.approx(chain.energy(q[0], rate[0]), abs=1e-10)
        assert chain.rank(q[k]) == 2
        angles = spatial_four_bar.directions() + np.cumsum(q[k])
        loop = spatial_four_bar.LENGTHS @ np.exp(1j * angles)
        assert loop == pytest.approx(spatial_four_bar.GROUND, abs=1e-12)


@pytest.mark.parametrize("name", CHAINS)
def test_velocities_and_accelerations_are_derivatives(name):
    """Along q(t) = q₀ + q̇ t, of mass centers and of the rows that close the loop."""
    chain: HingeChain = CHAINS[name]
    rng = np.random.default_rng(7)
    q, rate = rng.uniform(-1.0, 1.0, (2, len(chain.links)))
    pose = chain.pose(q, rate)

    def velocity(h: float, i: int) -> np.ndarray:
        moved = chain.pose(q + h * rate, rate)
        return moved.velocities(i, moved.center[i])[0] @ rate

    for i in range(len(chain.links)):
        found, error = derivative(lambda h, i=i: chain.pose(q + h * rate, rate).center[i], 0.05)
        assert np.max(np.abs(found - velocity(0.0, i))) < 1e-10 + 10 * np.max(error)
        found, error = derivative(lambda h, i=i: velocity(h, i), 0.05)
        assert np.max(np.abs(found - pose.center_bias[i])) < 1e-10 + 10 * np.max(error)
        found, error = derivative(lambda h, i=i: chain.pose(q + h * rate, rate).omega[i], 0.05)
        assert np.max(np.abs(found - pose.alpha_bias[i])) < 1e-10 + 10 * np.max(error)
    if chain.closure is not None:
        _, rows, bias = chain.closing(pose)
        found, error = derivative(lambda h: chain.closing(chain.pose(q + h * rate, rate))[0], 0.05)
        assert np.max(np.abs(found - rows @ rate)) < 1e-10 + 10 * np.max(error)
        found, error = derivative(lambda h: chain.closing(chain.pose(q + h * rate, rate))[1] @ rate, 0.05)
        assert np.max(np.abs(found - bias)) < 1e-10 + 10 * np.max(error)


@pytest.mark.parametrize("name", ["five-link-chain", "bricard", "spatial-slider-crank"])
def test_case_holds(name):
    assert not [check for check in checks_of(cases()[name].compute()) if not check.passed]


@pytest.mark.parametrize("name", tilted_planes.MECHANISMS)
def test_a_plane_may_stand_askew(name):
    assert max(tilted_planes.apart(name, "dop853")) < 1e-11


@pytest.mark.parametrize(
    ("build", "rank", "rows"),
    [(bricard_case.build, "29 of 30", ["tilt 2"]), (four_bar_case.build, "17 of 20", ["z", "tilt 1", "tilt 2"])],
    ids=["Bricard", "four-bar"],
)
def test_rows_that_are_left_out_are_named(build, rank, rows):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        fm.simulate(build(), 1e-3, progress=False)
    (said,) = [str(w.message) for w in caught if w.category is fm.errors.RedundancyWarning]
    assert f"rank {rank}" in said
    last = "hinge5" if build is bricard_case.build else "hinge3"
    assert [f"joint '{last}' (row {row})" in said for row in rows] == [True] * len(rows)
    assert "joint 'hinge0'" in said
    with pytest.raises(fm.errors.RedundancyError, match=rank):
        fm.simulate(build(), 1e-3, redundant="error", progress=False)
