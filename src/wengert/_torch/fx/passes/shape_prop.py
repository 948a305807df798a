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
"""Memory formats in the order in which torch tests them."""


class TensorMetadata(NamedTuple):
    """Return the metadata of a tensor."""

    shape: Any
    dtype: Any
    requires_grad: bool
    stride: tuple[int, ...]
    memory_format: Any
    is_quantized: bool
    qparams: dict[str, Any]


def extract_tensor_metadata(result: Tensor, include_contiguity: bool = True) -> TensorMetadata:
    """Return the metadata of a tensor.

    Args:
        result: the tensor.
        include_contiguity: whether the order of its elements is looked at.
    """
    tensor: Any = result
    return TensorMetadata(
        tensor.shape,
        tensor.dtype,
        tensor.requires_grad,
        tensor.stride(),
        memory_format_of(tensor) if include_contiguity else None,
        False,
        {},
    )


def memory_format_of(tensor: Any) -> Any:
    """Return the memory format of a tensor; None if it has none."""
    return next((memory_format for memory_format in FORMATS if tensor.is_contiguous(memory_format=memory_format)), None)


class ShapeProp(Interpreter):
    """Interpreter that records the metadata of the value of each node.

    Args:
        gm: the module with the graph.
        fake_mode: must be None, because values are computed.

    Raises:
        NotImplementedError: if `fake_mode` is not None.
    """

    def __init__(self, gm: GraphModule, fake_mode: Any = None) -> None:
        super().__init__(gm)
        if fake_mode is not None:
            raise NotImplementedError("ShapeProp(): there are no fake tensors; run it with tensors on 'meta'")

    def run_node(self, n: Node) -> Any:
        """The value of a node, which is noted in its `meta`."""
        result = super().run_node(n)
        has_tensor = False

        def note(value: Any) -> Any:
            nonlocal has_tensor
            if not isinstance(value, Tensor):
                return value
            has_tensor = True
            return extract_tensor_metadata(value)

        meta = result if isinstance(result, Size) else map_aggregate(result, note)
        if has_tensor:
            n.meta["tensor_meta"] = meta
        n.meta["type"] = type(result)
        return result

    def propagate(self, *args: Any) -> Any:
        """Run the graph on arguments, and record the metadata of all values."""
        return self.run(*args)


_extract_tensor_metadata = extract_tensor_metadata
