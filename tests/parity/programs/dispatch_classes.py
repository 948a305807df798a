"""Classes that are told of operators below differentiation: what they see, and derivatives of what they make."""

from __future__ import annotations

import copy
import random
from importlib import import_module

from tests.parity.programs.common import caught, node_name


def tools(torch, module="utils._python_dispatch"):
    return import_module(f"{torch.__name__}.{module}")


def wrapper(torch, cls, like, **options):
    """A tensor of a class that says of itself what another one is."""
    return torch.Tensor._make_wrapper_subclass(
        cls,
        like.size(),
        strides=like.stride(),
        storage_offset=like.storage_offset(),
        dtype=like.dtype,
        layout=like.layout,
        device=like.device,
        **options,
    )


def logging(torch, notes):
    """A class that notes the operators and wraps a tensor."""
    tree_map = tools(torch, "utils._pytree").tree_map

    class Logged(torch.Tensor):
        __slots__ = ("elem",)
        __torch_function__ = torch._C._disabled_torch_function_impl

        @staticmethod
        def __new__(cls, elem, requires_grad=False):
            made = wrapper(torch, cls, elem, requires_grad=requires_grad)
            made.elem = elem.detach()
            return made

        def __repr__(self):
            return f"Logged({self.elem})"

        @classmethod
        def __torch_dispatch__(cls, func, types, args=(), kwargs=None):
            if func is not torch.ops.aten.detach.default:
                notes.append(str(func))
            args, kwargs = tree_map(lambda each: each.elem if isinstance(each, cls) else each, (args, kwargs or {}))
            made = func(*args, **kwargs)
            return tree_map(lambda each: cls(each) if isinstance(each, torch.Tensor) else each, made)

    return Logged


def _scaled(torch):
    """A class that keeps integers and a scale, as quantised tensors do; what it makes is plain."""
    tree_map = tools(torch, "utils._pytree").tree_map

    class Scaled(torch.Tensor):
        @staticmethod
        def __new__(cls, integers, scale, dtype):
            return torch.Tensor._make_wrapper_subclass(cls, integers.size(), dtype=dtype, requires_grad=False)

        def __init__(self, integers, scale, dtype):
            self.integers, self.scale = integers, scale

        def __tensor_flatten__(self):
            return ["integers", "scale"], self.dtype

        @classmethod
        def __tensor_unflatten__(cls, inner, dtype, size, stride):
            return cls(inner["integers"], inner["scale"], dtype)

        def plain(self):
            return self.integers.to(self.dtype) * self.scale

        @classmethod
        def __torch_dispatch__(cls, func, types, args=(), kwargs=None):
            utils, aten = tools(torch), torch.ops.aten
            if func in (aten.detach.default, aten.clone.default):
                made = utils.transform_subclass(args[0], lambda name, each: func(each))
                return utils.return_and_correct_aliasing(func, args, kwargs, made)
            if func is aten.t.default:
                return utils.return_and_correct_aliasing(
                    func, args, kwargs, cls(args[0].integers.t(), args[0].scale, args[0].dtype)
                )
            args, kwargs = tree_map(lambda each: each.plain() if isinstance(each, cls) else each, (args, kwargs or {}))
            return func(*args, **kwargs)

    return Scaled


def _two(torch):
    """A class of two tensors that goes through everything with both."""
    pytree = tools(torch, "utils._pytree")

    class Two(torch.Tensor):
        @staticmethod
        def __new__(cls, a, b):
            return wrapper(torch, cls, a, requires_grad=a.requires_grad)

        def __init__(self, a, b):
            self.a, self.b = a, b

        def __repr__(self):
            return f"Two({self.a}, {self.b})"

        def __tensor_flatten__(self):
            return ["a", "b"], None

        @staticmethod
        def __tensor_unflatten__(inner, context, size, stride):
            return Two(inner["a"], inner["b"])

        @classmethod
        def __torch_dispatch__(cls, func, types, args=(), kwargs=None):
            made = []
            for name in ("a", "b"):
                inner = pytree.tree_map(lambda each, name=name: getattr(each, name, each), args)
                made.append(func(*inner, **(kwargs or {})))
            leaves, spec = pytree.tree_flatten(made[0])
            others = pytree.tree_flatten(made[1])[0]
            pairs = [Two(a, b) if isinstance(a, torch.Tensor) else a for a, b in zip(leaves, others)]
            out = pytree.tree_unflatten(pairs, spec)
            return tools(torch).return_and_correct_aliasing(func, args, kwargs, out)

    return Two


