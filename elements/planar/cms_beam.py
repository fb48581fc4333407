"""Planar beam by component mode synthesis, its large rotation coupled exactly.

Coordinates: the end nodes U = (x1, y1, θ1, x2, y2, θ2) and modal coordinates ξ = (ξx, ξy) of the axial and bending
eigenmodes of the clamped-clamped beam, Kobayashi (n.d.), eqs. (1)-(13). The body frame lies on the chord
d = R2 − R1 = l e(θ):

    c = (ū3, ū4, ū6, ξ),   ū3 = θ1 − θ,  ū4 = l − L,  ū6 = θ2 − θ                                       (9)
    s = (x + η ū4 + Φx ξx + ½ gᵀ H g,  b·g),   g = (ū3, ū6, ξy),   r = R1 + A(θ) s                      (4)
    b = (L(η − 2η² + η³), L(−η² + η³), Φy),   S(x) = ∫₀ˣ b'b'ᵀ dx,   H(x) = η S(L) − S(x)              (10)-(13)

That is without shear. With it, where the section has GA, sections turn by ψ·g against the chord, and b, ψ, S and the
stiffness are those of :class:`flexmb.elements.cms_shapes.ElementShapes`: the beam of Timoshenko (1921), shear condensed
statically; and sections have rotary inertia, ½ ∫ ρI (θ̇ + ψ·ġ)² dx.

The quadratic term is the shortening that bending causes; it keeps the axial strain uniform, so that the varying
centrifugal tension enters through inertia. Strain energy:

    ½ EA L ε² + ½ EI/L (ū3, ū6)[[4, 2], [2, 4]](ū3, ū6)ᵀ + ½ Σ k ξ²,   ε = ū4/L + ½ gᵀ S(L) g / L       (38), (47)

`axial="second_order"` is all of this; "mean" leaves H out of s; "chord" leaves S(L) out of ε too, exactly as the source
has it.

Sections have the strains of this energy, and β of a damping proportional to stiffness:

    N = EA (ε + Φx'·ξx + β (ε̇ + Φx'·ξ̇x)),   κ = ψ'·g,   M = EI (κ + β κ̇),   γ = −(EI/GA) ψ''·g,   Q = GA (γ + β γ̇)

With "chord", ε is ū4/L alone. All damping acts on the rates of (ū3, L ε, ū6, ξ): on the rate of the strain, not of the
chord, which bending shortens. The bending modes add, as a series, what the two cubics of the end angles leave out. A
moment that is linear along the element is exact by the cubics. Others converge slowest at the ends of the element, and
there the error of M falls with the second power of the number of modes, as it does with that of elements, and that of
Q with the first. Without GA there is no law for the shear force.

How the kernels work. In the coordinates y = (R1, θ, c) the beam is a body in a floating frame. Its s is linear in ζ =
(l; ξx; ½ g_i², g_i g_j), the amplitudes of the functions X = (η; Φx; H_ii, H_ij), and in g, the amplitudes of b:

    s = (X·ζ, b·g),    r̈ in body axes = (ax + X·A + b·B,  ay + X·D + b·C)
    A = ζ̈ − θ̇² ζ,   B = −(θ̈ g + 2 θ̇ ġ),   C = g̈ − θ̇² g,   D = θ̈ ζ + 2 θ̇ ζ̇

so all of the inertia is in one constant matrix, the integrals of the products of the functions (1, X, b). (Twenty Gauss
points do the same, but three times slower.) θ and l depend on the nodes through d only; with complex numbers
d = l e^{iθ}, and V, W = ḋ, d̈ turned into body axes, for a variation ζ of d in body axes:

    θ̇ = Vy/l,   θ̈ = Wy/l − 2 Vx Vy/l²,   l̇ = Vx,   l̈ = Wx + Vy²/l
    δθ = ζy/l,   δl = ζx,   δθ̇ = −Im(Vζ)/l²,   δl̇ = Vy ζy/l
    δθ̈ = Im(−Wζ/l² + 2V²ζ/l³),   δl̈ = (Wy − 2 Vx Vy/l) ζy/l − Vy² ζx/l²

θ is never computed as an angle: ū3 is minus the angle of d against node 1, between −π and π, and ū6 = θ2 − θ1 + ū3. So
a beam may turn a thousand times.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from flexmb.elements.beam import MEAN_AXIAL_FORCE, BeamElements
from flexmb.elements.beam_load import BeamLoad
from flexmb.elements.cms_folds import folding_by_chord, folding_by_shortening, folding_by_slopes, shortening
from flexmb.elements.cms_shapes import FIELDS, ElementShapes, element_shapes
from flexmb.elements.planar.cms.damping import damping_matrix
from flexmb.elements.planar.cms.forces import places, residual, sizes, stretching, stretching_rate, tables
from flexmb.elements.planar.cms.heat import CMS_HEAT
from flexmb.elements.planar.cms.inertia import (
    AXIAL,
    BENDING,
    BETA,
    DAMPED,
    EA,
    EI,
    FAR,
    FIELD,
    FUNCTIONS,
    GA,
    GX,
    GY,
    LENGTH,
    NEAR,
    RHO_A,
    TABLE,
    TURN1,
    TURN2,
    TURNING,
    amplitudes,
    loads_of,
    motion,
    velocity,
)
from flexmb.elements.planar.cms.load import put_load
from flexmb.elements.planar.cms.point import point, point_jacobian
from flexmb.elements.planar.cms.tangent import tangent
from flexmb.elements.planar.framed_beam import FramedBeam
from flexmb.kernels.blocks import Block, modal
from flexmb.kernels.compilation import compiled, kernel
from flexmb.kernels.contract import Kernels
from flexmb.kernels.fours import FOUR
from flexmb.kernels.views import matrix_view
from flexmb.model import checks
from flexmb.model.components import Assembler
from flexmb.model.damping import Damping, ModalDamping
from flexmb.model.doubted import Assembled
from flexmb.model.geometry.planar_properties import BeamProperties


@dataclass(eq=False)
class CmsBeam(FramedBeam):
    """Beam of component modes; one element does the work of eight elements of a cable.

    The field is of second order in the slopes against the chord. The error of a cantilever's end, in percent of its
    length, for several end slopes (measured, `flexmb validate bending-range`):

        end slope [rad]                      0.25    0.5     0.8    1.0    1.2    1.3    1.6    1.9
        1 element, dead force across         0.018   0.14    0.5    0.9    1.4
        1 element, buckled by a dead force                   1.6    2.2           3.2    4.6    6.4
        2 elements, dead force across        0.0015  0.012   0.05   0.11   0.21
        2 elements, buckled                                  0.01   0.015         0.04   0.1    0.22

    Where slopes within an element differ by more than a radian, a run warns and tells the number of elements to take.
    Far beyond this limit an element folds no further; its motion is then smooth, but not that of a beam
    (:mod:`flexmb.elements.cms_folds`).

    Options: `modes`, number of bending modes of an element; `axial_modes`, that of its axial modes; `axial`, the axial
    field: 'second_order', 'mean' or 'chord' (see the head of the module); `shear`: False leaves out shear, which
    there is where the section has GA, and with it the inertia of turning sections.

    >>> import flexmb as fm
    >>> m = fm.PlanarModel("m")
    >>> rod = m.add_beam("rod", (0, 0), (1, 0), properties=fm.planar.BeamProperties(EA=1e6, EI=10.0, rhoA=0.6), modes=2)
    >>> rod.length
    1.0
    """

    modes: int = 2
    axial_modes: int = 0
    axial: str = "second_order"
    shear: bool = True

    def check(self) -> None:
        super().check()
        where = self.where
        self.modes = checks.count(self.modes, "modes", where)
        self.axial_modes = checks.count(self.axial_modes, "axial_modes", where)
        checks.choice(self.axial, FIELDS, "axial", where)
        checks.flag(self.shear, "shear", where)
        if isinstance(self.damping, ModalDamping):
            self.damping.check(3 + self.axial_modes + self.modes, where)

    @property
    def width(self) -> int:
        return 6 + self.modes + self.axial_modes

    @property
    def means(self) -> frozenset[str]:  # type: ignore[override]
        return frozenset() if self.axial_modes else MEAN_AXIAL_FORCE

    def slope_differences(self, system: Assembled, q: np.ndarray) -> np.ndarray:
        shapes = self.shapes
        numbers = system.coordinates_of(self.name, CMS)
        out = np.empty((len(q), len(numbers)))
        put_slope_ranges(q, numbers, np.array(self.node_turns()), self.axial_modes, shapes.slopes, out)
        return out

    @property
    def kernels(self) -> Kernels:
        return CMS

    @property
    def heat_kernels(self) -> Kernels:
        return CMS_HEAT

    def heat_room(self, elements: BeamElements) -> int:
        return 3 * (self.width - 3) + 4 * (2 + self.modes)

    @property
    def has_shear(self) -> bool:  # type: ignore[override]
        return self.shear

    @property
    def shapes(self) -> ElementShapes:
        """The shapes of one of its equal elements."""
        L, given = self.length / int(self.elements), self.properties
        shear = given.EI / (given.GA * L**2) if self.shear else 0.0
        return element_shapes(L, self.axial_modes, self.modes, self.axial, shear)

    def elements_in(self, assembly: Assembler) -> BeamElements:
        count = int(self.elements)
        L = self.length / count
        shapes = self.shapes
        table, turning = _table(shapes, self.properties, self.damping)
        turns = self.node_turns()
        coordinates = self.numbers_in(assembly, self._element_coordinates)
        n = coordinates.shape[1]
        head = np.zeros(TABLE)  # the same for all elements; only their turns differ
        head[GX], head[GY] = assembly.gravity
        head[LENGTH], head[EA], head[EI], head[RHO_A] = L, self.properties.EA, self.properties.EI, self.properties.rhoA
        functions = len(shapes.gram)
        head[AXIAL], head[BENDING], head[FUNCTIONS] = self.axial_modes, self.modes, functions
        head[[NEAR, FAR]], head[TURNING] = shapes.end_factors, turning
        head[GA] = self.properties.GA if shapes.shear else 0.0
        head[FIELD], head[DAMPED] = FIELDS.index(self.axial), self.damping is not None
        head[BETA] = self.damping_time
        p = np.empty((count, TABLE + len(table)))
        p[:, :TABLE], p[:, TABLE:] = head, table
        p[:, TURN1], p[:, TURN2] = turns[:-1], turns[1:]
        return BeamElements(coordinates, p, n * n + 24 * n + 24 + (3 * n + 12) * functions)

    def assemble_load(self, assembly: Assembler, load: BeamLoad) -> None:
        """Add a distributed load on the beam's coordinates."""
        put_load(self.node_turns(), self.shapes, self.numbers_in(assembly, self._element_coordinates), assembly, load)

    def _element_coordinates(self, assembly: Assembler) -> np.ndarray:
        """Numbers (elements, n) of the coordinates of all elements."""
        count = int(self.elements)
        numbers: list[np.ndarray] = []
        before = [block.v for block in assembly.node(self.chain[0])]
        for e in range(count):
            after = [block.v for block in assembly.node(self.chain[e + 1])]
            amplitudes = _amplitudes("" if count == 1 else f"element{e}.", self.axial_modes, self.modes)
            (own,) = assembly.coordinates(self, [amplitudes], np.zeros(amplitudes.size))
            numbers += [*before, *after, own.v]
            before = after
        return np.concatenate(numbers).reshape(count, -1)

    def point_data(self, s: float) -> np.ndarray:
        """Values of the shapes at a local place s ∈ [0, 1] of an element, for the point and section kernels."""
        return _values_at(self.shapes, float(s))


