"""Recurrent networks: layers over whole sequences."""

from __future__ import annotations

import math
import warnings
from typing import Any

from ..._tensor import Tensor
from ...ops.create.placed import empty
from ...ops.neural import recurrent
from .. import init
from ..parameter import Parameter
from ..utils.rnn import PackedSequence
from .module import Module
from .rnn_cells import GRUCell, LSTMCell, RNNCell, RNNCellBase, first_state
from .rnn_options import check_options, refuse_projection

__all__ = ["GRU", "LSTM", "RNN", "GRUCell", "LSTMCell", "RNNBase", "RNNCell", "RNNCellBase"]


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

    def _each(self, function: Any, state: Any) -> Any:
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
            hx = None if hx is None else self._each(lambda tensor: tensor.unsqueeze(1), hx)
        if hx is None:
            self.check_input(input, None)
            hx = self._initial(input, None)
        else:
            self.check_forward_args(input, hx, None)
        output, state = self._run(input, hx, self.batch_first)
        if alone:
            return output.squeeze(batch_dim), self._each(lambda tensor: tensor.squeeze(1), state)
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


class GRU(RNNBase):
    """Networks of gated recurrent units; arguments as of `RNNBase`, but for `mode` and `proj_size`.

    The rows of the parameters are those of the reset gate, the update gate and the candidate.
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        refuse_projection(kwargs)
        super().__init__("GRU", *args, **kwargs)


class LSTM(RNNBase):
    """Networks of long short-term memory; arguments as of `RNNBase`, but for `mode`.

    The rows of the parameters are those of the input gate, the forget gate, the candidate and the output gate. The
    state is a tuple of hidden state and cell.

    >>> import wengert as wg
    >>> lstm = wg.nn.LSTM(3, 4, num_layers=2, bidirectional=True)
    >>> output, (hidden, cell) = lstm(wg.ones(5, 2, 3))
    >>> output.shape, hidden.shape, cell.shape
    (torch.Size([5, 2, 8]), torch.Size([4, 2, 4]), torch.Size([4, 2, 4]))
    """

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
        return hx if permutation is None else self._each(lambda tensor: tensor.index_select(1, permutation), hx)

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

    def _each(self, function: Any, state: Any) -> Any:
        return tuple(function(tensor) for tensor in state)
