"""Sampled controllers inside the compiled loop: sensors, control laws, and commands held between samples.

At the sampling instants of a controller the loop stops, the sensors are read, the law is called, and its commands are
written, after a delay if there is one, to those parameters of the plan from which components read their strength.
Between two instants they are held. All numbers stand in arrays whose types are the same for every model.

A law is a compiled function with the one list of arguments of all kernels (:mod:`flexmb.kernels.contract`):

    law(p, iq, iv, t, q, v, a, lam, w, out, K, work)

    p[0]     its parameters                 w        the readings of the sensors, in their order
    t        time [s]                       work     its memory: zero at the start, kept from one instant to the next
    q, v, a  the state of the whole system  out[0]   the commands, its output
"""

from __future__ import annotations

import math
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from flexmb.kernels.compilation import called, inlined
from flexmb.kernels.contract import run_kernel
from flexmb.kernels.references import by_reference
from flexmb.kernels.views import matrix_view, stack_view
from flexmb.system.readings import Sensors, measure, sensor_table

# columns of Sampling.controllers
(
    SENSOR_AT, SENSORS, COMMAND_AT, COMMANDS, PLACE_AT, PLACES, MEMORY_AT, MEMORY, P_AT, PARAMETERS, LAW, RING_AT, RING,
    LOG_AT, LOGGED, PENDING, HEAD,
) = range(17)  # fmt: skip
# columns of Sampling.places
COMMAND, PLACE = range(2)
# columns of Sampling.times
PERIOD, NEXT, DELAY, START = range(4)
# columns of Sensors.errors
RESOLUTION, NOISE, OFFSET = range(3)

#: what the controllers did at a sampling instant
NOTHING, COMMANDED, FAILED = range(3)

#: instants closer than this part of a period, or of a fixed step, count as one
TOGETHER = 1e-6
#: commands count as growing exponentially if in three successive windows of equal length the largest command is at
#: least GROWTH times that of the window before
GROWTH = 4.0
#: number of window lengths: 1, 2, 4, … instants
LEVELS = 24


@by_reference
class Sampling(NamedTuple):
    """All controllers of a run."""

    controllers: np.ndarray  # (controllers, 17) sizes, offsets, addresses of the laws, counts
    times: np.ndarray  # (controllers, 4) period, next instant, delay, first instant
    sensors: Sensors
    places: np.ndarray  # (places, 2) a command of its controller, and the parameter of the plan that it sets
    limits: np.ndarray  # (commands, 2) lower and upper limit of each command
    p: np.ndarray  # parameters of the laws
    memory: np.ndarray  # memory of the laws
    ring: np.ndarray  # (slots, 1 + commands) delayed commands: the time when they are due, and their values
    y: np.ndarray  # readings of the sensors of one controller
    u: np.ndarray  # commands of one controller
    energies: np.ndarray  # (5,) energies and powers of the mechanism
    log: np.ndarray  # (instants of all controllers, 1 + sensors + commands) time, readings and commands
    random: np.ndarray  # (1,) state of the random numbers
    failed: np.ndarray  # (2,) a controller with a command that is not finite, and one with growing commands; −1: none
    growth: np.ndarray  # (controllers, LEVELS, 4) largest commands in the last four windows of 1, 2, 4, … instants
    bounds: np.ndarray  # (controllers,) kinetic energy [J] beyond which growing commands stop the run


@called(float)
def next_instant(s):
    """The next time [s] at which a controller samples or a delayed command is due; infinity without controllers."""
    t = np.inf
    for c in range(s.controllers.shape[0]):
        t = min(t, s.times[c, NEXT])
        if s.controllers[c, PENDING] > 0:
            t = min(t, s.ring[s.controllers[c, RING_AT] + s.controllers[c, HEAD], 0])
    return t


@inlined
def _uniform(random):
    """A random number between 0 and 1 (splitmix64)."""
    random[0] += np.uint64(0x9E3779B97F4A7C15)
    z = random[0]
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    z = z ^ (z >> np.uint64(31))
    return (float(z >> np.uint64(11)) + 0.5) * (1.0 / 9007199254740992.0)


@inlined
def gauss(random):
    """A normally distributed random number, of mean 0 and deviation 1."""
    return math.sqrt(-2.0 * math.log(_uniform(random))) * math.cos(2.0 * math.pi * _uniform(random))


def noise_before(state: int, readings: int) -> int:
    """The random state before so many readings of sensors with noise, each of which draws two numbers."""
    one = np.zeros(1, dtype=np.uint64)
    with np.errstate(over="ignore"):
        _uniform(one)  # the increment of the state for each number drawn
    return (state - 2 * readings * int(one[0])) % 2**64


@called(bool)
def _grows(growth, count, value):
    """Enter the largest command of instant number `count` into the windows (LEVELS, 4); returns whether commands have
    grown exponentially over four windows that end now.

    Growth like a power of time up to the third, as of commands at the start of a motion, is not reported: the fourth
    window is then at most (3/2)³ times the third.
    """
    found = False
    for level in range(growth.shape[0]):
        w0, w1, w2 = growth[level, 1], growth[level, 2], growth[level, 3]
        growth[level, 0], growth[level, 1], growth[level, 2], growth[level, 3] = w0, w1, w2, value
        if w0 > 0.0 and w1 >= GROWTH * w0 and w2 >= GROWTH * w1 and value >= GROWTH * w2:
            found = True
        if count % 2 == 0:
            break  # this was the first half of a window of the next level
        count //= 2
        value = max(w2, value)
    return found


