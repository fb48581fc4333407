"""The report of `flexmb demo two-link-arm`: a folder with pictures, files, and a page that shows them."""

from __future__ import annotations

import html
from dataclasses import dataclass, field
from importlib import resources
from pathlib import Path

import numpy as np

import flexmb as fm
from flexmb.examples.two_link_arm import arm, control, figures, motions
from flexmb.examples.two_link_arm.control import CONTROLLERS, FRICTION, LARGE, SMALL

#: a result file holds one of so many steps
FILED = 5
#: residues of the experiment 4 s after the start [m/s²], as Kobayashi (n.d.), §2.4.2, gives them
EXPERIMENT = {"local feedback": "about 1.0", "SOFB": "about 0.5", "SOSMC": "below 0.2"}


@dataclass
class Report:
    """A folder with files, and the page that shows them."""

    folder: Path
    body: list[str] = field(default_factory=list)
    written: list[Path] = field(default_factory=list)

    def file(self, name: str) -> Path:
        """A file of the report."""
        path = self.folder / name
        self.written.append(path)
        return path

    def text(self, words: str) -> None:
        """A paragraph."""
        self.body.append(f"<p>{words}</p>")

    def heading(self, words: str) -> None:
        """A heading."""
        self.body.append(f"<h2>{html.escape(words)}</h2>")

    def picture(self, path: Path, caption: str) -> None:
        """A picture with a caption."""
        self.body.append(
            f'<figure><img src="{path.name}" alt="{html.escape(caption, quote=True)}">'
            f"<figcaption>{html.escape(caption)}</figcaption></figure>"
        )

    def table(self, head: list[str], rows: list[list[str]]) -> None:
        """A table."""
        cells = "".join(f"<th>{html.escape(cell)}</th>" for cell in head)
        lines = "".join("<tr>" + "".join(f"<td>{html.escape(cell)}</td>" for cell in row) + "</tr>" for row in rows)
        self.body.append(f"<table><thead><tr>{cells}</tr></thead><tbody>{lines}</tbody></table>")

    def files(self, paths: list[Path], words: str) -> None:
        """Links to files."""
        links = ", ".join(f'<a href="{p.relative_to(self.folder)}">{p.relative_to(self.folder)}</a>' for p in paths)
        self.body.append(f'<p class="files">{html.escape(words)}: {links}</p>')

    def close(self, title: str) -> Path:
        """Write the page."""
        page = self.file("index.html")
        frame, style = (_text_beside(f"report.{ending}") for ending in ("html", "css"))
        text = frame.replace("@STYLE@", style).replace("@TITLE@", html.escape(title))
        page.write_text(text.replace("@BODY@", "\n".join(self.body)), encoding="utf-8")
        return page


def _text_beside(name: str) -> str:
    """The text of a file that is installed in the folder of this module."""
    return resources.files(__package__).joinpath(name).read_text(encoding="utf-8")


def run(out: Path) -> list[Path]:
    """The whole study: motions under local feedback, the linear plant, three controllers, pictures, files, a page."""
    report = Report(out)
    _the_arm(report)
    for case in motions.CASES:
        _case(report, case)
    design = control.design(_linear(report))
    _controllers(report, design)
    page = report.close("A two-link flexible arm")
    print(f"open {page} in a browser")
    return report.written


