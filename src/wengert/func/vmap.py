"""`vmap`: run a function on all members of a batch at once."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np

from .._tensor import Tensor
from ..autograd.batches import BatchLevel
from ..autograd.containers import flatten, spread, unflatten
from ..autograd.limits import Limits
from ..ops.create.interchange import as_tensor
from ..ops.randomness.generator import same_draws
from ..ops.shapes.join import cat
from .arguments import named

R = TypeVar("R")
RANDOMNESS = ("error", "different", "same")


def vmap(
    func: Callable[..., R],
    in_dims: Any = 0,
    out_dims: Any = 0,
    randomness: str = "error",
    *,
    chunk_size: int | None = None,
) -> Callable[..., R]:
    """Return a function that runs `func` on all members of a batch at once.

    Args:
        func: function of tensors, containers of tensors and other objects; returns tensors or containers of tensors.
        in_dims: the batch dimension of each argument, None for an argument that is the same for all members; one for
            all arguments, or a container with the structure (or the outer part of the structure) of the arguments.
        out_dims: the batch dimension of each result.
        randomness: behaviour of random operators in `func`: "error" refuses them, "different" draws for each member,
            "same" draws once for all.
        chunk_size: the largest number of members run at once; None for all.

    Returns:
        A function of the same arguments with a batch dimension, whose results have a batch dimension, too.

    Raises:
        ValueError: if `in_dims` or `out_dims` do not fit, or the batch sizes of the arguments differ (when called).

    >>> import wengert as wg
    >>> wg.vmap(wg.dot)(wg.tensor([[1.0, 2.0], [3.0, 4.0]]), wg.tensor([[1.0, 1.0], [1.0, 0.0]]))
    tensor([3., 3.])
    """
    check_options(randomness, chunk_size)

    def mapped(*args: Any, **kwargs: Any) -> Any:
        arguments = Arguments(func, in_dims, args, out_dims)
        if chunk_size is not None and chunk_size < arguments.size:
            return in_chunks(arguments, kwargs, randomness, chunk_size)
        return arguments.run(BatchLevel(arguments.size, randomness), arguments.elements, kwargs)

    return named(func, mapped, "vmap")


def check_options(randomness: Any, chunk_size: Any) -> None:
    """Refuse invalid options of `vmap`.

    Raises:
        RuntimeError: if `randomness` is not "error", "different" or "same".
        ValueError: if `chunk_size` is not positive.
    """
    if randomness not in RANDOMNESS:
        raise RuntimeError(f"Only allowed values for randomness are 'error', 'different', or 'same'. Got {randomness}")
    if chunk_size is not None and chunk_size <= 0:
        raise ValueError(f"vmap: chunk_size should be None or greater than 0. (got {chunk_size})")


class Arguments:
    """A function with its flattened arguments.

    Attributes:
        func, out_dims: arguments of `vmap`.
        elements, structure: the elements of the arguments, and their containers.
        dims: the batch dimension of each element, counted from the front, or None.
        size: the number of members.
    """

    def __init__(self, func: Callable[..., Any], in_dims: Any, args: tuple[Any, ...], out_dims: Any) -> None:
        self.func = func
        self.out_dims = out_dims
        self.name = getattr(func, "__name__", repr(func))
        self.call = f"vmap({self.name}, in_dims={in_dims}, ...)(<inputs>)"
        if not isinstance(in_dims, (int, tuple)) or isinstance(in_dims, bool):
            raise ValueError(
                f"{self.call}: expected `in_dims` to be int or a (potentially nested) tuple matching the structure of "
                f"inputs, got: {type(in_dims)}."
            )
        if not args:
            raise ValueError(
                f"vmap({self.name})(<inputs>): got no inputs. Maybe you forgot to add inputs, or you are trying to "
                "vmap over a function with no inputs. The latter is unsupported."
            )
        elements, self.structure = flatten(args)
        self.elements = [as_tensor(element) if isinstance(element, np.ndarray) else element for element in elements]
        dims = spread(in_dims, self.structure)
        if dims is None:
            raise ValueError(
                f"{self.call}: in_dims is not compatible with the structure of `inputs`. in_dims has structure "
                f"{flatten(in_dims)[1]} but inputs has structure {self.structure}."
            )
        self.dims = [self.dim_of(dim, element) for dim, element in zip(dims, self.elements)]
        self.size = self.size_of()

    def dim_of(self, dim: Any, value: Any) -> int | None:
        """Return the batch dimension of an element, counted from the front.

        Raises:
            ValueError: if there is no such dimension, or the element is not a tensor.
        """
        if dim is None:
            return None
        if isinstance(dim, bool) or not isinstance(dim, int):
            raise ValueError(
                f"{self.call}: Got in_dim={dim} for an input but in_dim must be either an integer dimension or None."
            )
        if not isinstance(value, Tensor):
            raise ValueError(
                f"{self.call}: Got in_dim={dim} for an input but the input is of type {type(value)}. We cannot vmap "
                "over non-Tensor arguments, please use None as the respective in_dim"
            )
        if not -value.ndim <= dim < value.ndim:
            raise ValueError(
                f"{self.call}: Got in_dim={dim} for some input, but that input is a Tensor of dimensionality "
                f"{value.ndim} so expected in_dim to satisfy -{value.ndim} <= in_dim < {value.ndim}."
            )
        return dim % value.ndim

    def size_of(self) -> int:
        """Return the number of members.

        Raises:
            ValueError: if no element has a batch dimension, or the sizes differ.
        """
        sizes = [element.shape[dim] for element, dim in zip(self.elements, self.dims) if dim is not None]
        if not sizes:
            raise ValueError("vmap: Expected at least one Tensor to vmap over")
        if any(size != sizes[0] for size in sizes):
            raise ValueError(
                f"vmap: Expected all tensors to have the same size in the mapped dimension, got sizes {sizes} for the "
                "mapped dimension"
            )
        return int(sizes[0])

    def run(self, level: BatchLevel, elements: list[Any], kwargs: dict[str, Any]) -> Any:
        """Return the results for one batch."""
        with Limits(), level:
            entered = [
                element if dim is None else level.enter(element, dim) for element, dim in zip(elements, self.dims)
            ]
            output = self.func(*unflatten(entered, self.structure), **kwargs)
        return self.out_of(level, output)

    def out_of(self, level: BatchLevel, output: Any) -> Any:
        """Return the results with the members along an ordinary dimension.

        Raises:
            ValueError: if the output has elements that are not tensors, or `out_dims` do not fit.
        """
        results, structure = flatten(output)
        dims = self.dims_of_results(structure)
        for result, dim in zip(results, dims):
            if dim is not None and not isinstance(result, Tensor):
                raise ValueError(
                    f"vmap({self.name}, ...): `{self.name}` must only return Tensors, got type {type(result)}. Did you "
                    "mean to set out_dims= to None for output?"
                )
        return unflatten([self.placed(level, result, dim) for result, dim in zip(results, dims)], structure)

    def dims_of_results(self, structure: Any) -> list[Any]:
        """Return the batch dimension of each result.

        Raises:
            ValueError: if `out_dims` do not fit.
        """
        out_dims = self.out_dims
        if any(dim is not None and (isinstance(dim, bool) or not isinstance(dim, int)) for dim in flatten(out_dims)[0]):
            raise ValueError(
                f"vmap({self.name}, ..., out_dims={out_dims}): `out_dims` must be an int, None or a python "
                "collection of ints representing where in the outputs the vmapped dimension should appear."
            )
        if structure.kind is None and isinstance(out_dims, tuple) and len(out_dims) == 1:
            out_dims = out_dims[0]
        dims = spread(out_dims, structure)
        if dims is None:
            raise ValueError(
                f"vmap({self.name}, ..., out_dims={out_dims})(<inputs>): out_dims is not compatible with the "
                f"structure of `outputs`. out_dims has structure {flatten(out_dims)[1]} but "
                f"outputs has structure {structure}."
            )
        return dims

    def placed(self, level: BatchLevel, value: Any, dim: Any) -> Any:
        """Return a result with its members along `dim`.

        Raises:
            ValueError: if it is batched, but `dim` is None.
            IndexError: if it has no such dimension.
        """
        if dim is None:
            if level.carries(value):
                raise ValueError(
                    f"vmap({self.name}, ...): `{self.name}` can not return a BatchedTensor when out_dim is None"
                )
            return value
        room = value.ndim + 1
        if not -room <= dim < room:
            raise IndexError(
                f"Dimension out of range (expected to be in range of [{-room}, {room - 1}], but got {dim})"
            )
        return level.leave(value, dim % room)


def in_chunks(arguments: Arguments, kwargs: dict[str, Any], randomness: str, chunk_size: int) -> Any:
    """Run chunks of a batch one after the other, and join their results."""
    parts = []
    again = same_draws(None) if randomness == "same" else None
    for start in range(0, arguments.size, chunk_size):
        if again is not None:
            again()
        length = min(chunk_size, arguments.size - start)
        elements = [
            element if dim is None else element.narrow(dim, start, length)
            for element, dim in zip(arguments.elements, arguments.dims)
        ]
        parts.append(flatten(arguments.run(BatchLevel(length, randomness), elements, kwargs)))
    structure = parts[0][1]
    dims = arguments.dims_of_results(structure)
    joined = [
        rows[0] if dim is None else cat(list(rows), dim) for rows, dim in zip(zip(*[part[0] for part in parts]), dims)
    ]
    return unflatten(joined, structure)
