"""Reduced bodies as standard input data (SID) of other programs, and bodies out of them, after Wallrapp (1993).

With B = P_0k = ∫ X φ_kᵀ dm, P_lk = ∫ φ_l φ_kᵀ dm, ax B = (B₂₃ − B₃₂, B₃₁ − B₁₃, B₁₂ − B₂₁), and the unit load
stiffness K of r̈ − gravity, α and ω_iω_j, the series of a file, M₀ + Σ_l M₁_l q_l, are

    mdCM₀ = c₀,  mdCM₁_l = c_l      J₀ = inertia,  J₁_l = 2 tr B 1 − B − Bᵀ        Me = tr P_kl
    Ct₀ = c_k,   Ct₁_l = K_u        Cr₀ = ax P_0k,  Cr₁_l = ax P_lk + K_α          Gr_k = 2 tr B 1 − 2 Bᵀ
    Ge_kl = 2 ax P_lk               Oe₀ = tr(ω̃ω̃ P_0k),  Oe₁_l = tr(ω̃ω̃ P_lk) + K_ωω, by ω_x², ω_y², ω_z², ω_xω_y …
    node: origin₀ = X, origin₁ = Φ,  phi₀ = Φ, phi₁ = T,  psi₀ = Φʳ, psi₁ = Tʳ,  AP₀ = Λ₀, AP₁_l = ψ̃_l Λ₀

Writers do not agree about the last columns of J (xz, yz here) and of Oe (yz, xz here), nor whether columns of Ge are
sorted by modes (here) or by axes. Gr says what J has, J what Oe has, and Ge must change its sign with k and l; so a
file's own order is found, and files that contradict themselves are refused.

Of P_lk a file has the trace, what is skew, and with K_ωω the rest. What of it is stiffness cannot be known and need not
be: a slave shape that follows the modes by ½ ηᵀKη with tr(ω̃ω̃ P) = ω_iω_j acts just as a part of P_lk without trace.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from flexmb.bodies.fields import PAIRS
from flexmb.bodies.files.sid_text import Series, SidNode, SidText, parsed, written
from flexmb.bodies.reduced_body import Interface, ReducedBody, UnitLoadStiffness
from flexmb.errors import ModelError, ResultFileError
from flexmb.machine import files
from flexmb.model import checks
from flexmb.model.hints import answers_calls

#: parts of a file that say the same may differ by this part of the largest entry
AGREE = 0.01
#: what is less than this part of the size that it may have is taken as that part
SMALL = 1e-3
#: unit load stiffness below this part of the modal mass is rounding
ROUNDING = 1e-9
#: places of the entries xx, yy, zz, xy, and of the last two of J and of Oe as they are written
_FIRST, _OF_J, _OF_OE = ((0, 0), (1, 1), (2, 2), (0, 1)), ((0, 2), (1, 2)), ((1, 2), (0, 2))


@answers_calls
def write_sid(body: Any, path: str | Path, *, comment: str = "") -> Path:
    """Write a reduced body of space as standard input data (SID); its interfaces are the nodes.

    A file has the geometric stiffness of a quadratic field, and of its slave shapes no inertia of their own; it has
    neither the mesh nor loads.

    >>> import tempfile
    >>> import flexmb as fm
    >>> steel, tube = fm.Material(7850, 205e9), fm.Tube(outer_diameter=0.05, inner_diameter=0.04)
    >>> side = fm.bodies.Member(("a", "b"), steel, tube)
    >>> rod = fm.bodies.from_frame({"a": (0, 0, 0), "b": (1, 0, 0)}, [side], interfaces={"end": "b"}, modes=2)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     again = read_sid(write_sid(rod, f"{folder}/rod.SID_FEM"))
    >>> again.modes, list(again.interfaces), bool(abs(again.frequencies / rod.frequencies - 1).max() < 1e-12)
    (2, ['end'], True)
    """
    if not isinstance(body, ReducedBody):
        raise ModelError(f"SID file: {type(body).__name__} is no flexmb.bodies.ReducedBody")
    if body.dimension == 2:
        raise ModelError(
            "SID file: it is made for bodies of space, and this one is of the plane; save it by bodies.save"
        )
    target = files.path_to_write(path, "save")
    return files.write_text(target, "save", written(_content(body, checks.text(comment, "comment", "SID file"))))


@answers_calls
def read_sid(path: str | Path) -> ReducedBody:
    """The reduced body of a file of standard input data (SID), in the reference frame of the file; its nodes are
    interfaces, by their names there.

    Its field is linear; where the file has geometric stiffness, the body takes part of it with
    `add_modal_body(…, field="linear", geometric_stiffness=True)`. What is wrong with a file is said by a
    :class:`~flexmb.errors.ModelError`.

    >>> import tempfile
    >>> import flexmb as fm
    >>> steel, tube = fm.Material(7850, 205e9), fm.Tube(outer_diameter=0.05, inner_diameter=0.04)
    >>> side = fm.bodies.Member(("a", "b"), steel, tube)
    >>> rod = fm.bodies.from_frame({"a": (0, 0, 0), "b": (1, 0, 0)}, [side], interfaces={"end": "b"}, modes=2)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     again = read_sid(write_sid(rod, f"{folder}/rod.SID_FEM"))
    >>> again.modes == rod.modes, list(again.interfaces)
    (True, ['end'])
    """
    source = files.path_to_read(path, "read")
    where = f"SID file {source.name!r}"
    try:
        text = source.read_text(encoding="utf-8", errors="strict")
    except (OSError, UnicodeDecodeError) as why:
        raise ResultFileError(f"{where}: it cannot be read as text ({why}); give a SID file") from None
    return _body(parsed(text, where), where)


def _ax(B: np.ndarray) -> np.ndarray:
    """ax B (…, 3) of matrices (…, 3, 3)."""
    parts = [B[..., 1, 2] - B[..., 2, 1], B[..., 2, 0] - B[..., 0, 2], B[..., 0, 1] - B[..., 1, 0]]
    return np.stack(parts, axis=-1)


def _skew(a: np.ndarray) -> np.ndarray:
    """The skew matrices (…, 3, 3) with ax B = a (…, 3)."""
    B = np.zeros((*a.shape[:-1], 3, 3))
    for x, (i, j) in enumerate(((1, 2), (2, 0), (0, 1))):
        B[..., i, j], B[..., j, i] = 0.5 * a[..., x], -0.5 * a[..., x]
    return B


def _tilde(w: np.ndarray) -> np.ndarray:
    return np.array([[0.0, -w[2], w[1]], [w[2], 0.0, -w[0]], [-w[1], w[0], 0.0]])


def _by_spin(P: np.ndarray, places: Any) -> np.ndarray:
    """tr(ω̃ω̃ P) (…, 6) of matrices (…, 3, 3) by ω_x², ω_y², ω_z² and the products of `places`."""
    trace = np.trace(P, axis1=-2, axis2=-1)
    return np.stack([P[..., i, i] - trace if i == j else P[..., i, j] + P[..., j, i] for i, j in places], axis=-1)


def _unit_loads(body: ReducedBody) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The geometric stiffness of r̈ − gravity (3, n, n), of α (3, n, n) and of ω_iω_j (6, n, n) in the order of a file:
    that of unit loads, or what the slave shapes of a body make of these loads."""
    n = body.modes
    own, order = body.unit_load_stiffness, [PAIRS.index(tuple(sorted(p))) for p in (*_FIRST, *_OF_OE)]  # type: ignore[arg-type]
    if own is not None:
        return own.acceleration, own.angular_acceleration, own.spin[order]
    c, P = body.first[1 + n :], body.products[0, 1 + n :]
    loads = (c, _ax(P), _by_spin(P, (*_FIRST, *_OF_OE)))
    return tuple(np.einsum("mx,mij->xij", load, body.slaves) for load in loads)  # type: ignore[return-value]


