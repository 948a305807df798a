"""Hooks of tensors, nodes, leaves and several gradients; retained gradients."""

from __future__ import annotations

from tests.parity.programs.common import caught


def leaf(torch, *values):
    return torch.tensor(list(values) or [1.0, 2.0], requires_grad=True)


def order_of_everything(torch):
    x, seen = leaf(torch), []
    y = x * 2
    y.retain_grad()
    y.register_hook(lambda grad: seen.append("tensor 1"))
    y.grad_fn.register_prehook(lambda grads: seen.append("node before 1"))
    y.register_hook(lambda grad: seen.append("tensor 2"))
    y.grad_fn.register_hook(lambda ins, outs: seen.append("node after"))
    y.grad_fn.register_prehook(lambda grads: seen.append("node before 2"))
    x.register_hook(lambda grad: seen.append("leaf"))
    x.register_post_accumulate_grad_hook(lambda leaf: seen.append("accumulated"))
    y.sum().backward()
    return seen, y.grad


def returned_number_is_refused(torch):
    x = leaf(torch)
    x.register_hook(lambda grad: 3)
    return caught(lambda: x.sum().backward())


def returned_dtype_is_refused(torch):
    x = leaf(torch)
    x.register_hook(lambda grad: grad.double())
    return caught(lambda: x.sum().backward())


def replaced_in_turn(torch):
    x = leaf(torch)
    x.register_hook(lambda grad: grad + 1)
    x.register_hook(lambda grad: None)
    x.register_hook(lambda grad: grad * 10)
    x.sum().backward()
    return x.grad


def gradient_written_in_place_in_a_hook(torch):
    x = leaf(torch)
    y = x * 2
    y.register_hook(lambda grad: grad.clone().mul_(5))
    y.sum().backward()
    return x.grad


def handle_removed_in_the_middle(torch):
    x, seen = leaf(torch), []

    def once(grad):
        seen.append("once")
        handle.remove()

    handle = x.register_hook(once)
    for _ in range(2):
        x.sum().backward()
    return seen


def hook_registered_in_a_hook(torch):
    x, seen = leaf(torch), []
    x.register_hook(lambda grad: x.register_hook(lambda g: seen.append("inner")) and None)
    x.sum().backward()
    x.sum().backward()
    return len(seen)


def same_hook_twice(torch):
    x, seen = leaf(torch), []

    def hook(grad):
        seen.append(1)

    x.register_hook(hook)
    x.register_hook(hook)
    x.sum().backward()
    return seen


def hook_on_a_view(torch):
    x, seen = leaf(torch), []
    y = x * 1
    v = y[:1]
    v.register_hook(lambda grad: seen.append(grad.tolist()))
    (v * 3).sum().backward()
    return seen, x.grad


def hook_before_requires_grad_is_off(torch):
    x, seen = leaf(torch), []
    x.register_hook(lambda grad: seen.append(1))
    x.requires_grad_(False)
    x.requires_grad_(True)
    x.sum().backward()
    return seen


def hooks_run_for_grad_too(torch):
    x, seen = leaf(torch), []
    y = x * 2
    y.register_hook(lambda grad: seen.append("y"))
    x.register_hook(lambda grad: seen.append("x"))
    x.register_post_accumulate_grad_hook(lambda leaf: seen.append("accumulated"))
    found = torch.autograd.grad(y.sum(), [x, y])
    return seen, found


def hooks_change_what_grad_returns(torch):
    x = leaf(torch)
    y = x * 2
    y.register_hook(lambda grad: grad * 10)
    x.register_hook(lambda grad: grad + 1)
    return torch.autograd.grad(y.sum(), [x, y])


def node_hooks_and_captured_gradients(torch):
    x = leaf(torch)
    y = x * 2
    y.grad_fn.register_prehook(lambda grads: (grads[0] * 10,))
    return torch.autograd.grad(y.sum(), [x, y])


def hooks_of_the_accumulator_and_grad(torch):
    x, seen = leaf(torch), []
    y = x * 2
    node = y.grad_fn.next_functions[0][0]
    node.register_prehook(lambda grads: seen.append("before"))
    node.register_hook(lambda ins, outs: seen.append(("after", len(ins), len(outs))))
    torch.autograd.grad(y.sum(), x, retain_graph=True)
    y.sum().backward()
    return seen


def accumulator_prehook_changes(torch):
    x = leaf(torch)
    y = x * 2
    y.grad_fn.next_functions[0][0].register_prehook(lambda grads: (grads[0] * 100,))
    y.sum().backward()
    return x.grad


def node_hook_returns_list(torch):
    y = leaf(torch) * 2
    y.grad_fn.register_hook(lambda ins, outs: [ins[0], None])
    return caught(lambda: y.sum().backward())


def node_hook_returns_wrong_number(torch):
    y = leaf(torch) * 2
    y.grad_fn.register_hook(lambda ins, outs: (ins[0],))
    return caught(lambda: y.sum().backward())


