"""Strains and forces of sections, of all beam theories, against closed forms; and the check of section kernels."""

from dataclasses import replace

import numpy as np
import pytest

import flexmb as fm
from flexmb import testing
from flexmb.errors import NamingError
from flexmb.model.functions.smooth_functions import Polynomial
from flexmb.results.state import as_solution
from tests.elements.planar.beam_references import linear_response, rest, system_of

THICK = fm.planar.BeamProperties(EA=1e6, EI=10.0, rhoA=0.6, rhoI=1e-4, GA=4e5)
#: small enough that bending is linear
SMALL = 1e-6
PLACES = np.linspace(0.0, 1.0, 21)
THEORIES = [("exact", {"elements": 3}), ("ancf", {"elements": 5}), ("cms", {"modes": 2}), ("cms", {"elements": 3})]


def cantilever(theory, properties=THICK, direction=0.0, **options):
    m = fm.PlanarModel("cantilever")
    tip = (np.cos(direction), np.sin(direction))
    return m, m.add_beam("rod", m.ground, tip, properties=properties, theory=theory, **options)


def still(system, q, lam=None, v=None):
    """One instant as a solution."""
    zero = np.zeros((1, system.n))
    lam = np.zeros((1, system.m)) if lam is None else lam[None]
    return as_solution(system, np.array([0.0]), q[None], zero if v is None else v[None], zero, lam)


def bent(model):
    """The linear response of a model to its loads, as a solution."""
    system = system_of(model)
    u, lam = linear_response(system)
    return still(system, system.q0 + u, lam)


def moment(solution):
    return solution.along("rod", "bending_moment", len(PLACES))[0]


@pytest.mark.parametrize(("theory", "options"), THEORIES)
@pytest.mark.parametrize("direction", [0.0, 2.3])
def test_a_force_at_the_tip(theory, options, direction):
    """M = F (L − s), κ = M/EI; Q = F where the theory has it; N = P."""
    m, rod = cantilever(theory, direction=direction, **options)
    c, s = np.cos(direction), np.sin(direction)
    P = 3.0 * SMALL
    m.point_force(rod.end, (P * c - SMALL * s, P * s + SMALL * c))
    solution = bent(m)
    assert moment(solution) == pytest.approx(SMALL * (1.0 - PLACES), rel=1e-4, abs=1e-4 * SMALL)
    curvature = solution.along("rod", "curvature", len(PLACES))[0]
    assert curvature * THICK.EI == pytest.approx(moment(solution), rel=1e-12)
    for x in (0.1, 0.5, 0.8):
        assert solution[f"rod@{x}.axial_force"] == pytest.approx([P], rel=1e-3)
        assert solution[f"rod@{x}.strain"] * THICK.EA == pytest.approx(solution[f"rod@{x}.axial_force"], rel=1e-12)
    if theory in ("exact", "cms"):
        assert solution["rod@0.3.shear_force"] == pytest.approx([SMALL], rel=1e-4)
    else:
        with pytest.raises(
            NamingError,
            match=r"theory of beam 'rod' has no law for its shear force; use theory='cms' or 'exact' and give .* GA",
        ):
            solution["rod@0.3.shear_force"]


@pytest.mark.parametrize(("theory", "options"), THEORIES)
def test_a_moment_at_the_tip(theory, options):
    """M is constant."""
    m, rod = cantilever(theory, **options)
    m.point_torque(rod.end, SMALL)
    assert moment(bent(m)) == pytest.approx(np.full(len(PLACES), SMALL), rel=1e-7)


@pytest.mark.parametrize(
    ("theory", "options", "off"),
    [("exact", {"elements": 4}, 1e-10), ("cms", {"elements": 4}, 1e-10), ("ancf", {"elements": 8}, 2e-3)],
)
def test_a_moment_that_bends_far(theory, options, off):
    """A quarter circle: κ = M/EI, and no axial force."""
    m, rod = cantilever(theory, **options)
    m.point_torque(rod.end, Polynomial([0.0, THICK.EI * np.pi / 2]))
    system = system_of(m)
    solution = still(system, *rest(system, 6))
    assert moment(solution) == pytest.approx(np.full(len(PLACES), THICK.EI * np.pi / 2), rel=4 * off)
    # ANCF: the strain of a cubic that bends by φ
    swing = (np.pi / 16) ** 4 / 400 if theory == "ancf" else 1e-12
    assert np.max(np.abs(solution.along("rod", "strain"))) < swing


