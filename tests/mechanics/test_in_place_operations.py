"""In-place operations with autograd (Variable上的In-place操作): their limits, and what they do to the history."""

from __future__ import annotations

import weakref

from tests.mechanics.common import equal, name_of, names_of, refused


def result(torch, *values):
    """A leaf and a result of an operation on it, which may be written to."""
    x = torch.tensor(list(values) or [1.0, 2.0, 3.0, 4.0], requires_grad=True)
    return x, x * 1


def test_in_place_operations_are_supported(torch):
    """ "Supporting in-place operations in autograd is a hard matter, and we discourage their use in most cases." """
    x, y = result(torch)
    assert y.mul_(3) is y and y.add_(1) is y
    y.sum().backward()
    assert equal(y, 4.0, 7.0, 10.0, 13.0) and equal(x.grad, 3.0, 3.0, 3.0, 3.0)


def test_buffers_are_freed_while_backward_goes_on(torch):
    """ "Autograd's aggressive buffer freeing and reuse makes it very efficient ..." """

    class Kept:
        def __init__(self, tensor):
            self.tensor = tensor

    alive = weakref.WeakSet()

    def pack(tensor):
        kept = Kept(tensor)
        alive.add(kept)
        return kept

    _, y = result(torch)
    counts = []
    with torch.autograd.graph.saved_tensors_hooks(pack, lambda kept: kept.tensor):
        for _ in range(4):
            y = y.sin()
            y.register_hook(lambda grad: counts.append(len(alive)))
    y.sum().backward()
    assert counts == [4, 3, 2, 1] and len(alive) == 0


def test_in_place_operations_can_overwrite_values_required_to_compute_gradients(torch):
    """ "In-place operations can potentially overwrite values required to compute gradients." """
    _, y = result(torch)
    z = y.exp()
    z.mul_(2)
    refused(z.sum().backward, "one of the variables needed for gradient computation has been modified by an inplace")


def test_overwriting_what_no_gradient_needs_is_fine(torch):
    """ "There are two main reasons that limit the applicability of in-place operations: 1. Overwriting values required
    to compute gradients." """
    x, y = result(torch)
    z = y + 1
    y.mul_(2)
    (z + y).sum().backward()
    assert equal(x.grad, 3.0, 3.0, 3.0, 3.0)


def test_log_in_place_keeps_or_refuses_the_original_input(torch):
    """ "This is why variables don't support log_. Its gradient formula requires the original input ..."; today's torch
    keeps a copy of it."""
    x, y = result(torch)
    y.log_()
    y.sum().backward()
    assert [round(each, 6) for each in x.grad.tolist()] == [1.0, 0.5, 0.333333, 0.25]


def test_every_in_place_operation_rewrites_the_graph(torch):
    """ "Every in-place operation actually requires the implementation to rewrite the computational graph." """
    _, y = result(torch)
    before = y.grad_fn
    y.exp_()
    assert name_of(y.grad_fn) == "ExpBackward0" and y.grad_fn.next_functions[0][0] is before


def test_out_of_place_versions_allocate_new_objects_and_keep_the_old_graph(torch):
    """ "Out-of-place versions simply allocate new objects and keep references to the old graph ..." """
    _, y = result(torch)
    before = y.grad_fn
    z = y.exp()
    assert z is not y and z.data_ptr() != y.data_ptr()
    assert y.grad_fn is before and z.grad_fn.next_functions[0][0] is before


def test_in_place_operations_change_the_creator_of_their_input(torch):
    """ "... while in-place operations, require changing the creator of all inputs to the Function representing this
    operation." """
    _, y = result(torch)
    for operation, name in (("mul_", "MulBackward0"), ("add_", "AddBackward0"), ("sub_", "SubBackward0")):
        getattr(y, operation)(2)
        assert name_of(y.grad_fn) == name


def test_the_history_of_all_views_of_the_storage_is_rewritten(torch):
    """ "This can be tricky, especially if there are many Tensors that reference the same storage (e.g. created by
    indexing or transposing) ..." """
    x, y = result(torch)
    part, turned = y[1:3], y.view(2, 2).t()
    y.mul_(10)
    assert equal(part, 20.0, 30.0) and turned.tolist() == [[10.0, 30.0], [20.0, 40.0]]
    (part.sum() + turned[0].sum() * 2).backward()
    assert equal(x.grad, 20.0, 10.0, 30.0, 0.0)


def test_a_write_to_a_view_reaches_the_history_of_its_base_and_of_other_views(torch):
    """ "... many Tensors that reference the same storage (e.g. created by indexing or transposing) ..." """
    x, y = result(torch)
    first, second = y[:2], y.view(2, 2).t()
    first.mul_(5)
    assert name_of(y.grad_fn) == "CopySlices" and equal(y, 5.0, 10.0, 3.0, 4.0)
    second.sum().backward()
    assert equal(x.grad, 5.0, 5.0, 1.0, 1.0)