@called(None)
def _decide(plan, scratch, s, c, t, q, v, a, forces):
    """Read the sensors of controller c into s.y, and call its law, which writes commands into s.u; `forces` are the
    multipliers λ."""
    row = s.controllers[c]
    n, m = row[SENSORS], row[COMMANDS]
    for k in range(n):
        j = row[SENSOR_AT] + k
        value = measure(plan, scratch, s.sensors, j, t, q, v, a, forces) + s.sensors.errors[j, OFFSET]
        resolution, noise = s.sensors.errors[j, RESOLUTION], s.sensors.errors[j, NOISE]
        if noise > 0.0:
            value += noise * gauss(s.random)
        if resolution > 0.0:
            value = round(value / resolution) * resolution
        s.y[k] = value
    for k in range(m):
        s.u[k] = 0.0
    p = matrix_view(s.p, row[P_AT], 1, row[PARAMETERS])
    none = matrix_view(plan.numbers, 0, 0, 0)
    out = matrix_view(s.u, 0, 1, m)
    memory = s.memory[row[MEMORY_AT] : row[MEMORY_AT] + row[MEMORY]]
    lam, K = matrix_view(s.y, 0, 0, 0), stack_view(s.y, 0, 0, 0, 0)
    run_kernel(row[LAW], p, none, none, t, q, v, a, lam, s.y[:n], out, K, memory)


@called(bool)
def _send(s, c, t):
    """Log the readings and commands of controller c, limit the commands, and put them into the ring, where they wait
    until they are due; returns whether all are finite."""
    row = s.controllers[c]
    n = row[SENSORS]
    line = row[LOG_AT] + row[LOGGED]
    logged = line < s.log.shape[0]
    if logged:
        s.log[line, 0] = t
        for k in range(n):
            s.log[line, 1 + k] = s.y[k]
    slot = row[RING_AT] + (row[HEAD] + row[PENDING]) % row[RING]
    s.ring[slot, 0] = s.times[c, NEXT] + s.times[c, DELAY]
    largest = 0.0
    for k in range(row[COMMANDS]):
        value = s.u[k]
        if not abs(value) < np.inf:
            s.failed[0] = c
            return False
        low, high = s.limits[row[COMMAND_AT] + k, 0], s.limits[row[COMMAND_AT] + k, 1]
        value = min(max(value, low), high)
        largest = max(largest, abs(value))
        s.ring[slot, 1 + k] = value
        if logged:
            s.log[line, 1 + n + k] = value
    if _grows(s.growth[c], row[LOGGED], largest):
        s.failed[1] = c
    row[PENDING] += 1
    row[LOGGED] += 1
    s.times[c, NEXT] = s.times[c, START] + row[LOGGED] * s.times[c, PERIOD]
    return True


@called(int)
def _deliver(plan, s, c, until):
    """Write commands that are due into the plan's parameters; returns NOTHING or COMMANDED."""
    row = s.controllers[c]
    result = NOTHING
    while row[PENDING] > 0:
        slot = row[RING_AT] + row[HEAD]
        if s.ring[slot, 0] > until:
            break
        for k in range(row[PLACE_AT], row[PLACE_AT] + row[PLACES]):
            plan.p[s.places[k, PLACE]] = s.ring[slot, 1 + s.places[k, COMMAND]]
        row[HEAD] = (row[HEAD] + 1) % row[RING]
        row[PENDING] -= 1
        result = COMMANDED
    return result


@called(int)
def run_controllers(plan, scratch, s, t, late, q, v, a, lam):
    """Do what is due at time t, or at most `late` after it; returns NOTHING, COMMANDED (the forces have changed) or
    FAILED."""
    result = NOTHING
    for c in range(s.controllers.shape[0]):
        if s.times[c, NEXT] <= t + late:
            _decide(plan, scratch, s, c, t, q, v, a, lam)
            if s.sensors.doubtful[0] >= 0 or not _send(s, c, t):
                return FAILED
        result = max(result, _deliver(plan, s, c, t + late))
    return result


@lru_cache(maxsize=1)
def none() -> Sampling:
    """No controllers; the arrays are never written to."""
    return Sampling(
        np.zeros((0, 17), dtype=np.int64),
        np.zeros((0, 4)),
        sensor_table([]),
        np.zeros((0, 2), dtype=np.int64),
        np.zeros((0, 2)),
        np.zeros(1),
        np.zeros(1),
        np.zeros((1, 1)),
        np.zeros(1),
        np.zeros(1),
        np.zeros(1),
        np.zeros((0, 1)),
        np.zeros(1, dtype=np.uint64),
        np.full(2, -1, dtype=np.int64),
        np.zeros((0, LEVELS, 4)),
        np.zeros(0),
    )