def test_an_even_load_and_the_order_of_the_error():
    """M = q (L − s)²/2: exact at the nodes of an exact beam and off by q L²/8 between, by q L²/12 at the ends of ANCF
    elements (L of an element); falling with the second power of the number of modes at the clamped end of a CMS one."""

    def error(theory, **options):
        m, rod = cantilever(theory, **options)
        m.distributed_load(rod, (0.0, SMALL))
        return np.abs(moment(bent(m)) / SMALL - 0.5 * (1.0 - PLACES) ** 2)

    of_exact = error("exact", elements=5)  # a node at every fourth place
    assert np.max(of_exact[::4]) < 1e-9
    assert of_exact[2] == pytest.approx(0.2**2 / 8, rel=1e-6)
    assert error("ancf", elements=5)[::4] == pytest.approx(0.2**2 / 12, rel=1e-4)
    errors = [error("cms", modes=k, axial="mean")[0] for k in (4, 8, 16)]
    ratios = np.divide(errors[:-1], errors[1:])
    assert np.all((3.3 < ratios) & (ratios < 4.2)) and errors[-1] < 3e-4
    assert np.max(error("cms", modes=16, axial="mean")[1:-1]) < 0.3 * errors[-1]


def turning(theory, omega, **options):
    """A free bar that turns steadily about its start, which is held, and is stretched by the turning."""
    m = fm.PlanarModel("bar")
    m.add_beam("rod", (0, 0), (1, 0), properties=THICK, theory=theory, **options)
    system = system_of(m)
    q, n = system.q0, system.n
    tags = np.array([name.rpartition(".")[2] for name in system.names])
    x = np.isin(tags, ("x", "dx"))
    v, a, u, zero = np.zeros((4, n))
    v[np.isin(tags, ("y", "dy"))] = omega * q[x]
    v[tags == "angle"] = omega
    a[x] = -(omega**2) * q[x]
    stretched = np.flatnonzero(x | np.char.startswith(tags, "axial"))[1:]
    K = system.tangent(0.0, q, zero, zero, np.zeros(0), (0.0, 0.0, 1.0))
    u[stretched] = np.linalg.solve(K[np.ix_(stretched, stretched)], -system.residual(0.0, q, v, a)[stretched])
    return still(system, q + u, v=v)


@pytest.mark.parametrize(
    ("theory", "options"), [("ancf", {"elements": 3}), ("exact", {"elements": 5}), ("cms", {"axial_modes": 40})]
)
def test_a_bar_that_turns(theory, options):
    """N = ρA Ω² (L² − s²)/2. The cubic of ANCF holds that; an exact element has its middle value − ρA Ω² Lₑ²/24."""
    omega, rhoA = 1.3, THICK.rhoA
    solution = turning(theory, omega, **options)
    N = solution.along("rod", "axial_force", 11)[0]
    s = solution.places("rod", 11)
    wanted = 0.5 * rhoA * omega**2 * (1.0 - s**2)
    if theory == "ancf":
        assert N == pytest.approx(wanted, rel=1e-5, abs=1e-8)
    elif theory == "exact":
        assert N[1::2] == pytest.approx(wanted[1::2] - rhoA * omega**2 * 0.2**2 / 24, rel=1e-6)
    else:  # a cosine series, whose error at the ends is 2/(π² modes) of the whole fall of N
        assert N[1:-1] == pytest.approx(wanted[1:-1], rel=2e-3)
        assert np.max(np.abs(N - wanted)) == pytest.approx(0.5 * rhoA * omega**2 * 4 / np.pi**2 / 40.5, rel=0.01)
    assert np.max(np.abs(solution.along("rod", "bending_moment"))) < 1e-9


def test_without_axial_modes_the_axial_force_is_the_mean():
    solution = turning("cms", 1.3)
    assert solution["rod@0.2.axial_force"] == pytest.approx([THICK.rhoA * 1.3**2 / 3.0], rel=1e-6)


