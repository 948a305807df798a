"""Block masks of attention: which blocks of queries attend to which blocks of keys, and the mask function."""

from __future__ import annotations

import inspect
import itertools
from collections.abc import Callable
from typing import Any

from ..._tensor.attributes import dtypes
from ...func import vmap
from ...ops.create.create import zeros
from ...ops.create.like import zeros_like
from ...ops.create.ranges import arange
from ..functional import pad

Tensor = Any
Mod = Callable[..., Any]

DEFAULT_SIZE = 128
SHADES = ("  ", "░░", "██")
"""Text of a cell whose blocks are all masked, partly masked, or all unmasked."""
MORE = (
    "...\nTo print out more, set BlockMask.to_string(limit=N)\n"
    "You can also index (BlockMask[batch, head]) to choose a specific batch or head"
)


def noop_mask(batch: Tensor, head: Tensor, token_q: Tensor, token_kv: Tensor) -> Tensor:
    """Mask function that is True everywhere."""
    return batch.new_ones((), dtype=dtypes.bool_)


def check_mods(mods: tuple[Mod, ...]) -> None:
    """Refuse arguments that are not callable.

    Raises:
        RuntimeError: if an argument is not callable.
    """
    if not all(map(callable, mods)):
        raise RuntimeError(f"All inputs should be callable mask_mods: {mods}")


def and_masks(*mask_mods: Mod) -> Mod:
    """Return the logical and of mask functions."""
    check_mods(mask_mods)

    def and_mask(b: Tensor, h: Tensor, q_idx: Tensor, kv_idx: Tensor) -> Tensor:
        result = b.new_ones((), dtype=dtypes.bool_)
        for mask_mod in mask_mods:
            result = result & mask_mod(b, h, q_idx, kv_idx)
        return result

    return and_mask


def or_masks(*mask_mods: Mod) -> Mod:
    """Return the logical or of mask functions."""
    check_mods(mask_mods)

    def or_mask(b: Tensor, h: Tensor, q_idx: Tensor, kv_idx: Tensor) -> Tensor:
        result = b.new_zeros((), dtype=dtypes.bool_)
        for mask_mod in mask_mods:
            result = result | mask_mod(b, h, q_idx, kv_idx)
        return result

    return or_mask


def everywhere(mod: Mod, sizes: tuple[int, int, int, int], scores: Tensor | None = None) -> Tensor:
    """Evaluate a function at every position (batch, head, query, key).

    Args:
        mod: a function of 0-dim tensors: the score, if `scores` are given, and the four indices.
        sizes: numbers of batches, heads, queries and keys.
        scores: a tensor of that shape, or None.
    """
    first = () if scores is None else (0,)
    for axis in reversed(range(4)):
        mod = vmap(mod, in_dims=first + tuple([0 if position == axis else None for position in range(4)]))
    places = [arange(size) for size in sizes]
    return mod(*places) if scores is None else mod(scores, *places)


def create_mask(mod_fn: Mod, B: int | None, H: int | None, Q_LEN: int, KV_LEN: int, device: Any = None) -> Tensor:
    """Return a full boolean mask (B, H, Q_LEN, KV_LEN) from a mask function.

    Args:
        mod_fn: a function (batch, head, query, key) of 0-dim tensors that returns a boolean; or a function with the
            score as first argument, which returns -inf where the mask is False.
        B, H: numbers of batches and heads; None for 1, if the function does not depend on them.
        Q_LEN, KV_LEN: numbers of queries and keys.
        device: accepted for torch's users, without effect.

    Raises:
        AssertionError: if the function takes another number of arguments.

    >>> from wengert.nn.attention.flex_attention import create_mask
    >>> create_mask(lambda b, h, q, kv: q >= kv, 1, 1, 2, 3)
    tensor([[[[ True, False, False],
              [ True,  True, False]]]])
    """
    sizes = (B or 1, H or 1, Q_LEN, KV_LEN)
    count = sum(
        parameter.default is inspect.Parameter.empty for parameter in inspect.signature(mod_fn).parameters.values()
    )
    if count == 4:
        return everywhere(mod_fn, sizes).expand(sizes)
    if count != 5:
        raise AssertionError(f"Expected 4 or 5 positional args, got {count}")
    scores = everywhere(mod_fn, sizes, zeros(sizes))
    return ~scores.isneginf()


