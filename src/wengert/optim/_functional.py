"""Steps of optimisers as functions, on lists of parameters, gradients and state that the program keeps."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .._start.loading import at_home
from .._tensor import Tensor
from ..ops.family import Function, describes
from .adadelta import Adadelta
from .adagrad import Adagrad
from .adam import Adam
from .adamax import Adamax
from .adamw import AdamW
from .asgd import ASGD
from .nadam import NAdam
from .radam import RAdam
from .rmsprop import RMSprop
from .rprop import Rprop
from .sgd import SGD
from .stepwise import Stepwise

FOR_ACCELERATORS = ("capturable", "grad_scale", "found_inf")
WITHOUT_EFFECT = ("foreach", "fused", "has_complex", "has_sparse_grad")
SECTIONS = """
Args:
    params, grads: the parameters, and a gradient for each parameter.
    {lists}: one for each parameter{optional}; counts are 0-dim tensors.
    {options}: options of `{kind}`.
    differentiable: record the step.
    {refused}: for steps on accelerators; refused if set.
    {unused}: accepted for compatibility with torch; no effect.

Raises:
    RuntimeError: if counts of steps are not tensors.
    AssertionError: if an option for accelerators is set.
"""


def as_function(kind: type[Stepwise], optional: bool = False) -> Callable[[Function], Function]:
    """Return a decorator of an optimiser's functional form: it describes the arguments, and names torch's module.

    Args:
        kind: the class of the optimiser.
        optional: whether some lists of the state may be empty.
    """

    def complete(function: Function) -> Function:
        types = {name: hint for name, hint in function.__annotations__.items() if name != "return"}
        lists = [name for name, hint in types.items() if hint.startswith("list")]
        refused = [name for name in types if name in FOR_ACCELERATORS]
        unused = [name for name in types if name in WITHOUT_EFFECT]
        at_home(kind.__module__, function)
        others = {*lists, *refused, *unused, "differentiable"}
        return describes(
            SECTIONS,
            kind=kind.__name__,
            lists=", ".join(lists[2:]),
            optional=", or empty if the options need none" if optional else "",
            options=", ".join(name for name in types if name not in others),
            refused=", ".join(refused),
            unused=", ".join(unused),
        )(function)

    return complete


def advance(kind: type[Stepwise], arguments: dict[str, Any], **lists: list[Any]) -> None:
    """Take the step of an optimiser's functional form, without an object of the optimiser.

    Args:
        kind: the class of the optimiser.
        arguments: the arguments of the function: `params`, `grads`, and options under the names of the groups' options,
            but for `beta1` and `beta2`.
        lists: the entries of the state, one for each parameter, updated in place; None before the first step; an empty
            list if the options need none.

    Raises:
        RuntimeError: if counts of steps are not tensors.
        AssertionError: if `capturable`, or a scale of gradients, is set.
    """
    params, grads, group = arguments["params"], arguments["grads"], dict(arguments)
    check_unscaled(group.get("grad_scale"), group.get("found_inf"))
    if "beta1" in group:
        group["betas"] = (group["beta1"], group["beta2"])
    if not all(isinstance(step, Tensor) for step in lists.get("step", ())):
        raise RuntimeError("API has changed, `state_steps` argument must contain a list of singleton tensors")
    mover = kind.__new__(kind)  # has no parameters of its own: a step reads only the group
    if params:
        mover._check_capture(group)
    for at, (parameter, grad) in enumerate(zip(params, grads, strict=True)):
        state = {key: entries[at] for key, entries in lists.items() if entries and entries[at] is not None}
        mover._move(parameter, grad, state, group, bool(group.get("differentiable")))
        for key, entry in state.items():
            lists[key][at] = entry


def check_unscaled(grad_scale: Any, found_inf: Any) -> None:
    """Refuse a scale of gradients, which fused steps on accelerators accept.

    Raises:
        AssertionError: if one is given.
    """
    if grad_scale is not None or found_inf is not None:
        raise AssertionError("Expected grad_scale and found_inf to be None")


@as_function(Adadelta)
def adadelta(
    params: list[Tensor],
    grads: list[Tensor],
    square_avgs: list[Tensor],
    acc_deltas: list[Tensor],
    state_steps: list[Tensor],
    capturable: bool = False,
    foreach: bool | None = None,
    differentiable: bool = False,
    has_complex: bool = False,
    *,
    lr: float | Tensor,
    rho: float,
    eps: float,
    weight_decay: float,
    maximize: bool,
) -> None:
    """Take a step of `Adadelta` as a function; parameters and state are updated in place."""
    advance(Adadelta, locals(), square_avg=square_avgs, acc_delta=acc_deltas, step=state_steps)


@as_function(Adagrad)
def adagrad(
    params: list[Tensor],
    grads: list[Tensor],
    state_sums: list[Tensor],
    state_steps: list[Tensor],
    fused: bool | None = None,
    grad_scale: Any = None,
    found_inf: Any = None,
    has_sparse_grad: bool = False,
    foreach: bool | None = None,
    differentiable: bool = False,
    has_complex: bool = False,
    *,
    lr: float | Tensor,
    weight_decay: float,
    lr_decay: float,
    eps: float,
    maximize: bool,
) -> None:
    """Take a step of `Adagrad` as a function; parameters and state are updated in place."""
    advance(Adagrad, locals(), sum=state_sums, step=state_steps)


@as_function(Adam, optional=True)
def adam(
    params: list[Tensor],
    grads: list[Tensor],
    exp_avgs: list[Tensor],
    exp_avg_sqs: list[Tensor],
    max_exp_avg_sqs: list[Tensor],
    state_steps: list[Tensor],
    foreach: bool | None = None,
    capturable: bool = False,
    differentiable: bool = False,
    fused: bool | None = None,
    grad_scale: Any = None,
    found_inf: Any = None,
    has_complex: bool = False,
    decoupled_weight_decay: bool = False,
    *,
    amsgrad: bool,
    beta1: float,
    beta2: float,
    lr: float | Tensor,
    weight_decay: float,
    eps: float,
    maximize: bool,
) -> None:
    """Take a step of `Adam` as a function; parameters and state are updated in place."""
    advance(Adam, locals(), exp_avg=exp_avgs, exp_avg_sq=exp_avg_sqs, max_exp_avg_sq=max_exp_avg_sqs, step=state_steps)


@as_function(Adamax)
def adamax(
    params: list[Tensor],
    grads: list[Tensor],
    exp_avgs: list[Tensor],
    exp_infs: list[Tensor],
    state_steps: list[Tensor],
    foreach: bool | None = None,
    maximize: bool = False,
    differentiable: bool = False,
    capturable: bool = False,
    has_complex: bool = False,
    *,
    eps: float,
    beta1: float,
    beta2: float,
    lr: float | Tensor,
    weight_decay: float,
) -> None:
    """Take a step of `Adamax` as a function; parameters and state are updated in place."""
    advance(Adamax, locals(), exp_avg=exp_avgs, exp_inf=exp_infs, step=state_steps)


@as_function(AdamW, optional=True)
def adamw(
    params: list[Tensor],
    grads: list[Tensor],
    exp_avgs: list[Tensor],
    exp_avg_sqs: list[Tensor],
    max_exp_avg_sqs: list[Tensor],
    state_steps: list[Tensor],
    foreach: bool | None = None,
    capturable: bool = False,
    differentiable: bool = False,
    fused: bool | None = None,
    grad_scale: Any = None,
    found_inf: Any = None,
    has_complex: bool = False,
    *,
    amsgrad: bool,
    beta1: float,
    beta2: float,
    lr: float | Tensor,
    weight_decay: float,
    eps: float,
    maximize: bool,
) -> None:
    """Take a step of `AdamW` as a function; parameters and state are updated in place."""
    advance(
        AdamW,
        {**locals(), "decoupled_weight_decay": True},
        exp_avg=exp_avgs,
        exp_avg_sq=exp_avg_sqs,
        max_exp_avg_sq=max_exp_avg_sqs,
        step=state_steps,
    )


@as_function(ASGD)
def asgd(
    params: list[Tensor],
    grads: list[Tensor],
    axs: list[Tensor],
    mus: list[Tensor],
    etas: list[Tensor],
    state_steps: list[Tensor],
    foreach: bool | None = None,
    maximize: bool = False,
    differentiable: bool = False,
    capturable: bool = False,
    has_complex: bool = False,
    *,
    lambd: float,
    lr: float | Tensor,
    t0: float,
    alpha: float,
    weight_decay: float,
) -> None:
    """Take a step of `ASGD` as a function; parameters and state are updated in place."""
    advance(ASGD, locals(), ax=axs, mu=mus, eta=etas, step=state_steps)


@as_function(NAdam)
def nadam(
    params: list[Tensor],
    grads: list[Tensor],
    exp_avgs: list[Tensor],
    exp_avg_sqs: list[Tensor],
    mu_products: list[Tensor],
    state_steps: list[Tensor],
    decoupled_weight_decay: bool = False,
    foreach: bool | None = None,
    capturable: bool = False,
    differentiable: bool = False,
    has_complex: bool = False,
    maximize: bool = False,
    *,
    beta1: float,
    beta2: float,
    lr: float | Tensor,
    weight_decay: float,
    momentum_decay: float,
    eps: float,
) -> None:
    """Take a step of `NAdam` as a function; parameters and state are updated in place."""
    advance(NAdam, locals(), exp_avg=exp_avgs, exp_avg_sq=exp_avg_sqs, mu_product=mu_products, step=state_steps)


@as_function(RAdam)
def radam(
    params: list[Tensor],
    grads: list[Tensor],
    exp_avgs: list[Tensor],
    exp_avg_sqs: list[Tensor],
    state_steps: list[Tensor],
    decoupled_weight_decay: bool = False,
    foreach: bool | None = None,
    differentiable: bool = False,
    capturable: bool = False,
    has_complex: bool = False,
    maximize: bool = False,
    *,
    beta1: float,
    beta2: float,
    lr: float | Tensor,
    weight_decay: float,
    eps: float,
) -> None:
    """Take a step of `RAdam` as a function; parameters and state are updated in place."""
    advance(RAdam, locals(), exp_avg=exp_avgs, exp_avg_sq=exp_avg_sqs, step=state_steps)


@as_function(RMSprop, optional=True)
def rmsprop(
    params: list[Tensor],
    grads: list[Tensor],
    square_avgs: list[Tensor],
    grad_avgs: list[Tensor],
    momentum_buffer_list: list[Tensor],
    state_steps: list[Tensor],
    foreach: bool | None = None,
    maximize: bool = False,
    differentiable: bool = False,
    capturable: bool = False,
    has_complex: bool = False,
    *,
    lr: float | Tensor,
    alpha: float,
    eps: float,
    weight_decay: float,
    momentum: float,
    centered: bool,
) -> None:
    """Take a step of `RMSprop` as a function; parameters and state are updated in place."""
    advance(
        RMSprop,
        locals(),
        square_avg=square_avgs,
        grad_avg=grad_avgs,
        momentum_buffer=momentum_buffer_list,
        step=state_steps,
    )


@as_function(Rprop)
def rprop(
    params: list[Tensor],
    grads: list[Tensor],
    prevs: list[Tensor],
    step_sizes: list[Tensor],
    state_steps: list[Tensor],
    foreach: bool | None = None,
    capturable: bool = False,
    maximize: bool = False,
    differentiable: bool = False,
    has_complex: bool = False,
    *,
    step_size_min: float,
    step_size_max: float,
    etaminus: float,
    etaplus: float,
) -> None:
    """Take a step of `Rprop` as a function; parameters and state are updated in place."""
    options = {**locals(), "etas": (etaminus, etaplus), "step_sizes": (step_size_min, step_size_max)}
    advance(Rprop, options, prev=prevs, step_size=step_sizes, step=state_steps)


def sgd(
    params: list[Tensor],
    grads: list[Tensor],
    momentum_buffer_list: list[Any],
    has_sparse_grad: bool = False,
    foreach: bool | None = None,
    fused: bool | None = None,
    grad_scale: Any = None,
    found_inf: Any = None,
    *,
    weight_decay: float,
    momentum: float,
    lr: float | Tensor,
    dampening: float,
    nesterov: bool,
    maximize: bool,
) -> None:
    """Take a step of `SGD` as a function; parameters and state are updated in place.

    Args:
        params, grads: the parameters, and a gradient for each parameter.
        momentum_buffer_list: one for each parameter; None before the first step.
        weight_decay, momentum, lr, dampening, nesterov, maximize: options of `SGD`.
        has_sparse_grad, foreach, fused: accepted for compatibility with torch; no effect.
        grad_scale, found_inf: for fused steps on accelerators; must be None.

    Raises:
        AssertionError: if an option for accelerators is set.
    """
    advance(SGD, locals(), momentum_buffer=momentum_buffer_list)


at_home(SGD.__module__, sgd)

__all__ = ["adadelta", "adagrad", "adam", "adamax", "adamw", "asgd", "nadam", "radam", "rmsprop", "rprop", "sgd"]