@pytest.mark.parametrize("theory", ["exact", "ancf", "cms", "floating"])
def test_damping_of_the_material_belongs_to_the_forces(theory):
    """At rest and straight, N = EA β ε̇ and M = EI β κ̇; strain and curvature stay zero."""
    beta, rate, bend = 0.02, 0.3, 0.7
    m = fm.PlanarModel("m")
    damping = fm.StiffnessProportional(beta)
    m.add_beam("rod", (0, 0), (1, 0), properties=THICK, theory=theory, elements=1, damping=damping)
    system = fm.System(m)
    # the speeds of  ẋ = rate s,  ẏ = bend s²/2 − bend s/2
    s = {"start": 0.0, "end": 1.0, "node0": 0.0, "node1": 1.0}
    v = np.zeros(system.n)
    for k, name in enumerate(system.names):
        _, place, *tag = name.split(".")
        if place in s:
            slope = bend * (s[place] - 0.5)
            v[k] = {"x": rate * s[place], "dx": rate, "angle": slope, "dy": slope, "y": 0.0}[tag[0]]
    if theory == "floating":
        v[system.names.index("rod.bending1")] = 1.0
    solution = still(system, system.q0, v=v)
    assert solution["rod@0.4.curvature"] == pytest.approx([0.0], abs=1e-14)
    if theory == "floating":
        with pytest.raises(NamingError, match=r"no law for its axial force"):
            solution["rod@0.4.axial_force"]
        with pytest.raises(NamingError, match=r"no law for its axial force"):
            solution["rod@0.4.stress"]
        speeds = still(system, system.q0 + v)["rod@0.4.curvature"]
        assert abs(speeds[0]) > 0.1
        assert solution["rod@0.4.bending_moment"] == pytest.approx(THICK.EI * beta * speeds, rel=1e-12)
        return
    assert solution["rod@0.4.strain"] == pytest.approx([0.0], abs=1e-14)
    assert solution["rod@0.4.axial_force"] == pytest.approx([THICK.EA * beta * rate], rel=1e-12)
    assert solution["rod@0.4.bending_moment"] == pytest.approx([THICK.EI * beta * bend], rel=1e-12)


def test_modal_damping_does_not_belong_to_the_forces():
    m = fm.PlanarModel("m")
    m.add_beam("rod", (0, 0), (1, 0), properties=THICK, damping=fm.ModalDamping(0.1))
    system = fm.System(m)
    v = np.zeros(system.n)
    v[system.names.index("rod.end.x")] = 1.0
    assert still(system, system.q0, v=v)["rod@0.4.axial_force"] == pytest.approx([0.0], abs=1e-9)


# -- the check of section kernels ------------------------------------------------------------------------------------


def recorder(theory, column=None, by=1.0, place=0):
    m = fm.PlanarModel("m")
    options = {} if theory == "floating" else {"elements": 2}
    rod = m.add_beam(
        "rod",
        (0.1, 0.2),
        (0.7, 0.9),
        properties=THICK,
        theory=theory,
        damping=fm.StiffnessProportional(1e-3),
        **options,
    )
    found = testing.Recorder.of(rod)
    for instance in found.instances:
        honest = instance.kernels.section
        if honest is None or column is None:
            continue

        def liar(*given, honest=honest):
            honest(*given)
            out, q = given[9], given[4]
            if by is None:
                out[:, column] += q[given[1][:, place]]
            elif by == "rate":
                out[:, column] += 1e-3 * (given[5][given[1][:, 5]] - given[5][given[1][:, 2]])
            else:
                out[:, column] *= by

        instance.kernels = replace(instance.kernels, section=liar)
    return found


#: the columns that a theory has a law for
LAWS = {"exact": range(5), "ancf": (0, 1, 2, 4), "cms": range(5), "floating": (1, 4)}


@pytest.mark.parametrize(("theory", "column"), [(theory, column) for theory in LAWS for column in LAWS[theory]])
def test_a_wrong_section_is_found(theory, column):
    testing.check_section(recorder(theory))
    with pytest.raises(AssertionError, match=r"rod.*section: (the stiffness of its sections|the curvature, summed)"):
        testing.check_section(recorder(theory, column, 1.0 + (1e-3 if column == 3 else 1e-5)))


@pytest.mark.parametrize(
    ("by", "message"), [(None, "after turning the whole"), ("rate", "the damping of its sections")]
)
def test_a_section_that_depends_on_the_place_or_a_wrong_rate_is_found(by, message):
    with pytest.raises(AssertionError, match=message):
        testing.check_section(recorder("exact", 4 if by == "rate" else 0, by))


def test_a_moment_that_is_not_a_number_is_found():
    with pytest.raises(AssertionError, match="only forces without a law may be NaN"):
        testing.check_section(recorder("exact", 4, np.nan))
