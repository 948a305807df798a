"""Types that answer for functions: subclasses of Tensor, types with `__torch_function__` alone, and modes."""

from __future__ import annotations

import importlib

from tests.parity.programs.common import caught


def logging(torch, notes):
    """A subclass that notes the names of the functions that it is asked for."""

    class Logging(torch.Tensor):
        @classmethod
        def __torch_function__(cls, func, types, args=(), kwargs=None):
            notes.append((func.__name__, [each.__name__ for each in types if each is not torch.Tensor]))
            return super().__torch_function__(func, types, args, kwargs or {})

    return Logging


def kinds_of(*values):
    return [type(each).__name__ for each in values]


def signs_of_a_subclass_are_told_by_name(torch):
    notes = []
    kind = logging(torch, notes)
    x, plain = torch.tensor([[1.0, 2.0], [3.0, 4.0]]).as_subclass(kind), torch.ones(2)
    made = [x + 1, 1 + x, plain + x, x + plain, x - 1, 1 - x, plain - x, x * 2, x / 2, x // 2, x % 2, x**2, 2**x, -x]
    made += [x @ x, abs(x), x < 1, x >= plain, x == 1, x != plain]
    return notes, kinds_of(*made), made


def functions_and_methods_are_told_by_name(torch):
    notes = []
    kind = logging(torch, notes)
    x, plain = torch.tensor([[1.0, 2.0], [3.0, 4.0]]).as_subclass(kind), torch.ones(2, 2)
    functional = torch.nn.functional
    made = [torch.add(x, 1), x.add(1), torch.sum(x, dim=0), x.sum(0), torch.stack([plain, x]), torch.cat([x, plain])]
    made += [functional.relu(x), functional.softmax(x, dim=0), functional.mse_loss(x, plain), functional.linear(x, x)]
    made += [torch.where(plain > 0, x, 0), torch.einsum("ij->i", x), torch.zeros_like(x), x.reshape(4), x.clone()]
    made += [*torch.broadcast_tensors(x, plain), *torch.max(x, 0), *x.sort(), *x.split(1), x[0], x[:, 1:], x.detach()]
    return notes, kinds_of(*made), made


def members_of_a_subclass_are_told(torch):
    notes = []
    kind = logging(torch, notes)
    x = torch.tensor([1.0, 2.0]).as_subclass(kind)
    found = [tuple(x.shape), x.dtype, x.requires_grad, x.is_leaf, x.grad, x.ndim, len(x), x.size(), x.dim(), x.numel()]
    found += [x[0].item(), x.tolist(), float(x[1]), bool(x[0]), 1.0 in x]
    return notes, found, kinds_of(x.data, x[None].T)


def assignments_to_a_subclass_are_told(torch):
    notes = []
    kind = logging(torch, notes)
    x = torch.tensor([1.0, 2.0]).as_subclass(kind)
    x[0] = 3.0
    x += 1
    x.mul_(2)
    x.grad = torch.ones(2)
    x.requires_grad = True
    x.grad = None
    return notes, x, type(x).__name__


def gradients_of_a_subclass(torch):
    class Sub(torch.Tensor):
        pass

    x = torch.tensor([1.0, 2.0]).as_subclass(Sub).requires_grad_()
    y = (x * x).sum()
    y.backward()
    (again,) = torch.autograd.grad((x**3).sum(), x)
    return kinds_of(x, y, x.grad, x.data, x.detach()), x.grad, again.tolist(), y.grad_fn is not None


def gradients_have_the_class_of_who_is_asked(torch):
    class Sub(torch.Tensor):
        pass

    class Off(torch.Tensor):
        __torch_function__ = torch._C._disabled_torch_function_impl

    notes = []
    for kind in (Sub, Off):
        x, plain = torch.tensor([1.0, 2.0]).as_subclass(kind).requires_grad_(), torch.ones(2, requires_grad=True)
        for inputs in (x, plain, [x, plain], {"a": x}):
            for create in (False, True):
                found = torch.autograd.grad((x * x * plain).sum(), inputs, create_graph=create)
                found = list(found.values()) if isinstance(found, dict) else found
                notes.append((kinds_of(*found), [each.requires_grad for each in found]))
        none = torch.autograd.grad((x * x).sum(), (x, plain), allow_unused=True)
        zeros = torch.autograd.grad((x * x).sum(), (x, plain), materialize_grads=True)
        alone = torch.autograd.grad(plain * 2, plain, torch.ones(2).as_subclass(kind))
        rows = torch.autograd.grad(x * x, x, torch.eye(2), is_grads_batched=True)
        notes.append(kinds_of(*none, *zeros, *alone, *rows))
        torch.autograd.backward([(x * x).sum()], inputs=[x])
        notes.append(kinds_of(x.grad))
    return notes


def who_is_asked_before_a_pass(torch):
    notes = []

    class Duck:
        @classmethod
        def __torch_function__(cls, func, types, args=(), kwargs=None):
            notes.append((func.__name__, len(types), [len(each) for each in args], sorted(kwargs)))
            notes.append([kwargs[name] for name in sorted(kwargs) if name != "inputs"])
            return "answered"

    duck, x = Duck(), torch.ones(2, requires_grad=True)
    grad, backward = torch.autograd.grad, torch.autograd.backward
    notes.append([grad(duck, x), grad([x], [duck], allow_unused=True), grad(duck, duck, materialize_grads=True)])
    notes.append([backward(duck), backward([duck], create_graph=True), backward(x, inputs=[duck], retain_graph=True)])
    return notes


def all_decline_a_pass(torch):
    class Declining(torch.Tensor):
        @classmethod
        def __torch_function__(cls, func, types, args=(), kwargs=None):
            if func in (torch.autograd.grad, torch.autograd.backward):
                return NotImplemented
            return super().__torch_function__(func, types, args, kwargs)

    x = torch.ones(2).as_subclass(Declining).requires_grad_()
    y = x.sum()
    texts = [str(caught(lambda: torch.autograd.grad(y, x))), str(caught(lambda: torch.autograd.backward(y)))]
    return [text.partition("types that")[0] for text in texts], x.grad is None


def a_mode_is_asked_before_a_pass(torch):
    notes, x = [], torch.ones(2, requires_grad=True)

    class Log(torch.overrides.TorchFunctionMode):
        def __torch_function__(self, func, types, args=(), kwargs=None):
            notes.append((func.__name__, len(types), len(args), sorted(kwargs or {})))
            return func(*args, **(kwargs or {}))

    y = (x * 2).sum()
    with Log():
        torch.autograd.grad(y, x, retain_graph=True)
        torch.autograd.backward([y], inputs=[x], retain_graph=True)
        y.backward(retain_graph=True)
    return notes, x.grad


def parameters_do_not_spread(torch):
    class Sub(torch.Tensor):
        pass

    class Own(torch.nn.Parameter):
        pass

    p, own = torch.nn.Parameter(torch.ones(2)), Own(torch.ones(2))
    x = torch.ones(2).as_subclass(Sub)
    return kinds_of(p * 2, p.detach(), p.data, p.clone(), own * 2, own + p, p * x, x * p, torch.stack([p, x]))


def a_subclass_with_state(torch):
    class Named(torch.Tensor):
        name_of = "?"

        @staticmethod
        def make(data, name):
            made = torch.as_tensor(data).as_subclass(Named)
            made.label = name
            return made

        @classmethod
        def __torch_function__(cls, func, types, args=(), kwargs=None):
            labels = [each.label for each in args if isinstance(each, Named) and hasattr(each, "label")]
            made = super().__torch_function__(func, types, args, kwargs or {})
            if isinstance(made, Named) and labels:
                made.label = f"{func.__name__}({','.join(labels)})"
            return made

    a, b = Named.make([1.0, 2.0], "a"), Named.make([3.0, 4.0], "b")
    return [each.label for each in (a + b, a.mul(b), torch.sub(a, 1), (a + b).exp(), a[0])], a + b


def subclasses_come_before_their_bases(torch):
    asked = []

    class Base(torch.Tensor):
        @classmethod
        def __torch_function__(cls, func, types, args=(), kwargs=None):
            asked.append((cls.__name__, [each.__name__ for each in types]))
            return super().__torch_function__(func, types, args, kwargs or {})

    class Derived(Base):
        pass

    class Other(torch.Tensor):
        pass

    x, y, z = (torch.ones(2).as_subclass(each) for each in (Base, Derived, Other))
    made = [x + y, y + x, torch.add(x, y), torch.stack([x, y])]
    return kinds_of(*made), asked, caught(lambda: torch.add(z, x)) is not None


def overridden_methods_of_a_subclass_stay(torch):
    class Mixin:
        def cos(self):
            return "mixin"

    class First(torch.Tensor):
        def sin(self):
            return "own"

        @property
        def T(self):  # noqa: N802 - as torch has it
            return "property"

    class Second(First, Mixin):
        pass

    class Third(Mixin, torch.Tensor):
        pass

    x, y, z = (torch.ones(2).as_subclass(each) for each in (First, Second, Third))
    return x.sin(), x.T, y.sin(), y.T, y.cos(), z.cos(), kinds_of(x.cos(), torch.sin(x))


def everyone_declines(torch):
    class Declines(torch.Tensor):
        @classmethod
        def __torch_function__(cls, func, types, args=(), kwargs=None):
            return NotImplemented

    x = torch.ones(2).as_subclass(Declines)
    tries = [lambda: torch.add(x, 1), lambda: x + 1, lambda: x.sum(), lambda: x.shape]
    return [type(caught(each)).__name__ for each in tries]


class Duck:
    """No tensor, and asked like one."""

    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        return func.__name__, [each.__name__ for each in types], len(args), sorted(kwargs or {})


def a_duck_answers_for_functions(torch):
    duck, t = Duck(), torch.ones(2)
    found = [torch.add(duck, 1), torch.add(t, duck), t + duck, t.mul(duck), torch.stack([t, duck]), t @ duck]
    found += [torch.sum(duck, dim=1), torch.max(duck, 0), torch.where(t > 0, duck, t), torch.exp(duck), t - duck]
    return [*found, torch.nn.functional.relu(duck)[:2], torch.mean(duck), torch.cat([duck, duck])]


def a_table_of_functions(torch):
    table = {}

    class Diagonal:
        def __init__(self, size, value):
            self.size, self.value = size, value

        @classmethod
        def __torch_function__(cls, func, types, args=(), kwargs=None):
            if func not in table or not all(issubclass(each, (torch.Tensor, Diagonal)) for each in types):
                return NotImplemented
            return table[func](*args, **(kwargs or {}))

    table[torch.mean] = lambda x: x.value / x.size
    table[torch.matmul] = lambda x, y: y * x.value
    d = Diagonal(2, 4.0)
    return torch.mean(d), torch.matmul(d, torch.ones(2)), type(caught(lambda: torch.exp(d))).__name__


def nobody_is_asked_inside_the_guard(torch):
    notes = []
    kind = logging(torch, notes)
    x = torch.ones(2).as_subclass(kind)
    with torch._C.DisableTorchFunctionSubclass():
        made = x + 1, x.sum(), x.shape, torch.overrides.has_torch_function((x,))
    return kinds_of(*made), made[3], notes, torch.overrides.has_torch_function((x,))


def a_mode_sees_functions(torch):
    notes = []

    class Noting(torch.overrides.TorchFunctionMode):
        def __torch_function__(self, func, types, args=(), kwargs=None):
            notes.append(func.__name__)
            return func(*args, **(kwargs or {}))

    class Doubling(torch.overrides.TorchFunctionMode):
        def __torch_function__(self, func, types, args=(), kwargs=None):
            made = func(*args, **(kwargs or {}))
            return made * 2 if func is torch.exp else made

    with Noting():
        made = torch.zeros(2) + 1
        torch.stack([made, made]).sum(0)
        torch.nn.functional.relu(made)
        with Doubling():
            doubled = torch.exp(made)
    return notes, doubled, torch.exp(made)


def modes_are_pushed_and_popped(torch):
    notes, overrides, x = [], importlib.import_module(f"{torch.__name__}.overrides"), torch.ones(2)

    def mode(name):
        class Log(overrides.TorchFunctionMode):
            def __torch_function__(self, func, types, args=(), kwargs=None):
                notes.append((name, func.__name__))
                return func(*args, **(kwargs or {}))

        return Log()

    a, b = mode("a"), mode("b")
    with a, b:
        with overrides._pop_mode_temporarily() as popped:
            torch.add(x, 1)
        torch.sub(x, 1)
        notes.append((popped is b, [each is b for each in overrides._get_current_function_mode_stack()]))
    overrides._push_mode(a)
    torch.add(x, 1)
    notes.append((overrides._get_current_function_mode() is a, overrides._pop_mode() is a))
    torch.add(x, 1)
    return notes, caught(overrides._pop_mode), overrides._get_current_function_mode()


def a_mode_and_a_subclass_decline(torch):
    class Declining(torch.overrides.TorchFunctionMode):
        def __torch_function__(self, func, types, args=(), kwargs=None):
            return NotImplemented

        def __repr__(self):
            return "the mode"

    class Sub(torch.Tensor):
        @classmethod
        def __torch_function__(cls, func, types, args=(), kwargs=None):
            return NotImplemented

    texts = []
    for x in (torch.ones(2), torch.ones(2).as_subclass(Sub)):
        with Declining():
            texts.append(str(caught(lambda x=x: torch.add(x, 1))).partition("- tensor subclass")[0])
    return texts


def questions_about_overriding(torch):
    class Sub(torch.Tensor):
        pass

    overrides, x = torch.overrides, torch.ones(2).as_subclass(Sub)
    names = [torch.add, torch.nn.functional.relu, torch.Tensor.shape.__get__, torch.linalg.norm, torch.Tensor.add_]
    return (
        [
            overrides.has_torch_function((each,))
            for each in (x, Duck(), torch.ones(1), 1, torch.nn.Parameter(torch.ones(1)))
        ],
        [overrides.is_tensor_like(each) for each in (x, Duck(), torch.ones(1), 1)],
        [overrides.resolve_name(each) for each in names],
        [overrides.is_tensor_method_or_property(each) for each in (torch.Tensor.add_, torch.Tensor.shape.__get__)],
        len(overrides.get_default_nowrap_functions()),
        torch.add in overrides.get_overridable_functions()[torch],
    )


def functions_of_the_program_ask(torch):
    kind = logging(torch, [])

    @torch.overrides.wrap_torch_function(lambda x, y: (x, y))
    def product(x, y):
        return x * y

    x = torch.full((2,), 3.0).as_subclass(kind)
    return product(torch.ones(2), 2), kinds_of(product(x, 2)), product(Duck(), 2)[:2]


def text_of_a_subclass(torch):
    class Sub(torch.Tensor):
        pass

    x = torch.tensor([1.0, 2.0]).as_subclass(Sub)
    return repr(x), repr(Sub([1.0])), str(torch.ones(2, 12).as_subclass(Sub))


def names_of_functions(torch):
    overrides = importlib.import_module(f"{torch.__name__}.overrides")
    functions = [
        torch.add,
        torch.zeros,
        torch.einsum,
        torch.meshgrid,
        torch.nn.functional.relu,
        torch.nn.init.uniform_,
        torch.fft.fft,
        torch.Tensor.backward,
        torch.Tensor.shape.__get__,
        torch.Tensor.__getitem__,
        lambda: 0,
    ]
    ignored = overrides.get_ignored_functions()
    return [
        [overrides.resolve_name(each) for each in functions],
        [each in ignored for each in (torch.add, torch.zeros, torch.tensor, torch.from_numpy)],
        [overrides._get_current_function_mode(), overrides._get_current_function_mode_stack()],
    ]
