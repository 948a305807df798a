"""Functions of one member made functions of a batch: `vmap`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .._tensor import Tensor
from ..autograd.batches import BatchLevel
from ..autograd.containers import flatten, spread, unflatten
from ..autograd.limits import Limits
from ..ops.randomness.generator import same_draws
from ..ops.shapes.join import cat
from .arguments import named

RANDOMNESS = ("error", "different", "same")


def vmap(
    func: Callable[..., Any],
    in_dims: Any = 0,
    out_dims: Any = 0,
    randomness: str = "error",
    *,
    chunk_size: int | None = None,
) -> Callable[..., Any]:
    """A function that runs `func` for all members of a batch at once.

    Args:
        func: takes tensors, in containers or not, and anything else; gives tensors, in containers or not.
        in_dims: the dimension of each argument along which its members lie, None for an argument that is the same for
            all; one for all arguments, or a container of the structure of the arguments (or of the outer part of it).
        out_dims: where the members of the results are to lie.
        randomness: what random operators do within `func`: "error" refuses them, "different" draws for each member,
            "same" draws once for all.
        chunk_size: run at most so many members at once; None for all.

    Returns:
        A function of the same arguments, with a dimension more, whose results have one more, too.

    Raises:
        ValueError: (when called) `in_dims` or `out_dims` do not fit, or the arguments' batches have different sizes.

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
    """Refuse what `vmap` does not know.

    Raises:
        RuntimeError: `randomness` is none of the three words.
        ValueError: `chunk_size` is not positive.
    """
    if randomness not in RANDOMNESS:
        raise RuntimeError(f"Only allowed values for randomness are 'error', 'different', or 'same'. Got {randomness}")
    if chunk_size is not None and chunk_size <= 0:
        raise ValueError(f"vmap: chunk_size should be None or greater than 0. (got {chunk_size})")


class Arguments:
    """A function with its arguments, taken apart.

    Attributes:
        func, out_dims: as given.
        elements, structure: what is in the arguments' containers, and these.
        dims: the dimension of each element along which its members lie, counted from the front, or None.
        size: how many members there are.
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
        self.elements, self.structure = flatten(args)
        dims = spread(in_dims, self.structure)
        if dims is None:
            raise ValueError(
                f"{self.call}: in_dims is not compatible with the structure of `inputs`. in_dims has structure "
                f"{flatten(in_dims)[1]} but inputs has structure {self.structure}."
            )
        self.dims = [self.dim_of(dim, element) for dim, element in zip(dims, self.elements)]
        self.size = self.size_of()

    def dim_of(self, dim: Any, value: Any) -> int | None:
        """The dimension of one element, counted from the front.

        Raises:
            ValueError: there is no such dimension, or it is no tensor.
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
        """How many members there are.

        Raises:
            ValueError: no element has a batch, or they have different ones.
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
        """The results for one batch."""
        with Limits(), level:
            entered = [
                element if dim is None else level.enter(element, dim) for element, dim in zip(elements, self.dims)
            ]
            output = self.func(*unflatten(entered, self.structure), **kwargs)
        return self.out_of(level, output)

    def out_of(self, level: BatchLevel, output: Any) -> Any:
        """The results with the members along a dimension that the program sees.

        Raises:
            ValueError: something else than tensors came, or `out_dims` do not fit.
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
        """Where the members of each result are to lie.

        Raises:
            ValueError: `out_dims` do not fit.
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
        """One result.

        Raises:
            ValueError: it is batched, but has no place for the batch.
            IndexError: it has no such dimension.
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
    """The results of parts of a batch, one after the other, as those of the whole."""
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
