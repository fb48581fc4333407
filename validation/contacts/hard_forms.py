"""Closed forms and quadratures of mechanisms with hard contacts, without flexmb.

Where none is known, numbers are those of a reference integrator by events: Dormand and Prince's method of order 8 at a
tolerance of 1e-12 in generalized coordinates of the mechanism alone, with all choices of states tried at each event,
computed twice with different tolerances; digits that agree are given.
"""

from __future__ import annotations

import math

import numpy as np
from scipy.integrate import quad, solve_ivp

#: gravity [m/s²]
G = 9.81
#: the double pendulum with friction at its wall, restitution .5 and μ .3: both angles at 2 and at 3 s
RUBBED_PENDULUM = {2.0: (0.3523437073, 0.8371718795), 3.0: (0.1870760709, 0.4993709524)}
#: the slider-crank with clearance (Flores, Leine and Glocker (2010)): angles of crank, rod and slider at .04 s
SLIDER_CRANK = (3.93500686, 0.367654003, 0.0)
#: the same at .02 s, whose slider turns at −.01 rad/s at the start
TURNED_SLIDER_CRANK = (1.61320842, -0.519906853, 0.0)


def rest_of_ball(h: float, e: float) -> float:
    """The time [s] at which a ball that falls from a height h has ended to bounce: √(2 h/g) (1 + e)/(1 − e)."""
    return math.sqrt(2.0 * h / G) * (1.0 + e) / (1.0 - e)


def _quarter(theta: float, p2: float, alpha: float) -> float:
    """The time in which a block falls from a tilt to its base, as p2 = g R/J about a corner and the angle α of its
    diagonal have it; θ − x = s² removes the root at the start."""

    def rate(s: float) -> float:
        x = 0.5 * s * s
        return 2.0 / math.sqrt(2.0 * p2 * math.sin(alpha - theta + x) * float(np.sinc(x / math.pi)))

    return float(quad(rate, 0.0, math.sqrt(theta), epsabs=1e-14, epsrel=1e-12)[0])


def rocking_block(half_width: float, half_height: float, tilt: float) -> tuple[float, float]:
    """The first impact of a block that rocks from a tilt without slip, and its rest [s] (Housner (1963)): from corner
    to corner the speed falls by 1 − 3/2 sin² α; a sum of quadratures, for small tilts a geometric one."""
    R, alpha = math.hypot(half_width, half_height), math.atan2(half_width, half_height)
    p2, ratio = 0.75 * G / R, 1.0 - 1.5 * math.sin(alpha) ** 2
    E = math.cos(alpha - tilt) - math.cos(alpha)
    first = total = _quarter(tilt, p2, alpha)
    while True:
        E *= ratio**2
        small = E / math.sin(alpha) * (1.0 - E / (2.0 * math.sin(alpha) * math.tan(alpha)))
        theta = alpha - math.acos(math.cos(alpha) + E) if E > 1e-9 else small
        if theta < 1e-7:
            return first, total + 2.0 * math.sqrt(2.0 * theta / (p2 * math.sin(alpha))) / (1.0 - ratio)
        total += 2.0 * _quarter(theta, p2, alpha)


def rimless_wheel(spokes: int, inertia: float, slope: float) -> tuple[float, float]:
    """The speed [rad/s] behind each impact of a wheel without a rim, of unit mass and spokes, that walks down a slope,
    and its period [s] (McGeer (1990))."""
    half, about = math.pi / spokes, inertia + 1.0
    kept = (inertia + math.cos(2.0 * half)) / about
    gained = 4.0 * G * math.sin(half) * math.sin(slope) / about
    speed = math.sqrt(kept**2 * gained / (1.0 - kept**2))

    def rate(x: float) -> float:
        return 1.0 / math.sqrt(speed**2 + 2.0 * G / about * (math.cos(slope - half) - math.cos(x + slope)))

    return speed, float(quad(rate, -half, half, epsabs=1e-15)[0])


