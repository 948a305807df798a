"""Custom Functions forward: arguments, the two forms of `forward`, kinds of outputs, what is refused."""

from __future__ import annotations

import warnings

import pytest

import wengert as wg
from wengert.autograd import Function
from wengert.autograd.function import FunctionCtx, FunctionMeta, InplaceFunction, NestedIOFunction

ACCUMULATE = "torch::autograd::AccumulateGrad"


def leaf(*values):
    return wg.tensor(list(values or (1.0, 2.0)), dtype=wg.float64, requires_grad=True)


def make(forward, backward=lambda ctx, *grads: grads[0], name="Made", **more):
    """A Function of two functions."""
    return FunctionMeta(
        name, (Function,), {"forward": staticmethod(forward), "backward": staticmethod(backward), **more}
    )


def split(forward, setup_context, backward=lambda ctx, *grads: grads[0]):
    return make(forward, backward, setup_context=staticmethod(setup_context))


# ---- the two forms, and the names ------------------------------------------------------------------------------------


def test_the_node_is_the_ctx_and_bears_the_functions_name():
    seen = []
    made = make(lambda ctx, x: (seen.append(ctx), x * 2)[1], name="Twice")
    y = made.apply(leaf())
    assert y.grad_fn is seen[0]
    assert y.grad_fn.name() == type(y.grad_fn).__name__ == "TwiceBackward"
    assert isinstance(y.grad_fn, wg.autograd.graph.Node) and isinstance(y.grad_fn, FunctionCtx)
    assert "grad_fn=<TwiceBackward>" in repr(y)


def test_forward_runs_with_recording_off_and_sees_its_edges():
    def forward(ctx, x, y):
        assert not wg.is_grad_enabled() and ctx.saved_tensors == ()
        assert [node.name() for node, _ in ctx.next_functions if node] == [ACCUMULATE]
        assert (x * 2).grad_fn is None
        return x * 2

    y = make(forward, lambda ctx, grad: (grad, None)).apply(leaf(), wg.ones(2))
    assert wg.is_grad_enabled() and y.requires_grad
    assert [(node and node.name(), nr) for node, nr in y.grad_fn.next_functions] == [(ACCUMULATE, 0), (None, 0)]


def test_what_is_recorded_inside_forward_does_not_count():
    def forward(ctx, x):
        with wg.enable_grad():
            return x * 2

    x = leaf()
    y = make(forward, lambda ctx, grad: grad * 10).apply(x)
    y.sum().backward()
    assert y.grad_fn.name() == "MadeBackward" and x.grad.tolist() == [10.0, 10.0]


def test_the_split_form_gets_inputs_with_defaults_and_the_output():
    seen = []

    def setup_context(ctx, inputs, output):
        assert not wg.is_grad_enabled()
        seen.append((inputs, output))
        ctx.factor = inputs[1]

    scale = split(lambda x, factor=3: x * factor, setup_context, lambda ctx, grad: (grad * ctx.factor, None))
    x = leaf()
    scale.apply(x).sum().backward()
    assert x.grad.tolist() == [3.0, 3.0]
    (inputs, output) = seen[0]
    assert inputs[0] is x and inputs[1] == 3 and output.tolist() == [3.0, 6.0]
    scale.apply(x, 5).sum().backward()
    assert x.grad.tolist() == [8.0, 8.0]


def test_vjp_is_another_name_for_backward_but_not_beside_it():
    x = leaf()
    only = FunctionMeta("Only", (Function,), {"forward": staticmethod(lambda ctx, x: x * 2)})
    only.vjp = staticmethod(lambda ctx, grad: grad * 7)
    only.apply(x).sum().backward()
    assert x.grad.tolist() == [7.0, 7.0]
    both = make(lambda ctx, x: x * 2, vjp=staticmethod(lambda ctx, grad: grad))
    with pytest.raises(
        RuntimeError, match="Implementing both 'backward' and 'vjp' for a custom Function is not allowed"
    ):
        both.apply(x).sum().backward()


