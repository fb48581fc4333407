"""A flexible spacecraft in orbit: it turns by its wheels, its panels and its boom swing, a jet fires, its sun sets.

A hull with a boom of 20 m and two panels flies along a circle around the earth, in a field of gravity that is weaker
at the tip of the boom than at the hull. A law that is sampled four times a second turns the craft by 30° within two
minutes by what it gives to three wheels. Then a jet pushes it off its orbit for five seconds. The validation case
of the same name has its motion by other means.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

import flexmb as fm

if TYPE_CHECKING:
    from matplotlib.figure import Figure

#: the earth [m³/s²], [m]; the radius of the orbit [m]; the direction of the sun, from behind and a little above
MU, EARTH, RADIUS, SUN = 3.986004418e14, 6378137.0, 7.0e6, (-0.2, -0.95, 0.25)
#: x outwards, y along the flight, z along the normal at the start
ORBIT = fm.spatial.CentralGravity(MU, (RADIUS, 0, 0), (0, float(np.sqrt(MU / RADIUS)), 0), radius=EARTH)
#: mass of the hull [kg] and its inertia [kg m²]; that of each wheel about its axis; mass at the tip of the boom [kg]
HULL, INERTIA, WHEEL, TIP = 400.0, (180.0, 220.0, 200.0), 0.2, 3.0
#: boom and panel: they hardly stretch; a panel is 1.5 m wide and 30 mm thick
BOOM = fm.spatial.BeamProperties(
    EA=1e8, EIy=3000.0, EIz=3000.0, GJ=2000.0, rhoA=0.4, rhoIy=5e-4, rhoIz=5e-4, radius=0.05
)  # fmt: skip
PANEL = fm.spatial.BeamProperties(
    EA=1e8, EIy=1500.0, EIz=6e4, GJ=1200.0, rhoA=4.5, rhoIy=3.375e-4, rhoIz=0.84375,
    outline=((0.75, 0.015), (-0.75, 0.015), (-0.75, -0.015), (0.75, -0.015)),
)  # fmt: skip
#: by what the craft turns [rad], about which axis, from when and how long [s]
TURN, AXIS, START, LASTS = float(np.deg2rad(30.0)), np.array([0.0, 0.6, 0.8]), 10.0, 120.0
#: the law, in Nm a radian and Nm s a radian, and how often it is asked [s]
STIFF, DAMPED, PERIOD = (7.0, 20.0, 20.0), (117.0, 350.0, 350.0), 0.25
#: force of the jet [N] in the hull's axes, from when and how long [s]
JET, FIRED, BURNS = (0.0, 2.0, 0.0), 150.0, 5.0
T_END = 300.0
#: where the wheels are seen on the hull [m]; without mass of their own they act alike anywhere
SEEN = {"x": (-0.81, 0.0, 0.3), "y": (0.0, -0.66, 0.0), "z": (-0.35, 0.0, 0.66)}


def build(boom: int = 8, panel: int = 6) -> fm.SpatialModel:
    """The craft, with so many elements in its boom and in each panel."""
    m = fm.SpatialModel("spacecraft", gravity=ORBIT)
    hull = m.add_body("hull", mass=HULL, inertia=INERTIA, shape=fm.Box((1.5, 1.2, 1.2)))
    parts = {
        "boom": ((0.75, 0, 0), (20.75, 0, 0), BOOM, boom),
        "panel up": ((0, 0, 0.6), (0, 0, 6.6), PANEL, panel),
        "panel down": ((0, 0, -0.6), (0, 0, -6.6), PANEL, panel),
    }
    for name, (root, end, properties, elements) in parts.items():
        m.add_beam(
            name, hull.attach(f"{name} root", root), end, properties=properties, theory="exact", elements=elements,
            y_axis="y", damping=fm.StiffnessProportional(2e-3),
        )  # fmt: skip
    m.add_point_mass("tip", m.component("boom").end, TIP)
    for axis, place in SEEN.items():
        shape = fm.Cylinder(diameter=0.5, length=0.1, axis=axis)
        m.add_wheel(
            f"wheel {axis}", hull.attach(f"seat {axis}", place), inertia=WHEEL, axis=axis, torque=0.0, shape=shape
        )
    wanted = [fm.SmoothStep(START, LASTS, 0.0, float(x * TURN)) for x in AXIS]
    off = [fm.control.AttitudeError(hull.frame, axis, reference=wanted) for axis in "xyz"]
    off += [fm.control.AttitudeRate(hull.frame, axis, reference=wanted) for axis in "xyz"]
    law = np.hstack([np.diag(STIFF), np.diag(DAMPED)])
    m.add_controller("attitude", period=PERIOD, sensors=off, commands=[f"wheel {axis}" for axis in "xyz"], law=law)
    m.point_force(hull.attach("jet", (-0.6, 0, 0)), JET, factor=fm.Pulse(FIRED, BURNS), axes="body", name="jet")
    return m


def tip(solution: fm.Solution) -> np.ndarray:
    """Deflection (k, 2) [m] of the end of the boom, along y and z of the hull."""
    hull = solution["hull"]
    return np.asarray(hull.orientation.inv().apply(solution["boom.end"].position - hull.position)[:, 1:])


def _history(solution: fm.Solution, orbit: fm.spatial.Orbit) -> Figure:
    """The turn, the wheels, the tip of the boom, and where the hull is off the orbit; shadow and jet as bands."""
    from matplotlib.figure import Figure

    t, hull = solution.t, solution["hull"]
    figure = Figure(figsize=(8.0, 8.4), layout="constrained")
    turn, wheels, bent, off = axes = figure.subplots(4, sharex=True)
    step = fm.SmoothStep(START, LASTS, 0.0, np.degrees(TURN))
    turn.plot(t, [step(x) for x in t], "--", color="0.5", label="wanted")
    turn.plot(t, np.degrees(hull.orientation.magnitude()), label="turned")
    for axis in "xyz":
        wheels.plot(t, solution[f"wheel {axis}.rotor rate"], label=f"wheel {axis}")
    for letter, values in zip("yz", 1e3 * tip(solution).T):
        bent.plot(t, values, label=letter)
    for letter, values in zip("xyz", hull.position.T):
        off.plot(t, values, label=letter)
    for ax in axes:
        ax.axvspan(FIRED, FIRED + BURNS, color="tab:red", alpha=0.2, linewidth=0.0, label="jet" if ax is turn else None)
        if (dark := t[orbit.light < 0.5]).size:
            ax.axvspan(dark[0], t[-1], color="0.5", alpha=0.2, linewidth=0.0, label="shadow" if ax is turn else None)
        ax.legend(frameon=False, loc="upper left", ncols=4)
        ax.margins(x=0.0, y=0.15)
    turn.set(ylabel="angle [°]")
    wheels.set(ylabel="wheels [rad/s]")
    bent.set(ylabel="tip of the boom [mm]")
    off.set(ylabel="hull off the orbit [m]", xlabel="t [s]")
    figure.align_ylabels(axes)
    return figure


def run(out: Path) -> list[Path]:
    """The mission, with diagrams, its orbit, a picture, a film, and a page."""
    from matplotlib import style

    solution = fm.simulate(build(4, 3), T_END, tolerance=1e-6, times=np.linspace(0.0, T_END, 601))
    print(solution)
    orbit = fm.spatial.orbit(solution, sun=SUN)
    left = np.degrees(solution["hull"].orientation[-1].magnitude() - TURN)
    bent = np.linalg.norm(tip(solution), axis=1)
    print(f"turned by {np.degrees(TURN):g}°, off by {left:.1e}°; the tip swings by {1e3 * bent.max():.1f} mm")
    elements = orbit.elements
    print(f"the jet changes half the axis of the orbit by {elements.axis[-1] - elements.axis[0]:.1f} m")
    sets = solution.t[orbit.light < 0.5]
    print(f"its sun sets {sets[0]:.1f} s after the start, {solution.t[-1]:.0f} s are flown")

    view = solution.view(orbit=orbit, magnify=100.0, camera=(1.7, -1.3, 0.8))
    picture = view.screenshot(out / "spacecraft.png", time=152.0, size=(1200, 800))
    film = view.movie(out / "spacecraft.gif", fps=10, pace=25.0, size=(640, 428))
    page = view.html(out / "spacecraft.html", pictures=121, pace=25.0)
    plane = out / "spacecraft-orbit.png"
    orbit.plot(plane)
    history = out / "spacecraft-mission.png"
    with style.context("flexmb.plots.light"):
        _history(solution, orbit).savefig(history, dpi=140)
    return [picture, film, page, plane, history, solution.save(out / "spacecraft.h5")]
