"""Tools of the graph: nodes, edges, versions, what a pass frees."""

from __future__ import annotations

from tests.parity.programs.common import caught, name_of, node_name


def leaf(torch, *values):
    return torch.tensor(list(values) or [1.0, 2.0], requires_grad=True)


def counting(torch, seen):
    """Hooks that write down what they are given."""
    return torch.autograd.graph.saved_tensors_hooks(
        lambda tensor: (seen.append(("pack", tensor.tolist())), tensor)[1],
        lambda kept: (seen.append(("unpack", kept.tolist())), kept)[1],
    )


def nodes_are_nodes(torch):
    x = leaf(torch)
    y = x * 1
    y[0] = 3.0
    nodes = [(x * 2).grad_fn, (x * 2).grad_fn.next_functions[0][0], y.grad_fn, x.sum().grad_fn]
    return [isinstance(node, torch.autograd.graph.Node) for node in nodes], isinstance(3, torch.autograd.graph.Node)


def node_cannot_be_made(torch):
    return type(caught(torch.autograd.graph.Node)).__name__


def metadata(torch):
    y = leaf(torch) * 2
    y.grad_fn.metadata["key"] = [1]
    return y.grad_fn.metadata, (y * 1).grad_fn.metadata


def sequence_numbers(torch):
    x = leaf(torch)
    nodes = [(x * 1).grad_fn, (x * 2).grad_fn, (x * 3).grad_fn]
    numbers = [node._sequence_nr() for node in nodes]
    return numbers == sorted(numbers), len(set(numbers))


def node_requires_grad(torch):
    return (leaf(torch) * 2).grad_fn.requires_grad


def node_called(torch):
    x, y = leaf(torch), leaf(torch, 3.0, 4.0)
    return (x * y).grad_fn(torch.ones(2)), x.exp().grad_fn(torch.tensor([1.0, 10.0]))


def node_called_with_wrong_number(torch):
    return type(caught(lambda: (leaf(torch) * 2).grad_fn(torch.ones(2), torch.ones(2)))).__name__


def node_equality_and_hash(torch):
    y = leaf(torch) * 2
    return y.grad_fn == y.grad_fn, y.grad_fn is y.grad_fn, len({y.grad_fn, y.grad_fn}), y.grad_fn == (y * 1).grad_fn


def edge_of_a_result(torch):
    x = leaf(torch)
    first, second = x.unbind(0)
    edge = torch.autograd.graph.get_gradient_edge(second)
    return edge.output_nr, name_of(edge.node), type(edge).__name__, edge.node is first.grad_fn


def edge_of_a_leaf(torch):
    x = leaf(torch)
    edge = torch.autograd.graph.get_gradient_edge(x)
    return name_of(edge.node), edge.output_nr, edge.node.variable is x


def edge_of_what_requires_none(torch):
    return caught(lambda: torch.autograd.graph.get_gradient_edge(torch.ones(1)))


def grad_for_edges(torch):
    x = leaf(torch)
    y = x * 2
    edges = [torch.autograd.graph.get_gradient_edge(each) for each in (x, y)]
    return torch.autograd.grad((y * 3).sum(), edges)


def edges_as_outputs(torch):
    x = leaf(torch)
    y = x * 2
    edge = torch.autograd.graph.get_gradient_edge(y)
    first = torch.autograd.grad([edge], [x], grad_outputs=[torch.tensor([1.0, 10.0])], retain_graph=True)
    torch.autograd.backward(edge, torch.ones(2))
    return first, x.grad


def edges_as_inputs_of_backward(torch):
    x = leaf(torch)
    y = x * 2
    edge = torch.autograd.graph.get_gradient_edge(x)
    y.sum().backward(inputs=[edge])
    return x.grad


def edge_survives_its_tensor(torch):
    x = leaf(torch)
    y = x * 2
    edge = torch.autograd.graph.get_gradient_edge(y)
    z = (y * 3).sum()
    del y
    return torch.autograd.grad(z, edge)


def increment_version(torch):
    y = leaf(torch) * 1
    z = y * y
    torch.autograd.graph.increment_version(y)
    torch.autograd.graph.increment_version([y, y])
    return y._version, caught(lambda: z.sum().backward())


def increment_version_of_a_view(torch):
    x = torch.ones(3)
    torch.autograd.graph.increment_version(x[:1])
    return x._version


def backward_frees_only_what_was_used(torch):
    x, y = leaf(torch), leaf(torch)
    a, b = x.exp(), y.exp()
    (a * 1).sum().backward()
    return caught(lambda: b.sum().backward()), y.grad, node_name(a)


def part_of_a_graph_twice(torch):
    x = leaf(torch)
    shared = x.exp()
    first, second = (shared * 2).sum(), (shared * 3).sum()
    first.backward()
    return caught(second.backward), x.grad


def inputs_limit_what_is_freed(torch):
    x, y = leaf(torch), leaf(torch)
    z = (x.exp() * y.exp()).sum()
    torch.autograd.grad(z, x)
    return caught(lambda: torch.autograd.grad(z, y))


def grads_batched(torch):
    x = leaf(torch)
    y = x**2
    return torch.autograd.grad(y, x, torch.eye(2), is_grads_batched=True)


def is_leaf_and_grad_fn_of_accumulators(torch):
    x = leaf(torch)
    node = (x * 2).grad_fn.next_functions[0][0]
    return node.name().removeprefix("torch::autograd::"), node.next_functions, node.variable.is_leaf
