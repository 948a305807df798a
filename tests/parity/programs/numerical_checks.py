"""gradcheck and gradgradcheck of right and wrong derivatives: what they return, raise and warn of."""

from __future__ import annotations

import importlib

from tests.parity.programs.common import caught


def _leaf(torch, values=(0.5, -1.2, 2.0), dtype=None):
    return torch.tensor(values, dtype=dtype or torch.float64, requires_grad=True)


def _complex(torch):
    return torch.tensor([0.5 + 1j, -0.3 + 0.2j], dtype=torch.complex128, requires_grad=True)


def _rule(torch, backward, forward=lambda x: x * x, materialize=True):
    class Rule(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            ctx.set_materialize_grads(materialize)
            return forward(x)

        @staticmethod
        def backward(ctx, *grads):
            return backward(ctx.saved_tensors[0], *grads)

    return Rule.apply


def _told(check, *arguments, **options):
    """What a check returns, or the error that it raises."""
    return caught(lambda: check(*arguments, **options))


def _both(torch, function, inputs, **options):
    """What the check says in slow and in fast mode, first and second order, with an error and without."""
    found = []
    for fast in (False, True):
        for check in (torch.autograd.gradcheck, torch.autograd.gradgradcheck):
            for more in ({}, {"raise_exception": False}):
                found.append(_told(check, function, inputs, fast_mode=fast, **options, **more))
    return found


def _module(torch):
    return importlib.import_module(f"{torch.__name__}.autograd.gradcheck")


def right_real(torch):
    x, y = _leaf(torch), _leaf(torch, [1.5, 0.3, -0.7])
    programs = [
        (lambda x: x.sin(), x),
        (lambda x: (x * x).sum(), [x]),
        (lambda x, y: (x * y, x + y), (x, y)),
        (lambda x: [x, x.exp()], x),
        (lambda x: x, x),
        (lambda x: x[1:], x),
        (lambda x: x[:0], x),
        (lambda x, k, n: x * k, (x, 3.0, None)),
        (lambda x, y: x * 2, (x, y)),
        (lambda x: (x * 2, x.detach()), x),
        (lambda x: x.clone().mul_(2).sin_(), x),
        (lambda x: x.sin(), x * 2),
        (lambda x: x.outer(x), x),
    ]
    return [_both(torch, *each, check_grad_dtypes=True) for each in programs]


def right_complex(torch):
    z, x = _complex(torch), _leaf(torch, [0.3, 0.7])
    programs = [
        (lambda z: z.exp(), z),
        (lambda z: z.abs(), z),
        (lambda z: z.conj() * z, z),
        (lambda z: z.real, z),
        (lambda z, x: z * x, (z, x)),
        (lambda x: x * 1j, x),
        (lambda z: (z.imag, z), z),
    ]
    return [_both(torch, *each) for each in programs]


def wrong_values(torch):
    rules = [
        lambda x, g: g * 3 * x,
        lambda x, g: -g * 2 * x,
        lambda x, g: g * 0,
        lambda x, g: None,
        lambda x, g: g * 2 * x * float("nan"),
        lambda x, g: (g * 2 * x).flip(0),
        lambda x, g: g * 2 * x.detach(),
    ]
    return [_both(torch, _rule(torch, each), _leaf(torch)) for each in rules]


def wrong_kinds(torch):
    rules = [
        lambda x, g: (g * x)[:2],
        lambda x, g: (g * 2 * x).reshape(1, 3),
        lambda x, g: (g * 2 * x).float(),
        lambda x, g: (g * 2 * x).long(),
        lambda x, g: (g, g),
        lambda x, g: "text",
        lambda x, g: 1 / 0,
    ]
    return [_both(torch, _rule(torch, each), _leaf(torch)) for each in rules]


def not_multiplied(torch):
    rules = [lambda x, g: 2 * x, lambda x, g: g * 2 * x + 1e-9, lambda x, g: g * 2 * x + 1e-20]
    return [_both(torch, _rule(torch, each), _leaf(torch), **more) for each in rules for more in ({}, {"masked": True})]


def different_each_time(torch):
    passes = []

    def restless(x, g):
        passes.append(1)
        return g * 2 * x * (1 + 1e-9 * len(passes))

    check = torch.autograd.gradcheck
    return [
        _told(check, _rule(torch, restless), _leaf(torch), nondet_tol=each, fast_mode=fast)
        for each in (0.0, 1e-5)
        for fast in (False, True)
    ]


def missing_gradients(torch):
    def refusing(x, g):
        if g is None:
            raise RuntimeError("no gradient")
        return g * 2 * x

    rules = [
        lambda x, g: None if g is None else g * 2 * x,
        lambda x, g: g * 2 * x,
        lambda x, g: (1 if g is None else g) * 2 * x,
        refusing,
    ]
    check = torch.autograd.gradcheck
    return [
        _told(check, _rule(torch, each, materialize=False), _leaf(torch), check_undefined_grad=checked)
        for each in rules
        for checked in (True, False)
    ]


def missing_gradients_of_several(torch):
    def both(x, g, h):
        return (0 if g is None else g * 2 * x) + (0 if h is None else h * 3)

    def only_with_both(x, g, h):
        return None if g is None or h is None else both(x, g, h)

    return [
        _both(torch, _rule(torch, each, lambda x: (x * x, x * 3), materialize), _leaf(torch))
        for each in (both, only_with_both, lambda x, g, h: both(x, g, None))
        for materialize in (True, False)
    ]


def conjugates(torch):
    z = _complex(torch)
    rules = [
        (lambda z, g: g * 2 * z.conj(), lambda z: z * z),
        (lambda z, g: g * 2 * z, lambda z: z * z),
        (lambda z, g: g * 2 * z, lambda z: (z * z.conj()).real),
        (lambda z, g: g * z, lambda z: (z * z.conj()).real),
        (lambda z, g: g.conj(), lambda z: z.conj() + 0),
        (lambda z, g: g, lambda z: z.conj() + 0),
        (lambda z, g: g * 1j, lambda z: z.imag * 1),
        (lambda z, g: g * -1j, lambda z: z.imag * 1),
        (lambda z, g: (g * 2 * z.conj()).real, lambda z: z * z),
    ]
    return [_both(torch, _rule(torch, *each), z) for each in rules]


def kinks_and_poles(torch):
    check = torch.autograd.gradcheck
    cases = [
        (lambda x: x.relu(), _leaf(torch, [0.0, 1.0])),
        (lambda x: x.abs(), _leaf(torch, [0.0, 1.0])),
        (lambda x: x.log(), _leaf(torch, [-1.0])),
        (lambda x: 1 / x, _leaf(torch, [0.0])),
    ]
    return [_told(check, *each) for each in cases]


def outputs_without_history(torch):
    x = _leaf(torch)
    check = torch.autograd.gradcheck
    functions = [lambda x: x.detach() * 2, lambda x: torch.ones(2, dtype=torch.float64), lambda x: x * x.detach()]
    return [_told(check, each, x, fast_mode=fast) for each in functions for fast in (False, True)]


def single_precision(torch):
    x, z = _leaf(torch, [0.5, 1.0], torch.float32), torch.tensor([1 + 1j], dtype=torch.complex64, requires_grad=True)
    check = torch.autograd.gradcheck
    return [_told(check, lambda x: x * 2, each) for each in (x, z)]


def inputs_that_are_refused(torch):
    x = _leaf(torch)
    check = torch.autograd.gradcheck
    expanded = torch.ones(1, dtype=torch.float64, requires_grad=True).expand(3)
    inputs = [expanded, x.detach(), (), 3.0, None, torch.tensor([1, 2]), [x, expanded]]
    return [_told(check, lambda *x: x[0] * 2, each) for each in inputs]


def results_that_are_refused(torch):
    check = torch.autograd.gradcheck
    results = [3.0, None, "text", {}, (_leaf(torch), 3)]
    return [_told(check, lambda x, result=each: result, _leaf(torch)) for each in results]


def results_that_change(torch):
    check = torch.autograd.gradcheck
    functions = [
        lambda x: x * 2 if x.detach()[0].item() <= 0.5 else (x * 2)[:2],
        lambda x: x * 2 if x.detach()[0].item() <= 0.5 else (x * 2).float(),
    ]
    return [_told(check, each, _leaf(torch)) for each in functions]


def options_that_are_refused(torch):
    first, second = torch.autograd.gradcheck, torch.autograd.gradgradcheck
    calls = [
        (first, {"check_backward_ad": False}),
        (first, {"check_batched_grad": True, "check_backward_ad": False, "check_forward_ad": True}),
        (first, {"check_batched_forward_grad": True}),
        (second, {"check_rev_over_rev": False}),
        (second, {"check_rev_over_rev": False, "check_fwd_over_rev": True}),
        (
            second,
            {
                "check_rev_over_rev": False,
                "check_fwd_over_rev": True,
                "check_undefined_grad": False,
                "check_batched_grad": True,
            },
        ),
    ]
    found = [_told(check, lambda x: x, _leaf(torch), **options) for check, options in calls]
    return [*found, _told(first, lambda x: x, _leaf(torch), 1e-3)]


def tolerances(torch):
    wrong = _rule(torch, lambda x, g: g * 2 * x + g * 1e-3)
    check = torch.autograd.gradcheck
    options = [{}, {"atol": 2e-3}, {"rtol": 1.0}, {"eps": 1e-3}, {"atol": 0.0, "rtol": 0.0}]
    return [_told(check, wrong, _leaf(torch), fast_mode=fast, **each) for each in options for fast in (False, True)]


def cotangents(torch):
    check = torch.autograd.gradgradcheck
    given = [
        torch.ones(3, dtype=torch.float64),
        [_leaf(torch)],
        _leaf(torch, [1.0, 2.0]),
        (_leaf(torch), _leaf(torch)),
        3.0,
        [None],
    ]
    return [_told(check, lambda x: x**3, _leaf(torch), each) for each in given]


def calls_of_the_function(torch):
    seen = []

    def function(x):
        seen.append([round(each, 9) for each in x.detach().tolist()])
        return x * 2

    torch.autograd.gradcheck(function, _leaf(torch, [1.0, 2.0]), eps=0.25)
    return seen


def state_of_the_inputs(torch):
    x = _leaf(torch)
    torch.autograd.gradcheck(lambda x: x * x, x)
    return x, x._version, x.grad


def names(torch):
    module = _module(torch)
    return (
        sorted(module.__all__),
        type(torch.autograd.gradcheck).__name__,
        torch.autograd.gradcheck is module.gradcheck,
        module.GradcheckError.__name__,
        issubclass(module.GradcheckError, RuntimeError),
    )


def functions_of_the_first_checks(torch):
    module, x = _module(torch), _leaf(torch, [1.0, 2.0])
    numerical = module.get_numerical_jacobian(lambda inputs: inputs[0] * 2, (x,))
    return [
        [[round(each, 6) for each in row] for row in numerical[0].tolist()],
        module.get_analytical_jacobian((x,), x * 2),
        caught(lambda: module.get_numerical_jacobian(lambda inputs: inputs[0] * 1j, (x,))),
        caught(lambda: module.get_analytical_jacobian((x,), x * 1j)),
        caught(lambda: module.get_numerical_jacobian(lambda inputs: inputs[0], (x,), grad_out=2.0)),
        caught(lambda: module.get_analytical_jacobian((x,), x * 2, grad_out=2.0)),
    ]
