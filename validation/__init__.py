"""Validation cases: results of flexmb against those of others; `flexmb validate NAME`."""

from __future__ import annotations

import importlib

from flexmb.validation.registry import CASES, Case, Check, Errors, Record, case, checks_of, errors_of

__all__ = ["Case", "Check", "Errors", "Record", "case", "cases", "checks_of", "errors_of", "groups"]

#: files that define cases, under headings
_MODULES: dict[str, tuple[str, ...]] = {
    "Vibration of beams, and beams that turn": (
        "beam_frequencies",
        "interior_mass",
        "beam_frequencies_space",
        "thick_beam",
        "tapered_cantilever",
        "twisted_blade",
        "eccentric_blade",
        "curved_free",
        "rotating_beam_frequencies",
        "spin_up",
        "spin_up_space",
    ),
    "Bodies from finite elements": (
        "reduced_solids",
        "calculix_matrices",
        "disc_in_spin",
        "fe_blade_spin_up",
        "fe_static_bend",
        "fe_free_flight",
        "fe_slider_crank",
        "fe_stresses",
        "flexible_urdf",
        "thermal_bend",
        "thermal_flutter",
        "appendage",
        "sid_files",
    ),
    "Large bending, and equilibrium": (
        "elastica",
        "skew_cantilever",
        "princeton_beam",
        "composite_beam",
        "slenderness",
        "helix",
        "bend_45",
        "hanging_squares",
        "catenary",
        "snap_through",
    ),
    "Buckling and flutter": (
        "euler_column",
        "lateral_buckling",
        "right_angle_frame",
        "becks_column",
    ),
    "Mechanisms in the plane": (
        "two_squares",
        "four_bar",
        "n_four_bar",
        "andrews",
        "slider_crank",
        "slider_crank_kinematics",
        "free_flight",
        "deployment",
        "docking",
    ),
    "Mechanisms in space": (
        "five_link_chain",
        "bricard",
        "spatial_four_bar",
        "spatial_slider_crank",
        "spatial_slider_crank_beam",
        "rssr",
        "cardan",
        "bevel_differential",
        "screw",
    ),
    "Bodies that spin, and satellites": (
        "free_rotation",
        "free_flight_space",
        "spaghetti_space",
        "heavy_top",
        "sleeping_top",
        "spring_suspended_body",
        "spinning_body_campbell",
        "satellite_wheel",
        "attitude_control",
        "jets",
        "rocket",
        "drag_decay",
        "gravity_gradient",
        "orbits.orbit_rigid",
        "orbits.spacecraft",
        "orbits.orbit_boom",
        "surfaces.pressure_on_faces",
        "surfaces.free_molecular",
        "surfaces.eclipse",
        "surfaces.thermal_tube",
        "surfaces.thermal_snap",
        "satellite_stability",
    ),
    "Rolling, blades and tires": (
        "skate",
        "trailer",
        "bicycle",
        "rolling",
        "tire",
    ),
    "Contact and friction": (
        "bouncing_ball",
        "newtons_cradle",
        "block_and_belt",
        "wedge",
        "contacts.hard_plane",
        "contacts.hard_energy",
        "screw_friction",
        "journal_pendulum",
    ),
    "Joint coordinates, and robots": (
        "articulated",
        "fold",
        "branch",
        "seven_joints",
        "agreement",
        "one_number",
        "flexible_one_number",
        "orbits.hull_and_panel",
        "one_way",
        "momentum_form",
        "formulations.classical_in_motion",
        "survey_tables",
        "hybrid_modelling",
        "principles",
        "flexible_links",
        "flexarm_t3",
        "formulations.flexarm_responses",
        "formulations.pairs",
        "urdf_arm",
        "public_robots",
        "batches.members",
        "learning.vector_env",
    ),
    "The plane in space": (
        "tilted_planes",
        "tilted_analyses",
        "tilted_beams",
    ),
    "Linear models, control and sensitivities": (
        "linear_response",
        "margins",
        "floquet",
        "nominal",
        "filter",
        "two_link_arm",
        "flexible_arms.trim",
        "flexible_arms.lqg",
        "flexible_arms.shapers",
        "virtual_loop",
        "reaction_null_space",
        "humanoid",
        "computed_torque",
        "operational_space",
        "drives.inverse_kinematics",
        "drives.backlash_cases",
        "drives.lugre_cases",
        "drives.servo_drive",
        "quantities",
        "derivatives.sensitivities",
        "derivatives.sensitivities_in_space",
        "derivatives.sensitivity_over_time",
    ),
}


def cases() -> dict[str, Case]:
    """All cases by name, in the order of the files that define them."""
    order = [f"{__name__}.{module}" for modules in _MODULES.values() for module in modules]
    for module in order:
        importlib.import_module(module)
    places = {module: k for k, module in enumerate(order)}
    return dict(sorted(CASES.items(), key=lambda item: places.get(item[1].module, len(places))))


def groups() -> dict[str, list[Case]]:
    """The cases under their headings."""
    known = cases().values()
    return {
        heading: [case for case in known if case.module.removeprefix(f"{__name__}.") in modules]
        for heading, modules in _MODULES.items()
    }
