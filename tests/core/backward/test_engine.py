"""The backward pass: order, sums, accumulation, freed graphs, errors."""

from __future__ import annotations

import pytest

import wengert as wg
from wengert.testing import assert_close


def leaf(*values):
    return wg.tensor(values if len(values) > 1 else values[0], dtype=wg.float64, requires_grad=True)


def record(name, visited):
    """A tensor hook that notes the order of the pass."""
    return lambda grad: visited.append(name)


def test_a_gradient_flows_to_every_leaf():
    x, y = leaf(2.0, 3.0), leaf(5.0, 7.0)
    (x * y + x).backward(wg.tensor([1.0, 10.0], dtype=wg.float64))
    assert x.grad.tolist() == [6.0, 80.0]
    assert y.grad.tolist() == [2.0, 30.0]


def test_newer_nodes_run_first():
    visited = []
    x = leaf(2.0)
    first = x * 2
    second = x * 3
    third = first * 5
    for name, tensor in (("first", first), ("second", second), ("third", third)):
        tensor.register_hook(record(name, visited))
    (second + third).backward()
    assert visited == ["third", "second", "first"]


def test_the_order_of_independent_roots_is_that_of_their_creation_not_of_their_listing():
    visited = []
    x = leaf(2.0)
    roots = [x * number for number in (2, 3, 4)]
    for number, root in enumerate(roots):
        root.register_hook(record(number, visited))
    wg.autograd.backward([roots[1], roots[2], roots[0]])
    assert visited == [2, 1, 0]


def test_a_node_waits_for_all_its_uses():
    x = leaf(3.0)
    shared = x * x
    seen = []
    shared.register_hook(lambda grad: seen.append(grad.item()))
    (shared * 2 + shared * 3 + shared).backward()
    assert seen == [6.0]
    assert x.grad.item() == 36.0


def test_a_ladder_of_diamonds_is_swept_once():
    x = leaf(1.0)
    value, calls = x, []
    for _ in range(60):  # 2 ** 60 paths
        value = value + value
        value.register_hook(lambda grad: calls.append(1))
    value.backward()
    assert x.grad.item() == 2.0**60
    assert len(calls) == 60


def test_the_same_tensor_twice_as_operand_gets_both_gradients():
    x = leaf(3.0)
    (x * x).backward()
    assert x.grad.item() == 6.0


def test_gradients_accumulate_over_passes_until_they_are_cleared():
    x = leaf(2.0)
    for wanted in (4.0, 8.0):
        (x * x).backward()
        assert x.grad.item() == wanted
    x.grad = None
    (x * x).backward()
    assert x.grad.item() == 4.0


def test_the_first_gradient_is_nobody_elses_memory():
    x = leaf(1.0, 2.0)
    given = wg.tensor([3.0, 4.0], dtype=wg.float64)
    (x + 0).backward(given)
    x.grad.mul_(10)
    assert given.tolist() == [3.0, 4.0]
    y, z = leaf(1.0, 2.0), leaf(1.0, 2.0)
    (y + z).backward(given)
    y.grad.mul_(10)
    assert z.grad.tolist() == [3.0, 4.0]


def test_a_retained_gradient_and_that_of_a_leaf_do_not_share_memory():
    x = leaf(1.0, 2.0)
    middle = x + 0
    middle.retain_grad()
    (middle * 2).sum().backward()
    x.grad.mul_(10)
    assert middle.grad.tolist() == [2.0, 2.0]


def test_a_graph_can_be_used_again_if_it_was_retained():
    x = leaf(2.0)
    y = x * x
    y.backward(retain_graph=True)
    y.backward()
    assert x.grad.item() == 8.0


def test_a_freed_graph_says_how_to_keep_it():
    x = leaf(2.0)
    y = x * x
    y.backward()
    with pytest.raises(RuntimeError) as caught:
        y.backward()
    assert str(caught.value).startswith(
        "Trying to backward through the graph a second time (or directly access saved tensors after they have already "
        "been freed)"
    )
    assert "Specify retain_graph=True" in str(caught.value)
    assert x.grad.item() == 4.0


def test_a_graph_that_saved_nothing_can_be_used_again():
    x = leaf(2.0)
    y = x + 3
    y.backward()
    y.backward()
    assert x.grad.item() == 2.0


