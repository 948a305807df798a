"""`opcheck`: whether what a program registered for an operator fits what the operator does."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from .._tensor import Tensor
from ..autograd import enable_grad, grad, no_grad
from ..ops import namespaces
from .arguments import tensors_in


class OpCheckError(Exception):
    """A check of `opcheck` failed; what it found is its cause."""


class MetadataMismatchError(Exception):
    """What was registered of the results' shapes or dtypes is not so.

    Args:
        reason: which of them differ.
    """

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason

    def __repr__(self) -> str:
        return f"MetadataMismatchError(reason={self.reason!r})"


def copied(value: Any) -> Any:
    """A value whose tensors are clones, leaves again where leaves were."""
    if isinstance(value, Tensor):
        return value.detach().clone().requires_grad_(value.requires_grad)  # type: ignore[attr-defined]
    if isinstance(value, (list, tuple)):
        return type(value)([copied(each) for each in value])
    return value


def check_schema(op: Any, args: Any, kwargs: Any) -> None:
    """Compute, and see whether an argument has changed of which the schema does not say so.

    Raises:
        RuntimeError: one has.
    """
    given, named = copied(args), {name: copied(each) for name, each in kwargs.items()}
    op(*given, **named)
    if isinstance(op, namespaces.AtenOverload):
        return
    for at, argument in enumerate(op._schema.arguments):
        before, after = (
            (args[at], given[at]) if at < len(args) else (kwargs.get(argument.name), named.get(argument.name))
        )
        pairs = zip(tensors_in(before), tensors_in(after))
        if not argument.mutated and any(not same(one, other) for one, other in pairs):
            raise RuntimeError(f"Argument {argument.name} is not defined as mutable but was mutated")


def same(one: Any, other: Any) -> bool:
    """Whether two tensors hold the same values, not-a-number counted as one."""
    return bool(((one == other) | ((one != one) & (other != other))).all())


def check_registration(op: Any, args: Any, kwargs: Any) -> None:
    """See whether calls are recorded where the engine sees them: those of `library` always are."""


def check_fake(op: Any, args: Any, kwargs: Any) -> None:
    """Compare what the registered function says of the results with the results.

    Raises:
        RuntimeError: there is no such function.
        MetadataMismatchError: a shape or a dtype is another one.
    """
    if isinstance(op, namespaces.AtenOverload) or op.whole is not None:
        return
    fake = op.shown()
    if fake is None:
        return
    with no_grad():
        found = tensors_in(op(*copied(args), **{name: copied(each) for name, each in kwargs.items()}))
        told = tensors_in(fake(*copied(args), **kwargs))
    for one, other in zip(found, told):
        for words, attribute in (("Shapes", "shape"), ("Dtypes", "dtype")):
            real, given = getattr(one, attribute), getattr(other, attribute)
            if real != given:
                raise MetadataMismatchError(
                    f"When comparing the output of {op} on FakeTensor and concrete Tensors, found mismatched tensor "
                    f"metadata: {words} {real} and {given} are not equal!"
                )


def check_derivative(op: Any, args: Any, kwargs: Any) -> None:
    """Run the backward pass where arguments require a gradient; the registered function is needed, too."""
    given, named = copied(args), {name: copied(each) for name, each in kwargs.items()}
    with enable_grad():
        results = [each for each in tensors_in(op(*given, **named)) if each.requires_grad]
        leaves = [each for each in tensors_in([given, list(named.values())]) if each.requires_grad]
        if results and leaves:
            grad([each.sum() for each in results], leaves, allow_unused=True)  # type: ignore[attr-defined]
    if not isinstance(op, namespaces.AtenOverload) and op.whole is None:
        op.shown()


CHECKS: dict[str, Callable[[Any, Any, Any], None]] = {
    "test_schema": check_schema,
    "test_autograd_registration": check_registration,
    "test_faketensor": check_fake,
    "test_aot_dispatch_static": check_derivative,
    "test_aot_dispatch_dynamic": check_derivative,
}
"""What is checked, by torch's names."""
USUAL = tuple(each for each in CHECKS if each != "test_aot_dispatch_static")


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
    """Check an operator: its schema, what was registered of its results, and that its derivative runs.

    Whether the derivative is right says `autograd.gradcheck`.

    Args:
        op: its definition, or as `torch.ops.<namespace>.<name>` gives it.
        args, kwargs: arguments to call it with.
        test_utils: what to check: "test_schema" (no argument is written to of which the schema does not say so),
            "test_autograd_registration", "test_faketensor" (shapes and dtypes), "test_aot_dispatch_static" and
            "test_aot_dispatch_dynamic" (the backward pass, if an argument requires a gradient).
        raise_exception: whether to stop at the first failure.
        atol, rtol: for torch's users.

    Returns:
        For each check "SUCCESS", or the error.

    Raises:
        OpCheckError: a check failed, and `raise_exception` is set.
        ValueError: `op` is no operator, or there is no such check.

    >>> import wengert as wg
    >>> @wg.library.custom_op("docs::twice", mutates_args=())
    ... def twice(x: wg.Tensor) -> wg.Tensor:
    ...     return x * 2
    >>> wg.library.opcheck(twice, (wg.ones(2),), test_utils="test_schema")
    {'test_schema': 'SUCCESS'}
    """
    asked = (test_utils,) if isinstance(test_utils, str) else tuple(test_utils)
    found = getattr(op, "_opoverload", op)
    found = getattr(found, "default", found) if isinstance(found, namespaces.OpOverloadPacket) else found
    if not isinstance(found, namespaces.OpOverload):
        raise ValueError(
            "opcheck(op, ...): op must be instance of torch._ops.OpOverload, e.g. torch.ops.aten.sin.default, got "
            f"{type(op)}"
        )
    if not set(asked) <= set(CHECKS):
        raise ValueError(
            f"opcheck(op, ..., test_utils={asked}), expected test_utils to be subset of {tuple(CHECKS)} but it was not"
        )
    outcome: dict[str, Any] = {}
    for each in asked:
        try:
            CHECKS[each](found, args, {} if kwargs is None else kwargs)
            outcome[each] = "SUCCESS"
        except Exception as error:
            if raise_exception:
                raise OpCheckError(
                    f"opcheck(op, ...): {each} failed with {error} (scroll up for stack trace)"
                ) from error
            outcome[each] = error
    return outcome
