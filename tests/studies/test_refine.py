"""Twice the elements: what changes, how well that tells the error of a mesh, and what stays in its place."""

import numpy as np
import pytest

import flexmb as fm
from flexmb.errors import FlexmbError

FLAT = fm.planar.BeamProperties(EA=1e4, EI=1.0, rhoA=1.0, rhoI=0.01)
SOLID = fm.spatial.BeamProperties(EA=1e4, EIy=1.0, EIz=1.0, GJ=1.0, rhoA=1.0, rhoIp=0.01)
THEORIES = ("cms", "exact", "ancf", "floating")


def mast(space, theory, elements):
    """A cantilever under a force, with masses on a node, on what becomes one, and within an element."""
    m = fm.SpatialModel("mast") if space else fm.PlanarModel("mast")
    mesh = {} if theory == "floating" else {"elements": elements}
    end, load = ((1, 0, 0), (0, 0.3, 0)) if space else ((1, 0), (0, 0.3))
    rod = m.add_beam("rod", m.ground, end, properties=SOLID if space else FLAT, theory=theory, **mesh)
    for k, s in enumerate((0.5, 0.25, 0.3)):
        m.add_point_mass(f"weight {k}", rod.at(s), 0.1)
    m.point_force(rod.end, load, name="push")
    return m


def tip(m):
    return fm.equilibrium(m)["rod.end"].position


@pytest.mark.parametrize("space", [False, True])
@pytest.mark.parametrize("theory", THEORIES)
def test_the_finer_mesh_is_that_of_a_model_made_so(theory, space):
    m = mast(space, theory, 2)
    two = fm.refine(m, tip)
    np.testing.assert_allclose(two.coarse, tip(m), rtol=0, atol=1e-12)
    if theory != "floating":
        assert m.components["rod"].elements == 2 and two.meshes == {"rod": ("2 elements", "4 elements")}
        np.testing.assert_allclose(two.fine, tip(mast(space, theory, 4)), rtol=0, atol=1e-9)
    else:
        assert two.meshes["rod"][1].startswith("4")


def test_the_error_of_the_plane_exact_beam_is_estimated():
    """It is of second order, so that the estimate is its error but for terms of higher order."""
    two = fm.refine(mast(False, "exact", 8), tip)
    error = np.max(np.abs(tip(mast(False, "exact", 64)) - two.coarse))
    assert two.changes["answer"].error == pytest.approx(error, rel=0.05)


def test_motions_modes_and_paths_are_compared():
    m = mast(True, "exact", 2)
    run = fm.refine(m, lambda m: fm.simulate(m, 0.1, progress=False), beams="rod", tolerance=1e-7)
    assert run.worst == "rod.end.position" and run.changes["rod.end.position"].coarse.shape == (3,)
    doubts = [text for text in run.coarse.doubts if text.startswith("mesh: rod.end.position is off by about")]
    assert doubts and doubts[0] in str(run) and not run.fine.doubts
    path = fm.refine(m, lambda m: fm.equilibrium_path(m, steps=2, stability=False))
    still = fm.refine(m, fm.equilibrium)
    assert path.changes["rod.end.position"].change == pytest.approx(still.changes["rod.end.position"].change, rel=1e-4)
    modes = fm.refine(m, lambda m: fm.modes(fm.equilibrium(m), 2))
    assert list(modes.changes) == ["frequencies[0]", "frequencies[1]"] and 0.0 < modes.changes[modes.worst].part < 0.02


def test_an_axis_is_divided_where_it_lies():
    """Along an arc, with a section that tapers: the finer mesh is that of a beam made so."""

    def horn(elements):
        m = fm.SpatialModel("horn")
        arc = fm.Arc(center=(0, 1, 0), start=(0, 0, 0), angle=1.5)
        of = {"material": fm.Material(1000, 1e9, 0.3), "section": lambda s: fm.Circle(diameter=0.02 - 0.01 * s)}
        beam = m.add_beam("beam", m.ground, axis=arc, **of, theory="exact", elements=elements)
        m.point_force(beam.end, (0.0, 0.0, 0.1))
        return m

    two = fm.refine(horn(4), lambda m: fm.equilibrium(m)["beam.end"].position)
    np.testing.assert_allclose(two.fine, fm.equilibrium(horn(8))["beam.end"].position, rtol=0, atol=1e-12)
    assert two.meshes == {"beam": ("4 elements", "8 elements")} and 0.0 < two.changes["answer"].part < 1e-2


def test_speeds_of_the_start_are_those_of_new_nodes_too():
    m = fm.SpatialModel("m")
    m.add_beam("rod", (0, 0, 0), (1, 0, 0), properties=SOLID, theory="exact", elements=2)
    m.set_rigid_motion((1.0, 2.0, 3.0), (0.5, 1.0, -2.0), about=(0.0, 0.0, 0.0))
    two = fm.refine(m, lambda m: fm.System(m).momentum(0.0, fm.System(m).q0, fm.System(m).v0))
    assert two.changes["answer"].part < 1e-12


def test_beams_with_fixed_ends_are_compared_in_their_middle():
    model = fm.SpatialModel("bridge")
    steel, section = fm.Material(density=7850, youngs_modulus=210e9), fm.Circle(diameter=0.05)
    bank = model.ground.attach("bank", (1, 0, 0))
    beam = model.add_beam("deck", model.ground, bank, material=steel, section=section, theory="exact", elements=3)
    model.distributed_load(beam, (0, 0, -1e4))
    two = fm.refine(model, fm.equilibrium)
    assert list(two.changes) == ["deck@0.5.position"] and "deck@0.5" in str(two)
    assert two.changes["deck@0.5.position"].change > 0.0


def test_what_the_fine_mesh_finds_to_be_zero_is_off():
    two = fm.refine(mast(True, "exact", 1), lambda m: float(m.components["rod"].elements == 1), tolerance=0.1)
    assert two.changes["answer"].part > 1.0 and len(two.doubts) == 1


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"model": None}, "model must be a model"),
        ({"question": 3}, "question is 3; give a function of .model."),
        ({"question": str}, "the question returned"),
        ({"question": lambda m: fm.System(m).q0}, "let the question return numbers that any mesh has"),
        ({"question": lambda m: None}, "not finite"),
        ({"question": lambda m: np.array([1.0, np.nan])}, "not finite"),
        ({"question": lambda m: {f"of {m.components['rod'].elements}": 1.0}}, "on one mesh alone"),
        ({"beams": "rood"}, "did you mean 'rod'"),
        ({"beams": []}, "beams is empty"),
        ({"tolerance": -1.0}, "tolerance"),
        ({"model": fm.PlanarModel("bare")}, "has no beam, so it has no mesh"),
    ],
)
def test_wrong_input(given, message):
    arguments = {"model": mast(True, "exact", 1), "question": tip, **given}
    with pytest.raises(FlexmbError, match=message):
        fm.refine(arguments.pop("model"), arguments.pop("question"), **arguments)
