"""Sunlight on faces: a ball, a cylinder, plates; a sail that bends, by few numbers of a flat patch and face by face."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

import flexmb as fm
from flexmb import bodies
from flexmb.validation.registry import Check, Errors, Record, case
from flexmb.validation.surfaces.textbook import light, ring

FINISHES = {"absorbed": (0.0, 0.0), "mirrored": (1.0, 0.0), "diffuse": (0.0, 1.0), "some of each": (0.3, 0.4)}
#: the sun, and the amplitudes of the sail as its scale is 1
SUN, AMPLITUDES = np.array([0.48, 0.36, 0.8]), np.array([0.2, -0.15])
#: edges of the sail [m], and what it mirrors and scatters
EDGES, OF_SAIL = (4.0, 2.0), (0.3, 0.2)


def on_body(m: fm.SpatialModel) -> np.ndarray:
    """Action on the body of a model, on its frame and on its modes."""
    system = fm.System(m)
    acting = -system.residual(0.0, system.q0, system.v0, 0.0 * system.v0)
    (own,) = (x for x in system.assembly.instance_series if x.owner.name == "light")
    return np.asarray(acting[own.coordinates.v[0]])


def rigid(shape: fm.Shape, sun: Any = SUN, mirror: float = 0.0, diffuse: float = 0.0) -> np.ndarray:
    """Force (3,) of light of the pressure 1 on a rigid body."""
    m = fm.SpatialModel("body")
    body = m.add_body("body", shape=shape, mass=1.0)
    m.solar_pressure(body, sun=sun, pressure=1.0, mirror=mirror, diffuse=diffuse, name="light")
    return on_body(m)[:3]


def prism(sides: int) -> fm.ClosedSurface:
    """A prism around whose edges the cylinder of the diameter 1 and the length 1 lies."""
    angles = 2.0 * np.pi * np.arange(sides) / sides
    circle = 0.5 * np.column_stack([np.cos(angles), np.sin(angles)])
    points = [(*p, z) for z in (-0.5, 0.5) for p in circle] + [(0, 0, -0.5), (0, 0, 0.5)]
    faces = []
    for k in range(sides):
        j, up = (k + 1) % sides, sides
        faces += [(k, j, j + up), (k, j + up, k + up), (j, k, 2 * sides), (k + up, j + up, 2 * sides + 1)]
    return fm.ClosedSurface(points, faces)


def sail(cells: int, dented: float = 0.0) -> bodies.ReducedBody:
    """A sail of a mesh of `cells` along each edge, which bends by two shapes; `dented` off its plane, it has no flat
    patches."""
    x, y = (np.linspace(-0.5 * L, 0.5 * L, cells + 1) for L in EDGES)
    X, Y = (a.ravel() for a in np.meshgrid(x, y, indexing="ij"))
    nodes = np.column_stack([X, Y, dented * np.cos(1.7 * X + 0.4) * np.sin(1.1 * Y + 0.7)])
    up = [0.1 * X**2 - 0.05 * Y, 0.2 * np.sin(0.8 * X) * Y + 0.03 * X]
    along = [0.02 * Y, -0.03 * X]  # that they stretch tells areas as well
    shapes = np.stack([np.column_stack([b, 0.5 * b, a]) for a, b in zip(up, along)], axis=2)
    corner = np.arange(cells * (cells + 1)).reshape(cells, cells + 1)[:, :-1].ravel()
    quads = np.column_stack([corner, corner + cells + 1, corner + cells + 2, corner + 1])
    F = np.concatenate([nodes[None], shapes.transpose(2, 0, 1)]) / np.sqrt(len(nodes))
    products = np.einsum("Fni,Gnj->FGij", F, F)
    first = np.sum(F, axis=1) / np.sqrt(len(nodes))
    mesh = bodies.BodyMesh(nodes, [("quad", quads)], shapes)
    return bodies.ReducedBody(1.0, first, products, stiffness=[1.0, 2.0], mesh=mesh)


def lit_sail(body: bodies.ReducedBody, eta: Any = None) -> fm.SpatialModel:
    """The sail in sunlight of the pressure 1, bent by the amplitudes η."""
    m = fm.SpatialModel("sail")
    own = m.add_modal_body("sail", body, field="linear", amplitudes=eta)
    m.solar_pressure(own, sun=SUN, pressure=1.0, finish=fm.spatial.SurfaceFinish(*OF_SAIL), name="light")
    return m


def by_faces(body: bodies.ReducedBody, eta: np.ndarray) -> np.ndarray:
    """Action on a sail whose sunny side is up, on its frame and on its modes, of the areas of all faces as it is
    bent."""
    mesh = body.mesh
    assert mesh is not None
    quads = mesh.cells[0][1]
    triangles = np.concatenate([quads[:, [0, 1, 2]], quads[:, [0, 2, 3]]])
    corners = (mesh.nodes + mesh.shapes @ eta)[triangles]
    areas = 0.5 * np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    force = light(areas, SUN, *OF_SAIL)
    modal = np.einsum("fin,fi->n", mesh.shapes[triangles].mean(axis=1), force)
    return np.concatenate([force.sum(0), np.cross(corners.mean(axis=1), force).sum(0), modal])


def elastic(body: bodies.ReducedBody, eta: np.ndarray) -> np.ndarray:
    """The elastic forces of the sail, which are in what acts on it."""
    return np.concatenate([np.zeros(6), -body.stiffness * eta])


@case("pressure-on-faces", draw=lambda: lit_sail(sail(8)))
def compute() -> Iterator[Record]:
    """sunlight on a ball, a cylinder, plates and a sail that bends: forces in closed form, a flat patch by few numbers
    against all of its faces, whose normals and areas follow to first order

    What a flat patch leaves is of second order in the amplitudes, and so is what a face leaves whose normal follows its
    modes to first order.
    """
    exact = "closed form"
    for name, (mirror, diffuse) in FINISHES.items():
        push = -float(rigid(fm.Sphere(diameter=2.0), SUN, mirror, diffuse) @ SUN) / np.pi
        want = 1.0 + 4.0 / 9.0 * diffuse
        yield Check(f"ball, {name}: force [p π r²]", push, want, 1e-9, exact, "round-off")
        plate = rigid(fm.Box((1.0, 1.0, 1e-3)), (0.0, 0.6, 0.8), mirror, diffuse)
        faces = np.array([(0.0, 0, 1), (0, 1e-3, 0)])  # its top, and one of its edges
        off = np.abs(plate - light(faces, np.array([0.0, 0.6, 0.8]), mirror, diffuse).sum(0)).max()
        yield Check(f"flat plate, {name}: force, error", off, 0.0, 1e-9, "Wertz (1978)", "round-off")
        tilted = np.array([np.sin(1.1), 0.0, np.cos(1.1)])
        force = rigid(fm.Cylinder(diameter=1.0, length=1.0), tilted, mirror, diffuse)
        top = light(np.array([[0, 0, 0.25 * np.pi]]), tilted, mirror, diffuse).sum(0)
        strips = light(ring(np.array([0, 0, 1.0])), tilted, mirror, diffuse).sum(0)
        off = np.abs(force - top - strips).max()
        yield Check(f"cylinder, {name}: force, error", off, 0.0, 1e-9, "40 000 strips", "their number squared")
    yield from _round()
    yield from _bent()


def _round() -> Iterator[Record]:
    """Prisms that become a cylinder, and a round beam."""
    sun = np.array([0.6, 0.0, 0.8])  # the edge of light stands on an edge of the prism
    whole = rigid(fm.Cylinder(diameter=1.0, length=1.0), sun, 0.3, 0.4)
    counts = (32, 64, 128)
    errors = [float(np.linalg.norm(rigid(prism(n), sun, 0.3, 0.4) - whole)) for n in counts]
    yield Errors("prism in a cylinder: force [p D L]", "sides", counts, errors, -2.0)
    order = -float(np.polyfit(np.log(counts), np.log(errors), 1)[0])
    yield Check("prism in a cylinder: order of its error", order, 2.0, 0.05, "theory", "higher terms")
    m = fm.SpatialModel("boom")
    along = np.array([0.6, 0.0, 0.8])
    given = fm.spatial.BeamProperties(EA=1e6, EIy=10.0, EIz=10.0, GJ=5.0, rhoA=0.5)
    boom = m.add_beam("boom", (0, 0, 0), tuple(2.0 * along), properties=given)
    m.solar_pressure(boom, sun=(1, 0, 0), pressure=1.0, diameter=0.1, finish=fm.spatial.SurfaceFinish(0.3, 0.4))
    system = fm.System(m)
    on_nodes = -system.residual(0.0, system.q0, system.v0, 0.0 * system.v0)
    force = on_nodes[:3] + on_nodes[6:9]
    strips = 0.2 * light(ring(along), np.array([1.0, 0, 0]), 0.3, 0.4).sum(0)
    off = float(np.abs(force - strips).max())
    yield Check("round beam: force, error [p D L/0.2]", off, 0.0, 1e-9, "40 000 strips", "their number squared")


def _bent() -> Iterator[Record]:
    """The bent sail by its flat patch and, dented, by its faces, against the areas of all faces as it is bent."""
    scales = (0.1, 0.05, 0.025)
    for what, body in (("flat patch", sail(12)), ("faces alone", sail(12, dented=0.2))):
        still = by_faces(body, 0.0 * AMPLITUDES)
        off = float(np.abs(on_body(lit_sail(body)) - still).max() / np.abs(still).max())
        yield Check(f"sail, {what}: straight, relative error", off, 0.0, 1e-12, "all faces", "round-off")
        errors = []
        for scale in scales:
            eta = scale * AMPLITUDES
            got = on_body(lit_sail(body, eta)) - elastic(body, eta)
            errors.append(float(np.abs(got - by_faces(body, eta)).max() / np.abs(still).max()))
        yield Errors(f"sail, {what}: relative error", "scale of the amplitudes", scales, errors, 2.0)
        order = float(np.polyfit(np.log(scales), np.log(errors), 1)[0])
        yield Check(f"sail, {what}: order of its error", order, 2.0, 0.1, "theory", "higher terms")