def _masked(torch):
    """A class of values and a mask, with a table of the operators that it knows."""
    table = {}

    class Masked(torch.Tensor):
        @staticmethod
        def __new__(cls, values, mask, requires_grad=False):
            made = wrapper(torch, cls, values, requires_grad=requires_grad)
            made.values, made.mask = values, mask
            return made

        __torch_function__ = torch._C._disabled_torch_function_impl

        @classmethod
        def __torch_dispatch__(cls, func, types, args=(), kwargs=None):
            if func not in table:
                return NotImplemented
            return table[func](func, *args, **(kwargs or {}))

    table.update(_masked_table(torch, Masked))
    return Masked


def _masked_table(torch, cls):
    """What the class of masked tensors does, by operator."""
    aten = torch.ops.aten

    def unary(func, values, **options):
        return cls(func(values.values, **options), values.mask)

    def binary(func, a, b):
        mask = a.mask if isinstance(a, cls) else b.mask
        return cls(func(*(each.values if isinstance(each, cls) else each for each in (a, b))), mask)

    def total(func, values):
        return cls(func(values.values * values.mask), torch.tensor(True))

    def ones(func, values, **options):
        return cls(torch.ones_like(values.values), values.mask)

    def expand(func, values, size):
        return cls(values.values.expand(size), values.mask.expand(size))

    table = dict.fromkeys((aten.exp.default, aten.neg.default, aten.detach.default, aten.clone.default), unary)
    table |= dict.fromkeys((aten.mul.Tensor, aten.add.Tensor), binary)
    return table | {aten.sum.default: total, aten.ones_like.default: ones, aten.expand.default: expand}


def leaf(torch, cls, *shape, shift=0):
    count = 1
    for length in shape:
        count *= length
    flat = (torch.arange(count, dtype=torch.float64) * 7 + shift) % 11 / 5 + 0.2
    return cls(flat.reshape(shape), requires_grad=True)


ELEMENTWISE = (
    lambda x: x.exp(),
    lambda x: x.tanh(),
    lambda x: x * x,
    lambda x: x + 1,
    lambda x: 2 - x,
    lambda x: x / 3,
    lambda x: x.sigmoid(),
    lambda x: -x,
    lambda x: x.relu(),
    lambda x: (x + 3).log(),
    lambda x: x.clone(),
    lambda x: x.softmax(-1),
    lambda x: x.cumsum(0),
)
VIEWS = (
    lambda x: x.t(),
    lambda x: x.transpose(0, 1),
    lambda x: x[:, 1:],
    lambda x: x[None].squeeze(0),
    lambda x: x.reshape(-1, 1),
    lambda x: x.unsqueeze(0).expand(2, *x.shape)[1],
    lambda x: x.permute(1, 0),
)
PRODUCTS = (lambda x: x @ x.t(), lambda x: x.t() @ x, lambda x: x.mm(x.t()))
WRITES = (
    lambda x: x.clone().mul_(2),
    lambda x: (x * 2).add_(x),
    lambda x: (x * 1).clamp_(0.5),
    lambda x: (x + 0).neg_(),
)
ENDS = (lambda x: x.sum(), lambda x: x.mean(), lambda x: x.sum(0).sum(), lambda x: (x * x).sum(1).mean())


def generated(seed):
    """A program of some steps: a list of functions, the last of which gives a number."""
    chance = random.Random(seed)
    kinds = (ELEMENTWISE, ELEMENTWISE, VIEWS, PRODUCTS, WRITES)
    return [chance.choice(chance.choice(kinds)) for _ in range(chance.randint(2, 6))] + [chance.choice(ENDS)]


def run(torch, seed):
    """What a generated program tells the class forward, its result and its gradient."""
    notes = []
    cls = logging(torch, notes)
    x = value = leaf(torch, cls, 3, 4, shift=seed)
    for step in generated(seed):
        value = step(value)
    forward = list(notes)
    (grad,) = torch.autograd.grad(value, x)
    return (
        forward,
        value.elem,
        grad.elem.contiguous(),
        [type(each).__name__ for each in (value, grad)],
        node_name(value),
    )


def generated_programs_tell_the_class_of_the_same_operators(torch):
    return [run(torch, seed) for seed in range(40)]


def generated_programs_of_two_tensors_have_two_gradients(torch):
    found, cls = [], _two(torch)
    for seed in range(20):
        a = torch.linspace(0.2, 2, 12, dtype=torch.float64).reshape(3, 4).requires_grad_()
        x = value = cls(a, a.detach() + seed / 10)
        for step in generated(seed):
            value = step(value)
        value.backward()
        found.append((value.a, value.b, x.grad.a.contiguous(), x.grad.b.contiguous(), type(x.grad).__name__))
    return found


def gradients_are_added_up(torch):
    x = leaf(torch, logging(torch, []), 2, 3)
    found = []
    for _ in range(3):
        (x * x).sum().backward()
        found.append((x.grad.elem.clone(), type(x.grad).__name__))
    return found


