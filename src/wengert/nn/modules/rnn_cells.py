"""One step of a recurrent network as a layer."""

from __future__ import annotations

import math
from typing import Any

from ..._start.loading import at_home
from ..._tensor import Tensor
from ...ops.create.create import zeros
from ...ops.create.placed import empty
from ...ops.neural import recurrent_cells
from .. import init
from ..parameter import Parameter
from .module import Module


def first_state(shape: Any, input: Any) -> Any:
    """Return zeros of the dtype and on the device of an input."""
    return input.new_zeros(shape) if input.is_meta else zeros(shape, dtype=input.dtype)


class RNNCellBase(Module):
    """Base of cells: sizes and parameters.

    Args:
        input_size: length of the input.
        hidden_size: length of the state.
        bias: whether the cell has biases.
        num_chunks: number of gates.
        device: "cpu".
        dtype: of the parameters.

    Attributes:
        weight_ih: (gates * hidden_size, input_size), all parameters uniform in
            [-1/sqrt(hidden_size), 1/sqrt(hidden_size)) at first.
        weight_hh: (gates * hidden_size, hidden_size).
        bias_ih, bias_hh: (gates * hidden_size,), or None.
    """

    def __init__(
        self, input_size: int, hidden_size: int, bias: bool, num_chunks: int, device: Any = None, dtype: Any = None
    ) -> None:
        super().__init__()
        self.input_size = input_size
        self.hidden_size = hidden_size
        self.bias = bias
        rows = num_chunks * hidden_size
        self.weight_ih = Parameter(empty((rows, input_size), device=device, dtype=dtype))
        self.weight_hh = Parameter(empty((rows, hidden_size), device=device, dtype=dtype))
        for name in ("bias_ih", "bias_hh"):
            self.register_parameter(name, Parameter(empty(rows, device=device, dtype=dtype)) if bias else None)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Draw new values."""
        bound = 1 / math.sqrt(self.hidden_size) if self.hidden_size > 0 else 0
        for parameter in self.parameters():
            init.uniform_(parameter, -bound, bound)

    def extra_repr(self) -> str:
        """The sizes, and the options that are not at their defaults."""
        text = f"{self.input_size}, {self.hidden_size}"
        if self.bias is not True:
            text += f", bias={self.bias}"
        if getattr(self, "nonlinearity", "tanh") != "tanh":
            text += f", nonlinearity={self.nonlinearity}"
        return text

    def _check(self, what: str, tensor: Tensor) -> None:
        """Refuse a tensor that is neither a vector nor a batch of vectors.

        Raises:
            ValueError: if the tensor is neither 1-D nor 2-D.
        """
        if tensor.ndim not in (1, 2):
            raise ValueError(f"{self._get_name()}: Expected {what} to be 1D or 2D, got {tensor.ndim}D instead")

    def _step(self, function: Any, input: Tensor, hx: Any, states: int) -> tuple[Any, ...]:
        """Call the function of one step; a vector is a batch of one. `hx` is a tuple of `states` tensors, or None."""
        alone = input.ndim == 1
        batch: Any = input.unsqueeze(0) if alone else input
        if hx is None:
            hx = (first_state((batch.shape[0], self.hidden_size), input),) * states
        elif alone:
            hx = tuple(part.unsqueeze(0) for part in hx)
        state = hx[0] if states == 1 else hx
        result = function(batch, state, self.weight_ih, self.weight_hh, self.bias_ih, self.bias_hh)
        result = (result,) if states == 1 else result
        return tuple(part.squeeze(0) for part in result) if alone else result


class RNNCell(RNNCellBase):
    """A step of a plain recurrent network.

    Args:
        input_size: length of the input.
        hidden_size: length of the state.
        bias: whether the cell has biases.
        nonlinearity: "tanh" or "relu".
        device: "cpu".
        dtype: of the parameters.
    """

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        bias: bool = True,
        nonlinearity: str = "tanh",
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__(input_size, hidden_size, bias, 1, device, dtype)
        self.nonlinearity = nonlinearity

    def forward(self, input: Tensor, hx: Tensor | None = None) -> Any:
        """Return the next state.

        Args:
            input: (N, input_size), or (input_size,).
            hx: the state, (N, hidden_size), or (hidden_size,); zeros if not given.

        Raises:
            ValueError: if `input` or `hx` is neither 1-D nor 2-D.
            RuntimeError: if the shapes do not fit, or `nonlinearity` is unknown.
        """
        self._check("input", input)
        if hx is not None:
            self._check("hidden", hx)
        if self.nonlinearity not in ("tanh", "relu"):
            raise RuntimeError(f"Unknown nonlinearity: {self.nonlinearity}")
        function = getattr(recurrent_cells, f"rnn_{self.nonlinearity}_cell")
        return self._step(function, input, None if hx is None else (hx,), 1)[0]


class GRUCell(RNNCellBase):
    """A step of a gated recurrent unit; arguments as of `RNNCell`, but for the nonlinearity."""

    def __init__(
        self, input_size: int, hidden_size: int, bias: bool = True, device: Any = None, dtype: Any = None
    ) -> None:
        super().__init__(input_size, hidden_size, bias, 3, device, dtype)

    def forward(self, input: Tensor, hx: Tensor | None = None) -> Any:
        """Return the next state; arguments as of `RNNCell`."""
        self._check("input", input)
        if hx is not None:
            self._check("hidden", hx)
        return self._step(recurrent_cells.gru_cell, input, None if hx is None else (hx,), 1)[0]


class LSTMCell(RNNCellBase):
    """A step of a long short-term memory; arguments as of `RNNCell`, but for the nonlinearity."""

    def __init__(
        self, input_size: int, hidden_size: int, bias: bool = True, device: Any = None, dtype: Any = None
    ) -> None:
        super().__init__(input_size, hidden_size, bias, 4, device, dtype)

    def forward(self, input: Tensor, hx: tuple[Tensor, Tensor] | None = None) -> tuple[Any, ...]:
        """Return the next hidden state and cell; `hx` is a tuple of both, all else as of `RNNCell`."""
        self._check("input", input)
        for number, state in enumerate(hx or ()):
            self._check(f"hx[{number}]", state)
        return self._step(recurrent_cells.lstm_cell, input, hx, 2)


at_home("wengert.nn.modules.rnn", RNNCellBase, RNNCell, GRUCell, LSTMCell)
