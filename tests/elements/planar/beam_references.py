"""References for the tests of beams: statics by Newton's method, vibration, and closed forms of beam theory."""

import numpy as np
import scipy.linalg
from scipy.integrate import solve_ivp
from scipy.optimize import brentq
from scipy.special import ellipe, ellipeinc, ellipk, ellipkinc

import flexmb as fm


def system_of(model):
    return fm.System(model, dense_limit=10**6)


def rest(system, steps=1):
    """(q, λ) at rest at t = 1; loads that grow with time are followed in `steps`."""
    q, lam = system.q0, np.zeros(system.m)
    zero = np.zeros(system.n)
    for step in range(steps):
        t = (step + 1) / steps
        for _ in range(40):
            r = np.concatenate([system.residual(t, q, zero, zero, lam), system.constraint(t, q, zero)[0]])
            change = np.linalg.solve(system.matrix(t, q, zero, zero, lam, (0.0, 0.0, 1.0)), -r)
            q = q + change[: system.n]
            lam = lam + change[system.n :]
            if np.abs(change[: system.n]).max() < 1e-11:
                break
        else:
            raise AssertionError("Newton's method does not converge")
    return q, lam


def linear_response(system):
    """(q − q0, λ) of the model linearized at its initial state."""
    q, zero = system.q0, np.zeros(system.n)
    r = np.concatenate([system.residual(0.0, q, zero, zero), system.constraint(0.0, q, zero)[0]])
    change = np.linalg.solve(system.matrix(0.0, q, zero, zero, np.zeros(system.m), (0.0, 0.0, 1.0)), -r)
    return change[: system.n], change[system.n :]


def frequencies(system):
    """Angular frequencies squared of small vibration at rest, within the constraints."""
    zero = np.zeros(system.n)
    lam = np.zeros(system.m)
    T = scipy.linalg.null_space(system.jacobian(0.0, system.q0)) if system.m else np.eye(system.n)
    M = T.T @ system.mass_matrix(0.0, system.q0) @ T
    K = T.T @ system.tangent(0.0, system.q0, zero, zero, lam, (0.0, 0.0, 1.0)) @ T
    return np.sort(scipy.linalg.eigh(0.5 * (K + K.T), M, eigvals_only=True))


def at(system, name):
    return system.names.index(name)


def elastica(alpha):
    """Tip (x, y)/L and tip angle of a cantilever under a dead load across, α = P L²/EI; see
    Bisshopp and Drucker (1945)."""

    def modulus_and_start(angle):
        m = 0.5 * (1.0 + np.sin(angle))
        return m, np.arcsin(1.0 / np.sqrt(2.0 * m))

    def gap(angle):
        m, start = modulus_and_start(angle)
        return ellipk(m) - ellipkinc(start, m) - np.sqrt(alpha)

    angle = brentq(gap, 1e-9, np.pi / 2 - 1e-9, xtol=1e-15)
    m, start = modulus_and_start(angle)
    y = 1.0 - 2.0 / np.sqrt(alpha) * (ellipe(m) - ellipeinc(start, m))
    return np.sqrt(2.0 * np.sin(angle) / alpha), y, angle


def stretching_elastica(alpha, stretch):
    """The same for a cantilever that stretches, by shooting from its root; stretch = P/EA.

    x' = (1 + ε) cos θ,  y' = (1 + ε) sin θ,  θ' = M,  M' = −α (1 + ε) cos θ,  ε = stretch · sin θ,  M(1) = 0
    """

    def rates(s, z):
        long = 1.0 + stretch * np.sin(z[2])
        return [long * np.cos(z[2]), long * np.sin(z[2]), z[3], -alpha * long * np.cos(z[2])]

    def end(moment):
        return solve_ivp(rates, (0.0, 1.0), [0.0, 0.0, 0.0, moment], "DOP853", rtol=1e-13, atol=1e-14).y[:, -1]

    return end(brentq(lambda moment: end(moment)[3], 0.0, alpha, xtol=1e-14))[:3]


def kinetic_by_points(system, beam, q, v, rhoI=0.0):
    """½ ∫ (ρA |ṙ|² + ρI θ̇²) dx with the speeds of the point kernel, 24 Gauss points for each element."""
    nodes, weights = np.polynomial.legendre.leggauss(24)
    elements = [i for i in system.assembly.instances if i.owner is beam and i.kernels.point is not None]
    total, L = 0.0, beam.length / len(elements)
    for instance in elements:
        p = instance.parameters[None, :]
        index = np.array([instance.coordinates])
        full_q, full_v = system.full_q(q), system.full(v)
        for node, weight in zip(nodes, weights):
            out = np.zeros((1, 9))
            instance.kernels.point(
                p, index, index, 0.0, full_q, full_v, np.zeros_like(full_v), np.zeros((1, 0)),
                beam.point_data(0.5 * (node + 1.0)), out, np.zeros((1, 0, 0)), np.zeros(instance.work + 4),
            )  # fmt: skip
            speeds = out[0, 3:6]
            total += 0.25 * L * weight * (beam.properties.rhoA * speeds[:2] @ speeds[:2] + rhoI * speeds[2] ** 2)
    return total
