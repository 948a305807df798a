"""Creation of compressed sparse tensors from their parts.

It loads everything that calls with such tensors need.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..._core.cards.arguments import integers
from ..._core.cards.card import Bad, Sample, composite
from ..._core.tensor.base import Tensor, wrap
from ..._core.types import dtypes
from ..._core.types.sizes import Size
from ..create.factory import check_place
from ..family import describes
from . import compressed_kernels as compressed_kernels
from .compressed import Compressed, compressed
from .compressed_entries import packed_lines
from .invariants import check, check_sparse_tensor_invariants
from .layouts import ALL, Compressed as Layout
from .parts import is_sparse


def checked_lines(
    form: Layout, bounds: Any, plain: Any, values: Tensor, size: Any, ordered: bool = False
) -> Compressed:
    """Return the array of a compressed tensor of unchecked parts.

    Raises:
        RuntimeError: if the parts do not fit each other or the shape.
    """
    check(form, bounds, plain, values._array_, size, ordered)
    return compressed((bounds, plain), values, tuple(size), form)


def refuse_sparse(name: str, value: Tensor) -> Tensor:
    """Refuse a sparse tensor as a part of another one.

    Raises:
        RuntimeError: if the tensor is sparse.
    """
    if is_sparse(value):
        raise RuntimeError(f"expected {name} to be a strided and contiguous tensor")
    return value


def read_places(name: str, value: Any) -> Tensor:
    """Return indices as a tensor: of int64, unless they are one already."""
    if isinstance(value, Tensor):
        return refuse_sparse(name, value)
    array = np.asarray(value)
    return wrap(array if array.size and array.dtype.kind != "i" else array.astype(np.int64))


def read_values(values: Any, dtype: Any) -> Tensor:
    """Return entries as a tensor."""
    if not isinstance(values, Tensor):
        from ..create.create import tensor

        values = tensor(values)
    refuse_sparse("values", values)
    return values if dtype is None else values.to(dtype)


def inferred(form: Layout, bounds: Any, plain: Any, values: Any) -> tuple[int, ...]:
    """Return the smallest shape that contains all indices."""
    batches = bounds.ndim - 1
    lines, across = max(bounds.shape[-1] - 1, 0), int(plain.max()) + 1 if plain.size else 0
    blocks = values.shape[batches + 1 : batches + 3] if form.blocks else (1, 1)
    counts = (lines, across) if form.rows else (across, lines)
    rest = values.shape[batches + (3 if form.blocks else 1) :]
    return (*bounds.shape[:-1], *(count * block for count, block in zip(counts, blocks)), *rest)


def tensor_from_parts(
    name: str, form: Layout, parts: tuple[Any, Any, Any], size: Any, dtype: Any, requires_grad: Any, checks: Any
) -> Any:
    """Return a compressed tensor of its parts; `checks` is whether indices must be in order.

    Raises:
        RuntimeError: if the parts do not fit.
    """
    bounds, plain = (read_places(*part) for part in zip(form.words, parts))
    values = read_values(parts[2], dtype)
    arrays = bounds._array_, plain._array_
    if size is None and not bounds.ndim:
        raise RuntimeError(f"{name}: `{form.words[0]}` must have at least one dimension, but got a number")
    shape = inferred(form, *arrays, values._array_) if size is None else tuple(integers(name, "size", size))
    ordered = check_sparse_tensor_invariants.is_enabled() if checks is None else bool(checks)
    checked_lines(form, *arrays, values, shape, ordered)
    if requires_grad and values.dtype.category < dtypes.FLOAT:
        raise RuntimeError("Only Tensors of floating point and complex dtype can require gradients")
    result = packed_lines.call((bounds, plain, values, Size(shape), form))
    if requires_grad and not result.requires_grad:
        result.requires_grad = True
    return result


WORDS = """
    Args:
        {first}: (batch ..., {lines} + 1): integers: number of entries before each {line}.
        {second}: (batch ..., entries): integers: the {across} of each entry.
        values: (batch ..., entries{blocks}, dense dimensions ...): the entries.
        size: the shape; by default the smallest that contains all indices.
        dtype: dtype of the entries.
        layout, device, pin_memory: accepted for compatibility with torch.
        requires_grad: whether the new tensor requires a gradient; it is a leaf unless `values` has a history.
        check_invariants: whether indices must be in order and distinct; the other conditions are always checked.

    Returns:
        A new tensor of layout `{layout}`, with the memory of its parts if these are tensors.

    Raises:
        RuntimeError: if parts and shape do not fit.
    """


def words_of(form: Layout) -> dict[str, str]:
    """Return the docstring sections of a layout's constructor."""
    line, across = ("row", "column") if form.rows else ("column", "row")
    if form.blocks:
        line, across = f"{line} of blocks", f"{across} of blocks"
    return {
        "first": form.words[0],
        "second": form.words[1],
        "lines": line.replace("row", "rows").replace("column", "columns"),
        "line": line,
        "across": across,
        "blocks": ", rows and columns of a block" if form.blocks else "",
        "layout": str(form),
    }