def test_a_subclass_may_override_one_of_the_two():
    class Once(Function):
        @staticmethod
        def forward(ctx, x):
            return x * 2

        @staticmethod
        def backward(ctx, grad):
            return grad * 2

    class Other(Once):
        @staticmethod
        def backward(ctx, grad):
            return grad * 100

    x = leaf()
    Other.apply(x).sum().backward()
    assert x.grad.tolist() == [100.0, 100.0] and Other.apply(x).grad_fn.name() == "OtherBackward"


# ---- arguments -------------------------------------------------------------------------------------------------------


def test_keywords_find_their_places_by_the_signature_of_forward():
    seen = []

    def forward(ctx, x, y, factor=2, *, sign=1):
        seen.append((ctx.needs_input_grad, sign))
        ctx.factor = factor
        return (x + y) * factor * sign

    combined = make(forward, lambda ctx, grad: (grad * ctx.factor, grad * ctx.factor * 10, None))
    x, y = leaf(), leaf(3.0, 4.0)
    result = combined.apply(y=y, x=x, sign=-1)
    assert result.tolist() == [-8.0, -12.0] and seen == [((True, True, False), -1)]
    result.sum().backward()
    assert x.grad.tolist() == [2.0, 2.0] and y.grad.tolist() == [20.0, 20.0]
    assert combined.apply(x, y, factor=5).tolist() == [20.0, 30.0]


def test_keywords_work_in_the_split_form():
    seen = []
    made = split(
        lambda x, factor=3, *, sign=1: x * factor * sign,
        lambda ctx, inputs, output: seen.append(inputs[1]),
        lambda ctx, grad: (grad, None),
    )
    assert made.apply(x=leaf(), sign=-1).tolist() == [-3.0, -6.0]
    assert made.apply(leaf(), factor=4).tolist() == [4.0, 8.0]
    assert seen == [3, 4]


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (lambda made, x: made.apply(), "x"),
        (lambda made, x: made.apply(x, 1, 2, 3), "argument"),
        (lambda made, x: made.apply(x, nonsense=1), "nonsense"),
    ],
)
@pytest.mark.parametrize("form", ["combined", "split"])
def test_arguments_that_do_not_fit_are_a_type_error(call, says, form):
    combined = make(lambda ctx, x, y=1: x * y)
    made = combined if form == "combined" else split(lambda x, y=1: x * y, lambda ctx, inputs, output: None)
    with pytest.raises(TypeError, match=says):
        call(made, leaf())


def test_a_tensor_by_keyword_only_that_requires_grad_is_refused():
    made = make(lambda ctx, x, *, weight: x * weight)
    with pytest.raises(TypeError, match="keyword-only argument 'weight' is a tensor that requires grad"):
        made.apply(leaf(), weight=leaf())
    assert made.apply(leaf(), weight=wg.ones(2)).requires_grad
    with wg.no_grad():
        assert made.apply(leaf(), weight=leaf()).tolist() == [1.0, 4.0]


def test_containers_are_passed_as_they_are_and_not_differentiated():
    held = {"a": [leaf()]}
    seen = []
    made = make(lambda ctx, held, x: (seen.append(held), held["a"][0] * x)[1], lambda ctx, grad: (None, grad))
    x = leaf()
    made.apply(held, x).sum().backward()
    assert seen[0] is held and x.grad.tolist() == [1.0, 1.0] and held["a"][0].grad is None
    assert not made.apply(held, wg.ones(2)).requires_grad


def test_needs_input_grad_tells_of_each_argument_in_every_mode():
    seen = []
    made = make(lambda ctx, *args: (seen.append(ctx.needs_input_grad), args[0] * 2)[1], lambda ctx, grad: (grad,) * 4)
    x, constant = leaf(), wg.ones(2)
    made.apply(x, constant, 3, x.long())
    made.apply(constant, x * 2, None, [x])
    with wg.no_grad():
        made.apply(x, constant)
        made.apply(x[:1])
    assert seen == [(True, False, False, False), (False, True, False, False), (True, False), (True,)]


def test_one_tensor_may_be_several_arguments():
    made = make(lambda ctx, a, b: a * b, lambda ctx, grad: (grad * 3, grad * 5))
    x = leaf()
    made.apply(x, x).sum().backward()
    assert x.grad.tolist() == [8.0, 8.0]


