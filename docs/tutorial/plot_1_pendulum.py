"""
1 A pendulum that bends
=======================

A rod of soft plastic hangs from a hinge and carries a small weight at its end. It is released level and swings down.
A stiff rod would stay straight. This one bends by 23 degrees. In this lesson you build it, let it swing, read
results by their names, and find out how far to trust them.
"""

# %%
# The mechanism
# -------------
#
# A mechanism is a set of *frames* with *components* between them. A frame is a place with an angle. The ground is a
# frame, and each end of a beam is one.
#
# Units are SI units and radians, everywhere. Gravity is a vector, so that up is where you say it is.

import numpy as np
from scipy.special import ellipk

import flexmb as fm


def pendulum(diameter=0.02, youngs_modulus=5e7, elements=2):
    """A rod of 1 m on a hinge, level, with a weight of 50 g at its end."""
    plastic = fm.Material(density=1100.0, youngs_modulus=youngs_modulus)
    model = fm.PlanarModel("pendulum", gravity=(0.0, -9.81))
    section = fm.Circle(diameter=diameter)
    rod = model.add_beam("rod", (0.0, 0.0), (1.0, 0.0), material=plastic, section=section, elements=elements)
    model.revolute(model.ground, rod.start, name="hinge")
    model.add_point_mass("bob", rod.end, 0.05)
    return model


model = pendulum()

# %%
# The beam goes from one point to another. It is divided into two elements. Each has two bending modes of its own, the
# default, and turns as far as it likes: only the bending *within* an element has to stay moderate.
#
# The motion
# ----------
#
# One call computes the motion of the first second. The method chooses its steps by itself.

solution = fm.simulate(model, 1.0)
print(solution.status, "and trustworthy" if solution.trustworthy else "with doubts")
print(solution.energy)

# %%
# No method enforces the balance of energy. What is left over therefore measures the error of the run: here a few
# billionths.
#
# A drawing shows the rod at chosen times, and the path of a point.

solution.draw(times=np.linspace(0.0, 0.7, 13), trails="rod.end")

# %%
# Results have names
# ------------------
#
# ``solution["rod.end"]`` is the motion of the end of the rod: position, angle, velocity and acceleration at all times
# ``solution.t``. Any place along the beam has a name too: ``"rod@0.5"`` is its middle. The rod bends by the difference
# of the angles at its ends.

bend = np.degrees(np.abs(solution["rod.end"].angle - solution["rod.start"].angle))
k = bend.argmax()
print(f"the rod bends most, by {bend[k]:.1f} degrees, after {solution.t[k]:.2f} s")

force, moment = solution.reaction("hinge")
print(f"the hinge pulls with up to {np.hypot(*force.T).max():.2f} N; the weight is {9.81 * (0.05 + 0.3456):.2f} N")

assert abs(bend[k] - 22.8) < 0.1
assert abs(solution.energy.error) < 1e-7

# %%
# The names go into plots as well.

solution.plot("rod.end.x", "rod.end.y")

# %%
# And along the beam: the bending moment at five instants of the first half second. It vanishes at the hinge and at the
# end. In the middle, where the two elements meet, the curves have small steps. The exact moment has none, so the steps
# show how much two elements leave out. They shrink with more elements.

solution.plot_along("rod", "bending_moment", times=[0.02, 0.1, 0.2, 0.3, 0.5])

# %%
# How far to trust it
# -------------------
#
# Two questions are different. Did the *method* solve the equations? The energy says yes. Are these the right equations,
# with enough elements? Take more of them and compare.

for elements in (1, 2, 4):
    run = fm.simulate(pendulum(elements=elements), 1.0)
    x, y = run.at(0.5)["rod.end"].position[0]
    print(f"{elements} elements: the end is at ({x:.4f}, {y:.4f}) m after 0.5 s")
    if elements == 2:
        coarse = np.array([x, y])
fine = np.array([x, y])
print(f"two and four elements differ by {1e3 * np.linalg.norm(fine - coarse):.2f} mm")