def _content(body: ReducedBody, comment: str) -> SidText:
    """What a file says of a body."""
    n = body.modes
    of_u, of_alpha, of_spin = _unit_loads(body)
    c, P = body.first[: 1 + n], body.products[: 1 + n, : 1 + n]
    B, PP = P[0, 1:], P[1:, 1:]  # PP[l, k] = ∫ φ_l φ_kᵀ dm
    J0, e = body.inertia, body.modal_mass
    trace = np.trace(B, axis1=1, axis2=2)[:, None, None] * np.eye(3)
    J1 = 2.0 * trace - B - B.transpose(0, 2, 1)
    six = [*_FIRST, *_OF_J]

    def series(m0: Any, m1: np.ndarray | None = None) -> Series:
        m0 = np.asarray(m0, dtype=float)
        return Series(m0, np.zeros((m0.shape[0], n, m0.shape[1])) if m1 is None else m1)

    of = {
        "mdCM": series(c[:1].T, c[1:].T[:, :, None]),
        "J": series([[J0[p]] for p in six], np.stack([J1[:, i, j] for i, j in six])[:, :, None]),
        "Ct": series(c[1:], of_u.transpose(1, 2, 0)),
        "Cr": series(_ax(B), _ax(PP).transpose(1, 0, 2) + of_alpha.transpose(1, 2, 0)),
        "Me": series(e),
        "Gr": series(np.concatenate(list(2.0 * trace - 2.0 * B.transpose(0, 2, 1)), axis=1) if n else np.zeros((3, 0))),
        "Ge": series(2.0 * _ax(PP).transpose(1, 0, 2).reshape(n, 3 * n)),
        "Oe": series(
            _by_spin(B, (*_FIRST, *_OF_OE)),
            _by_spin(PP, (*_FIRST, *_OF_OE)).transpose(1, 0, 2) + of_spin.transpose(1, 2, 0),
        ),
        "ksigma": series(np.zeros((n, 1))),
        "Ke": series(np.diag(body.stiffness)),
        "De": series(np.diag(2.0 * body.damping * np.sqrt(body.stiffness * np.diagonal(e)))),
    }  # fmt: skip
    nodes = []
    for name, x in body.interfaces.items():
        turned = np.stack([_tilde(psi) @ x.orientation for psi in x.rotation.T]) if n else np.zeros((0, 3, 3))
        nodes.append(SidNode(name, {
            "origin": series(x.position[:, None], x.translation[:, :, None]),
            "phi": series(x.translation, x.translation2), "psi": series(x.rotation, x.rotation2),
            "AP": series(x.orientation, turned.transpose(1, 0, 2)),
        }))  # fmt: skip
    hertz = body.frequencies / (2.0 * np.pi)
    modes = [f"Eigen Mode {k:4d} : {f:12.3f} Hz" for k, f in enumerate(hertz, 1)]
    return SidText(comment or "reduced body", body.mass, modes, nodes, of)