def _the_arm(report: Report) -> None:
    held = fm.modes(arm.held(), 2)
    simulated, printed = held.frequencies, arm.FREQUENCIES
    print(f"motors held: {simulated[0]:.3f} and {simulated[1]:.3f} Hz; printed {printed[0]} and {printed[1]} Hz")
    report.text(
        "Two slender steel rods, an elbow, a tip mass and two geared motors, in a horizontal plane. Each rod is one "
        "element of component mode synthesis with two bending modes, whose rotation is coupled exactly with its "
        "deformation."
    )
    report.table(
        ["what", "where it is from", "values"],
        [
            [
                "lengths, diameters, density, Young's modulus, bending stiffness of the links",
                "printed in the source",
                f"{_pair(*arm.LENGTHS)} m, {_pair(*(1e3 * d for d in arm.DIAMETERS))} mm, {arm.DENSITY:g} kg/m³, "
                f"{arm.YOUNGS_MODULUS / 1e9:g} GPa, {_pair(*arm.BENDING)} Nm²",
            ],
            [
                "motions, control period, structure of controllers",
                "printed in the source",
                "trapezoidal speed; 1 ms",
            ],
            [
                "masses of elbow and tip",
                "identified from the printed frequencies",
                f"{arm.ELBOW_MASS} kg (inertia {arm.ELBOW_INERTIA:g} kg m²) and {arm.TIP_MASS} kg",
            ],
            [
                "rotors, reducers, hub, share of the elbow's mass, gains of local feedback",
                "assumed: nothing is printed",
                f"rotors {_pair(*arm.ROTORS)} kg m², ratio {arm.RATIO:g}",
            ],
            [
                "weights, filter and rate of reaching of the controllers; friction of the motors",
                "chosen here by simulation: nothing is printed",
                f"filter {control.CORNER / (2 * np.pi):g} Hz, reaching {control.REACHING:g} 1/s",
            ],
            ["all curves and pictures", "simulated by flexmb", "no measured curve is shown"],
        ],
    )
    report.heading("Natural frequencies with the motors held")
    rows = [
        [str(k + 1), f"{ours:.3f} Hz", f"{theirs} Hz", f"{100 * (ours / theirs - 1):+.2f} %"]
        for k, (ours, theirs) in enumerate(zip(simulated, printed))
    ]
    report.table(["mode", "simulated", "printed (computed there)", "difference"], rows)
    path = report.file("modes.png")
    held.plot(path=path)
    report.picture(path, "Shapes of the two modes with the motors held.")


def _case(report: Report, case: str) -> None:
    few, many = motions.move(case), motions.move(case, "ancf")
    off = motions.acceleration_difference(few, many)
    print(f"{case}: tip accelerations of CMS and cable elements apart by {100 * off:.4f} % after 1.5 s")
    stem = case.replace(" ", "-")
    shoulder, elbow = (f"{np.degrees(angle):+.0f}°" if angle else "held" for angle in motions.CASES[case])
    report.heading(f"{case.capitalize()}: shoulder {shoulder}, elbow {elbow} in 1.5 s under local feedback")
    strobe, curve = report.file(f"{stem}.png"), report.file(f"{stem}-acceleration.png")
    few.draw(times=np.linspace(0.0, 2.0, 17), trails="tip", path=strobe)
    figures.accelerations(few, many, curve)
    report.picture(strobe, "The arm at seventeen instants of the first two seconds, with the path of its tip.")
    report.picture(curve, "Acceleration of the tip along y; while the ground is gray the motors move.")
    report.text(
        "Over the free vibration after 1.5 s the accelerations of one CMS element and of sixteen ANCF cable elements a "
        f"link differ by <b>{100 * off:.4f} %</b> (root of the mean square)."
    )
    if case == "case 2":
        spectrum, phase = report.file("spectrum.png"), report.file("phase.png")
        longer = motions.move(case, t_end=21.5, second_run=False)  # `few` has told the error of these steps
        longer.at(longer.t[longer.t >= 3.0 * motions.PHASE]).plot_spectrum("tip.ay", path=spectrum)
        few.at(few.t[few.t >= 3.0 * motions.PHASE]).plot_phase("tip.y", path=phase)
        report.picture(spectrum, "Amplitudes of the tip's acceleration in twenty seconds of free vibration.")
        report.picture(phase, "The tip in the phase plane during the free vibration.")
        _in_space(report, few)
    result = few.at(few.t[::FILED]).save(report.file(f"{stem}.h5"))
    curves = report.file(f"{stem}.csv")
    few.to_csv(curves, ["tip.x", "tip.y", "tip.ax", "tip.ay", "shoulder motor.rotor", "elbow motor.rotor"])
    report.files([result, curves], "Result file and plotted curves")


