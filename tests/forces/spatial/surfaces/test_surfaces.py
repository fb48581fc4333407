"""Light and thin gases on faces of bodies and on beams: balances, finishes, shadows, and what is refused."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import flexmb as fm
from flexmb import bodies
from flexmb.bodies.meshes.skin import skin_of
from flexmb.errors import ModelError
from flexmb.model.gravity.shadow import edges_until
from tests.models.surfaces import FIELD, GREY, boom, rigid, sheet

CORNERS = [(0.0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)]
OUTWARDS = [(0, 2, 1), (0, 1, 3), (0, 3, 2), (1, 2, 3)]


def on_it(load: Any) -> np.ndarray:
    """What a load puts on its coordinates, at the start."""
    system = fm.System(load.model)
    (own,) = (x for x in system.assembly.instance_series if x.owner is system.model.components[load.name])
    acting = -system.residual(0.0, system.q0, system.v0, 0.0 * system.v0)
    return np.asarray(acting[own.coordinates.v[0]])


def body_of(shape: Any, verb: str = "solar_pressure", **options: Any) -> Any:
    m = fm.SpatialModel("m")
    inertia = (
        {"mass": 1.0, "inertia": (1, 1, 1)} if isinstance(shape, bodies.ReducedBody | type(None)) else {"mass": 1.0}
    )
    body = m.add_body("body", shape=shape, **inertia)
    return getattr(m, verb)(body, **options)


def test_all_faces_of_a_closed_body_balance_in_a_gas_at_rest():
    """Pressure alike on all sides has no resultant, on whatever closed body."""
    tetrahedron = fm.ClosedSurface(CORNERS, OUTWARDS)
    push = on_it(body_of(tetrahedron, "drag", density=2.0, molecular_speed=3.0))
    np.testing.assert_allclose(push, 0.0, atol=1e-15)


def test_light_on_a_body_is_that_on_plates_at_its_faces():
    m = fm.SpatialModel("m")
    body = m.add_body("body", shape=fm.Box((1, 2, 3)), mass=1.0, orientation=fm.rotation_vector((0.3, -0.2, 0.5)))
    whole = m.solar_pressure(body, sun=(0.3, 0.5, 1.0), pressure=2.0, finish=GREY)
    for k, area in enumerate((6.0, 3.0, 2.0)):
        for sign in (1.0, -1.0):
            place, axis = np.zeros(3), np.zeros(3)
            place[k], axis[k] = sign * (0.5, 1.0, 1.5)[k], -sign
            frame = body.attach(f"{k}{sign:g}", place)
            m.solar_pressure(frame, area, axis=-axis, sun=(0.3, 0.5, 1.0), pressure=-2.0, finish=GREY)
    assert np.abs(on_it(whole)).max() < 1e-14


@pytest.mark.parametrize("dented", [0.0, 0.2])
def test_shells_have_two_sides(dented: float):
    sun = np.array([0.3, 0.2, 1.0])
    mirror, black = fm.spatial.SurfaceFinish(mirror=1.0), fm.spatial.SurfaceFinish()
    up = on_it(sheet(dented, sun=sun, pressure=1.0, finish=mirror, back=black))
    down = on_it(sheet(dented, sun=-sun, pressure=1.0, finish=black, back=mirror))
    np.testing.assert_allclose(down, -up + 2.0 * elastic(dented), atol=1e-12)


def elastic(dented: float) -> np.ndarray:
    """What the bent sheet has without light."""
    return on_it(sheet(dented, sun=(0, 0, 1.0), pressure=0.0))


def test_a_body_is_painted_by_region_and_its_file_keeps_it(tmp_path):
    black = fm.spatial.SurfaceFinish(emissivity=0.8)
    half = bodies.painted(boom(), black, on=bodies.in_box((-9, -9, -9), (0.0, 9, 9)))
    assert half.mesh is not None
    kinds, count = np.unique(half.mesh.finishes, axis=0, return_counts=True)
    assert kinds[:, 0].tolist() == [0.0, 0.2] and count.sum() == len(skin_of(half.mesh, "here").triangles)
    again = bodies.load(bodies.save(half, tmp_path / "boom.h5"))
    assert again.mesh is not None
    np.testing.assert_array_equal(again.mesh.finishes, half.mesh.finishes)


def test_regions_add_up():
    def push(**region: Any) -> np.ndarray:
        return on_it(body_of(fm.Box((1, 2, 3)), sun=(0.3, 0.5, 1.0), pressure=1.0, **region))

    sides = [bodies.on_plane(0.5 * np.array(p), p) for p in ((1, 0, 0), (0, 2, 0), (0, 0, 3))]
    np.testing.assert_allclose(sum(push(region=side) for side in sides), push(), atol=1e-15)


def test_flat_patches_do_not_count_their_faces():
    """A box of many cells has six patches; its numbers do not grow with its faces."""
    sizes = []
    for cells in (4, 8):
        mesh = fm.bodies.mesh_model
        grid = np.linspace(0.0, 1.0, cells + 1)
        x, y, z = (a.ravel() for a in np.meshgrid(grid, grid, grid, indexing="ij"))
        nodes, k = np.column_stack([x, y, z]), cells + 1
        base = np.array([(i * k + j) * k + h for i in range(cells) for j in range(cells) for h in range(cells)])
        corner = [0, k * k, k * k + k, k, 1, k * k + 1, k * k + k + 1, k + 1]
        shapes = np.zeros((len(nodes), 3, 1))
        shapes[:, 2, 0] = 0.1 * x**2
        mesh = bodies.BodyMesh(nodes, [("hexahedron", base[:, None] + corner)], shapes)
        F = np.stack([nodes, shapes[:, :, 0]])
        products = np.einsum("Fni,Gnj->FGij", F, F) / len(nodes)
        body = bodies.ReducedBody(1.0, F.mean(axis=1), products, stiffness=[1.0], mesh=mesh)
        m = fm.SpatialModel("m")
        m.solar_pressure(m.add_modal_body("cube", body, field="linear"), sun=(1, 0, 0), name="light")
        system = fm.System(m)
        (own,) = (s for s in system.assembly.instance_series if s.owner.name == "light")
        sizes.append(own.parameters.shape[1])
    assert sizes[0] == sizes[1]


def test_the_skin_of_a_frame_looks_outwards():
    mesh = boom().mesh
    assert mesh is not None
    skin = skin_of(mesh, "here")
    assert not skin.is_shell.any()
    corners = mesh.nodes[skin.triangles]
    volume = np.einsum("fi,fi->", corners[:, 0], np.cross(corners[:, 1], corners[:, 2])) / 6.0
    assert volume == pytest.approx(8.0 * 0.025**2 * np.sin(np.pi / 8.0) * 3.0, rel=1e-9)  # of a prism of 16 sides


def test_the_run_of_a_sail_ends_steps_at_the_shadow():
    m = fm.SpatialModel("craft", gravity=FIELD)
    hull = m.add_body("hull", mass=1.0, inertia=(1, 1, 1))
    light = m.solar_pressure(hull.frame, 1.0, axis="x", sun=(1.0, 0, 0), pressure=1e-6, eclipse=True)
    edges = edges_until(FIELD, np.array([1.0, 0, 0]), 0.0, FIELD.period, "here")
    assert len(edges) == 4 and light.kinks_until(FIELD.period) == pytest.approx(edges)
    run = fm.simulate(m, edges[1] + 0.1, "dop853", progress=False)
    assert np.abs(run.t[:, None] - np.array(edges[:2])).min(axis=0) == pytest.approx([0.0, 0.0], abs=1e-12)
    dark = run.at([edges[1] + 0.05])
    assert fm.spatial.orbit(dark, sun=(1.0, 0, 0)).light[0] == 0.0


@pytest.mark.parametrize(
    ("make", "says"),
    [
        (lambda: fm.spatial.SurfaceFinish(mirror=0.8, diffuse=0.3), "mirror and diffuse are 0.8 and 0.3; together"),
        (lambda: fm.spatial.SurfaceFinish(mirror=-0.1), "mirror is -0.1"),
        (lambda: fm.spatial.SurfaceFinish(emissivity=1.1), "emissivity is 1.1; a black surface has 1"),
        (lambda: fm.spatial.SurfaceFinish(accommodation=(0.5, 1.5)), "accommodation is"),
        (lambda: body_of(None), "body 'body' has no shape, and so no faces"),
        (lambda: body_of(fm.Box((1, 1, 1)), diameter=0.1), "diameter is that of a beam"),
        (lambda: body_of(fm.Box((1, 1, 1)), axis="x"), "axis is the normal of a plate"),
        (lambda: body_of(fm.Sphere(diameter=1.0), region=bodies.on_plane((0, 0, 0), (0, 0, 1))), "a sphere is round"),
        (lambda: body_of(fm.Box((1, 1, 1)), eclipse=True), "eclipse is the shadow of a central body"),
        (lambda: body_of(fm.Box((1, 1, 1)), finish=GREY, mirror=0.1), "finish has mirror and diffuse already"),
        (lambda: body_of(fm.Box((1, 1, 1)), back=GREY), "give that of the outer one, finish, too"),
        (lambda: body_of(fm.Box((1, 1, 1)), "drag", skin=0.1), "skin is a coefficient of plates alone"),
        (lambda: body_of(fm.Box((1, 1, 1)), "drag", density=-1.0), "density is -1"),
        (lambda: body_of(fm.Box((1, 1, 1)), "drag", density=[(0, 1), (1, 0.5), (2, -0.1)]), "density is -0.1 at 2 m"),
        (lambda: body_of(fm.Box((1, 1, 1)), "drag", density=[(0, 1), (1, 1), (2, 1)]), "has no central body with a"),
        (lambda: body_of(fm.Box((1, 1, 1)), "drag", spin=(0, 0, 1.0)), "spin is that of air about a central body"),
        (lambda: body_of(fm.Box((1, 1, 1)), "drag", molecular_speed=0.0), "molecular_speed is 0"),
        (lambda: rigid("solar_pressure", region="top"), "region is .top.; give one of the class NodeSet"),
    ],
)
def test_wrong_data_are_named(make: Any, says: str):
    with pytest.raises(ModelError, match=says):
        fm.System(make().model)


def test_what_has_no_faces_is_refused():
    m = fm.SpatialModel("m")
    body = m.add_body("body", mass=1.0, inertia=(1, 1, 1))
    with pytest.raises(ModelError, match="area is missing, of a plate on frame 'body'"):
        m.solar_pressure(body.frame)
    square = fm.Rectangle(width=0.1, height=0.1)
    rod = m.add_beam("rod", (0, 0, 0), (1, 0, 0), material=fm.Material(2700, 7e10), section=square)
    with pytest.raises(ModelError, match="the section of beam 'rod' is not round; give a diameter"):
        m.solar_pressure(rod)
    with pytest.raises(ModelError, match="has no faces; give a reduced body"):
        m.solar_pressure(m.add_point_mass("dot", body.frame, 1.0))


@pytest.mark.parametrize(
    ("cells", "says"),
    [
        ([("line", [(0, 1), (1, 2)])], "has no faces, only lines"),
        ([("triangle", [face[::-1] for face in OUTWARDS])], "are turned inwards"),
        ([("triangle", [*OUTWARDS, (0, 1, 1)])], "1 faces of its mesh have no area and no normal"),
    ],
)
def test_meshes_without_good_faces_are_refused(cells: Any, says: str):
    with pytest.raises(ModelError, match=says):
        skin_of(bodies.BodyMesh(CORNERS, cells, np.zeros((4, 3, 1))), "here")


def test_open_surfaces_need_the_finish_of_their_inner_side():
    m = fm.SpatialModel("m")
    bowl = fm.OpenSurface(CORNERS, OUTWARDS[:3])
    body = m.add_body("bowl", mass=1.0, inertia=(1, 1, 1), shape=bowl)
    m.solar_pressure(body, finish=GREY, name="light")
    with pytest.raises(ModelError, match="the surface of its body is open"):
        fm.System(m)
    m.components["light"].back = GREY  # type: ignore[attr-defined]
    assert len(fm.System(m).q0) == 7
