"""The kernel contract: the compiled functions by which a component enters the equations of motion.

A component family has a few compiled functions, each of which works on *all* instances of the family at once. They all
have the same list of arguments, so that one compiled loop can call any of them, those of a user's own package included:

    kernel(p, iq, iv, t, q, v, a, lam, w, out, K, work)

    p     (n, np)      constant parameters, a row for each instance
    iq    (n, nq)      indices of the instance's coordinates in q
    iv    (n, nv)      indices of its speeds in v, a (in the plane the same as iq)
    t                  time [s]
    q, v, a            coordinates, speeds, accelerations of the whole system (those of fixed frames last)
    lam   (n, m)       Lagrange multipliers of the instance's constraint rows
    w     (4,)         weights (wm, wd, wk) of the tangent, and that of ∂ġ/∂q in velocity rows, which no kernel reads
    out   (n, ...)     output of the kernel, a row for each instance; zero on entry
    K     (n, nv, nv)  output of a tangent, a dense matrix for each instance; zero on entry
    work               scratch numbers, as many as the component requested; arbitrary on entry

The eleven kernels of a family, with the equation of motion  M(q) a + f(t, q, v) + Gᵀ λ = 0.  Constraint rows are of two
levels: a position row is  g(q, t) = 0  with the rate G v + g_t; a velocity row (rolling, a knife edge) is
A(q, t) v + b = 0,  which is the rate of no g, and its A is its row of G. (The velocity row of a coordinate without
mass, on which nothing but its multiplier acts, so that this is zero, may be any h(q, v, t) = 0, with ∂h/∂v for A.)

    residual    out (n, nv) = M a + velocity terms + elastic − applied
    tangent     K += wm ∂residual/∂a + wd ∂residual/∂v + wk ∂residual/∂q
    energy      out (n, 5) = kinetic, strain, potential energy [J], dissipated power, input power [W]
    constraint  out (n, 3 m) = g | ġ | γ:  position error, velocity error G v + g_t, and the right-hand side of
                G a = γ  (Skyenginlab (n.d.), eq. (13));  of a velocity row 0, A v + b, and γ;  a is zero
    position    out (n, m) = g alone, a function of q and t; a family may give it in place of the constraint
    jacobian    out (n, m nv) = the rows of G;  K += wk ∂(Gᵀ λ)/∂q  (only needed when wk is not zero).  A family with
                velocity rows fills out (n, 2 m nv): behind the rows of G those of ∂ġ/∂q, read of velocity rows only
    point       out (n, 9) = x, y, angle, their rates and second rates, of a point of the instance; w is what the
                component's `point_data(s)` gives for a place s ∈ [0, 1] along it, (s,) if it has no such method.
                In space (n, 19), see :data:`flexmb.kernels.widths.SPACE`
    section     out (n, 5) = axial strain ε [–], curvature κ [1/m], axial force N, shear force Q [N], moment M [Nm] of
                the cross section at a point; w as for `point`. In space (n, 12), six strains and six forces
    point_jacobian  out (n, 3 nv) = J, the rows of ẋ, ẏ and of the angle's rate ω of a point by the speeds;  K +=
                wk ∂(Jᵀ f)/∂q with the force and moment f in lam (n, 3);  w as for `point`, and behind that wk as its
                last number (K is only needed when wk is not zero). In space (n, 6 nv), the rows of ṙ and of ω, both in
                the axes of the ground, with a force and a moment in lam (n, 6)
    friction    out (n, nv + m nv) = F, the forces of friction that follow from the joint's own forces λ in lam, on the
                left of the equation of motion as the residual is, and behind them the columns ∂F/∂λ, row by row of λ:
                out[nv + k nv + j] = ∂F_j/∂λ_k;  K += wd ∂F/∂v + wk ∂F/∂q. The equation is then
                M a + f + Gᵀ λ + F(t, q, v, λ) = 0.  A pattern of the family has the places of ∂F/∂λ in its G
    switches    out (n, 2) = up to two numbers that change their sign where the residual is not smooth: the distance
                from a stop or to a body that may be touched. Steps end there. Numbers that stay zero mean nothing

With `point` and `point_jacobian` frames can be welded to any interior point of an element, and forces can act there:
the second rates of `point` at a = 0 are J̇ v (:mod:`flexmb.elements.interior`). Both depend on t, q and v alone, and
not on a strength; the compiled loop calls them for one instance at a time.

A component declares by *slots* what can be commanded from outside: the index in its parameters of the strength that it
reads by :func:`flexmb.kernels.slots.strength_at`, and the constraint row that follows the motion which it prescribes;
see :class:`flexmb.model.components.Assembler`. Controllers, inputs of linear models, load paths and swept drives use
these, and nothing else of the component.

Signs of a section: κ = dθ/ds along the undeformed length, positive when the axis turns counter-clockwise; N positive in
tension; M = EI κ. The part of the beam ahead of the section acts on the one behind it with N e + Q n and M, e along the
axis, n = e turned by +90°; so dM/ds = −Q where no load acts. Forces are those of the material: elastic forces and those
of a damping proportional to stiffness. A quantity for which a theory has no law is NaN, not zero: the shear force of a
beam whose sections stay normal to its axis, the axial force of one that does not stretch.

An orientation in space has four numbers in q and three in v, see :mod:`flexmb.kernels.blocks`. There ∂/∂q in K is the
derivative along q ∘ exp y, by a rotation vector y in the body's own axes, and forces on it are moments in these axes.

A family whose K and G are mostly zero, as those of bodies and joints in space are, declares a :class:`Pattern`.

A kernel allocates no memory: it writes to `out`, `K` and `work` alone. Tangents are exact. The conformance suite
(:mod:`flexmb.testing`) checks all of this for any family. A family may leave out `tangent` and `jacobian`, which are
then made of `residual` and `constraint` by forward differentiation, exact to round-off
(:mod:`flexmb.kernels.derivatives`). Of position rows it may give `position` alone: `constraint` and `jacobian` are then
made of it (:mod:`flexmb.kernels.positions`).
"""

