"""`autograd.functional`: every function with every option, on functions and inputs of all kinds, good and bad."""

from __future__ import annotations

import importlib
from functools import partial

from tests.parity.programs.common import caught

NAMES = ("jacobian", "hessian", "vjp", "jvp", "vhp", "hvp")
INPUTS = {
    "vector": lambda torch: torch.tensor([1.0, 2.0]),
    "leaf": lambda torch: torch.tensor([1.0, 2.0], requires_grad=True),
    "turned": lambda torch: torch.tensor([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]).t(),
    "complex": lambda torch: torch.tensor([1 + 2j, 2 - 1j]),
    "number": lambda torch: torch.tensor(2.0),
    "one": lambda torch: torch.tensor([[2.0]], requires_grad=True),
    "pair": lambda torch: (torch.tensor([1.0, 2.0]), torch.tensor([3.0, 4.0], dtype=torch.float64)),
    "mixed": lambda torch: (torch.ones(2, 2, requires_grad=True), torch.tensor(2.0)),
}
REFUSED_INPUTS = {
    "empty": lambda torch: torch.zeros(0),
    "integers": lambda torch: torch.tensor([1, 2]),
    "list": lambda torch: [torch.ones(2)],
    "broken": lambda torch: (torch.ones(2), 3),
    "number": lambda torch: 3.0,
    "none": lambda torch: (),
}
FUNCTIONS = {
    "cubes": lambda torch: lambda *xs: sum((x**3).sum() for x in xs),
    "linear": lambda torch: lambda *xs: xs[0] * 2,
    "sum": lambda torch: lambda *xs: xs[0].sum(),
    "several": lambda torch: lambda *xs: (xs[0].exp(), xs[-1].sum() * xs[0].sum()),
    "matrix": lambda torch: lambda *xs: (xs[0] ** 4).sum().reshape(1, 1),
    "modulus": lambda torch: lambda *xs: (xs[0].abs() ** 2).sum(),
}
REFUSED_FUNCTIONS = {
    "constant": lambda torch: lambda *xs: torch.ones(()),
    "partly": lambda torch: lambda *xs: (xs[0] * 2, torch.ones(2)),
    "detached": lambda torch: lambda *xs: xs[0].detach() * 2,
    "first": lambda torch: lambda *xs: (xs[0] ** 3).sum(),
    "identity": lambda torch: lambda *xs: xs if len(xs) > 1 else xs[0],
    "once": lambda torch: lambda *xs: _without_graph(torch).apply(xs[0]).sum(),
    "nothing": lambda torch: lambda *xs: _without_gradient(torch).apply(xs[0]),
    "nowhere": lambda torch: lambda *xs: xs[0].reshape(-1)[:0],
    "list": lambda torch: lambda *xs: [xs[0]],
    "number": lambda torch: lambda *xs: 3.0,
    "broken": lambda torch: lambda *xs: (xs[0], 3.0),
    "none": lambda torch: lambda *xs: (),
    "failing": lambda torch: lambda *xs: 1 / 0,
    "writing": lambda torch: lambda *xs: xs[0].mul_(2),
}
REFUSED_VECTORS = {
    "none": lambda torch: None,
    "other": lambda torch: torch.ones(7),
    "pair": lambda torch: (torch.ones(2), torch.ones(2)),
    "triple": lambda torch: (torch.ones(2), torch.ones(2), torch.ones(2)),
    "list": lambda torch: [torch.ones(2)],
    "number": lambda torch: 3,
}


def _over(value, function):
    """`function` of a tensor, or of each in a tuple."""
    return tuple(function(each) for each in value) if isinstance(value, tuple) else function(value)


