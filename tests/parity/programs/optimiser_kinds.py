"""torch.optim: every kind of optimiser, with its options, step by step; hooks; steps that are differentiated."""

from __future__ import annotations

import importlib

from tests.parity.programs.common import caught


def trained(torch, kind, dtype="float64", steps=12, **options):
    """Parameters after each step, and at the end the state."""
    dtype = getattr(torch, dtype)
    w = torch.tensor([[1.0, -2.0, 0.5], [0.25, 1.5, -1.0]], dtype=dtype, requires_grad=True)
    b = torch.tensor([0.5, -1.5, 2.0], dtype=dtype, requires_grad=True)
    weights = [w] if kind == "Muon" else [w, b]
    optimiser = getattr(torch.optim, kind)(weights, **options)
    seen = []
    for step in range(steps):
        optimiser.zero_grad()
        sign = -1 if options.get("maximize") else 1
        loss = sum(
            (each.abs() ** 2 * (2 + step % 3) - each.abs() + (each * (step - 5) / 4).real.sin()).sum()
            for each in weights
        )
        (loss * sign).backward()
        optimiser.step()
        seen.append([each.detach().clone() for each in weights])
    return seen, optimiser.state_dict()


def asgd(torch):
    return trained(torch, "ASGD", lr=0.1, t0=3, lambd=0.1, alpha=0.6), trained(torch, "ASGD", weight_decay=0.1)


def adadelta(torch):
    return trained(torch, "Adadelta"), trained(torch, "Adadelta", lr=0.5, rho=0.8, eps=1e-3, weight_decay=0.1)


def adafactor(torch):
    return (
        trained(torch, "Adafactor"),
        trained(torch, "Adafactor", lr=0.3, beta2_decay=-0.5, eps=(1e-10, 0.1), d=1.5, weight_decay=0.1, maximize=True),
        trained(torch, "Adafactor", "float32"),
    )


def adamax(torch):
    return trained(torch, "Adamax"), trained(torch, "Adamax", lr=0.1, betas=(0.7, 0.8), eps=1e-3, weight_decay=0.1)


def nadam(torch):
    return (
        trained(torch, "NAdam"),
        trained(torch, "NAdam", lr=0.1, betas=(0.7, 0.8), weight_decay=0.1, momentum_decay=0.1),
        trained(torch, "NAdam", weight_decay=0.1, decoupled_weight_decay=True),
    )


def radam(torch):
    return (
        trained(torch, "RAdam"),
        trained(torch, "RAdam", lr=0.1, betas=(0.7, 0.99), weight_decay=0.1),
        trained(torch, "RAdam", weight_decay=0.1, decoupled_weight_decay=True),
    )


def rprop(torch):
    return trained(torch, "Rprop"), trained(torch, "Rprop", lr=0.1, etas=(0.3, 1.5), step_sizes=(0.05, 0.2))


def muon(torch):
    return (
        trained(torch, "Muon", "float32", lr=0.1),
        trained(
            torch, "Muon", "float32", lr=0.1, nesterov=False, weight_decay=0, adjust_lr_fn="match_rms_adamw", ns_steps=3
        ),
    )


def all_maximised(torch):
    kinds = ("ASGD", "Adadelta", "Adamax", "NAdam", "RAdam", "Rprop", "RMSprop", "Adagrad", "Adam", "SGD")
    return [trained(torch, kind, maximize=True) for kind in kinds]


def all_in_single_precision(torch):
    kinds = ("ASGD", "Adadelta", "Adamax", "NAdam", "RAdam", "Rprop")
    return [trained(torch, kind, "float32") for kind in kinds]


def all_of_complex_parameters(torch):
    kinds = ("ASGD", "Adadelta", "Adamax", "NAdam", "RAdam", "Rprop")
    return [trained(torch, kind, "complex128", steps=4) for kind in kinds]


def complex_ones_refused(torch):
    p = [torch.ones(2, 2, dtype=torch.complex128, requires_grad=True)]
    p[0].grad = torch.ones_like(p[0])
    return (
        caught(lambda: torch.optim.Adafactor(p).step()),
        caught(lambda: torch.optim.Muon(p).step()),
        caught(lambda: torch.optim.SparseAdam(p)),
    )


def minimised(torch, steps=3, **options):
    """What L-BFGS does to Rosenbrock's function, and where it asks for it."""
    p = torch.tensor([-1.0, 2.0], dtype=torch.float64, requires_grad=True)
    optimiser = torch.optim.LBFGS([p], **options)
    asked = []

    def closure():
        optimiser.zero_grad()
        loss = (1 - p[0]) ** 2 + 100 * (p[1] - p[0] ** 2) ** 2
        loss.backward()
        asked.append(p.detach().clone())
        return loss

    losses = [optimiser.step(closure).detach() for _ in range(steps)]
    state = optimiser.state_dict()["state"][0]
    return losses, asked, sorted(state), state["n_iter"], state["func_evals"], state["d"], len(state["al"])


