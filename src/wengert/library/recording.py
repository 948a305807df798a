"""How calls of an operator of a program are recorded: through a custom Function, made for it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..autograd import Function
from ..ops.shapes.join import stack
from .arguments import Layout, gathered, laid_out, spread, tensors_in

if TYPE_CHECKING:
    from .operator import OpOverload

PLAIN = (bool, int, float, complex, str, type(None))


def function_of(op: OpOverload) -> type[Function]:
    """The custom Function of an operator. Its arguments are laid out, and the layout comes last."""

    def forward(*given: Any) -> Any:
        found = op.run(gathered(given[:-1], given[-1]))
        if op.gives_lists:
            return spread(found)
        return tuple(found) if isinstance(found, list) else found

    def setup_context(ctx: Any, inputs: Any, output: Any) -> None:
        ctx.layout_of_arguments = inputs[-1]
        if op.gives_lists:
            ctx.layout_of_results = output[-1]
            output = tuple(gathered(output[:-1], output[-1]))
        prepare(op, ctx, gathered(inputs[:-1], inputs[-1]), output)

    def backward(ctx: Any, *grads: Any) -> Any:
        if op.gives_lists:
            grads = tuple(gathered(grads[:-1], ctx.layout_of_results))
        return (*gradients(op, ctx, grads), None)

    def vmap(info: Any, in_dims: Any, *given: Any) -> Any:
        made = batched(info, in_dims, *given)
        return spread_batch(*made) if op.gives_lists else made

    def batched(info: Any, in_dims: Any, *given: Any) -> Any:
        if op.batch_rule is None:
            return one_by_one(op, info.batch_size, in_dims[:-1], given[:-1], given[-1])
        dims, values = gathered(in_dims[:-1], given[-1]), gathered(given[:-1], given[-1])
        count = given_count(op, values)
        rest = {a.name: each for a, each in list(zip(op._schema.arguments, values))[count:] if a.keyword_only}
        return op.batch_rule(info, tuple(dims[:count]), *values[:count], **rest)

    space, _, name = op.name().partition("::")
    body = {each.__name__: staticmethod(each) for each in (forward, setup_context, backward, vmap)}
    return type(f"GeneratedBackwardFor_{space}_{name}_default", (Function,), body)


def given_count(op: OpOverload, values: list[Any]) -> int:
    """How many arguments a rule for batches is given by place: up to the last one that is not its default."""
    places = [(a, each) for a, each in zip(op._schema.arguments, values) if not a.keyword_only]
    while places and isinstance(places[-1][1], PLAIN) and places[-1][1] == places[-1][0].default:
        places.pop()
    return len(places)


def prepare(op: OpOverload, ctx: Any, values: list[Any], output: Any) -> None:
    """Let the program keep what its derivative needs; what is given by name is handed on so."""
    if op.setup_context is None:
        return
    named = {a.name: each for a, each in zip(op._schema.arguments, values) if a.keyword_only}
    positional = tuple([each for a, each in zip(op._schema.arguments, values) if not a.keyword_only])
    if named:
        op.setup_context(ctx=ctx, inputs=positional, keyword_only_inputs=named, output=output)
    else:
        op.setup_context(ctx=ctx, inputs=positional, output=output)


def gradients(op: OpOverload, ctx: Any, grads: tuple[Any, ...]) -> list[Any]:
    """What the program's derivative gives, one for each tensor that was laid out.

    Raises:
        RuntimeError: there is none, or it gives more or fewer than parameters.
    """
    if op.backward is None:
        raise RuntimeError(
            f"Trying to backward through {op.dotted}.default but no autograd formula was registered. Please use "
            "register_autograd to add one."
        )
    layout: Layout = ctx.layout_of_arguments
    if any(count >= 0 for count in layout):
        ctx.needs_input_grad = tuple(gathered(ctx.needs_input_grad[:-1], layout))
    found = op.backward(ctx, list(grads)) if op.gives_list else op.backward(ctx, *grads)
    given = list(found) if isinstance(found, tuple) else [found]
    given += [None for argument in op._schema.arguments if argument.keyword_only]
    return laid_out(op.name(), given, layout)


def spread_batch(results: Any, dims: Any) -> tuple[Any, Any]:
    """The results for a batch with lists laid out, and their dimensions: None for what is no tensor."""
    flat = spread(results)
    listed = [
        list(dim) if isinstance(dim, (list, tuple)) else [dim] * len(each) if isinstance(each, (list, tuple)) else [dim]
        for each, dim in zip(results, dims)
    ]
    return flat, (*[dim for each in listed for dim in each], None)


def one_by_one(op: OpOverload, size: int, in_dims: Any, flat: Any, layout: Layout) -> Any:
    """The results for a batch, member by member, where the program gave no rule."""
    results = []
    for at in range(size):
        member = [each.select(dim, at) if isinstance(dim, int) else each for each, dim in zip(flat, in_dims)]
        results.append(op(*gathered(member, layout)))
    if not tensors_in(results):
        return results[0], None
    if op.gives_lists:
        found = tuple([joined(each) for each in zip(*results)])
        return found, tuple([0 if tensors_in(each) else None for each in found])
    if isinstance(results[0], (list, tuple)):
        found = tuple([stack(list(each)) for each in zip(*results)])
        return found, tuple([0] * len(found))
    return stack(results), 0


def joined(members: Any) -> Any:
    """One result for all members: tensors stacked, in lists too; of others the first."""
    if isinstance(members[0], (list, tuple)):
        return [joined(each) for each in zip(*members)]
    return stack(list(members)) if tensors_in(members) else members[0]