from __future__ import annotations

import dis
import inspect
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numba.core.errors import NumbaError

from flexmb.errors import KernelError
from flexmb.kernels.compilation import (
    INTERPRETED,
    SIGNATURE,
    call_of_kernel,
    compiler_message,
    machine_code,
    python_of,
)
from flexmb.kernels.compiler import machine_address

#: the arguments of every kernel
ARGUMENTS = ("p", "iq", "iv", "t", "q", "v", "a", "lam", "w", "out", "K", "work")
_CONTRACT = f"a kernel is called as kernel({', '.join(ARGUMENTS)}), see flexmb.kernels.contract"


class Pattern(NamedTuple):
    """The entries of K (nv, nv), and of G and ∂ġ/∂q (m, nv), that the kernels of a family may fill, as booleans; all
    others are zero in every state, and a large matrix has no entries for them. The three columns of an orientation in a
    row of G count as one."""

    K: np.ndarray
    G: np.ndarray


@dataclass(frozen=True)
class Kernels:
    """The compiled functions of one component family (see the module for what each computes), and its `pattern` if much
    of its matrices is always zero."""

    name: str
    residual: Any = None
    tangent: Any = None
    energy: Any = None
    constraint: Any = None
    jacobian: Any = None
    point: Any = None
    section: Any = None
    point_jacobian: Any = None
    friction: Any = None
    switches: Any = None
    position: Any = None
    pattern: Pattern | None = None
    #: whether its residual, on frames, is a part of the force of a component that has constraint rows too
    reacts: bool = False
    #: place in its parameters of the function of time that its constraint reads, if nothing else there reads the time
    function: int | None = None
    #: the family as it was given, if kernels of this one were made of others
    given: Kernels | None = None

    @property
    def bears(self) -> bool:
        """Whether the force of a component on its frames has a part that is of this family."""
        return self.jacobian is not None or self.friction is not None or self.reacts

    def standing_at(self, module: str, name: str) -> Kernels:
        """The family, whose kernels bear the place where one finds them, such as `CONTACT.energy` of a module, if a
        function has made them: so lists of compiled functions can name them, and what is made of them."""
        for role in ALL_ROLES:
            function = python_of(getattr(self, role))
            if function is not None and "<locals>" in function.__qualname__:
                function.__module__, function.__qualname__ = module, f"{name}.{role}"
        return self


#: The order in which the addresses of a family's kernels are stored in a plan; that of `point_jacobian` is stored in
#: the parameters of the components that call it.
ROLES = ("residual", "tangent", "energy", "constraint", "jacobian", "point", "section", "friction", "switches")
ALL_ROLES = (*ROLES, "point_jacobian", "position")
#: how the names of kernels end that are made of others (:mod:`flexmb.kernels.completion`)
MADE = ", differentiated"