def test_a_stale_view_among_the_arguments_gets_its_new_history():
    x = leaf(1.0, 2.0, 3.0)
    base = x * 1
    view = base[1:]
    base.mul_(3)
    make(lambda ctx, v: v * 2, lambda ctx, grad: grad * 2).apply(view).sum().backward()
    assert x.grad.tolist() == [0.0, 6.0, 6.0]


# ---- outputs ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("outputs", "recorded"),
    [
        (lambda x: (x * 2, x * 3), [0, 1]),
        (lambda x: (x * 2,), [0]),
        (lambda x: (None, x * 2), [1]),
        (lambda x: (x * 2, 5, "a", [x]), [0]),
        (lambda x: (x.long(), x * 2, x > 1), [1]),
    ],
)
def test_tensors_in_a_tuple_are_outputs_and_anything_else_is_passed_on(outputs, recorded):
    given = []

    def backward(ctx, *grads):
        given.extend(grads)
        return sum(grad for grad in grads if grad is not None and grad.dtype == wg.float64)

    x = leaf()
    results = make(lambda ctx, x: outputs(x), backward).apply(x)
    assert type(results) is tuple
    tensors = [nr for nr, each in enumerate(results) if isinstance(each, wg.Tensor) and each.requires_grad]
    assert tensors == recorded and all(results[nr].output_nr == nr for nr in recorded)
    results[recorded[-1]].sum().backward()
    assert x.grad.tolist() == [1.0, 1.0] and len(given) == len(results)
    for grad, result in zip(given, results):
        is_tensor = isinstance(result, wg.Tensor)
        assert (grad is not None) == is_tensor
        assert not is_tensor or (grad.shape == result.shape and grad.dtype == result.dtype)


@pytest.mark.parametrize("result", [None, 5, {"a": 1}, ()])
def test_results_that_are_no_tensors_are_passed_on(result):
    assert make(lambda ctx, x: result).apply(leaf()) is result


def test_tensors_in_a_list_are_not_outputs():
    first, second = make(lambda ctx, x: [x * 2, x * 3]).apply(leaf())
    assert not first.requires_grad and not second.requires_grad


def test_an_output_without_a_derivative_by_its_dtype_has_no_history():
    y = make(lambda ctx, x: x.long()).apply(leaf())
    assert not y.requires_grad and y.grad_fn is None


def test_the_same_output_twice_is_the_later_one():
    def forward(ctx, x):
        y = x * 2
        return y, y

    x = leaf()
    first, second = make(forward, lambda ctx, a, b: a + 10 * b).apply(x)
    assert first is second and first.output_nr == 1
    (first * 2 + second * 3).sum().backward()
    assert x.grad.tolist() == [50.0, 50.0]


def test_outputs_marked_non_differentiable_do_not_require_a_gradient():
    given = []

    def forward(ctx, x):
        y, z = x * 2, x * 3
        ctx.mark_non_differentiable(z)
        return y, z

    x = leaf()
    y, z = make(forward, lambda ctx, a, b: (given.append(b), a)[1]).apply(x)
    assert y.requires_grad and not z.requires_grad and z.grad_fn is None
    y.sum().backward()
    assert x.grad.tolist() == [1.0, 1.0] and given[0].tolist() == [0.0, 0.0]


@pytest.mark.parametrize("guard", [wg.no_grad, wg.inference_mode])
def test_nothing_is_recorded_while_recording_is_off(guard):
    kept = []
    made = make(lambda ctx, x: (kept.append(ctx), ctx.save_for_backward(x), x * 2)[2])
    with guard():
        y = made.apply(leaf())
    assert not y.requires_grad and y.grad_fn is None
    assert kept[0].next_functions == () and kept[0].saved_tensors == ()


def test_a_volatile_input_makes_every_output_volatile():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        x = wg.autograd.Variable(wg.ones(2), volatile=True)
        results = make(lambda ctx, x, y: (x * 2, y, y * 2), lambda ctx, *grads: (None, None)).apply(x, leaf())
        assert [each.volatile for each in results] == [True] * 3
    assert [each.requires_grad for each in results] == [False] * 3


