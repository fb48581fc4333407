"""Distributed load on a beam of component modes, against beam theory."""

import math

import numpy as np
import pytest

import flexmb as fm
from flexmb.elements.beam_modes import clamped_clamped_values
from flexmb.model.functions.smooth_functions import Polynomial
from flexmb.testing import conformance
from tests.elements.planar.beam_references import at, linear_response, system_of

GIVEN = fm.planar.BeamProperties(EA=300.0, EI=2.0, rhoA=1.3)
L, EI = 1.7, 2.0


def cantilever(direction=0.0, **options):
    m = fm.PlanarModel("cantilever")
    tip = L * np.array([math.cos(direction), math.sin(direction)])
    return m, m.add_beam("rod", m.ground, tip, properties=GIVEN, theory="cms", **options)


@pytest.mark.parametrize("axial", ["chord", "mean", "second_order"])
@pytest.mark.parametrize("follower", [False, True])
def test_conformance(axial, follower):
    m = fm.PlanarModel("m")
    beam = m.add_beam("rod", (0.2, 0.1), (1, 2), properties=GIVEN, elements=2, axial_modes=2, axial=axial)
    conformance(
        m.distributed_load(
            beam, [[1.0, 2.0], [-3.0, 5.0]], factor=Polynomial([0.2, 1.0]), axes="section" if follower else "ground"
        )
    )


@pytest.mark.parametrize("elements", [1, 3])
def test_ends_deflect_exactly(elements):
    """q₀ to q₁ linear: w(L) = q₀ L⁴/8EI + (q₁ − q₀) 11 L⁴/120EI, slope q₀ L³/6EI + (q₁ − q₀) L³/8EI.

    The load is so small that its own stiffness, which turns with the chord, is lost in round-off."""
    m, beam = cantilever(elements=elements)
    m.distributed_load(beam, [[0.0, 0.3], [0.0, 0.8]], factor=1e-4)
    s = system_of(m)
    u = 1e4 * linear_response(s)[0]
    assert u[at(s, "rod.end.y")] == pytest.approx((0.3 / 8 + 0.5 * 11 / 120) * L**4 / EI, rel=1e-11)
    assert u[at(s, "rod.end.angle")] == pytest.approx((0.3 / 6 + 0.5 / 8) * L**3 / EI, rel=1e-11)


def test_modes_carry_the_deflection_between_the_ends():
    """Uniform q: the middle of a cantilever sinks by 17/384 q L⁴/EI. Cubics alone give 16/384; odd modes
    add terms of alternating sign, 4√2/λ⁵ large, so that six modes err by less than that of the seventh."""
    m, beam = cantilever(modes=6)
    m.distributed_load(beam, (0.0, 0.4))
    s = system_of(m)
    u, _ = linear_response(s)
    instance = next(i for i in s.assembly.instances if i.owner is beam)
    # the deflection at the middle is linear in the coordinates: b of the beam's shapes at s = 1/2
    b = beam.point_data(0.5)[2:10]
    local = [u[at(s, "rod.end.y")], u[at(s, "rod.end.angle")], *u[instance.coordinates[6:]]]
    w, turn, modal = local[0], local[1], np.array(local[2:])
    middle = 0.5 * w - b[0] * w / L + b[1] * (turn - w / L) + b[2:] @ modal
    bound = 4 * math.sqrt(2) / clamped_clamped_values(7)[-1] ** 5
    assert abs(middle * EI / (0.4 * L**4) - 17 / 384) < bound


@pytest.mark.parametrize("elements", [1, 2])
def test_follower_load_has_the_axes_of_the_beam(elements):
    """Of a straight beam at any angle: density (along, across) turned by it; its moment about the start is
    that of the part across, L² (q₀ + 2 q₁)/6."""
    m = fm.PlanarModel("m")
    x, y = L * math.cos(2.2), L * math.sin(2.2)
    beam = m.add_beam("rod", (0, 0), (x, y), properties=GIVEN, elements=elements)
    m.distributed_load(beam, [[2.0, -3.0], [2.0, 5.0]], axes="section")
    s = system_of(m)
    zero = np.zeros(s.n)
    force = -s.residual(0.0, s.q0, zero, zero)
    px = [k for k, name in enumerate(s.names) if name.endswith(".x")]
    pa = [k + 2 for k in px]
    py = [k + 1 for k in px]
    c, si = math.cos(2.2), math.sin(2.2)
    total = L * np.array([2.0 * c - 1.0 * si, 2.0 * si + 1.0 * c])
    np.testing.assert_allclose([force[px].sum(), force[py].sum()], total, rtol=1e-12)
    moment = s.q0[px] @ force[py] - s.q0[py] @ force[px] + force[pa].sum()
    assert moment == pytest.approx(L**2 * 7.0 / 6.0, rel=1e-12)
