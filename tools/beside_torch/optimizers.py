"""torch's samples of optimizers (`optim_db`) on both libraries: steps, state, copies, groups, schedules, errors."""

from __future__ import annotations

import copy
import importlib
import itertools
import pickle
import re
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

    def constant(self, given: Any) -> Any:
        """What stands for a global of a sample's function."""
        if isinstance(given, type) and given.__module__ == "torch.optim.lr_scheduler":
            return getattr(self.wengert.optim.lr_scheduler, given.__name__)
        return super().constant(given)


class OptimizerRunner(DatabaseRunner):
    """Runs the samples of one optimizer after the other."""

    translator_class = ScheduleTranslator
    known_list = KNOWN
    module = "optim."

    def all_samples(self, info: Any, ours: Any, outcome: Outcome) -> None:
        """All dtypes with all settings."""
        self.errors(info, ours, outcome)
        for dtype, sample in itertools.product(self.kinds, self.inputs(info)):
            for check, each in self.checks(info, ours, sample, dtype):
                text = f"{check} {dtype}: {info.name}({tell(sample.kwargs)}) {sample.desc}"
                self.note(outcome, text, each)

    def inputs(self, info: Any) -> list[Any]:
        """The settings that torch tries, with each way to compute them."""
        common = importlib.import_module("torch.testing._internal.common_optimizers")
        made = common._get_optim_inputs_including_global_cliquey_kwargs("cpu", self.libraries[0].float32, info)
        return [*made, *info.optim_inputs_func("cpu"), *info.optim_inputs_func("cuda")][: self.most]

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
        told = []
        for library, cls in zip(self.libraries, (info.optim_cls, ours)):
            kwargs = copy.deepcopy(sample.kwargs)
            if library is not self.libraries[0]:
                kwargs = self.translator.value(kwargs, {})
            told.append(attempt(program, library, cls, kwargs, dtype, **more))
        compare_results(*told, strict=True, views=False)

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
                wanted = f"{case.error_type.__name__}: {case.error_regex}"
                first, found = results
                if not isinstance(first, BaseException):
                    outcome.skipped += 1
                elif not isinstance(found, BaseException):
                    outcome.failures.append(Failure("not refused", text, f"expected {wanted}", 0))
                elif type(found).__name__ != type(first).__name__ or not re.search(case.error_regex, str(found)):
                    message = f"expected {wanted}, found {type(found).__name__}: {found}"
                    outcome.failures.append(Failure("error text", text, message, 0))
                else:
                    outcome.passed += 1

    def parameters(self, given: Any, memo: dict[int, Any]) -> Any:
        """Parameters, or groups of them, of wengert, with their gradients."""
        if isinstance(given, self.libraries[0].Tensor):
            if id(given) not in memo:
                sparse = given.layout is self.libraries[0].sparse_coo
                made = self.translator.tensor(given.to_dense() if sparse else given)
                made = made.to_sparse() if sparse else made
                is_parameter = isinstance(given, self.libraries[0].nn.Parameter)
                memo[id(given)] = self.libraries[1].nn.Parameter(made.detach()) if is_parameter else made
                if given.grad is not None:
                    memo[id(given)].grad = self.translator.tensor(given.grad)
            return memo[id(given)]
        if isinstance(given, dict):
            return {key: self.parameters(each, memo) for key, each in given.items()}
        if type(given) in (tuple, list):
            return type(given)(self.parameters(each, memo) for each in given)
        return given


def refused(library: Any, cls: Any, params: Any, kwargs: Any, where: str) -> Any:
    """Build an optimizer, and step if that is what must fail."""
    if params is None:
        params = [library.nn.Parameter(library.ones(2, 3))]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        made = cls(params, **kwargs)
    return made if where == "CONSTRUCTION_ERROR" else made.step()


def values(dtype: str, seed: int, shape: tuple[int, ...]) -> Any:
    """Fixed numbers as an array."""
    drawn = np.random.default_rng(seed)
    made = drawn.standard_normal(shape)
    if dtype.startswith("complex"):
        made = made + 1j * drawn.standard_normal(shape)
    return made.astype("float32" if dtype == "bfloat16" else dtype)


def parameters(library: Any, dtype: str) -> list[Any]:
    """Some parameters."""
    return [
        library.nn.Parameter(library.from_numpy(values(dtype, at, shape)).to(getattr(library, dtype)))
        for at, shape in enumerate(SHAPES)
    ]


def build(library: Any, cls: Any, kwargs: Any, params: list[Any], groups: bool = False, named: bool = False) -> Any:
    """An optimizer of some parameters."""
    given: Any = [(f"p{at}", each) for at, each in enumerate(params)] if named else params
    if groups:
        given = [{"params": given[:1], "lr": 0.05}, {"params": given[1:]}]
    return cls(given, **kwargs)


def advance(library: Any, made: Any, params: list[Any], count: int, dtype: str, start: int = 0) -> None:
    """So many steps, each with new gradients; now and then one has none."""
    for at in range(start, start + count):
        for place, each in enumerate(params):
            grad = library.from_numpy(values(dtype, 100 * at + place, tuple(each.shape))).to(each.dtype)
            each.grad = None if (at + place) % 5 == 4 else grad
        if type(made).__name__ == "LBFGS":
            made.step(lambda: sum((each.abs() ** 2).sum() for each in params))
        else:
            made.step()