def _in_space(report: Report, solution: fm.Solution) -> None:
    moving = fm.View(solution.at(np.linspace(0.0, 2.5, 251)), color="bending_moment", trails=["tip"])
    pictures = []
    try:
        for background, name in (("light", "arm.png"), ("dark", "arm-dark.png")):
            ghosts = [0.0, 0.5, 0.75, 1.0, 1.25]
            view = fm.View(solution, color="bending_moment", ghosts=ghosts, trails=["tip"], background=background)
            pictures.append(view.screenshot(report.folder / name, time=1.5))
        film = moving.movie(report.folder / "arm.gif", fps=20, size=(640, 400))
        report.written += [*pictures, film]
        report.picture(pictures[0], "The arm at 1.5 s with its bending moment, and before, pale.")
        report.picture(film, "The motion, and the vibration that is left.")
    except fm.errors.DisplayError as why:  # the page below draws in the browser, and needs nothing
        report.text(f"This machine could not draw pictures in space: {html.escape(str(why))}.")
    page = moving.html(report.file("arm.html"))
    collection = fm.export_vtk(solution, report.folder / "paraview", np.linspace(0.0, 2.5, 51))
    report.written.append(collection)
    report.body.append(f'<iframe src="{page.name}" title="The arm, to be turned and played"></iframe>')
    report.files([page, *pictures, collection], "To turn, to show, and for ParaView")


def _linear(report: Report) -> fm.LinearModel:
    plant, straight = control.plant(), control.plant(0.0)
    lost = sorted({round(abs(p) / (2.0 * np.pi)) for p in straight.uncontrollable})
    report.heading("The linear plant")
    report.text(
        f"With the elbow at {np.degrees(control.BEND):.0f}° the arm and the filters of its accelerometers are a linear "
        f"plant of {len(plant)} states with 2 inputs and {len(plant.outputs)} outputs. It is "
        f"{'controllable' if plant.controllable else 'not controllable'} and "
        f"{'observable' if plant.observable else 'not observable'}, as the source says. Outstretched it is "
        f"{'controllable' if straight.controllable else 'neither'}: the motors do not reach the links' vibration along "
        f"their axes (modes at {' and '.join(map(str, lost))} Hz), and no sensor across the links shows it."
    )
    ends = [name for name in plant.outputs if "acceleration" in name]
    path = report.file("bode.png")
    plant.part(outputs=ends).response(np.geomspace(0.3, 200.0, 1200)).bode(path=path)
    report.picture(path, "From the motors' torques to the filtered accelerations of the links' tips.")
    return plant


