r"""
4 A bracket from its mesh
=========================

*From an estimate on paper to a reduced body in a mechanism, with its error known at every step*

You will be able to

- estimate on paper what a finite-element model must give, before it is asked,
- see from meshes that become finer how far a number is from its limit,
- choose how many modes a body keeps, from the highest frequency that matters,
- find the resonance that an unbalanced motor meets, and a stress where a screw would sit.

You need beam theory, and ``pip install 'flexmb[fem]'``.
"""

# %%
# An estimate on paper
# --------------------
#
# An angle of aluminium: a plate of 100 × 60 × 8 mm, and on its first 20 mm an upright of 112 mm. The plate is bolted
# down from 40 mm on. A force of 1 kN presses on the upright's top. The upright hardly bends, the free 20 mm of the
# plate do: under the moment :math:`M(x) = F\,(x - 10\,\text{mm})` it turns at the upright by
#
# .. math:: \varphi = \frac{1}{EI} \int_{20}^{40} M\, dx,
#
# and the top moves back by :math:`\varphi` times its height above the middle of the plate.

import warnings

import matplotlib.pyplot as plt
import numpy as np
import skfem

import flexmb as fm
from flexmb import bodies

F, E, WIDTH, THICK = 1000.0, 70e9, 0.06, 0.008
EI = E * WIDTH * THICK**3 / 12.0
slope = F * (0.03**2 - 0.01**2) / (2.0 * EI)
on_paper = slope * (0.12 - 0.5 * THICK)
print(f"on paper: the plate turns by {1e3 * slope:.2f} mrad, the top moves back by {1e6 * on_paper:.0f} µm")

# %%
# The mesh
# --------
#
# Two blocks of bricks, which share the faces where they meet. ``n`` is how many bricks are laid along 20 mm.


def mesh(n):
    """The angle in bricks."""
    x, y = np.linspace(0.0, 0.1, 5 * n + 1), np.linspace(0.0, WIDTH, 3 * n + 1)
    plate = skfem.MeshHex.init_tensor(x, y, np.linspace(0.0, THICK, n + 1))
    upright = skfem.MeshHex.init_tensor(x[: n + 1], y, np.linspace(THICK, 0.12, 5 * n + 1))
    return plate + upright


ALUMINIUM = fm.Material(density=2700.0, youngs_modulus=E, poissons_ratio=0.33)
BOLTED = bodies.on_plane((0, 0, 0), (0, 0, 1)) & bodies.in_box((0.04, 0, 0), (0.1, WIDTH, 0))
TOP = bodies.on_plane((0, 0, 0.12), (0, 0, 1))


def bracket(n=1, modes=8, order=2):
    """The angle as a body that a mechanism takes."""
    reduction = bodies.Reduction(estimate=False, progress=False)
    ties = {"foot": BOLTED, "top": TOP}
    return bodies.from_mesh(
        mesh(n), ALUMINIUM, interfaces=ties, modes=modes, order=order, reduction=reduction, name="bracket"
    )


def on_wall(body):
    """A model of the bracket, bolted down and pressed."""
    model = fm.SpatialModel("bracket", gravity=(0, 0, -9.81))
    part = model.add_modal_body("bracket", body)
    foot = part.at("foot")
    model.weld(model.ground.attach("wall", foot.position), foot, name="bolts")
    model.point_force(part.at("top"), (0, 0, -F), name="load")
    return model


def moved_back(body):
    """How far the top moves back under the force [m]."""
    model = on_wall(body)
    before = model.component("bracket").at("top").position[0]
    return before - fm.equilibrium(model)["bracket.top"].position[0]


coarse, fine = moved_back(bracket(1)), moved_back(bracket(2))
print(f"by bricks of 20 mm {1e6 * coarse:.1f} µm, of 10 mm {1e6 * fine:.1f} µm")
assert 1.0 < fine / on_paper < 1.25

# %%
# The estimate is low by a sixth, since it takes the upright for rigid, and the plate for clamped along its whole width
# behind the bolts. A wrong unit would have been off by a factor of a thousand. And the finer mesh still changes the
# number by 7 %: the edge of what is bolted is a notch, which needs more bricks than the rest.
#
# **Exercise 1.** Take bricks of the first order, with nodes at their corners alone. Which side is the error on, and
# why?

