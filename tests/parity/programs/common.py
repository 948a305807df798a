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


def values(torch, count, *others, shift=0):
    """Fixed values of a shape, a leaf."""
    shape = (count, *others)
    for length in others:
        count *= length
    flat = (torch.arange(count, dtype=torch.float64) * 7 + shift) % 11 / 5 - 1
    return flat.reshape(shape).requires_grad_()


def filled(torch, module):
    """The module in double precision with fixed parameters."""
    module.double()
    with torch.no_grad():
        for at, parameter in enumerate(module.parameters()):
            parameter.copy_(values(torch, *parameter.shape, shift=at) / 2)
    return module


def tensors_of(results):
    """All tensors in nested results."""
    if hasattr(results, "dtype"):
        return [results]
    return [tensor for each in results if each is not None for tensor in tensors_of(each)]


def worked(torch, module, *args):
    """Results, and the gradients of their weighted sum by all parameters and inputs."""
    made = [each for each in tensors_of(module(*args)) if each.dtype.is_floating_point]
    loss = sum((each * values(torch, *each.shape, shift=3)).sum() for each in made)
    leaves = [*module.parameters(), *(each for each in tensors_of(args) if each.requires_grad)]
    return [each.detach() for each in made], torch.autograd.grad(loss, leaves, allow_unused=True)
