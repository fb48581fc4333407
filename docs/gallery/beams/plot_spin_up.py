r"""
Spin-up of a blade
==================

*A blade that is spun up lags behind by half a meter, not for ever*

A hub brings a blade of 8 m to 4 rad/s within 15 s, beyond its lowest frequency at rest. The centrifugal force stiffens
it. An exact rod, and a fine cable of another program, lag behind by up to 0.5339 m at 6.77 s. A beam that is linear in
the rotating frame knows no such stiffening, and diverges.
"""

import warnings

import matplotlib.pyplot as plt

import flexmb as fm
from flexmb.examples.spin_up import REFERENCE, REFERENCE_TIME, T_END, build, deflection

blade = fm.simulate(build(), T_END, step=0.01)
with warnings.catch_warnings():
    warnings.simplefilter("ignore", fm.errors.AccuracyWarning)  # says that its theory fails
    linear = fm.simulate(build("floating"), 8.2, step=0.01)
w = deflection(blade)
print(f"largest deflection {w.min():.4f} m at {blade.t[w.argmin()]:.2f} s")
print(f"reference          {REFERENCE:.4f} m at {REFERENCE_TIME:.2f} s")
assert abs(w.min() / REFERENCE - 1.0) < 2e-3 and abs(blade.t[w.argmin()] - REFERENCE_TIME) < 0.05
assert deflection(linear).min() < 1.2 * REFERENCE

figure, ax = plt.subplots(layout="constrained")
ax.plot(linear.t, deflection(linear), "--", label="linear in the rotating frame")
ax.plot(blade.t, w, label="one element, second-order axial field")
ax.plot(REFERENCE_TIME, REFERENCE, "o", label="reference")
ax.set(xlabel="t [s]", ylabel="deflection of the tip [m]", ylim=(-0.9, 0.2))
ax.legend(frameon=False, loc="lower right")

# sphinx_gallery_thumbnail_number = 2

# %%
# The blade lags behind while it speeds up:

blade.view(color="bending_moment", ghosts=[5.0, 6.0, 7.0])
