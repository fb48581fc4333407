"""Whether a stiffness has a potential does not depend on the unit of length."""

import numpy as np
import pytest

import flexmb as fm
from flexmb.system.potential import asymmetry, has_potential

YOUNG, SLENDER, FORCE = 1e11, 0.02, 1e-7


def cantilever(length: float) -> tuple[fm.System, np.ndarray]:
    """A beam of one element without modes, under a force that follows its end, and its stiffness while straight."""
    depth = SLENDER * length
    EI = YOUNG * depth**4 / 12
    model = fm.PlanarModel("cantilever")
    given = fm.planar.BeamProperties(EA=YOUNG * depth**2, EI=EI, rhoA=2000 * depth**2)
    beam = model.add_beam("beam", model.ground, (length, 0), properties=given, elements=1, modes=0)
    model.point_force(beam.end, (-FORCE * EI / length**2, 0), axes="body", name="thrust")
    system = fm.System(model)
    rest = np.zeros(system.n)
    return system, system.tangent(0.0, system.q0, rest, rest, np.zeros(0), (0.0, 0.0, 1.0))


@pytest.mark.parametrize("length", [1e-6, 1e-3, 1.0, 1e3])
def test_asymmetry_of_a_follower_force_is_the_same_at_any_size(length):
    system, K = cantilever(length)
    # it adds F to K of the lateral force by the angle, beside 12 EI/L³ of the force and 6 EI/L² of the moment by y
    assert np.max(asymmetry(system, K).data) == pytest.approx(FORCE / np.sqrt(12 * 6), rel=1e-6)
    assert not has_potential(system, K, np.zeros((0, system.n)), "cantilever")