def _body(content: SidText, where: str) -> ReducedBody:
    """The body of a file, its parts checked against each other."""
    of, n = content.series, len(content.modes)
    shapes = {
        "mdCM": (3, 1),
        "Ct": (n, 3),
        "Cr": (n, 3),
        "Me": (n, n),
        "Gr": (3, 3 * n),
        "Ge": (n, 3 * n),
        "Oe": (n, 6),
        "Ke": (n, n),
    }
    for name, shape in shapes.items():
        if of[name].m0.shape != shape:
            raise ModelError(f"{where}: {name} has the shape {of[name].m0.shape}, and {n} modes need {shape}")
    notes = [f"SID file of {n} modes: {content.comment}"]
    Gr = of["Gr"].m0.reshape(3, n, 3).transpose(1, 0, 2)
    e = 0.5 * (of["Me"].m0 + of["Me"].m0.T)
    size = max(float(np.max(np.abs(e), initial=0.0)), 1e-300)
    small = SMALL * float(np.sqrt(size * np.max(np.abs(of["J"].m0))))  # of products of places and modes
    J0, J1 = _inertia(of["J"], Gr, where, small)
    spin1 = _spin_columns(of["Oe"], J1, where, small)
    Ge = _gyroscopic(of["Ge"], n, where, SMALL * size)
    c = np.concatenate([of["mdCM"].m0.T, of["Ct"].m0])
    moved = of["mdCM"].m1[:, :, 0].T
    if np.any(moved) and _apart(moved, of["Ct"].m0, SMALL * np.sqrt(size * content.mass)) > AGREE:
        raise ModelError(
            f"{where}: mdCM and Ct disagree about the motion of the mass center by the modes; it is damaged"
        )
    B = 0.25 * np.trace(J1, axis1=1, axis2=2)[:, None, None] * np.eye(3) - 0.5 * J1 + _skew(of["Cr"].m0)
    off = _apart(
        _ax(-0.5 * Gr.transpose(0, 2, 1)), of["Cr"].m0, max(small, 0.5 * float(np.max(np.abs(Gr), initial=0.0)))
    )
    if off > AGREE:
        notes.append(f"Gr and Cr disagree by {100.0 * off:.2g} %, as with lumped and consistent masses; Cr is taken")
    # P_lk without trace from Oe, its trace from Me, what is skew from Ge; the rest is stiffness
    K = 0.5 * (spin1 + spin1.transpose(0, 2, 1))  # xx, yy, zz, xy, yz, xz by k and l
    left = (K[0] + K[1] + K[2] + 2.0 * e) / 3.0
    P = np.zeros((1 + n, 1 + n, 3, 3))
    for x in range(3):
        P[1:, 1:, x, x] = e + K[x] - left
    for column, (i, j) in enumerate((*_FIRST, *_OF_OE)):
        if i != j:
            P[1:, 1:, i, j] = P[1:, 1:, j, i] = 0.5 * K[column]
    P[1:, 1:] += _skew(0.5 * Ge).transpose(1, 0, 2, 3)  # Ge_kl = 2 ax P_lk
    P[0, 1:], P[1:, 0], P[0, 0] = B, B.transpose(0, 2, 1), 0.5 * np.trace(J0) * np.eye(3) - J0
    stiffness, damping = _diagonals(of, e, where)
    spin = np.zeros((6, n, n))
    spin[:3] = left
    u = of["Ct"].m1.transpose(2, 0, 1)
    alpha = (of["Cr"].m1 - 0.5 * Ge).transpose(2, 0, 1)
    loads = [0.5 * (x + x.transpose(0, 2, 1)) for x in (spin, u, alpha)]
    extra = UnitLoadStiffness(*loads) if max(np.max(np.abs(x), initial=0.0) for x in loads) > ROUNDING * size else None
    if extra is not None:
        notes.append("it has stiffness of unit loads: take it with field='linear', geometric_stiffness=True")
    interfaces = {node.name: _interface(node, n, where) for node in content.nodes}
    if len(interfaces) < len(content.nodes):
        raise ModelError(f"{where}: two of its nodes have one name; number them differently")
    try:
        return ReducedBody(
            content.mass, c, P, stiffness, interfaces=interfaces, damping=damping, unit_load_stiffness=extra,
            report="\n".join(notes),
        )  # fmt: skip
    except ModelError as why:
        raise ModelError(f"{where}: its numbers are not those of a body ({why})") from None


