"""Load on a reduced flexible body that turns with it, in the plane and in space."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import Any

import numpy as np

from flexmb.elements.modal_body import AnyModalBody
from flexmb.errors import ModelError
from flexmb.forces.planar.body_load import BODY_LOAD
from flexmb.forces.spatial.body_load import SPATIAL_BODY_LOAD
from flexmb.model import checks, given_names
from flexmb.model.appearance import Load, ShownMotion
from flexmb.model.components import Assembler, Component
from flexmb.model.frames import turned
from flexmb.model.functions.time_function import TimeFunction, as_function

#: kernels in the plane and in space
KERNELS = {2: BODY_LOAD, 3: SPATIAL_BODY_LOAD}


@dataclass(eq=False)
class BodyLoad(Component):
    """A load on a reduced body by its name there, such as a pressure on some of its faces; it turns with the body.

        on r: f R F,    on the turn: f (M + S η),    on η: f (φᵀp + η·Θᵀp)

    of its unit load p (:class:`flexmb.bodies.ModalLoad`) and the factor f(t). Its power is input power.

    Arguments: `modal_body`, a reduced body; `load_name`, the name of one of its loads; `factor` f, a number or a
    function of time, which controllers and load paths command.

    >>> import flexmb as fm
    >>> import numpy as np
    >>> P = np.zeros((2, 2, 2, 2))
    >>> P[0, 0], P[1, 1] = np.diag([0.3, 0.1]), np.diag([0.0, 1.0])
    >>> gust = fm.bodies.ModalLoad((0, 2), 0, [0.5])
    >>> strip = fm.bodies.ReducedBody(2.0, np.zeros((2, 2)), P, stiffness=[1e4], loads={"gust": gust})
    >>> m = fm.PlanarModel("m")
    >>> push = m.body_load(m.add_modal_body("strip", strip, field="linear"), "gust", factor=3.0)
    >>> round(float(fm.simulate(m, 0.1, step=1e-3)["strip"].position[-1, 1]), 6)  # ½ (6 N/2 kg) t²
    0.015
    """

    modal_body: AnyModalBody
    load_name: str
    _: KW_ONLY
    factor: TimeFunction | float = 1.0
    kind = "load"
    external = True
    strength = "factor"
    dimension = None

    @property
    def stands_in(self) -> int:
        return self.modal_body.model.dimension

    def parts(self) -> list[Component]:
        if not isinstance(self.modal_body, AnyModalBody):
            raise ModelError(
                f"{self.where}: {checks.quoted(self.modal_body)} is no reduced body; give what add_modal_body returned"
            )
        return [self.modal_body]

    def check(self) -> None:
        given_names.known(
            self.load_name, self.modal_body.reduced.loads, "load", f"{self.where}: {self.modal_body.where}"
        )
        self.factor = as_function(self.factor, "factor", self.where)

    def assemble(self, assembly: Assembler) -> None:
        elements, load = self.modal_body.elements_of(assembly), self.modal_body.shown_body().loads[self.load_name]
        arrays = (load.force, load.moment, load.modal, load.moment_shapes, load.second)
        p = np.concatenate([[len(load.modal)], *(x.ravel() for x in arrays), assembly.strength(self).slot()])
        place = 1 + sum(x.size for x in arrays)
        kernels = KERNELS[self.stands_in]
        assembly.instance(self, kernels, elements.coordinates, p, strength=place)  # type: ignore[arg-type]

    def loads(self, solution: ShownMotion, times: np.ndarray, strength: np.ndarray) -> list[Load]:
        force: Any = self.modal_body.reduced.loads[self.load_name].force
        track: Any = solution.track(self.modal_body.frame.name)
        along = turned(force, track.angle) if self.stands_in == 2 else track.orientation.apply(np.array(force))
        return [Load(track.position, strength[:, None] * along)]
