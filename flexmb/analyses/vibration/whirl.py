"""In which sense modes go round an axis, and which modes at two speeds are the same motion.

A place that moves by Re(u e^{iωt}) across an axis, with u = (u_x, u_y) complex, goes round on an ellipse, which is the
sum of two circles (Genta (2005), complex coordinates z = x + iy):

    z = ½ (u_x + i u_y) e^{iωt} + ½ (ū_x + i ū_y) e^{−iωt}

The first is run through about the axis, at ω, the second against it. Their shares of Σ |u|² are

    s₊ = Σ |u_x + i u_y|²/2 / Σ |u|²,   s₋ = Σ |u_x − i u_y|²/2 / Σ |u|²,   s₀ = 1 − s₊ − s₋  along the axis,

and w = s₊ − s₋ is the whirl: 1 for a circle about the axis, −1 for one against it, 0 for motion in a plane.

The conjugate (λ̄, φ̄) is the same motion with s₊ and s₋ exchanged. A branch of modes that goes on with positive Im λ
only seems to turn from forward to backward where its λ passes zero; where it goes on with the same shape, Im λ changes
its sign.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import scipy.linalg

from flexmb.analyses.statics.rotation import UPWARD, axes_of_bodies, in_space
from flexmb.analyses.vibration.complex_modes import ComplexModes
from flexmb.analyses.vibration.mode_shapes import displaced_places
from flexmb.model.spatial_frames import across

#: angles count so much of the length of the model, so that displacements decide wherever there are some
OF_ANGLES = 1e-3
#: eigenvalues that differ by no more than this part are one, of several shapes
EQUAL = 1e-6
#: speeds against the ground below this part of their terms are none
AT_REST = 1e-7
#: a motion whirls if w is at least this
WHIRLS = 0.1
#: a conjugate is more like the mode before if it is so by more than this
BETTER = 1e-6


def axis_of(modes: ComplexModes) -> np.ndarray | None:
    """The direction (3,) about which a mechanism turns, or about which the fastest of its bodies spins, in the sense in
    which it does; None if nothing turns."""
    rotation = modes.rotation
    if rotation is None or rotation.rests:
        return None
    if rotation.spin:
        return np.asarray(rotation.turn / abs(rotation.spin))
    system, spins = modes.state.system, rotation.spins()
    if not spins.any():
        return UPWARD if system.model.dimension == 2 else None
    k = int(np.argmax(np.linalg.norm(spins, axis=1)))
    fastest = axes_of_bodies(system, modes.state.q)[k] @ spins[k]
    return np.asarray(fastest / np.linalg.norm(fastest))


def circles(modes: ComplexModes, axis: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Of each shape (c columns) the amplitudes u_x + i u_y and u_x − i u_y, over √2, and those along the axis, of all
    frames and points of beams; and of their turns, as lengths."""
    state, shapes = modes.state, modes.shapes
    shifts, angles = displaced_places(state, np.hstack([shapes.real, shapes.imag]).T)
    if angles.shape[2] == 1:  # in the plane places turn about the third axis
        angles = np.concatenate([np.zeros((*angles.shape[:2], 2)), angles], axis=2)
    moved = np.concatenate([in_space(shifts), OF_ANGLES * state.system.length_scale * angles], axis=1)
    u = moved[: len(moved) // 2] + 1j * moved[len(moved) // 2 :]
    x, y = across(axis)
    ux, uy, uz = ((u @ direction).T for direction in (x, y, axis))
    return (ux + 1j * uy) / np.sqrt(2.0), (ux - 1j * uy) / np.sqrt(2.0), uz


def shares_of(modes: ComplexModes, axis: np.ndarray) -> np.ndarray:
    """s₊, s₋ and s₀ (c, 3) of each mode, taken with Im λ ≥ 0."""
    parts = np.array([np.sum(np.abs(part) ** 2, axis=0) for part in circles(modes, axis)]).T
    return np.asarray(parts / np.maximum(np.sum(parts, axis=1, keepdims=True), 1e-300))


def in_circles(modes: ComplexModes, axis: np.ndarray) -> ComplexModes:
    """The modes, those of equal eigenvalues combined so that they whirl as far as they can, as they do at once when a
    round rotor begins to turn. Of two circles at λ = 0, which are conjugate and so the same motion, one is kept.
    The eigenvalues stay as they were computed, and a combination may belong to any of a group: the largest bound of
    their round-off holds for all of them."""
    values, shapes, round_off = modes.eigenvalues, modes.shapes.copy(), modes.round_off.copy()
    M = modes.state.system.mass_matrix(modes.state.t, modes.state.q)
    left, seen = np.ones(len(values), dtype=bool), np.zeros(len(values), dtype=bool)
    for value in values:
        group = np.flatnonzero(~seen & (np.abs(values - value) <= EQUAL * np.abs(value)))
        seen[group] = True
        if len(group) < 2:
            continue
        about, against, _ = circles(replace(modes, shapes=shapes[:, group]), axis)
        whirl = about.conj().T @ about - against.conj().T @ against
        mass = shapes[:, group].conj().T @ (M @ shapes[:, group])
        try:
            sizes, combinations = scipy.linalg.eigh(whirl, 0.5 * (mass + mass.conj().T))
        except np.linalg.LinAlgError:  # one shape twice, or shapes without inertia
            continue
        shapes[:, group] = shapes[:, group] @ combinations
        round_off[group] = np.max(round_off[group])
        if values[group[0]] == 0.0:
            left[group] = sizes >= -WHIRLS * np.max(np.abs(sizes))
    return replace(
        modes, eigenvalues=values[left], shapes=shapes[:, left], rigid=modes.rigid[left], round_off=round_off[left]
    )


def likeness_of(before: ComplexModes, now: ComplexModes) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """How similar the motion of each mode before (c) is to each one now (d): (c, d), from 0 to 1; whether the conjugate
    of the mode now is the one that is similar; and how similar the shapes are then.

    For motions the modal assurance criterion (Allemang and Brown (1982)), |φ₁ᴴ M φ₂|²/(φ₁ᴴ M φ₁ · φ₂ᴴ M φ₂) for shapes,
    is taken of displacements φ and speeds λ φ + V φ against the ground together, each of unit size. By displacements
    alone a forward and a backward whirling motion of one bending shape are alike in axes that turn along.
    """
    M = now.state.system.mass_matrix(now.state.t, now.state.q)
    (x, u), (y, v) = (_unit_motion(modes, M) for modes in (before, now))
    moves = [np.any(part, axis=0) for part in (x, u, y, v)]
    size = np.maximum(np.outer(moves[0], moves[2]) + 1.0 * np.outer(moves[1], moves[3]), 1.0)
    pairs = []
    for place, speed in ((y, v), (y.conj(), v.conj())):
        shapes = x.conj().T @ (M @ place)
        pairs.append((np.abs((shapes + u.conj().T @ (M @ speed)) / size) ** 2, np.abs(shapes) ** 2))
    (plain, like), (turned, conjugate_like) = pairs
    conjugate = turned > plain + BETTER
    return np.maximum(plain, turned), conjugate, np.where(conjugate, conjugate_like, like)


def _unit_motion(modes: ComplexModes, M: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Displacements and speeds against the ground (n, c), each of unit size, or zero."""
    moved = modes.shapes * modes.eigenvalues
    if modes.rotation is not None:
        moved = moved + modes.rotation.matrices(modes.state.q)[0] @ modes.shapes
    # what rests against the ground has a speed of round-off, √ε of the terms where an eigenvalue is double
    rates = np.abs(modes.eigenvalues) + (0.0 if modes.rotation is None else abs(modes.rotation.spin))
    parts = []
    for part, none in ((modes.shapes, 0.0), (moved, AT_REST * rates * _sizes(modes.shapes, M))):
        size = _sizes(part, M)
        parts.append(part / np.where(size > none, size, np.inf))
    return parts[0], parts[1]


def _sizes(part: np.ndarray, M: Any) -> np.ndarray:
    """√(φᴴ M φ) of each column."""
    return np.asarray(np.sqrt(np.abs(np.einsum("ij,ij->j", part.conj(), M @ part).real)))