def double_pendulum(restitution: float, wall: float, t_end: float) -> tuple[np.ndarray, list[float], float]:
    """Two rods of 1 kg and 1 m from 60° and 90° against the vertical, whose tip bounces off a wall: both angles at the
    end, the times of the impacts, and what they lose [J]; in the angle of the second rod against the first."""
    B = np.array([[1.0, 0.0], [1.0, 1.0]])

    def mass(q: np.ndarray) -> np.ndarray:
        c = 0.5 * math.cos(q[0] - q[1])
        return np.array([[4.0 / 3.0, c], [c, 1.0 / 3.0]])

    def rates(_: float, z: np.ndarray) -> np.ndarray:
        q, v = B @ z[:2], B @ z[2:]
        k = 0.5 * math.sin(q[0] - q[1])
        f = [-k * v[1] ** 2 - 1.5 * G * math.sin(q[0]), k * v[0] ** 2 - 0.5 * G * math.sin(q[1])]
        return np.concatenate([z[2:], np.linalg.solve(B, np.linalg.solve(mass(q), f))])

    def gap(_: float, z: np.ndarray) -> float:
        return math.sin(z[0]) + math.sin(z[0] + z[1]) - wall

    gap.terminal, gap.direction = True, -1  # type: ignore[attr-defined]
    t, z, times, lost = 0.0, np.array([math.pi / 3.0, math.pi / 6.0, 0.0, 0.0]), [], 0.0
    while t < t_end:
        run = solve_ivp(rates, (t, t_end), z, method="DOP853", rtol=1e-12, atol=1e-13, events=gap)
        t, z = float(run.t[-1]), run.y[:, -1]
        if run.status != 1:
            break
        q, v = B @ z[:2], B @ z[2:]
        M, W = mass(q), np.cos(q)
        D = W @ np.linalg.solve(M, W)
        lost += 0.5 * (1.0 - restitution**2) * float(W @ v) ** 2 / D
        z[2:] = np.linalg.solve(B, v - np.linalg.solve(M, W) * (1.0 + restitution) * (W @ v) / D)
        times.append(t)
    return B @ z[:2], times, lost


def slides_down(slope: float, mu: float, speed: float) -> float:
    """The way of a box down a slope until it sticks [m]."""
    return speed**2 / (2.0 * G * (mu * math.cos(slope) - math.sin(slope)))


def wedged_rod(angle: float, slip: float) -> np.ndarray:
    """The impulses, normal and along the slip, that stop the lower end of a slender rod of unit mass and half length
    which slides where no forces can hold it (Painlevé (1895))."""
    c, s = math.cos(angle), math.sin(angle)
    return np.linalg.solve([[1.0 + 3.0 * c * c, -3.0 * s * c], [-3.0 * s * c, 1.0 + 3.0 * s * s]], [0.0, -slip])


def held_body(mass: float, force: float, mu: float, phases: list[tuple[float, float]]) -> float:
    """The slip of a body between two fingers that press with a force [m], lifted in phases (time, acceleration)."""
    most, at, u = 2.0 * mu * force / mass - G, 0.0, 0.0
    for time, a in phases:
        if u == 0.0 and a <= most:
            continue
        until = min(time, -u / (most - a)) if most > a else time
        at += u * until + 0.5 * (most - a) * until**2
        u = 0.0 if until < time else u + (most - a) * until
    return at


def spinning_disk(
    h: float, radius: float, e: float, mu: float, speed: float, spin: float, t_end: float
) -> tuple[float, float, float]:
    """Speed and spin behind the first impact, and the place at the end, of a disk of inertia ½ m r² that bounces on a
    floor from a height h of its lowest point, exactly, flight by flight; it rolls in the end."""
    fall, t, x, w = math.sqrt(2.0 * G * h), math.sqrt(2.0 * h / G), 0.0, spin
    u, first = speed, (0.0, 0.0)
    x = u * t
    rest = rest_of_ball(h, e)
    while True:
        slip = u + radius * w
        P = (1.0 + e) * fall
        T = -math.copysign(min(mu * P, abs(slip) / 3.0), slip)
        u, w = u + T, w + 2.0 * T / radius
        if t == math.sqrt(2.0 * h / G):
            first = u, w
        fall *= e
        flight = 2.0 * fall / G
        if t + flight > min(t_end, rest - 1e-13):
            break
        t, x = t + flight, x + u * flight
    slip = u + radius * w
    slides = abs(slip) / (3.0 * mu * G)
    left = t_end - t
    until = min(left, slides)
    x += u * left - math.copysign(1.0, slip) * mu * G * (0.5 * until**2 + until * (left - until)) if slip else u * left
    return (*first, x)