def refuse_layout(name: str, form: Layout, layout: Any, device: Any, pin_memory: Any) -> None:
    """Refuse other layouts than that of a constructor, and other devices.

    Raises:
        RuntimeError: if another layout is requested.
    """
    if layout is not None and layout is not form:
        raise RuntimeError(f"{name}: layout must be {form.title} but got {layout_title(layout)}")
    check_place(name, device, pin_memory)


def layout_title(layout: Any) -> str:
    """Name of a layout in torch's errors."""
    if layout is None:
        return "none"
    return layout.title if layout in ALL else {"strided": "Strided", "sparse_coo": "Sparse"}.get(layout.name, "none")


CSR, CSC, BSR, BSC = ALL


def constructed(
    form: Layout, parts: tuple[Any, Any, Any], size: Any, dtype: Any, layout: Any, place: tuple[Any, Any], *checks: Any
) -> Any:
    """Return a tensor of a layout from its parts; refuse other layouts and devices.

    Args:
        form: the layout.
        parts: starts of lines, indices in them, entries.
        size, dtype, layout: arguments of the constructor.
        place: the device, and whether memory is to be pinned.
        checks: whether a gradient is required, and whether the parts are checked.
    """
    name = f"{form.name}_tensor"
    refuse_layout(name, form, layout, *place)
    return tensor_from_parts(name, form, parts, size, dtype, *checks)


@composite(method=False)
@describes(WORDS, **words_of(CSR))
def sparse_csr_tensor(
    crow_indices: Any,
    col_indices: Any,
    values: Any,
    size: Any = None,
    *,
    dtype: Any = None,
    layout: Any = None,
    device: Any = None,
    pin_memory: bool = False,
    requires_grad: bool = False,
    check_invariants: bool | None = None,
) -> Any:
    """Return a sparse tensor, compressed row by row.

    Examples:
        >>> import wengert as wg
        >>> wg.sparse_csr_tensor([0, 1, 2], [2, 0], [3.0, 4.0], (2, 3)).to_dense()
        tensor([[0., 0., 3.],
                [4., 0., 0.]])
    """
    parts, place = (crow_indices, col_indices, values), (device, pin_memory)
    return constructed(CSR, parts, size, dtype, layout, place, requires_grad, check_invariants)


@composite(method=False)
@describes(WORDS, **words_of(CSC))
def sparse_csc_tensor(
    ccol_indices: Any,
    row_indices: Any,
    values: Any,
    size: Any = None,
    *,
    dtype: Any = None,
    layout: Any = None,
    device: Any = None,
    pin_memory: bool = False,
    requires_grad: bool = False,
    check_invariants: bool | None = None,
) -> Any:
    """Return a sparse tensor, compressed column by column.

    Examples:
        >>> import wengert as wg
        >>> wg.sparse_csc_tensor([0, 1, 1, 2], [1, 0], [4.0, 3.0], (2, 3)).to_dense()
        tensor([[0., 0., 3.],
                [4., 0., 0.]])
    """
    parts, place = (ccol_indices, row_indices, values), (device, pin_memory)
    return constructed(CSC, parts, size, dtype, layout, place, requires_grad, check_invariants)


@composite(method=False)
@describes(WORDS, **words_of(BSR))
def sparse_bsr_tensor(
    crow_indices: Any,
    col_indices: Any,
    values: Any,
    size: Any = None,
    *,
    dtype: Any = None,
    layout: Any = None,
    device: Any = None,
    pin_memory: bool = False,
    requires_grad: bool = False,
    check_invariants: bool | None = None,
) -> Any:
    """Return a sparse tensor, compressed row by row of blocks.

    Examples:
        >>> import wengert as wg
        >>> wg.sparse_bsr_tensor([0, 1], [1], [[[1.0, 2.0]]], (1, 4)).to_dense()
        tensor([[0., 0., 1., 2.]])
    """
    parts, place = (crow_indices, col_indices, values), (device, pin_memory)
    return constructed(BSR, parts, size, dtype, layout, place, requires_grad, check_invariants)