@lru_cache(maxsize=2048)
def _values_at(shapes: ElementShapes, s: float) -> np.ndarray:
    """Rows of values and strains of the shapes at a place. They are kept, since each picture asks for
    the places of the one before."""
    eta = np.array([s])
    return np.concatenate([shapes.at(eta).ravel(), shapes.strains(eta).ravel()])


@lru_cache(maxsize=64)
def _table(shapes: ElementShapes, p: BeamProperties, damping: Damping | None) -> tuple[np.ndarray, bool]:
    """Numbers that stand behind the head of an element's parameters, and whether sections that turn have inertia. They
    are kept, as the shapes are: a study has beams of the same kind, and each run begins with its assembly."""
    L = shapes.length
    k_axial = p.EA / L * shapes.axial_factors / 2
    k_bending = p.EI / L**3 * shapes.bending_factors
    S = np.zeros_like(shapes.S_end) if shapes.field == "chord" else shapes.S_end
    turning = p.rhoI * shapes.turning if shapes.shear and p.rhoI else np.zeros((0, 0))
    damped = damping_matrix(shapes, p, damping, k_axial, k_bending, turning)
    gram = np.pad(p.rhoA * shapes.gram, ((0, 0), (0, -len(shapes.gram) % FOUR)))
    parts = [k_axial, k_bending, S, damped, gram, turning]
    return np.concatenate([part.ravel() for part in parts]), len(turning) > 0


