"""Numbers and arrays of numpy and others."""

from __future__ import annotations

import os
from typing import Any

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[np.float64]

_NUMBERS = "biufO"  # kinds of numpy's types; those of objects are looked at one by one
_CPU = (1, 3)  # device types of DLPack that numpy can read: memory of the host, pinned or not


def array(value: Any, what: str) -> Array:
    """Any array as one of numpy. Tensors of a GPU are copied through the host; no other library is imported."""
    if isinstance(value, (str, bytes, os.PathLike)):
        raise ValueError(f"{what}: {value!r} is not an array of numbers; neuopt.read reads files")
    if np.ma.is_masked(value):
        raise ValueError(f"{what}: not an array of numbers: some are masked")
    if isinstance(value, (list, tuple)) and any(hasattr(one, "__dlpack__") for one in value):
        value = [array(one, what) for one in value]
    try:
        if getattr(value, "requires_grad", False):
            value = value.detach()
        if hasattr(value, "__dlpack_device__") and value.__dlpack_device__()[0] not in _CPU:
            value = value.cpu() if hasattr(value, "cpu") else value.get()  # PyTorch, CuPy
        if hasattr(value, "__dlpack__") and not isinstance(value, np.ndarray):
            value = np.from_dlpack(value)
        if hasattr(value, "dtype") and getattr(value.dtype, "kind", "O") not in _NUMBERS:
            raise TypeError(f"they are of type {value.dtype}")
        return np.asarray(value, dtype=np.float64)
    except (TypeError, ValueError, OverflowError, BufferError, RuntimeError, AttributeError) as error:
        raise ValueError(f"{what}: not an array of numbers: {error}") from error


def number(value: Any, what: str) -> float:
    """One number, whatever holds it."""
    if isinstance(value, (str, bytes)):
        raise ValueError(f"{what}: {value!r}, expected a number")
    numbers = array(value, what)
    if numbers.size != 1:
        raise ValueError(f"{what} has shape {numbers.shape}, expected one number")
    return float(numbers.reshape(()))


def whole(value: Any, what: str, least: int) -> int:
    """One whole number, from ``least`` to what an int of C++ holds."""
    given = number(value, what)
    if not given.is_integer():
        raise ValueError(f"{what}: {value}, expected a whole number")
    if not least <= given < 2**31:
        raise ValueError(f"{what}: {value}, expected {least} to {2**31 - 1}")
    return int(given)
