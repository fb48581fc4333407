"""Curved, twisted and tapered beams in space."""

from __future__ import annotations

from flexmb import testing
from flexmb.testing.recorder import Recorder
from tests.models.curved_beams import bent_pipe


def test_a_curved_beam_of_coupled_sections_that_vary_conforms():
    """All checks but that of strains of sections, which are compatible to the order of the element."""
    rod = bent_pipe()
    rod.at(0.3).attach("clip", (0.1, 0.05, -0.2))
    heavy, light, seeds = Recorder.of(rod, (0.3, -9.81, 0.7)), Recorder.of(rod), (0, 1)
    for check in (testing.check_tangent, testing.check_mass, testing.check_jacobian, testing.check_rates,
                  testing.check_point, testing.check_point_jacobian, testing.check_power):  # fmt: skip
        check(heavy, seeds)
    testing.check_rigid_motion(light, seeds)
    testing.check_momentum(light, seeds)
