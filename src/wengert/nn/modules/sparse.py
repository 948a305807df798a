"""Embedding tables."""

from __future__ import annotations

from typing import Any

from ..._tensor import Tensor
from ...autograd import no_grad
from ...ops.create.placed import empty
from ...ops.indexing.embedding_bag_lookup import embedding_bag
from .. import functional, init
from ..parameter import Parameter
from .module import Module

__all__ = ["Embedding", "EmbeddingBag"]


class _Table(Module):
    """Base of `Embedding` and `EmbeddingBag`: the table, and how vectors are looked up."""

    weight: Any

    def __init__(
        self,
        shape: tuple[int, int],
        padding_idx: int | None,
        max_norm: float | None,
        norm_type: float,
        scale_grad_by_freq: bool,
        sparse: bool,
    ) -> None:
        super().__init__()
        self.num_embeddings, self.embedding_dim = shape
        self.padding_idx = padding_idx
        self.max_norm = max_norm
        self.norm_type = norm_type
        self.scale_grad_by_freq = scale_grad_by_freq
        self.sparse = sparse

    def _set_table(self, table: Tensor | None, device: Any, dtype: Any, *, freeze: bool = False) -> None:
        """Set the table; None for a new one.

        Raises:
            AssertionError: if the table has another shape.
        """
        shape = (self.num_embeddings, self.embedding_dim)
        if table is None:
            self.weight = Parameter(empty(shape, device=device, dtype=dtype), requires_grad=not freeze)
            self.reset_parameters()
        else:
            if tuple(table.shape) != shape:
                raise AssertionError("Shape of weight does not match num_embeddings and embedding_dim")
            self.weight = Parameter(table, requires_grad=not freeze)

    def _scaling(self) -> str:
        """The options that scale vectors and gradients, as `extra_repr` shows them."""
        text = ""
        if self.max_norm is not None:
            text += f", max_norm={self.max_norm}"
        if self.norm_type != 2:
            text += f", norm_type={self.norm_type}"
        if self.scale_grad_by_freq:
            text += f", scale_grad_by_freq={self.scale_grad_by_freq}"
        return text

    def reset_parameters(self) -> None:
        """Draw new vectors; that of `padding_idx` becomes zero."""
        init.normal_(self.weight)
        self._fill_padding_idx_with_zero()

    def _fill_padding_idx_with_zero(self) -> None:
        """Fill the vector of `padding_idx` with zeros."""
        if self.padding_idx is not None:
            with no_grad():
                self.weight[self.padding_idx].fill_(0)


def checked_padding(padding_idx: int | None, count: int, word: str) -> int | None:
    """Return the index of padding, from 0 on; `word` is what the error begins with.

    Raises:
        AssertionError: if the index is outside the table.
    """
    if padding_idx is None:
        return None
    if not -count <= padding_idx < count:
        raise AssertionError(f"{word} must be within num_embeddings")
    return padding_idx % count


def check_pretrained(embeddings: Tensor) -> None:
    """Refuse a table that is not 2-D, with an AssertionError."""
    if embeddings.ndim != 2:
        raise AssertionError("Embeddings parameter is expected to be 2-dimensional")


