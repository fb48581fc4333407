"""Beam in space by component mode synthesis, its large rotation coupled exactly.

Coordinates: the two end nodes, each a place R_i and an orientation with the section axes Λ_i (x along the undeformed
beam), and the amplitudes of shapes that move no node, ξx, ξv, ξw, ξt: axial and bending modes of the clamped-clamped
beam, and polynomials of torsion. The planar element (:mod:`flexmb.elements.planar.cms_beam`, Kobayashi (n.d.)) is its
special case, with the same shapes.

The body frame E has its x-axis along the chord d = R₂ − R₁ = l e_x. It is Λ₁, swung onto the chord by the smallest
turn, then turned about it so that the twists of the ends against it are −φ and +φ: the mean of both is zero. The swings
of the ends against E, u_i = (v'_i, w'_i), are the slopes of the ends, in a plane the angles ū3 and ū6:

    Eᵀ Λ_i = S(u_i) Rx(∓φ),    S(u) = exp (0, −w', v')~
    ū4 = l − L,    g_v = (v'₁, v'₂, ξv),    g_w = (w'₁, w'₂, ξw),    g_t = (φ, ξt)

Field, with the shapes b, ψ and H of the plane (each plane of bending has its own where shear is not as flexible against
bending as in the other; without shear ψ is b'), Φx = sin kπη, and τ = (2η − 1, τ_k) of torsion, where τ₁ = 4η (1 − η)
and further ones are polynomials of higher degree (:func:`flexmb.elements.cms_shapes.bubbles`):

    s = (x + η ū4 + Φx ξx + ½ g_vᵀ H g_v + ½ g_wᵀ H g_w,  b·g_v,  b·g_w),     r = R₁ + E s,     R = E S(ψ·g) Rx(τ·g_t)
    ε = ū4/L + ½ (g_vᵀ S g_v + g_wᵀ S g_w)/L,     κ̃ = RᵀR'     exactly (:mod:`flexmb.elements.spatial.cms.curvature`)
    U = ½ EA L ε² + ½ ∫ (GJ κ₁² + EIy κ₂² + EIz κ₃² + GAy γ_v² + GAz γ_w²) dx + ½ Σ k ξx²
    T = ½ ∫ ρA ṙ² dx + ½ ∫ ωᵀ R diag(ρIp, ρIy, ρIz) Rᵀ ω dx

To second order κ₁ = φ' − ½ (v' w'' − w' v''), κ₂ = −w'' + φ v'', κ₃ = v'' + φ w'': bending in both planes twists, and
twist turns bending, without which no strip would buckle sideways; take torsion modes where EIy and EIz differ.
`axial="second_order"` is all of this; "mean" leaves H out of s; "chord" leaves S out of ε too.

Sections have N = EA (ε + Φx'·ξx), the torque GJ κ₁ and the moments EIy κ₂ and EIz κ₃; damping proportional to stiffness
adds β times the rates. Their shear forces Q balance these moments, M' + κ × M + e_x × Q = 0 in the axes of the section,
and its shear strains are Qy/GAy and Qz/GAz; without GA there is no law for a shear force. In small bending they are the
strains γ of the energy, against the axes of the frame. With twist M_z' is EIz (v''' + φ' w'' + φ w'''), of which each
part is many times the force where EIz is the larger stiffness.

The equations are Lagrange's, without any term left out; the parts are explained in the folder cms beside this file:
frame.py (motion of the chord frame), swing.py, inertia.py, disks.py (rotary inertia) and strains.py. The derivatives of
all of them are closed forms. φ counts up to a twist of a whole turn between the nodes. Beyond one of
5.5 rad, beyond a swing of 2 rad of an end against the chord, and where the plane has them too, energies of folding stop
the element (:mod:`flexmb.elements.cms_folds`).
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from flexmb.elements.beam import MEAN_AXIAL_FORCE, BeamElements
from flexmb.elements.beam_load import BeamLoad
from flexmb.elements.cms_folds import TWIST
from flexmb.elements.cms_shapes import FIELDS
from flexmb.elements.spatial.attraction.cms import CmsAttraction
from flexmb.elements.spatial.beam import Beam
from flexmb.elements.spatial.cms.element import SpatialCmsElement
from flexmb.elements.spatial.cms.forces import energy, residual
from flexmb.elements.spatial.cms.frame import slopes_of_ends
from flexmb.elements.spatial.cms.heat import SPATIAL_CMS_HEAT, scratch
from flexmb.elements.spatial.cms.load import put_load
from flexmb.elements.spatial.cms.point import point, point_jacobian, section
from flexmb.elements.spatial.cms.tangent import tangent
from flexmb.errors import ModelError
from flexmb.kernels.blocks import Numbers, joined
from flexmb.kernels.contract import Kernels
from flexmb.model import checks
from flexmb.model.components import Assembler, Component
from flexmb.model.damping import ModalDamping
from flexmb.model.doubted import Assembled, Doubt
from flexmb.model.gravity.fields import CentralGravity

#: a beam that is twisted and too stiff in bending is a doubt from this part of its length on
NOTICEABLE = 5e-3
#: By what part an element with 0, 1 or 2 modes along each axis is stiffer in bending twisted by φ: c φ^n times
#: EIz/EIy − 1, or EIy/EIz − 1, and a quarter of that for each further mode. The end moves by this part of how much the
#: element bends. Measured against 32 exact elements, with EIz/EIy from 2 to 100 and GJ/EIy from ½ to 3.
STIFFER = ((5e-3, 2), (2e-4, 4), (1.2e-5, 5))


@dataclass(eq=False)
class CmsBeam(Beam):
    """Beam of component modes in space; one element does the work of eight elements of a cable.

    The field is of second order in the slopes against the chord: where slopes within an element differ by more than a
    radian, a run warns and tells the number of elements to take.

    Options: `modes`, number of bending modes of an element, one number for both planes or (along y, along z);
    `torsion_modes` and `axial_modes`; `axial`, the axial field: 'second_order', 'mean' or 'chord' (see the head of the
    module); `shear`: False leaves out shear, which there is where the section has GAy and GAz.

    >>> import flexmb as fm
    >>> from flexmb.elements.spatial.cms_beam import CmsBeam
    >>> m = fm.SpatialModel("m")
    >>> given = fm.spatial.BeamProperties(EA=1e6, EIy=10.0, EIz=20.0, GJ=15.0, rhoA=0.6)
    >>> rod = CmsBeam.build(m, "rod", m.ground, (1, 0, 0), given, 1, None, modes=2, torsion_modes=0)
    >>> fm.System(m).n  # the end, and two amplitudes in each plane
    10
    """

    modes: Any = 2
    torsion_modes: int | None = None
    axial_modes: int = 0
    axial: str = "second_order"
    shear: bool = True
    shear_of_moments = True

    def check(self) -> None:
        super().check()
        where = self.where
        self.modes = self._modes_of_planes()
        if self.torsion_modes is None:
            self.torsion_modes = 1 if self.properties.polar_inertia > 0.0 else 0
        self.torsion_modes = checks.count(self.torsion_modes, "torsion_modes", where)
        self.axial_modes = checks.count(self.axial_modes, "axial_modes", where)
        checks.choice(self.axial, FIELDS, "axial", where)
        checks.flag(self.shear, "shear", where)
        if isinstance(self.damping, ModalDamping):
            self.damping.check(6 + sum(self.modes) + self.torsion_modes + self.axial_modes, where)

    def _modes_of_planes(self) -> tuple[int, int]:
        """Numbers of bending modes along y and along z."""
        given = (self.modes, self.modes) if isinstance(self.modes, (int, np.integer)) else self.modes
        if isinstance(given, (str, float)) or checks.shape_of(given) != (2,):
            raise ModelError(
                f"{self.where}: modes is {checks.quoted(self.modes)}; give one number, or two: bending modes along y "
                "and along z"
            )
        y, z = (checks.count(number, "modes", self.where) for number in given)
        return y, z

    @property
    def width(self) -> int:
        return 12 + sum(self.modes) + int(self.torsion_modes or 0) + self.axial_modes

    @property
    def mass_points(self) -> int:  # type: ignore[override]
        return 8 + 2 * max(self._modes_of_planes())  # to 6e-6 of what bending adds to the forces

    def attraction(self, gravity: CentralGravity) -> Component | None:
        return CmsAttraction(self, gravity)

    @property
    def kernels(self) -> Kernels:
        return SPATIAL_CMS

    @property
    def heat_kernels(self) -> Kernels:
        return SPATIAL_CMS_HEAT

    def heat_room(self, elements: BeamElements) -> int:
        return scratch(self.element.local)

    @property
    def has_shear(self) -> bool:  # type: ignore[override]
        return self.shear

    @property
    def element(self) -> SpatialCmsElement:
        """The data of one of its equal elements."""
        y, z = self.modes
        numbers = y, z, int(self.torsion_modes or 0), self.axial_modes
        length = self.length / int(self.elements)
        return _element(length, self.properties, *numbers, self.axial, self.damping, self.shear)

    def elements_in(self, assembly: Assembler) -> BeamElements:
        turns = self.node_turns()
        element = self.element
        p = [element.parameters(assembly.gravity, a, b) for a, b in itertools.pairwise(turns)]
        return BeamElements(self._element_coordinates(assembly), np.array(p), element.work)

    def assemble_load(self, assembly: Assembler, load: BeamLoad) -> None:
        put_load(self.element, self.elements_of(assembly), assembly, load)

    def _element_coordinates(self, assembly: Assembler) -> Numbers:
        """Numbers of the coordinates of all elements, (elements, nq) and (elements, nv)."""
        count = int(self.elements)
        rows = []
        before = assembly.node(self.chain[0])
        for e in range(count):
            after = assembly.node(self.chain[e + 1])
            blocks = self.element.amplitudes("" if count == 1 else f"element{e}.")
            own = assembly.coordinates(self, blocks, np.zeros(self.element.modes)) if blocks else ()
            rows.append(joined([*before, *after, *own]))
            before = after
        return Numbers(np.array([row.q for row in rows]), np.array([row.v for row in rows]))

    def point_data(self, s: float) -> np.ndarray:
        return self.element.point_data(s)

    @property
    def means(self) -> frozenset[str]:  # type: ignore[override]
        return frozenset() if self.axial_modes else MEAN_AXIAL_FORCE

    def slope_differences(self, system: Assembled, q: np.ndarray) -> np.ndarray:
        along_y, along_z = (x.slopes for x in self.element.planes)
        out = np.empty((len(q), int(self.elements)))
        for e, (gv, gw, _) in enumerate(self._bending(system, q)):
            along = np.stack([gv @ along_y.T, gw @ along_z.T], axis=-1)
            apart = np.linalg.norm(along[:, :, None] - along[:, None], axis=-1)
            out[:, e] = apart.max(axis=(1, 2))
        return out

    def shears_of_bending(self, system: Assembled, q: np.ndarray, eta: np.ndarray) -> np.ndarray:
        given = self.properties
        y, z = (x.bent(eta).change for x in self.element.planes)
        twists = self.element.sections(eta)[:, 4 + sum(self.modes) : 5 + sum(self.modes) + int(self.torsion_modes or 0)]
        out = []
        for gv, gw, gt in self._bending(system, q):
            gamma_y, gamma_z = -given.EIz / given.GAy * (y @ gv.T), -given.EIy / given.GAz * (z @ gw.T)
            co, si = np.cos(twists @ gt.T), np.sin(twists @ gt.T)
            with np.errstate(invalid="ignore"):  # a plane without shear has no law for its force
                turned = given.GAy * (co * gamma_y + si * gamma_z), given.GAz * (co * gamma_z - si * gamma_y)
            out.append(np.stack(turned, axis=-1))
        return np.array(out)

    def _bending(self, system: Assembled, q: np.ndarray) -> Iterator[tuple[np.ndarray, np.ndarray, np.ndarray]]:
        """Of each element the coordinates of bending along y and along z (k, g), and of torsion."""
        (y, z), at = self.modes, 14 + self.axial_modes
        for own, ends in self._ends(system, q):
            gv, gw = np.zeros((2, len(own), 2 + self.element.bending))
            gv[:, :2], gw[:, :2] = ends[:, [0, 2]], ends[:, [1, 3]]
            gv[:, 2 : 2 + y], gw[:, 2 : 2 + z] = own[:, at : at + y], own[:, at + y : at + y + z]
            yield gv, gw, np.column_stack([ends[:, 4], own[:, at + y + z :]])

    def shear_of_planes(self) -> tuple[float, ...]:
        given = self.properties
        if not self.shear or math.isclose(given.EIy, given.EIz, rel_tol=1e-6):
            return ()
        return float(given.GAy), float(given.GAz)

    def doubts(self, system: Assembled, q: np.ndarray) -> list[Doubt]:
        """A warning if an element bends, or else twists, or bends while it twists, beyond the range of its theory."""
        if found := super().doubts(system, q):
            return found
        twists = np.array([2.0 * np.abs(ends[:, 4]) for _, ends in self._ends(system, q)]).T
        count, most = int(self.elements), float(np.max(twists))
        parts = f"{count} element{'s' if count > 1 else ''}: by up to {most:.3g} rad within an element"
        if most > (limit := 2.0 * TWIST):
            text = f"twisted too far for {parts}, which is stiff beyond {limit:g} rad; {self.remedy(2 * count)}"
            return [Doubt(int(np.argmax(twists.max(axis=1) > limit)), f"{self.where} is {text}")]
        given, modes = self.properties, min(self.modes)
        ratio, (c, power) = max(given.EIy, given.EIz) / min(given.EIy, given.EIz), STIFFER[min(modes, 2)]
        if ratio == 1.0:
            return []
        stiffer, bent = c * 4.0 ** min(2 - modes, 0) * (ratio - 1.0) * twists**power, self.slope_differences(system, q)
        off = stiffer / (1.0 + stiffer) * bent
        if not (worst := float(np.max(off))) > NOTICEABLE:
            return []
        more = math.ceil(count * (np.max(stiffer * bent) / NOTICEABLE) ** (1.0 / power))
        text = (
            f"{self.where} bends, and is twisted too far for {parts}, whose shapes of bending do not turn with its "
            f"sections: its end may be off by {100.0 * worst:.2g} % of its length; "
            f"{self.remedy(more)}, or theory='exact'"
        )
        return [Doubt(int(np.argmax(off.max(axis=1) > NOTICEABLE)), text)]

    def _ends(self, system: Assembled, q: np.ndarray) -> Iterator[tuple[np.ndarray, np.ndarray]]:
        """Of each element its coordinates (k, nq), and (k, 5) the slopes of its ends and half of its twist, as
        :func:`~flexmb.elements.spatial.cms.frame.slopes_of_ends` gives them."""
        turns, q = self.node_turns(), np.ascontiguousarray(q, dtype=float)
        for e, numbers in enumerate(system.coordinates_of(self.name, SPATIAL_CMS)):
            ends = np.empty((len(q), 5))
            slopes_of_ends(q, numbers, turns[e], turns[e + 1], ends)
            yield q[:, numbers], ends


@lru_cache(maxsize=64)
def _element(*data: Any) -> SpatialCmsElement:
    """The data of an element, kept, since a study has similar models."""
    return SpatialCmsElement(*data)


SPATIAL_CMS = Kernels(
    "CMS beam in space",
    residual=residual,
    tangent=tangent,
    energy=energy,
    point=point,
    section=section,
    point_jacobian=point_jacobian,
)
