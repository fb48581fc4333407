"""Loops in joint coordinates: their rows against differences and the engine, their rank, and motion through flat."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import flexmb as fm
from flexmb.examples.four_bar import build
from flexmb.formulations.kinds import FORMULATIONS
from flexmb.formulations.tree.coordinates import rates_of, speeds_of_rates
from flexmb.validation import bricard, fold
from flexmb.validation.agreement import absolute, apart
from flexmb.validation.references import parallelogram
from tests.models.trees import join, random_state, random_tree


def closed_by(kind: str, seed: int) -> fm.Tree:
    """A random tree with a joint of a kind between the last two bodies, or one of them and the ground."""
    rng = np.random.default_rng(seed)
    m = random_tree(rng, 5, floating=seed == 2)
    join(m, rng, m.ground if seed == 0 else m.frame("b3"), m.components["b4"], kind, "closing")
    tree = fm.Tree.of(m)
    assert len(tree.chords) == 1
    return tree


@pytest.mark.parametrize("kind", ["revolute", "spherical", "prismatic", "universal", "cylindrical"])
@pytest.mark.parametrize("seed", range(3))
def test_rows_are_rates_of_errors(kind, seed):
    tree = closed_by(kind, seed)
    loops, rng = fm.Loops(tree), np.random.default_rng(10 + seed)
    x, u = random_state(rng, tree)
    ud, h = rng.normal(size=tree.nv), 1e-5
    rows = loops.at(x, u)
    assert rows.rates == pytest.approx(rows.C @ u, abs=1e-11)
    ahead, behind = (loops.moved(x, s * (u + 0.5 * s * ud)) for s in (h, -h))
    rate = (loops.at(ahead).g - loops.at(behind).g) / (2.0 * h)
    assert rate == pytest.approx(rows.rates, abs=1e-7)
    second = (loops.at(ahead, u + h * ud).rates - loops.at(behind, u - h * ud).rates) / (2.0 * h)
    assert second == pytest.approx(rows.C @ ud - rows.c, abs=1e-6)


@pytest.mark.parametrize("pitched", [False, True])
def test_a_loop_closed_by_a_joint_that_counts_its_turns(pitched):
    """The row that counts them holds nothing: rank, rows and accelerations are those of a hinge that does not count. A
    screw as long as its pitch is all but none is a hinge too."""

    def loop(**counts):
        m = fm.SpatialModel("four-bar", gravity=(0, 0, -9.81))
        link, ends = [((0, 0, 0.5), (0, 0, 0.5)), ((0.5, 0, 1), (0.5, 0, 0)), ((1.25, 0, 0.5), (0.25, 0, -0.5))], []
        for k, (at, half) in enumerate(link):
            body = m.add_body(f"b{k}", mass=1.0, inertia=(0.1, 0.1, 0.1), position=at)
            ends.append((body.attach(f"start{k}", -np.array(half)), body.attach(f"end{k}", half)))
        m.revolute(m.ground, ends[0][0], axis="y", name="A")
        m.revolute(ends[0][1], ends[1][0], axis="y", name="B")
        m.revolute(m.ground.attach("D0", (1.5, 0, 0)), ends[2][1], axis="y", name="D")
        if counts and pitched:
            m.screw(ends[1][1], ends[2][0], axis="y", pitch=1e-9, name="C")
        else:
            m.revolute(ends[1][1], ends[2][0], axis="y", name="C", **counts)
        return fm.Loops(m)

    plain, counted = loop(), loop(count_turns=True)
    assert counted.tree.chords == plain.tree.chords == ["C"]
    x, u = plain.closed(np.array([0.3, -0.2, 0.1]), np.array([1.0, 0.4, -0.3]))
    assert counted.rank == plain.rank == 2
    assert counted.sigma(x) == pytest.approx(plain.sigma(x), rel=1e-7)
    assert counted.accelerations(x, u) == pytest.approx(plain.accelerations(x, u), rel=1e-6)
    assert counted.tree.state(x, u)["C.angle"] == pytest.approx(plain.tree.state(x, u)["C.angle"], abs=1e-9)


def test_speeds_and_rates_of_coordinates_belong_together():
    rng = np.random.default_rng(1)
    tree = fm.Tree.of(random_tree(rng, 5, ("spherical", "revolute"), floating=True))
    loops = fm.Loops(tree)
    x, u = random_state(rng, tree)
    rates, speeds = np.empty(tree.nq), np.empty(tree.nv)
    rates_of(tree.arrays.joints, x, u, rates)
    speeds_of_rates(tree.arrays.joints, x, rates, speeds)
    assert speeds == pytest.approx(u, abs=1e-14)
    h = 1e-6
    assert (loops.moved(x, h * u) - loops.moved(x, -h * u)) / (2.0 * h) == pytest.approx(rates, abs=1e-8)


def test_rank_and_sigma_of_a_parallelogram():
    for model, rows in ((build(), 2), (fold.in_space(), 5)):
        tree = fm.Tree.of(model)
        loops = fm.Loops(tree)
        assert len(loops.rows) == rows
        assert loops.rank == 2
        assert loops.sigma(tree.start()[0]) > 0.1
    flat = fm.Tree.of(build(0.5 * np.pi))
    loops = fm.Loops(flat)
    assert loops.rank == 2  # that beside the start, which is singular
    assert loops.sigma(flat.start()[0]) == pytest.approx(0.0, abs=1e-12)


def test_sigma_along_a_run_in_space():
    """A four-bar in space has the σ of the one in the plane; a run of the Bricard linkage, that of its states."""
    for model in (fold.in_space(), bricard.build()):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", fm.errors.RedundancyWarning)
            run = fm.simulate(model, 0.2, "radau", progress=False)
        loops = fm.Loops(model)
        found = loops.along(run)
        x = loops.tree.start()[0]
        for k in (0, len(run.t) // 2, len(run.t) - 1):
            x, _ = loops.tree.of_system(loops.system.full_q(run.q[k]), np.zeros(loops.system.plan.total), x)
            assert found[k] == pytest.approx(loops.sigma(x), rel=1e-12)
        assert np.ptp(found) > 1e-3 * found[0]
        if model.name == fold.in_space().name:
            plane = build(parallelogram.THROUGH_FLAT)
            assert found[0] == pytest.approx(fm.Loops(plane).along(fm.simulate(plane, 0.01, progress=False))[0])
    with pytest.raises(fm.errors.ModelError, match="has other coordinates"):
        loops.along(fm.simulate(build(), 0.01, progress=False))


@pytest.mark.warns(fm.errors.InitialConditionWarning, "the initial positions did not meet the joints")
def test_a_weld_beside_a_weld_holds_nothing_more():
    m = fm.PlanarModel("twice")
    bodies = [m.add_body(name, mass=1.0, inertia=0.1, position=(x, 0.3)) for name, x in (("a", 0.3), ("b", 1.1))]
    m.revolute(m.ground, bodies[0].attach("pin", (0.2, 0.1)), name="hinge")
    for name in ("first", "second"):
        m.weld(bodies[0].frame, bodies[1].frame, name=name)
    loops = fm.Loops(fm.Tree.of(m))
    assert loops.rank == 0
    assert loops.sigma(loops.tree.start()[0]) == np.inf
    with pytest.warns(fm.errors.RedundancyWarning):
        assert fm.simulate(m, 0.1, "dop853", formulation="lagrange", gaps="close", progress=False).status == "finished"


def test_a_state_that_is_off_its_loop_is_closed_and_one_that_cannot_be_is_refused():
    tree = fm.Tree.of(bricard.build())
    loops = fm.Loops(tree)
    assert loops.rank == 4  # of five rows
    rng = np.random.default_rng(0)
    q, v = loops.closed(tree.start()[0] + 1e-3 * rng.normal(size=tree.nv), rng.normal(size=tree.nv))
    rows = loops.at(q, v)
    assert np.abs(rows.g).max() < 1e-14
    assert np.abs(rows.rates).max() < 1e-13
    m = fm.PlanarModel("too far")
    places = {"near": ((0.5, 0.0), 0.0), "far": ((1.0, 0.5), 0.5 * np.pi)}
    rods = [m.add_body(name, mass=1.0, inertia=0.1, position=at, angle=a) for name, (at, a) in places.items()]
    m.revolute(m.ground, rods[0].attach("start", (-0.5, 0.0)), name="foot")
    m.revolute(rods[0].attach("end", (0.5, 0.0)), rods[1].attach("start", (-0.5, 0.0)), name="knee")
    m.revolute(m.ground.attach("wall", (5.0, 1.0)), rods[1].attach("end", (0.5, 0.0)), name="reach")
    loops = fm.Loops(fm.Tree.of(m))
    with pytest.raises(fm.errors.FormulationError, match="'knee' cannot be closed: an error of"):
        loops.closed(*loops.tree.start())


def test_what_loops_do_not_know_is_refused_by_name():
    m = build()
    m.distance(m.ground, m.frame("coupler"), name="rope")
    with pytest.raises(fm.errors.FormulationError, match="rope"):
        fm.Loops(m)


def test_accelerations_are_those_of_the_whole_mechanism():
    for model in (build(), bricard.build()):
        tree = fm.Tree.of(model)
        loops = fm.Loops(tree)
        x, u = tree.start()
        rng = np.random.default_rng(3)
        u = loops.closed(x, rng.normal(size=tree.nv))[1]
        _free_speeds(model, tree, x, u)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", fm.errors.RedundancyWarning)
            run = fm.simulate(model, 1e-3, step=1e-3, progress=False)
        found = tree.state(x, u, loops.accelerations(x, u))
        first = next(iter(tree.links))
        for link in tree.links:
            assert found[link].acceleration == pytest.approx(run[link].acceleration[0], abs=1e-9), first


def _free_speeds(model, tree, x, u):
    """Let the bodies of a model begin with the speeds of a state."""
    state = tree.state(x, u)
    for link in tree.links:
        track = state[link]
        model.frame(link).move(track.velocity, angular_velocity=track.angular_velocity)


@pytest.mark.parametrize("formulation", FORMULATIONS)
def test_energy_stays_through_flat(formulation):
    """Of a parallelogram, in the steps before and behind flat and in those over it; the angle is that of one branch."""
    model = build(parallelogram.THROUGH_FLAT)
    model.add_event(fm.crossing("coupler.y", 0.0), fm.Note())
    run = fm.simulate(model, 0.5, "dop853", formulation=formulation, tolerance=1e-10, progress=False)
    assert [event.t for event in run.events] == pytest.approx(parallelogram.flat(0.5), abs=1e-8)
    assert np.ptp(run.energy.total) < 1e-9
    exact = parallelogram.angle(run.t, parallelogram.THROUGH_FLAT)
    assert 0.5 * np.pi - run["left"].angle == pytest.approx(exact, abs=1e-9)


def beam_in_a_loop() -> fm.PlanarModel:
    """A parallelogram whose coupler is a beam, pushed over."""
    m = fm.PlanarModel("four-bar with a beam", gravity=(0, -9.81))
    posts = [
        m.add_body(name, mass=1.0, inertia=0.1, position=(x, 0.5), angle=0.5 * np.pi)
        for name, x in (("left", 0.0), ("right", 1.5))
    ]
    aluminum = fm.Material(2700, 70e9)
    rod = m.add_beam("rod", (0, 1), (1.5, 1), material=aluminum, section=fm.Rectangle(0.02, 0.02), modes=1)
    m.revolute(m.ground, posts[0].attach("foot", (-0.5, 0)), name="A")
    m.revolute(m.ground.attach("right ground", (1.5, 0)), posts[1].attach("foot", (-0.5, 0)), name="D")
    m.revolute(posts[0].attach("top", (0.5, 0)), rod.start, name="B")
    m.revolute(posts[1].attach("top", (0.5, 0)), rod.end, name="C")
    for post in posts:
        post.frame.move((0.5, 0), -1.0)
    for end in (rod.start, rod.end):
        end.move((1.0, 0.0))
    return m


def test_a_beam_in_a_loop_moves_as_in_absolute_coordinates():
    tree = fm.Tree.of(beam_in_a_loop())
    loops, rng = fm.Loops(tree), np.random.default_rng(0)
    x, u = loops.closed(tree.start()[0], rng.normal(size=tree.nv))
    a, _ = absolute(tree, x, u, np.zeros(tree.nv))
    assert apart(tree.state(x, u, loops.accelerations(x, u)).a, a) < 1e-12
    options = {"tolerance": 1e-11, "progress": False}
    motion = fm.simulate(beam_in_a_loop(), 0.01, "dop853", formulation="lagrange", **options)
    run = fm.simulate(beam_in_a_loop(), 0.01, "dop853", **options)
    assert motion["left"].angle[-1] == pytest.approx(run["left"].angle[-1], abs=1e-10)
    assert np.ptp(motion.energy.total) < 1e-9


def test_sigma_along_a_run():
    run = fm.simulate(build(), 0.5, "dop853", times=np.linspace(0.0, 0.5, 6), progress=False)
    loops = fm.Loops(fm.Tree.of(build()))
    sigma = loops.along(run)
    level = np.abs(np.cos(parallelogram.angle(run.t)))
    assert (np.argsort(sigma) == np.argsort(level)).all()
    assert sigma[0] == loops.sigma(loops.tree.start()[0])


def test_a_link_without_inertia_is_named():
    m = fold.in_space()
    bare = m.add_frame("bare", (0.0, 0.0, 2.0))
    m.revolute(m.frame("coupler"), bare, axis="x", name="loose")
    with pytest.raises(fm.errors.FormulationError, match=r"'loose\.angle' moves a link"):
        fm.Loops(fm.Tree.of(m)).sigma(fm.Tree.of(m).start()[0])


@pytest.mark.parametrize("wrong", ["x", None, np.zeros(4), np.full(3, np.nan)], ids=str)
def test_wrong_positions_are_named(wrong):
    loops = fm.Loops(build())
    for ask in (loops.sigma, loops.singular_values):
        with pytest.raises(fm.errors.ModelError, match="loops of model 'four-bar': q"):
            ask(wrong)


def test_along_takes_solutions_of_the_same_model():
    loops, other = fm.Loops(build()), fm.PlanarModel("other")
    other.add_body("disk", mass=1.0, inertia=1.0)
    with pytest.raises(fm.errors.ModelError, match=r"along takes a solution of .*, not None"):
        loops.along(None)
    with pytest.raises(fm.errors.ModelError, match="solution 'other' has other coordinates"):
        loops.along(fm.simulate(other, 0.1, progress=False))


def test_joints_with_friction_are_refused_at_once():
    m = build()
    m.components["left top"].friction = fm.JointFriction(0.1, radius=0.01)
    with pytest.raises(
        fm.errors.FormulationError, match="loops of model 'four-bar': joint 'left top' has friction by its own"
    ):
        fm.Loops(m)


def test_positions_beside_the_start_are_near_it_however_light_a_freedom_is(monkeypatch):
    """The rank is sought there too; by 0.05 in the metric of masses of 1e-12 kg they would be kilometers away."""
    m = fm.PlanarModel("light")
    thin = fm.planar.BeamProperties(EA=1e6, EI=10.0, rhoA=1e-12)
    one, two = m.add_beam("one", (0, 0), (1, 0), properties=thin), m.add_beam("two", (1, 0), (1, -1), properties=thin)
    foot = m.ground.attach("foot", (1, -1))
    for a, b in ((m.ground, one.start), (one.end, two.start), (two.end, foot)):
        m.revolute(a, b)
    moves, moved = [], fm.Loops.moved
    monkeypatch.setattr(fm.Loops, "moved", lambda loops, x, dx: moves.append(np.abs(dx).max()) or moved(loops, x, dx))
    assert fm.Loops(m).rank == 2
    assert 0.01 < max(moves) < 0.2
