"""Deformations of meshed bodies shown larger, about what holds them; how far their points are displaced."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import flexmb as fm
from flexmb import bodies
from flexmb.errors import ModelError, NamingError
from flexmb.results.pictures.deforming import DeformingMesh, deforming
from flexmb.results.pictures.displacement import Displaced
from flexmb.results.pictures.magnified import gaping, magnified

PLASTIC = fm.Material(density=1100.0, youngs_modulus=2e9, poissons_ratio=0.3)
BAR = fm.Rectangle(height=0.02, width=0.015)
TIMES = [0.0, 0.02, 0.05]
DIMENSIONS = pytest.mark.parametrize("d", [2, 3])


def reduced(d: int) -> Any:
    """An L of two bars in the plane x–z, or x–y of a model in the plane, with interfaces at its three corners."""
    up = (0.0, 0.4) if d == 2 else (0.0, 0.0, 0.4)
    far = (0.3, 0.4) if d == 2 else (0.3, 0.0, 0.4)
    corners = {"foot": up[:1] * d, "knee": up, "hand": far}
    members = [bodies.Member(pair, PLASTIC, BAR) for pair in (("foot", "knee"), ("knee", "hand"))]
    return bodies.from_frame(corners, members, interfaces={name: name for name in corners}, modes=3)


def model_of(d: int) -> Any:
    return fm.PlanarModel("L", gravity=(0, -9.81)) if d == 2 else fm.SpatialModel("L", gravity=(0, 0, -9.81))


def hung(d: int) -> Any:
    """The L on a hinge at its foot, held by a spring, with a weight at its hand."""
    m = model_of(d)
    body = m.add_modal_body("arm", reduced(d))
    axis: dict[str, Any] = {} if d == 2 else {"axis": "y"}
    m.revolute(m.ground, body.at("foot"), name="hinge", **axis)
    m.torsion_spring(m.ground, body.at("foot"), stiffness=4000.0, name="spring", **axis)
    place = body.at("hand").position
    weight = m.add_body("weight", mass=0.5, inertia=0.001 if d == 2 else (0.001,) * 3, position=place)
    m.weld(body.at("hand"), weight, name="bolts")
    return m


def held(d: int) -> Any:
    return fm.simulate(hung(d), 0.06, step=0.002, progress=False).at(TIMES)


def mesh_of(solution: Any, **asked: Any) -> DeformingMesh:
    (mesh,) = deforming(solution, **asked)
    return mesh


def posed(solution: Any, frame: str, k: int) -> tuple[np.ndarray, np.ndarray]:
    """Place and axes of a frame."""
    track = solution[frame]
    if solution.layout.dimension == 3:
        return track.position[k], track.orientation[k].as_matrix()
    c, s = np.cos(track.angle[k]), np.sin(track.angle[k])
    return track.position[k], np.array([[c, -s], [s, c]])


def standing_on(run: Any, interface: str, k: int) -> np.ndarray:
    """Where the points of the undeformed arm are if its interface is where it is."""
    mesh = mesh_of(run).shown
    origin, axes = mesh.interfaces[interface]
    place, own = posed(run, f"arm.{interface}", k)
    return place + (mesh.nodes - origin) @ axes @ own.T


@DIMENSIONS
def test_a_body_bends_away_from_what_holds_it(d: int) -> None:
    run, factor = held(d), 20.0
    shown = magnified(run, factor)
    for k in range(len(TIMES)):
        rigid = standing_on(run, "foot", k)
        true, larger = mesh_of(run).points(k), mesh_of(shown).points(k)
        assert np.allclose(larger - rigid, factor * (true - rigid), rtol=0.0, atol=1e-9)
    assert np.max(np.abs(true - rigid)) > 1e-4 and gaping(shown) == ()
    # what is fastened to it goes along
    moved = shown["weight"].position - run["weight"].position
    assert np.allclose(shown["arm.hand"].position, shown["weight"].position, atol=1e-9)
    assert np.max(np.abs(moved)) > 1e-3 and np.array_equal(shown["weight"].velocity, run["weight"].velocity)
    assert np.array_equal(shown.reaction("hinge")[0], run.reaction("hinge")[0])


@DIMENSIONS
def test_a_file_shows_the_same(d: int, tmp_path: Path) -> None:
    run = fm.simulate(hung(d), 0.06, step=0.002, progress=False)
    again = fm.load(run.save(tmp_path / "arm.h5"))
    one, other = (mesh_of(magnified(seen.at(TIMES), 20.0)) for seen in (run, again))
    assert np.allclose(one.points(2), other.points(2), rtol=0.0, atol=1e-9)
    for body in again.layout.bodies.values():
        if body.mesh is not None:
            body.mesh.interfaces.clear()  # as in a file that is older than interfaces of meshes
    with pytest.raises(ModelError, match=r"older than pictures that magnify .* interface 'foot' of body 'arm'"):
        magnified(again.at(TIMES), 20.0)


@DIMENSIONS
def test_where_two_interfaces_are_held_the_picture_gapes(d: int, tmp_path: Path) -> None:
    m = hung(d)
    arm, axis = m.components["arm"], {} if d == 2 else {"axis": "y"}
    m.revolute(m.ground.attach("wall", arm.at("knee").position), arm.at("knee"), name="second", **axis)
    run = fm.simulate(m, 0.06, step=0.002, progress=False)
    shown = magnified(run.at(TIMES), 50.0)
    assert gaping(shown) == ("arm.knee",)
    rigid = standing_on(run.at(TIMES), "foot", 2)
    assert np.allclose(mesh_of(shown).points(2) - rigid, 50.0 * (mesh_of(run.at(TIMES)).points(2) - rigid), atol=1e-9)
    assert run.view(magnify=50).title(0.06) == "L, t = 0.0600 s, deformation × 50, gaping at arm.knee"
    figure = run.draw(TIMES, magnify=50, path=tmp_path / "arm.png")
    assert figure.axes[0].get_title(loc="left") == "L, deformation × 50, gaping at arm.knee"


def free(d: int, mass: float) -> Any:
    """The L in free flight with a body of a mass welded to its hand, bending at the start."""
    m = model_of(d)
    body = m.add_modal_body("arm", reduced(d), amplitudes=[3e-3] + [0.0] * (reduced(d).modes - 1))
    place = body.at("hand").position
    hub = m.add_body("hub", mass=mass, inertia=mass if d == 2 else (mass,) * 3, position=place)
    m.weld(body.at("hand"), hub, name="bolts")
    return fm.simulate(m, 0.001, step=5e-5, progress=False).at([0.0, 5e-4])


@DIMENSIONS
def test_what_nothing_holds_stays_with_its_heaviest_body(d: int) -> None:
    run = free(d, 100.0)
    shown = magnified(run, 30.0)
    assert np.allclose(shown["hub"].position, run["hub"].position, atol=1e-12)
    rigid = standing_on(run, "hand", 1)
    assert np.allclose(mesh_of(shown).points(1) - rigid, 30.0 * (mesh_of(run).points(1) - rigid), atol=1e-9)


@DIMENSIONS
def test_a_free_body_is_shown_about_its_mean_frame(d: int) -> None:
    run, factor = free(d, 1e-3), 30.0
    true, larger, mesh = mesh_of(run).points(1), mesh_of(magnified(run, factor)).points(1), mesh_of(run).shown
    # the rigid body that fits the surface best, by its areas
    weights = np.zeros(len(mesh.nodes))
    for face in mesh.faces:
        a, b, c = (np.pad(mesh.nodes[i], (0, 3 - d)) for i in face)
        weights[face] += np.linalg.norm(np.cross(b - a, c - a))
    weights /= weights.sum()
    wide = [np.pad(x - weights @ x, ((0, 0), (0, 3 - d))) for x in (true, mesh.nodes)]
    turn, _ = Rotation.align_vectors(wide[0], wide[1], weights=weights)
    rigid = weights @ true + (turn.apply(wide[1]))[:, :d]
    assert np.max(np.abs(true - rigid)) > 1e-4
    assert np.allclose(larger - rigid, factor * (true - rigid), rtol=0.0, atol=1e-8)


@DIMENSIONS
@pytest.mark.parametrize("against", ["ground", "start", "weight", "arm", "arm.hand"])
def test_displacements_are_taken_against_what_is_asked(d: int, against: str) -> None:
    run, k = held(d), 2
    own = mesh_of(run, displaced=Displaced(against, run.at(run.t[:1])))
    true, mesh = own.points(k), own.shown
    match against:
        case "ground":
            rigid = standing_on(run, "foot", k)
        case "weight" | "arm.hand":
            rigid = standing_on(run, "hand", k)
        case "start":
            rigid = mesh_of(run).points(0)
        case _:
            place, axes = posed(run, "arm", k)
            rigid = place + mesh.nodes @ axes.T
            assert np.allclose(own.displacement(k), own.deformation(k), rtol=0.0, atol=1e-12)
    assert np.allclose(own.displacement(k), np.linalg.norm(true - rigid, axis=1), rtol=0.0, atol=1e-10)
    assert np.max(own.displacement(k)) > 1e-4


def test_beams_are_displaced_too() -> None:
    m = fm.PlanarModel("rod", gravity=(0, -9.81))
    rod = m.add_beam("rod", (0, 0), (1, 0), material=PLASTIC, section=BAR, modes=2)
    m.weld(m.ground, rod.start)
    run = fm.simulate(m, 0.05, step=0.002, progress=False)
    view = run.view(color="displacement", magnify=10)
    tip = float(np.linalg.norm(run["rod.end"].position[-1] - [1.0, 0.0]))
    (piece,) = (piece for piece in view.stage([0.05]) if piece.name == "rod" and piece.role == "beam")
    assert view.coloring.title == "displacement against the ground [m]" and tip > 1e-4
    assert piece.quantity[0, -1] == pytest.approx(tip, rel=1e-9) and piece.quantity[0, 0] < 1e-12


def test_views_say_what_their_colors_are_taken_against() -> None:
    run = fm.simulate(hung(3), 0.06, step=0.002, progress=False)
    titles = {against: run.view(color="displacement", against=against).coloring.title for against in (None, "weight")}
    assert titles == {None: "displacement against the ground [m]", "weight": "displacement against weight [m]"}
    assert run.view(color="arm.displacement", against="start").coloring.title.startswith("displacement since the start")
    assert run.view(color="deformation").coloring.title == "deformation in the frame of the modes [mm]"
    with pytest.raises(ModelError, match=r"against is what displacements are taken against; give color='displacement'"):
        run.view(color="deformation", against="start")
    with pytest.raises(NamingError, match=r"no frame to take displacements against 'wieght'.*weight"):
        run.view(color="displacement", against="wieght")
    with pytest.raises(NamingError, match=r"energy"):
        run.view(color="energy.kinetic")
    with pytest.raises(ModelError, match="magnify is 0; it must be positive"):
        run.view(magnify=0.0)
    with pytest.raises(ModelError, match=r"nothing that holds joins 'arm' to the ground"):
        fm.simulate(free_model(), 0.01, step=0.005, progress=False).view(color="displacement")


def free_model() -> Any:
    m = model_of(3)
    m.add_modal_body("arm", reduced(3))
    return m


@DIMENSIONS
def test_modes_show_how_the_mesh_swings(d: int) -> None:
    """The largest displacement of a node is a tenth of the size of the mechanism."""
    found = fm.modes(fm.equilibrium(hung(d)), 3)
    view = found.view(1, color="displacement")
    assert "mode 1" in view.title(0.0) and view.coloring is not None
    swing = found.motion(1)
    mesh, still = mesh_of(swing), mesh_of(found.state.solution).points(0)
    far = max(np.max(np.linalg.norm(mesh.points(k) - still, axis=1)) for k in range(len(swing.t)))
    assert far == pytest.approx(0.1 * found.state.system.length_scale, rel=0.05)
