"""`opcheck`: consistency of an operator with the rules registered for it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from .._tensor import Tensor
from ..autograd import enable_grad, grad, no_grad
from ..ops import namespaces
from .arguments import tensors_in


class OpCheckError(Exception):
    """A check of `opcheck` failed; the cause is the error of the check."""


class MetadataMismatchError(Exception):
    """Shapes or dtypes of results differ from those of the registered function.

    Args:
        reason: description of the difference.
    """

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason

    def __repr__(self) -> str:
        return f"MetadataMismatchError(reason={self.reason!r})"


def copied(value: Any) -> Any:
    """Return a value with its tensors cloned; leaves stay leaves."""
    if isinstance(value, Tensor):
        return value.detach().clone().requires_grad_(value.requires_grad)
    if isinstance(value, (list, tuple)):
        return type(value)([copied(item) for item in value])
    return value


def check_schema(op: Any, args: Any, kwargs: Any) -> None:
    """Call the operator, and check that only arguments that the schema marks as mutable change.

    Raises:
        RuntimeError: if an argument changed that the schema does not mark as mutable.
    """
    positional, named = copied(args), {name: copied(value) for name, value in kwargs.items()}
    op(*positional, **named)
    if isinstance(op, namespaces.AtenOverload):
        return
    for position, argument in enumerate(op._schema.arguments):
        before, after = (
            (args[position], positional[position])
            if position < len(args)
            else (kwargs.get(argument.name), named.get(argument.name))
        )
        pairs = zip(tensors_in(before), tensors_in(after))
        if not argument.mutated and any(not same(unchanged, tensor) for unchanged, tensor in pairs):
            raise RuntimeError(f"Argument {argument.name} is not defined as mutable but was mutated")


def same(first: Any, second: Any) -> bool:
    """Return whether two tensors have the same values; NaN equals NaN."""
    return bool(((first == second) | ((first != first) & (second != second))).all())


def check_registration(op: Any, args: Any, kwargs: Any) -> None:
    """Do nothing: calls of operators of `library` are always recorded."""


def check_fake(op: Any, args: Any, kwargs: Any) -> None:
    """Compare shapes and dtypes of the results with those of the registered function.

    Raises:
        RuntimeError: if no such function is registered.
        MetadataMismatchError: if a shape or a dtype differs.
    """
    if isinstance(op, namespaces.AtenOverload) or op.whole is not None:
        return
    fake = op.shown()
    if fake is None:
        return
    with no_grad():
        results = tensors_in(op(*copied(args), **{name: copied(value) for name, value in kwargs.items()}))
        fakes = tensors_in(fake(*copied(args), **kwargs))
    for result, fake_result in zip(results, fakes):
        for words, attribute in (("Shapes", "shape"), ("Dtypes", "dtype")):
            real, expected = getattr(result, attribute), getattr(fake_result, attribute)
            if real != expected:
                raise MetadataMismatchError(
                    f"When comparing the output of {op} on FakeTensor and concrete Tensors, found mismatched tensor "
                    f"metadata: {words} {real} and {expected} are not equal!"
                )


def check_derivative(op: Any, args: Any, kwargs: Any) -> None:
    """Run the backward pass if arguments require a gradient; also check that the function for shapes is registered."""
    positional, named = copied(args), {name: copied(value) for name, value in kwargs.items()}
    with enable_grad():
        results = [result for result in tensors_in(op(*positional, **named)) if result.requires_grad]
        leaves = [leaf for leaf in tensors_in([positional, list(named.values())]) if leaf.requires_grad]
        if results and leaves:
            grad([result.sum() for result in results], leaves, allow_unused=True)
    if not isinstance(op, namespaces.AtenOverload) and op.whole is None:
        op.shown()


CHECKS: dict[str, Callable[[Any, Any, Any], None]] = {
    "test_schema": check_schema,
    "test_autograd_registration": check_registration,
    "test_faketensor": check_fake,
    "test_aot_dispatch_static": check_derivative,
    "test_aot_dispatch_dynamic": check_derivative,
}
"""The checks by torch's names."""
USUAL = tuple(name for name in CHECKS if name != "test_aot_dispatch_static")


def opcheck(
    op: Any,
    args: tuple[Any, ...],
    kwargs: dict[str, Any] | None = None,
    *,
    test_utils: str | Sequence[str] = USUAL,
    raise_exception: bool = True,
    atol: float | None = None,
    rtol: float | None = None,
) -> dict[str, Any]:
    """Check an operator: its schema, the registered shapes of its results, and that its derivative runs.

    Use `autograd.gradcheck` to check that the derivative is correct.

    Args:
        op: definition of the operator, or `torch.ops.<namespace>.<name>`.
        args, kwargs: arguments to call it with.
        test_utils: checks to run: "test_schema" (only arguments marked as mutable are written to),
            "test_autograd_registration", "test_faketensor" (shapes and dtypes), "test_aot_dispatch_static" and
            "test_aot_dispatch_dynamic" (the backward pass, if an argument requires a gradient).
        raise_exception: whether to stop at the first failure.
        atol, rtol: accepted for torch's users, without effect.

    Returns:
        A dictionary of each check to "SUCCESS", or to the error.

    Raises:
        OpCheckError: if a check fails and `raise_exception` is True.
        ValueError: if `op` is not an operator, or there is no such check.

    >>> import wengert as wg
    >>> @wg.library.custom_op("docs::twice", mutates_args=())
    ... def twice(x: wg.Tensor) -> wg.Tensor:
    ...     return x * 2
    >>> wg.library.opcheck(twice, (wg.ones(2),), test_utils="test_schema")
    {'test_schema': 'SUCCESS'}
    """
    requested = (test_utils,) if isinstance(test_utils, str) else tuple(test_utils)
    operator = getattr(op, "_opoverload", op)
    operator = getattr(operator, "default", operator) if isinstance(operator, namespaces.OpOverloadPacket) else operator
    if not isinstance(operator, namespaces.OpOverload):
        raise ValueError(
            "opcheck(op, ...): op must be instance of torch._ops.OpOverload, e.g. torch.ops.aten.sin.default, got "
            f"{type(op)}"
        )
    if not set(requested) <= set(CHECKS):
        raise ValueError(
            f"opcheck(op, ..., test_utils={requested}), expected test_utils to be subset of "
            f"{tuple(CHECKS)} but it was not"
        )
    outcome: dict[str, Any] = {}
    for name in requested:
        try:
            CHECKS[name](operator, args, {} if kwargs is None else kwargs)
            outcome[name] = "SUCCESS"
        except Exception as error:
            if raise_exception:
                raise OpCheckError(
                    f"opcheck(op, ...): {name} failed with {error} (scroll up for stack trace)"
                ) from error
            outcome[name] = error
    return outcome