@lru_cache(maxsize=1024)
def _amplitudes(tag: str, axial: int, bending: int) -> Block:
    """The amplitudes of an element's modes."""
    return modal([*(f"{tag}axial{k + 1}" for k in range(axial)), *(f"{tag}bending{k + 1}" for k in range(bending))])


# -- kernels --------------------------------------------------------------------------------------------------------


@compiled
def put_slope_ranges(q, numbers, turns, axial, slopes, out):
    """out (k, elements) = the largest less the smallest of the slopes S g (p,) within each element, at positions q
    (k, total); `numbers` (elements, n) of its coordinates, `turns` (elements + 1,) of its nodes, S = `slopes`. Whole
    turns of the ends against the chord are left out, by the mean of both."""
    for k in range(q.shape[0]):
        for e in range(numbers.shape[0]):
            own = numbers[e]
            first, second = q[k, own[2]] - turns[e], q[k, own[5]] - turns[e + 1]
            chord = math.atan2(q[k, own[4]] - q[k, own[1]], q[k, own[3]] - q[k, own[0]])
            swing, between = first - chord, second - first
            swing -= 2.0 * math.pi * math.floor((2.0 * swing + between) / (4.0 * math.pi) + 0.5)
            least, most = math.inf, -math.inf
            for i in range(slopes.shape[0]):
                slope = slopes[i, 0] * swing + slopes[i, 1] * (swing + between)
                for j in range(2, slopes.shape[1]):
                    slope += slopes[i, j] * q[k, own[4 + axial + j]]
                least, most = min(least, slope), max(most, slope)
            out[k, e] = most - least