def test_two_roots_share_what_they_have_in_common():
    x = leaf(2.0)
    shared = x * x
    wg.autograd.backward([shared * 2, shared * 3])
    assert x.grad.item() == 20.0


def test_a_root_that_is_also_an_inner_node_gets_both_parts():
    x = leaf(2.0)
    inner = x * x
    outer = inner * 3
    wg.autograd.backward([outer, inner])
    assert x.grad.item() == 16.0


def test_the_same_root_twice_counts_twice():
    x = leaf(2.0)
    y = x * x
    wg.autograd.backward([y, y])
    assert x.grad.item() == 8.0


def test_a_leaf_is_a_root_like_any_other():
    x = leaf(2.0)
    x.backward()
    assert x.grad.item() == 1.0


def test_only_the_inputs_that_were_asked_for_get_a_gradient():
    x, y = leaf(2.0), leaf(3.0)
    middle = x * y
    (middle * 2).backward(inputs=[y, middle])
    assert x.grad is None
    assert y.grad.item() == 4.0
    assert middle.grad.item() == 2.0


def test_an_input_may_be_given_by_itself():
    x, y = leaf(2.0), leaf(3.0)
    (x * y).backward(inputs=x)
    assert x.grad.item() == 3.0 and y.grad is None


def test_what_was_saved_for_a_gradient_that_nobody_waits_for_is_checked_too():
    x, y = leaf(2.0), leaf(3.0)
    product = x * y
    y.detach().add_(1)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        product.backward(inputs=[y])


def test_no_inputs_at_all_is_a_mistake():
    x = leaf(2.0)
    with pytest.raises(RuntimeError, match="`inputs` argument to `backward\\(\\)` cannot be empty"):
        (x * x).backward(inputs=[])


def test_a_tensor_without_history_cannot_be_differentiated():
    x = wg.tensor(2.0)
    with pytest.raises(RuntimeError, match="element 0 of tensors does not require grad and does not have a grad_fn"):
        x.backward()
    with wg.no_grad():
        y = leaf(2.0) * 2
    with pytest.raises(RuntimeError, match="element 0 of tensors does not require grad"):
        y.backward()


def test_only_a_single_value_starts_without_a_cotangent():
    x = leaf(1.0, 2.0)
    with pytest.raises(RuntimeError, match="grad can be implicitly created only for scalar outputs"):
        (x * x).backward()
    (x * x)[:1].backward()
    assert x.grad.tolist() == [2.0, 0.0]


def test_a_complex_result_needs_a_cotangent():
    x = wg.tensor(1 + 2j, requires_grad=True)
    with pytest.raises(
        RuntimeError, match=r"grad can be implicitly created only for real scalar outputs but got torch.complex64"
    ):
        (x * x).backward()


@pytest.mark.parametrize(
    ("cotangent", "error", "says"),
    [
        (lambda: wg.ones(3, dtype=wg.float64), RuntimeError, r"grad_output\[0\] has a shape of torch.Size\(\[3\]\)"),
        (lambda: wg.ones(2, dtype=wg.complex128), RuntimeError, r"grad_output\[0\] has a dtype of torch.complex128"),
        (lambda: [1.0, 2.0], TypeError, "gradients can be either Tensors or None, but got"),
    ],
    ids=["shape", "complex", "no tensor"],
)
def test_a_cotangent_that_does_not_fit_is_refused(cotangent, error, says):
    x = leaf(1.0, 2.0)
    with pytest.raises(error, match=says):
        (x * x).backward(cotangent())
    assert x.grad is None


def test_as_many_cotangents_as_roots_are_wanted():
    x = leaf(1.0)
    with pytest.raises(RuntimeError, match="got 2 tensors and 1 gradients"):
        wg.autograd.backward([x * 2, x * 3], [wg.tensor(1.0, dtype=wg.float64)])


def test_cotangents_may_be_missing_where_the_root_is_a_single_value():
    x = leaf(2.0)
    wg.autograd.backward([x * 2, x * 3], [None, wg.tensor(10.0, dtype=wg.float64)])
    assert x.grad.item() == 32.0


