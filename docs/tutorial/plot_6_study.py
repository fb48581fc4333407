"""
6 A study with plots
====================

One run answers one question. A designer asks how an answer depends on choices. In this lesson the pendulum of
:ref:`lesson 1 <sphx_glr_tutorial_plot_1_pendulum.py>` runs over a grid of thicknesses and lengths, and forty-eight
runs turn out to lie on one curve. Then you get the slope of an answer without any further run, and its spread when the
material is not known well.
"""

# %%
# A function that runs once
# -------------------------
#
# A study calls a function of yours with parameters. The function builds a model, runs it, and returns a dictionary of
# numbers.

import tempfile
import warnings
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
from scipy.stats import norm

import flexmb as fm


def pendulum(diameter, length, youngs_modulus=5e7):
    """A rod of soft plastic on a hinge, level, with a weight of 50 g at its end."""
    plastic = fm.Material(density=1100.0, youngs_modulus=youngs_modulus)
    model = fm.PlanarModel("pendulum", gravity=(0.0, -9.81))
    section = fm.Circle(diameter=diameter)
    rod = model.add_beam("rod", (0.0, 0.0), (length, 0.0), material=plastic, section=section, elements=2)
    model.revolute(model.ground, rod.start, name="hinge")
    model.add_point_mass("bob", rod.end, 0.05)
    return model


def swing(diameter, length, youngs_modulus=5e7):
    """The largest bend [°] of the first swing, and the largest force [N] in the hinge."""
    solution = fm.simulate(pendulum(diameter, length, youngs_modulus), 0.6, tolerance=1e-5, progress=False)
    bend = solution["rod.end"].angle - solution["rod.start"].angle
    force, _ = solution.reaction("hinge")
    return {"bend": np.degrees(np.abs(bend).max()), "force": np.hypot(*force.T).max()}


one = swing(0.02, 1.0)
print(f"bend {one['bend']:.1f} degrees, force {one['force']:.2f} N")

# %%
# All combinations
# ----------------
#
# ``fm.grid`` makes them. ``workers=0`` runs them in this process, one after the other; without it a study takes all
# cores. With a file every run is kept as soon as it is done: a study that is stopped goes on where it was, and a second
# call computes nothing.

folder = Path(tempfile.mkdtemp())
runs = fm.grid(diameter=np.linspace(0.016, 0.038, 12), length=[0.7, 0.8, 0.9, 1.0])
swings = fm.study(swing, runs, workers=0, file=folder / "swings.study", progress=False)
again = fm.study(swing, runs, workers=0, file=folder / "swings.study", progress=False)
print(len(swings.ok), "runs,", len(swings.failed), "failed; the second study had none to run")
assert len(swings.ok) == 48 and np.array_equal(again["bend"], swings["bend"])

# %%
# The table has a plot, and goes to pandas, xarray and CSV.

labels = {"diameter": "diameter [m]", "length": "length [m]", "bend": "largest bend [°]"}
swings.plot("diameter", "bend", labels=labels)

# %%
# One curve instead of forty-eight runs
# -------------------------------------
#
# Statics gives the size. When the rod is let go it turns with :math:`\alpha = g\,(\mu L/2 + m)/(\mu L^2/3 + m L)`.
# Its weight and its inertia load it across by :math:`\mu (g - \alpha x)`, and the bob by :math:`m (g - \alpha L)`.
# Under this load its ends would turn against each other by
#
# .. math:: \psi = \frac{1}{EI}\left[\mu\left(\frac{\alpha L^4}{8} - \frac{g L^3}{6}\right)
#           + m\,(\alpha L - g)\,\frac{L^2}{2}\right].

d, length = swings["diameter"], swings["length"]
mu, EI, bob, g = 1100.0 * np.pi / 4.0 * d**2, 5e7 * np.pi / 64.0 * d**4, 0.05, 9.81
alpha = g * (mu * length / 2.0 + bob) / (mu * length**2 / 3.0 + bob * length)
psi = mu * (alpha * length**4 / 8.0 - g * length**3 / 6.0) + bob * (alpha * length - g) * length**2 / 2.0
psi = np.degrees(psi / EI)

figure, ax = plt.subplots(layout="constrained")
points = ax.scatter(psi, swings["bend"], c=length)
ax.plot([0.0, 12.0], [0.0, 24.0], "--", color="gray", label="twice the static bend")
figure.colorbar(points, label="length [m]")
ax.set(xlabel="static bend ψ [°]", ylabel="largest bend in the swing [°]", xlim=(0, None), ylim=(0, 35))
ax.legend(frameon=False)

