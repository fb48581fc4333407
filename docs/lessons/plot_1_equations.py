r"""
1 Equations by hand
===================

*A pendulum's equations of motion, first by hand, then by the program: the same numbers*

You will be able to

- write the equations of a mechanism with coordinates of its bodies and rows for its joints,
- say why rows of accelerations alone let a joint drift apart, and name two remedies,
- ask the program for mass matrix, rows, forces and multipliers, and find your own formulas in them,
- tell from an error that falls with the step how accurate a run is.

You need mechanics of the plane, matrices, and the first lesson of the tutorial.
"""

# %%
# The pendulum, and three numbers for it
# --------------------------------------
#
# A uniform rod of mass :math:`m` and length :math:`l` hangs on a hinge at the origin. A student of mechanics gives it
# one coordinate, the angle :math:`\theta` from below, and writes
#
# .. math:: \tfrac13 m l^2\, \ddot\theta = - \tfrac12 m g l \sin\theta .
#
# A program that shall take *any* mechanism cannot choose so cleverly. It gives each body three coordinates,
# :math:`q = (x, y, \varphi)`, as if it were free, and adds for each joint what the joint demands:
#
# .. math:: g(q) = \begin{pmatrix} x - \tfrac12 l \cos\varphi \\ y - \tfrac12 l \sin\varphi \end{pmatrix} = 0 .

import matplotlib.pyplot as plt
import numpy as np
from scipy.integrate import solve_ivp
from scipy.special import ellipk

import flexmb as fm

m, l, g = 2.0, 1.5, 9.81
J = m * l**2 / 12.0
M = np.diag([m, m, J])
weight = np.array([0.0, -m * g, 0.0])


def position_rows(q):
    """The distance of the rod's upper end from the hinge."""
    return np.array([q[0] - 0.5 * l * np.cos(q[2]), q[1] - 0.5 * l * np.sin(q[2])])


def jacobian(q):
    """G = ∂g/∂q."""
    return np.array([[1.0, 0.0, 0.5 * l * np.sin(q[2])], [0.0, 1.0, -0.5 * l * np.cos(q[2])]])


def quadratic(q, v):
    """What the second derivative of g has beside G a: Ġ v."""
    return 0.5 * l * v[2] ** 2 * np.array([np.cos(q[2]), np.sin(q[2])])


# %%
# The hinge pulls with forces :math:`-G^T\lambda`. Together with the rows, differentiated twice,
#
# .. math::
#
#     \begin{pmatrix} M & G^T \\ G & 0 \end{pmatrix} \begin{pmatrix} \ddot q \\ \lambda \end{pmatrix}
#     = \begin{pmatrix} f \\ -\dot G \dot q \end{pmatrix} .


def accelerations(q, v):
    """Accelerations (3,) and multipliers (2,)."""
    G = jacobian(q)
    matrix = np.block([[M, G.T], [G, np.zeros((2, 2))]])
    found = np.linalg.solve(matrix, np.concatenate([weight, -quadratic(q, v)]))
    return found[:3], found[3:]


angle, rate = np.deg2rad(-50.0), 1.7
q = np.array([0.5 * l * np.cos(angle), 0.5 * l * np.sin(angle), angle])
v = np.array([-q[1] * rate, q[0] * rate, rate])
a, forces = accelerations(q, v)
print(f"angular acceleration {a[2]:.6f}, by one coordinate {-1.5 * g / l * np.cos(angle):.6f} 1/s²")
assert abs(a[2] + 1.5 * g / l * np.cos(angle)) < 1e-12

# %%
# **Exercise 1.** The multipliers are forces of the hinge. Which sign have they when the pendulum hangs at rest? Answer
# without a computer, then with one.

_, at_rest = accelerations(np.array([0.0, -0.5 * l, -np.pi / 2]), np.zeros(3))
print("multipliers at rest", at_rest.round(3), "and the weight", m * g)
assert np.allclose(at_rest, [0.0, -m * g])  # answer: −Gᵀλ holds the weight, so that λ points downwards

# %%
# The program's equations
# -----------------------
#
# The same rod, described by what it is. ``fm.System`` holds the equations which the program makes of it.

model = fm.PlanarModel("pendulum", gravity=(0, -g))
rod = model.add_body("rod", mass=m, inertia=J, position=q[:2], angle=angle)
model.revolute(model.ground, rod.attach("top", (-0.5 * l, 0.0)), name="hinge")
system = fm.System(model)
print(system.n, "coordinates,", system.m, "rows")

their_masses = system.mass_matrix(0.0, q)
print(their_masses)
assert np.allclose(their_masses, M)

# %%
# ``residual`` is what remains of :math:`M a + f + G^T\lambda` if accelerations and multipliers are put in. With those
# found by hand nothing remains.

left = np.abs(system.residual(0.0, q, v, a, forces)).max()
print(f"what remains: {left:.0e} N")
assert left < 1e-12 * m * g

# %%
# **Exercise 2.** Hang a second, equal rod at the end of the first. How many coordinates and rows are there, and how
# many freedoms remain? Let the program count.

