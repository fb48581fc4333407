r"""
Twelve formulations
===================

*One mechanism, moved by the equations of twelve papers*

Between 1965 and 1983 the equations of motion of spacecraft and robots were written down again and again: with
barycenters, with nests of bodies, with partial velocities, with multipliers, with momenta. Each of them moves this
swing of two bodies here. The paths of its end lie over each other; what differs is the time that a run takes, and the
last digits.
"""

import time

import matplotlib.pyplot as plt
import numpy as np

import flexmb as fm
from flexmb.formulations.papers import NAMES


def build() -> fm.SpatialModel:
    m = fm.SpatialModel("swing", gravity=(0, 0, -9.81))
    a = m.add_body("a", mass=2.0, inertia=(40.0, 40.0, 5.0), position=(0, 0, -5))
    b = m.add_body("b", mass=1.0, inertia=(5.0, 20.0, 20.0), position=(4, 0, -10))
    m.universal(m.ground, a.attach("top", (0, 0, 5)), axis="x", axis_b="y", name="top")
    m.revolute(a.attach("low", (0, 0, -5)), b.attach("in", (-4, 0, 0)), axis="y", name="knee")
    m.torsion_spring(a.frame, b.frame, axis="y", stiffness=30.0)
    m.point_torque(a.frame, (60.0, 0.0, 20.0))
    return m


times = np.linspace(0.0, 3.0, 61)
exact = fm.simulate(build(), 3.0, tolerance=1e-10, times=times)
taken = [name for name in fm.formulations_of(build()).taken if name in NAMES]

runs = []
fig, (paths, errors) = plt.subplots(1, 2, figsize=(10, 4.5), layout="constrained")
print(f"{'formulation':22s}{'seconds':>8s}{'evaluations':>13s}{'from the compiled run':>23s}")
for number, name in enumerate(taken):
    begun = time.perf_counter()
    run = fm.simulate(build(), 3.0, formulation=name, tolerance=1e-6, times=times)
    seconds = time.perf_counter() - begun
    runs.append(run)
    end = run["b"].position
    off = np.linalg.norm(end - exact["b"].position, axis=1)
    print(f"{name:22s}{seconds:8.2f}{run.statistics.evaluations:13d}{off.max():19.1e} m")
    assert off.max() < 1e-7
    width = 9.0 - 0.7 * number  # each line inside of the one before
    paths.plot(end[:, 0], end[:, 1], lw=width, color=plt.cm.viridis(number / len(taken)), label=name)
    errors.semilogy(times[1:], off[1:] + 1e-16, lw=1.2, color=plt.cm.viridis(number / len(taken)))
paths.set(xlabel="x [m]", ylabel="y [m]", title="the end of the swing from above", aspect="equal")
paths.legend(fontsize=7, ncols=2)
errors.set(xlabel="time [s]", ylabel="distance [m]", title="from the compiled run in absolute coordinates")
plt.show()

# sphinx_gallery_thumbnail_number = 2

# %%
# Some of the runs over each other, the compiled one among them: what is seen is one swing.

fm.View([exact, *runs[::3]], over=True, labels=["compiled", *taken[::3]])