class BlockMask:
    """Block mask: the blocks of keys that each block of queries attends to, and the mask function within blocks.

    Attributes:
        seq_lengths: numbers of queries and keys.
        kv_num_blocks, kv_indices: (B, H, blocks of queries) and (..., blocks of keys), int32: the number of partially
            masked blocks of keys, and their indices, which come first in a row.
        full_kv_num_blocks, full_kv_indices: the same for blocks without masked positions; or None.
        q_num_blocks, q_indices, full_q_num_blocks, full_q_indices: the same for queries of each block of keys.
        BLOCK_SIZE: numbers of queries and keys of a block.
        mask_mod: a function (batch, head, query, key) of 0-dim tensors that returns a boolean.
    """

    TENSORS = (
        *("kv_num_blocks", "kv_indices", "full_kv_num_blocks", "full_kv_indices"),
        *("q_num_blocks", "q_indices", "full_q_num_blocks", "full_q_indices"),
    )

    def __init__(
        self,
        seq_lengths: tuple[int, int],
        kv_num_blocks: Tensor,
        kv_indices: Tensor,
        full_kv_num_blocks: Tensor | None,
        full_kv_indices: Tensor | None,
        q_num_blocks: Tensor | None,
        q_indices: Tensor | None,
        full_q_num_blocks: Tensor | None,
        full_q_indices: Tensor | None,
        BLOCK_SIZE: tuple[int, int] = (DEFAULT_SIZE, DEFAULT_SIZE),
        mask_mod: Mod = noop_mask,
    ) -> None:
        if kv_indices.dim() < 2:
            raise RuntimeError("BlockMask must have at least 2 dimensions")
        self.seq_lengths = seq_lengths
        self.kv_num_blocks, self.kv_indices = kv_num_blocks, kv_indices
        self.full_kv_num_blocks, self.full_kv_indices = full_kv_num_blocks, full_kv_indices
        self.q_num_blocks, self.q_indices = q_num_blocks, q_indices
        self.full_q_num_blocks, self.full_q_indices = full_q_num_blocks, full_q_indices
        self.BLOCK_SIZE, self.mask_mod = BLOCK_SIZE, mask_mod

    @classmethod
    def from_kv_blocks(
        cls,
        kv_num_blocks: Tensor,
        kv_indices: Tensor,
        full_kv_num_blocks: Tensor | None = None,
        full_kv_indices: Tensor | None = None,
        BLOCK_SIZE: int | tuple[int, int] = DEFAULT_SIZE,
        mask_mod: Mod | None = None,
        seq_lengths: tuple[int, int] | None = None,
        compute_q_blocks: bool = True,
    ) -> BlockMask:
        """Return a mask from the blocks of keys that each block of queries attends to.

        Raises:
            RuntimeError: if the tensors have fewer than two dimensions.
        """
        if kv_indices.dim() < 2:
            raise RuntimeError("BlockMask must have at least 2 dimensions")
        size = pair_of(BLOCK_SIZE)
        if seq_lengths is None:
            rows, columns = kv_indices.shape[-2:]
            seq_lengths = (rows * size[0], columns * size[1])
        partial, full = (None, None), (None, None)
        if compute_q_blocks:
            partial = ordered(dense(kv_num_blocks, kv_indices).transpose(-2, -1))
            if full_kv_num_blocks is not None:
                full = ordered(dense(full_kv_num_blocks, full_kv_indices).transpose(-2, -1))
        of_keys = (kv_num_blocks, kv_indices, full_kv_num_blocks, full_kv_indices)
        return cls(seq_lengths, *of_keys, *partial, *full, size, mask_mod or noop_mask)

    @property
    def shape(self) -> tuple[int, ...]:
        """Numbers of batches, heads, queries and keys."""
        return (*self.kv_indices.shape[:-2], *self.seq_lengths)

    def tensors(self) -> list[Tensor | None]:
        """Return all tensors, in the order of the constructor."""
        return [getattr(self, name) for name in self.TENSORS]

    def as_tuple(self, flatten: bool = True) -> tuple[Any, ...]:
        """Return all arguments of the constructor; pairs are flattened if `flatten`."""
        if flatten:
            return (*self.seq_lengths, *self.tensors(), None, None, None, None, *self.BLOCK_SIZE, self.mask_mod)
        return (self.seq_lengths, *self.tensors(), None, None, None, None, self.BLOCK_SIZE, self.mask_mod)

    def to(self, device: Any) -> BlockMask:
        """Return the mask on a device."""
        return self.with_tensors(lambda tensor: tensor.to(device))

    def __getitem__(self, index: Any) -> BlockMask:
        """Return the mask of some batches and heads; an integer keeps its dimension. The mask function is the same."""
        indices = index if isinstance(index, tuple) else (index,)
        entries = tuple([slice(entry, entry + 1 or None) if isinstance(entry, int) else entry for entry in indices])
        return self.with_tensors(lambda tensor: tensor[entries])

    def with_tensors(self, change: Callable[[Tensor], Tensor]) -> BlockMask:
        """Return the mask with a function applied to all its tensors."""
        parts = {
            name: tensor if tensor is None else change(tensor) for name, tensor in zip(self.TENSORS, self.tensors())
        }
        return BlockMask(self.seq_lengths, **parts, BLOCK_SIZE=self.BLOCK_SIZE, mask_mod=self.mask_mod)

    def _adjust(self, new_q_len: int, new_kv_len: int) -> BlockMask:
        """Return the mask for fewer queries and keys."""
        rows, columns = -(-new_q_len // self.BLOCK_SIZE[0]), -(-new_kv_len // self.BLOCK_SIZE[1])
        partial = ordered(dense(self.kv_num_blocks, self.kv_indices)[..., :rows, :columns])
        full = self.full_kv_num_blocks, self.full_kv_indices
        if full[0] is not None:
            full = ordered(dense(*full)[..., :rows, :columns])
        return BlockMask.from_kv_blocks(*partial, *full, self.BLOCK_SIZE, self.mask_mod, (new_q_len, new_kv_len))

    def to_dense(self) -> Tensor:
        """Return an int32 tensor (B, H, blocks of queries, blocks of keys): 1 for blocks with unmasked positions."""
        partial = dense(self.kv_num_blocks, self.kv_indices)
        if self.full_kv_num_blocks is None:
            return partial
        return partial | dense(self.full_kv_num_blocks, self.full_kv_indices)

    def numel(self) -> int:
        """Return the number of positions of the full mask."""
        product = 1
        for length in self.shape:
            product *= length
        return product

    def sparsity(self) -> float:
        """Return the percentage of positions in masked blocks; negative if blocks reach beyond the end."""
        blocks = self.kv_num_blocks.sum().item()
        if self.full_kv_num_blocks is not None:
            blocks += self.full_kv_num_blocks.sum().item()
        return 100 * (1 - blocks * self.BLOCK_SIZE[0] * self.BLOCK_SIZE[1] / self.numel())

    def to_string(self, grid_size: int | tuple[int, int] = (20, 20), limit: int = 4) -> str:
        """Return a picture of the blocks of at most `limit` batches and heads; a cell may stand for several blocks."""
        blocks = self.to_dense()
        rows, columns = blocks.shape[-2:]
        most = (rows, columns) if grid_size == -1 else pair_of(grid_size)
        high, wide = -(-rows // min(rows, most[0])), -(-columns // min(columns, most[1]))
        pictures = []
        for index in itertools.product(*map(range, blocks.shape[:-2])):
            cells = [
                [blocks[index][i : i + high, j : j + wide] for j in range(0, columns, wide)]
                for i in range(0, rows, high)
            ]
            lines = ["".join([SHADES[int(cell.all()) + int(cell.any())] for cell in line]) for line in cells]
            pictures.append("\n".join([str(index), *lines, ""]))
        return "\n".join(pictures[:limit] + [MORE] * (len(pictures) > limit))

    def __str__(self) -> str:
        return f"BlockMask(shape={self.shape}, sparsity={self.sparsity():.2f}%, \n{self.to_string().rstrip()}\n)"

    def __repr__(self) -> str:
        sizes = {name: None if tensor is None else tensor.shape for name, tensor in zip(self.TENSORS, self.tensors())}
        parts = [f"{name}={size}" for name, size in sizes.items()]
        parts += [f"BLOCK_SIZE={self.BLOCK_SIZE}", f"shape={self.shape}", f"sparsity={self.sparsity():.2f}%"]
        parts.append(f"mask_mod={getattr(self.mask_mod, '__name__', self.mask_mod)}")
        return "BlockMask(\n    " + ",\n    ".join(parts) + "\n)"


def pair_of(value: int | tuple[int, int]) -> tuple[int, int]:
    """Return a size for queries and keys as a pair."""
    return (value, value) if isinstance(value, int) else (value[0], value[1])


def dense(counts: Tensor, indices: Tensor) -> Tensor:
    """Return an int32 tensor that is 1 at the first `counts` of `indices` of each row, else 0."""
    columns = indices.shape[-1]
    wanted = (arange(columns) < counts[..., None]).int()
    return zeros_like(indices).scatter(-1, indices.long(), wanted)


def ordered(blocks: Tensor) -> tuple[Tensor, Tensor]:
    """Return the number of set blocks in each row, and all block indices, those of set blocks first; int32."""
    places = blocks.int().argsort(dim=-1, descending=True, stable=True)
    return blocks.sum(-1).int(), places.int().contiguous()


def create_block_mask(
    mask_mod: Mod,
    B: int | None,
    H: int | None,
    Q_LEN: int,
    KV_LEN: int,
    device: Any = None,
    BLOCK_SIZE: int | tuple[int, int] = DEFAULT_SIZE,
    _compile: bool = False,
    separate_full_blocks: bool = True,
) -> BlockMask:
    """Return the block mask of a mask function.

    Args:
        mask_mod: a function (batch, head, query, key) of 0-dim tensors that returns a boolean.
        B, H: numbers of batches and heads; None for 1, if the function does not depend on them.
        Q_LEN, KV_LEN: numbers of queries and keys.
        device, _compile: accepted for torch's users, without effect.
        BLOCK_SIZE: numbers of queries and keys of a block.
        separate_full_blocks: list blocks without masked positions separately.

    >>> from wengert.nn.attention.flex_attention import create_block_mask
    >>> create_block_mask(lambda b, h, q, kv: q >= kv, 1, 1, 256, 256).sparsity()
    25.0
    """
    high, wide = pair_of(BLOCK_SIZE)
    mask = create_mask(mask_mod, B, H, Q_LEN, KV_LEN, device)
    mask = pad(mask, (0, -KV_LEN % wide, 0, -Q_LEN % high))
    cells = mask.unflatten(-1, (-1, wide)).unflatten(-3, (-1, high)).sum(dim=(-3, -1))
    full = (cells == high * wide) if separate_full_blocks else zeros_like(cells, dtype=dtypes.bool_)
    counts, indices = ordered(full) if separate_full_blocks else (None, None)
    partial = ordered((cells > 0) & ~full)
    return BlockMask.from_kv_blocks(*partial, counts, indices, (high, wide), mask_mod, (Q_LEN, KV_LEN))