def second_derivatives_are_those_of_plain_tensors(torch):
    x = leaf(torch, logging(torch, []), 2, 3)
    (first,) = torch.autograd.grad((x**3).sum(), x, create_graph=True)
    (second,) = torch.autograd.grad((first * first).sum(), x)
    return first.elem, second.elem, first.requires_grad, second.requires_grad


def writes_through_views_reach_the_base(torch):
    notes = []
    x = leaf(torch, logging(torch, notes), 3, 4)
    y = x * 2
    y[0].mul_(3)
    y[:, 1] = 5
    y[1, 2] = x[0, 0]
    forward = [each for each in notes if "select" not in each]
    (grad,) = torch.autograd.grad((y * y).sum(), x)
    return forward, y.elem, grad.elem, y._version, y._is_view(), y[0]._is_view()


def numbers_are_asked_of_the_class(torch):
    notes = []
    x = logging(torch, notes)(torch.tensor([3.0]))
    return x.item(), float(x), bool(x > 2), int(x), notes


def factories_ask_the_class(torch):
    notes = []
    x = logging(torch, notes)(torch.ones(2, 3))
    made = (torch.zeros_like(x), torch.ones_like(x), torch.empty_like(x), torch.full_like(x, 2.0), x.new_zeros(2))
    made += (x.new_ones((2, 2)), x.new_full((2,), 3.0), x.new_empty(3), torch.rand_like(x))
    return notes, [type(each).__name__ for each in made], [tuple(each.shape) for each in made]


def hooks_see_the_class(torch):
    x, seen = leaf(torch, logging(torch, []), 2), []
    y = x * 2
    y.retain_grad()
    x.register_hook(lambda grad: seen.append(type(grad).__name__))
    y.register_hook(lambda grad: grad * 2)
    y.exp().sum().backward()
    return seen, x.grad.elem, y.grad.elem, type(y.grad).__name__


def what_a_tensor_says_of_itself(torch):
    class Own(torch.Tensor):
        @classmethod
        def __torch_dispatch__(cls, func, types, args=(), kwargs=None):
            raise AssertionError("nobody asked")

    made = torch.Tensor._make_wrapper_subclass(Own, (2, 3), strides=(1, 2), dtype=torch.float64, requires_grad=True)
    other = torch.Tensor._make_wrapper_subclass(Own, (4,), dtype=torch.int32, device="meta")
    facts = [made.size(), made.stride(), made.dtype, made.requires_grad, made.is_leaf, made.ndim, made.numel()]
    facts += [made.is_contiguous(), str(made.device), str(other.device), other.is_meta, made.is_sparse, made.layout]
    facts += [other.is_floating_point(), made.data_ptr(), made.storage_offset(), len(made), made.grad_fn]
    return [str(each) for each in facts], type(made).__name__


def a_class_without_dispatch_has_no_wrappers(torch):
    class Own(torch.Tensor):
        pass

    return caught(lambda: torch.Tensor._make_wrapper_subclass(Own, (2, 3)))


def integers_with_a_scale_are_multiplied(torch):
    cls = _scaled(torch)
    weight = cls(torch.arange(12, dtype=torch.int32).reshape(3, 4), torch.tensor(0.5), torch.float32)
    x = torch.linspace(-1, 1, 8).reshape(2, 4).requires_grad_()
    y = torch.nn.functional.linear(x, weight)
    (grad,) = torch.autograd.grad(y.square().sum(), x)
    copies = weight.clone(), weight.detach(), copy.deepcopy(weight)
    names = [type(each).__name__ for each in copies]
    return y, grad, names, copies[2].plain(), tools(torch).is_traceable_wrapper_subclass(weight)


def a_frozen_layer_of_integers_is_trained_through(torch):
    cls = _scaled(torch)
    layer, head = torch.nn.Linear(4, 3), torch.nn.Linear(3, 1)
    for at, each in enumerate((*layer.parameters(), *head.parameters())):
        each.data.copy_(torch.linspace(-1, 1, each.numel()).reshape(each.shape) + at / 10)
    layer.weight = torch.nn.Parameter(
        cls(torch.arange(12, dtype=torch.int32).reshape(3, 4), torch.tensor(0.25), torch.float32), requires_grad=False
    )
    x = torch.linspace(-1, 1, 20).reshape(5, 4)
    optimiser, losses = torch.optim.SGD(head.parameters(), lr=0.1), []
    for _ in range(3):
        optimiser.zero_grad()
        loss = head(layer(x).relu()).square().mean()
        loss.backward()
        optimiser.step()
        losses.append(loss.detach())
    return losses, type(layer.weight).__name__, isinstance(layer.weight, torch.nn.Parameter)


