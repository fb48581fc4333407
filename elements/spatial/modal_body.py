"""Reduced body in space: a flexible body by its modes, in a floating frame, with a field of second order.

The frame (r, R) has the coordinates of a node; ω and α stand in its own axes. In it the body deforms by n modes with
amplitudes η and slave shapes with ζ_m = ½ ηᵀ T^m η (:mod:`flexmb.bodies.reduced_body`). With a = (η, ζ),
A = [1; ηᵀT^m], ȧ = A η̇, ä = A η̈ + (0, η̇ᵀT^mη̇), f = (1, a), u = Rᵀ(r̈ − gravity) and 𝒲 = α̃ + ω̃ω̃,

    p_F = Σ_G f_G P_GF,      H_F = u c_Fᵀ + 𝒲 p_F + 2 ω̃ ṗ_F + p̈_F        = ∫ (acceleration − gravity) Fᵀ dm
    on r: R (m u + 𝒲 c + 2 ω̃ ċ + c̈),      on the turn: with B = Σ_F f_F H_F:  (B₃₂ − B₂₃, B₁₃ − B₃₁, B₂₁ − B₁₂)
    on η: Aᵀ (tr H_k)_k + Λ η + 2 D √Λ η̇

The inertia is complete: Coriolis, centrifugal and Euler forces, gravity, and all of the slaves. Where the field is
quadratic the strain energy is ½ ηᵀΛη up to third order, and the geometric stiffness of every load, of inertia too, is
what the slaves and the second-order rows of interfaces make of it.

An interface stands at p = X + Φη + ½ ηᵀTη with the axes R exp(ψ̃) Λ₀, ψ = Φʳη + ½ ηᵀTʳη. With D = Φ + ηᵀT and
W = Φʳ + ηᵀTʳ it moves with

    ṗ = ṙ + R (ω × p + D η̇),      Ω = R (ω + V W η̇),      V = 1 + (1 − cos ψ)/ψ² ψ̃ + (ψ − sin ψ)/ψ³ ψ̃²

so that power is balanced, and a force and a moment there act on η by Dᵀ f̂ + Wᵀ Vᵀ m̂.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from scipy.spatial.transform import Rotation

from flexmb.bodies.reduced_body import Interface, ReducedBody
from flexmb.elements.beam import InteriorWeld
from flexmb.elements.interior import Interior
from flexmb.elements.modal_body import AnyModalBody, OnBody
from flexmb.elements.spatial.attraction.modal import ModalAttraction
from flexmb.elements.spatial.interior import WELD, WELD_ROWS
from flexmb.elements.spatial.modal.inertia import energy, residual, scratch
from flexmb.elements.spatial.modal.places import AXES, SHAPES, point, point_jacobian
from flexmb.elements.spatial.modal.tangent import tangent
from flexmb.kernels import rotations
from flexmb.kernels.contract import Kernels
from flexmb.model.appearance import BodyPlace
from flexmb.model.components import Component
from flexmb.model.flexible_bodies import FlexibleBody, FlexiblePlace
from flexmb.model.gravity.fields import CentralGravity
from flexmb.model.orientations import scalar_first
from flexmb.model.spatial_frames import Frame, SpatialNode


@dataclass(eq=False, repr=False)
class BodyInterface(OnBody, Frame):
    """An interface of a reduced body in space, see :class:`~flexmb.elements.modal_body.OnBody`.

    >>> import flexmb as fm
    >>> steel, tube = fm.Material(7850, 205e9, 0.3), fm.Tube(outer_diameter=0.04, inner_diameter=0.034)
    >>> side = fm.bodies.Member(("a", "b"), steel, tube)
    >>> rod = fm.bodies.from_frame({"a": (0, 0, 0), "b": (1, 0, 0)}, [side], interfaces={"end": "b"}, modes=2)
    >>> m = fm.SpatialModel("m")
    >>> point = m.add_modal_body("rod", rod).at("end")
    >>> point.interface, (point.position + 0.0).round(9).tolist()
    ('end', [1.0, 0.0, 0.0])
    """

    body: Any = None
    interface: str = ""


def _weld_parameters(place: Interior, on: Any) -> np.ndarray:
    """The parameters of the weld of an interface."""
    return np.concatenate([place.parameters, on.offset, on.axes])


@dataclass(eq=False, repr=False)
class ModalBody(AnyModalBody):
    """A reduced flexible body in space; see :meth:`flexmb.SpatialModel.add_modal_body`.

    Arguments: `name`; `model`; `reduced`, a :class:`flexmb.bodies.ReducedBody`; its reference `frame`; `field`,
    'quadratic' or 'linear'; `geometric_stiffness` of unit loads, of a linear field; `damping`, that of the reduced body
    when not given; `amplitudes` and `amplitude_rates` (n,) of its modes at the start, zero when not given.

    >>> import flexmb as fm
    >>> P = np.zeros((2, 2, 3, 3))
    >>> P[0, 0], P[1, 1] = np.diag([0.3, 0.2, 0.1]), np.diag([0.0, 1.0, 0.0])
    >>> tip = fm.bodies.Interface((1, 0, 0), np.eye(3), [[0], [2], [0]], [[0], [0], [3]])
    >>> plate = fm.bodies.ReducedBody(2.0, np.zeros((2, 3)), P, stiffness=[1e4], interfaces={"tip": tip})
    >>> m = fm.SpatialModel("m")
    >>> body = m.add_modal_body("plate", plate, position=(0, 0, 1), field="linear")
    >>> body.at("tip").position.tolist(), [round(float(f), 6) for f in fm.modes(m, 7).frequencies[-1:]]
    ([1.0, 0.0, 1.0], [15.915494])
    """

    dimension = 3
    interior_weld = InteriorWeld(WELD, WELD_ROWS, _weld_parameters)

    @property
    def kernels(self) -> Kernels:
        return MODAL_BODY

    def make_point(self, name: str, interface: Interface) -> BodyInterface:
        node, eta = self.frame.node, self.amplitudes
        moved = self.shown_body().interfaces[name]
        s = moved.position + moved.translation @ eta + 0.5 * moved.translation2 @ eta @ eta
        psi = moved.rotation @ eta + 0.5 * moved.rotation2 @ eta @ eta
        axes = rotations.product(rotations.exp(tuple(psi.tolist())), tuple(_quaternion(interface).tolist()))
        turn = tuple(node.orientation.tolist())
        place = node.position + np.array(rotations.turned(turn, tuple(s.tolist())))
        own = SpatialNode(place, np.array(rotations.product(turn, axes)))
        return BodyInterface(f"{self.name}.{name}", self.model, own, body=self, interface=name)

    def interface_data(self, interface: Interface) -> np.ndarray:
        arrays = [interface.translation, interface.rotation, interface.translation2, interface.rotation2]
        parts = [interface.position, _quaternion(interface), *(x.ravel() for x in arrays)]
        return np.concatenate(parts)

    def mass_parameters(self, body: ReducedBody) -> list[np.ndarray]:
        return [body.first, body.products]

    def scratch(self, slaves: int) -> int:
        return scratch(self.reduced.modes, slaves)

    def flexible_body(self, parameters: np.ndarray) -> FlexibleBody | None:
        if self.kernels is not MODAL_BODY:  # a body with equations of its own
            return None
        body, n = self.shown_body(), self.reduced.modes
        turn = np.array([1.0, 0.0, 0.0, 0.0])
        inertia = body.mass, body.first, body.products, body.slaves, body.stiffness, self.damping_of_modes()
        return FlexibleBody(turn, *inertia, partial(_place_of, n))

    def attraction(self, gravity: CentralGravity) -> Component | None:
        return ModalAttraction(self, gravity) if self.kernels is MODAL_BODY else None

    def place(self) -> BodyPlace:
        J = self.reduced.inertia
        six = (J[0, 0], J[1, 1], J[2, 2], J[0, 1], J[0, 2], J[1, 2])
        inertia = tuple(map(float, six))
        return BodyPlace(self.frame.name, (0.0, 0.0, 0.0), self.reduced.mass, None, inertia, mesh=self.mesh_place())


def _place_of(n: int, data: np.ndarray) -> FlexiblePlace:
    """The place on a body of n modes of which :meth:`ModalBody.interface_data` are the data."""
    first, second = data[SHAPES : SHAPES + 6 * n].reshape(2, 3, n), data[SHAPES + 6 * n :].reshape(2, 3, n, n)
    return FlexiblePlace(data[:AXES], data[AXES:SHAPES], *first, *second)


def _quaternion(interface: Interface) -> np.ndarray:
    """The axes of an interface against the reference frame, as a quaternion (4,)."""
    return np.asarray(scalar_first(Rotation.from_matrix(np.array(interface.orientation))))


MODAL_BODY = Kernels(
    "reduced body in space",
    residual=residual,
    tangent=tangent,
    energy=energy,
    point=point,
    point_jacobian=point_jacobian,
)
