"""Validation cases: results of flexmb against those of others; `flexmb validate NAME`."""

from __future__ import annotations

import importlib

from flexmb.validation.registry import CASES, Case, Check, case

__all__ = ["Case", "Check", "case", "cases"]

_MODULES = (
    "beam_frequencies",
    "interior_mass",
    "spin_up",
    "spin_up_space",
    "beam_frequencies_space",
    "skew_cantilever",
    "lateral_buckling",
    "two_squares",
    "four_bar",
    "n_four_bar",
    "andrews",
    "slider_crank",
    "free_flight",
    "free_flight_space",
    "skate",
    "trailer",
    "bicycle",
    "rolling",
    "tire",
    "bouncing_ball",
    "newtons_cradle",
    "free_rotation",
    "heavy_top",
    "sleeping_top",
    "satellite_wheel",
    "attitude_control",
    "gravity_gradient",
    "satellite_stability",
    "spring_suspended_body",
    "spinning_body_campbell",
    "articulated",
    "fold",
    "agreement",
    "flexible_links",
    "five_link_chain",
    "bricard",
    "spatial_four_bar",
    "spatial_slider_crank",
    "spatial_slider_crank_beam",
    "tilted_planes",
    "rssr",
    "tilted_analyses",
    "tilted_beams",
    "sensitivities_in_space",
    "screw",
    "screw_friction",
    "journal_pendulum",
    "cardan",
    "bevel_differential",
    "elastica",
    "snap_through",
    "hanging_squares",
    "euler_column",
    "catenary",
    "slider_crank_kinematics",
    "rotating_beam_frequencies",
    "becks_column",
    "docking",
    "deployment",
    "block_and_belt",
    "wedge",
    "linear_response",
    "sensitivities",
    "two_link_arm",
    "urdf_arm",
    "public_robots",
)


def cases() -> dict[str, Case]:
    """All cases by name."""
    for module in _MODULES:
        importlib.import_module(f"flexmb.validation.{module}")
    return CASES
