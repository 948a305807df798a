"""`torch.onnx`: models cannot be exported."""

from __future__ import annotations

from enum import IntEnum
from typing import Any, NoReturn

from wengert._start.absent import StandIn


def is_in_onnx_export() -> bool:
    """False."""
    return False


def export(*args: Any, **kwargs: Any) -> NoReturn:
    """Raise RuntimeError: models cannot be exported here.

    Raises:
        RuntimeError: always; models cannot be exported here.
    """
    raise RuntimeError("torch.onnx.export: models cannot be exported here; load the weights in torch and export there")


def register_custom_op_symbolic(
    symbolic_name: str, symbolic_fn: Any, opset_version: int, custom_opsets: Any = None
) -> None:
    """Nothing: no model is exported, so no operator needs a form for it."""


def unregister_custom_op_symbolic(symbolic_name: str, opset_version: int) -> None:
    """Nothing: none is registered."""


class OperatorExportTypes(IntEnum):
    """Export types of operators that ONNX lacks."""

    ONNX = 0
    ONNX_ATEN = 1
    ONNX_ATEN_FALLBACK = 2
    ONNX_FALLTHROUGH = 3


class TrainingMode(IntEnum):
    """In which mode a model would be written."""

    EVAL = 0
    PRESERVE = 1
    TRAINING = 2


class TensorProtoDataType(IntEnum):
    """The types of elements, as ONNX numbers them."""

    UNDEFINED = 0
    FLOAT = 1
    UINT8 = 2
    INT8 = 3
    UINT16 = 4
    INT16 = 5
    INT32 = 6
    INT64 = 7
    STRING = 8
    BOOL = 9
    FLOAT16 = 10
    DOUBLE = 11
    UINT32 = 12
    UINT64 = 13
    COMPLEX64 = 14
    COMPLEX128 = 15
    BFLOAT16 = 16


class ONNXProgram(metaclass=StandIn):
    """A model in ONNX: it cannot be instantiated."""

    path, says = "torch.onnx.ONNXProgram", "models cannot be exported here"
