"""Recurrent networks: single steps, and layers over whole sequences."""

from __future__ import annotations

import inspect
import math
import numbers
import warnings
from typing import Any

from ..._tensor import Tensor
from ...ops.create.create import zeros
from ...ops.create.placed import empty
from ...ops.neural import recurrent, recurrent_cells
from ...ops.warned import warn
from .. import init
from ..parameter import Parameter
from ..utils.rnn import PackedSequence
from .module import Module

# ---- single steps ----------------------------------------------------------------------------------------------------


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


# ---- sequences -------------------------------------------------------------------------------------------------------


def shown(hx: Any) -> str:
    """Description of a state for error messages."""
    return f"a tensor of shape {list(hx.shape)}" if isinstance(hx, Tensor) else f"{type(hx).__name__} of {len(hx)}"


def apply_permutation(tensor: Tensor, permutation: Tensor, dim: int = 1) -> Tensor:
    """Return `tensor.index_select(dim, permutation)`; deprecated in its favour."""
    warnings.warn(
        "`apply_permutation` is deprecated, please use `tensor.index_select(dim, permutation)` instead",
        FutureWarning,
        stacklevel=2,
    )
    return tensor.index_select(dim, permutation)


GATES = {"RNN_TANH": 1, "RNN_RELU": 1, "LSTM": 4, "GRU": 3}
FUNCTIONS = {
    "RNN_TANH": recurrent.rnn_tanh,
    "RNN_RELU": recurrent.rnn_relu,
    "LSTM": recurrent.lstm,
    "GRU": recurrent.gru,
}


def check_options(options: dict[str, Any]) -> None:
    """Refuse invalid options of a recurrent network.

    Raises:
        TypeError: if an option has another type.
        ValueError: if a size is not positive, or `dropout` is not a probability.
    """
    rate = options["dropout"]
    if not isinstance(rate, numbers.Number) or isinstance(rate, bool) or not 0 <= rate <= 1:  # type: ignore[operator]
        raise ValueError(
            "dropout should be a number in range [0, 1] representing the probability of an element being zeroed, "
            f"got {rate!r}"
        )
    if rate > 0 and options["num_layers"] == 1:  # type: ignore[operator]
        warn(
            "dropout option adds dropout after all but last recurrent layer, so non-zero dropout expects num_layers "
            f"greater than 1, but got dropout={rate} and num_layers=1"
        )
    for name, kind in (("bias", bool), ("batch_first", bool), ("input_size", int), ("hidden_size", int)):
        if not isinstance(options[name], kind):
            raise TypeError(f"{name} should be of type {kind.__name__}, got: {type(options[name]).__name__}")
    for name in ("input_size", "hidden_size", "num_layers"):
        if options[name] <= 0:
            raise ValueError(f"{name} must be greater than zero, got {options[name]}")
    if options["proj_size"] < 0:
        raise ValueError("proj_size should be a positive integer or zero to disable projections")
    if options["proj_size"] >= options["hidden_size"]:
        raise ValueError("proj_size has to be smaller than hidden_size")


def refuse_projection(options: dict[str, Any]) -> None:
    """Refuse `proj_size`, which only an LSTM has.

    Raises:
        ValueError: if `proj_size` was passed.
    """
    if "proj_size" in options:
        raise ValueError("proj_size argument is only supported for LSTM, not RNN or GRU")