def lbfgs(torch):
    return minimised(torch, lr=0.01), minimised(torch, lr=0.1, max_iter=4, history_size=3, steps=5)


def lbfgs_with_line_search(torch):
    return (
        minimised(torch, line_search_fn="strong_wolfe"),
        minimised(torch, line_search_fn="strong_wolfe", lr=0.3, max_iter=4, history_size=2, steps=6),
        minimised(torch, line_search_fn="strong_wolfe", max_eval=7),
    )


def lbfgs_of_many_parameters(torch):
    p = torch.tensor([1.0, -2.0], dtype=torch.complex128, requires_grad=True)
    q = torch.tensor([[0.5, 3.0]], dtype=torch.float64, requires_grad=True)
    unused = torch.ones(2, dtype=torch.float64, requires_grad=True)
    optimiser = torch.optim.LBFGS([p, unused, q], max_iter=3, line_search_fn="strong_wolfe")

    def closure():
        optimiser.zero_grad()
        loss = (p.abs() ** 4).sum() + ((q - 1) ** 2).sum() + (p.real * q).sum()
        loss.backward()
        return loss

    return [optimiser.step(closure).detach() for _ in range(3)], p, q, unused


def lbfgs_refusals(torch):
    p, q = torch.ones(1, requires_grad=True), torch.ones(1, requires_grad=True)
    return (
        caught(lambda: torch.optim.LBFGS([{"params": [p]}, {"params": [q]}])),
        caught(lambda: torch.optim.LBFGS([p], line_search_fn="other").step(lambda: p.sum().backward() or p.sum())),
    )


def groups_of_their_own(torch):
    p, q = torch.ones(2, requires_grad=True), torch.ones(2, requires_grad=True)
    found = []
    for kind, options in (
        ("Rprop", {"etas": (0.4, 1.1)}),
        ("NAdam", {"betas": (0.5, 0.6)}),
        ("Adadelta", {"rho": 0.5}),
    ):
        optimiser = getattr(torch.optim, kind)([{"params": [p], **options}, {"params": [q], "lr": 0.3}], lr=0.2)
        for _ in range(3):
            p.grad, q.grad = torch.ones(2), torch.ones(2)
            optimiser.step()
        found.append((p.detach().clone(), q.detach().clone(), repr(optimiser)))
    return found


def wrong_options(torch):
    p = [torch.ones(2, 2, requires_grad=True)]
    o = torch.optim
    return [
        caught(lambda kind=kind, options=options: getattr(o, kind)(p, **options))
        for kind, options in (
            ("ASGD", {"lr": -1}),
            ("ASGD", {"weight_decay": -1}),
            ("Adadelta", {"rho": 2}),
            ("Adadelta", {"eps": -1}),
            ("Adafactor", {"lr": -1}),
            ("Adafactor", {"eps": (-1, 1)}),
            ("Adafactor", {"eps": (None, -1)}),
            ("Adafactor", {"beta2_decay": 1}),
            ("Adafactor", {"d": 0.5}),
            ("Adafactor", {"weight_decay": -1}),
            ("Adamax", {"betas": (1.0, 0.5)}),
            ("Adamax", {"lr": torch.ones(2)}),
            ("NAdam", {"momentum_decay": -1}),
            ("RAdam", {"betas": (0.5, 1.0)}),
            ("Rprop", {"etas": (1.0, 1.2)}),
            ("Muon", {"lr": -1}),
            ("Muon", {"momentum": -1}),
            ("Muon", {"weight_decay": -1}),
            ("Muon", {"adjust_lr_fn": "other"}),
            ("SparseAdam", {"eps": -1}),
            ("SparseAdam", {"lr": 0.0}),
            ("LBFGS", {"lr": -1}),
            ("SGD", {"fused": True, "foreach": True}),
            ("Adam", {"fused": True, "differentiable": True}),
            ("Adam", {"lr": torch.tensor(0.1), "foreach": True}),
        )
    ]


def steps_refused(torch):
    p = torch.ones(2, 2, requires_grad=True)
    p.grad = torch.ones(2, 2)
    kinds = ("ASGD", "Adadelta", "Adam", "AdamW", "Adamax", "NAdam", "RAdam", "RMSprop", "Rprop")
    return (
        [caught(getattr(torch.optim, kind)([p], capturable=True).step) for kind in kinds],
        caught(torch.optim.SparseAdam([p]).step),
        caught(torch.optim.Muon([p], ns_steps=100).step),
        caught(torch.optim.Muon([p], ns_coefficients=(1, 2)).step),
        caught(lambda: torch.optim.Muon([torch.ones(3, requires_grad=True)])),
    )


DIFFERENTIABLE = (
    ("SGD", {"lr": 0.1}),
    ("SGD", {"lr": 0.1, "momentum": 0.9, "nesterov": True, "weight_decay": 0.1}),
    ("SGD", {"lr": 0.1, "momentum": 0.9, "dampening": 0.3, "maximize": True}),
    ("Adam", {"lr": 0.1}),
    ("Adam", {"weight_decay": 0.1}),
    ("AdamW", {"lr": 0.1}),
    ("RMSprop", {"weight_decay": 0.1}),
    ("Adagrad", {"lr_decay": 0.1}),
    ("ASGD", {"t0": 1}),
    ("Adadelta", {}),
    ("NAdam", {}),
    ("RAdam", {"betas": (0.5, 0.6)}),
)


