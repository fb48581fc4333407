"""Parallelograms side by side, which go through flat, where their constraints depend on one another."""

from __future__ import annotations

import numpy as np
from scipy.integrate import solve_ivp

import flexmb as fm


def four_bars(count: int, *, crank: float = np.pi / 2, driven: float = 0.0) -> fm.PlanarModel:
    """`count` parallelograms of rods (1 m, 1 kg) side by side, pushed over by −1 rad/s or driven at a speed."""
    model = fm.PlanarModel(f"{count} four-bars", gravity=(0, -9.81))
    c, s = np.cos(crank), np.sin(crank)
    cranks = [
        model.add_body(f"crank{k}", mass=1.0, inertia=1 / 12, position=(k + c / 2, s / 2), angle=crank)
        for k in range(count + 1)
    ]
    couplers = [
        model.add_body(f"coupler{k}", mass=1.0, inertia=1 / 12, position=(k + 0.5 + c, s)) for k in range(count)
    ]
    for k, body in enumerate(cranks):
        model.revolute(model.ground.attach(f"foot{k}", (k, 0)), body.attach("foot", (-0.5, 0)))
        body.attach("top", (0.5, 0))
    for k, body in enumerate(couplers):
        model.revolute(body.attach("left", (-0.5, 0)), model.frame(f"crank{k}.top"))
        model.revolute(body.attach("right", (0.5, 0)), model.frame(f"crank{k + 1}.top"))
    if driven:
        model.drive_angle(model.ground, cranks[0].frame, fm.Polynomial([crank, driven]))
    else:
        for body in cranks:
            body.move(velocity=(0.5 * s, -0.5 * c), angular_velocity=-1.0)
        for body in couplers:
            body.move(velocity=(s, -c))
    return model


def falling(count: int, t: np.ndarray) -> np.ndarray:
    """The angle of the cranks, one pendulum: φ̈ = −(m_c/2 + m_k) g cos φ / (m_c/3 + m_k), cranks m_c, couplers m_k."""
    pull = ((count + 1) / 2 + count) * 9.81 / ((count + 1) / 3 + count)
    way = solve_ivp(
        lambda t, y: [y[1], -pull * np.cos(y[0])], (0.0, t[-1]), [np.pi / 2, -1.0], t_eval=t, rtol=1e-11, atol=1e-12
    )
    return way.y[0]