class RNNBase(Module):
    """Base of recurrent networks: options, parameters, checks of arguments.

    Args:
        mode: "RNN_TANH", "RNN_RELU", "LSTM" or "GRU".
        input_size: length of the vectors of the input.
        hidden_size: length of the state.
        num_layers: each but the first runs over the output of the one before.
        bias: whether there are biases.
        batch_first: whether input and output are (N, T, *) instead of (T, N, *); states are not concerned.
        dropout: probability of dropout between layers, in training.
        bidirectional: whether each layer runs in both directions, whose outputs stand side by side.
        proj_size: if positive, an LSTM's output is projected to this length.
        device: "cpu".
        dtype: of the parameters.

    Attributes:
        weight_ih_l<k>: (gates * hidden_size, length of the layer's input), all parameters uniform in
            [-1/sqrt(hidden_size), 1/sqrt(hidden_size)) at first; with the ending `_reverse` for the other direction.
        weight_hh_l<k>: (gates * hidden_size, length of the output).
        bias_ih_l<k>, bias_hh_l<k>: (gates * hidden_size,).
        weight_hr_l<k>: (proj_size, hidden_size).

    Raises:
        ValueError: if the mode is unknown, a size is not positive, or `dropout` is not a probability.
        TypeError: if an option has another type.
    """

    mode: str
    input_size: int
    hidden_size: int
    num_layers: int
    bias: bool
    batch_first: bool
    dropout: float
    bidirectional: bool
    proj_size: int

    def __init__(
        self,
        mode: str,
        input_size: int,
        hidden_size: int,
        num_layers: int = 1,
        bias: bool = True,
        batch_first: bool = False,
        dropout: float = 0.0,
        bidirectional: bool = False,
        proj_size: int = 0,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        options = {
            "mode": mode,
            "input_size": input_size,
            "hidden_size": hidden_size,
            "num_layers": num_layers,
            "bias": bias,
            "batch_first": batch_first,
            "dropout": dropout,
            "bidirectional": bidirectional,
            "proj_size": proj_size,
        }
        check_options(options)
        if mode not in GATES:
            raise ValueError(f"Unrecognized RNN mode: {mode}")
        self.__dict__.update(options, dropout=float(dropout))
        self._all_weights: list[list[str]] = []
        for layer in range(num_layers):
            for ending in ("", "_reverse") if bidirectional else ("",):
                self._add_layer(layer, ending, device, dtype)
        self._flat_weights_names = [name for names in self._all_weights for name in names]
        self.reset_parameters()

    def _add_layer(self, layer: int, ending: str, device: Any, dtype: Any) -> None:
        """Register the parameters of one direction of a layer."""
        shown = self.proj_size or self.hidden_size
        rows = GATES[self.mode] * self.hidden_size
        width = self.input_size if layer == 0 else shown * self._directions
        shapes: dict[str, Any] = {"weight_ih": (rows, width), "weight_hh": (rows, shown)}
        if self.bias:
            shapes.update(bias_ih=rows, bias_hh=rows)
        if self.proj_size:
            shapes["weight_hr"] = (self.proj_size, self.hidden_size)
        names = {f"{name}_l{layer}{ending}": shape for name, shape in shapes.items()}
        for name, shape in names.items():
            setattr(self, name, Parameter(empty(shape, device=device, dtype=dtype)))
        self._all_weights.append(list(names))

    @property
    def _directions(self) -> int:
        return 2 if self.bidirectional else 1

    @property
    def all_weights(self) -> list[list[Any]]:
        """The parameters of each layer and direction."""
        return [[getattr(self, name) for name in names] for names in self._all_weights]

    @property
    def _flat_weights(self) -> list[Any]:
        """All parameters in order; None for a removed one."""
        return [getattr(self, name, None) for name in self._flat_weights_names]

    @_flat_weights.setter
    def _flat_weights(self, values: list[Any]) -> None:
        for name, value in zip(self._flat_weights_names, values, strict=True):
            if value is not getattr(self, name, None):
                setattr(self, name, value)

    def flatten_parameters(self) -> None:
        """Do nothing: only accelerators need all parameters in one block of memory."""

    _init_flat_weights = _update_flat_weights = flatten_parameters  # every call looks its parameters up

    def reset_parameters(self) -> None:
        """Draw new values."""
        bound = 1 / math.sqrt(self.hidden_size)
        for parameter in self.parameters():
            init.uniform_(parameter, -bound, bound)

    # ---- arguments ---------------------------------------------------------------------------------------------------

    def check_input(self, input: Tensor, batch_sizes: Tensor | None) -> None:
        """Refuse an input that does not fit.

        Raises:
            ValueError: if the dtype differs from that of the parameters.
            RuntimeError: if the input has another number of dimensions, or its vectors have another length.
        """
        kind = self._flat_weights[0].dtype
        if input.dtype != kind:
            raise ValueError(
                f"RNN input dtype ({input.dtype}) does not match weight dtype ({kind}). Convert input: "
                f"input.to({kind}), or convert model: model.to({input.dtype})"
            )
        wanted = 3 if batch_sizes is None else 2
        if input.ndim != wanted:
            raise RuntimeError(f"input must have {wanted} dimensions, got {input.ndim}")
        if input.shape[-1] != self.input_size:
            raise RuntimeError(
                f"input.size(-1) must be equal to input_size. Expected {self.input_size}, got {input.shape[-1]}"
            )

    def _batch(self, input: Tensor, batch_sizes: Tensor | None) -> int:
        """The number of sequences."""
        if batch_sizes is not None:
            return int(batch_sizes[0])
        return input.shape[0 if self.batch_first else 1]

    def get_expected_hidden_size(self, input: Tensor, batch_sizes: Tensor | None) -> tuple[int, int, int]:
        """The shape of the hidden state."""
        size = self.proj_size or self.hidden_size
        return self.num_layers * self._directions, self._batch(input, batch_sizes), size

    def check_hidden_size(
        self, hx: Tensor, expected_hidden_size: tuple[int, int, int], msg: str = "Expected hidden size {}, got {}"
    ) -> None:
        """Refuse a state of another shape.

        Raises:
            RuntimeError: if the shape of `hx` is not `expected_hidden_size`.
        """
        if tuple(hx.shape) != expected_hidden_size:
            raise RuntimeError(msg.format(expected_hidden_size, list(hx.shape)))

    def check_forward_args(self, input: Tensor, hidden: Any, batch_sizes: Tensor | None) -> None:
        """Refuse an input or a state that does not fit; errors as of `check_input` and `check_hidden_size`."""
        self.check_input(input, batch_sizes)
        self.check_hidden_size(hidden, self.get_expected_hidden_size(input, batch_sizes))

    def permute_hidden(self, hx: Any, permutation: Tensor | None) -> Any:
        """The state with its sequences in another order."""
        return hx if permutation is None else hx.index_select(1, permutation)

    def _check_dimensions(self, input: Tensor, hx: Any) -> None:
        """Refuse a state of other dimensions than the input's.

        Raises:
            RuntimeError: if `hx` has another number of dimensions than `input`.
        """
        if hx is not None and hx.ndim != input.ndim:
            kind = "batched" if input.ndim == 3 else "unbatched"
            raise RuntimeError(
                f"For {kind} {input.ndim}-D input, hx should also be {input.ndim}-D but got {hx.ndim}-D tensor"
            )

    def _initial(self, input: Tensor, batch_sizes: Tensor | None) -> Any:
        """Return the default state: zeros."""
        return first_state(self.get_expected_hidden_size(input, batch_sizes), input)

    def _on_state(self, function: Any, state: Any) -> Any:
        """Apply a function to all tensors of the state."""
        return function(state)

    # ---- the call ----------------------------------------------------------------------------------------------------

    def forward(self, input: Any, hx: Any = None) -> tuple[Any, Any]:
        """Return the output of the last layer, and the last state of each layer and direction.

        Args:
            input: (T, N, input_size), or (N, T, input_size) if `batch_first`; (T, input_size); or packed sequences.
            hx: the initial state, (layers * directions, N, size), without N where the input has none; of an LSTM
                hidden state and cell. Zeros if not given.

        Returns:
            The output, as the input, with vectors of length directions * size; and the state, as `hx`.

        Raises:
            ValueError: if the input has another number of dimensions, or another dtype than the parameters.
            RuntimeError: if shapes do not fit.
        """
        if isinstance(input, PackedSequence):
            return self._forward_packed(input, hx)
        if input.ndim not in (2, 3):
            raise ValueError(f"{self._get_name()}: Expected input to be 2D or 3D, got {input.ndim}D instead")
        self._check_dimensions(input, hx)
        batch_dim = 0 if self.batch_first else 1
        alone = input.ndim == 2
        if alone:
            input = input.unsqueeze(batch_dim)
            hx = None if hx is None else self._on_state(lambda tensor: tensor.unsqueeze(1), hx)
        if hx is None:
            self.check_input(input, None)
            hx = self._initial(input, None)
        else:
            self.check_forward_args(input, hx, None)
        output, state = self._run(input, hx, self.batch_first)
        if alone:
            return output.squeeze(batch_dim), self._on_state(lambda tensor: tensor.squeeze(1), state)
        return output, state

    def _forward_packed(self, packed: PackedSequence, hx: Any) -> tuple[PackedSequence, Any]:
        """Compute `forward` of packed sequences."""
        data, batch_sizes, order, back = packed
        hx = self._initial(data, batch_sizes) if hx is None else self.permute_hidden(hx, order)
        self.check_forward_args(data, hx, batch_sizes)
        output, state = self._run(data, hx, batch_sizes)
        return PackedSequence(output, batch_sizes, order, back), self.permute_hidden(state, back)

    def _run(self, input: Tensor, hx: Any, how: Any) -> tuple[Any, Any]:
        """Call the recurrent function; `how`: whether the batch comes first, or the batch sizes of packed sequences."""
        options = (self.bias, self.num_layers, self.dropout, self.training, self.bidirectional)
        function, weights = FUNCTIONS[self.mode], self._flat_weights
        if isinstance(how, Tensor):
            output, *state = function(input, how, hx, weights, *options)
        else:
            output, *state = function(input, hx, weights, *options, how)
        return output, state[0] if len(state) == 1 else tuple(state)

    def extra_repr(self) -> str:
        """The sizes, and the options that are not at their defaults."""
        usual = {"proj_size": 0, "num_layers": 1, "bias": True, "batch_first": False, "dropout": 0.0}
        usual["bidirectional"] = False
        options = [f"{name}={getattr(self, name)}" for name, value in usual.items() if getattr(self, name) != value]
        return ", ".join([str(self.input_size), str(self.hidden_size), *options])


class RNN(RNNBase):
    """Plain recurrent networks: h' = tanh(W_ih x + b_ih + W_hh h + b_hh), or with relu in place of tanh.

    Args:
        input_size, hidden_size, num_layers: as for `RNNBase`.
        nonlinearity: "tanh" or "relu".
        bias, batch_first, dropout, bidirectional, device, dtype: as for `RNNBase`.

    Raises:
        ValueError: if `nonlinearity` is unknown, a size is not positive, or `dropout` is not a probability.

    >>> import wengert as wg
    >>> output, state = wg.nn.RNN(3, 4)(wg.ones(5, 2, 3))
    >>> output.shape, state.shape
    (torch.Size([5, 2, 4]), torch.Size([1, 2, 4]))
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        refuse_projection(kwargs)
        if len(args) > 3:
            self.nonlinearity, args = args[3], (*args[:3], *args[4:])
        else:
            self.nonlinearity = kwargs.pop("nonlinearity", "tanh")
        if self.nonlinearity not in ("tanh", "relu"):
            raise ValueError(f"Unknown nonlinearity '{self.nonlinearity}'. Select from 'tanh' or 'relu'.")
        super().__init__(f"RNN_{self.nonlinearity.upper()}", *args, **kwargs)


def without_mode(*others: str) -> inspect.Signature:
    """Return the signature of a class whose mode is fixed; `others` are parameters that it does not have either."""
    signature = inspect.signature(RNNBase.__init__)
    kept = [value for name, value in signature.parameters.items() if name not in ("self", "mode", *others)]
    return signature.replace(parameters=kept)


class GRU(RNNBase):
    """Networks of gated recurrent units.

    Args:
        input_size, hidden_size, num_layers, bias, batch_first, dropout, bidirectional, device, dtype: as of `LSTM`.

    >>> import wengert as wg
    >>> gru = wg.nn.GRU(3, 4)
    >>> output, hidden = gru(wg.ones(5, 2, 3))
    >>> output.shape, hidden.shape
    (torch.Size([5, 2, 4]), torch.Size([1, 2, 4]))

    The rows of the parameters are those of the reset gate, the update gate and the candidate.
    """

    __signature__ = without_mode("proj_size")

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        refuse_projection(kwargs)
        super().__init__("GRU", *args, **kwargs)


class LSTM(RNNBase):
    """Networks of long short-term memory.

    The rows of the parameters are those of the input gate, the forget gate, the candidate and the output gate. The
    state is a tuple of hidden state and cell.

    Args:
        input_size: length of the vectors of the input.
        hidden_size: length of the state.
        num_layers: number of layers; each but the first runs over the output of the one before.
        bias: whether there are biases.
        batch_first: whether input and output are (N, T, *) instead of (T, N, *); states are not concerned.
        dropout: probability of dropout between layers, in training.
        bidirectional: whether each layer runs in both directions, whose outputs stand side by side.
        proj_size: if positive, the output is projected to this length.
        device, dtype: of the parameters.

    >>> import wengert as wg
    >>> lstm = wg.nn.LSTM(3, 4, num_layers=2, bidirectional=True)
    >>> output, (hidden, cell) = lstm(wg.ones(5, 2, 3))
    >>> output.shape, hidden.shape, cell.shape
    (torch.Size([5, 2, 8]), torch.Size([4, 2, 4]), torch.Size([4, 2, 4]))
    """

    __signature__ = without_mode()

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__("LSTM", *args, **kwargs)

    def get_expected_cell_size(self, input: Tensor, batch_sizes: Tensor | None) -> tuple[int, int, int]:
        """The shape of the cell."""
        return self.num_layers * self._directions, self._batch(input, batch_sizes), self.hidden_size

    def check_forward_args(self, input: Tensor, hidden: Any, batch_sizes: Tensor | None) -> None:
        """Refuse an input or a state that does not fit; errors as of `check_input` and `check_hidden_size`."""
        self.check_input(input, batch_sizes)
        wanted = self.get_expected_hidden_size(input, batch_sizes)
        self.check_hidden_size(hidden[0], wanted, "Expected hidden[0] size {}, got {}")
        wanted = self.get_expected_cell_size(input, batch_sizes)
        self.check_hidden_size(hidden[1], wanted, "Expected hidden[1] size {}, got {}")

    def permute_hidden(self, hx: Any, permutation: Tensor | None) -> Any:
        """The state with its sequences in another order."""
        return hx if permutation is None else self._on_state(lambda tensor: tensor.index_select(1, permutation), hx)

    def _check_dimensions(self, input: Tensor, hx: Any) -> None:
        if hx is not None and len(hx) < 2:
            raise IndexError(f"LSTM: hx should be a tuple (h_0, c_0) of two tensors, but got {shown(hx)}")
        if hx is not None and (hx[0].ndim != input.ndim or hx[1].ndim != input.ndim):
            kind = "batched" if input.ndim == 3 else "unbatched"
            raise RuntimeError(
                f"For {kind} {input.ndim}-D input, hx and cx should also be {input.ndim}-D but got ({hx[0].ndim}-D, "
                f"{hx[1].ndim}-D) tensors"
            )

    def _initial(self, input: Tensor, batch_sizes: Tensor | None) -> Any:
        sizes = self.get_expected_hidden_size(input, batch_sizes), self.get_expected_cell_size(input, batch_sizes)
        return tuple([first_state(size, input) for size in sizes])

    def _on_state(self, function: Any, state: Any) -> Any:
        return tuple(function(tensor) for tensor in state)


__all__ = ["GRU", "LSTM", "RNN", "GRUCell", "LSTMCell", "RNNBase", "RNNCell", "RNNCellBase"]
