"""
2 Loops and drives
==================

*2 A mechanism with loops and drives*

A crank turns, a rod follows, and a slider goes to and fro. The three bodies and the ground form a closed loop: the
crank's angle determines everything else. In this lesson you build the loop, turn it by a drive, find the torque that
this takes, and then let the rod bend as in :ref:`lesson 1 <sphx_glr_tutorial_plot_1_pendulum.py>`.
"""

# %%
# Bodies, joints, a drive
# -----------------------
#
# A rigid body has a mass and a moment of inertia about its mass center. ``attach`` gives it further frames, at places
# in its own axes. Joints go between frames. A drive prescribes how one frame moves against another.
#
# The positions only have to fit roughly: what does not quite fit is closed at the start, with a warning that names the
# gap. Here we give them exactly, with the crank pointing to the right.

import warnings

import matplotlib.pyplot as plt
import numpy as np

import flexmb as fm

CRANK, ROD = 0.15, 0.30


def slider_crank(motion, flexible=False, youngs_modulus=70e9):
    """Crank, rod and slider; `motion` is the crank's angle as a function of time."""
    model = fm.PlanarModel("slider-crank")
    crank = model.add_body("crank", mass=0.36, inertia=7e-4, position=(CRANK / 2, 0.0))
    slider = model.add_body("slider", mass=0.20, inertia=1e-4, position=(CRANK + ROD, 0.0))
    if flexible:
        aluminum = fm.Material(density=2700.0, youngs_modulus=youngs_modulus)
        strip = fm.Rectangle(width=0.02, height=0.006)
        start, end = (CRANK, 0.0), (CRANK + ROD, 0.0)
        rod = model.add_beam("rod", start, end, material=aluminum, section=strip)
        near, far = rod.start, rod.end
    else:
        mass = 2700.0 * 0.02 * 0.006 * ROD
        rod = model.add_body("rod", mass=mass, inertia=mass * ROD**2 / 12.0, position=(CRANK + ROD / 2, 0.0))
        near, far = rod.attach("near", (-ROD / 2, 0.0)), rod.attach("far", (ROD / 2, 0.0))
    model.revolute(model.ground, crank.attach("foot", (-CRANK / 2, 0.0)), name="bearing")
    model.revolute(crank.attach("pin", (CRANK / 2, 0.0)), near, name="crank pin")
    model.revolute(far, slider, name="slider pin")
    model.prismatic(model.ground, slider, name="guide")
    model.drive_angle(model.ground, crank, motion, name="motor")
    return model


# %%
# Motion alone: kinematics
# ------------------------
#
# The drive leaves no freedom. So positions, speeds and accelerations follow from the joints alone, at any instant, and
# the forces of the joints from these: *inverse dynamics*. A turn at 50 rad/s:

SPEED = 50.0
turn = 2.0 * np.pi / SPEED
motion = fm.kinematics(slider_crank(fm.Polynomial([0.0, SPEED])), turn, steps=360)

phi = SPEED * motion.t
closed_form = CRANK * np.cos(phi) + np.sqrt(ROD**2 - (CRANK * np.sin(phi)) ** 2)
error = np.abs(motion["slider.x"] - closed_form).max()
print(f"the slider moves between {motion['slider.x'].min():.3f} and {motion['slider.x'].max():.3f} m")
print(f"closed form: the largest difference is {error:.0e} m")
assert error < 1e-12

motion.draw(times=np.linspace(0.0, 0.5 * turn, 7), trails=["crank.pin", "rod"])

# %%
# The torque of the drive is a force like any other; it is called by the drive's name. At constant speed it accelerates
# rod and slider and brakes them again, and its mean over a turn is zero: nothing is lost.

force, torque = motion.reaction("motor")
mean = np.trapezoid(torque, motion.t) / turn
print(f"torque between {torque.min():.2f} and {torque.max():.2f} Nm, mean {abs(mean):.2f} Nm")
assert abs(mean) < 1e-3 * np.abs(torque).max()

# %%
# The energy knows it too: what the drive has put in is what rod and slider have as kinetic energy. We compare the
# torque with the power that the kinetic energy needs.

figure, ax = plt.subplots(layout="constrained")
ax.plot(np.degrees(phi), torque, label="torque of the drive")
power = np.gradient(motion.energy.kinetic, motion.t)
ax.plot(np.degrees(phi), power / SPEED, "--", label="power / speed, from the kinetic energy")
ax.set(xlabel="crank angle [°]", ylabel="torque [Nm]", xticks=range(0, 361, 60))
ax.legend(frameon=False)
assert np.abs(torque - power / SPEED)[1:-1].max() < 5e-3 * np.abs(torque).max()

# %%
# A start from rest: dynamics
# ---------------------------
#
# ``SpinUp`` turns the crank from rest and reaches 50 rad/s after 0.2 s without a jolt. The rod is a beam now. The
# loop stays as it is. The motion has to be integrated in time, since the rod may vibrate.

