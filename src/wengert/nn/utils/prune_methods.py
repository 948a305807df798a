"""Ways to choose which parts of a parameter are set to zero, and the hooks that do it."""

from __future__ import annotations

import numbers
from abc import ABC, abstractmethod
from collections.abc import Iterator
from typing import Any

from ..._start.loading import at_home
from ...ops.create.like import ones_like, zeros_like
from ...ops.randomness.random import rand
from ...ops.randomness.random_like import rand_like
from ...ops.reductions.vector_norm import vector_norm


def check_amount(amount: Any) -> None:
    """Refuse what is neither a share nor a number of elements.

    Raises:
        TypeError: no number.
        ValueError: a share outside [0, 1], or a negative number.
    """
    if not isinstance(amount, numbers.Real):
        raise TypeError(f"Invalid type for amount: {amount}. Must be int or float.")
    whole = isinstance(amount, numbers.Integral)
    if float(amount) < 0 or (not whole and float(amount) > 1):
        raise ValueError(f"amount={amount} should either be a float in the range [0, 1] or a non-negative integer")


def number_of(amount: Any, size: int) -> int:
    """How many of `size` elements are meant.

    Raises:
        ValueError: more than there are.
    """
    count = int(amount) if isinstance(amount, numbers.Integral) else round(amount * size)
    if count > size:
        raise ValueError(f"amount={count} should be smaller than the number of parameters to prune={size}")
    return count


class BasePruningMethod(ABC):
    """A way to choose what becomes zero, and the hook that computes the parameter before each call.

    A subclass says which elements its mask is about, `PRUNING_TYPE` ("unstructured": those that are left, "structured":
    the slices along `dim` that are left, "global": all), and defines `compute_mask`.
    """

    PRUNING_TYPE: str
    _tensor_name: Any = None

    def __call__(self, module: Any, inputs: Any) -> None:
        """Compute the parameter."""
        setattr(module, self._tensor_name, self.apply_mask(module))

    @abstractmethod
    def compute_mask(self, t: Any, default_mask: Any) -> Any:
        """A mask of ones and zeros, by the importance of elements `t`, on top of an earlier mask."""

    def apply_mask(self, module: Any) -> Any:
        """The parameter with its zeros.

        Raises:
            AssertionError: it has none.
        """
        if self._tensor_name is None:
            raise AssertionError(f"Module {module} has to be pruned")
        original = getattr(module, f"{self._tensor_name}_orig")
        return getattr(module, f"{self._tensor_name}_mask").to(dtype=original.dtype) * original

    @classmethod
    def apply(cls, module: Any, name: str, *args: Any, importance_scores: Any = None, **kwargs: Any) -> Any:
        """Make a method, and put it on a parameter; where there is one already, both become a `PruningContainer`.

        Args:
            module, name: the parameter.
            args, kwargs: of the method.
            importance_scores: to choose by, in the place of the parameter; of its shape.

        Returns:
            The method.

        Raises:
            AssertionError: the importance has another shape.
        """
        before = hooks_of(module, name)
        method = cls(*args, **kwargs)
        method._tensor_name = name
        value = getattr(module, name)
        if importance_scores is not None and importance_scores.shape != value.shape:
            raise AssertionError(
                f"importance_scores should have the same shape as parameter {name} of {module}, got "
                f"{importance_scores.shape} vs {value.shape}"
            )
        scores = value if importance_scores is None else importance_scores
        made: BasePruningMethod = method
        if before:
            key, known = before[0]
            made = known if isinstance(known, PruningContainer) else PruningContainer(known)
            made.add_pruning_method(method)
            mask = made.compute_mask(scores, getattr(module, f"{name}_mask").detach().clone())
            del module._forward_pre_hooks[key]
        else:
            mask = method.compute_mask(scores, ones_like(value).detach())
            module.register_parameter(f"{name}_orig", value)
            del module._parameters[name]
        module.register_buffer(f"{name}_mask", mask)
        setattr(module, name, made.apply_mask(module))
        module.register_forward_pre_hook(made)
        return made

    def prune(self, t: Any, default_mask: Any = None, importance_scores: Any = None) -> Any:
        """A tensor with what the method chooses set to zero; no module is concerned.

        Raises:
            AssertionError: the importance has another shape.
        """
        if importance_scores is not None and importance_scores.shape != t.shape:
            raise AssertionError(
                f"importance_scores should have the same shape as tensor t, got {importance_scores.shape} vs {t.shape}"
            )
        scores = t if importance_scores is None else importance_scores
        return t * self.compute_mask(scores, ones_like(t) if default_mask is None else default_mask)

    def remove(self, module: Any) -> None:
        """Let the parameter be one again, with its zeros.

        Raises:
            AssertionError: the method is on none.
        """
        if self._tensor_name is None:
            raise AssertionError(f"Module {module} has to be pruned before pruning can be removed")
        name = self._tensor_name
        value = self.apply_mask(module)
        delattr(module, name)
        original = module._parameters.pop(f"{name}_orig")
        original.data = value.data
        del module._buffers[f"{name}_mask"]
        setattr(module, name, original)