def masks_are_kept_and_unknown_operators_refused(torch):
    cls = _masked(torch)
    mask = torch.tensor([True, False, True])
    x = cls(torch.tensor([1.0, 2.0, 3.0]), mask, requires_grad=True)
    y = (x.exp() * 2 + x).sum()
    y.backward()
    return y.values, x.grad.values, x.grad.mask, type(caught(lambda: x.cos())).__name__


def subclasses_are_asked_before_their_bases(torch):
    seen = []

    class Base(torch.Tensor):
        @staticmethod
        def __new__(cls, elem):
            made = wrapper(torch, cls, elem)
            made.elem = elem
            return made

        @classmethod
        def __torch_dispatch__(cls, func, types, args=(), kwargs=None):
            seen.append((cls.__name__, sorted(each.__name__ for each in types)))
            return cls(func(*(each.elem if isinstance(each, Base) else each for each in args)))

    class Derived(Base):
        pass

    a, b = Base(torch.ones(2)), Derived(torch.ones(2))
    made = a + b, b + a, a + 1, a + torch.ones(2), torch.ones(2) * b
    return seen, [type(each).__name__ for each in made]


def all_may_decline(torch):
    class Own(torch.Tensor):
        @staticmethod
        def __new__(cls, elem):
            return wrapper(torch, cls, elem)

        @classmethod
        def __torch_dispatch__(cls, func, types, args=(), kwargs=None):
            return NotImplemented

    error = caught(lambda: Own(torch.ones(2)).exp())
    return type(error).__name__, "aten.exp.default" in str(error)


def answers_that_are_no_tensors_are_refused(torch):
    class Own(torch.Tensor):
        @staticmethod
        def __new__(cls, elem):
            return wrapper(torch, cls, elem)

        @classmethod
        def __torch_dispatch__(cls, func, types, args=(), kwargs=None):
            return 3

    return type(caught(lambda: Own(torch.ones(2)).exp())).__name__


def tensors_on_memory_of_their_own_are_asked_too(torch):
    notes, utils = [], tools(torch, "utils._mode_utils")

    class Noting(torch.Tensor):
        __torch_function__ = torch._C._disabled_torch_function_impl

        @staticmethod
        def __new__(cls, elem, requires_grad=False):
            return torch.Tensor._make_subclass(cls, elem, requires_grad)

        @classmethod
        def __torch_dispatch__(cls, func, types, args=(), kwargs=None):
            if func is not torch.ops.aten.detach.default:
                notes.append(str(func))
            with utils.no_dispatch():
                return func(*args, **(kwargs or {}))

    x = Noting(torch.tensor([1.0, 2.0]), requires_grad=True)
    y = (x * x).exp()
    y = y.sum()
    (grad,) = torch.autograd.grad(y, x)
    return notes[:2], y.detach(), grad.detach(), x.requires_grad


def modes_hear_before_classes(torch):
    notes = []
    cls = logging(torch, notes)

    class Mode(tools(torch).TorchDispatchMode):
        def __torch_dispatch__(self, func, types, args=(), kwargs=None):
            notes.append(f"mode {func}")
            return func(*args, **(kwargs or {}))

    x = cls(torch.ones(2))
    with Mode():
        y = x.exp() + 1
    return notes, type(y).__name__, y.elem


def layers_forward_tell_the_class(torch):
    notes, functional = [], torch.nn.functional
    cls = logging(torch, notes)
    x, weight, bias = leaf(torch, cls, 3, 4), leaf(torch, cls, 5, 4, shift=3), leaf(torch, cls, 5)
    y = functional.linear(x, weight, bias)
    loss = functional.cross_entropy(y, torch.tensor([0, 1, 4]))
    y = functional.gelu(y) + functional.silu(y) + functional.layer_norm(y, (5,))
    y = functional.dropout(y, 0.5, False).max(1)[0].sum() + functional.mse_loss(x, x * 2) + loss
    forward = list(notes)
    grads = torch.autograd.grad(y, (x, weight, bias))
    return forward, y.elem, [each.elem for each in grads]


def copies_and_pickles_of_the_class(torch):
    notes = []
    cls = logging(torch, notes)
    x = leaf(torch, cls, 2)
    made = x.detach(), x.clone(), x.data, copy.deepcopy(x), copy.copy(x)
    return [(type(each).__name__, each.requires_grad, each.elem) for each in made], notes


def deep_programs_keep_no_tensor_alive(torch):
    import gc
    import weakref

    cls, held = logging(torch, []), []
    x = leaf(torch, cls, 2)
    y = x
    for _ in range(3):
        y = (y * 2).tanh()
        held.append(weakref.ref(y.elem))
    y.sum().backward()
    del y
    gc.collect()
    return [each() is None for each in held], x.grad.elem