def test_in_place_on_one_of_several_views_of_one_function_is_refused(torch):
    """ "... in-place functions will actually raise an error if the storage of modified inputs is referenced by any
    other Tensor." Of today's torch this is left: outputs of functions that return several views."""
    _, y = result(torch)
    first, _ = y.split(2)
    refused(lambda: first.mul_(2), "This view is the output of a function that returns multiple views")
    refused(lambda: y.view(2, 2).unbind(0)[1].zero_(), "Such functions do not allow the output views to be modified")
    refused(lambda: y.chunk(2)[0].add_(1), "You should replace the inplace operation by an out-of-place one")
    assert equal(y, 1.0, 2.0, 3.0, 4.0)


def test_in_place_on_a_leaf_that_requires_grad_is_refused(torch):
    """ "... in-place operations, require changing the creator of all inputs ..."; a leaf has none."""
    x = torch.ones(2, requires_grad=True)
    refused(lambda: x.add_(1), "a leaf Variable that requires grad is being used in an in-place operation")
    refused(lambda: x[0].add_(1), "a view of a leaf Variable that requires grad is being used in an in-place operation")
    refused(lambda: x.__setitem__(0, 5.0), "a view of a leaf Variable that requires grad is being used in an in-place")
    assert equal(x, 1.0, 1.0) and x._version == 0
    with torch.no_grad():
        x.add_(1)
    assert equal(x, 2.0, 2.0) and x.is_leaf


def test_in_place_on_an_expanded_tensor_is_refused(torch):
    """ "... many Tensors that reference the same storage ..."; here many elements do."""
    x = torch.ones(1).expand(3)
    refused(lambda: x.add_(1), "more than one element of the written-to tensor refers to a single memory location")


def test_in_place_under_no_grad_leaves_the_history_as_it_is(torch):
    """ "Every in-place operation actually requires the implementation to rewrite the computational graph." """
    _, y = result(torch)
    before = y.grad_fn
    with torch.no_grad():
        y.mul_(2)
    assert y.grad_fn is before and y._version == 1


def test_a_leaf_that_does_not_require_grad_joins_the_graph(torch):
    """ "... changing the creator of all inputs to the Function representing this operation." """
    x, y = torch.zeros(2), torch.ones(2, requires_grad=True)
    x.add_(y)
    assert x.requires_grad and not x.is_leaf and names_of(x.grad_fn) == [None, "AccumulateGrad"]


def test_a_view_made_without_recording_cannot_be_written_to_with_recording(torch):
    """ "... in-place functions will actually raise an error if the storage of modified inputs is referenced by any
    other Tensor." """
    _, y = result(torch)
    with torch.no_grad():
        view = y[:2]
    refused(lambda: view.mul_(2), "A view was created in no_grad mode and is being modified inplace with grad mode")


def test_slice_assignment_is_an_in_place_operation(torch):
    """ "In-place operations with autograd": all forms of it, with gradients for what was written."""
    x, y = result(torch)
    value = torch.tensor([7.0, 8.0], requires_grad=True)
    y[1:3] = value
    y[y > 7.5] = 0.0
    (y * y).sum().backward()
    assert equal(y, 1.0, 7.0, 0.0, 4.0)
    assert equal(x.grad, 2.0, 0.0, 0.0, 8.0) and equal(value.grad, 14.0, 0.0)


def test_detach_in_place_makes_a_leaf(torch):
    """ "torch.Tensor.detach_" """
    _, y = result(torch)
    assert y.detach_() is y and y.is_leaf and not y.requires_grad
    refused(lambda: result(torch)[1][:2].detach_(), "Can't detach views in-place. Use detach() instead")


def test_in_place_recurrences_are_linear_chains_of_nodes(torch):
    """ "... in-place operations, require changing the creator of all inputs ..." once for each step of a loop."""
    first = torch.tensor(3.0, requires_grad=True)
    x = torch.zeros(50)
    x[0] = first
    for i in range(1, 50):
        x[i] = x[i - 1] * 0.5
    x[3].backward()
    assert x[3].item() == 0.375 and first.grad.item() == 0.125


def test_values_that_a_recurrence_needs_cannot_be_written_over(torch):
    """ "In-place operations can potentially overwrite values required to compute gradients." """
    a = torch.tensor(0.5, requires_grad=True)
    x = torch.ones(5)
    for i in range(1, 5):
        x[i] = x[i - 1] * a
    refused(x.sum().backward, "has been modified by an inplace operation")
