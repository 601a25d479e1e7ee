"""Kernels: the decorators that compile them, and where their machine code is kept.

A compiled function of the project is a :func:`kernel`, called from Python, or a :func:`part`,
called by kernels. numba compiles them; what it makes of a kernel is written to a file, so that the
next process need not compile it again. numba's own cache is not used, for it

* looks at the kernel's own file alone, and would run old machine code after a change in a file from
  which the kernel takes a constant or a part. Here machine code belongs to sources
  (:mod:`.cache`): the kernel's module, those of the parameter classes in its signature, and all
  that these import from the package;
* dies where no folder can be written, and of damaged files. Here what cannot be
  read is compiled, and what cannot be written is not kept;
* has an index for every kernel, which two processes overwrite for each other, and which cannot be
  read where it names a class that is not there. Here the name of a file says what an index would.
"""

from bddsudoku.jit.cache import before_compiling
from bddsudoku.jit.decorators import allocating_kernel, inlined, kernel, part

__all__ = ["allocating_kernel", "before_compiling", "inlined", "kernel", "part"]