double = fm.PlanarModel("double pendulum", gravity=(0, -g))
upper = double.add_body("upper", mass=m, inertia=J, position=(0.5 * l, 0.0))
lower = double.add_body("lower", mass=m, inertia=J, position=(1.5 * l, 0.0))
double.revolute(double.ground, upper.attach("top", (-0.5 * l, 0.0)), name="first hinge")
double.revolute(upper.attach("bottom", (0.5 * l, 0.0)), lower.attach("top", (-0.5 * l, 0.0)), name="second hinge")
two = fm.System(double)
print(two.n, "coordinates,", two.m, "rows,", two.n - two.m, "freedoms")
assert (two.n, two.m) == (6, 4)  # answer: two freedoms, the two angles

# %%
# A joint that drifts apart
# -------------------------
#
# Accelerations fulfill the rows' second derivative. An integrator makes small errors, and nothing calls the rod back to
# its hinge: whoever knows only that :math:`\ddot g = 0` lets :math:`g` grow linearly with time.


def slopes(t, y, alpha=0.0, beta=0.0):
    """The equations of first order, with Baumgarte's remedy: g̈ + 2α ġ + β² g = 0 in place of g̈ = 0."""
    q, v = y[:3], y[3:]
    G = jacobian(q)
    matrix = np.block([[M, G.T], [G, np.zeros((2, 2))]])
    wanted = -quadratic(q, v) - 2.0 * alpha * (G @ v) - beta**2 * position_rows(q)
    return np.concatenate([v, np.linalg.solve(matrix, np.concatenate([weight, wanted]))[:3]])


start = np.concatenate([q, v])
times = np.linspace(0.0, 20.0, 401)
figure, ax = plt.subplots(layout="constrained")
gaps = {}
for label, alpha in (("accelerations alone", 0.0), ("with Baumgarte's remedy, α = β = 10 1/s", 10.0)):
    run = solve_ivp(slopes, (0.0, 20.0), start, "RK45", times, rtol=1e-6, atol=1e-9, args=(alpha, alpha))
    gaps[label] = np.array([np.hypot(*position_rows(y)) for y in run.y[:3].T])
    ax.semilogy(times, 1e-12 + gaps[label], label=label)
ax.set(xlabel="t [s]", ylabel="distance of the rod from its hinge [m]")
ax.legend(frameon=False)
drift, held = (x[-1] for x in gaps.values())
print(f"after 20 s: {drift:.1e} m without, {held:.1e} m with the remedy")
assert drift > 20.0 * held

# %%
# The other remedy puts position and speed back onto the rows after each step, by the shortest way in the metric of the
# masses. The program's default method does so; it holds rows to about round-off, whatever its tolerance is.

model.set_rigid_motion(angular_velocity=rate)
solution = fm.simulate(model, 20.0)
gap = max(np.hypot(*position_rows(x)) for x in solution.q)
print(f"the program's rod stays within {gap:.0e} m of its hinge")
assert gap < 1e-11

# %%
# **Exercise 3.** Which of both remedies changes the energy of the run, and in which direction?
#
# Answer: both do, by their error. Baumgarte's springs and dampers act on errors of rows and take or give what these
# hold; a projection moves the state. Neither is bounded by the tolerance, and this is why the balance of energy is a
# measurement that no method arranges.

print(solution.energy)

# %%
# How accurate is a run?
# ----------------------
#
# The period of the pendulum released at :math:`\theta_0` is known: :math:`T = 4 \sqrt{2l/3g}\;
# K(\sin^2\tfrac12\theta_0)`. A method of second order makes an error that falls by four if its step is halved.

released = fm.PlanarModel("released", gravity=(0, -g))
rod = released.add_body("rod", mass=m, inertia=J, position=(0.5 * l, 0.0))
released.revolute(released.ground, rod.attach("top", (-0.5 * l, 0.0)), name="hinge")
period = 4.0 * np.sqrt(2.0 * l / (3.0 * g)) * ellipk(0.5)


def orders(t_end, exact):
    """The powers of the step with which the error of the angle falls, from halving the step twice."""
    errors = []
    for step in (0.02, 0.01, 0.005):
        run = fm.simulate(released, t_end, step=step, times=[0.0, t_end], progress=False)
        errors.append(abs(run["rod.angle"][-1] - exact))
        print(f"step {step:5.3f} s: {errors[-1]:.2e} rad")
    return np.log2(np.divide(errors[:-1], errors[1:]))


print("observed orders after a period", orders(period, 0.0).round(2))

# %%
# **Exercise 4.** Why does the *angle* after a period tell less than the angle after a quarter of it?
#
# Answer: at the end of a period the rod stands still for a moment, so an error of the period itself acts on the angle
# only in second order. What is left is what the method's damping of high frequencies takes from a slow motion, which is
# of third order. After a quarter the rod passes the lowest point with its greatest speed.

quarter = orders(0.25 * period, -np.pi / 2)
print("observed orders after a quarter", quarter.round(2))
assert np.allclose(quarter, 2.0, atol=0.1)

# %%
# What to read next: :doc:`/theory/rigid-bodies-joints-rows` has the rows of all joints,
# and :doc:`/gallery/mechanisms/plot_lagrange` a mechanism in coordinates that are chosen cleverly.