def _without_graph(torch):
    """A square whose derivative is a constant to autograd."""

    class Square(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return x * x

        @staticmethod
        def backward(ctx, grad):
            return grad.detach() * 2 * ctx.saved_tensors[0].detach()

    return Square


def _without_gradient(torch):
    """A product whose derivative is None."""

    class Nothing(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 2

        @staticmethod
        def backward(ctx, grad):
            return None

    return Nothing


def _derivative(torch, name, make, inputs, **options):
    """What a function of `autograd.functional` gives, with a vector that fits where it takes one."""
    derivative = getattr(torch.autograd.functional, name)
    if name in ("jacobian", "hessian"):
        return derivative(make(torch), inputs, **options)
    like = inputs
    if name == "vjp":
        like = make(torch)(*inputs) if isinstance(inputs, tuple) else make(torch)(inputs)
    graph = options.get("create_graph", False)
    v = _over(like, lambda x: torch.full_like(x, 2.0, requires_grad=graph))
    return derivative(make(torch), inputs, v, **options)


def _table(torch, name, functions, inputs, **options):
    """The same for each function at each of the inputs, in the place of its result the error that it raises."""
    return {
        f"{function} at {kind}": caught(partial(_derivative, torch, name, make, of(torch), **options))
        for function, make in functions.items()
        for kind, of in inputs.items()
    }


def _program(name, functions, inputs, options):
    """The program that makes a table."""

    def run(torch):
        return _table(torch, name, functions, inputs, **options)

    return run


def _declare():
    """A program for each derivative, kind of inputs and set of options."""
    some = {kind: INPUTS[kind] for kind in ("vector", "pair")}
    for name in NAMES:
        for options in ({}, {"create_graph": True}, {"strict": True}, {"create_graph": True, "strict": True}):
            title = "_".join([name, *options])
            for kind, of in INPUTS.items():
                globals()[f"{title}_of_{kind}"] = _program(name, FUNCTIONS, {kind: of}, options)
            globals()[f"{title}_refuses_functions"] = _program(name, REFUSED_FUNCTIONS, some, options)
        globals()[f"{name}_refuses_inputs"] = _program(name, {"cubes": FUNCTIONS["cubes"]}, REFUSED_INPUTS, {})


_declare()


def refused_vectors(torch):
    """Vectors that do not fit, or are missing."""
    found = {}
    for name in NAMES[2:]:
        for function in ("cubes", "linear", "several"):
            for kind in ("vector", "pair"):
                for vector, of in REFUSED_VECTORS.items():
                    product = getattr(torch.autograd.functional, name)
                    call = partial(product, FUNCTIONS[function](torch), INPUTS[kind](torch), of(torch))
                    found[f"{name} of {function} at {kind} with {vector}"] = caught(call)
    return found


def strategies(torch):
    """Forward mode and `vectorize`, refused together with what torch refuses."""
    functional = torch.autograd.functional
    x = torch.ones(2)
    forward = {"strategy": "forward-mode"}
    return [
        caught(lambda: functional.jacobian(lambda x: x, x, strategy="sideways")),
        caught(lambda: functional.jacobian(lambda x: x, x, **forward)),
        caught(lambda: functional.jacobian(lambda x: x, [x], **forward)),
        caught(lambda: functional.jacobian(lambda x: x, x, create_graph=True, **forward)),
        caught(lambda: functional.jacobian(lambda x: x, x, strict=True, **forward)),
        caught(lambda: functional.jacobian(lambda x: x, x, vectorize=True, strict=True)),
        caught(lambda: functional.jacobian(lambda x: x.detach(), x, vectorize=True, strict=True)),
        caught(lambda: functional.jacobian(lambda x: [x], x, vectorize=True)),
        caught(lambda: functional.jacobian(lambda x: (), x, vectorize=True)),
        caught(lambda: functional.jacobian(lambda: (), (), vectorize=True, **forward)),
        caught(lambda: functional.hessian(lambda x: x.sum(), x, outer_jacobian_strategy="sideways")),
        caught(lambda: functional.hessian(lambda x: x.sum(), [x], outer_jacobian_strategy="sideways")),
        caught(lambda: functional.hessian(lambda x: x.sum(), x, outer_jacobian_strategy="forward-mode")),
        caught(lambda: functional.hessian(lambda x: x.sum(), x, True, outer_jacobian_strategy="forward-mode")),
        caught(lambda: functional.hessian(lambda x: x.sum(), x, strict=True, outer_jacobian_strategy="forward-mode")),
        caught(lambda: functional.hessian(lambda x: (x**3).sum(), x, strict=True, vectorize=True)),
    ]


def under_no_grad(torch):
    """Recording is on inside, and off again outside."""
    functional = torch.autograd.functional
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    with torch.no_grad():
        found = [functional.jacobian(lambda x: x.exp(), x, create_graph=graph) for graph in (False, True)]
        found += [functional.hvp(lambda x: (x**3).sum(), x, x, create_graph=graph) for graph in (False, True)]
        return found, torch.is_grad_enabled()


def recorded_results_are_differentiable(torch):
    functional = torch.autograd.functional
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    v = torch.tensor([3.0, 4.0], requires_grad=True)
    cubes = lambda x: (x**3).sum()  # noqa: E731
    found = {}
    for name, derivative in {
        "jacobian": lambda: functional.jacobian(lambda x: x * x.sum(), x, create_graph=True),
        "hessian": lambda: functional.hessian(cubes, x, create_graph=True),
        "vjp": lambda: functional.vjp(lambda x: x * x, x, v, create_graph=True)[1],
        "jvp": lambda: functional.jvp(lambda x: x * x, x, v, create_graph=True)[1],
        "vhp": lambda: functional.vhp(cubes, x, v, create_graph=True)[1],
        "hvp": lambda: functional.hvp(cubes, x, v, create_graph=True)[1],
    }.items():
        found[name] = torch.autograd.grad((derivative() ** 2).sum(), (x, v), allow_unused=True)
    return found


def captured_tensors_are_constants(torch):
    """The function finds the input itself elsewhere: that is not the argument."""
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    functional = torch.autograd.functional
    found = [functional.jacobian(lambda y: y * x, x, create_graph=graph) for graph in (False, True)]
    return found, functional.hessian(lambda y: (y * y * x).sum(), x), x.grad


def hooks_see_rows(torch):
    """A hook of the program sees the cotangent of each row."""
    seen = []

    def function(x):
        y = x * 2
        y.register_hook(lambda grad: seen.append(grad.tolist()))
        return y

    return torch.autograd.functional.jacobian(function, torch.ones(2, 2)), seen


def names(torch):
    module = importlib.import_module(f"{torch.__name__}.autograd.functional")
    return sorted(module.__all__), module is torch.autograd.functional
