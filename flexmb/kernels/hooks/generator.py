"""The generator of flexmb's machine code: for which processor code is made, and how it is loaded.

Numba makes code that stands at fixed places of one process. The objects of flexmb are position-independent: a linker
can put them into a library or into a program without Python as well as Numba's loader can into this process. All that
they need besides themselves are functions of C, and `flexmb_address` for what they call
(:mod:`flexmb.kernels.hooks.requests`). A function that Python calls also needs functions of Python and Numba.

Objects are loaded by an engine of flexmb's own, with a memory manager that keeps the sections of an object beside each
other: position-independent code reaches its constants by distances of at most 2 GB. That manager has no room for
entries of the table of addresses that LLVM adds for calls of distant functions while it loads an object; so these
calls read the table themselves (`nonlazybind`, and `RtLibUseGOT` for calls that LLVM inserts), which is also quicker.

Elsewhere than on Linux on x86-64, and with llvmlite before 0.48, whose manager reserves too little room for
position-independent code and ends the process, objects are made as Numba makes them.
"""

from __future__ import annotations

import platform
import re
import sys
from functools import cache
from typing import Any

import llvmlite
from llvmlite import binding, ir
from numba.core import config as _config
from numba.core.codegen import JITCPUCodegen, JitEngine, RuntimeLinker

config: Any = _config
_RESERVES_ROOM = [int(number) for number in re.findall(r"\d+", llvmlite.__version__)[:2]] >= [0, 48]
_ON_LINUX = sys.platform == "linux" and platform.machine() == "x86_64" and sys.maxsize > 2**32
#: whether objects are position-independent
INDEPENDENT = _ON_LINUX and _RESERVES_ROOM
#: how the names of variables begin in which code finds the addresses of what it calls. Numba itself does not keep code
#: with names that begin so on disk: it would keep the number by which code asks, and not what that stands for.
PLACE = "numba.dynamic.globals.flexmb."
#: LLVM's rule for a flag of two modules that become one: the larger value
_LARGER = 7


class Generator(JITCPUCodegen):  # type: ignore[misc]
    """Numba's generator of code, with a machine and an engine of its own; `processor` is the name of a level such as
    x86-64-v3, None for the machine that it runs on."""

    def __init__(self, theirs: Any, processor: str | None) -> None:
        self.__dict__.update(theirs.__dict__)
        self._processor = processor
        self._tm_features = self._customize_tm_features()
        options: dict[str, Any] = {"opt": config.OPT}
        self._customize_tm_options(options)
        if INDEPENDENT:
            options |= {"reloc": "pic", "codemodel": "default"}
        target = binding.Target.from_triple(binding.get_process_triple())
        self._tm, loading = (target.create_target_machine(**options) for _ in range(2))
        beside = True if INDEPENDENT else config.USE_LLVMLITE_MEMORY_MANAGER
        empty = binding.parse_assembly(str(self._create_empty_module("flexmb")))
        engine = binding.create_mcjit_compiler(empty, loading, use_lmm=beside)
        if config.ENABLE_PROFILING:
            engine.enable_jit_events()
        self._engine, self._rtlinker = JitEngine(engine), RuntimeLinker()

    def _get_host_cpu_name(self) -> Any:
        return self._processor or super()._get_host_cpu_name()

    def _customize_tm_features(self) -> Any:
        return "" if self._processor else super()._customize_tm_features()

    def _create_empty_module(self, name: str) -> Any:
        module = super()._create_empty_module(name)
        if INDEPENDENT:
            number = ir.IntType(32)
            module.add_named_metadata("llvm.module.flags", [number(_LARGER), "RtLibUseGOT", number(1)])
        return module

    def object_of(self, module: Any) -> bytes:
        """The machine code of an LLVM module. Its copies of Numba's counting of references (NRT) are its own, and what
        nothing calls is left out."""
        for function in module.functions:
            if INDEPENDENT and function.is_declaration and not function.name.startswith("llvm."):
                function.add_function_attribute("nonlazybind")
            if not function.is_declaration and function.name.startswith("NRT_"):
                function.linkage = "internal"
        unused = binding.create_new_module_pass_manager()
        unused.add_global_dead_code_eliminate_pass()
        unused.run(module, binding.create_pass_builder(self._tm, binding.create_pipeline_tuning_options()))
        code: bytes = self._tm.emit_object(module)
        return code

    def load(self, code: bytes, names: list[str]) -> None:
        """Load machine code, which defines some names."""
        self._engine._ee.add_object_file(binding.ObjectFileRef.from_data(code))
        self._engine._defined_symbols.update(names)
        self._engine.finalize_object()

    def define(self, name: str, module: Any) -> None:
        """Define a function for all code of the process, by a module that has it alone."""
        self.load(self.object_of(binding.parse_assembly(str(module))), [name])
        binding.add_symbol(name, self._engine.get_function_address(name))


#: the processor for which code is made
_processor: str | None = None


def make_for(processor: str | None) -> None:
    """From now on make code for a processor, None for the one at hand."""
    global _processor
    _processor = processor


def generator(target: Any) -> Generator:
    """The generator of code for a Numba target; one for all copies of the target, of which each compilation makes one,
    since a generator keeps half a megabyte of LLVM's tables for the processor."""
    return _generator(target.codegen(), _processor)


_generator = cache(Generator)


#: machine code depends on these functions
CODE = [f.__code__ for f in (Generator.__init__, Generator._create_empty_module, Generator.object_of)]
