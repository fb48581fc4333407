"""Forces of a flow on surfaces in space.

**A flat plate** with the velocity u against the flow, the area A and the density ϱ, by quasi-steady laws:

    F = −½ ϱ A ((c₁ |u| + c₂ |u · n|) (u · n) n + c₀ |u| u)

At the angle of attack α, where |u · n| = |u| sin α, c₁ gives the lift c₁ sin α cos α and the drag c₁ sin² α of a thin
plate with attached flow (2π if it is long and thin); c₂ the normal force c₂ sin² α of a plate across the flow, in
Newton's law 2; c₀ the drag of its skin. F · u ≤ 0: seen from the flow, the plate always loses energy.

**Faces of a body** take c₂ alone, each on its outer side where it meets the flow, u · n > 0.

**Free molecules** of a thin gas do not meet each other near the body: they arrive with the most probable speed c_m =
√(2 R T) of their heat and the speed of the flow, and leave as the surface has them. On each side of a plate, and on
faces, as Schaaf and Chambré (1961) have it (:mod:`flexmb.forces.spatial.surfaces.laws`), with u = |u| and S = u/c_m

    F = −½ ϱ u² A (C_p n + C_τ (u/u − cos θ n))
"""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import Any

import numpy as np

from flexmb.bodies.meshes.finish import OF_GAS
from flexmb.errors import ModelError
from flexmb.forces.spatial.surfaces.faces import GAS_FACES, NEWTON_FACES
from flexmb.forces.spatial.surfaces.plate import DRAG_OF_PLATE
from flexmb.forces.spatial.surfaces.rods import GAS_ROD, NEWTON_ROD
from flexmb.forces.spatial.surfaces.surface_load import SurfaceLoad
from flexmb.forces.spatial.surfaces.surroundings import HEIGHT, block
from flexmb.model import checks
from flexmb.model.appearance import Load, ShownMotion
from flexmb.model.components import Assembler
from flexmb.model.functions.splines import Spline

_NOTHING = np.zeros(0)


