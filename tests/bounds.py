"""Which compiled functions have run: all kernels and compiled loops of the package, and those that a process reached.

A kernel has run if Python called it, as the checks of kernels do, on arrays of just the sizes that the contract says. A
loop has run if Python called it, or if running code asked for its address. What these contain has run with them.
"""

from __future__ import annotations

import importlib
import inspect
from collections.abc import Iterator
from functools import cache
from types import CodeType, ModuleType
from typing import Any

from flexmb.kernels.contract import ALL_ROLES, Kernels
from flexmb.kernels.hooks.calls import Compiled
from tests.house import FILES

#: What runs with checks of indices, in files of this folder: every kernel by itself, and runs of every loop.
PART = """
formulations/flexible/test_hung.py
test_bounds.py
quantities/test_quantities.py
quantities/test_efforts.py
quantities/test_forces_by_name.py
forces/planar/test_tire.py::test_forces_and_energy
forces/spatial/test_tire.py::test_the_arrow_of_a_tire_is_the_force_on_the_wheel
forces/spatial/surfaces/test_surfaces.py
forces/spatial/surfaces/test_solar_heat.py
kernels/test_formula.py
feedback/test_sensors.py
feedback/test_sensors_in_space.py
results/test_joint_tracks.py
validation/test_asked.py
solvers/methods/explicit/test_euler.py
solvers/methods/test_rosenbrock.py
batches/test_lanes.py
environments/test_environments.py
solvers/events/test_events.py::test_quantities_by_name_sensor_and_function_are_the_same
bodies/test_stresses.py::test_a_gauge_is_read_by_controllers_and_linear_models
algebra/test_multifrontal.py
algebra/test_least_norm.py
algebra/test_rank.py::test_the_least_singular_value_is_bounded_from_below
analyses/kinematics/inverse/test_inverse_kinematics.py
analyses/kinematics/inverse/test_joint_motion.py
forces/drives/test_lugre.py
forces/test_hard_stops.py::test_a_rope_tightens
forces/test_hard_contact.py::test_what_a_hard_contact_bears_is_read_by_name
forces/drives/test_backlash.py
visual/test_meshes.py
visual/test_smoothing.py
visual/test_spatial_beams.py
control/test_virtual_loop.py
control/test_computed_torque.py::test_errors_obey_their_own_equation
control/test_computed_torque.py::test_on_a_floating_base_the_joints_still_follow
control/test_computed_torque.py::test_a_run_is_replayed
results/test_whole.py::test_a_clamp_carries_all_that_outside_does_to_a_beam[ancf]
model/test_gravity.py::test_gradient_and_acceleration_are_derivatives_of_the_potential
elements/spatial/test_attraction.py::test_an_accelerometer_feels_what_does_not_fall
forces/spatial/test_tank.py::test_jet_and_system_pass_the_conformance_suite
results/test_whole.py::test_sensors_read_what_the_solution_says
results/test_whole.py::test_polygons_of_one_foot_and_of_two_are_a_point_and_a_line
results/test_whole.py::test_a_table_that_is_pushed_stands_until_its_zero_moment_point_reaches_the_edge
results/test_space.py::test_rates_of_a_track_and_of_what_an_observer_sees
results/test_turns_of_tracks.py
solvers/coordinates/joints/test_late_forces.py::test_forces_found_later_are_those_found_at_each_step[rkf45-options0]
solvers/coordinates/joints/test_late_forces_with_rows.py::test_forces_found_later_are_those_found_at_each_step[mimicking-rkf45-options0]
solvers/coordinates/joints/test_forces_along_joints.py
results/test_ledger.py::test_the_error_of_the_balance_under_a_controller_is_estimated_from_its_steps
results/test_ledger.py::test_the_error_of_the_balance_is_estimated_where_components_are_switched
solvers/coordinates/joints/test_friction_in_joint_coordinates.py::test_every_formulation[aba-in_plane]
solvers/coordinates/joints/test_friction_in_joint_coordinates.py::test_every_formulation[lagrange-in_plane]
solvers/coordinates/joints/test_friction_in_joint_coordinates.py::test_every_formulation[ada-in_plane]
solvers/coordinates/joints/test_friction_in_joint_coordinates.py::test_every_formulation[dca-in_plane]
solvers/coordinates/joints/test_friction_in_joint_coordinates.py::test_generalized_alpha
solvers/coordinates/joints/test_friction_in_joint_coordinates.py::test_it_breaks_away_at_its_limit
solvers/coordinates/joints/test_friction_in_joint_coordinates.py::test_two_hinges_in_independent_coordinates
formulations/test_agreement.py::test_every_formulation_agrees_with_the_engine
formulations/test_agreement.py::test_formulations_that_close_loops_agree_with_the_engine[0]
formulations/pieces/test_ada.py::test_two_threads_do_what_one_does[1-False]
formulations/test_dynamics.py::test_jacobians_of_frames_give_motions_of_the_engine[0]
formulations/test_dynamics.py::test_beams_have_mass_matrix_drives_and_jacobians_of_the_engine[False]
formulations/test_dynamics.py::test_jacobians_of_places_along_beams
formulations/test_spatial_algebra.py::test_cross_products[0]
formulations/test_spatial_algebra.py::test_the_inertia_of_a_body_and_its_inverse[0]
formulations/test_spatial_algebra.py::test_momentum_is_the_inertia_times_the_motion[0]
formulations/test_spatial_algebra.py::test_transforms_of_inertias_and_inverse_inertias[0]
formulations/test_spatial_algebra.py::test_sums_of_inertias_and_what_a_joint_takes_from_them[0]
formulations/test_spatial_algebra.py::test_six_vectors_and_inertias_go_into_rows_and_back[0]
formulations/tree/test_tree.py::test_parallel_axes_of_euler_angles_are_found
solvers/test_rotations.py::test_all_formulations_are_one_motion[chain-projection-euler_parameters]
solvers/test_rotations.py::test_all_formulations_are_one_motion[chain-projection-euler_angles]
solvers/test_rotations.py::test_all_formulations_are_one_motion[chain-rkf45-euler_parameters]
solvers/test_rotations.py::test_all_formulations_are_one_motion[chain-rkf45-euler_angles]
solvers/test_rotations.py::test_a_run_ends_before_a_singular_position[rkf45-options0]
solvers/coordinates/joints/test_angles_of_joints.py::test_generalized_alpha_makes_the_same_steps
solvers/coordinates/joints/test_angles_of_joints.py::test_a_run_ends_before_a_singular_position
solvers/events/test_touches.py::test_a_ball_bounces_as_it_should
solvers/rows/test_velocity_rows.py::test_methods_agree_on_a_train
solvers/rows/test_passage.py::test_every_method_goes_through_flat_on_its_branch[2-radau]
solvers/rows/test_redundancy.py::test_rows_that_fade_are_exchanged_on_the_way[generalized_alpha-3]
solvers/rows/test_redundancy.py::test_a_door_on_two_hinges[generalized_alpha]
solvers/coordinates/joints/test_onto_rows.py
solvers/methods/independent/test_of_joints.py::test_how_far_dependent_coordinates_follow[four-bar]
solvers/methods/independent/test_of_joints.py::test_how_far_dependent_coordinates_follow[balls]
solvers/methods/independent/test_of_joints.py::test_rows_of_joint_speeds[rotors]
solvers/methods/explicit/test_controllers.py::test_commands_are_held_and_delayed[dop853]
solvers/march/test_kinks.py::test_a_force_with_kinks
solvers/events/test_events.py::test_each_event_near_singular_positions_happens_once[1-generalized_alpha]
solvers/methods/radau/test_radau_spin.py::test_the_heavy_top[0.0001]
validation/test_fuzz.py::test_mechanisms_that_went_wrong_once[0-2578]
solvers/methods/radau/test_radau.py::test_stiff_members_are_not_followed
solvers/methods/radau/test_radau.py::test_a_controller_acts_as_in_the_other_loop
solvers/methods/generalized_alpha/test_generalized_alpha.py::test_instants_of_controllers_off_the_grid_leave_no_noise[options1-0.001]
solvers/methods/generalized_alpha/test_generalized_alpha.py::test_a_turn_that_no_fixed_step_follows_is_told_with_one_that_would
solvers/methods/generalized_alpha/test_generalized_alpha.py::test_a_fine_cable_steps_like_a_coarse_one[options0]
solvers/test_orientations.py::test_bodies_on_a_stiff_rotational_spring_that_spins
solvers/events/test_touch_errors.py::test_hundreds_of_touches[radau]
solvers/events/test_touch_errors.py::test_hundreds_of_touches[dop853]
solvers/events/test_joint_friction.py::test_a_block_that_is_pushed_slides
solvers/events/test_joint_friction.py::test_radau_keeps_its_tolerance[0.0001]
solvers/coordinates/joints/test_components_in_joint_coordinates.py::test_all_components[plane-tires]
formulations/test_places.py::test_formulations_give_accelerations_and_forces_of_absolute_coordinates[0]
formulations/test_places.py::test_dynamics_through_places[0]
formulations/test_places.py::test_runs_are_those_of_absolute_coordinates[lagrange]
formulations/test_groups.py::test_momentum_of_groups_is_that_of_the_engine[plane]
feedback/test_sensors_in_space.py::test_the_loops_read_what_a_solution_shows[generalized_alpha-options0]
feedback/test_sensors_in_space.py::test_events_count_the_turns_of_an_euler_angle
examples/test_own_elements.py::test_rope_conforms
examples/test_own_elements.py::test_rolling_conforms
examples/test_own_elements.py::test_wall_conforms
feedback/test_signals.py
feedback/test_states.py::test_states_of_the_plane_conform
feedback/test_states_that_read_forces.py::test_rows_of_newtons_matrix_are_derivatives_of_the_rates
feedback/test_states_that_read_forces.py::test_a_command_that_follows_a_force
results/test_ledger.py::test_drives_work_against_commands_that_jump
results/test_space.py::test_names_of_orientations
formulations/test_spatial_algebra.py::test_transforms_of_motions_and_forces[0]
feedback/test_controller.py::test_a_law_in_python_is_the_gain
feedback/test_controller.py::test_a_law_with_memory
control/test_sliding.py::test_within_the_layer_the_command_does_not_jump
control/estimating/test_estimating.py::test_limits_wind_nothing_up
kernels/test_derivatives.py::test_they_are_those_written_by_hand
kernels/test_derivatives.py::test_jacobians_are_those_written_by_hand
kernels/test_derivatives.py::test_a_family_without_a_tangent_conforms_and_runs
kernels/test_positions.py::test_they_are_those_written_by_hand
kernels/test_positions.py::test_they_conform
kernels/test_positions.py::test_numbers_in_the_output_and_in_scratch_have_derivatives_too
forces/test_contacts.py::test_what_pictures_show
forces/test_many_contacts.py::test_runs_are_those_of_pairs[generalized_alpha]
forces/test_many_contacts.py::test_room_for_too_few_pairs_is_told
system/test_near.py::test_no_pair_is_missed[False]
forces/spatial/test_tire.py::test_the_arrow_of_a_tire_is_the_force_on_the_wheel
forces/spatial/surfaces/test_surfaces.py
forces/spatial/surfaces/test_solar_heat.py
examples/test_own_elements.py::test_python_force_conforms
analyses/sensitivity/test_sampled.py::test_in_the_plane
analyses/sensitivity/test_radau_changes.py::test_derivatives_are_those_of_the_computed_run[top]
analyses/sensitivity/test_radau_changes.py::test_derivatives_are_those_of_the_computed_run[skate]
analyses/sensitivity/test_radau_changes.py::test_derivatives_are_those_of_the_computed_run[hanging]
analyses/sensitivity/test_radau_changes.py::test_derivatives_go_through_touches
analyses/sensitivity/test_sampled_by_radau.py::test_a_sampled_oscillator_against_its_recursion
analyses/linear/test_linear_model.py::test_large_models_by_modes_agree_with_all_coordinates_at_low_frequencies
analyses/linear/test_linear_model.py::test_sparse_response_without_a_linear_model_agrees
analyses/kinematics/test_kinematics.py::test_compiled_steps_are_those_of_the_path_itself
""".split()


