"""Hinged rod of exact elements in space, 16 to 4096 elements, 300 steps of 1 ms: time of an element and step."""

from __future__ import annotations

import time

import flexmb as fm

ELEMENTS = (16, 64, 256, 4096)
STEP, T_END = 1e-3, 0.3


def build(elements: int) -> fm.SpatialModel:
    """Length 2 m, diameter 10 mm, E = 2e9 Pa, ν = 0.3, ρ = 7850 kg/m³, hinged, released level; gravity is askew."""
    model = fm.SpatialModel("rod", gravity=(2.0, -5.0, -8.0))
    material = fm.Material(density=7850.0, youngs_modulus=2e9, poissons_ratio=0.3)
    rod = model.add_beam(
        "rod", (0, 0, 0), (2, 0, 0), material=material, section=fm.Circle(diameter=0.01), theory="exact",
        elements=elements,
    )  # fmt: skip
    model.revolute(model.ground, rod.start, axis="y", name="hinge")
    return model


def main() -> None:
    """Print the time of the whole run and that of its steps alone, by an element and step, in wall time and in time of
    the processor, which the load of the machine does not change as much."""
    for elements in ELEMENTS:
        model = build(elements)

        def run(t_end: float, model: fm.SpatialModel = model) -> tuple[tuple[float, float], fm.Solution]:
            wall, own = time.perf_counter(), time.process_time()
            found = fm.simulate(model, t_end, step=STEP, save_every=300, progress=False, second_run=False)
            return (time.perf_counter() - wall, time.process_time() - own), found

        run(0.01)
        short = [run(0.1) for _ in range(3)]
        whole = [run(T_END) for _ in range(3)]
        scale = 1e6 * STEP / elements
        lines = []
        for k, what in enumerate(("wall", "processor")):
            first, last = min(x[k] for x, _ in short), min(x[k] for x, _ in whole)
            lines.append(
                f"{what} {scale / T_END * last:.2f} µs, steps alone {scale / (T_END - 0.1) * (last - first):.2f} µs"
            )
        done = whole[0][1].statistics
        print(f"{elements:5d} elements: {'; '.join(lines)}; {done.iterations / done.steps:.2f} iterations a step")


if __name__ == "__main__":
    main()
