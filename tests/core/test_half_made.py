"""Objects of the core as a program should never see them: allocated only, with foreign values in their fields, called
with what they do not expect. Whatever comes of it is a Python error and never the end of the process.

Each class is tried in a child of its own, in the compiled build unless the file is named: the compiled classes have
fields without a look-up by name, where an object that lacks something would be an access outside of memory.
"""

from __future__ import annotations

import contextlib
import copy
import faulthandler
import gc
import importlib
import inspect
import operator
import os
import pickle
import pkgutil
import signal
import types
import weakref

import pytest

import wengert as wg
from wengert import _core, nn
from wengert._core.state import modes
from wengert._core.tensor import slots

resource = pytest.importorskip("resource")

NAMES = [each.name for each in pkgutil.walk_packages(_core.__path__, f"{_core.__name__}.")]
MODULES = [
    importlib.import_module(name) for name in NAMES if not name.endswith("._compiled")
]  # the library of them all
CLASSES = {
    value
    for module in (*MODULES, nn)
    for value in vars(module).values()
    if isinstance(value, type) and value.__module__.startswith("wengert") and not issubclass(value, BaseException)
    if not issubclass(value, nn.Module)
}
"""All classes of the core, those of its users that are tensors, and the name under which `Tensor` is public."""

HANGS = 300
"""After how many seconds a child counts as one that does not end."""


