"""Pruning methods: choice of the elements that are set to zero, and the hooks that apply it."""

from __future__ import annotations

import numbers
from abc import ABC, abstractmethod
from collections.abc import Iterator
from typing import Any

from ..._start.loading import at_home
from ...ops.create.like import ones_like, zeros_like
from ...ops.randomness.random import rand, rand_like
from ...ops.reductions.vector_norm import vector_norm


def check_amount(amount: Any) -> None:
    """Refuse an amount that is neither a fraction nor a number of elements.

    Raises:
        TypeError: if `amount` is not a number.
        ValueError: if `amount` is a float outside [0, 1], or a negative integer.
    """
    if not isinstance(amount, numbers.Real):
        raise TypeError(f"Invalid type for amount: {amount}. Must be int or float.")
    is_count = isinstance(amount, numbers.Integral)
    if float(amount) < 0 or (not is_count and float(amount) > 1):
        raise ValueError(f"amount={amount} should either be a float in the range [0, 1] or a non-negative integer")


def number_of(amount: Any, size: int) -> int:
    """Return the number of elements that `amount`, a fraction or a number, means among `size`.

    Raises:
        ValueError: if `amount` is greater than `size`.
    """
    count = int(amount) if isinstance(amount, numbers.Integral) else round(amount * size)
    if count > size:
        raise ValueError(f"amount={count} should be smaller than the number of parameters to prune={size}")
    return count


class BasePruningMethod(ABC):
    """Base of pruning methods, which are also the hooks that compute the parameter before each call.

    A subclass defines `compute_mask` and `PRUNING_TYPE`, the elements among which it chooses: "unstructured" (elements
    that are not pruned), "structured" (slices along `dim` that are not pruned) or "global" (all elements).
    """

    PRUNING_TYPE: str
    _tensor_name: Any = None

    def __call__(self, module: Any, inputs: Any) -> None:
        """Compute the parameter."""
        setattr(module, self._tensor_name, self.apply_mask(module))

    @abstractmethod
    def compute_mask(self, t: Any, default_mask: Any) -> Any:
        """Return a mask of ones and zeros from the scores `t` and an earlier mask."""

    def apply_mask(self, module: Any) -> Any:
        """Return the parameter times its mask.

        Raises:
            AssertionError: if the method is not applied to a parameter.
        """
        if self._tensor_name is None:
            raise AssertionError(f"Module {module} has to be pruned")
        original = getattr(module, f"{self._tensor_name}_orig")
        return getattr(module, f"{self._tensor_name}_mask").to(dtype=original.dtype) * original

    @classmethod
    def apply(cls, module: Any, name: str, *args: Any, importance_scores: Any = None, **kwargs: Any) -> Any:
        """Make a method and apply it to a parameter; with an earlier method it becomes a `PruningContainer`.

        Args:
            module, name: module and name of the parameter.
            args, kwargs: arguments of the method.
            importance_scores: scores to choose by, instead of the parameter; of the same shape.

        Returns:
            The method.

        Raises:
            AssertionError: if `importance_scores` has another shape than the parameter.
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
        hook: BasePruningMethod = method
        if before:
            key, known = before[0]
            hook = known if isinstance(known, PruningContainer) else PruningContainer(known)
            hook.add_pruning_method(method)
            mask = hook.compute_mask(scores, getattr(module, f"{name}_mask").detach().clone())
            del module._forward_pre_hooks[key]
        else:
            mask = method.compute_mask(scores, ones_like(value).detach())
            module.register_parameter(f"{name}_orig", value)
            del module._parameters[name]
        module.register_buffer(f"{name}_mask", mask)
        setattr(module, name, hook.apply_mask(module))
        module.register_forward_pre_hook(hook)
        return hook

    def prune(self, t: Any, default_mask: Any = None, importance_scores: Any = None) -> Any:
        """Return a tensor with the chosen elements set to zero, independent of any module.

        Raises:
            AssertionError: if `importance_scores` has another shape than `t`.
        """
        if importance_scores is not None and importance_scores.shape != t.shape:
            raise AssertionError(
                f"importance_scores should have the same shape as tensor t, got {importance_scores.shape} vs {t.shape}"
            )
        scores = t if importance_scores is None else importance_scores
        return t * self.compute_mask(scores, ones_like(t) if default_mask is None else default_mask)

    def remove(self, module: Any) -> None:
        """Make the parameter a plain one again, with its zeros.

        Raises:
            AssertionError: if the method is not applied to a parameter.
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
    """Return the methods applied to a parameter, with their keys among the hooks."""
    return [
        (key, hook)
        for key, hook in module._forward_pre_hooks.items()
        if isinstance(hook, BasePruningMethod) and hook._tensor_name == name
    ]