# ---- what is refused, and what an error leaves -----------------------------------------------------------------------


def test_without_forward_or_backward_the_error_says_what_to_implement():
    class Empty(Function):
        pass

    with pytest.raises(NotImplementedError, match="You must implement the forward function for custom"):
        Empty.apply(leaf())
    Empty.forward = staticmethod(lambda ctx, x: x * 2)
    y = Empty.apply(leaf())
    with pytest.raises(NotImplementedError, match="You must implement either the backward or vjp method"):
        y.sum().backward()


def test_forward_mode_and_vmap_have_their_places():
    made = make(lambda ctx, x: x)
    with pytest.raises(NotImplementedError, match="You must implement the jvp function"):
        made.jvp(None, leaf())
    with pytest.raises(NotImplementedError, match="override the vmap staticmethod or set generate_vmap_rule=True"):
        made.vmap(None, (0,), leaf())
    with pytest.raises(NotImplementedError, match="setup_context is not implemented"):
        Function.setup_context(None, (), None)
    assert made.generate_vmap_rule is False


def test_an_instance_is_refused_as_torch_refuses_it():
    with pytest.warns(DeprecationWarning, match="should not be instantiated"):
        instance = make(lambda ctx, x: x)()
    with pytest.raises(RuntimeError, match="Legacy autograd function with non-static forward method is deprecated"):
        instance(leaf())
    with pytest.warns(DeprecationWarning, match="should not be instantiated"):
        assert InplaceFunction(True).inplace
    assert issubclass(NestedIOFunction, Function)


@pytest.mark.parametrize("form", ["combined", "split"])
def test_an_error_in_forward_leaves_modes_and_graph_as_they_were(form):
    x = leaf()
    h = x * 1

    def fail(*args):
        h.mul_(2)
        raise ZeroDivisionError

    made = make(fail) if form == "combined" else split(lambda x: x, fail)
    with pytest.raises(ZeroDivisionError):
        made.apply(h)
    assert wg.is_grad_enabled() and h.grad_fn.name() == "MulBackward0"


def test_assigning_what_a_method_should_set_is_refused():
    for name in ("to_save", "dirty_tensors", "non_differentiable"):
        with pytest.raises(RuntimeError, match=f"{name} attribute is expected to be a tuple"):
            make(lambda ctx, x, name=name: (setattr(ctx, name, [x]), x * 2)[1]).apply(leaf())


def test_methods_of_ctx_refuse_what_is_no_tensor():
    def refused(kind, says, action):
        with pytest.raises(kind, match=says):
            make(lambda ctx, x: (action(ctx, x), x * 2)[1]).apply(leaf())

    refused(
        TypeError,
        "save_for_backward can only save variables, but argument 1 is of type int",
        lambda ctx, x: ctx.save_for_backward(x, 3),
    )
    refused(RuntimeError, "mark_dirty can only accept variables", lambda ctx, x: ctx.mark_dirty(3))
    refused(
        RuntimeError, "mark_non_differentiable only accepts variable", lambda ctx, x: ctx.mark_non_differentiable(3)
    )
    refused(TypeError, "set_materialize_grads received an invalid", lambda ctx, x: ctx.set_materialize_grads(3))
    refused(
        AssertionError, "save_for_forward expects all arguments to be tensors", lambda ctx, x: ctx.save_for_forward(3)
    )


def test_a_bare_ctx_collects_what_it_is_told():
    ctx, x = FunctionCtx(), leaf()
    ctx.save_for_backward(x, None)
    ctx.save_for_forward(x)
    ctx.mark_dirty(x)
    ctx.mark_non_differentiable(x)
    ctx.set_materialize_grads(False)
    assert ctx.to_save == (x, None) and ctx.saved_for_forward == (x,) and ctx.dirty_tensors == (x,)
    assert ctx.non_differentiable == (x,) and ctx.materialize_grads is False
    with pytest.warns(FutureWarning, match="mark_shared_storage` is deprecated"):
        ctx.mark_shared_storage((x, x))