class Double(wg.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * 2

    @staticmethod
    def backward(ctx, grad):
        return grad * 2


def whole():
    """Objects of most classes, as programs come to have them."""
    x = wg.ones(3, requires_grad=True)
    product, custom, buffer = x * x, Double.apply(x), wg.zeros(3)
    buffer[0] = product[1]
    part = product[1:]
    with wg.autograd.graph.saved_tensors_hooks(lambda tensor: tensor, lambda tensor: tensor):
        packed = x.exp()
    found = [
        x,
        product,
        part,
        buffer,
        custom,
        nn.Parameter(wg.ones(2)),
        product._storage_,
        part._meta_,
        part._meta_.view,
    ]
    found += [each.grad_fn for each in (product, part, buffer, custom)] + [
        product._edge_,
        custom._edge_,
        product.grad_fn.plan,
    ]
    found += [*product.grad_fn.saved, *x.exp().grad_fn.saved, *packed.grad_fn.saved, x.exp().grad_fn._raw_saved_result]
    found += [product.grad_fn.next_functions[0][0], modes.current(), slots.OPERATORS, slots.OPERATORS.matmul]
    found += [wg.add, wg.sum, wg.Tensor.add_, wg.Tensor.t_, wg.mul.rules[0], wg.no_grad(), wg.inference_mode()]
    return found


CLASSES |= {type(each) for each in whole() if type(each).__module__.startswith("wengert._core")}


def allocated(cls):
    """An object of a class to which nothing was given, or None if there is no such thing."""
    try:
        return cls.__new__(cls)
    except TypeError:
        return None


def makers(cls):
    """Functions that make objects of a class: nothing given, of a subclass, and complete ones."""
    if allocated(cls) is not None:
        yield lambda: cls.__new__(cls)
        if cls.__flags__ & (1 << 10):  # it may have subclasses
            subclass = types.new_class("Subclass", (cls,))
            yield lambda: subclass.__new__(subclass)
    for at, example in enumerate(whole()):
        if type(example) is cls or (cls in type(example).__mro__ and type(example).__name__.endswith("Backward0")):
            yield lambda at=at: whole()[at]


def arguments(target):
    """What a method is called with."""
    tensor = wg.ones(2)
    return [
        (),
        (None,),
        (5,),
        (target,),
        (tensor,),
        (target, target),
        (tensor, None),
        (None,) * 3,
        ((None,), [None], {}),
    ]


def values(target, halves):
    """What a field is set to."""
    return [None, 5, "a", (), (None,), [None], {}, 1 << 70, target, wg.ones(2), *halves]


USES = [
    repr,
    bool,
    len,
    list,
    float,
    hash,
    operator.index,
    operator.neg,
    weakref.ref,
    lambda each: each + 1,
    lambda each: 1 - each,
    lambda each: each * each,
    lambda each: wg.ones(3) @ each,
    lambda each: each < each,
    lambda each: each[0],
    lambda each: operator.setitem(each, 0, each),
    lambda each: operator.iadd(each, each),
    lambda each: each.shape,
    lambda each: each.requires_grad,
    lambda each: each.grad_fn,
    lambda each: each.backward(),
    lambda each: each.sum().backward(),
    lambda each: each.detach(),
    lambda each: each.next_functions,
    lambda each: each(wg.ones(3)),
    lambda each: each.release(),
]
COPIES = [
    copy.copy,
    copy.deepcopy,
    vars,
    object.__reduce__,
    lambda each: each.__init__(),
    *[lambda each, at=at: pickle.dumps(each, at) for at in range(pickle.HIGHEST_PROTOCOL + 1)],
    *[lambda each, at=at: object.__reduce_ex__(each, at) for at in range(3)],
    lambda each: setattr(each, "__class__", wg.Tensor),
    lambda each: each.__dict__.update(me=each),
]


def trials(make):
    """All that is tried on the objects that `make` makes: what it is called, and a function."""
    for number, use in enumerate([*USES, *COPIES]):
        yield f"use {number}", lambda use=use: use(make())
    for name in dir(make()):
        if name != "__class__":
            yield from trials_of(make, name)


def trials_of(make, name):
    """What is tried with one attribute: calls on one object, changes of new ones."""
    target = make()
    for number in range(len(arguments(None))):
        yield f"{name}, arguments {number}", lambda number=number: called(target, name, number)
    if hasattr(inspect.getattr_static(target, name), "__set__"):
        yield f"del {name}", lambda: used(make(), lambda each: delattr(each, name))
        halves = [half for half in map(allocated, CLASSES) if half is not None]
        for number in range(len(values(None, halves))):
            yield (
                f"{name} = value {number}",
                lambda number=number: used(make(), lambda each: setattr(each, name, values(each, halves)[number])),
            )


def called(target, name, number):
    getattr(target, name)(*arguments(target)[number])


def used(target, change):
    """Use an object after a change that its class allowed."""
    change(target)
    for use in USES:
        tried(use, target)


def tried(action, *given):
    with contextlib.suppress(BaseException):  # anything that Python can say is well
        action(*given)


def in_child(work):
    """Run `work(tell)` in a child; return how it ended and the last that it told."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        nowhere = os.open(os.devnull, os.O_RDWR)
        for stream in range(3):
            os.dup2(nowhere, stream)
        faulthandler.disable()
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        signal.signal(signal.SIGALRM, signal.SIG_DFL)
        signal.alarm(HANGS)
        tried(work, lambda text: os.write(writer, text.encode().ljust(200)))
        tried(gc.collect)
        os._exit(0)
    os.close(writer)
    told = b""
    while piece := os.read(reader, 1 << 16):
        told = (told + piece)[-400:]
    os.close(reader)
    return os.waitpid(child, 0)[1], told[len(told) % 200 :][-200:].decode().strip()


def try_everything(cls, tell):
    for number, make in enumerate(makers(cls)):
        for text, trial in trials(make):
            tell(f"object {number}: {text}")
            tried(trial)


def test_a_child_that_crashes_is_seen():
    status, told = in_child(lambda tell: (tell("before"), tell("now"), os.kill(os.getpid(), signal.SIGSEGV)))
    assert os.WTERMSIG(status) == signal.SIGSEGV and told == "now"
    assert in_child(lambda tell: tell("fine")) == (0, "fine")


@pytest.mark.parametrize("cls", sorted(CLASSES, key=lambda cls: cls.__qualname__), ids=lambda cls: cls.__qualname__)
def test_no_method_field_or_operator_of_any_object_ends_the_process(cls):
    status, told = in_child(lambda tell: try_everything(cls, tell))
    assert status == 0, f"{cls.__qualname__} ended the process with {status} at {told!r}"


def test_most_classes_are_tried():
    assert len([cls for cls in CLASSES if list(makers(cls))]) > 45, "the walk over the modules finds too few classes"


def test_no_compiled_class_has_methods_that_the_compiler_adds():
    for cls in CLASSES:
        assert not [name for name in dir(cls) if "cython" in name or "pyx_unpickle" in name], cls
    for module in MODULES:
        assert not [name for name in dir(module) if name.startswith("__pyx_unpickle")], module


def test_an_array_that_leads_back_to_its_tensor_is_an_endless_recursion_that_python_sees():
    x = wg.ones(3)
    x._array_ = x
    for name in ("shape", "dtype", "ndim"):
        with pytest.raises(RecursionError):
            getattr(x, name)


def test_a_second_call_of_init_changes_nothing():
    x = wg.ones(3, requires_grad=True)
    part = x[1:]
    x.__init__(5)
    assert x.tolist() == [1.0, 1.0, 1.0] and x.requires_grad and part._base is x
    parameter = nn.Parameter(wg.ones(2))
    parameter.__init__(wg.zeros(3))
    assert parameter.tolist() == [1.0, 1.0]


def test_a_tensor_that_del_keeps_alive_is_whole():
    kept = []

    class Clinging(wg.Tensor):
        def __del__(self):
            kept.append(self)

    for _ in range(300):  # more than the class keeps for later use
        Clinging(wg.ones(3))
    assert len(kept) == 300
    assert all(each.tolist() == [1.0, 1.0, 1.0] for each in kept)
    del kept[:]
    gc.collect()
    assert wg.ones(3).tolist() == [1.0, 1.0, 1.0]