def test_a_pass_can_be_recorded_up_to_the_third_derivative():
    x = leaf(2.0)
    value = x * x * x * x
    for wanted in (32.0, 48.0, 48.0, 24.0):
        value.backward(create_graph=True)
        assert x.grad.item() == wanted
        value, x.grad = x.grad, None


def test_an_error_in_a_hook_stops_the_pass_and_leaves_the_modes_alone():
    x = leaf(2.0)
    y = x * x

    def fail(grad):
        raise ValueError("from the hook")

    y.register_hook(fail)
    with pytest.raises(ValueError, match="from the hook"):
        (y * 2).backward()
    assert wg.is_grad_enabled()
    assert x.grad is None


def test_a_pass_inside_a_hook_runs_on_its_own():
    x, z = leaf(2.0), leaf(5.0)

    def hook(grad):
        with wg.enable_grad():
            (z * z).backward()

    y = x * x
    y.register_hook(hook)
    y.backward()
    assert z.grad.item() == 10.0 and x.grad.item() == 4.0


def test_results_are_equal_from_run_to_run():
    def gradient():
        x = wg.tensor([[(3 * row + column) / 7 for column in range(5)] for row in range(5)], requires_grad=True)
        value = x
        for _ in range(5):
            value = (value * x + value).tanh()
        value.sum().backward()
        return x.grad.tolist()

    assert gradient() == gradient()


def test_gradients_pass_through_casts():
    x = wg.tensor([1.0, 2.0], requires_grad=True)
    (x.to(wg.float64) * 3).sum().backward()
    assert x.grad.dtype is wg.float32
    assert_close(x.grad, wg.tensor([3.0, 3.0]))


def test_a_gradient_of_a_real_input_in_a_complex_computation_is_real():
    x = wg.tensor([1.0, 2.0], requires_grad=True)
    (x * wg.tensor([1j, 2 + 3j])).backward(wg.tensor([1j, 1 + 0j]))
    assert x.grad.dtype is wg.float32
    assert x.grad.tolist() == [1.0, 2.0]


def test_requires_grad_spreads_to_results_but_not_to_whole_numbers():
    x = leaf(1.0, 2.0)
    constant = wg.tensor([1.0, 2.0], dtype=wg.float64)
    assert (x * constant).requires_grad and (constant * x).requires_grad
    assert not (constant * constant).requires_grad
    assert not (x > 1).requires_grad
    assert not x.to(wg.int64).requires_grad
    assert (x * constant).grad_fn.name() == "MulBackward0"
    assert x.is_leaf and constant.is_leaf and not (x * 2).is_leaf


def test_requires_grad_of_a_result_cannot_be_changed():
    y = leaf(1.0) * 2
    with pytest.raises(RuntimeError, match="you can only change requires_grad flags of leaf variables"):
        y.requires_grad = False
    with pytest.raises(RuntimeError, match=r"only Tensors of floating point .*dtype can require gradients"):
        wg.tensor([1]).requires_grad_()
    assert y.detach().requires_grad_().is_leaf


def test_reading_the_gradient_of_a_result_warns():
    y = leaf(1.0) * 2
    with pytest.warns(UserWarning, match="The .grad attribute of a Tensor that is not a leaf Tensor is being accessed"):
        assert y.grad is None


@pytest.mark.parametrize(
    ("value", "error", "says"),
    [
        (1.0, TypeError, "assigned grad expected to be a Tensor or None but got grad of type"),
        ("self", RuntimeError, "can't assign Variable as its own grad"),
        (wg.tensor([1.0], dtype=wg.float64), RuntimeError, "attempting to assign a gradient of size"),
        (wg.tensor([1.0, 2.0]), RuntimeError, "attempting to assign a gradient with dtype"),
    ],
    ids=["number", "itself", "shape", "dtype"],
)
def test_a_gradient_that_does_not_fit_cannot_be_assigned(value, error, says):
    x = leaf(1.0, 2.0)
    with pytest.raises(error, match=says):
        x.grad = x if value == "self" else value
    assert x.grad is None


def parts_seen(node, run):
    """Which gradients a node gave in a run, as its hooks see them."""
    seen = []
    with node.register_hook(lambda inputs, outputs: seen.append([each is not None for each in inputs])):
        run()
    return seen