spin_up = fm.SpinUp(SPEED, 0.2)
solution = fm.simulate(slider_crank(spin_up, flexible=True), 0.2 + 2.0 * turn, tolerance=1e-8)
print(solution.energy)


def sag(solution):
    """The deflection of the rod's middle from the straight line between its ends."""
    start, end = solution["rod.start"].position, solution["rod.end"].position
    middle, chord = solution["rod@0.5"].position - 0.5 * (start + end), end - start
    return (chord[:, 0] * middle[:, 1] - chord[:, 1] * middle[:, 0]) / np.hypot(*chord.T)


deflection = 1e3 * sag(solution)
print(f"the middle of the rod bends by up to {np.abs(deflection).max():.3f} mm")

figure, ax = plt.subplots(layout="constrained")
ax.plot(solution.t, deflection)
ax.set(xlabel="t [s]", ylabel="deflection of the rod's middle [mm]")

# %%
# Where does it come from? A rod that turns and goes to and fro has to accelerate its own mass sideways. This inertia
# is a load along it. The rigid motion gives the accelerations :math:`a_1` and :math:`a_2` of its ends across the rod.
# Between them the load per length is linear, and statics of a hinged beam says that its middle goes by
# :math:`-\tfrac{5}{768} \mu (a_1 + a_2) L^4 / EI`.

mu, EI = 2700.0 * 0.02 * 0.006, 70e9 * 0.02 * 0.006**3 / 12.0
angle = motion["rod"].angle
across = np.column_stack([-np.sin(angle), np.cos(angle)])
a1, a2 = (np.sum(motion[end].acceleration * across, axis=1) for end in ("rod.near", "rod.far"))
static = -1e3 * 5.0 / 768.0 * mu * (a1 + a2) * ROD**4 / EI
late = solution.t > 0.2
print(f"largest deflection: {static.max():.3f} mm by statics, {deflection[late].max():.3f} mm computed")
assert abs(deflection[late].max() / static.max() - 1.0) < 0.03

# %%
# They agree to one percent. The rod hardly vibrates: its lowest frequency is nineteen times that of the crank.
#
# The stress at the surface of the rod follows from its curvature, and has a name as well.

solution.plot("rod@0.5.stress_top")

# %%
# Joints that repeat one another
# ------------------------------
#
# In a loop, joints may demand the same thing twice. A parallelogram with three cranks is the classic: two cranks
# already keep the coupler parallel. The program finds the rows that repeat others, names them in a warning, and runs
# all the same. The motion is unique. The forces of these joints are not, and the solution says which.

parallelogram = fm.PlanarModel("three cranks", gravity=(0.0, -9.81))
coupler = parallelogram.add_body("coupler", mass=1.0, inertia=0.3, position=(1.0, 0.5))
for k in range(3):
    crank = parallelogram.add_body(f"crank {k}", mass=0.5, inertia=0.01, position=(k, 0.25), angle=np.pi / 2)
    foot = parallelogram.ground.attach(f"foot {k}", (k, 0.0))
    parallelogram.revolute(foot, crank.attach(f"low {k}", (-0.25, 0.0)), name=f"bearing {k}")
    top = coupler.attach(f"place {k}", (k - 1.0, 0.0))
    parallelogram.revolute(crank.attach(f"high {k}", (0.25, 0.0)), top, name=f"pin {k}")
parallelogram.set_rigid_motion()
coupler.move((-0.5, 0.0))
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    fall = fm.simulate(parallelogram, 1.0)
print(caught[0].message)
print("not unique:", [name for name in ("bearing 0", "pin 2") if not fall.unique_reactions(name)])

# %%
# Exercises
# ---------
#
# 1. At which crank angle is the slider fastest? (Not at 90°.)
# 2. The motor stalls beyond 12 Nm. How fast may it drive the crank at constant speed?
# 3. A rod of half the height weighs half as much. How much more does it bend?
#
# Answers
# -------

fastest = np.abs(motion["slider.vx"])[:181].argmax()
print(f"1. at {np.degrees(phi[fastest]):.0f} degrees")

limit = SPEED * np.sqrt(12.0 / np.abs(torque).max())
print(f"2. torques of inertia go with the square of the speed: {limit:.1f} rad/s")

thin = fm.Rectangle(width=0.02, height=0.003)
ratio = (thin.area / 0.00012) / (thin.second_moment / (0.02 * 0.006**3 / 12.0))
print(f"3. half the load over an eighth of the stiffness: {ratio:.0f} times as much, as long as it follows statically")

assert abs(np.degrees(phi[fastest]) - 68.0) < 2.0 and abs(ratio - 4.0) < 1e-9

# %%
# Where to go on
# --------------
#
# Lesson 3 takes a beam that spins so fast that a linear model of it fails.
