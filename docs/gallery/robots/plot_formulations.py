r"""
Double pendulum, four ways
==========================

*Four formulations of a double pendulum give the textbook's accelerations*

Two equal rods of mass :math:`m` and length :math:`\ell` hang on each other. With angles :math:`\alpha` and
:math:`\alpha + \beta` to the horizontal, Lagrange's equations give their accelerations. Articulated bodies, the mass
matrix, and two ways to put the mechanism together from pieces must all give these.
"""

import matplotlib.pyplot as plt
import numpy as np

import flexmb as fm

M, L, G = 1.0, 1.0, 9.81
model = fm.PlanarModel("double pendulum", gravity=(0, -G))
before = model.ground
for k in range(2):
    rod = model.add_body(f"rod {k}", mass=M, inertia=M * L**2 / 12.0, position=((k + 0.5) * L, 0))
    model.revolute(before, rod.attach(f"near {k}", (-0.5 * L, 0)), name=f"hinge {k}")
    before = rod.attach(f"far {k}", (0.5 * L, 0))
tree = fm.Tree.of(model)


def textbook(q, v):
    """The accelerations of the two hinges."""
    a, b, c, s = q[0], q[0] + q[1], np.cos(q[1]), np.sin(q[1])
    mass = M * L**2 * np.array([[4.0 / 3.0, 0.5 * c], [0.5 * c, 1.0 / 3.0]])  # of the angles a and b
    w = np.array([v[0], v[0] + v[1]])
    whirl = 0.5 * M * L**2 * s * np.array([w[1] ** 2, -(w[0] ** 2)])
    weight = -M * G * L * np.array([1.5 * np.cos(a), 0.5 * np.cos(b)])
    first, second = np.linalg.solve(mass, weight + whirl)
    return np.array([first, second - first])


rng = np.random.default_rng(1)
states = [(rng.uniform(-3.0, 3.0, 2), rng.uniform(-5.0, 5.0, 2)) for _ in range(20)]
names = ("aba", "lagrange", "ada", "dca")
errors = []
for name in names:
    formulation = fm.formulation(tree, name)
    off = [np.abs(formulation(q, v, np.zeros(2)) - textbook(q, v)).max() for q, v in states]
    errors.append(off)
    print(f"{name}: largest error {max(off):.0e} rad/s²")
    assert max(off) < 1e-11

figure, ax = plt.subplots(layout="constrained")
for k, off in enumerate(errors):
    ax.semilogy(np.full(len(off), k), np.maximum(off, 1e-17), "o", alpha=0.5)
ax.set(xticks=range(4), xticklabels=names, ylabel="error of the accelerations [rad/s²]", ylim=(1e-17, 1e-11))

# sphinx_gallery_thumbnail_number = 2

# %%
# The pendulum, released level, and the path of its end:

fm.simulate(model, 0.8, progress=False).view(trails=["rod 1.far 1"], ghosts=[0.0, 0.3])