@composite(method=False)
@describes(WORDS, **words_of(BSC))
def sparse_bsc_tensor(
    ccol_indices: Any,
    row_indices: Any,
    values: Any,
    size: Any = None,
    *,
    dtype: Any = None,
    layout: Any = None,
    device: Any = None,
    pin_memory: bool = False,
    requires_grad: bool = False,
    check_invariants: bool | None = None,
) -> Any:
    """Return a sparse tensor, compressed column by column of blocks.

    Examples:
        >>> import wengert as wg
        >>> wg.sparse_bsc_tensor([0, 0, 1], [0], [[[1.0, 2.0]]], (1, 4)).to_dense()
        tensor([[0., 0., 1., 2.]])
    """
    parts, place = (ccol_indices, row_indices, values), (device, pin_memory)
    return constructed(BSC, parts, size, dtype, layout, place, requires_grad, check_invariants)


def samples_of(form: Layout) -> Any:
    """Samples of the constructor of a layout."""

    def samples(make: Any) -> Any:
        entries = make(2, 1, 2) if form.blocks else make(2)
        yield Sample([0, 1, 2], [1, 0], entries)
        yield Bad([0, 1, 3], [1, 0], entries, raises=RuntimeError, says=f"`{form.words[0]}[..., -1] == nnz` is not")

    return samples


sparse_csr_tensor.samples(samples_of(CSR))
sparse_csc_tensor.samples(samples_of(CSC))
sparse_bsr_tensor.samples(samples_of(BSR))
sparse_bsc_tensor.samples(samples_of(BSC))


@composite(method=False)
def sparse_compressed_tensor(
    compressed_indices: Any,
    plain_indices: Any,
    values: Any,
    size: Any = None,
    *,
    dtype: Any = None,
    layout: Any = None,
    device: Any = None,
    pin_memory: bool = False,
    requires_grad: bool = False,
    check_invariants: bool | None = None,
) -> Any:
    """Return a sparse tensor in a compressed layout.

    Args:
        compressed_indices: (batch ..., lines + 1): integers: number of entries before each line.
        plain_indices: (batch ..., entries): integers: index of each entry in its line.
        values: (batch ..., entries, rows and columns of a block ..., dense dimensions ...): the entries.
        size: the shape; by default the smallest that contains all indices.
        dtype: dtype of the entries.
        layout: `sparse_csr`, `sparse_csc`, `sparse_bsr` or `sparse_bsc`.
        device, pin_memory: accepted for compatibility with torch.
        requires_grad: whether the new tensor requires a gradient; it is a leaf unless `values` has a history.
        check_invariants: whether indices must be in order and distinct; the other conditions are always checked.

    Raises:
        RuntimeError: if `layout` is not a compressed layout, or parts and shape do not fit.

    Examples:
        >>> import wengert as wg
        >>> matrix = wg.sparse_compressed_tensor([0, 1, 2], [1, 0], [3.0, 4.0], layout=wg.sparse_csr)
        >>> matrix
        tensor(crow_indices=tensor([0, 1, 2]),
               col_indices=tensor([1, 0]),
               values=tensor([3., 4.]), size=(2, 2), nnz=2, layout=torch.sparse_csr)
        >>> matrix @ wg.ones(2)
        tensor([3., 4.])
    """
    if layout not in ALL:
        raise RuntimeError(
            f"sparse_compressed_tensor expected sparse compressed tensor layout but got {layout_title(layout)}"
        )
    check_place("sparse_compressed_tensor", device, pin_memory)
    parts = (compressed_indices, plain_indices, values)
    return tensor_from_parts("sparse_compressed_tensor", layout, parts, size, dtype, requires_grad, check_invariants)


@sparse_compressed_tensor.samples
def sparse_compressed_tensor_samples(make: Any) -> Any:
    yield Sample([0, 1, 2], [1, 0], make(2), layout=ALL[0])
    yield Bad([0, 1, 2], [1, 0], make(2), raises=RuntimeError, says="sparse compressed tensor layout but got none")
