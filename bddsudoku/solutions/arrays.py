"""Names for the array types that pass between the kernels."""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

__all__ = ["I32", "I64", "U8", "U16", "U32", "U64", "AnyArray", "frozen"]

U8: TypeAlias = NDArray[np.uint8]
U16: TypeAlias = NDArray[np.uint16]
U32: TypeAlias = NDArray[np.uint32]
U64: TypeAlias = NDArray[np.uint64]
I32: TypeAlias = NDArray[np.int32]
I64: TypeAlias = NDArray[np.int64]
AnyArray: TypeAlias = NDArray[Any]


def frozen(array: AnyArray) -> AnyArray:
    """A read-only view of an array."""
    view = array.view()
    view.flags.writeable = False
    return view