@kernel
def energy(p, iq, iv, t, q, v, a, lam, w, out, K, work):
    for i in range(p.shape[0]):
        L = p[i, LENGTH]
        m, ng, nl, nx, second = sizes(p, i)
        nf = 1 + nx + ng
        S, damping, gram, turning = tables(p, i, nl, ng, nf)
        co, si, l, Vx, Vy, Wx, Wy, om, al, ax, ay = motion(p, iq, iv, i, q, v, a, work)
        c, g, zeta, fields, loads, _ = places(work, nl, ng, nx)
        amplitudes(m, ng, second, l, c, g, zeta)
        vx, vy = v[iv[i, 0]], v[iv[i, 1]]
        velocity(om, co * vx + si * vy, co * vy - si * vx, zeta, g, fields)
        loads_of(gram, fields, loads)
        kinetic = 0.0
        for e in range(nf):
            kinetic += 0.5 * (fields[0, e] * loads[0, e] + fields[1, e] * loads[1, e])
        for j in range(turning.shape[0]):
            for k in range(turning.shape[0]):
                kinetic += 0.5 * turning[j, k] * (om if j == 0 else g[1, j - 1]) * (om if k == 0 else g[1, k - 1])
        # first moments of mass in body axes, by the first row of the matrix of integrals
        sx = 0.0
        sy = 0.0
        for e in range(nx):
            sx += gram[0, 1 + e] * zeta[0, e]
        for b in range(ng):
            sy += gram[0, 1 + nx + b] * g[0, b]
        mass = gram[0, 0]
        potential = -p[i, GX] * (mass * q[iq[i, 0]] + co * sx - si * sy)
        potential -= p[i, GY] * (mass * q[iq[i, 1]] + si * sx + co * sy)
        strain = c[0, 1] / L
        c0 = c[0, 0]
        c2 = c[0, 2]
        folded = folding_by_slopes(c0 + c2)[0] + folding_by_chord(l, L)[0]
        growth = 1.0
        if p[i, FIELD] > 0.0:
            bent = 0.5 * stretching(S, g) / L
            shorter, growth, _ = shortening(bent)
            strain += shorter
            folded += folding_by_shortening(bent)[0]
        elastic = 0.5 * p[i, EA] * L * strain * strain
        elastic += p[i, EI] / L * (0.5 * p[i, NEAR] * (c0 * c0 + c2 * c2) + p[i, FAR] * c0 * c2 + folded)
        for k in range(3, nl):
            elastic += 0.5 * p[i, TABLE + k - 3] * c[0, k] ** 2
        lost = 0.0
        if p[i, DAMPED] != 0.0:
            if p[i, FIELD] > 0.0:
                c[1, 1] += growth * stretching_rate(S, g)
            for j in range(nl):
                for k in range(nl):
                    lost += c[1, j] * damping[j, k] * c[1, k]
        out[i, 0] = kinetic
        out[i, 1] = elastic
        out[i, 2] = potential
        out[i, 3] = lost


