"""What the programs share."""

from __future__ import annotations


def caught(action):
    """What `action()` returns, or the error that it raises."""
    try:
        return action()
    except Exception as error:
        return error


def node_name(tensor):
    """The name of the node that made a tensor."""
    return name_of(tensor.grad_fn)


def name_of(node):
    """The name of a node, without the namespace that torch puts before nodes written by hand."""
    return None if node is None else node.name().removeprefix("torch::autograd::")


def chain(tensor):
    """The names of the nodes behind a tensor, depth first, each use told."""
    names, stack = [], [tensor.grad_fn]
    while stack:
        node = stack.pop()
        if node is None:
            names.append(None)
            continue
        names.append(name_of(node))
        stack += [each for each, _ in node.next_functions]
    return names
