"""What a reduction found, as text: mass and size, frequencies with their errors, and effective masses."""

from __future__ import annotations

import numpy as np
import scipy.linalg

from flexmb.bodies.reducing.held_body import HeldBody
from flexmb.bodies.reducing.mode_basis import Modes
from flexmb.machine.threads import one_thread

#: number of modes that the report lists
SHOWN = 12


@one_thread
def estimated_errors(body: HeldBody, found: Modes) -> np.ndarray:
    """How much too high the frequencies of a reduced body are (n,), as parts of themselves.

    The modes and what one inverse iteration, K⁻¹ M, makes of them span a larger space; Ritz's frequencies in it are
    much nearer to those of the full model.
    """
    phi, M, K = found.shapes, body.mass, body.stiffness
    forces = M @ phi
    both = np.hstack([phi, body.flexible(forces)])
    both = both / np.sqrt(np.einsum("ij,ij->j", both, M @ both))
    Mr, Kr = both.T @ (M @ both), both.T @ (K @ both)
    values, vectors = np.linalg.eigh(0.5 * (Mr + Mr.T))
    T = vectors[:, values > 1e-12 * values[-1]] / np.sqrt(values[values > 1e-12 * values[-1]])
    better = np.sqrt(scipy.linalg.eigvalsh(T.T @ (0.5 * (Kr + Kr.T)) @ T))[: len(found.omegas)]
    return np.asarray(np.maximum(found.omegas / better - 1.0, 0.0))


def effective_masses(body: HeldBody, found: Modes) -> np.ndarray:
    """Part of the mass (d,) that modes with held interfaces carry when all interfaces move together."""
    d = body.model.dimension
    shares = body.rigid[:, :d].T @ (body.mass @ found.fixed_shapes)
    return np.asarray(np.sum(shares**2, axis=1) / body.total_mass)


def report_of(body: HeldBody, found: Modes, shapes: np.ndarray, products: np.ndarray, estimate: bool) -> str:
    """The report of a reduction; `shapes` (n', n), the modes as seen from the reference frame, and their `products`."""
    model, d, n = body.model, body.model.dimension, len(found.omegas)
    hertz = found.omegas / (2.0 * np.pi)
    size = np.ptp(model.nodes, axis=0)
    point = ", ".join(f"{x:.6g}" for x in body.mass_center)
    lines = [
        f"body {model.name!r}: {len(model.nodes)} nodes, {len(model.node_of)} coordinates",
        f"mass {body.total_mass:.6g} kg, mass center ({point}) m, size {' × '.join(f'{x:.4g}' for x in size)} m",
        *model.notes,
    ]
    if n:
        modal = np.trace(products[1 : 1 + n, 1 : 1 + n], axis1=2, axis2=3)
        full = shapes.T @ (body.mass @ shapes)
        lines += [
            f"{n} modes from {hertz[0]:.6g} to {hertz[-1]:.6g} Hz"
            + (f", {found.dropped} deformations left out as parallel to others" if found.dropped else ""),
            f"largest difference of modal masses, |e − ΦᵀMΦ|: {np.max(np.abs(modal - full)):.2g}",
        ]
        errors = estimated_errors(body, found) if estimate else np.full(n, np.nan)
        for k in range(min(n, SHOWN)):
            high = f", too high by about {100.0 * errors[k]:.2g} %" if estimate else ""
            lines.append(f"  mode {k + 1}: {hertz[k]:.6g} Hz{high}")
    if len(found.fixed) and found.fixed_shapes.shape[1] == len(found.fixed):
        parts = effective_masses(body, found)
        shown = ", ".join(f"{100.0 * x:.1f} % along {axis}" for x, axis in zip(parts, "xyz"[:d], strict=True))
        highest = found.fixed[-1] / (2.0 * np.pi)
        lines.append(f"{len(found.fixed)} modes with held interfaces up to {highest:.6g} Hz carry of the mass {shown}")
    return "\n".join(lines)