with warnings.catch_warnings(record=True) as said:
    warnings.simplefilter("always")
    stiff = moved_back(bracket(1, order=1))
print(f"{1e6 * stiff:.1f} µm;", str(said[0].message).partition(";")[0])
# answer: too stiff. Displacements that are linear between corners cannot bend without shearing.
assert stiff < 0.8 * coarse

# %%
# How many modes?
# ---------------
#
# A motor of 0.2 kg sits on the top. It is out of balance by 0.2 g at 1 mm, and turns with up to 600 Hz. The force of
# unbalance is :math:`m_u e\, \omega^2`; the bracket amplifies it where a frequency of its own is near.


def with_motor(modes):
    """The bracket with its motor, without load."""
    model = fm.SpatialModel("bracket with a motor")
    part = model.add_modal_body("bracket", bracket(1, modes), damping=fm.ModalDamping(0.01))
    foot = part.at("foot")
    model.weld(model.ground.attach("wall", foot.position), foot, name="bolts")
    model.add_point_mass("motor", part.at("top"), 0.2)
    push = model.point_force(part.at("top"), (1.0, 0, 0), name="unbalance")
    return model, push


frequencies = np.linspace(20.0, 600.0, 300)
figure, ax = plt.subplots(layout="constrained")
found = {}
for modes in (0, 2, 8):
    model, push = with_motor(modes)
    answer = fm.frequency_response(fm.equilibrium(model), [push], ["bracket.top.x"], frequencies)
    force = 2e-4 * 1e-3 * (2.0 * np.pi * frequencies) ** 2
    found[modes] = np.abs(answer.values[:, 0, 0]) * force
    ax.semilogy(frequencies, 1e6 * found[modes], label=f"{modes} modes with held interfaces")
ax.set(xlabel="frequency of the motor [Hz]", ylabel="amplitude of the top [µm]")
ax.legend(frameon=False)
worst = frequencies[found[8].argmax()]
print(f"resonance near {worst:.0f} Hz, {1e6 * found[8].max():.0f} µm")
apart = np.abs(found[2] / found[8] - 1.0).max()
print(f"two modes differ from eight by {100 * apart:.1f} % at most")

# %%
# Even without modes the body has the deformations that forces at its interfaces make; the upright swings almost as they
# say. Modes with held interfaces add what happens *between* them.
#
# **Exercise 2.** The rule is: keep modes up to four times the highest frequency that matters. How many are that here?
# Look into ``bracket(1).report``.
#
# Answer: 600 Hz times four is 2400 Hz. No mode with held interfaces lies so low, so none would be needed, and the
# picture agrees.

lowest = bracket(1, 8).report.splitlines()[-1]
print(lowest)
assert np.abs(found[0] / found[8] - 1.0).max() < 0.05

# %%
# Stress
# ------
#
# The body brings its displacements back onto the mesh, and from them stresses. At the middle of the free part of the
# plate, on its upper side, beam theory says :math:`\sigma = M(x)\, h / 2I`.

rest = fm.equilibrium(on_wall(bracket(2)))
place = (0.03, 0.03, THICK)
stress = float(np.squeeze(rest["bracket.stress_xx"].at(place)))
by_beam = F * 0.02 * 0.5 * THICK / (WIDTH * THICK**3 / 12.0)
print(f"{stress / 1e6:.1f} MPa, by beam theory {by_beam / 1e6:.1f} MPa")
assert 0.8 < abs(stress) / by_beam < 1.2

# %%
# **Exercise 3.** Is that side pulled or pressed? Where on the body is the stress of von Mises largest, and would you
# trust that number?

peak = rest["bracket.von_mises"].peak
print(f"largest at ({', '.join(f'{x:.3f}' for x in peak.position)}) m: {peak.value / 1e6:.1f} MPa")
# answer: the free part of the plate is a cantilever that is pressed down at its end, so that its upper side is pulled.
# The peak sits at the edge of what is bolted. There, as in a sharp inner corner, the stress of theory is infinite: the
# number grows with each finer mesh. Model the washer, or give the corner its radius, before the number is used.
assert stress > 0.0

# %%
# What to read next: :doc:`/how-to/reduced-bodies`, and :doc:`/theory/reduced-bodies` for what the quadratic field adds
# when such a body spins.