def hooks_of(module: Any, name: str) -> list[tuple[Any, Any]]:
    """The methods on a parameter, with their keys among the hooks."""
    return [
        (key, hook)
        for key, hook in module._forward_pre_hooks.items()
        if isinstance(hook, BasePruningMethod) and hook._tensor_name == name
    ]


class PruningContainer(BasePruningMethod):
    """Methods one after the other, each on what those before have left."""

    def __init__(self, *args: Any) -> None:
        self._pruning_methods: tuple[Any, ...] = ()
        if len(args) == 1:
            self._tensor_name = args[0]._tensor_name
        for method in args:
            self.add_pruning_method(method)

    def add_pruning_method(self, method: Any) -> None:
        """Add a method.

        Raises:
            TypeError: it is none.
            ValueError: it is for another parameter.
        """
        if not isinstance(method, BasePruningMethod):
            raise TypeError(f"{type(method)} is not a BasePruningMethod subclass")
        if method._tensor_name != self._tensor_name:
            raise ValueError(
                f"Can only add pruning methods acting on the parameter named '{self._tensor_name}' to "
                f"PruningContainer {self}. Found '{method._tensor_name}'"
            )
        self._pruning_methods += (method,)

    def __len__(self) -> int:
        return len(self._pruning_methods)

    def __iter__(self) -> Iterator[Any]:
        return iter(self._pruning_methods)

    def __getitem__(self, idx: Any) -> Any:
        return self._pruning_methods[idx]

    def compute_mask(self, t: Any, default_mask: Any) -> Any:
        """The mask that the last method makes of an earlier one.

        Raises:
            ValueError: its `PRUNING_TYPE` is unknown.
        """
        method, every = self._pruning_methods[-1], slice(None)
        if method.PRUNING_TYPE == "unstructured":
            place: Any = default_mask == 1
        elif method.PRUNING_TYPE == "structured":
            dim = method.dim % t.ndim
            left = default_mask.sum(dim=[each for each in range(t.ndim) if each != dim]) != 0
            place = (*(every,) * dim, left)
        elif method.PRUNING_TYPE == "global":
            place = every
        else:
            raise ValueError(f"Unrecognized PRUNING_TYPE {method.PRUNING_TYPE}")
        made = default_mask.to(dtype=t.dtype).clone()
        made[place] = method.compute_mask(t[place], default_mask[place]).to(dtype=made.dtype)
        return made


class Identity(BasePruningMethod):
    """No new zeros."""

    PRUNING_TYPE = "unstructured"

    def compute_mask(self, t: Any, default_mask: Any) -> Any:
        """The earlier mask."""
        return default_mask


