"""`torch.fx.passes.shape_prop`: runs a graph and notes the shapes and dtypes of all values on its nodes."""

from __future__ import annotations

from typing import Any, NamedTuple

from wengert._core.tensor.base import Tensor
from wengert._core.types.devices import channels_last, channels_last_3d, contiguous_format
from wengert._core.types.sizes import Size

from ..graph_module import GraphModule
from ..interpreter import Interpreter
from ..node import Node, map_aggregate

__all__ = ["ShapeProp", "TensorMetadata"]

FORMATS = (contiguous_format, channels_last, channels_last_3d)
"""Orders of elements, in which torch looks for that of a tensor."""


class TensorMetadata(NamedTuple):
    """What is noted of a tensor."""

    shape: Any
    dtype: Any
    requires_grad: bool
    stride: tuple[int, ...]
    memory_format: Any
    is_quantized: bool
    qparams: dict[str, Any]


def extract_tensor_metadata(result: Tensor, include_contiguity: bool = True) -> TensorMetadata:
    """What is noted of a tensor.

    Args:
        result: the tensor.
        include_contiguity: whether the order of its elements is looked at.
    """
    tensor: Any = result
    return TensorMetadata(
        tensor.shape, tensor.dtype, tensor.requires_grad, tensor.stride(),
        memory_format_of(tensor) if include_contiguity else None, False, {},
    )  # fmt: skip


def memory_format_of(tensor: Any) -> Any:
    """In which of torch's orders the elements of a tensor lie; None if in no such."""
    return next((each for each in FORMATS if tensor.is_contiguous(memory_format=each)), None)


class ShapeProp(Interpreter):
    """Runs a graph, and notes on each node what its value is.

    Args:
        gm: the module with the graph.
        fake_mode: must be None: values are computed.

    Raises:
        NotImplementedError: it is not.
    """

    def __init__(self, gm: GraphModule, fake_mode: Any = None) -> None:
        super().__init__(gm)
        if fake_mode is not None:
            raise NotImplementedError("ShapeProp(): there are no fake tensors; run it with tensors on 'meta'")

    def run_node(self, n: Node) -> Any:
        """The value of a node, which is noted in its `meta`."""
        result = super().run_node(n)
        found = False

        def note(value: Any) -> Any:
            nonlocal found
            if not isinstance(value, Tensor):
                return value
            found = True
            return extract_tensor_metadata(value)

        meta = result if isinstance(result, Size) else map_aggregate(result, note)
        if found:
            n.meta["tensor_meta"] = meta
        n.meta["type"] = type(result)
        return result

    def propagate(self, *args: Any) -> Any:
        """What the graph computes of arguments, noted on the way."""
        return self.run(*args)


_extract_tensor_metadata = extract_tensor_metadata
