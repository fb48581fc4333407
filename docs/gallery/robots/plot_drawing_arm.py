r"""
Drawing hand
============

*A hand draws, whatever the other joints do*

The hand of an arm of four links draws a flower. Its two coordinates leave two of the joints free: once they keep to a
posture :math:`q_p`, once this posture swings. The torques :math:`\tau_0 = M (\ddot q_p + K_d \dot e_p + K_p e_p)` that
pull them there act in the null space and do not accelerate the hand, which draws the same line; what is left halves
with the period of the controller.
"""

import matplotlib.pyplot as plt
import numpy as np

import flexmb as fm
from flexmb.examples import virtual_loop as arm

BEND = np.deg2rad([20.0, 50.0, 60.0, 40.0])
GAINS = fm.control.Gains.of(25.0)


def flower(center):
    """A circle of 0.25 m with five petals, drawn in 3 s from its middle."""
    grow, rate = fm.SmoothStep(0.0, 0.5), 2.0 * np.pi / 3.0

    def component(f):
        return fm.spline_fit(lambda t: grow(t) * (0.25 + 0.08 * np.cos(5.0 * rate * t)) * f(rate * t), 0.0, 3.6, 1e-6)

    return [place + component(f) for place, f in zip(center.tolist(), (np.cos, np.sin))]


def draw(**joints):
    """The arm while it draws, and how far its hand is from the line at most [m]."""
    plant, chain = arm.chain(BEND), arm.chain(BEND)
    hand = chain.frames["link 4.end 4"]
    law = fm.control.OperationalSpace(chain, hand, flower(hand.position), GAINS, **joints)
    law.control(plant, period=4e-3)
    run = fm.simulate(plant, 3.6, tolerance=1e-6)
    wanted = np.column_stack([f(run.t) for f in law.wanted])
    return run, np.linalg.norm(run["link 4.end 4"].position - wanted, axis=1).max()


posture = fm.Tree.of(arm.chain(BEND)).start()[0]
swings = [angle + fm.Harmonic(size, 6.0) for angle, size in zip(posture.tolist(), (0.0, 0.4, -0.4, 0.0))]
still, off = draw(posture=posture, posture_gains=fm.control.Gains.of(5.0))
shaken, off_too = draw(posture=swings, posture_gains=fm.control.Gains.of(10.0))
print(f"off the line by {1e3 * off:.2f} mm, and by {1e3 * off_too:.2f} mm while the other joints swing")
assert max(off, off_too) < 3e-3

figure, axes = plt.subplots(1, 2, layout="constrained", figsize=(9.0, 4.0), sharex=True, sharey=True)
for ax, run, title in zip(axes, (still, shaken), ("joints keep to a posture", "joints swing in the null space")):
    at = run.at(np.linspace(0.6, 3.6, 9))
    joints = [np.zeros((9, 2)), *(at[f"link {k}.end {k}"].position for k in (1, 2, 3, 4))]
    for k in range(9):
        ax.plot(*np.array([joint[k] for joint in joints]).T, "o-", color="0.7", markersize=3, linewidth=1.5)
    ax.plot(*run["link 4.end 4"].position.T, color="C3", linewidth=1.5)
    ax.set(title=title, xlabel="x [m]", aspect="equal")
axes[0].set_ylabel("y [m]")