class Embedding(_Table):
    """A table of vectors, looked up by index.

    Args:
        num_embeddings: number of vectors.
        embedding_dim: length of a vector.
        padding_idx: index whose vector is zero at first and receives no gradient.
        max_norm: vectors that are looked up are first scaled down to this norm if theirs is greater.
        norm_type: order of the norm of `max_norm`.
        scale_grad_by_freq: divide gradients by the frequency of the index in the batch.
        sparse: the gradient of the table is a sparse tensor, with a row for each lookup.
        _weight: the table, not copied; a new one if not given.
        _freeze: whether the table requires no gradient.
        device: "cpu".
        dtype: of the table.

    Attributes:
        weight: the table, shape (num_embeddings, embedding_dim), standard normal at first.

    Raises:
        AssertionError: if `padding_idx` is outside the table, or `_weight` has another shape.
    """

    def __init__(
        self,
        num_embeddings: int,
        embedding_dim: int,
        padding_idx: int | None = None,
        max_norm: float | None = None,
        norm_type: float = 2.0,
        scale_grad_by_freq: bool = False,
        sparse: bool = False,
        _weight: Tensor | None = None,
        _freeze: bool = False,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        padding_idx = checked_padding(padding_idx, num_embeddings, "Padding_idx")
        shape = (num_embeddings, embedding_dim)
        super().__init__(shape, padding_idx, max_norm, norm_type, scale_grad_by_freq, sparse)
        self._set_table(_weight, device, dtype, freeze=_freeze)

    def forward(self, input: Tensor) -> Tensor:
        """Look up the vectors of integer indices: (*) to (*, embedding_dim)."""
        return functional.embedding(
            *(input, self.weight, self.padding_idx, self.max_norm, self.norm_type),
            *(self.scale_grad_by_freq, self.sparse),
        )

    def extra_repr(self) -> str:
        """The sizes."""
        text = f"{self.num_embeddings}, {self.embedding_dim}"
        if self.padding_idx is not None:
            text += f", padding_idx={self.padding_idx}"
        return text + self._scaling()

    @classmethod
    def from_pretrained(
        cls,
        embeddings: Tensor,
        freeze: bool = True,
        padding_idx: int | None = None,
        max_norm: float | None = None,
        norm_type: float = 2.0,
        scale_grad_by_freq: bool = False,
        sparse: bool = False,
    ) -> Embedding:
        """Return an embedding that uses an existing table.

        Args:
            embeddings: the table, two-dimensional; its memory is shared.
            freeze: whether the table requires no gradient.
            padding_idx: index whose vector receives no gradient.
            max_norm, norm_type, scale_grad_by_freq, sparse: as for the class.

        Raises:
            AssertionError: if `embeddings` is not 2-D.
        """
        check_pretrained(embeddings)
        options = (padding_idx, max_norm, norm_type, scale_grad_by_freq, sparse, embeddings, freeze)
        return cls(embeddings.shape[0], embeddings.shape[1], *options)


class EmbeddingBag(_Table):
    """A table of vectors, looked up by bags of indices: the sum, mean or maximum of each bag's vectors.

    Args:
        num_embeddings, embedding_dim, max_norm, norm_type, scale_grad_by_freq: as of `Embedding`.
        mode: "sum", "mean" or "max".
        sparse, _weight, device, dtype: as of `Embedding`.
        include_last_offset: whether the last offset is the end of the last bag.
        padding_idx: index whose vector is zero at first and is ignored.

    Attributes:
        weight: the table, shape (num_embeddings, embedding_dim), standard normal at first.

    Raises:
        AssertionError: if `padding_idx` is outside the table, or `_weight` has another shape.

    >>> import wengert as wg
    >>> bag = wg.nn.EmbeddingBag.from_pretrained(wg.eye(3), mode="sum")
    >>> bag(wg.tensor([0, 1, 1, 2]), wg.tensor([0, 2]))
    tensor([[1., 1., 0.],
            [0., 1., 1.]])
    """

    def __init__(
        self,
        num_embeddings: int,
        embedding_dim: int,
        max_norm: float | None = None,
        norm_type: float = 2.0,
        scale_grad_by_freq: bool = False,
        mode: str = "mean",
        sparse: bool = False,
        _weight: Tensor | None = None,
        include_last_offset: bool = False,
        padding_idx: int | None = None,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        padding_idx = checked_padding(padding_idx, num_embeddings, "padding_idx")
        shape = (num_embeddings, embedding_dim)
        super().__init__(shape, padding_idx, max_norm, norm_type, scale_grad_by_freq, sparse)
        self._set_table(_weight, device, dtype)
        self.mode = mode
        self.include_last_offset = include_last_offset

    def forward(self, input: Tensor, offsets: Tensor | None = None, per_sample_weights: Tensor | None = None) -> Any:
        """Return one vector for each bag of indices.

        Args:
            input: (n,), or (bags, length).
            offsets: start of each bag in (n,).
            per_sample_weights: factors of the vectors, for mode "sum"; same shape as `input`.

        Returns:
            A new tensor (bags, embedding_dim); zeros for an empty bag.
        """
        return embedding_bag(
            *(input, self.weight, offsets, self.max_norm, self.norm_type, self.scale_grad_by_freq, self.mode),
            sparse=self.sparse,
            per_sample_weights=per_sample_weights,
            include_last_offset=self.include_last_offset,
            padding_idx=self.padding_idx,
        )

    def extra_repr(self) -> str:
        """The sizes."""
        text = f"{self.num_embeddings}, {self.embedding_dim}{self._scaling()}, mode={self.mode!r}"
        if self.padding_idx is not None:
            text += f", padding_idx={self.padding_idx}"
        return text

    @classmethod
    def from_pretrained(
        cls,
        embeddings: Tensor,
        freeze: bool = True,
        max_norm: float | None = None,
        norm_type: float = 2.0,
        scale_grad_by_freq: bool = False,
        mode: str = "mean",
        sparse: bool = False,
        include_last_offset: bool = False,
        padding_idx: int | None = None,
    ) -> EmbeddingBag:
        """Return an `EmbeddingBag` that uses an existing table.

        Args:
            embeddings: the table, two-dimensional; its memory is shared.
            freeze: whether the table requires no gradient.
            max_norm, norm_type, scale_grad_by_freq, mode, sparse, include_last_offset, padding_idx: as for the class.

        Raises:
            AssertionError: if `embeddings` is not 2-D.
        """
        check_pretrained(embeddings)
        options = (max_norm, norm_type, scale_grad_by_freq, mode, sparse, embeddings, include_last_offset, padding_idx)
        bag = cls(embeddings.shape[0], embeddings.shape[1], *options)
        bag.weight.requires_grad = not freeze
        return bag
