"""Reduced body in the plane: a flexible body by its modes, in a floating frame, with a field of second order.

The frame has the coordinates (x, y, θ) of a node, with ω = θ̇ and α = θ̈. In its axes the body deforms by modes η and
slave shapes as in space (:mod:`flexmb.elements.spatial.modal_body`), f = (1, η, ζ). Of the products of mass two numbers
of each pair count, t_FG = ∫ F·G dm and x_FG = ∫ F × G dm. With u = Rᵀ(r̈ − gravity), J a turn by +90°, c = Σ f_F c_F,
τ_F = Σ_G f_G t_GF and κ_F = Σ_G f_G x_GF, and τ̇, κ̇ of ḟ,

    on r: R (m u + α J c − ω² c + 2 ω J ċ + c̈),      on θ: c × u + Σ_F f_F (α τ_F + 2 ω τ̇_F − κ̈_F)
    on η: Aᵀ h + Λ η + 2 D √Λ η̇,      h_F = u·c_F + α κ_F − ω² τ_F + 2 ω κ̇_F + τ̈_F

An interface stands at X + Φη + ½ ηᵀTη and is turned by Φʳη + ½ ηᵀTʳη.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from flexmb.bodies.reduced_body import Interface, ReducedBody
from flexmb.elements.beam import InteriorWeld
from flexmb.elements.interior import Interior
from flexmb.elements.modal_body import AnyModalBody, OnBody
from flexmb.elements.planar.interior import WELD, WELD_ROWS
from flexmb.elements.planar.modal.inertia import energy, residual, scratch, tangent
from flexmb.elements.planar.modal.places import point, point_jacobian
from flexmb.kernels.contract import Kernels
from flexmb.model.appearance import BodyPlace
from flexmb.model.frames import Frame, Node, rotation


@dataclass(eq=False, repr=False)
class BodyInterface(OnBody, Frame):
    """An interface of a reduced body in the plane, see :class:`~flexmb.elements.modal_body.OnBody`.

    >>> import flexmb as fm
    >>> tip = fm.bodies.Interface((1, 0), np.eye(2), [[0], [2]], [[3]])
    >>> P = np.diag([1.0, 0, 0, 1.0]).reshape(2, 2, 2, 2).transpose(0, 2, 1, 3)
    >>> strip = fm.bodies.ReducedBody(2.0, np.zeros((2, 2)), P, stiffness=[1e4], interfaces={"tip": tip})
    >>> m = fm.PlanarModel("m")
    >>> point = m.add_modal_body("strip", strip, position=(0, 1), field="linear").at("tip")
    >>> point.interface, point.position.tolist(), m.revolute(m.ground, point, name="hinge").name
    ('tip', [1.0, 1.0], 'hinge')
    """

    body: Any = None
    interface: str = ""


def _weld_parameters(place: Interior, on: Any) -> np.ndarray:
    """The parameters of the weld of an interface."""
    return np.concatenate([place.parameters, on.offset, [on.offset_angle]])


@dataclass(eq=False, repr=False)
class ModalBody(AnyModalBody):
    """A reduced flexible body in the plane; see :meth:`flexmb.PlanarModel.add_modal_body`.

    Arguments: as those of :class:`flexmb.spatial.ModalBody`.

    >>> import flexmb as fm
    >>> P = np.zeros((2, 2, 2, 2))
    >>> P[0, 0], P[1, 1] = np.diag([0.3, 0.1]), np.diag([0.0, 1.0])
    >>> tip = fm.bodies.Interface((1, 0), np.eye(2), [[0], [2]], [[3]])
    >>> strip = fm.bodies.ReducedBody(2.0, np.zeros((2, 2)), P, stiffness=[1e4], interfaces={"tip": tip})
    >>> m = fm.PlanarModel("m")
    >>> body = m.add_modal_body("strip", strip, position=(0, 1), field="linear")
    >>> body.at("tip").position.tolist(), [round(float(f), 6) for f in fm.modes(m, 4).frequencies[-1:]]
    ([1.0, 1.0], [15.915494])
    """

    interior_weld = InteriorWeld(WELD, WELD_ROWS, _weld_parameters)

    @property
    def kernels(self) -> Kernels:
        return MODAL_BODY

    def make_point(self, name: str, interface: Interface) -> BodyInterface:
        node, eta = self.frame.node, self.amplitudes
        moved = self.shown_body().interfaces[name]
        s = moved.position + moved.translation @ eta + 0.5 * moved.translation2 @ eta @ eta
        psi = float((moved.rotation @ eta + 0.5 * moved.rotation2 @ eta @ eta)[0])
        own = Node(node.position + rotation(node.angle) @ s, node.angle + _angle(interface) + psi)
        return BodyInterface(f"{self.name}.{name}", self.model, own, body=self, interface=name)

    def interface_data(self, interface: Interface) -> np.ndarray:
        arrays = [interface.translation, interface.rotation, interface.translation2, interface.rotation2]
        return np.concatenate([interface.position, [_angle(interface)], *(x.ravel() for x in arrays)])

    def scratch(self, slaves: int) -> int:
        return scratch(self.reduced.modes, slaves)

    def mass_parameters(self, body: ReducedBody) -> list[np.ndarray]:
        P = body.products
        return [body.first, np.trace(P, axis1=2, axis2=3), P[..., 0, 1] - P[..., 1, 0]]

    def place(self) -> BodyPlace:
        return BodyPlace(self.frame.name, (0.0, 0.0), self.reduced.mass, mesh=self.mesh_place())


def _angle(interface: Interface) -> float:
    """The angle of an interface against the reference frame [rad]."""
    return math.atan2(interface.orientation[1, 0], interface.orientation[0, 0])


MODAL_BODY = Kernels(
    "reduced body",
    residual=residual,
    tangent=tangent,
    energy=energy,
    point=point,
    point_jacobian=point_jacobian,
)
