"""Compiled kernels: decorators that compile functions with numba, and a cache of machine code.

A compiled function of the project is a :func:`kernel`, called from Python, or a :func:`subroutine`,
called by kernels. numba compiles them, and the machine code of a kernel is written to a file, so
that the next process need not compile it again. numba's own cache is not used, because it

* checks the kernel's own file alone, and would run old machine code after a change in a file from
  which the kernel takes a constant or a subroutine. Here machine code depends on all its sources
  (:mod:`.kernel_cache`): the kernel's module, those of the parameter classes in its signature, and
  all that these import from the package;
* raises errors where no folder can be written, and for damaged files. Here a file that cannot be
  read is compiled anew, and one that cannot be written is left out;
* has an index file for every kernel, which two processes overwrite for each other, and which
  cannot be read where it names a missing class. Here the file's name contains the whole key.
"""

from bddsudoku.jit.decorators import (
    inlined,
    kernel,
    subroutine,
)
from bddsudoku.jit.kernel_cache import before_compile_hooks

__all__ = [
    "before_compile_hooks",
    "inlined",
    "kernel",
    "subroutine",
]