def steps(
    library: Any, cls: Any, kwargs: Any, dtype: str, change: Callable[[Any], Any] = lambda made: made, **more: Any
) -> Any:
    """A few steps."""
    params = parameters(library, dtype)
    made = build(library, cls, kwargs, params, **more)
    advance(library, made, params, 4, dtype)
    made = change(made)
    params = [each for group in made.param_groups for each in group["params"]]
    advance(library, made, params, 4, dtype, 4)
    made.zero_grad(set_to_none=False)
    kept = [each.grad for each in params]
    made.zero_grad()
    return [*tell_all(made, params), kept, [each.grad for each in params]]


def pickled(made: Any) -> Any:
    """The optimizer, pickled."""
    return pickle.loads(pickle.dumps(made))


def loaded(library: Any, cls: Any, kwargs: Any, dtype: str) -> Any:
    """State, carried over to another optimizer, which goes on."""
    params = parameters(library, dtype)
    made = build(library, cls, kwargs, params, groups=True)
    advance(library, made, params, 3, dtype)
    others = [library.nn.Parameter(each.detach().clone()) for each in params]
    other = build(library, cls, kwargs, others, groups=True)
    held = copy.deepcopy(made.state_dict())
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
    made = build(library, cls, kwargs, params)
    losses = []

    def closure() -> Any:
        made.zero_grad()
        loss = sum(((each - 1).abs() ** 2).sum() for each in params)
        loss.backward()
        return loss

    for _ in range(4):
        losses.append(made.step(closure).detach())
    return [*tell_all(made, params), losses]


def grown(library: Any, cls: Any, kwargs: Any, dtype: str) -> Any:
    """A group that is added later, and one without gradients."""
    params = parameters(library, dtype)
    made = build(library, cls, kwargs, params[:1])
    advance(library, made, params[:1], 2, dtype)
    made.add_param_group({"params": params[1], "lr": 0.5})
    made.add_param_group({"params": params[2:]})
    advance(library, made, params, 2, dtype, 2)
    return tell_all(made, params)


def layouts(library: Any, cls: Any, kwargs: Any, dtype: str) -> Any:
    """Parameters and gradients that lie otherwise."""
    params = [library.nn.Parameter(each.detach().t()) for each in parameters(library, dtype)]
    made = build(library, cls, kwargs, params)
    advance(library, made, params, 3, dtype)
    return tell_all(made, params)


def sparse(library: Any, cls: Any, kwargs: Any, dtype: str) -> Any:
    """Gradients that are sparse."""
    params = parameters(library, dtype)
    made = build(library, cls, kwargs, params)
    for at in range(3):
        for place, each in enumerate(params):
            grad = library.from_numpy(values(dtype, 100 * at + place, tuple(each.shape))).to(each.dtype)
            grad[0] = 0
            each.grad = grad.to_sparse()
        made.step()
    return tell_all(made, params)


def differentiated(library: Any, cls: Any, kwargs: Any, dtype: str) -> Any:
    """The derivative of the parameters after steps by those before."""
    if not kwargs.get("differentiable"):
        return []
    leaves = parameters(library, dtype)
    params = [each.clone() for each in leaves]
    made = build(library, cls, kwargs, params)
    grads = [
        library.from_numpy(values(dtype, 50 + at, tuple(each.shape))).to(each.dtype) for at, each in enumerate(leaves)
    ]
    grads = [each.requires_grad_() for each in grads]
    for _ in range(3):
        for each, grad in zip(params, grads):
            each.grad = grad
        made.step()
    total = sum((each.abs() ** 2).sum() for each in params)
    return list(library.autograd.grad(total, [*leaves, *grads], allow_unused=True))


def scheduled(library: Any, cls: Any, kwargs: Any, dtype: str, schedules: Any, translator: Translator) -> Any:
    """Steps under schedules of the learning rate."""
    if library is translator.wengert:
        schedules = [translator.function(each) for each in schedules]
    params = parameters(library, dtype)
    made = build(library, cls, kwargs, params, groups=True)
    plans = [each(made) for each in schedules]
    rates = []
    for at in range(12):
        advance(library, made, params, 1, dtype, at)
        for plan in plans:
            plan.step(1.0) if type(plan).__name__ == "ReduceLROnPlateau" else plan.step()
        rates.append([float(group["lr"]) for group in made.param_groups])
    return [*tell_all(made, params), rates, [flat(plan.state_dict()) for plan in plans if not callable(plan)]]


def tell_all(made: Any, params: list[Any]) -> list[Any]:
    """All that an optimizer shows."""
    return [
        [each.detach() for each in params],
        flat(made.state_dict()),
        repr(made),
        flat(dict(made.defaults)),
        [flat(made.state[each]) if each in made.state else None for each in params],
        [list(group) for group in made.param_groups],
    ]


def flat(held: Any) -> Any:
    """Dictionaries as lists of keys and values."""
    if isinstance(held, dict):
        return [[str(key) for key in held], [flat(each) for each in held.values()]]
    if isinstance(held, (tuple, list)):
        return [type(held).__name__, *(flat(each) for each in held)]
    if hasattr(held, "to_dense"):
        return held.to_dense()
    return [type(held).__name__, held] if isinstance(held, (bool, int, float, str)) else held