@dataclass(eq=False)
class Drag(SurfaceLoad):
    """Drag, and lift, of a flat plate in a flow, with `skin` alone that of a body that is the same from all sides, as a
    ball; or the drag of all faces of a body. What is lost against the flow is dissipated, what the flow carries is
    input.

    In a model with :class:`~flexmb.spatial.CentralGravity` u is the velocity against the air there: that of the orbit,
    less what turns with the central body. A flat patch of a reduced body moves at the speed of its middle; no part
    shades another.

    Arguments: `density` ϱ of the fluid [kg/m³], in orbit also a table (k, 2) of heights [m] above the radius of the
    central body and densities, whose logarithm is a cubic spline between them; that of the model's origin acts on all
    of it. `square` c₂ [–], that of a plate across the flow, by its area: 2 in thin air by Newton's law; of a plate
    alone `linear` c₁ [–], of lift, and `skin` c₀ [–]. `wind` (3,) [m/s], the velocity of the flow, and in orbit `spin`
    (3,) [rad/s] of the air about the center of attraction. `molecular_speed` c_m [m/s]: the law of free molecules in
    place of all coefficients, with the `accommodation` of the finish, and `wall`, the temperature of the surface by
    that of the gas.

    >>> import flexmb as fm
    >>> m = fm.SpatialModel("m")
    >>> sail = m.add_body("sail", mass=2.0, inertia=(1, 1, 1))
    >>> sail.move((0, 0, 10.0))
    >>> air = m.drag(sail.frame, 4.0, density=0.5)
    >>> round(float(fm.simulate(m, 1.0)["sail.vz"][-1]), 4)  # 10/(1 + 10 ½ ϱ A c₂ t/m)
    0.9091
    """

    _: KW_ONLY
    density: Any = 1.2
    linear: float = 0.0
    square: float = 2.0
    skin: float = 0.0
    wind: Any = (0.0, 0.0, 0.0)
    spin: Any = (0.0, 0.0, 0.0)
    molecular_speed: float | None = None
    wall: float = 1.0
    reads = OF_GAS

    def check(self) -> None:
        super().check()
        checks.check_fields(self, checks.not_negative, self.where, "linear", "square", "skin", "wall")
        self.wind = checks.vector(self.wind, "wind", self.where, 3)
        self.spin = checks.vector(self.spin, "spin", self.where, 3)
        if np.any(self.spin) and not self.model.gravity.is_central:
            raise ModelError(
                f"{self.where}: spin is that of air about a central body, and the model has none; give wind, or "
                "gravity=fm.spatial.CentralGravity(…)"
            )
        given = checks.numbers(self.density, "density", self.where, "a number, or a table (k, 2) by height")
        if given.ndim == 0:
            self.density = checks.not_negative(self.density, "density", self.where)
        else:
            self._check_table()
        if self.molecular_speed is not None:
            self.molecular_speed = checks.positive(self.molecular_speed, "molecular_speed", self.where)
        if self.on_body or self.molecular_speed is not None:
            for what in ("linear", "skin"):
                if getattr(self, what):
                    raise ModelError(
                        f"{self.where}: {what} is a coefficient of plates alone, not of "
                        f"{'faces' if self.on_body else 'free molecules'}; leave it out"
                    )

    def _check_table(self) -> None:
        table = checks.matrix(self.density, "density", self.where)
        if table.shape[1] != 2 or len(table) < 3:
            raise ModelError(f"{self.where}: density must be a number, or a table (k, 2) of three heights or more")
        if np.any(table[:, 1] <= 0.0):
            k = int(np.argmin(table[:, 1]))
            raise ModelError(
                f"{self.where}: density is {table[k, 1]:g} at {table[k, 0]:g} m; it must be positive, as its logarithm "
                "is what is interpolated"
            )
        if np.any(np.diff(table[:, 0]) <= 0.0):
            raise ModelError(f"{self.where}: the heights of its density must rise")
        gravity = self.model.gravity
        if not gravity.is_central or gravity.radius is None:
            raise ModelError(
                f"{self.where}: density is a table by height, and the model has no central body with a radius; give it "
                "gravity=fm.spatial.CentralGravity(…, radius=…)"
            )
        low, high = (gravity.axis * (1.0 + sign * gravity.eccentricity) - gravity.radius for sign in (-1.0, 1.0))
        slack = 1e-9 * gravity.axis
        if low < table[0, 0] - slack or high > table[-1, 0] + slack:
            raise ModelError(
                f"{self.where}: its density is known from {table[0, 0]:g} m to {table[-1, 0]:g} m of height, and the "
                f"orbit goes from {low:g} m to {high:g} m; give a table for all of it"
            )
        self.density = table

    def twists(self, node: Any, axis: np.ndarray) -> bool:
        """The drag of the skin knows no direction of the plate, and acts at the origin of its frame."""
        skin = not self.on_body and self.linear == self.square == 0.0 and self.molecular_speed is None
        return super().twists(node, axis) and not (skin and not self.frame.node.is_lever(self.frame.offset, axis))

    def assemble(self, assembly: Assembler) -> None:
        gas, gravity, tail = self.molecular_speed is not None, self.model.gravity, _NOTHING
        law = [self.molecular_speed, np.sqrt(self.wall)] if gas else [self.square]
        in_table = np.ndim(self.density) > 0
        around = block(
            0.0 if in_table else self.density, self.wind, law, gravity if gravity.is_central else None, self.spin
        )
        if in_table:
            tail = Spline(self.density[:, 0], np.log(self.density[:, 1])).parameters()
        tails = (HEIGHT,) if in_table else ()
        if self.on_body or gas:
            n = None if self.on_body else self.plate_normal()
            kernels = (GAS_FACES, GAS_ROD) if gas else (NEWTON_FACES, NEWTON_ROD)
            self.put(assembly, kernels, around, tail, tails, [] if n is None else [n, -n])
            return
        head = [*self.frame.offset, *self.plate_normal()]
        coefficients = [self.area, self.skin, self.linear, self.square]
        around[list(tails)] += len(head) + len(around) + len(coefficients)
        p = np.concatenate([head, around, coefficients, tail])
        assembly.instance(self, DRAG_OF_PLATE, assembly.node(self.frame.node), p)

    def loads(self, solution: ShownMotion, times: np.ndarray, strength: np.ndarray) -> list[Load]:
        if self.on_body or self.molecular_speed is not None or self.model.gravity.is_central:
            return []
        track, n = self.plate_motion(solution)
        u = track.velocity - self.wind
        speed, across = np.linalg.norm(u, axis=1), np.sum(u * n, axis=1)
        along_n = (self.linear * speed + self.square * np.abs(across)) * across
        force = along_n[:, None] * n + self.skin * speed[:, None] * u
        return [Load(track.position, -0.5 * self.density * float(self.area or 0.0) * force)]
