"""torch's samples of optimizers (`optim_db`) on both libraries: steps, state, copies, groups, schedules, errors."""

from __future__ import annotations

import copy
import importlib
import itertools
import pickle
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from .agree import compare_results
from .database import DatabaseRunner
from .modules import attempt
from .opinfo import Failure, Outcome
from .samples import Missing, Translator, tell

KNOWN = Path(__file__).resolve().parent.parent / "optimizers_known.toml"
DTYPES = ("float64", "float32", "complex128")  # torch's fused steps of bfloat16 leave memory in the momentum
SHAPES = ((2, 3), (5, 4), (3, 1))  # two-dimensional, as Muon wants them


class ScheduleTranslator(Translator):
    """A translator that knows the classes of schedules."""

    def constant(self, value: Any) -> Any:
        """What stands for a global of a sample's function."""
        if isinstance(value, type) and value.__module__ == "torch.optim.lr_scheduler":
            return getattr(self.wengert.optim.lr_scheduler, value.__name__)
        return super().constant(value)


class OptimizerRunner(DatabaseRunner):
    """Runs the samples of one optimizer after the other."""

    translator_class = ScheduleTranslator
    known_list = KNOWN
    module = "optim."

    def all_samples(self, info: Any, ours: Any, outcome: Outcome) -> None:
        """All dtypes with all settings."""
        self.errors(info, ours, outcome)
        for dtype, sample in itertools.product(self.kinds, self.inputs(info)):
            for check, run in self.checks(info, ours, sample, dtype):
                text = f"{check} {dtype}: {info.name}({tell(sample.kwargs)}) {sample.desc}"
                self.note(outcome, text, run)

    def inputs(self, info: Any) -> list[Any]:
        """The settings that torch tries, with each way to compute them."""
        common = importlib.import_module("torch.testing._internal.common_optimizers")
        inputs = common._get_optim_inputs_including_global_cliquey_kwargs("cpu", self.libraries[0].float32, info)
        return [*inputs, *info.optim_inputs_func("cpu"), *info.optim_inputs_func("cuda")][: self.most]

    def checks(self, info: Any, ours: Any, sample: Any, dtype: str) -> Iterator[tuple[str, Callable[[], None]]]:
        """What is asked of one setting, by name."""

        def with_(program: Callable[..., Any], **more: Any) -> Callable[[], None]:
            return lambda: self.compare(info, ours, sample, dtype, program, **more)

        yield "steps", with_(steps)
        yield "groups", with_(steps, groups=True)
        yield "named", with_(steps, named=True)
        yield "load", with_(loaded)
        yield "copy", with_(steps, change=copy.deepcopy)
        yield "pickle", with_(steps, change=pickled)
        yield "closure", with_(closures)
        yield "grown", with_(grown)
        if dtype in ("float64", "complex128"):
            yield "differentiated", with_(differentiated)
        yield "sparse", with_(sparse)
        yield "layouts", with_(layouts)
        for at, schedules in enumerate(info.scheduler_inputs):
            yield f"schedule {at}", with_(scheduled, schedules=schedules, translator=self.translator)

    def compare(self, info: Any, ours: Any, sample: Any, dtype: str, program: Callable[..., Any], **more: Any) -> None:
        """Run the same program with both optimizers and compare what it tells."""
        results = []
        for library, cls in zip(self.libraries, (info.optim_cls, ours)):
            kwargs = copy.deepcopy(sample.kwargs)
            if library is not self.libraries[0]:
                kwargs = self.translator.value(kwargs, {})
            results.append(attempt(program, library, cls, kwargs, dtype, **more))
        compare_results(*results, strict=True, views=False)

    def errors(self, info: Any, ours: Any, outcome: Outcome) -> None:
        """What torch says must be refused, and with which words."""
        for dtype in ("float32", "float64"):
            for case in info.optim_error_inputs_func("cpu", getattr(self.libraries[0], dtype)):
                sample, results = case.optimizer_error_input, []
                text = f"error: {info.name}({sample.desc})"
                try:
                    memo: dict[int, Any] = {}
                    mirrored = [self.parameters(sample.params, memo), self.translator.value(sample.kwargs, memo)]
                except Missing as missing:
                    outcome.failures.append(Failure("harness", text, f"{missing}", 0))
                    continue
                for library, cls, (params, kwargs) in zip(
                    self.libraries, (info.optim_cls, ours), ((sample.params, sample.kwargs), mirrored)
                ):
                    results.append(attempt(refused, library, cls, params, kwargs, case.error_on.name))
                outcome.compare_refusals(text, case, *results)

    def parameters(self, value: Any, memo: dict[int, Any]) -> Any:
        """Parameters, or groups of them, of wengert, with their gradients."""
        if isinstance(value, self.libraries[0].Tensor):
            if id(value) not in memo:
                sparse = value.layout is self.libraries[0].sparse_coo
                translated = self.translator.tensor(value.to_dense() if sparse else value)
                translated = translated.to_sparse() if sparse else translated
                is_parameter = isinstance(value, self.libraries[0].nn.Parameter)
                memo[id(value)] = self.libraries[1].nn.Parameter(translated.detach()) if is_parameter else translated
                if value.grad is not None:
                    memo[id(value)].grad = self.translator.tensor(value.grad)
            return memo[id(value)]
        if isinstance(value, dict):
            return {key: self.parameters(element, memo) for key, element in value.items()}
        if type(value) in (tuple, list):
            return type(value)(self.parameters(element, memo) for element in value)
        return value


