r"""
Which modes to keep
===================

*Which modes a body keeps depends on how fast it turns*

A flexible body is described by few modes, and how many is decided before the motion is known. A survey of formulations
(Ohkami et al. 1985, section 1.1.5) calls it an open problem: where motion is large, centrifugal and Coriolis terms
couple modes that are independent at rest, and higher ones take part. A blade of length, mass and bending stiffness one
shows how many: one element keeps *k* modes beside its ends. The faster it turns, the less its shapes are those of rest,
and the more modes its frequencies need, and its response.
"""

import matplotlib.pyplot as plt
import numpy as np

import flexmb as fm

KEPT = (1, 2, 3, 4, 5)
SPEEDS = np.array([0.0, 10.0, 20.0, 30.0, 40.0])


def blade(function, modes, elements=1):
    """A blade on a hub that turns by a function of time."""
    model = fm.PlanarModel("blade")
    hub = model.add_body("hub", mass=1.0, inertia=1.0)
    model.revolute(model.ground, hub.frame, name="bearing")
    model.drive_angle(model.ground, hub.frame, function, name="shaft")
    one = fm.planar.BeamProperties(EA=1e6, EI=1.0, rhoA=1.0, rhoI=1e-9)
    model.add_beam("blade", hub.frame, (1, 0), properties=one, elements=elements, modes=modes)
    return model


def frequencies(speed, modes, elements=1):
    """The two lowest frequencies in steady rotation."""
    rest = fm.equilibrium(blade(fm.Polynomial([0.0, speed]), modes, elements), spin=speed)
    return fm.complex_modes(rest, 2).omegas


###############################################################################
# Frequencies by speed, against those of four elements with four modes each:

converged = np.array([frequencies(speed, 4, elements=4) for speed in SPEEDS])
error = np.array([[frequencies(speed, k) / converged[j] - 1.0 for j, speed in enumerate(SPEEDS)] for k in KEPT])
needed = [next(k for k, e in zip(KEPT, error[:, j, 1]) if abs(e) < 0.01) for j in range(len(SPEEDS))]
for speed, k in zip(SPEEDS, needed):
    print(f"Ω = {speed:4.0f}: {k} modes give the second frequency to 1 %")
assert needed == sorted(needed) and needed[-1] > needed[0]

###############################################################################
# The second shape, at rest and at the highest speed:

ALONG = np.linspace(0.0, 1.0, 21)


def shape(speed):
    """The second shape along the blade, one at the tip."""
    rest = fm.equilibrium(blade(fm.Polynomial([0.0, speed]), 4, elements=4), spin=speed)
    found = fm.complex_modes(rest, 2).shape(1)
    across = np.array([found[f"blade@{s:g}"][1] for s in ALONG])
    return (across / across[-1]).real


shapes = {speed: shape(speed) for speed in (0.0, 40.0)}
likeness = (shapes[0.0] @ shapes[40.0]) ** 2 / (shapes[0.0] @ shapes[0.0]) / (shapes[40.0] @ shapes[40.0])
print(f"likeness of the second shapes at 0 and 40: {likeness:.4f}")
assert 0.9 < likeness < 0.99

###############################################################################
# The response to spin-ups of one mean acceleration, 1, to different speeds: the deflection of the tip in axes of the
# hub, against that of the same element with eight modes.

ENDS = (2.0, 4.0, 8.0)


def deflection(speed, modes):
    """Deflections at 60 times of a spin-up to a speed, and a while after it."""
    model = blade(fm.SpinUp(speed, speed), modes)
    run = fm.simulate(model, speed + 1.0, step=0.01, times=np.linspace(0.0, speed + 1.0, 60), progress=False)
    return run.relative("blade.end", to="hub").position[:, 1]


response = np.zeros((len(KEPT), len(ENDS)))
for j, end in enumerate(ENDS):
    many = deflection(end, 8)
    for i, k in enumerate(KEPT):
        response[i, j] = np.abs(deflection(end, k) - many).max() / np.abs(many).max()
    assert np.all(np.diff(response[:, j]) < 0.0)
    print(f"spin-up to {end:g}: largest deflection {np.abs(many).max():.3f}, errors", response[:, j].round(5))

figure, (left, middle, right) = plt.subplots(1, 3, figsize=(12.0, 3.7), layout="constrained")
for speed, across in shapes.items():
    middle.plot(ALONG, across, label=rf"$\Omega = {speed:g}$")
middle.set(xlabel="place along the blade", ylabel="second shape [–]")
middle.legend(frameon=False)
for i, k in enumerate(KEPT):
    left.semilogy(SPEEDS, np.abs(error[i, :, 1]), "o-", label=f"{k} mode{'s' * (k > 1)}")
left.set(xlabel=r"speed $\Omega\sqrt{\rho A L^4/EI}$", ylabel="error of the second frequency [–]")
left.legend(frameon=False)
for j, end in enumerate(ENDS):
    right.semilogy(KEPT, response[:, j], "o-", label=f"spin-up to {end:g}")
right.set(xlabel="modes kept", ylabel="error of the deflection [–]", xticks=KEPT)
right.legend(frameon=False)

# sphinx_gallery_thumbnail_number = 2

# %%
# The second motion at the highest speed:

fm.complex_modes(fm.equilibrium(blade(fm.Polynomial([0.0, 40.0]), 4, elements=4), spin=40.0), 2).view(1)