def node_prehook_returns_wrong_number(torch):
    y = leaf(torch) * 2
    y.grad_fn.register_prehook(lambda outs: (outs[0], outs[0]))
    return caught(lambda: y.sum().backward())


def node_prehook_returns_a_tensor(torch):
    y = leaf(torch) * 2
    y.grad_fn.register_prehook(lambda outs: outs[0])
    return caught(lambda: y.sum().backward())


def node_hook_on_several_outputs(torch):
    seen = []
    x = leaf(torch)
    first, second = (x * 1).unbind(0)
    first.grad_fn.register_prehook(lambda outs: seen.append([None if o is None else o.tolist() for o in outs]))
    second.backward()
    return seen


def post_accumulate_may_change_grad(torch):
    x = leaf(torch)

    def hook(leaf):
        leaf.grad *= 2

    x.register_post_accumulate_grad_hook(hook)
    for _ in range(2):
        x.sum().backward()
    return x.grad


def post_accumulate_returns_something(torch):
    x = leaf(torch)
    x.register_post_accumulate_grad_hook(lambda leaf: leaf.grad)
    return caught(lambda: x.sum().backward()), x.grad


def post_accumulate_several_and_removed(torch):
    x, seen = leaf(torch), []
    first = x.register_post_accumulate_grad_hook(lambda leaf: seen.append(1))
    x.register_post_accumulate_grad_hook(lambda leaf: seen.append(2))
    x.sum().backward()
    first.remove()
    x.sum().backward()
    return seen


def optimiser_in_a_hook(torch):
    x = leaf(torch)
    optimizer = torch.optim.SGD([x], lr=0.5)

    def hook(leaf):
        optimizer.step()
        optimizer.zero_grad()

    x.register_post_accumulate_grad_hook(hook)
    (x * 2).sum().backward()
    return x, x.grad


def hook_and_in_place_writes(torch):
    x, seen = leaf(torch), []
    y = x * 1
    for at in range(3):
        y.register_hook(lambda grad, at=at: seen.append((at, grad.tolist())))
        y.mul_(10)
    y.sum().backward()
    return seen


def retained_after_in_place(torch):
    x = leaf(torch)
    y = x * 1
    y.retain_grad()
    y.mul_(10)
    z = y * 3
    z.sum().backward()
    return y.grad, x.grad


def retained_under_hooks_that_replace(torch):
    x = leaf(torch)
    y = x * 1
    y.register_hook(lambda grad: grad * 2)
    y.retain_grad()
    y.register_hook(lambda grad: grad * 5)
    y.sum().backward()
    return y.grad, x.grad


def retained_gradient_accumulates(torch):
    x = leaf(torch)
    y = x * 1
    y.retain_grad()
    for _ in range(2):
        y.sum().backward(retain_graph=True)
    return y.grad


def retained_for_grad(torch):
    x = leaf(torch)
    y = x * 1
    y.retain_grad()
    torch.autograd.grad(y.sum(), x)
    return y.grad


def retained_of_the_root(torch):
    y = (leaf(torch) * 2).sum()
    y.retain_grad()
    y.backward()
    return y.grad


def multi_grad_all(torch):
    x, y, z, seen = leaf(torch), leaf(torch), leaf(torch), []
    handle = torch.autograd.graph.register_multi_grad_hook(
        (x, y, z), lambda grads: seen.append([None if g is None else g.tolist() for g in grads])
    )
    (x * 2 + y).sum().backward()
    (x + y + z).sum().backward()
    handle.remove()
    x.sum().backward()
    return seen


def multi_grad_any(torch):
    x, y, seen = leaf(torch), leaf(torch), []
    torch.autograd.graph.register_multi_grad_hook((x, y), lambda grad: seen.append(grad.tolist()), mode="any")
    for _ in range(2):
        (x * 2).sum().backward()
    return seen


def multi_grad_of_non_leaves(torch):
    x, seen = leaf(torch), []
    a, b = x * 2, x * 3
    torch.autograd.graph.register_multi_grad_hook((a, b), lambda grads: seen.append([g.tolist() for g in grads]))
    (a + b).sum().backward()
    return seen


def multi_grad_wrong_mode(torch):
    return caught(lambda: torch.autograd.graph.register_multi_grad_hook((leaf(torch),), print, mode="some"))


def multi_grad_of_what_requires_none(torch):
    x = leaf(torch)
    return type(
        caught(lambda: torch.autograd.graph.register_multi_grad_hook((x, torch.ones(1)), lambda grads: None))
    ).__name__


def leaf_that_no_longer_requires_grad(torch):
    x, seen = leaf(torch), []
    x.register_hook(lambda grad: seen.append("hook"))
    x.register_post_accumulate_grad_hook(lambda leaf: seen.append("accumulated"))
    y, z = (x * x).sum(), (x * 3).sum()
    x.requires_grad_(False)
    y.backward()
    x.requires_grad_(True)
    between = x.grad
    x.detach_()
    z.backward()
    return between, x.grad, seen
