"""Softmax over many classes, which computes the scores of rare classes only where they are needed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from ..._tensor import Tensor
from .. import functional
from .container import ModuleList, Sequential
from .linear import Linear
from .module import Module

__all__ = ["AdaptiveLogSoftmaxWithLoss"]


class _ASMoutput(NamedTuple):
    """Result of the layer: the log-probability of each target, and minus their mean."""

    output: Tensor
    loss: Tensor


def check_cutoffs(cutoffs: list[int], n_classes: int) -> None:
    """Refuse cutoffs that do not divide the classes.

    Raises:
        ValueError: if `cutoffs` is not an increasing sequence of integers between 1 and `n_classes - 1`.
    """
    if not cutoffs:
        raise ValueError("cutoffs should be a sequence of length larger than 0")
    are_integers = all(int(cutoff) == cutoff for cutoff in cutoffs)
    if not are_integers or cutoffs != sorted(set(cutoffs)) or cutoffs[0] <= 0 or cutoffs[-1] > n_classes - 1:
        raise ValueError(
            "cutoffs should be a sequence of unique, positive integers sorted in an increasing order, where each "
            "value is between 1 and n_classes-1"
        )


class AdaptiveLogSoftmaxWithLoss(Module):
    """Log-softmax in clusters: the first holds the frequent classes, and one score for each of the other clusters.

    Args:
        in_features: length of an input vector.
        n_classes: number of classes, ordered from frequent to rare.
        cutoffs: first class of each cluster after the first.
        div_value: divisor of the inner length from one cluster to the next.
        head_bias: whether the first cluster has a bias.
        device: "cpu".
        dtype: of the parameters.

    Raises:
        ValueError: if `cutoffs` is not an increasing sequence of integers between 1 and `n_classes - 1`.

    Source: Grave et al., Efficient softmax approximation for GPUs, 2017.
    """

    def __init__(
        self,
        in_features: int,
        n_classes: int,
        cutoffs: Sequence[int],
        div_value: float = 4.0,
        head_bias: bool = False,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        limits = list(cutoffs)
        check_cutoffs(limits, n_classes)
        self.in_features = in_features
        self.n_classes = n_classes
        self.cutoffs = [*limits, n_classes]
        self.div_value = div_value
        self.head_bias = head_bias
        self.shortlist_size = self.cutoffs[0]
        self.n_clusters = len(self.cutoffs) - 1
        self.head_size = self.shortlist_size + self.n_clusters
        factory: dict[str, Any] = {"device": device, "dtype": dtype}
        self.head = Linear(in_features, self.head_size, bias=head_bias, **factory)
        self.tail = ModuleList()
        for index in range(self.n_clusters):
            inner = int(in_features // div_value ** (index + 1))
            classes = self.cutoffs[index + 1] - self.cutoffs[index]
            projection = Linear(in_features, inner, bias=False, **factory)
            self.tail.append(Sequential(projection, Linear(inner, classes, bias=False, **factory)))

    def reset_parameters(self) -> None:
        """Draw new values of all parameters."""
        self.head.reset_parameters()
        for cluster in self.tail:
            for layer in cluster:
                layer.reset_parameters()

    def forward(self, input_: Tensor, target_: Tensor) -> _ASMoutput:
        """The log-probabilities of the targets (N,) or () for vectors (N, D) or (D,), and the loss.

        Raises:
            RuntimeError: if the shapes do not fit, or a target is not in `[0, n_classes - 1]`.
        """
        check_shapes(input_, target_)
        alone = target_.ndim == 0
        input: Any = input_.unsqueeze(0) if alone else input_
        target: Any = target_.unsqueeze(0) if alone else target_
        output = input.new_zeros(target.shape[0])
        places = target.clone()
        used = 0
        for cluster, (low, high) in enumerate(zip((0, *self.cutoffs), self.cutoffs)):
            rows = ((target >= low) & (target < high)).nonzero().reshape(-1)
            used += rows.numel()
            if cluster and rows.numel():
                inside = (target.index_select(0, rows) - low).unsqueeze(1)
                scores = self.tail[cluster - 1](input.index_select(0, rows))
                log_probs = functional.log_softmax(scores, dim=1).gather(1, inside)
                output = output.index_copy(0, rows, log_probs.squeeze(1))
                places = places.index_fill(0, rows, self.shortlist_size + cluster - 1)
        if used != target.shape[0]:
            raise RuntimeError(
                f"Target values should be in [0, {self.n_classes - 1}], but values in range "
                f"[{target.min().item()}, {target.max().item()}] were found. "
            )
        head = functional.log_softmax(self.head(input), dim=1)
        output = output + head.gather(1, places.unsqueeze(1)).squeeze(1)
        return _ASMoutput(output.squeeze(0) if alone else output, (-output).mean())

    def log_prob(self, input: Tensor) -> Tensor:
        """The log-probabilities of all classes (N, n_classes) for vectors (N, D)."""
        from ...ops.shapes.join import cat

        head: Any = functional.log_softmax(self.head(input), dim=1)
        parts = [head[:, : self.shortlist_size]]
        for cluster, projection in enumerate(self.tail):
            inside: Any = functional.log_softmax(projection(input), dim=1)
            parts.append(inside + head[:, self.shortlist_size + cluster].unsqueeze(1))
        return cat(parts, 1)

    def predict(self, input: Tensor) -> Tensor:
        """The most likely class for each vector (N, D)."""
        best: Any = self.head(input).argmax(dim=1)
        rare = best >= self.shortlist_size
        if rare.any():
            rows = rare.nonzero().reshape(-1)
            rest: Any = self.log_prob(input.index_select(0, rows))
            best = best.index_copy(0, rows, rest.argmax(dim=1))
        return best


def check_shapes(input: Tensor, target: Tensor) -> None:
    """Refuse targets that are not one class for each input vector.

    Raises:
        RuntimeError: if `target` is neither 0-D nor 1-D, or its shape does not fit `input`.
    """
    if target.ndim > 1:
        raise RuntimeError("0D or 1D target tensor expected, multi-target not supported")
    if target.ndim == 1 and input.ndim and input.shape[0] != target.shape[0]:
        raise RuntimeError("Input and target should have the same size in the batch dimension.")
    if input.ndim != target.ndim + 1:
        raise RuntimeError(
            f"{target.ndim}D target tensor expects {target.ndim + 1}D input tensors, but found inputs with size "
            f"{input.shape}"
        )