ratio = swings["bend"] / psi
curve = np.polyval(np.polyfit(psi, ratio, 3), psi)
print(f"stiff rods bend {ratio[psi < 1.7].mean():.2f} times as far as by statics")
print(f"all forty-eight lie on one curve, to {100 * np.abs(ratio / curve - 1.0).max():.1f} %")
assert abs(ratio[psi < 1.7].mean() - 2.0) < 0.01
assert np.abs(ratio / curve - 1.0).max() < 0.02

# %%
# They do lie on one curve. A load that acts suddenly bends a beam twice as far as one that comes slowly: so stiff rods
# bend by :math:`2\psi`. Soft ones bend so slowly that the pendulum has swung down before they get there.
#
# A slope without further runs
# ----------------------------
#
# How does the position of the end after 0.5 s depend on diameter and modulus? ``fm.sensitivity`` differentiates the
# equations along the run. It needs a builder, nominal values, and names of outputs.

nominal = {"diameter": 0.02, "length": 1.0, "youngs_modulus": 5e7}
slopes = fm.sensitivity(pendulum, nominal, 0.5, final=["rod.end.x"], step=1e-3)
for name in nominal:
    print(f"1 % more {name}: x changes by {10.0 * nominal[name] * slopes['rod.end.x', name]:+.3f} mm")

h = 1e-4
ends = [fm.simulate(pendulum(0.02 * (1 + s * h), 1.0), 0.5, step=1e-3)["rod.end.x"][-1] for s in (1.0, -1.0)]
difference = (ends[0] - ends[1]) / (2.0 * h * 0.02)
print(f"by differences of two runs {difference:.5f}, by the sensitivity {slopes['rod.end.x', 'diameter']:.5f} m/m")
assert abs(difference / slopes["rod.end.x", "diameter"] - 1.0) < 1e-3

# %%
# What if the material is not known well?
# ---------------------------------------
#
# ``fm.random_parameters`` draws values, evenly from a range or from a distribution of SciPy. Here the modulus has a
# standard deviation of 10 %. Twenty runs that cover the distribution evenly ("latin") are enough.

modulus = norm(5e7, 5e6)
draws = fm.random_parameters(20, seed=1, method="latin", diameter=[0.02], length=[1.0], youngs_modulus=modulus)
cloud = fm.study(swing, draws, workers=0, progress=False)
mean, deviation = cloud["bend"].mean(), cloud["bend"].std()
slope = np.polyfit(cloud["youngs_modulus"] / 5e7 - 1.0, cloud["bend"], 1)[0]
print(f"bend {mean:.1f}° ± {deviation:.1f}°; by the slope ± {0.1 * abs(slope):.1f}°")

figure, ax = plt.subplots(layout="constrained")
ax.plot(1e-6 * cloud["youngs_modulus"], cloud["bend"], "o")
ax.set(xlabel="Young's modulus [MPa]", ylabel="largest bend [°]")

# %%
# Exercises
# ---------
#
# 1. Read from the table: which rods bend by less than 10 degrees, and which of these is the lightest?
# 2. A function that fails in some runs is no disaster. Let ``swing`` raise an exception for lengths above 0.95 m, and
#    look at ``study.failed``.
# 3. A thinner rod is softer. Yet a diameter that is 1 % smaller moves the end after 0.5 s as a *larger* modulus does.
#    By how much must the modulus grow for the same effect, and why?
#
# Answers
# -------

fine = [row for row in swings.ok if row["bend"] < 10.0]
light = min(fine, key=lambda row: row["diameter"] ** 2 * row["length"])
print(f"1. {len(fine)} of 48; the lightest has {1e3 * light['diameter']:.0f} mm and {light['length']} m")


def fussy(diameter, length):
    if length > 0.95:
        raise ValueError("too long")
    return swing(diameter, length)


with warnings.catch_warnings():
    warnings.simplefilter("ignore", fm.errors.StudyWarning)
    some = fm.study(fussy, fm.grid(diameter=[0.03], length=[0.9, 1.0]), workers=0, progress=False)
print(f"2. {len(some.ok)} done, {len(some.failed)} failed: {some.failed[0]['error'].splitlines()[-1]}")

share = slopes["rod.end.x", "diameter"] * 0.02 / (slopes["rod.end.x", "youngs_modulus"] * 5e7)
print(f"3. by {-share:.1f} %: a thin rod weighs less against the bob, and the pendulum swings more slowly")

# %%
# Where to go on
# --------------
#
# Lesson 7 adds a component that the program does not have. On a cluster, a study takes any executor, also a Dask
# client.