#: Addresses of the kernels compiled so far; the kernels themselves are kept alive with them.
_addresses: dict[Any, int] = {}
#: whether a kernel may depend on time, by its address
_reads_time: dict[int, bool] = {}
#: the places of functions of time that constraints read (:attr:`Kernels.function`), by their addresses
_functions: dict[int, int] = {}
#: addresses by the ids of the families that have been in a plan so far; the reference keeps ids valid
_families: dict[int, tuple[Kernels, list[int]]] = {}


def address(dispatcher: Any, signature: Any = None) -> int:
    """Machine address of a kernel, compiled on first use for a signature, :data:`SIGNATURE` when not given; 0 if there
    is no kernel."""
    if dispatcher is None:
        return 0
    if dispatcher not in _addresses:
        if INTERPRETED:
            _addresses[dispatcher] = len(_addresses) + 1
            return _addresses[dispatcher]
        _addresses[dispatcher] = machine_address(dispatcher, signature or SIGNATURE)
    return _addresses[dispatcher]


def known(dispatcher: Any) -> bool:
    """Whether a compiled function has an address."""
    return dispatcher in _addresses


def reads_time(address: int) -> bool:
    """Whether the kernel at an address may depend on time: whether its code reads that argument; False for address
    0."""
    if address not in _reads_time:
        kernel = next((kernel for kernel, at in _addresses.items() if at == address), None)
        function = python_of(kernel) if kernel is not None else None
        function = getattr(function, "made_of", function)
        _reads_time[address] = address != 0 and (function is None or reads(function, ARGUMENTS.index("t")))
    return _reads_time[address]


def function_of(address: int) -> int | None:
    """The place in its parameters of the function of time that the constraint at an address reads, if it is known."""
    return _functions.get(address)


def reads(function: Any, argument: int) -> bool:
    """Whether an instruction of a function reads the argument with this index."""
    name = function.__code__.co_varnames[argument]
    found = (i.argval for i in dis.get_instructions(function))
    return any(name in value if isinstance(value, tuple) else name == value for value in found)


def checked_addresses(kernels: Kernels, where: str) -> list[int]:
    """Machine addresses of a family's kernels for a plan, in the order of :data:`ROLES`."""
    if id(kernels) not in _families:
        _families[id(kernels)] = kernels, [checked_address(kernels, role, where) for role in ROLES]
        if kernels.function is not None:
            _functions[_families[id(kernels)][1][ROLES.index("constraint")]] = kernels.function
    return _families[id(kernels)][1]


def checked_address(kernels: Kernels, role: str, where: str) -> int:
    """Machine address of a kernel of a family; a KernelError names the component if the kernel does not compile."""
    dispatcher = getattr(kernels, role)
    if dispatcher is None or known(dispatcher):
        return address(dispatcher)
    subject = f"{where}: {role} of kernels {kernels.name!r}"
    function = python_of(dispatcher)
    if function is not None and function.__qualname__.endswith(MADE):
        subject += ", made by differentiation,"
    if function is None:
        what = "a plain function" if inspect.isfunction(dispatcher) else f"{dispatcher!r}, no compiled function"
        raise KernelError(f"{subject} is {what}; put @flexmb.kernels.kernel above its definition")
    given = tuple(inspect.signature(function).parameters)
    if len(given) != len(ARGUMENTS):
        raise KernelError(f"{subject} takes {len(given)} arguments ({', '.join(given)}), not 12; {_CONTRACT}")
    try:
        return address(dispatcher)
    except NumbaError as error:
        raise KernelError(f"{subject} cannot be compiled: {compiler_message(error)}; {_CONTRACT}") from None


def run_in_python(where: int, *given: Any) -> Any:
    """Call what has an address where Numba is switched off."""
    return list(_addresses)[where - 1](*given)


@machine_code(run_in_python)
def run_kernel(typingctx: Any, where: Any, p: Any, iq: Any, iv: Any, t: Any, q: Any, v: Any, a: Any, lam: Any, w: Any,
               out: Any, K: Any, work: Any) -> Any:  # fmt: skip
    """Inside compiled code: call the kernel at a machine address."""
    return call_of_kernel()