def _controllers(report: Report, design: fm.control.SlidingDesign) -> None:
    report.heading("Control against vibration")
    loops = {"SOFB": design.S_c, "SOSMC, equivalent control": design.K_out}
    rows = []
    for name, gain in loops.items():
        loop = design.plant.closed(gain)
        swing = loop.poles[(np.abs(loop.poles) < 300.0)]
        rows.append([name, f"{-swing.real.max():.2f} 1/s", "stable" if loop.stable else "not stable"])
    report.table(["loop of the linear plant", "slowest decay below 50 Hz", ""], rows)
    runs = {}
    for motion in (SMALL, LARGE):
        both = {name: control.controlled(name, motion, of=design) for name in CONTROLLERS}
        stem = "small" if motion is SMALL else "large"
        path = report.file(f"control-{stem}.png")
        figures.controllers(both, motion, path)
        what = f"{_capital(motion.name)} with phases of {motion.phase} s"
        report.picture(path, f"{what}: angles of the joints, acceleration of the tip.")
        for name, solution in both.items():
            curves = report.file(f"control-{stem}-{name.replace(' ', '-')}.csv")
            solution.to_csv(curves, ["tip.ax", "tip.ay", "shoulder motor.rotor", "elbow motor.rotor"])
        runs[motion.name] = both
    small = runs[SMALL.name]
    more = {name: control.controlled(name, SMALL, of=design, tip_mass=1.2 * arm.TIP_MASS) for name in CONTROLLERS[1:]}
    rough = {name: control.controlled(name, SMALL, of=design, friction=FRICTION) for name in CONTROLLERS}
    path = report.file("control-decay.png")
    heavy = {f"{name}, tip mass +20 %": solution for name, solution in more.items()}
    figures.residues({**small, **heavy}, SMALL.phase, path)
    report.picture(path, f"{_capital(SMALL.name)}: how the vibration of the tip dies out; the line is at 4 s.")
    path = report.file("control-heavier.png")
    figures.heavier({name: (small[name], more[name]) for name in more}, SMALL, path)
    report.picture(path, "Tip mass +20 %, with unchanged gains.")
    rows = []
    for name in CONTROLLERS:
        residue = left(small[name])
        heavier = f"{left(more[name]):.4f}" if name in more else "–"
        rows.append([name, f"{residue:.4f}", heavier, f"{left(rough[name]):.4f}", EXPERIMENT[name]])
        print(f"{name}: residue {residue:.4f} m/s², with friction {rows[-1][3]}, tip mass +20 % {heavier}")
    still, rubbing = (min(CONTROLLERS, key=lambda name: left(of[name])) for of in (small, rough))
    report.text(
        f"{_capital(SMALL.name)}: amplitude of the tip's acceleration 4 s after the start [m/s²]. It is least under "
        f"{still}, with friction in the motors under {rubbing}."
    )
    report.table(
        ["controller", "simulated", "tip mass +20 %", "with friction in the motors", "experiment of the source"], rows
    )
    _friction(report, design)
    sosmc = small["SOSMC"]
    result = sosmc.at(sosmc.t[::FILED]).save(report.file("control-small-SOSMC.h5"))
    plotted = [path for path in report.written if path.suffix == ".csv" and path.name.startswith("control")]
    report.files([result, *plotted], "Result file and plotted curves")


def _friction(report: Report, design: fm.control.SlidingDesign) -> None:
    """The vibration that the controllers leave with friction from none to twice as much, with two rates of reaching."""
    firm = control.design(design.plant, control.FIRM)
    columns = {name: (name, design) for name in CONTROLLERS}
    columns[f"SOSMC, reaching at {control.FIRM:g}/s"] = ("SOSMC", firm)
    report.text(
        "Why friction turns the order round: a rotor sticks while its torque is below the static friction. The torque "
        "for an acceleration of the tip follows from the gains, so that below some amplitude both rotors stick and the "
        "arm vibrates on, as if it were clamped. In the mode of 6 Hz, that is "
        + ", ".join(
            f"{control.sticking(gain).min():.3f} m/s² under {name}"
            for name, gain in (("SOFB", design.S_c), ("SOSMC", design.K_out), ("SOSMC that reaches faster", firm.K_out))
        )
        + ". With a rate of reaching that the plant without friction allows, sliding mode control leaves the least."
    )
    rows = []
    for times in (0.0, 0.5, 1.0, 1.5, 2.0):
        left_by = [
            left(control.controlled(name, SMALL, of=of, friction=control.friction(times), t_end=4.3, second_run=False))
            for name, of in columns.values()
        ]
        rows.append([f"{times:g}", *(f"{amplitude:.4f}" for amplitude in left_by)])
    report.table(["friction, times that above", *columns], rows)


def left(run: fm.Solution) -> float:
    """The amplitude that a run leaves 4 s after the start [m/s²]; infinite if it ended before."""
    return run.residual(*control.TIP, **control.LATE) if run.t[-1] > control.LATE["before"] else float("inf")


def _pair(first: float, second: float) -> str:
    return f"{first:g} and {second:g}"


def _capital(words: str) -> str:
    return words[0].upper() + words[1:]