def steps_that_are_differentiated(torch):
    found = []
    for kind, options in DIFFERENTIABLE:
        start = torch.tensor([1.0, 2.0], dtype=torch.float64, requires_grad=True)
        weight = start.clone()
        optimiser = getattr(torch.optim, kind)([weight], differentiable=True, **options)
        for _ in range(3):
            at = weight.clone()
            weight.grad = torch.autograd.grad((at**3).sum(), at, create_graph=True)[0]
            optimiser.step()
        found.append((weight.detach(), *torch.autograd.grad((weight * weight).sum(), start)))
    return found


def the_step_size_is_differentiated(torch):
    found = []
    for kind in ("SGD", "Adam"):
        lr = torch.tensor(0.1, dtype=torch.float64, requires_grad=True)
        weight = torch.tensor([1.0, 2.0], dtype=torch.float64, requires_grad=True).clone()
        optimiser = getattr(torch.optim, kind)([weight], lr=lr, differentiable=True)
        weight.grad = torch.tensor([3.0, -1.0], dtype=torch.float64)
        optimiser.step()
        found.append((weight.detach(), torch.autograd.grad((weight * weight).sum(), lr)))
    return found


def hooks_of_states(torch):
    p = torch.ones(1, requires_grad=True)
    optimiser = torch.optim.SGD([p], lr=0.5)
    log = []
    optimiser.register_state_dict_pre_hook(lambda opt: log.append("state before"))
    optimiser.register_state_dict_post_hook(lambda opt, state: {**state, "more": 1})
    optimiser.register_state_dict_post_hook(lambda opt, state: log.append(sorted(state)), prepend=True)
    optimiser.register_load_state_dict_pre_hook(lambda opt, state: log.append(sorted(state)))
    optimiser.register_load_state_dict_pre_hook(
        lambda opt, state: {**state, "param_groups": [{**state["param_groups"][0], "lr": 0.25}]}, prepend=True
    )
    last = optimiser.register_load_state_dict_post_hook(lambda opt: log.append(opt.param_groups[0]["lr"]))
    optimiser.load_state_dict(optimiser.state_dict())
    last.remove()
    optimiser.load_state_dict(optimiser.state_dict())
    return log


def hooks_of_all_optimisers(torch):
    base = importlib.import_module(f"{torch.__name__}.optim.optimizer")
    p = torch.ones(1, requires_grad=True)
    optimiser = torch.optim.Rprop([p])
    log = []
    handles = (
        base.register_optimizer_step_pre_hook(lambda opt, args, kwargs: log.append(("all before", type(opt).__name__))),
        base.register_optimizer_step_post_hook(lambda opt, args, kwargs: log.append("all after")),
    )
    optimiser.register_step_pre_hook(lambda *arguments: log.append("before"))
    optimiser.register_step_post_hook(lambda *arguments: log.append("after"))
    optimiser.step()
    for handle in handles:
        handle.remove()
    optimiser.step()
    return log


def names_of_parameters(torch):
    def one():
        return torch.ones(1, requires_grad=True)

    named, plain = torch.optim.SGD([("a", one())]), torch.optim.SGD([one()])
    found = [
        caught(lambda: named.add_param_group({"params": [one()]})),
        caught(lambda: plain.add_param_group({"params": [("b", one())]})),
        caught(lambda: torch.optim.SGD([one(), ("a", one())])),
        caught(lambda: torch.optim.SGD([("a", one()), one()])),
        caught(lambda: torch.optim.SGD([{"params": [("a", one())]}, {"params": one()}])),
    ]
    other = torch.optim.SGD([("z", one())])
    other.load_state_dict(named.state_dict())
    plain.load_state_dict(named.state_dict())
    named.load_state_dict(torch.optim.SGD([one()]).state_dict())
    return found, [each.param_groups[0].get("param_names") for each in (named, other, plain)]


def line_searches_that_run_out_of_evaluations(torch):
    told = []
    for options in ({"max_iter": 3}, {"max_iter": 2, "lr": 50}, {"max_iter": 8, "max_eval": 5, "lr": 4}, {}):
        place = torch.tensor([-1.0, 2.0], dtype=torch.float64, requires_grad=True)
        optimiser = torch.optim.LBFGS([place], line_search_fn="strong_wolfe", **options)
        losses = []

        def closure(place=place, optimiser=optimiser, losses=losses):
            optimiser.zero_grad()
            loss = 100 * (place[1] - place[0] ** 2) ** 2 + (1 - place[0]) ** 2
            loss.backward()
            losses.append(loss.item())
            return loss

        for _ in range(3):
            optimiser.step(closure)
        told.append((len(losses), losses[:8], place.detach().clone()))
    return told