def _apart(a: np.ndarray, b: np.ndarray, least: float = 1e-300) -> float:
    """How far two arrays are apart, as a part of the largest entry, or of a number if all are less."""
    return float(np.max(np.abs(a - b), initial=0.0) / max(float(np.max(np.abs(b), initial=0.0)), least))


def _inertia(J: Series, Gr: np.ndarray, where: str, small: float) -> tuple[np.ndarray, np.ndarray]:
    """J (3, 3) and its change by each mode (n, 3, 3), the order of its last entries being that which fits Gr."""
    wanted = 0.5 * (Gr + Gr.transpose(0, 2, 1))
    if J.m0.shape == (3, 3):
        J0, J1 = J.m0, J.m1.transpose(1, 0, 2)
        J0 = np.where(J0 != 0.0, J0, J0.T)  # one triangle is enough
    elif J.m0.shape == (6, 1):
        first = _tensors(J.m1[:, :, 0].T, _OF_J)
        order = _OF_J if _apart(first, wanted) <= _apart(_tensors(J.m1[:, :, 0].T, _OF_OE), wanted) else _OF_OE
        J0, J1 = _tensors(J.m0[:, 0], order), _tensors(J.m1[:, :, 0].T, order)
    else:
        raise ModelError(f"{where}: J has the shape {J.m0.shape}; it must be (6, 1) or (3, 3)")
    if not np.any(J1):
        J1 = wanted
    if _apart(J1, wanted, small) > AGREE:
        raise ModelError(
            f"{where}: J and Gr disagree about the change of inertia by the modes, in any order; it is damaged"
        )
    return J0, J1


def _tensors(six: np.ndarray, last: Any) -> np.ndarray:
    """Symmetric tensors (…, 3, 3) of six entries (…, 6)."""
    result = np.zeros((*six.shape[:-1], 3, 3))
    for x, (i, j) in enumerate((*_FIRST, *last)):
        result[..., i, j] = result[..., j, i] = six[..., x]
    return result