@kernel
def section(p, iq, iv, t, q, v, a, lam, w, out, K, work):
    for i in range(p.shape[0]):
        L = p[i, LENGTH]
        m = int(p[i, AXIAL])
        ng = 2 + int(p[i, BENDING])
        nl = 1 + m + ng
        g = 3 * nl
        motion(p, iq, iv, i, q, v, a, work)
        # in w, after the values for the point kernel: Φx', ψ', γ
        at = 2 + m + 2 * ng + ng * ng
        strain = work[1] / L
        rate = work[nl + 1] / L
        for k in range(m):
            strain += w[at + k] * work[3 + k]
            rate += w[at + k] * work[nl + 3 + k]
        if p[i, FIELD] > 0.0:
            S = matrix_view(p[i], TABLE + nl - 3, ng, ng)
            amplitudes_of_g = matrix_view(work, g, 3, ng)
            shorter, growth, _ = shortening(0.5 * stretching(S, amplitudes_of_g) / L)
            strain += shorter
            rate += growth * stretching_rate(S, amplitudes_of_g) / L
        kappa = 0.0
        turning = 0.0
        sheared = 0.0
        for k in range(ng):
            kappa += w[at + m + k] * work[g + k]
            turning += w[at + m + k] * work[g + ng + k]
            sheared += w[at + m + ng + k] * (work[g + k] + p[i, BETA] * work[g + ng + k])
        out[i, 0] = strain
        out[i, 1] = kappa
        out[i, 2] = p[i, EA] * (strain + p[i, BETA] * rate)
        out[i, 3] = p[i, GA] * sheared if p[i, GA] > 0.0 else math.nan
        out[i, 4] = p[i, EI] * (kappa + p[i, BETA] * turning)


CMS = Kernels("CMS beam", residual, tangent, energy, point=point, section=section, point_jacobian=point_jacobian)
