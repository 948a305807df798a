"""Recording of calls of a user-defined operator, through a custom Function made for it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..autograd import Function
from ..ops.shapes.join import stack
from .arguments import Layout, gathered, laid_out, spread, tensors_in

if TYPE_CHECKING:
    from .operator import OpOverload

PLAIN = (bool, int, float, complex, str, type(None))


def function_of(op: OpOverload) -> type[Function]:
    """Return the custom Function of an operator. Its arguments are flattened, and the layout comes last."""

    def forward(*values: Any) -> Any:
        result = op.run(gathered(values[:-1], values[-1]))
        if op.returns_lists:
            return spread(result)
        return tuple(result) if isinstance(result, list) else result

    def setup_context(ctx: Any, inputs: Any, output: Any) -> None:
        ctx.layout_of_arguments = inputs[-1]
        if op.returns_lists:
            ctx.layout_of_results = output[-1]
            output = tuple(gathered(output[:-1], output[-1]))
        prepare(op, ctx, gathered(inputs[:-1], inputs[-1]), output)

    def backward(ctx: Any, *grads: Any) -> Any:
        if op.returns_lists:
            grads = tuple(gathered(grads[:-1], ctx.layout_of_results))
        return (*gradients(op, ctx, grads), None)

    def vmap(info: Any, in_dims: Any, *arguments: Any) -> Any:
        result = batched(info, in_dims, *arguments)
        return spread_batch(*result) if op.returns_lists else result

    def batched(info: Any, in_dims: Any, *arguments: Any) -> Any:
        if op.batch_rule is None:
            return one_by_one(op, info.batch_size, in_dims[:-1], arguments[:-1], arguments[-1])
        dims, values = gathered(in_dims[:-1], arguments[-1]), gathered(arguments[:-1], arguments[-1])
        count = given_count(op, values)
        rest = {a.name: value for a, value in list(zip(op._schema.arguments, values))[count:] if a.keyword_only}
        return op.batch_rule(info, tuple(dims[:count]), *values[:count], **rest)

    space, _, name = op.name().partition("::")
    body = {function.__name__: staticmethod(function) for function in (forward, setup_context, backward, vmap)}
    return type(f"GeneratedBackwardFor_{space}_{name}_default", (Function,), body)


def given_count(op: OpOverload, values: list[Any]) -> int:
    """Return the number of positional arguments of a batching rule: up to the last one that is not its default."""
    places = [(a, value) for a, value in zip(op._schema.arguments, values) if not a.keyword_only]
    while places and isinstance(places[-1][1], PLAIN) and places[-1][1] == places[-1][0].default:
        places.pop()
    return len(places)


def prepare(op: OpOverload, ctx: Any, values: list[Any], output: Any) -> None:
    """Call the user's `setup_context`; keyword-only arguments are passed by name."""
    if op.setup_context is None:
        return
    named = {a.name: value for a, value in zip(op._schema.arguments, values) if a.keyword_only}
    positional = tuple([value for a, value in zip(op._schema.arguments, values) if not a.keyword_only])
    if named:
        op.setup_context(ctx=ctx, inputs=positional, keyword_only_inputs=named, output=output)
    else:
        op.setup_context(ctx=ctx, inputs=positional, output=output)


def gradients(op: OpOverload, ctx: Any, grads: tuple[Any, ...]) -> list[Any]:
    """Call the user's derivative; return one gradient for each flattened argument.

    Raises:
        RuntimeError: if no derivative is registered, or it returns another number of gradients than there are
            parameters.
    """
    if op.backward is None:
        raise RuntimeError(
            f"Trying to backward through {op.dotted}.default but no autograd formula was registered. Please use "
            "register_autograd to add one."
        )
    layout: Layout = ctx.layout_of_arguments
    if any(count >= 0 for count in layout):
        ctx.needs_input_grad = tuple(gathered(ctx.needs_input_grad[:-1], layout))
    result = op.backward(ctx, list(grads)) if op.returns_list else op.backward(ctx, *grads)
    grads_of_parameters = list(result) if isinstance(result, tuple) else [result]
    grads_of_parameters += [None for argument in op._schema.arguments if argument.keyword_only]
    return laid_out(op.name(), grads_of_parameters, layout)


def spread_batch(results: Any, dims: Any) -> tuple[Any, Any]:
    """Return the results of a batch with lists flattened, and their batch dimensions (None for other values)."""
    flat = spread(results)
    listed = [
        list(dim)
        if isinstance(dim, (list, tuple))
        else [dim] * len(result)
        if isinstance(result, (list, tuple))
        else [dim]
        for result, dim in zip(results, dims)
    ]
    return flat, (*[dim for dims_of_result in listed for dim in dims_of_result], None)


def one_by_one(op: OpOverload, size: int, in_dims: Any, flat: Any, layout: Layout) -> Any:
    """Compute the results of a batch member by member, without a batching rule."""
    results = []
    for index in range(size):
        member = [value.select(dim, index) if isinstance(dim, int) else value for value, dim in zip(flat, in_dims)]
        results.append(op(*gathered(member, layout)))
    if not tensors_in(results):
        return results[0], None
    if op.returns_lists:
        stacked = tuple([joined(members) for members in zip(*results)])
        return stacked, tuple([0 if tensors_in(result) else None for result in stacked])
    if isinstance(results[0], (list, tuple)):
        stacked = tuple([stack(list(members)) for members in zip(*results)])
        return stacked, tuple([0] * len(stacked))
    return stack(results), 0


def joined(members: Any) -> Any:
    """Combine the results of all members: stack tensors, also in lists; of other values take the first."""
    if isinstance(members[0], (list, tuple)):
        return [joined(items) for items in zip(*members)]
    return stack(list(members)) if tensors_in(members) else members[0]
