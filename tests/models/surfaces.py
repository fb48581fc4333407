"""Light and gases on the faces of bodies in space, and on round beams."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

import flexmb as fm
from flexmb import bodies
from flexmb.model.components import Component
from tests.models.pairs_in_space import WAVE, Make

LEAN = fm.rotation_vector((0.3, -0.2, 0.5))
GREY = fm.spatial.SurfaceFinish(mirror=0.2, diffuse=0.3, accommodation=(0.8, 0.9))
SUN = {"sun": (0.3, 0.5, 1.0), "pressure": WAVE, "finish": GREY}
GAS = {"density": 0.5, "molecular_speed": 2.0, "wall": 0.7, "wind": (3.0, -2.0, 1.0), "finish": GREY}
WIND = {"density": 0.5, "wind": (30.0, -40.0, 60.0)}
#: of a point of attraction near by
FIELD = fm.spatial.CentralGravity(4.0, (4.0, 0, 0), (0, 1.0, 0), radius=1.0)


def rigid(verb: str, **options: Any) -> Component:
    """A body of a box, a ball and a cylinder."""
    m = fm.SpatialModel("m")
    parts = [
        fm.Box((1, 2, 3), position=(0.2, 0.1, 0)),
        fm.Sphere(diameter=0.4, position=(2, 0, 0)),
        fm.Cylinder(diameter=0.3, length=1.0, axis=(0.3, 0.2, 1.0), position=(0, 2, 1)),
    ]
    body = m.add_body("body", shape=fm.CompoundShape(parts), mass=2.0, position=(0.1, 0.2, 0.3), orientation=LEAN)
    return getattr(m, verb)(body, **options)


@cache
def boom() -> bodies.ReducedBody:
    """A tube of flat sides, with a field of second order."""
    side = bodies.Member(("a", "b"), fm.Material(2700.0, 70e9, 0.3), fm.Tube(outer_diameter=0.05, inner_diameter=0.046))
    ends = {"a": (0.0, 0.0, 0.0), "b": (3.0, 0.0, 0.0)}
    return bodies.painted(bodies.from_frame(ends, [side], interfaces={"end": "b"}, modes=3), GREY)


def reduced(verb: str, **options: Any) -> Component:
    """The tube, as it is painted."""
    m = fm.SpatialModel("m")
    return getattr(m, verb)(m.add_modal_body("boom", boom(), orientation=LEAN), **options)


def sheet(dented: float = 0.0, **options: Any) -> Component:
    """A reduced body of a shell with two sides, of one flat patch, or of faces alone if it is dented."""
    x, y = (a.ravel() for a in np.meshgrid(np.linspace(-1, 1, 4), np.linspace(-0.5, 0.5, 3), indexing="ij"))
    nodes = np.column_stack([x, y, dented * np.cos(1.7 * x + 0.4) * np.sin(1.1 * y + 0.7)])
    up = [0.1 * x**2 - 0.05 * y, 0.2 * np.sin(0.8 * x) * y + 0.03 * x]
    shapes = np.stack([np.column_stack([0.02 * y, -0.03 * x, a]) for a in up], axis=2)
    slaves = np.random.default_rng(1).normal(size=(12, 3, 1)) * 0.1
    corner = np.array([k for k in range(9) if k % 3 < 2])
    quads = np.column_stack([corner, corner + 3, corner + 4, corner + 1])
    F = np.concatenate([nodes[None], shapes.transpose(2, 0, 1), slaves.transpose(2, 0, 1)])
    T = np.array([[[0.3, 0.1], [0.1, -0.2]]])
    products, first = np.einsum("Fni,Gnj->FGij", F, F) / 12, F.sum(axis=1) / 12
    mesh = bodies.BodyMesh(nodes, [("quad", quads)], shapes, slaves)
    body = bodies.ReducedBody(1.0, first, products, stiffness=[1.0, 2.0], slaves=T, mesh=mesh)
    m = fm.SpatialModel("sheet")
    field = options.pop("field", "quadratic")
    own = m.add_modal_body("sheet", body, field=field, amplitudes=(0.2, -0.3), orientation=LEAN)
    return getattr(m, options.pop("verb", "solar_pressure"))(own, **options)


def beam(verb: str, theory: str = "cms", **options: Any) -> Component:
    """A round beam that is soft."""
    m = fm.SpatialModel("m")
    soft, elements = fm.Material(2700, 1e7, 0.3), 1 if theory == "floating" else 2
    given = {"material": soft, "section": fm.Circle(diameter=0.05), "theory": theory, "elements": elements}
    return getattr(m, verb)(m.add_beam("rod", (0, 0, 0), (1, 0.2, 0), **given), **options)


def in_orbit(verb: str, **options: Any) -> Component:
    """A body with a plate, or with its shape, in orbit."""
    m = fm.SpatialModel("craft", gravity=FIELD)
    hull = m.add_body("hull", shape=fm.Box((0.2, 0.3, 0.4)), mass=2.0, orientation=LEAN)
    on = (hull.frame, 0.6) if "axis" in options else (hull,)
    return getattr(m, verb)(*on, **options)


def surfaces() -> dict[str, Make]:
    """The components of the catalog."""
    table = [(2.5, 0.3), (2.8, 0.2), (3.5, 0.15)]
    plate = {"axis": (0.1, 0.2, 1.0), "density": table, "spin": (0.0, 0.1, 0.2)}
    return {
        "SolarPressure: shape": lambda: rigid("solar_pressure", **SUN),
        "SolarPressure: linear body": lambda: sheet(field="linear", **SUN),
        "SolarPressure: flat patch": lambda: sheet(**SUN),
        "SolarPressure: faces": lambda: sheet(0.2, **SUN),
        "SolarPressure: beam": lambda: beam("solar_pressure", "exact", **SUN),
        "SolarPressure: eclipse": lambda: in_orbit("solar_pressure", sun=(1.0, 0.1, 0.2), eclipse=True, pressure=2.0),
        "Drag: molecules on a shape": lambda: rigid("drag", **GAS),
        "Drag: molecules on a reduced body": lambda: reduced("drag", **{**GAS, "finish": None}),
        "Drag: molecules on a flat patch": lambda: sheet(verb="drag", **GAS),
        "Drag: molecules on a beam": lambda: beam("drag", "exact", **GAS),
        "Drag: Newton on a shape": lambda: in_orbit("drag", density=0.5, wind=WIND["wind"]),
        "Drag: Newton on a reduced body": lambda: sheet(0.2, verb="drag", **WIND),
        "Drag: Newton on a beam": lambda: beam("drag", "ancf", **WIND),
        "Drag: plate in orbit": lambda: in_orbit("drag", linear=1.0, skin=0.2, **plate),
        "Drag: molecules on a plate in orbit": lambda: in_orbit("drag", molecular_speed=2.0, **plate),
    }