class Unstructured(BasePruningMethod):
    """A share, or a number, of single elements: those of least score."""

    PRUNING_TYPE = "unstructured"

    def __init__(self, amount: Any) -> None:
        check_amount(amount)
        self.amount = amount

    def _scores(self, t: Any) -> Any:
        raise NotImplementedError

    def compute_mask(self, t: Any, default_mask: Any) -> Any:
        """The mask.

        Raises:
            ValueError: there are fewer elements than are to become zero.
        """
        count = number_of(self.amount, t.numel())
        made = default_mask.clone()
        if count:
            made.view(-1)[self._scores(t).reshape(-1).topk(count, largest=False).indices] = 0
        return made


class RandomUnstructured(Unstructured):
    """Single elements at random.

    Args:
        amount: their share, or number.
    """

    def _scores(self, t: Any) -> Any:
        return -rand_like(t)


class L1Unstructured(Unstructured):
    """Single elements of least absolute value.

    Args:
        amount: their share, or number.
    """

    def _scores(self, t: Any) -> Any:
        return t.detach().abs()


class Structured(BasePruningMethod):
    """A share, or a number, of slices along a dimension: those of least score."""

    PRUNING_TYPE = "structured"

    def __init__(self, amount: Any, dim: int = -1) -> None:
        check_amount(amount)
        self.amount = amount
        self.dim = dim

    def _scores(self, t: Any, dim: int) -> Any:
        raise NotImplementedError

    def compute_mask(self, t: Any, default_mask: Any) -> Any:
        """The mask.

        Raises:
            ValueError: the tensor has no slices, or fewer than are to become zero.
            IndexError: there is no such dimension.
        """
        if t.ndim <= 1:
            raise ValueError(
                "Structured pruning can only be applied to multidimensional tensors. Found tensor of shape "
                f"{t.shape} with {t.ndim} dims"
            )
        if not -t.ndim <= self.dim < t.ndim:
            raise IndexError(f"Invalid index {self.dim} for tensor of size {t.shape}")
        dim = self.dim % t.ndim
        size = t.shape[dim]
        count = number_of(self.amount, size)
        if not count:
            return default_mask
        made = zeros_like(t).detach()
        made[(*(slice(None),) * dim, self._scores(t, dim).topk(size - count).indices)] = 1
        return made * default_mask.to(dtype=made.dtype)


class RandomStructured(Structured):
    """Slices at random.

    Args:
        amount: their share, or number.
        dim: along which they lie.
    """

    def _scores(self, t: Any, dim: int) -> Any:
        return rand(t.shape[dim])


class LnStructured(Structured):
    """Slices of least norm.

    Args:
        amount: their share, or number.
        n: order of the norm.
        dim: along which they lie.
    """

    def __init__(self, amount: Any, n: Any, dim: int = -1) -> None:
        super().__init__(amount, dim)
        self.n = n

    def _scores(self, t: Any, dim: int) -> Any:
        return vector_norm(t.detach(), self.n, [each for each in range(t.ndim) if each != dim])


class CustomFromMask(BasePruningMethod):
    """What a mask says.

    Args:
        mask: ones and zeros, of the parameter's shape.
    """

    PRUNING_TYPE = "global"

    def __init__(self, mask: Any) -> None:
        self.mask = mask

    def compute_mask(self, t: Any, default_mask: Any) -> Any:
        """Both masks.

        Raises:
            AssertionError: of different shapes.
        """
        if default_mask.shape != self.mask.shape:
            raise AssertionError(
                f"default_mask shape {default_mask.shape} must match self.mask shape {self.mask.shape}"
            )
        return default_mask * self.mask.to(dtype=default_mask.dtype)


at_home(
    "wengert.nn.utils.prune",
    BasePruningMethod,
    PruningContainer,
    Identity,
    RandomUnstructured,
    L1Unstructured,
    RandomStructured,
    LnStructured,
    CustomFromMask,
)
