"""Spring and damper between two frames, with an actuator in parallel."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass

import numpy as np

from flexmb.forces.planar.spring_damper import SPRING_DAMPER
from flexmb.forces.spatial.spring_damper import SPATIAL_SPRING_DAMPER
from flexmb.model import checks
from flexmb.model.appearance import PairPlace
from flexmb.model.components import Assembler
from flexmb.model.functions.time_function import TimeFunction, as_function
from flexmb.model.pairs import PairComponent

#: a distance below this part of the spring's size counts as zero
NO_DISTANCE = 1e-9
#: kernels in the plane and in space, and the place of the actuator's force among their parameters
KERNELS = {2: SPRING_DAMPER, 3: SPATIAL_SPRING_DAMPER}
FORCE = 10


@dataclass(eq=False)
class SpringDamper(PairComponent):
    """A spring, a damper and an actuator along the line between the origins of two frames, in the plane or in space.

    With d = r_b − r_a, ℓ = |d|, n = d/ℓ the force that pulls a towards b, and b towards a, is

        F = k d − (k ℓ₀ + f(t)) n + c (n·ḋ) n                                Skyenginlab (n.d.), the worked example,
        with ℓ₀ = f = 0

    so the strain energy is ½ k (ℓ − ℓ₀)², the dissipated power c ℓ̇² and the actuator's input power f ℓ̇.
    Where the two points coincide, n has no direction. There (ℓ ≤ ε, 1e-9 of the larger of free length and initial
    distance, or of 1 m when both are zero) n is taken as d/ε, which goes to zero smoothly enough for
    Newton's method, and the damper pulls with c ḋ, along the relative velocity, as in the source. Strain energy
    and powers are those of this force: ½ k (ℓ² + ℓ₀ (ℓ₀ − ε − ℓ²/ε)), c |ḋ|² and f d·ḋ/ε.

    Arguments: frames `a`, `b`; `stiffness` [N/m]; `damping` [Ns/m]; `free_length` [m], the initial
    distance when not given; `force` [N], what the actuator pushes the frames apart with, a number or a
    function of time.

    >>> import flexmb as fm
    >>> m = fm.PlanarModel("m")
    >>> body = m.add_body("body", mass=1.0, inertia=0.1, position=(3, 4))
    >>> m.spring_damper(m.ground, body.frame, stiffness=10.0).initial_length
    5.0
    """

    _: KW_ONLY
    stiffness: float = 0.0
    damping: float = 0.0
    free_length: float | None = None
    force: TimeFunction | float = 0.0
    strength = "force"
    strength_unit = "N"
    dimension = None
    kind = "spring"
    glyphs = ("spring",)
    turning = False

    @property
    def initial_length(self) -> float:
        """Distance of the frames at the start [m]."""
        return float(np.hypot.reduce(self.b.position - self.a.position))

    def check(self) -> None:
        super().check()
        checks.check_fields(self, checks.not_negative, self.where, "stiffness", "damping")
        if self.free_length is not None:
            checks.check_fields(self, checks.not_negative, self.where, "free_length")
        self.force = as_function(self.force, "force", self.where)

    @property
    def _free(self) -> float:
        """The length without force of its spring [m]."""
        return self.initial_length if self.free_length is None else self.free_length

    def place(self) -> PairPlace:
        return PairPlace(self.a.name, self.b.name, self.glyphs, line=(float(self._free),))

    def assemble(self, assembly: Assembler) -> None:
        free = self._free
        least = NO_DISTANCE * (max(free, self.initial_length) or 1.0)
        p = [self.stiffness, self.damping, free, least, *assembly.strength(self).slot()]
        work = 24 if self.stands_in == 2 else 0
        self.add_instance(assembly, KERNELS[self.stands_in], parameters=p, work=work, strength=FORCE)