def refused(library: Any, cls: Any, params: Any, kwargs: Any, where: str) -> Any:
    """Build an optimizer, and step if that is what must fail."""
    if params is None:
        params = [library.nn.Parameter(library.ones(2, 3))]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        optimizer = cls(params, **kwargs)
    return optimizer if where == "CONSTRUCTION_ERROR" else optimizer.step()


def values(dtype: str, seed: int, shape: tuple[int, ...]) -> Any:
    """Fixed numbers as an array."""
    drawn = np.random.default_rng(seed)
    numbers = drawn.standard_normal(shape)
    if dtype.startswith("complex"):
        numbers = numbers + 1j * drawn.standard_normal(shape)
    return numbers.astype("float32" if dtype == "bfloat16" else dtype)


def parameters(library: Any, dtype: str) -> list[Any]:
    """Some parameters."""
    return [
        library.nn.Parameter(library.from_numpy(values(dtype, at, shape)).to(getattr(library, dtype)))
        for at, shape in enumerate(SHAPES)
    ]


def build(library: Any, cls: Any, kwargs: Any, params: list[Any], groups: bool = False, named: bool = False) -> Any:
    """An optimizer of some parameters."""
    groups_or_params: Any = [(f"p{at}", parameter) for at, parameter in enumerate(params)] if named else params
    if groups:
        groups_or_params = [{"params": groups_or_params[:1], "lr": 0.05}, {"params": groups_or_params[1:]}]
    return cls(groups_or_params, **kwargs)


def advance(library: Any, optimizer: Any, params: list[Any], count: int, dtype: str, start: int = 0) -> None:
    """So many steps, each with new gradients; now and then one has none."""
    for at in range(start, start + count):
        for place, parameter in enumerate(params):
            grad = library.from_numpy(values(dtype, 100 * at + place, tuple(parameter.shape))).to(parameter.dtype)
            parameter.grad = None if (at + place) % 5 == 4 else grad
        if type(optimizer).__name__ == "LBFGS":
            optimizer.step(lambda: sum((parameter.abs() ** 2).sum() for parameter in params))
        else:
            optimizer.step()


def steps(
    library: Any,
    cls: Any,
    kwargs: Any,
    dtype: str,
    change: Callable[[Any], Any] = lambda optimizer: optimizer,
    **more: Any,
) -> Any:
    """A few steps."""
    params = parameters(library, dtype)
    optimizer = build(library, cls, kwargs, params, **more)
    advance(library, optimizer, params, 4, dtype)
    optimizer = change(optimizer)
    params = [parameter for group in optimizer.param_groups for parameter in group["params"]]
    advance(library, optimizer, params, 4, dtype, 4)
    optimizer.zero_grad(set_to_none=False)
    kept = [parameter.grad for parameter in params]
    optimizer.zero_grad()
    return [*tell_all(optimizer, params), kept, [parameter.grad for parameter in params]]


def pickled(optimizer: Any) -> Any:
    """The optimizer, pickled."""
    return pickle.loads(pickle.dumps(optimizer))


def loaded(library: Any, cls: Any, kwargs: Any, dtype: str) -> Any:
    """State, carried over to another optimizer, which goes on."""
    params = parameters(library, dtype)
    optimizer = build(library, cls, kwargs, params, groups=True)
    advance(library, optimizer, params, 3, dtype)
    others = [library.nn.Parameter(parameter.detach().clone()) for parameter in params]
    other = build(library, cls, kwargs, others, groups=True)
    held = copy.deepcopy(optimizer.state_dict())
    for group in held["param_groups"]:  # as files of older versions have it
        for name in ("foreach", "differentiable", "maximize", "capturable", "fused"):
            group.pop(name, None)
    other.load_state_dict(held)
    advance(library, other, others, 3, dtype, 3)
    wrong = build(library, cls, kwargs, others[:2])
    return [*tell_all(other, others), str(attempt(wrong.load_state_dict, held))]