assert np.linalg.norm(fine - coarse) < 1e-4

# %%
# One element is off by 0.8 mm, two by 0.03 mm. A run doubts itself, with a warning and the number of elements
# that would do, where a beam bends beyond the range of its theory (``solution.doubts``).
#
# The other check is a case whose answer is known. A stiff rod is a rigid pendulum. Released level it first comes to the
# vertical after a quarter of its period,
#
# .. math:: \frac{T}{4} = \sqrt{\frac{J}{m g s}}\; K\!\left(\sin^2 \frac{90°}{2}\right),
#
# with the moment of inertia :math:`J` about the hinge, the first moment :math:`m s` of the masses, and the complete
# elliptic integral :math:`K`. An *event* finds the instant at which the end passes below the hinge.


def quarter_period(model):
    """The first time at which the end of the rod is below the hinge."""
    model.add_event(fm.crossing("rod.end.x", 0.0), fm.StopRun())
    return fm.simulate(model, 1.0).events[0].t


mass = 1100.0 * np.pi * 0.01**2
turning = mass * 0.01**2 / 4.0  # of the sections about their diameters, which beams have too
inertia, first_moment = mass / 3.0 + turning + 0.05, mass / 2.0 + 0.05
exact = np.sqrt(inertia / (9.81 * first_moment)) * ellipk(0.5)
stiff = quarter_period(pendulum(youngs_modulus=205e9))
soft = quarter_period(pendulum())
print(f"quarter period: exact {exact:.6f} s, a rod of steel's stiffness {stiff:.6f} s, of soft plastic {soft:.6f} s")

assert abs(stiff - exact) < 2e-6
assert abs(soft - 0.5140) < 1e-4

# %%
# Exercises
# ---------
#
# 1. How thick must the rod be, to bend by 10 degrees at most? Its stiffness goes with the fourth power of the diameter,
#    its mass with the second: guess first.
# 2. Where along the rod, and when, is the bending moment largest?
# 3. Hang the rod straight down instead, at rest, and ask for its lowest two frequencies (``fm.modes``). Which motion is
#    the second?
#
# Answers
# -------
#
# The bending comes from the weight of the rod itself and of the bob, over the stiffness. The rod weighs nearly
# seven times as much as the bob, so the ratio goes with the square of the diameter, or a little faster: from 22.8 to
# 10 degrees by a factor of about 1.5.


def largest_bend(diameter):
    run = fm.simulate(pendulum(diameter), 0.6)
    return np.degrees(np.abs(run["rod.end"].angle - run["rod.start"].angle).max())


thick = {diameter: largest_bend(diameter) for diameter in (0.026, 0.028, 0.030, 0.032)}
needed = np.interp(-10.0, [-b for b in thick.values()], list(thick))
print(f"1. {1e3 * needed:.1f} mm")
assert abs(needed - 0.0305) < 2e-4

moments = np.abs(solution.along("rod", "bending_moment", points=41))
when, where = np.unravel_index(moments.argmax(), moments.shape)
print(f"2. {moments.max():.3f} Nm at {where / 40:.2f} of the length, after {solution.t[when]:.2f} s")
assert abs(moments.max() - 0.259) < 0.003

hanging = fm.PlanarModel("hanging", gravity=(0.0, -9.81))
plastic = fm.Material(density=1100.0, youngs_modulus=5e7)
rod = hanging.add_beam("rod", (0, 0), (0, -1), material=plastic, section=fm.Circle(diameter=0.02), elements=2)
hanging.revolute(hanging.ground, rod.start)
hanging.add_point_mass("bob", rod.end, 0.05)
found = fm.modes(fm.equilibrium(hanging), 2)
print(f"3. {found.frequencies[0]:.3f} Hz, the swing; {found.frequencies[1]:.2f} Hz, the first bending")
assert np.allclose(found.frequencies, [0.576, 2.67], rtol=2e-3)
found.plot()

# %%
# Where to go on
# --------------
#
# Lesson 2 joins several bodies into loops, and drives them. Lesson 3 shows which beam to take when it spins.
