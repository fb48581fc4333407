"""Base of sunlight and drag: on what they act, and how the surface is finished."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import Any, ClassVar

import numpy as np

from flexmb.bodies.full_models.node_sets import NodeSet
from flexmb.bodies.meshes.finish import SurfaceFinish
from flexmb.elements.spatial.beam import Beam
from flexmb.elements.spatial.modal_body import ModalBody
from flexmb.elements.spatial.rigid_body import RigidBody
from flexmb.errors import ModelError
from flexmb.forces.spatial.surfaces import faces, rods
from flexmb.forces.spatial.surfaces.skins import Records, Sides, of_plate, of_reduced, of_shape
from flexmb.kernels.contract import Kernels
from flexmb.kernels.rotations import turned
from flexmb.model import checks
from flexmb.model.appearance import ShownMotion
from flexmb.model.components import Assembler, Component
from flexmb.model.frames import Frame as AnyFrame
from flexmb.model.spatial_frames import Frame, unit_axis

#: what has a surface, and does not mean a frame alone
Surface = Frame | RigidBody | ModalBody | Beam


@dataclass(eq=False)
class SurfaceLoad(Component):
    """A load on a surface in space: a plate on a frame with its area, or a body with all of its faces.

    Arguments: `frame`: the frame in the middle of a plate, of a body, or a place on a beam; or a body itself: a reduced
    one, by the outer faces of its mesh, a rigid one with a shape, or a round beam; `area` A [m²] of a plate alone;
    `axis`: its normal n in the axes of the frame, 'x', 'y', 'z' or (3,); `diameter` [m] of a beam, that of its section
    when not given; `finish`, a :class:`flexmb.spatial.SurfaceFinish`, when not given that with which a reduced body is
    painted (:func:`flexmb.bodies.painted`), or none; `back`: that of the inner side of shells and open surfaces;
    `region`, an :class:`flexmb.bodies.NodeSet`: only the faces that have all their corners in it.
    """

    frame: Any
    area: float | None = None
    _: KW_ONLY
    axis: Any = "z"
    diameter: float | None = None
    finish: SurfaceFinish | None = None
    back: SurfaceFinish | None = None
    region: NodeSet | None = None
    kind = "force"
    dimension = 3
    external = True
    fixed_in_space = True
    #: which numbers of a finish its law reads
    reads: ClassVar[tuple[int, int]]

    @property
    def on_body(self) -> bool:
        """Whether it acts on the faces of a body, and not on a plate."""
        return self.area is None and isinstance(self.frame, Component)

    @property
    def model(self) -> Any:
        """The model in which it stands."""
        of: Any = self.frame.frame if isinstance(self.frame, RigidBody) else self.frame
        return of.model

    @property
    def stands_in(self) -> int:
        return int(self.model.dimension)

    def frames(self) -> list[AnyFrame]:
        if self.on_body:
            return [self.frame.frame] if isinstance(self.frame, RigidBody) else []
        return [self.frame]

    def parts(self) -> list[Component]:
        return [self.frame] if self.on_body else []

    def check(self) -> None:
        if self.on_body:
            self._check_body()
        elif self.area is None:
            raise ModelError(
                f"{self.where}: area is missing, of a plate on frame {self.frame.name!r}; or give a body with faces in "
                "place of the frame: a reduced body, a rigid body with a shape, a round beam"
            )
        else:
            self._check_plate()
        for what in ("finish", "back"):
            checks.kind_or_none(getattr(self, what), SurfaceFinish, what, self.where)
        if self.back is not None and self.finish is None:
            raise ModelError(
                f"{self.where}: back is the finish of the inner side; give that of the outer one, finish, too"
            )
        checks.kind_or_none(self.region, NodeSet, "region", self.where)

    def _check_plate(self) -> None:
        if self.frame.node.fixed:
            raise ModelError(f"{self.where}: frame {self.frame.name!r} is fixed; what acts there moves nothing")
        checks.check_fields(self, checks.positive, self.where, "area")
        unit_axis(self.axis, self.where, frame=repr(self.frame.name))
        for what in ("diameter", "region"):
            if getattr(self, what) is not None:
                raise ModelError(f"{self.where}: {what} is not that of a plate; leave it out, or area")

    def _check_body(self) -> None:
        of = self.frame
        if not isinstance(of, RigidBody | ModalBody | Beam):
            raise ModelError(
                f"{self.where}: {of.where} has no faces; give a reduced body, a rigid body with a shape, a round beam, "
                "or a frame with the area of a plate on it"
            )
        if not isinstance(self.axis, str) or self.axis != "z":
            raise ModelError(f"{self.where}: axis is the normal of a plate; {of.where} has its own, leave it out")
        if isinstance(of, Beam):
            of.check_places(self.where)
            if self.region is not None:
                raise ModelError(f"{self.where}: region chooses faces; {of.where} has none, leave it out")
            if self.diameter is not None:
                self.diameter = checks.positive(self.diameter, "diameter", self.where)
            elif not of.sizes_at(0.5).radius:
                raise ModelError(f"{self.where}: the section of {of.where} is not round; give a diameter")
        elif self.diameter is not None:
            raise ModelError(f"{self.where}: diameter is that of a beam; {of.where} has faces, leave it out")
        elif isinstance(of, RigidBody):
            if of.shape is None:
                raise ModelError(f"{self.where}: {of.where} has no shape, and so no faces; give it a shape")
            if of.frame.node.fixed:
                raise ModelError(f"{self.where}: {of.where} is fixed; what acts there moves nothing")

    def sides(self) -> Sides:
        """How the surface is finished."""
        return Sides(self.finish, self.back, self.reads, self.region, self.where)

    def plate_normal(self) -> np.ndarray:
        """The normal (3,) of a plate in the axes of its node."""
        return np.array(turned(tuple(self.frame.axes), tuple(unit_axis(self.axis, self.where))))

    def records(self, normals: list[np.ndarray]) -> Records:
        """The faces as kernels take them, those of a plate with the normals that count."""
        of = self.frame
        if not self.on_body:
            return of_plate(float(self.area or 0.0), of.offset, normals, self.sides())
        if isinstance(of, RigidBody):
            assert of.shape is not None
            return of_shape(of.shape.drawn, of.frame.offset, of.frame.axes, self.sides())
        return of_reduced(of.shown_body(), self.sides())

    def put(
        self, assembly: Assembler, kernels: tuple[Kernels, Kernels], around: np.ndarray, tail: np.ndarray,
        tails: tuple[int, ...], normals: list[np.ndarray],
    ) -> None:  # fmt: skip
        """Add its instances, of faces or of a beam: with what surrounds it, and a `tail` behind all else, whose place
        goes into the numbers `tails` of that."""
        of = self.frame
        if isinstance(of, Beam):
            rods.put_on_beam(self, of, self.diameter, self.sides(), assembly, kernels[1], around, tail, tails)
            return
        records = self.records(normals)
        at = len(records.row(around))
        around = around.copy()
        for k in tails:
            around[k] += at
        p = np.concatenate([records.row(around), tail])
        own = of.frame if self.on_body else of
        blocks: Any = assembly.node(own.node)
        if isinstance(of, ModalBody):
            blocks = of.elements_of(assembly).coordinates
        room = faces.scratch(records.modes, len(records.slaves))
        strength = None if self.strength is None else at
        assembly.instance(self, kernels[0], blocks, p, work=room, strength=strength)

    def plate_motion(self, solution: ShownMotion) -> tuple[Any, np.ndarray]:
        """The track of a plate, and its normals (k, 3), at the times of a solution."""
        track: Any = solution.track(self.frame.name)
        return track, track.orientation.apply(unit_axis(self.axis, self.where))
