r"""
A joint of one's own
====================

*A hoop rolls down a slope half as fast as a block slides*

Rolling is here a joint of one's own: a file with its two rows and their derivatives. A wheel of mass :math:`m` and
radius :math:`R` on a slope :math:`\alpha` has the acceleration :math:`g\sin\alpha/(1 + J/(m R^2))`: a half of
:math:`g\sin\alpha` for a hoop, two thirds for a disk.
"""

import matplotlib.pyplot as plt
import numpy as np

import flexmb as fm
from flexmb.examples.own_elements.rolling import Rolling

G, R, SLOPE, T_END = 9.81, 0.2, np.deg2rad(20.0), 1.0
figure, ax = plt.subplots(layout="constrained")
for name, part in (("hoop", 1.0), ("disk", 0.5), ("ball", 0.4), ("block that slides", 0.0)):
    model = fm.PlanarModel(name, gravity=(0, -G))
    line = model.ground.attach("slope", (0, 0), -SLOPE)
    place = R * np.array([np.sin(SLOPE), np.cos(SLOPE)])
    wheel = model.add_body("wheel", mass=2.0, inertia=max(part * 2.0 * R**2, 1e-12), position=place)
    model.add(Rolling(line, wheel.frame, R, name="road"))
    solution = fm.simulate(model, T_END, progress=False).at(np.linspace(0.0, T_END, 101))
    way = np.hypot(*(solution["wheel"].position - place).T)
    theory = 0.5 * G * np.sin(SLOPE) / (1.0 + part) * solution.t**2
    print(f"{name}: {way[-1]:.6f} m after {T_END:g} s, theory {theory[-1]:.6f} m")
    assert np.allclose(way, theory, atol=1e-6)
    ax.plot(solution.t, way, label=name)
ax.set(xlabel="t [s]", ylabel="way down the slope [m]")
ax.legend(frameon=False)

# sphinx_gallery_thumbnail_number = 2

# %%
# The last of them on its slope:

solution.view(ghosts=[0.0, 0.7], forces=False)