class PruningContainer(BasePruningMethod):
    """Several methods in order; each chooses among the elements that the earlier ones left."""

    def __init__(self, *args: Any) -> None:
        self._pruning_methods: tuple[Any, ...] = ()
        if len(args) == 1:
            self._tensor_name = args[0]._tensor_name
        for method in args:
            self.add_pruning_method(method)

    def add_pruning_method(self, method: Any) -> None:
        """Add a method.

        Raises:
            TypeError: if `method` is not a `BasePruningMethod`.
            ValueError: if `method` is for another parameter.
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
        """Apply the last method to an earlier mask.

        Raises:
            ValueError: if the `PRUNING_TYPE` of the last method is unknown.
        """
        method, every = self._pruning_methods[-1], slice(None)
        if method.PRUNING_TYPE == "unstructured":
            place: Any = default_mask == 1
        elif method.PRUNING_TYPE == "structured":
            dim = method.dim % t.ndim
            left = default_mask.sum(dim=[other for other in range(t.ndim) if other != dim]) != 0
            place = (*(every,) * dim, left)
        elif method.PRUNING_TYPE == "global":
            place = every
        else:
            raise ValueError(f"Unrecognized PRUNING_TYPE {method.PRUNING_TYPE}")
        mask = default_mask.to(dtype=t.dtype).clone()
        mask[place] = method.compute_mask(t[place], default_mask[place]).to(dtype=mask.dtype)
        return mask


class Identity(BasePruningMethod):
    """A method that prunes nothing."""

    PRUNING_TYPE = "unstructured"

    def compute_mask(self, t: Any, default_mask: Any) -> Any:
        """Return the earlier mask."""
        return default_mask


class Unstructured(BasePruningMethod):
    """Base of methods that prune single elements of smallest score."""

    PRUNING_TYPE = "unstructured"

    def __init__(self, amount: Any) -> None:
        check_amount(amount)
        self.amount = amount

    def _scores(self, t: Any) -> Any:
        raise NotImplementedError

    def compute_mask(self, t: Any, default_mask: Any) -> Any:
        """Return the mask.

        Raises:
            ValueError: if `amount` is greater than the number of elements.
        """
        count = number_of(self.amount, t.numel())
        mask = default_mask.clone()
        if count:
            mask.view(-1)[self._scores(t).reshape(-1).topk(count, largest=False).indices] = 0
        return mask


class RandomUnstructured(Unstructured):
    """Prune random elements.

    Args:
        amount: fraction or number to prune.
    """

    def _scores(self, t: Any) -> Any:
        return -rand_like(t)


class L1Unstructured(Unstructured):
    """Prune the elements of smallest absolute value.

    Args:
        amount: fraction or number to prune.
    """

    def _scores(self, t: Any) -> Any:
        return t.detach().abs()


class Structured(BasePruningMethod):
    """Base of methods that prune the slices of smallest score along a dimension."""

    PRUNING_TYPE = "structured"

    def __init__(self, amount: Any, dim: int = -1) -> None:
        check_amount(amount)
        self.amount = amount
        self.dim = dim

    def _scores(self, t: Any, dim: int) -> Any:
        raise NotImplementedError

    def compute_mask(self, t: Any, default_mask: Any) -> Any:
        """Return the mask.

        Raises:
            ValueError: if the tensor has fewer than two dimensions, or `amount` is greater than the number of slices.
            IndexError: if `dim` is out of range.
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
        mask = zeros_like(t).detach()
        mask[(*(slice(None),) * dim, self._scores(t, dim).topk(size - count).indices)] = 1
        return mask * default_mask.to(dtype=mask.dtype)


class RandomStructured(Structured):
    """Prune random slices.

    Args:
        amount: fraction or number to prune.
        dim: dimension of the slices.
    """

    def _scores(self, t: Any, dim: int) -> Any:
        return rand(t.shape[dim])


class LnStructured(Structured):
    """Prune the slices of smallest norm.

    Args:
        amount: fraction or number to prune.
        n: order of the norm.
        dim: dimension of the slices.
    """

    def __init__(self, amount: Any, n: Any, dim: int = -1) -> None:
        super().__init__(amount, dim)
        self.n = n

    def _scores(self, t: Any, dim: int) -> Any:
        return vector_norm(t.detach(), self.n, [other for other in range(t.ndim) if other != dim])


class CustomFromMask(BasePruningMethod):
    """Prune where a mask is 0.

    Args:
        mask: ones and zeros, of the parameter's shape.
    """

    PRUNING_TYPE = "global"

    def __init__(self, mask: Any) -> None:
        self.mask = mask

    def compute_mask(self, t: Any, default_mask: Any) -> Any:
        """Return the product of both masks.

        Raises:
            AssertionError: if the shapes of the masks differ.
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