def closures(library: Any, cls: Any, kwargs: Any, dtype: str) -> Any:
    """Steps with a closure."""
    params = parameters(library, dtype)
    optimizer = build(library, cls, kwargs, params)
    losses = []

    def closure() -> Any:
        optimizer.zero_grad()
        loss = sum(((parameter - 1).abs() ** 2).sum() for parameter in params)
        loss.backward()
        return loss

    for _ in range(4):
        losses.append(optimizer.step(closure).detach())
    return [*tell_all(optimizer, params), losses]


def grown(library: Any, cls: Any, kwargs: Any, dtype: str) -> Any:
    """A group that is added later, and one without gradients."""
    params = parameters(library, dtype)
    optimizer = build(library, cls, kwargs, params[:1])
    advance(library, optimizer, params[:1], 2, dtype)
    optimizer.add_param_group({"params": params[1], "lr": 0.5})
    optimizer.add_param_group({"params": params[2:]})
    advance(library, optimizer, params, 2, dtype, 2)
    return tell_all(optimizer, params)


def layouts(library: Any, cls: Any, kwargs: Any, dtype: str) -> Any:
    """Parameters and gradients that lie otherwise."""
    params = [library.nn.Parameter(parameter.detach().t()) for parameter in parameters(library, dtype)]
    optimizer = build(library, cls, kwargs, params)
    advance(library, optimizer, params, 3, dtype)
    return tell_all(optimizer, params)


def sparse(library: Any, cls: Any, kwargs: Any, dtype: str) -> Any:
    """Gradients that are sparse."""
    params = parameters(library, dtype)
    optimizer = build(library, cls, kwargs, params)
    for at in range(3):
        for place, parameter in enumerate(params):
            grad = library.from_numpy(values(dtype, 100 * at + place, tuple(parameter.shape))).to(parameter.dtype)
            grad[0] = 0
            parameter.grad = grad.to_sparse()
        optimizer.step()
    return tell_all(optimizer, params)


def differentiated(library: Any, cls: Any, kwargs: Any, dtype: str) -> Any:
    """The derivative of the parameters after steps by those before."""
    if not kwargs.get("differentiable"):
        return []
    leaves = parameters(library, dtype)
    params = [tensor.clone() for tensor in leaves]
    optimizer = build(library, cls, kwargs, params)
    grads = [
        library.from_numpy(values(dtype, 50 + at, tuple(tensor.shape))).to(tensor.dtype)
        for at, tensor in enumerate(leaves)
    ]
    grads = [tensor.requires_grad_() for tensor in grads]
    for _ in range(3):
        for tensor, grad in zip(params, grads):
            tensor.grad = grad
        optimizer.step()
    total = sum((tensor.abs() ** 2).sum() for tensor in params)
    return list(library.autograd.grad(total, [*leaves, *grads], allow_unused=True))


def scheduled(library: Any, cls: Any, kwargs: Any, dtype: str, schedules: Any, translator: Translator) -> Any:
    """Steps under schedules of the learning rate."""
    if library is translator.wengert:
        schedules = [translator.function(schedule) for schedule in schedules]
    params = parameters(library, dtype)
    optimizer = build(library, cls, kwargs, params, groups=True)
    plans = [schedule(optimizer) for schedule in schedules]
    rates = []
    for at in range(12):
        advance(library, optimizer, params, 1, dtype, at)
        for plan in plans:
            plan.step(1.0) if type(plan).__name__ == "ReduceLROnPlateau" else plan.step()
        rates.append([float(group["lr"]) for group in optimizer.param_groups])
    return [*tell_all(optimizer, params), rates, [flat(plan.state_dict()) for plan in plans if not callable(plan)]]


def tell_all(optimizer: Any, params: list[Any]) -> list[Any]:
    """All that an optimizer shows."""
    return [
        [parameter.detach() for parameter in params],
        flat(optimizer.state_dict()),
        repr(optimizer),
        flat(dict(optimizer.defaults)),
        [flat(optimizer.state[parameter]) if parameter in optimizer.state else None for parameter in params],
        [list(group) for group in optimizer.param_groups],
    ]


def flat(held: Any) -> Any:
    """Dictionaries as lists of keys and values."""
    if isinstance(held, dict):
        return [[str(key) for key in held], [flat(element) for element in held.values()]]
    if isinstance(held, (tuple, list)):
        return [type(held).__name__, *(flat(element) for element in held)]
    if hasattr(held, "to_dense"):
        return held.to_dense()
    return [type(held).__name__, held] if isinstance(held, (bool, int, float, str)) else held
