"""Heat of the sun in a model in space."""

from __future__ import annotations

from typing import Any

import numpy as np

from flexmb.bodies.meshes.finish import SurfaceFinish
from flexmb.elements.spatial import Beam
from flexmb.errors import ModelError
from flexmb.forces.thermal_load import ThermalLoad
from flexmb.model import checks, given_names
from flexmb.model.model import Model
from flexmb.spatial.solar_heat import RADIATION, SolarHeat, TubeWall, across, loads_of, sun_sides, tube_law


class HeatVerbs(Model):
    """Heat that the sun brings into beams."""

    def solar_heat(
        self,
        beam: Beam,
        *,
        finish: SurfaceFinish,
        wall: float,
        specific_heat: float,
        conductivity: float,
        sun: Any = (1.0, 0.0, 0.0),
        flux: float = 1361.0,
        temperature: float | None = None,
        unstressed: float | None = None,
        diameter: float | None = None,
        eclipse: bool = False,
        name: str = "",
    ) -> SolarHeat:
        """Let the sun heat a beam that is a thin-walled round tube: its mean temperature lengthens it, its warm side
        bends it away from the sun, each with its delay (:mod:`flexmb.spatial.solar_heat`). So booms snap where they
        come out of the shadow, and may flutter.

        The temperatures are states, 'name.mean', 'name.y' and 'name.z' [K], of the whole beam: the sun stands to it as
        in the mean of its ends, so a boom that turns far is several beams. They command three thermal loads of theory
        'cms' or 'exact', which this adds. No part shades another.

        Arguments: `beam`, whose material has a thermal expansion; `finish`, whose `absorbed` part and `emissivity`
        count; `wall` h [m]; `specific_heat` c [J/(kg K)] and `conductivity` k [W/(m K)] of the wall, whose density
        follows from the mass of the beam; `sun` (3,), the direction to the sun; `flux` S [W/m²]; `temperature` [K] at
        the start, all around, that at rest in the sun when not given; `unstressed`: the temperature at which the beam
        has the length of the model, that at the start when not given; `diameter` [m] of the tube, that of its section
        when not given; `eclipse`: whether it is dark in the shadow of the central body, see
        :class:`flexmb.spatial.SolarPressure`; `name` of the states, 'heat of …' when not given.

        >>> import flexmb as fm
        >>> steel = fm.Material(density=7010, youngs_modulus=1.93e11, thermal_expansion=1.629e-5)
        >>> tube = fm.Tube(outer_diameter=0.02188, inner_diameter=0.02141)
        >>> m = fm.SpatialModel("craft")
        >>> boom = m.add_beam("boom", m.ground, (5.91, 0, 0), material=steel, section=tube)
        >>> grey = fm.spatial.SurfaceFinish(mirror=0.5, emissivity=0.13)
        >>> given = {"wall": 2.35e-4, "specific_heat": 502.0, "conductivity": 16.61}
        >>> heat = m.solar_heat(boom, finish=grey, sun=(0, 0, 1), flux=1350.0, **given)
        >>> heat.start.round(1).tolist()
        [413.2, 0.0, 0.0]
        """
        unnamed = isinstance(name, str) and not name
        called = f"heat of {getattr(beam, 'name', '…')}" if unnamed else given_names.name(name, "states of solar heat")
        where = f"states {checks.quoted(called)}"
        if not isinstance(beam, Beam):
            raise ModelError(
                f"{where}: {checks.quoted(beam)} is no beam; give a thin-walled tube, what add_beam returned"
            )
        if not isinstance(finish, SurfaceFinish):
            raise ModelError(f"{where}: finish is {checks.quoted(finish)}; give an fm.spatial.SurfaceFinish")
        h, c = checks.positive(wall, "wall", where), checks.positive(specific_heat, "specific_heat", where)
        k, S = checks.not_negative(conductivity, "conductivity", where), checks.not_negative(flux, "flux", where)
        size = 2.0 * beam.sizes_at(0.5).radius if diameter is None else checks.positive(diameter, "diameter", where)
        if not size:
            raise ModelError(f"{where}: the section of {beam.where} is not round; give a diameter, of a round tube")
        if h >= 0.5 * size:
            raise ModelError(f"{where}: wall is {h:g} m, and the radius {0.5 * size:g} m; it must be thin")
        direction = checks.vector(sun, "sun", where, 3)
        length = checks.positive(np.linalg.norm(direction), "length of the direction to the sun", where)
        direction = direction / length
        if checks.flag(eclipse, "eclipse", where) and getattr(self.gravity, "radius", None) is None:
            raise ModelError(f"{where}: eclipse is the shadow of a central body, and the model has none with a radius")
        R = 0.5 * (size - h)
        capacity = float(beam.section_mass(0.5)[0]) / (2.0 * np.pi * R * h) * c * h
        own = TubeWall(
            finish.absorbed * S / capacity, finish.emissivity * RADIATION / capacity, k * h / (capacity * R * R)
        )
        if temperature is None and not finish.emissivity:
            raise ModelError(
                f"{where}: emissivity is 0, so that it comes to no rest; give its temperature at the start"
            )
        b = float(np.linalg.norm(across(beam, direction)))
        start = own.at_rest(b) if temperature is None else checks.positive(temperature, "temperature", where)
        free = start if unstressed is None else checks.positive(unstressed, "unstressed", where)
        orbit: Any = self.gravity if eclipse else None
        states = ("mean", {"temperature": 1.0}), ("y", {"gradient": (1.0, 0.0)}), ("z", {"gradient": (0.0, 1.0)})
        with self.all_or_nothing():
            loads = [self.add(ThermalLoad(beam, **of, factor=0.0, name=f"{called} {what}")) for what, of in states]
            made = SolarHeat(
                tube_law(own, orbit, direction), sensors=sun_sides(beam, direction), commands=loads,
                decide=loads_of(R, free), compiled=True, start=[start, 0.0, 0.0], names=[what for what, _ in states],
                sizes=[max(start, 1.0), 10.0, 10.0], orbit=orbit, sun=direction,
                name=called,
            )  # fmt: skip
            return self.add(made)
