"""A reduced flexible body: all numbers of a body with n modes that its motion needs, whatever they were made of.

In the body's reference frame its field is linear in the amplitudes a = (η, ζ) of n modes and n_s slave shapes, which
follow the modes by ζ_m = ½ ηᵀ T^m η:

    s(X) = X + Σ φ_k(X) η_k + Σ χ_m(X) ζ_m

With F₀ = X and F_k the shapes, φ first and χ behind them, the inertia consists of the mass and of

    c_F = ∫ F dm,    P_FG = ∫ F Gᵀ dm

which Wallrapp (1993) lists by their parts σ, e, d, z, C and B. An interface k is a frame on the body; by the modes it
moves and turns, both in axes of the reference frame, by

    p_k = X_k + Φ_k η + ½ ηᵀ T_k η,    Λ_k = exp(ψ_k) Λ_k0,    ψ_k = Φʳ_k η + ½ ηᵀ Tʳ_k η

In the plane all vectors have two numbers and a rotation has one.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from flexmb.bodies.meshes.body_mesh import BodyMesh
from flexmb.bodies.meshes.fixed_arrays import ROUNDING, fixed, fixed_array, fixed_axes, fixed_symmetric
from flexmb.errors import ModelError
from flexmb.model import checks, given_names
from flexmb.model.hints import AnswersCalls


@dataclass(frozen=True, eq=False)
class Interface(metaclass=AnswersCalls):
    """A frame of a reduced body on which joints, springs and loads stand, and how modes move it.

    Arguments, in axes of the reference frame, with d = 3 and r = 3 in space, 2 and 1 in the plane: `position` (d,) [m];
    `orientation` (d, d), its axes as columns; `translation` (d, n) and `rotation` (r, n): Φ and Φʳ; `translation2`
    (d, n, n) and `rotation2` (r, n, n): T and Tʳ, zeros when not given.

    >>> import numpy as np
    >>> tip = Interface((1, 0, 0), np.eye(3), np.zeros((3, 2)), np.zeros((3, 2)))
    >>> tip.translation2.shape
    (3, 2, 2)
    """

    position: Any
    orientation: Any
    translation: Any
    rotation: Any
    translation2: Any = None
    rotation2: Any = None

    def __post_init__(self) -> None:
        where = "interface of a reduced body"
        place = checks.row(self.position, "position", where)
        if len(place) not in (2, 3):
            raise ModelError(f"{where}: position must be 2 or 3 numbers, not {len(place)}")
        d, r = len(place), 3 if len(place) == 3 else 1
        moving = checks.matrix(self.translation, "translation", where)
        n = moving.shape[1]
        values = {
            "position": fixed(place),
            "orientation": fixed_axes(self.orientation, where, d),
            "translation": fixed_array(moving, "translation", where, (d, n)),
            "rotation": fixed_array(self.rotation, "rotation", where, (r, n)),
        }
        for what, size in (("translation2", d), ("rotation2", r)):
            given = getattr(self, what)
            values[what] = fixed_symmetric(
                np.zeros((size, n, n)) if given is None else given, what, where, (size, n, n)
            )
        for what, value in values.items():
            object.__setattr__(self, what, value)


@dataclass(frozen=True, eq=False)
class ModalLoad(metaclass=AnswersCalls):
    """A load that turns with a reduced body, of strength 1: what it does to the frame and to each mode.

    Arguments, for the nodal forces f in axes of the reference frame: `force` (d,) = Σ f [N]; `moment` (r,) = Σ X × f
    [Nm]; `modal` (n,) = φᵀf; `moment_shapes` (r, n) = Σ φ × f and `second` (n, n) = Θ·f, zeros when not given.

    >>> push = ModalLoad(force=(0, 0, 1), moment=(0, -1, 0), modal=(0.5, -0.2))
    >>> push.moment_shapes.shape
    (3, 2)
    """

    force: Any
    moment: Any
    modal: Any
    moment_shapes: Any = None
    second: Any = None

    def __post_init__(self) -> None:
        where = "load of a reduced body"
        force = checks.row(self.force, "force", where)
        if len(force) not in (2, 3):
            raise ModelError(f"{where}: force must be 2 or 3 numbers, not {len(force)}")
        r = 3 if len(force) == 3 else 1
        modal = checks.row(self.modal, "modal", where)
        n = len(modal)
        shapes = np.zeros((r, n)) if self.moment_shapes is None else self.moment_shapes
        second = np.zeros((n, n)) if self.second is None else self.second
        values = {
            "force": fixed(force),
            "moment": fixed_array(checks.row(self.moment, "moment", where), "moment", where, (r,)),
            "modal": fixed(modal),
            "moment_shapes": fixed_array(shapes, "moment_shapes", where, (r, n)),
            "second": fixed_symmetric(second, "second", where, (n, n)),
        }
        for what, value in values.items():
            object.__setattr__(self, what, value)


@dataclass(frozen=True, eq=False)
class UnitLoadStiffness(metaclass=AnswersCalls):
    """Geometric stiffness of the inertia loads of a body with a linear field, each φᵀ K_σ φ, as in Wallrapp (1993).

    Those of a unit force and moment on an interface are, with the opposite sign, its `translation2` and `rotation2`.

    Arguments: `spin` (6, n, n) of the loads of ω_x², ω_y², ω_z², ω_y ω_z, ω_x ω_z, ω_x ω_y, in the plane (1, n, n) of
    ω²; `acceleration` (d, n, n) of the components of r̈ − gravity, and `angular_acceleration` (r, n, n); zeros when not
    given, as they are with inertia relief.

    >>> import numpy as np
    >>> UnitLoadStiffness(np.zeros((6, 2, 2))).acceleration.shape
    (3, 2, 2)
    """

    spin: Any
    acceleration: Any = None
    angular_acceleration: Any = None

    def __post_init__(self) -> None:
        where = "unit load stiffness of a reduced body"
        spin = checks.numbers(self.spin, "spin", where, "an array of shape (6, n, n)")
        if spin.ndim != 3 or len(spin) not in (1, 6):
            raise ModelError(
                f"{where}: spin must be an array of shape (6, n, n), in the plane (1, n, n), not {spin.shape}"
            )
        n = spin.shape[1]
        d, r = (3, 3) if len(spin) == 6 else (2, 1)
        object.__setattr__(self, "spin", fixed_symmetric(spin, "spin", where, (len(spin), n, n)))
        for what, size in (("acceleration", d), ("angular_acceleration", r)):
            given = getattr(self, what)
            value = np.zeros((size, n, n)) if given is None else given
            object.__setattr__(self, what, fixed_symmetric(value, what, where, (size, n, n)))


@dataclass(frozen=True, eq=False)
class ReducedBody(metaclass=AnswersCalls):
    """A flexible body by its modes: mass products, stiffness, interfaces; see the module for the formulas.

    Arguments, in the reference frame, whose origin is the mass centre at rest if it is the mean frame: `mass` [kg];
    `first` (1 + n + n_s, d), c_F; `products` (1 + n + n_s, 1 + n + n_s, d, d), P_FG; `stiffness` (n,), of modes of unit
    mass their ω² [1/s²]; `slaves` (n_s, n, n), T^m, without them the field is linear; `interfaces` by names; `damping`,
    ratio of modal damping, for all modes or each (n,), zero when not given; `loads` by names; `unit_load_stiffness`, of
    a linear field only; `mesh`; `origin` (d,) [m] and `orientation` (d, d), the place of the reference frame and its
    axes as columns, both in the axes in which the mesh was given; `report`, what its reduction found, as text;
    `quartic` (k, k, k, k), Q of the first k modes, whose energy ⅛ Q_ijkl η_i η_j η_k η_l the motion does not have and
    by which it is doubted, none when not given.

    >>> import numpy as np
    >>> P = np.zeros((2, 2, 3, 3))
    >>> P[0, 0], P[1, 1] = np.diag([0.3, 0.2, 0.1]), np.diag([0.0, 1.0, 0.0])
    >>> tip = Interface((1, 0, 0), np.eye(3), [[0], [2], [0]], [[0], [0], [3]])
    >>> body = ReducedBody(2.0, np.zeros((2, 3)), P, stiffness=[1e4], interfaces={"tip": tip})
    >>> body.modes, body.dimension, float(body.frequencies[0]), body.inertia.diagonal().round(3).tolist()
    (1, 3, 100.0, [0.3, 0.4, 0.5])
    """

    mass: float
    first: Any
    products: Any
    stiffness: Any
    slaves: Any = None
    interfaces: Mapping[str, Interface] = field(default_factory=dict)
    damping: Any = None
    loads: Mapping[str, ModalLoad] = field(default_factory=dict)
    unit_load_stiffness: UnitLoadStiffness | None = None
    mesh: BodyMesh | None = None
    origin: Any = None
    orientation: Any = None
    report: str = ""
    quartic: Any = None

    def __post_init__(self) -> None:
        where = "reduced body"
        put = object.__setattr__
        put(self, "mass", checks.positive(self.mass, "mass", where))
        first = checks.matrix(self.first, "first", where)
        d = first.shape[1]
        if d not in (2, 3):
            raise ModelError(f"{where}: first has {d} columns; give 3 for a body in space, 2 for one in the plane")
        stiffness = (
            np.zeros(0) if checks.shape_of(self.stiffness) == (0,) else checks.row(self.stiffness, "stiffness", where)
        )
        n = len(stiffness)
        given = np.zeros((0, n, n)) if self.slaves is None else self.slaves
        slaves = checks.numbers(given, "slaves", where, "an array of shape (n_s, n, n)")
        if slaves.ndim != 3:
            raise ModelError(f"{where}: slaves must be an array of shape (n_s, {n}, {n}), not {slaves.shape}")
        put(self, "stiffness", fixed(stiffness))
        put(self, "slaves", fixed_symmetric(slaves, "slaves", where, (len(slaves), n, n)))
        many = 1 + n + len(slaves)
        put(self, "first", fixed_array(first, "first", where, (many, d)))
        put(self, "products", _products(self.products, where, many, d))
        zeta = checks.numbers(0.0 if self.damping is None else self.damping, "damping", where, "one number, or n")
        put(self, "damping", fixed_array(np.full(n, zeta) if zeta.ndim == 0 else zeta, "damping", where, (n,)))
        put(self, "origin", fixed_array(np.zeros(d) if self.origin is None else self.origin, "origin", where, (d,)))
        put(self, "orientation", fixed_axes(np.eye(d) if self.orientation is None else self.orientation, where, d))
        for what, wanted in (("interfaces", "translation"), ("loads", "modal")):
            named = dict(checks.by_names(getattr(self, what), what, where))
            for name, thing in named.items():
                of = f"{where}: {what} {checks.quoted(given_names.name(name, where))}"
                size = getattr(thing, wanted, np.zeros(0)).shape[-1]
                vector = getattr(thing, "position" if what == "interfaces" else "force", np.zeros(0))
                if size != n or len(vector) != d:
                    raise ModelError(f"{of} has {size} modes in {len(vector)} dimensions; the body has {n} in {d}")
            put(self, what, named)
        given = np.zeros((0, 0, 0, 0)) if self.quartic is None else self.quartic
        quartic = checks.numbers(given, "quartic", where, "an array of shape (k, k, k, k)")
        if quartic.ndim != 4 or len(set(quartic.shape)) != 1 or len(quartic) > n:
            raise ModelError(
                f"{where}: quartic must be an array of shape (k, k, k, k) of {n} modes at most, not {quartic.shape}"
            )
        put(self, "quartic", fixed(quartic))
        self._check_values(where, n, d)

    def _check_values(self, where: str, n: int, d: int) -> None:
        """Raise a ModelError if the numbers cannot be those of a body."""
        if np.any(self.stiffness <= 0.0):
            k = int(np.argmin(self.stiffness))
            raise ModelError(
                f"{where}: stiffness[{k}] is {self.stiffness[k]:g}; every mode must be stiff, so leave rigid modes out"
            )
        if np.any(self.damping < 0.0):
            raise ModelError(f"{where}: damping must not be negative; it has {np.min(self.damping):g}")
        lowest = _lowest_in_like_units(self.mass_matrix)
        if lowest <= 0.0:
            raise ModelError(
                f"{where}: its mass matrix is not positive: scaled to a diagonal of ones, its lowest eigenvalue is "
                f"{lowest:g}; first and products must be integrals over one mass, which must not lie on a line"
            )
        extra = checks.kind_or_none(self.unit_load_stiffness, UnitLoadStiffness, "unit_load_stiffness", where)
        if extra is not None:
            if len(self.slaves):
                raise ModelError(
                    f"{where}: it has slave shapes and unit_load_stiffness, which would count the geometric stiffness "
                    "twice; give one of both"
                )
            if extra.spin.shape[1] != n or extra.acceleration.shape[0] != d:
                raise ModelError(f"{where}: unit_load_stiffness has {extra.spin.shape[1]} modes; the body has {n}")
        mesh = checks.kind_or_none(self.mesh, BodyMesh, "mesh", where)
        if mesh is not None and (mesh.nodes.shape[1] != d or mesh.shapes.shape[2] != n):
            raise ModelError(
                f"{where}: its mesh has {mesh.shapes.shape[2]} modes in {mesh.nodes.shape[1]} dimensions; the body has "
                f"{n} in {d}"
            )
        if mesh is not None and mesh.slave_shapes.shape[2] not in (0, len(self.slaves)):
            raise ModelError(
                f"{where}: its mesh has {mesh.slave_shapes.shape[2]} slave shapes; the body has {len(self.slaves)}"
            )

    @property
    def dimension(self) -> int:
        """3 in space, 2 in the plane."""
        return int(self.first.shape[1])

    @property
    def modes(self) -> int:
        """Number n of its modes."""
        return len(self.stiffness)

    @property
    def inertia(self) -> np.ndarray:
        """Inertia of the undeformed body about the origin of its frame: (3, 3) [kg m²]; (1, 1) in the plane."""
        S = self.products[0, 0]
        return np.array([[np.trace(S)]]) if self.dimension == 2 else np.trace(S) * np.eye(3) - S

    @property
    def modal_mass(self) -> np.ndarray:
        """e (n, n): ∫ φ_i·φ_j dm."""
        n = self.modes
        return np.trace(self.products[1 : 1 + n, 1 : 1 + n], axis1=2, axis2=3)

    @property
    def frequencies(self) -> np.ndarray:
        """Circular frequencies (n,) of the free body's modes [rad/s], each alone."""
        return np.sqrt(self.stiffness / np.diagonal(self.modal_mass))

    @property
    def mass_matrix(self) -> np.ndarray:
        """Mass matrix of the undeformed body for the velocity of its frame, its angular velocity and η̇, all in the
        axes of the reference frame: (6 + n, 6 + n), in the plane (3 + n, 3 + n)."""
        n, d = self.modes, self.dimension
        turns = 3 if d == 3 else 1
        M = np.zeros((d + turns + n, d + turns + n))
        M[:d, :d] = self.mass * np.eye(d)
        M[d : d + turns, d : d + turns] = self.inertia
        M[d + turns :, d + turns :] = self.modal_mass
        x, y, z = self.first[0] if d == 3 else [*self.first[0], 0.0]
        arm = np.array([[0.0, z, -y], [-z, 0.0, x], [y, -x, 0.0]])  # −c̃ of ω
        M[:d, d : d + turns] = arm if d == 3 else arm[:2, 2:]
        M[:d, d + turns :] = self.first[1 : 1 + n].T
        M[d : d + turns, d + turns :] = axial(self.products[0, 1 : 1 + n]).T
        return np.triu(M) + np.triu(M, 1).T