@cache
def families() -> dict[str, Compiled]:
    """The kernels of all families, by their names."""
    found: dict[str, Compiled] = {}
    for module in _modules():
        for name, value in vars(module).items():
            several = value if isinstance(value, tuple) else (value,)
            for k, one in enumerate(several):
                if isinstance(one, Kernels):
                    which = f"{module.__name__}.{name}" if one is value else f"{module.__name__}.{name}[{k}]"
                    own = {f"{which}.{role}": getattr(one, role) for role in ALL_ROLES}
                    found |= {role: kernel for role, kernel in own.items() if isinstance(kernel, Compiled)}
    return found


@cache
def functions() -> dict[str, Compiled]:
    """The compiled functions of all modules but the benchmarks, and the kernels of all families, by their names."""
    found = dict(families())
    for module in _modules():
        for name, value in vars(module).items():
            if isinstance(value, Compiled) and value.py_func.__module__ == module.__name__:
                found[f"{module.__name__}.{name}"] = value
    return found


def _modules() -> list[ModuleType]:
    left_out = ("flexmb.__main__", "flexmb.validation.performance")
    return [importlib.import_module(name) for name in sorted(FILES) if not name.startswith(left_out)]


def has_run(function: Compiled) -> bool:
    """Whether it was called as itself; of what has no machine code of its own, whether it was put into other code."""
    if any(function is kernel for kernel in families().values()):
        return bool(function.overloads) or "from_python" in vars(function)
    return bool(function.overloads or function.addresses or _made(function, "apart"))


