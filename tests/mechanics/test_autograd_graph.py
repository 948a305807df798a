"""Autograd graph: nodes, saved tensors, and hooks that pack and unpack them."""

from __future__ import annotations

import gc

from tests.mechanics.common import close, equal, name_of, names_of, refused


def leaf(torch, *values):
    return torch.tensor(list(values) or [1.0, 2.0], requires_grad=True)


def test_grad_fn_holds_a_node_if_the_tensor_was_recorded(torch):
    """ "The grad_fn attribute of a torch.Tensor holds a torch.autograd.graph.Node if the tensor is the output of a
    operation that was recorded by autograd (i.e., grad_mode is enabled and at least one of the inputs required
    gradients), or None otherwise." """
    x, plain = leaf(torch), torch.ones(2)
    assert isinstance((x * plain).grad_fn, torch.autograd.graph.Node)
    assert (plain * plain).grad_fn is None and x.grad_fn is None
    with torch.no_grad():
        assert (x * plain).grad_fn is None


def test_nodes_of_all_kinds_are_nodes(torch):
    """ "The grad_fn attribute of a torch.Tensor holds a torch.autograd.graph.Node ..." """

    class Same(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 1

        @staticmethod
        def backward(ctx, grad):
            return grad

    x = leaf(torch)
    y = x * 1
    y[0] = 3.0
    product = (x * 2).grad_fn
    for node in (product, product.next_functions[0][0], Same.apply(x).grad_fn, y.grad_fn):
        assert isinstance(node, torch.autograd.graph.Node)
    assert not isinstance(x, torch.autograd.graph.Node)


def test_name_of_a_node(torch):
    """ "graph.Node.name" """
    x = leaf(torch)
    assert x.exp().grad_fn.name() == "ExpBackward0" and (x + x).grad_fn.name() == "AddBackward0"
    assert type(x.exp().grad_fn).__name__ == "ExpBackward0"


def test_metadata_of_a_node_belongs_to_the_user(torch):
    """ "graph.Node.metadata" """
    x = leaf(torch)
    y = x.exp()
    y.grad_fn.metadata["note"] = 5
    assert y.grad_fn.metadata == {"note": 5} and x.exp().grad_fn.metadata == {}


def test_next_functions_of_a_node(torch):
    """ "graph.Node.next_functions" """
    x, y = leaf(torch), leaf(torch)
    assert names_of((x * y.exp()).grad_fn) == ["AccumulateGrad", "ExpBackward0"]
    assert (x * 2).grad_fn.next_functions[1] == (None, 0)
    assert (x * 2).grad_fn.next_functions[0][0].variable is x


def test_register_hook_of_a_node_sees_inputs_and_outputs_after_it_ran(torch):
    """ "graph.Node.register_hook" """
    x, seen = leaf(torch), []
    y = x * 3
    handle = y.grad_fn.register_hook(
        lambda grad_inputs, grad_outputs: seen.append((grad_inputs[0].tolist(), grad_outputs[0].tolist()))
    )
    y.sum().backward(retain_graph=True)
    handle.remove()
    y.sum().backward()
    assert seen == [([3.0, 3.0], [1.0, 1.0])]


def test_register_hook_of_a_node_may_replace_the_gradients_of_its_inputs(torch):
    """ "graph.Node.register_hook" """
    x = leaf(torch)
    y = x * 3
    y.grad_fn.register_hook(lambda grad_inputs, grad_outputs: (grad_inputs[0] * 10, None))
    y.sum().backward()
    assert equal(x.grad, 30.0, 30.0)


def test_register_prehook_of_a_node_runs_before_it_and_may_replace_the_gradients(torch):
    """ "graph.Node.register_prehook" """
    x = leaf(torch)
    y = x * 3
    y.grad_fn.register_prehook(lambda grad_outputs: (grad_outputs[0] * 2,))
    y.sum().backward()
    assert equal(x.grad, 6.0, 6.0)


def test_hooks_of_the_node_of_a_leaf_run_when_its_gradient_is_accumulated(torch):
    """ "Autograd exposes methods that allow one to inspect the graph and interpose behavior during the backward
    pass." """
    x, seen = leaf(torch), []
    y = x * 3
    accumulator = y.grad_fn.next_functions[0][0]
    accumulator.register_prehook(lambda grads: seen.append(("before", x.grad is None, grads[0].tolist())))
    accumulator.register_hook(lambda ins, outs: seen.append(("after", x.grad is None, outs[0].tolist())))
    y.sum().backward()
    assert seen == [("before", True, [3.0, 3.0]), ("after", False, [3.0, 3.0])]


def test_intermediary_results_are_attributes_of_grad_fn(torch):
    """ "These intermediary results are saved as attributes on the grad_fn and can be accessed." """
    a = torch.tensor([0.0, 0.0, 0.0], requires_grad=True)
    b = a.exp()
    assert isinstance(b.grad_fn, torch.autograd.graph.Node)
    assert torch.allclose(b.grad_fn._saved_result, b)


def test_dir_of_a_node_lists_what_it_saved_and_what_it_can(torch):
    """ ">>> print(dir(b.grad_fn)): [..., '_raw_saved_result', '_register_hook_dict', '_saved_result', 'metadata',
    'name', 'next_functions', 'register_hook', 'register_prehook', 'requires_grad']" """
    names = dir(torch.zeros(3, requires_grad=True).exp().grad_fn)
    for name in (
        "__call__",
        "_raw_saved_result",
        "_saved_result",
        "metadata",
        "name",
        "next_functions",
        "register_hook",
        "register_prehook",
        "requires_grad",
    ):
        assert name in names, name
    assert "_saved_other" not in names


def test_a_saved_result_has_the_node_it_came_from(torch):
    """ "These intermediary results are saved as attributes on the grad_fn ..." """
    x = leaf(torch)
    y = x.exp()
    assert y.grad_fn._saved_result.grad_fn is y.grad_fn
    z = x * leaf(torch)
    assert z.grad_fn._saved_self is x


def test_saved_values_are_gone_after_backward(torch):
    """ "Some operations need intermediary results to be saved during the forward pass in order to execute the backward
    pass." """
    y = leaf(torch).exp()
    node = y.grad_fn
    y.sum().backward()
    refused(lambda: node._saved_result, "Trying to backward through the graph a second time")


def test_hooks_define_how_saved_tensors_are_packed_and_unpacked(torch):
    """ "You can also define how these saved tensors should be packed / unpacked using hooks." """
    x, seen = leaf(torch), []

    def pack(tensor):
        seen.append("pack")
        return tensor.tolist()

    def unpack(kept):
        seen.append("unpack")
        return torch.tensor(kept)

    with torch.autograd.graph.saved_tensors_hooks(pack, unpack):
        y = x * x
    assert seen == ["pack", "pack"]
    y.sum().backward()
    assert seen == ["pack", "pack", "unpack", "unpack"] and equal(x.grad, 2.0, 4.0)


def test_saved_tensors_hooks_nest_and_the_innermost_counts(torch):
    """ "torch.autograd.graph.saved_tensors_hooks" """
    x, seen = leaf(torch), []
    hooks = torch.autograd.graph.saved_tensors_hooks
    with hooks(lambda each: seen.append("outer") or each, lambda each: each):
        with hooks(lambda each: seen.append("inner") or each, lambda each: each):
            y = x.exp()
        z = x.exp()
    w = x.exp()
    (y + z + w).sum().backward()
    assert seen == ["inner", "outer"]


def test_saved_tensors_hooks_act_on_functions_too(torch):
    """ "torch.autograd.graph.saved_tensors_hooks" """

    class Square(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return x * x

        @staticmethod
        def backward(ctx, grad):
            return grad * 2 * ctx.saved_tensors[0]

    x = leaf(torch)
    with torch.autograd.graph.saved_tensors_hooks(lambda each: each * 10, lambda each: each / 5):
        y = Square.apply(x)
    y.sum().backward()
    assert equal(x.grad, 4.0, 8.0)


def test_a_pack_hook_must_not_write_to_its_tensor(torch):
    """ "torch.autograd.graph.saved_tensors_hooks" """
    x = leaf(torch)

    def pack(tensor):
        tensor.mul_(2)
        return tensor

    def record():
        with torch.autograd.graph.saved_tensors_hooks(pack, lambda kept: kept):
            (x * 1).exp()

    refused(record, "A saved tensor pack hook is modifying its input in place")


def test_unpack_must_return_a_tensor(torch):
    """ "torch.autograd.graph.saved_tensors_hooks" """
    x = leaf(torch)
    with torch.autograd.graph.saved_tensors_hooks(lambda each: each, lambda kept: 3):
        y = x.exp()
    refused(y.sum().backward, kind=(TypeError, RuntimeError))


def test_save_on_cpu_keeps_copies(torch):
    """ "A common application is to trade compute for memory by saving those intermediary results to disk or to CPU
    instead of leaving them on the GPU." """
    x = leaf(torch)
    with torch.autograd.graph.save_on_cpu():
        y = (x * 1).exp()
        z = y * y
    z.sum().backward()
    assert close(x.grad, [2 * 2.718281828459045**2, 2 * 2.718281828459045**4], 1e-4)
    with torch.autograd.graph.save_on_cpu(pin_memory=False):
        (x * x).sum().backward()


def test_saved_results_can_be_kept_on_disk(torch):
    """ "A common application is to trade compute for memory by saving those intermediary results to disk ..." """
    import os
    import tempfile

    import numpy

    with tempfile.TemporaryDirectory() as folder:

        def pack(tensor):
            path = os.path.join(folder, f"{len(os.listdir(folder))}.npy")
            numpy.save(path, tensor.detach().numpy())
            return path

        x = leaf(torch)
        with torch.autograd.graph.saved_tensors_hooks(pack, lambda path: torch.from_numpy(numpy.load(path))):
            y = (x * x).exp().sum()
        assert len(os.listdir(folder)) == 3
        y.backward()
    plain = leaf(torch)
    (plain * plain).exp().sum().backward()
    assert close(x.grad, plain.grad.tolist())


def test_disable_saved_tensors_hooks_refuses_them(torch):
    """ "torch.autograd.graph.disable_saved_tensors_hooks" """
    graph = torch.autograd.graph

    def enter():
        with graph.disable_saved_tensors_hooks("not here"), graph.saved_tensors_hooks(lambda t: t, lambda t: t):
            leaf(torch).exp()

    refused(enter, "not here")
    with graph.saved_tensors_hooks(lambda t: t, lambda t: t):
        leaf(torch).exp()


def test_register_hooks_of_one_saved_tensor(torch):
    """ "graph ... _raw_saved_result": its `register_hooks(pack, unpack)` packs this one saved value."""
    x, seen = leaf(torch), []
    y = x.exp()
    y.grad_fn._raw_saved_result.register_hooks(
        lambda tensor: seen.append("pack") or tensor * 2, lambda kept: seen.append("unpack") or kept / 2
    )
    y.sum().backward()
    assert seen == ["pack", "unpack"] and close(x.grad, [2.718281828459045, 7.38905609893065], 1e-5)


def test_a_gradient_edge_stands_for_its_tensor(torch):
    """ "Autograd exposes methods that allow one to inspect the graph ...": `graph.get_gradient_edge`."""
    graph = torch.autograd.graph
    x = leaf(torch)
    y = x * 2
    edge = graph.get_gradient_edge(y)
    assert isinstance(edge, graph.GradientEdge) and edge.node is y.grad_fn and edge.output_nr == 0
    assert name_of(graph.get_gradient_edge(x).node) == "AccumulateGrad"
    (found,) = torch.autograd.grad((y * 3).sum(), edge)
    assert equal(found, 3.0, 3.0)


def test_multi_grad_hooks_wait_for_all_or_for_any(torch):
    """ "... interpose behavior during the backward pass": `graph.register_multi_grad_hook`."""
    register = torch.autograd.graph.register_multi_grad_hook
    x, y, seen = leaf(torch), leaf(torch), []
    register((x, y), lambda grads: seen.append(("all", [None if each is None else each.tolist() for each in grads])))
    register((x, y), lambda grad: seen.append(("any", grad.tolist())), mode="any")
    (x * 2 + y * 3).sum().backward()
    assert ("all", [[2.0, 2.0], [3.0, 3.0]]) in seen and len(seen) == 2
    assert seen[0][0] == "any" and seen[0][1] in ([2.0, 2.0], [3.0, 3.0])


def test_mutation_of_saved_tensors_can_be_allowed(torch):
    """ "graph" of today's torch: `allow_mutation_on_saved_tensors` copies what is written to."""
    x = leaf(torch)
    with torch.autograd.graph.allow_mutation_on_saved_tensors():
        y = x * 1
        z = y * y
        y.zero_()
        z.sum().backward()
    assert equal(x.grad, 2.0, 4.0)


def test_increment_version_tells_of_a_write_from_outside(torch):
    """ "graph" of today's torch: `increment_version`."""
    y = leaf(torch) * 1
    z = y * y
    torch.autograd.graph.increment_version(y)
    assert y._version == 1
    refused(z.sum().backward, "has been modified by an inplace operation")


def test_nodes_are_numbered_in_the_order_of_their_making(torch):
    """ "graph.Node": `_sequence_nr`; backward goes from the newest to the oldest."""
    x = leaf(torch)
    first, second = x * 2, x * 3
    assert first.grad_fn._sequence_nr() < second.grad_fn._sequence_nr()


def test_hooks_and_saved_values_keep_nothing_alive(torch):
    """ "These intermediary results are saved as attributes on the grad_fn ...": without making a cycle."""
    import weakref

    class Held:
        pass

    held = Held()
    gone = weakref.ref(held)
    x = leaf(torch)
    y = x.exp()
    y.register_hook(lambda grad, held=held: None)
    y.grad_fn.register_prehook(lambda grads, held=held: None)
    gc.disable()
    try:
        del y, held
        assert gone() is None
    finally:
        gc.enable()