def _lowest_in_like_units(M: np.ndarray) -> float:
    """The lowest eigenvalue of a mass matrix with ones on its diagonal, so that a small or light body is none of
    rounding beside modes of unit mass; or the lowest number on the diagonal, if that is not positive."""
    diagonal = np.diag(M)
    if np.min(diagonal) <= 0.0:
        return float(np.min(diagonal))
    size = np.sqrt(diagonal)
    return float(np.linalg.eigvalsh(M / size / size[:, None])[0])


def _products(value: Any, where: str, many: int, d: int) -> np.ndarray:
    """P_FG, checked against P_GFᵀ; the rounding between both is taken out."""
    products = fixed_array(value, "products", where, (many, many, d, d))
    turned = products.transpose(1, 0, 3, 2)
    scale = np.sqrt(np.maximum(np.trace(products[range(many), range(many)], axis1=1, axis2=2), 0.0))
    allowed = ROUNDING * np.maximum(scale[:, None] * scale, 1e-300)
    if np.any(np.max(np.abs(products - turned), axis=(2, 3)) > allowed):
        raise ModelError(f"{where}: products are not symmetric: P_FG must be P_GFᵀ, both ∫ F Gᵀ dm")
    return fixed(0.5 * (products + turned))


def axial(B: np.ndarray) -> np.ndarray:
    """∫ X × φ dm (..., 3) from B = ∫ X φᵀ dm (..., 3, 3); in the plane (..., 1)."""
    if B.shape[-1] == 2:
        return np.asarray(B[..., 0, 1] - B[..., 1, 0])[..., None]
    parts = [B[..., 1, 2] - B[..., 2, 1], B[..., 2, 0] - B[..., 0, 2], B[..., 0, 1] - B[..., 1, 0]]
    return np.stack(parts, axis=-1)
