"""Beams without shear are doubted where shear would matter, by Timoshenko's beam."""

import re
import warnings

import numpy as np
import pytest

import flexmb as fm
from flexmb.errors import AccuracyWarning
from flexmb.system.shear import shear_shares

STEEL = fm.Material(density=7850.0, youngs_modulus=2.1e11)
LENGTH = 1.0


def cantilever(space, height, theory="cms", **options):
    model = fm.SpatialModel("m") if space else fm.PlanarModel("m")
    end = (LENGTH, 0, 0) if space else (LENGTH, 0)
    given = {"material": STEEL, "section": fm.Rectangle(height, height), "theory": theory, **options}
    if theory == "cms":
        given = {"shear": False, **given}
    return model, model.add_beam("rod", model.ground, end, **given)


def supported(space, height, **options):
    """A beam on two bearings that bends in half waves."""
    model = fm.SpatialModel("m") if space else fm.PlanarModel("m")
    start, end = np.zeros(3)[: 2 + space], np.eye(3)[0, : 2 + space] * LENGTH
    given = {"material": STEEL, "section": fm.Rectangle(height, height), "shear": False, **options}
    beam = model.add_beam("rod", start, end, **given)
    seat = model.ground.attach("seat", end)
    if space:
        model.universal(model.ground, beam.start, axis="y", axis_b="z")
        model.point_on_line(seat, beam.end, axis="x")
    else:
        model.revolute(model.ground, beam.start)
        model.pin_in_slot(seat, beam.end)
    return model


def ratio(height):
    """EI/GA of a square, G = E/2.6 and shear coefficient 5/6."""
    return height**2 / 12.0 * 2.6 / (5.0 / 6.0)


@pytest.mark.parametrize("space", [False, True])
def test_a_force_at_the_end_of_a_cantilever(space):
    """δ_shear/δ_bending = 3 EI/(GA L²)."""
    model, rod = cantilever(space, 0.1)
    model.point_force(rod.end, (0, 0, -1e3) if space else (0, -1e3))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = fm.equilibrium(model)
    share = shear_shares(found.state.system, found.state.q[None, :])["rod"]
    assert share == pytest.approx(3.0 * ratio(0.1) / LENGTH**2, rel=2e-2)


@pytest.mark.parametrize("space", [False, True])
def test_modes_of_a_thick_beam_say_by_how_much_they_are_too_high(space):
    """√(1 + (EI/GA + ρI/ρA) k²) with k = nπ/L; in space the rotary inertia is not left out."""
    with pytest.warns(AccuracyWarning, match="beam 'rod' bends without shear") as caught:
        fm.modes(supported(space, 0.2, elements=4), 6)
    text = str(caught[0].message)
    said = [float(x) for x in re.findall(r"([0-9.]+) % of mode", text)]
    for n in (1, 2):
        left_out = ratio(0.2) + (0.0 if space else 0.2**2 / 12.0)
        high = 100.0 * (np.sqrt(1.0 + left_out * (n * np.pi / LENGTH) ** 2) - 1.0)
        assert min(abs(x - high) for x in said) < 0.05 * high
    assert "take theory='cms' or 'exact' with shear" in text and ("rotary inertia" in text) is not space


@pytest.mark.parametrize("space", [False, True])
@pytest.mark.warns(fm.errors.BalanceWarning, "the state is not an equilibrium")
def test_runs_and_equilibria(space):
    def run(height, **options):
        model, rod = cantilever(space, height, **options)
        model.point_force(rod.end, (0, 0, -1e3) if space else (0, -1e3))
        return model, fm.simulate(model, 2e-3, progress=False)

    with pytest.warns(AccuracyWarning, match="without shear"):
        model, thick = run(0.25)
    assert any("beam 'rod' bends without shear" in doubt for doubt in thick.doubts) and not thick.trustworthy
    with pytest.warns(AccuracyWarning, match="without shear"):
        fm.equilibrium(model)
    with pytest.warns(AccuracyWarning, match="its second bending frequency is too high"):
        fm.linearize(model, "rod.end.fy", "rod.end.y")
    with warnings.catch_warnings():
        warnings.simplefilter("error", AccuracyWarning)
        model, slender = run(0.05)
        assert slender.trustworthy
        fm.modes(model, 4)
        fm.linearize(model, "rod.end.fy", "rod.end.y")


def test_what_has_shear_or_shall_have_none_is_not_doubted():
    with warnings.catch_warnings():
        warnings.simplefilter("error", AccuracyWarning)
        fm.modes(cantilever(False, 0.25, "exact", elements=8)[0], 3)
        for space in (False, True):
            fm.modes(cantilever(space, 0.25, shear=True)[0], 3)
        rigid = fm.spatial.BeamProperties(EA=1e9, EIy=5e6, EIz=5e6, GJ=4e6, rhoA=400.0, rhoIy=2.0, rhoIz=2.0)
        model = fm.SpatialModel("m")
        model.add_beam("rod", model.ground, (LENGTH, 0, 0), properties=rigid)
        fm.modes(model, 3)


@pytest.mark.warns(fm.errors.BalanceWarning, "the state is not an equilibrium")
def test_short_pieces_of_a_slender_beam_are_not_doubted():
    """What counts is how a piece bends with the others, not its own length."""
    model, last = fm.PlanarModel("m"), None
    for k in range(10):
        start = model.ground if last is None else last.end
        piece = {"material": STEEL, "section": fm.Rectangle(0.05, 0.05), "shear": False}
        last = model.add_beam(f"piece{k}", start, (0.1 * (k + 1), 0.0), **piece)
    model.point_force(last.end, (0.0, -100.0))
    with warnings.catch_warnings():
        warnings.simplefilter("error", AccuracyWarning)
        fm.equilibrium(model)
        fm.modes(model, 2)


def test_shear_that_does_not_couple_with_torsion_is_a_doubt():
    """A strip that has buckled sideways: what the doubt says is the error, against the exact beam; none without shear,
    with small deflections, or with sections that bend alike."""

    def bent(force, EIy=0.0625, **of):
        model = fm.SpatialModel("strip")
        given = fm.spatial.BeamProperties(EA=1e7, EIy=EIy, EIz=1.0, GJ=0.15, rhoA=1.0, rhoIp=1e-2, GAy=1e3, GAz=1e3)
        beam = model.add_beam("strip", model.ground, (1, 0, 0), properties=given, **of)
        model.point_force(beam.end, force)
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            path = fm.equilibrium_path(model, factor=1.0)
        texts = [str(warning.message) for warning in caught]
        return path.solution["strip.end"].position[-1], [text for text in texts if "couple with shear" in text]

    force, cms = np.array([0.0, 1.0, 0.0625]), {"elements": 4, "torsion_modes": 1}
    place, doubts = bent(force, **cms)
    exact = bent(force, theory="exact", elements=16)[0]
    error = np.linalg.norm(place - exact) / np.linalg.norm(exact - (1, 0, 0))
    said = 0.01 * float(doubts[0].partition("off by about ")[2].split(" %")[0])
    assert 0.5 * error < said < 2.0 * error and error > 0.01
    assert not bent(force, **cms, shear=False)[1]
    assert not bent(0.1 * force, **cms)[1]
    assert not bent(force, EIy=1.0, **cms)[1]
