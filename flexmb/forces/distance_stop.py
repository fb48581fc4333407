"""A stop of the distance of two frames."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from flexmb.forces.contact import add_pairs
from flexmb.forces.contact_geometry import BALL_BALL, CAVITY_BALL
from flexmb.forces.contact_law import friction_numbers
from flexmb.forces.stop import Limits
from flexmb.joints.planar.gaps import GAP
from flexmb.joints.spatial.rows.gap_of_points import SPATIAL_DISTANCE_GAP
from flexmb.joints.unilateral import add_gap
from flexmb.kernels.blocks import Numbers
from flexmb.model import checks
from flexmb.model.appearance import PairPlace
from flexmb.model.components import Assembler
from flexmb.model.pairs import PairComponent, pair_coordinates, pair_offsets

#: kernels of the gap of a hard stop in the plane and in space, and their scratch numbers
KERNELS = {2: (GAP, 0), 3: (SPATIAL_DISTANCE_GAP, 36)}


@dataclass(eq=False)
class DistanceStop(Limits, PairComponent):
    """The distance of two origins stays between limits; with `upper` alone it is a rope, slack where it is shorter.
    Beyond a limit it pushes or pulls, see :mod:`flexmb.forces.stop`.

    Arguments: frames `a`, `b`; `lower`, `upper` [m], one of them or both; `stiffness` k [N/mⁿ]; `exponent` n, 1.5;
    `damping` d [s/m], or `restitution` with the `impact_speed` [m/s] for which it holds. Or `hard`, a limit that does
    not give way, with `restitution` e, 0 when not given: a rope that tightens takes the speed along it, or reverses the
    part e of it.

    >>> import flexmb as fm
    >>> m = fm.SpatialModel("m", gravity=(0, 0, -9.81))
    >>> bob = m.add_body("bob", mass=1.0, inertia=(0.1, 0.1, 0.1), position=(0.3, 0, -0.4))
    >>> m.distance_stop(m.ground, bob.frame, upper=0.4, stiffness=1e6, name="rope")
    Traceback (most recent call last):
        ...
    flexmb.errors.ModelError: stop 'rope': at the start the distance is 0.5 m, 0.1 m beyond upper, 0.4 m; start \
between the limits, or move them
    >>> m = fm.SpatialModel("m", gravity=(0, 0, -9.81))
    >>> bob = m.add_body("bob", mass=2.0, inertia=(0.1, 0.1, 0.1))
    >>> rope = m.distance_stop(m.ground, bob.frame, upper=0.4, hard=True, name="rope")
    >>> run = fm.simulate(m, 1.0)
    >>> print(run.events[0].done, round(run.events[0].t, 6), round(float(run["rope.force"][-1]), 6))
    ['impact at upper'] 0.285569 -19.62
    """

    dimension = None
    turning = False

    def check(self) -> None:
        super().check()
        self.refuse_fixed_frames()
        for name in ("lower", "upper"):
            if getattr(self, name) is not None:
                checks.check_fields(self, checks.positive, self.where, name)
        self.check_limits("the distance", float(np.linalg.norm(self.b.position - self.a.position)), "m")

    def place(self) -> PairPlace:
        return PairPlace(self.a.name, self.b.name, glyphs=("rod",), stop=self.stop_place("distance"), line=())

    def assemble(self, assembly: Assembler) -> None:
        if self.hard:
            for name, limit, sign in self.limits():
                self._add_gap_of_distance(assembly, name, limit, sign)
            return
        rows = []
        if self.lower is not None:
            rows.append([float(BALL_BALL), *[0.0] * 12, self.lower, 0.0, 0.0])
        if self.upper is not None:
            rows.append([float(CAVITY_BALL), *[0.0] * 12, self.upper, 0.0, 0.0])
        rows = [[*row, *self.law(), *friction_numbers(None)] for row in rows]
        add_pairs(assembly, self, self.a, self.b, rows)

    def _add_gap_of_distance(self, assembly: Assembler, name: str, limit: float, sign: float) -> None:
        """Add the gap to a limit of the distance."""
        d = self.b.position - self.a.position
        speed_a, speed_b = (frame.node.moving_at(frame.position)[0] for frame in (self.a, self.b))
        start, rate = 0.5 * (d @ d - limit**2) / limit, d @ (speed_b - speed_a) / limit

        def add_row(gap: Numbers) -> None:
            no_half_plane = [0.0] * 3 if self.stands_in == 2 else []
            p = np.concatenate([pair_offsets(self.a, self.b), [limit, sign], no_half_plane])
            coordinates = [*pair_coordinates(assembly, self.a, self.b), gap]
            kernels, work = KERNELS[self.stands_in]
            assembly.instance(self, kernels, coordinates, p, [(name, "length")], work, stays=True)

        at_start = sign * float(start), sign * float(rate)
        add_gap(assembly, self, name, "length", *at_start, add_row, self.restitution or 0.0)