def _spin_columns(Oe: Series, J1: np.ndarray, where: str, small: float) -> np.ndarray:
    """Oe of first order (6, k, l), its columns in the order of :func:`write_sid`, which J tells."""
    wanted = np.stack([-J1[:, i, j] * (0.5 if i == j else 1.0) for i, j in (*_FIRST, *_OF_OE)], axis=1)
    swapped = Oe.m0[:, [0, 1, 2, 3, 5, 4]]
    turned = _apart(swapped, wanted) < _apart(Oe.m0, wanted)
    if _apart(swapped if turned else Oe.m0, wanted, small) > AGREE:
        raise ModelError(
            f"{where}: Oe and J disagree about the centrifugal forces on the modes, in any order; it is damaged"
        )
    columns = [0, 1, 2, 3, 5, 4] if turned else list(range(6))
    return Oe.m1[:, :, columns].transpose(2, 0, 1)


def _gyroscopic(Ge: Series, n: int, where: str, small: float) -> np.ndarray:
    """Ge (k, l, 3), sorted by modes or by axes in the file: what changes its sign with k and l."""
    by_modes = Ge.m0.reshape(n, n, 3)
    by_axes = Ge.m0.reshape(n, 3, n).transpose(0, 2, 1)
    found = min((by_modes, by_axes), key=lambda x: float(np.max(np.abs(x + x.transpose(1, 0, 2)), initial=0.0)))
    if _apart(found, -found.transpose(1, 0, 2), small) > AGREE:
        raise ModelError(f"{where}: Ge does not change its sign with the modes k and l, in any order; it is damaged")
    return 0.5 * (found - found.transpose(1, 0, 2))


def _diagonals(of: dict[str, Series], e: np.ndarray, where: str) -> tuple[np.ndarray, np.ndarray]:
    """Stiffness and ratios of damping of the modes (n,)."""
    if "ksigma" in of and np.any(of["ksigma"].m0):
        raise ModelError(f"{where}: its modes bear stresses at rest (ksigma), which a reduced body has not")
    for name in ("Ke", "De"):
        m0 = of[name].m0 if name in of else np.zeros_like(e)
        if m0.size and np.max(np.abs(m0 - np.diag(np.diagonal(m0)))) > 1e-6 * max(float(np.max(np.abs(m0))), 1e-300):
            raise ModelError(f"{where}: {name} is not diagonal; give modes that are orthogonal by the stiffness")
    stiffness = np.diagonal(of["Ke"].m0).copy()
    damping = np.diagonal(of["De"].m0) if "De" in of else np.zeros(len(stiffness))
    return stiffness, damping / (2.0 * np.sqrt(np.abs(stiffness * np.diagonal(e)) + 1e-300))


def _interface(node: SidNode, n: int, where: str) -> Interface:
    """The interface of a node, its axes as columns, however the file has them."""
    of, at = node.series, f"{where}, node {node.name!r}"
    for name, shape in {"origin": (3, 1), "phi": (3, n), "psi": (3, n), "AP": (3, 3)}.items():
        if of[name].m0.shape != shape:
            raise ModelError(f"{at}: {name} has the shape {of[name].m0.shape}; it must be {shape}")
    axes, psi = of["AP"].m0, of["psi"].m0
    if not np.any(axes):
        axes = np.eye(3)
    turned = of["AP"].m1.transpose(1, 0, 2)
    as_columns, as_rows = (np.stack([f(_tilde(p)) for p in psi.T]) if n else turned
                           for f in (lambda w: w @ axes, lambda w: -axes @ w))  # fmt: skip
    if np.any(turned) and _apart(turned, as_rows) < _apart(turned, as_columns):
        axes = axes.T
    if of["origin"].m1.size and np.any(of["origin"].m1) and _apart(of["origin"].m1[:, :, 0], of["phi"].m0) > AGREE:
        raise ModelError(f"{at}: origin and phi disagree about its motion by the modes; the file is damaged")
    second = [0.5 * (m + m.transpose(0, 2, 1)) for m in (of["phi"].m1, of["psi"].m1)]
    return Interface(of["origin"].m0[:, 0], axes, of["phi"].m0, psi, *second)
