"""Springs, motors and loads of a mechanism in the plane, built in space in a plane that lies askew: the same motion."""

from __future__ import annotations

import numpy as np
import pytest

import flexmb as fm
from tests.models.lifted import REDUCERS, lifted, planar, spatial

EXACT = {"method": "dop853", "tolerance": 1e-12, "progress": False}


@pytest.mark.parametrize("reducer", REDUCERS)
def test_motion_energies_and_powers_are_those_of_the_plane(reducer: str) -> None:
    flat, solid = (fm.simulate(make(**REDUCERS[reducer]), 1.0, **EXACT) for make in (planar, spatial))
    for name in ("base", "arm"):
        np.testing.assert_allclose(solid[name].position[-1], lifted(flat[name].position[-1]), atol=1e-9)
        np.testing.assert_allclose(solid[name].velocity[-1], lifted(flat[name].velocity[-1]), atol=1e-9)
    rotor = [run.coordinate("motor.rotor") for run in (flat, solid)]
    assert np.ptp(rotor[0]) > 1.0
    assert abs(rotor[1][-1] - rotor[0][-1]) < 1e-8
    # energies, dissipated and input power, each summed up by the kernels; the work over the run by the ledger
    at_end = [
        fm.System(make(**REDUCERS[reducer])).energy(run.t[-1], run.q[-1], run.v[-1])
        for make, run in ((planar, flat), (spatial, solid))
    ]
    np.testing.assert_allclose(at_end[1], at_end[0], atol=1e-8)
    assert np.max(np.abs(solid.energy.balance)) < 1e-5