@pytest.mark.parametrize("create", [False, True])
def test_gradients_that_nobody_waits_for_are_not_computed(create):
    x, w = wg.ones(2, 3, requires_grad=True), wg.ones(3, 4, requires_grad=True)
    y = x @ w
    total = y.sum()
    for wanted, expected in ((x, [True, False]), (w, [False, True])):
        run = lambda wanted=wanted: wg.autograd.grad(total, wanted, create_graph=create, retain_graph=True)  # noqa: E731
        assert parts_seen(y.grad_fn, run) == [expected]
    assert parts_seen(y.grad_fn, lambda: total.backward(inputs=[w], retain_graph=True)) == [[False, True]]
    assert parts_seen(y.grad_fn, lambda: total.backward(retain_graph=True)) == [[True, True]]


def test_a_rule_for_several_inputs_is_told_which_gradients_are_wanted():
    x, weight = wg.randn(2, 3, requires_grad=True), wg.ones(3, requires_grad=True)
    y = wg.nn.functional.layer_norm(x, (3,), weight, wg.zeros(3, requires_grad=True))
    assert parts_seen(y.grad_fn, lambda: wg.autograd.grad(y.sum(), weight, retain_graph=True)) == [[False, True, False]]
    (found,) = wg.autograd.grad((y * y).sum(), x, create_graph=True)
    (both,) = wg.autograd.grad((y * y).sum(), [x, weight], create_graph=True)[:1]
    assert wg.equal(found, both)


def test_a_node_that_a_hook_calls_within_a_pass_computes_all():
    x, w = wg.ones(2, requires_grad=True), wg.full((2,), 3.0, requires_grad=True)
    inner = (x * w).grad_fn
    y = x * w
    found = []
    y.grad_fn.register_prehook(lambda grads: found.append(inner(grads[0])) or None)
    wg.autograd.grad(y.sum(), x)
    assert [each.tolist() for each in found[0]] == [[3.0, 3.0], [1.0, 1.0]]


@pytest.mark.parametrize("dtype", [wg.float16, wg.bfloat16, wg.float32, wg.float64])
def test_the_gradient_that_a_pass_begins_with_is_new_each_time(dtype):
    kept = []

    def spoil(grad):
        kept.append(grad)
        grad.mul_(100)

    for _ in range(2):
        x = wg.tensor(3.0, dtype=dtype, requires_grad=True)
        y = x * 2
        y.register_hook(spoil)
        y.backward()
        assert x.grad.item() == 200 and x.grad.dtype == dtype
    assert kept[0]._array_ is not kept[1]._array_
    x = wg.tensor(3.0, dtype=dtype, requires_grad=True)
    x.backward()
    x.grad.zero_()
    z = wg.tensor(3.0, dtype=dtype, requires_grad=True)
    z.backward()
    assert z.grad.item() == 1


def test_tensors_and_gradients_may_be_lists_tuples_or_iterators():
    for sequence in (list, tuple, iter):
        x, y = leaf(2.0), leaf(3.0)
        wg.autograd.backward(sequence([x * 2, y * 3]), sequence([None, wg.tensor(10.0, dtype=wg.float64)]))
        assert (x.grad.item(), y.grad.item()) == (2, 30)
        grads = wg.autograd.grad(sequence([x * 2, y * 3]), sequence([x, y]))
        assert [grad.item() for grad in grads] == [2, 3]


def test_too_few_gradients_are_refused():
    x = leaf(2.0)
    with pytest.raises(RuntimeError, match="got 2 tensors and 1 gradients"):
        wg.autograd.backward([x * 2, x * 3], [None])


def test_a_leaf_is_unlocked_after_a_gradient_that_does_not_fit():
    import threading

    x = leaf(2.0, 3.0)
    x.grad = wg.zeros(1, dtype=wg.float64).expand(2)
    with pytest.raises(RuntimeError, match="more than one element"):
        x.sum().backward()
    x.grad = wg.zeros(2, dtype=wg.float64)
    thread = threading.Thread(target=lambda: x.sum().backward(), daemon=True)
    thread.start()
    thread.join(20)
    assert not thread.is_alive() and x.grad.tolist() == [1, 1]
