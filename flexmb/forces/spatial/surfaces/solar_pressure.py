"""The pressure of sunlight on surfaces in space.

With the pressure p [N/m²] from the direction s, of the light that falls on a face of the area A and the normal n, with
c = n · s > 0, the part ϱ_s is reflected as by a mirror, the part ϱ_d in all directions by Lambert's law, and the rest
is absorbed. Light brings momentum along −s; from a mirror it leaves along 2 c n − s, and what is scattered takes 2/3 n
with it, the mean over the half sphere. What comes less what goes is, as in Wertz (1978), section 17.2,

    F = −p A c ((1 − ϱ_s) s + 2 (ϱ_s c + ϱ_d/3) n)

and nothing where c < 0.
"""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import Any

import numpy as np

from flexmb.bodies.meshes.finish import OF_LIGHT, SurfaceFinish, check_parts_of_light
from flexmb.errors import ModelError
from flexmb.forces.spatial.surfaces.faces import LIT_FACES
from flexmb.forces.spatial.surfaces.rods import LIT_ROD
from flexmb.forces.spatial.surfaces.skins import Sides
from flexmb.forces.spatial.surfaces.surface_load import SurfaceLoad
from flexmb.forces.spatial.surfaces.surroundings import SLOT, block
from flexmb.model import checks
from flexmb.model.appearance import Load, ShownMotion
from flexmb.model.components import Assembler
from flexmb.model.functions.time_function import TimeFunction
from flexmb.model.gravity.shadow import edges_until


@dataclass(eq=False)
class SolarPressure(SurfaceLoad):
    """The pressure of sunlight on one side of a flat plate, that of its normal, or on all faces of a body. The pressure
    is a strength: a function of time, an input of linear models, a command of controllers.

    On a body it follows the faces as they turn and bend, to first order in the modes of a reduced one; on a round beam
    it acts on its cylinder, not on its ends. No part shades another, of its own body or of another one, and the inside
    of a hollow cylinder is not lit: only in the shadow of the central body it is dark.

    Arguments: `sun` (3,), the direction to the sun; `mirror` ϱ_s and `diffuse` ϱ_d [–], the parts of the light that are
    reflected, as by a mirror and in all directions, in place of a `finish`; `pressure` p [N/m²], a number or a function
    of time, that of the sun at the distance of the earth when not given; `eclipse`: whether the central body, which
    then needs a radius, shades the origin of the model (:mod:`flexmb.model.gravity.shadow`), and so all of it.

    >>> import flexmb as fm
    >>> m = fm.SpatialModel("m")
    >>> sail = m.add_body("sail", mass=2.0, inertia=(1, 1, 1))
    >>> light = m.solar_pressure(sail.frame, 100.0, sun=(0, 0, 1), mirror=1.0)
    >>> float(fm.simulate(m, 1e4)["sail.vz"][-1].round(6))  # −2 p A t/m
    -4.56
    >>> ball = m.add_body("ball", shape=fm.Sphere(diameter=2.0), mass=2.0)
    >>> push = m.solar_pressure(ball, sun=(0, 0, 1), diffuse=1.0)
    >>> float(fm.simulate(m, 1e4)["ball.vz"][-1].round(6))  # −13/9 p π r² t/m
    -0.103463
    """

    _: KW_ONLY
    sun: Any = (1.0, 0.0, 0.0)
    mirror: float = 0.0
    diffuse: float = 0.0
    pressure: TimeFunction | float = 4.56e-6
    eclipse: bool = False
    strength = "pressure"
    strength_unit = "N/m²"
    reads = OF_LIGHT

    def check(self) -> None:
        super().check()
        checks.check_fields(self, checks.not_negative, self.where, "mirror", "diffuse")
        check_parts_of_light(self.mirror, self.diffuse, self.where)
        if self.finish is not None and (self.mirror or self.diffuse):
            raise ModelError(f"{self.where}: finish has mirror and diffuse already; leave these two out")
        self.sun = checks.vector(self.sun, "sun", self.where, 3)
        self.sun = self.sun / checks.positive(
            np.linalg.norm(self.sun), "length of the direction to the sun", self.where
        )
        self.pressure = self.function("pressure")
        self.eclipse = checks.flag(self.eclipse, "eclipse", self.where)
        if self.eclipse and getattr(self.model.gravity, "radius", None) is None:
            raise ModelError(
                f"{self.where}: eclipse is the shadow of a central body, and the model has none with a radius; give it "
                "gravity=fm.spatial.CentralGravity(…, radius=…)"
            )

    def sides(self) -> Sides:
        finish = self.finish
        if self.mirror or self.diffuse:
            finish = SurfaceFinish(self.mirror, self.diffuse)
        return super().sides()._replace(finish=finish)

    def kinks_until(self, t_end: float) -> list[float]:
        own = super().kinks_until(t_end)
        return [*own, *edges_until(self.model.gravity, self.sun, 0.0, t_end, self.where)] if self.eclipse else own

    def assemble(self, assembly: Assembler) -> None:
        around = block(0.0, self.sun, gravity=self.model.gravity if self.eclipse else None)
        normals = [] if self.on_body else [self.plate_normal()]
        self.put(assembly, (LIT_FACES, LIT_ROD), around, assembly.strength(self).slot(), (SLOT,), normals)

    def loads(self, solution: ShownMotion, times: np.ndarray, strength: np.ndarray) -> list[Load]:
        if self.on_body:
            return []
        track, n = self.plate_motion(solution)
        mirror, diffuse = self.sides().optics(None, 1)[0, :2]
        c = np.maximum(n @ self.sun, 0.0)[:, None]
        light = (1.0 - mirror) * self.sun + 2.0 * (mirror * c + diffuse / 3.0) * n
        return [Load(track.position, -strength[:, None] * float(self.area or 0.0) * c * light)]