def _made(function: Compiled, which: str) -> tuple[Any, ...]:
    other = vars(function).get(which)
    return tuple(other.overloads) if other is not None else ()


def _codes(code: CodeType) -> Iterator[CodeType]:
    yield code
    for inner in code.co_consts:
        if isinstance(inner, CodeType):
            yield from _codes(inner)


def contained(function: Compiled) -> Iterator[Compiled]:
    """The compiled functions that its code names."""
    python = function.py_func
    scope = inspect.getclosurevars(python)
    values = [*scope.globals.values(), *scope.nonlocals.values()]
    names = {name for code in _codes(python.__code__) for name in code.co_names}
    for module in [value for value in values if isinstance(value, ModuleType)]:
        values += [getattr(module, name) for name in names if hasattr(module, name)]
    return (value for value in values if isinstance(value, Compiled))


def reached() -> set[str]:
    """The names of those that have run in this process."""
    every = functions()
    names: dict[int, list[str]] = {}
    for name, function in every.items():
        names.setdefault(id(function), []).append(name)
    left, done = [function for function in every.values() if has_run(function)], dict[int, Compiled]()
    while left:
        function = left.pop()
        if id(function) not in done:
            done[id(function)] = function
            left += [inner for inner in contained(function) if not hasattr(inner, "returns")]
    return {name for number in done for name in names.get(number, [])}
