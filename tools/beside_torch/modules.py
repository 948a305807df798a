"""torch's samples of modules (`module_db`) on both libraries: state, text, copies, results, gradients, errors."""

from __future__ import annotations

import copy
import inspect
import pickle
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from .agree import Difference, compare_gradients, compare_results
from .database import DatabaseRunner
from .opinfo import Outcome
from .samples import Translator, find, tell, tensors_in

KNOWN = Path(__file__).resolve().parent.parent / "modules_known.toml"
DTYPES = ("float64", "float32", "float16", "bfloat16", "complex128")


class ModuleTranslator(Translator):
    """A translator that carries modules over with all that they hold."""

    def module(self, module: Any) -> Any:
        """The module of wengert with the same attributes, parameters, buffers and submodules."""
        translated = find(self.wengert, f"nn.{type(module).__name__}")
        translated = translated.__new__(translated)
        self.wengert.nn.Module.__init__(translated)
        for name, held in vars(module).items():
            if name in ("_parameters", "_buffers", "_modules"):
                for key, part in held.items():
                    getattr(translated, name)[key] = self.held(part)
            elif not name.startswith("_") or not hasattr(self.torch.nn.Module(), name):
                setattr(translated, name, self.value(held, {}))
        return translated

    def held(self, value: Any) -> Any:
        """A parameter, buffer or submodule."""
        translated = self.value(value, {})
        is_parameter = isinstance(value, self.torch.nn.Parameter)
        return self.wengert.nn.Parameter(translated, value.requires_grad) if is_parameter else translated


class ModuleRunner(DatabaseRunner):
    """Runs the samples of one module after the other; `most` counts those of a mode."""

    translator_class = ModuleTranslator
    known_list = KNOWN

    def all_samples(self, info: Any, ours: Any, outcome: Outcome) -> None:
        """All dtypes in both modes."""
        for training in (True, False):
            self.errors(info, ours, training, outcome)
            for dtype in self.kinds:
                if getattr(self.libraries[0], dtype) in info.dtypes:
                    self.samples(info, ours, dtype, training, outcome)

    def inputs(self, make: Callable[..., Any], info: Any, dtype: str, training: bool) -> list[Any]:
        """The samples that torch makes."""
        torch = self.libraries[0]
        torch.manual_seed(0)
        kind = getattr(torch, dtype)
        inputs = make(info, device="cpu", dtype=kind, requires_grad=True, training=training)
        torch.set_default_dtype(torch.float32)
        return list(inputs)

    def samples(self, info: Any, ours: Any, dtype: str, training: bool, outcome: Outcome) -> None:
        """All samples of one dtype and mode."""
        try:
            inputs = self.inputs(info.module_inputs_func, info, dtype, training)
        except (NotImplementedError, RuntimeError):  # some cannot be made in bfloat16
            outcome.skipped += 1
            return
        step = max(1, len(inputs) // self.most)
        for at, sample in enumerate(inputs[::step]):
            text = f"{dtype} {'train' if training else 'eval'} {sample.desc}: {info.name}({sample_text(sample)})"
            for check, run in self.checks(info, ours, sample, dtype, training, first=at < 2):
                self.note(outcome, f"{check} {text}", run)

    def checks(
        self, info: Any, ours: Any, sample: Any, dtype: str, training: bool, first: bool
    ) -> Iterator[tuple[str, Callable[[], None]]]:
        """What is asked of one sample, by name."""
        subject = info.module_cls, ours, sample, dtype, training
        deep = info.supports_gradgrad and dtype in ("float64", "complex128")
        yield "plain", lambda: self.compare(*subject, same, deep=deep)
        if first or dtype == "float64":
            yield "strided", lambda: self.compare(*subject, noncontiguous, deep=False)
            if not info.is_lazy:
                yield "channels last", lambda: self.compare(*subject, channels_last, deep=False)
            yield "dtype", lambda: self.compare_state(*subject)
        if first:
            yield "copy", lambda: self.compare(*subject, same, deep=False, change=copy.deepcopy)
            yield "pickle", lambda: self.compare(*subject, same, deep=False, change=through_pickle)
            if "inplace" in inspect.signature(info.module_cls.__init__).parameters:
                yield "in place", lambda: self.compare(*subject, cloned, deep=False, inplace=True)

    def build(
        self, classes: tuple[Any, Any], sample: Any, dtype: str, training: bool, **more: Any
    ) -> tuple[Any, Any, Any]:
        """The module on both, or the errors; and what was built before the state was made the same."""
        modules: list[Any] = []
        memo: dict[int, Any] = {}
        for library, cls in zip(self.libraries, classes):
            args, kwargs = sample.constructor_input.args, sample.constructor_input.kwargs
            if library is not self.libraries[0]:
                args, kwargs = self.translator.value(args, memo), self.translator.value(kwargs, memo)
            library.manual_seed(0)
            try:
                modules.append(cls(*args, **kwargs, **more).to(getattr(library, dtype)).train(training))
            except Exception as error:
                modules.append(error)
        return modules[0], modules[1], memo

    def compare_state(self, theirs: Any, ours: Any, sample: Any, dtype: str, training: bool) -> None:
        """Build the module with `dtype=` and compare what it holds."""
        wide = self.libraries[0].float64, self.libraries[1].float64
        args, kwargs = sample.constructor_input.args, sample.constructor_input.kwargs
        mirrored = self.translator.value(args, {}), self.translator.value(kwargs, {})
        results = []
        for library, cls, kind, (some, named) in zip(self.libraries, (theirs, ours), wide, ((args, kwargs), mirrored)):
            library.manual_seed(0)
            try:
                results.append(state(cls(*some, **named, device="cpu", dtype=kind)))
            except Exception as error:
                results.append(error)
        compare_results(*results, strict=True)

    def compare(
        self,
        theirs: Any,
        ours: Any,
        sample: Any,
        dtype: str,
        training: bool,
        prepare: Callable[..., Any],
        *,
        deep: bool,
        change: Callable[[Any], Any] = lambda module: module,
        **more: Any,
    ) -> None:
        """Build the module on both, call both, compare all that can be seen."""
        first, second, memo = self.build((theirs, ours), sample, dtype, training, **more)
        if isinstance(first, BaseException) or isinstance(second, BaseException):
            compare_results(first, second, strict=True)
            return
        compare_modules(first, second)
        arguments = prepare(self.libraries[0], [sample.forward_input.args, sample.forward_input.kwargs])
        pairs = list(
            zip(self.libraries, (first, second), (arguments, [self.translator.value(part, memo) for part in arguments]))
        )
        if prepare is channels_last:
            name = "channels_last_3d" if "3d" in theirs.__name__ else "channels_last"
            pairs = [(library, lies(module, getattr(library, name)), call) for library, module, call in pairs]
        pairs = [(library, attempt(change, module), call) for library, module, call in pairs]
        if isinstance(pairs[0][1], BaseException):
            compare_results(pairs[0][1], pairs[1][1], strict=True)
            return
        results = [called(*pair, prepare is cloned) for pair in pairs]
        compare_results(*results, strict=True)
        compare_modules(pairs[0][1], pairs[1][1])
        if isinstance(results[0], BaseException):
            return
        tensors = tensors_in(arguments), [memo[id(tensor)] for tensor in tensors_in(arguments)]
        sides = [
            (library, result, [*inputs, *module.parameters()])
            for (library, module, _), result, inputs in zip(pairs, results, tensors)
        ]
        compare_gradients(sides[0], sides[1], twice=deep)

    def errors(self, info: Any, ours: Any, training: bool, outcome: Outcome) -> None:
        """What torch says must be refused, and with which words."""
        if info.module_error_inputs_func is None:
            return
        for case in self.inputs(info.module_error_inputs_func, info, "float64", training):
            sample = case.module_error_input
            text = f"error: {info.name}({sample_text(sample)})"
            results = []
            memo: dict[int, Any] = {}
            for library, cls in zip(self.libraries, (info.module_cls, ours)):
                parts = [sample.constructor_input.args, sample.constructor_input.kwargs]
                if sample.forward_input is not None:
                    parts += [sample.forward_input.args, sample.forward_input.kwargs]
                if library is not self.libraries[0]:
                    parts = [self.translator.value(part, memo) for part in parts]
                results.append(attempt(refused, library, cls, training, case.error_on.name, *parts))
            first, actual = results
            if isinstance(first, BaseException) and not re.search(case.error_regex, str(first)):
                case.error_regex = re.escape(str(first))  # torch's own words in this mode are others
            outcome.compare_refusals(text, case, first, actual)


def refused(library: Any, cls: Any, training: bool, where: str, args: Any, kwargs: Any, *call: Any) -> Any:
    """Build a module, and call it if that is what must fail."""
    module = cls(*args, **kwargs)
    if where == "CONSTRUCTION_ERROR":
        return module
    module.to(library.float64).train(training)
    return attempt(module, *call[0], **call[1])


def called(library: Any, module: Any, arguments: Any, copied: bool) -> Any:
    """The result of a call; where arguments are copied for it, with the number of writes to these."""
    args, kwargs = arguments
    args = [argument.clone() if hasattr(argument, "clone") else argument for argument in args] if copied else args
    library.manual_seed(1)
    result = attempt(module, *args, **kwargs)
    if copied and not isinstance(result, BaseException):
        return [result, [argument._version for argument in tensors_in(args)]]
    return result


def lies(module: Any, layout: Any) -> Any:
    """The module with parameters in a memory format, or the error."""
    return attempt(module.to, memory_format=layout)


def attempt(function: Any, *args: Any, **kwargs: Any) -> Any:
    """The result of a call, or the error."""
    try:
        return function(*args, **kwargs)
    except Exception as error:
        return error


def through_pickle(module: Any) -> Any:
    """The module, pickled."""
    return pickle.loads(pickle.dumps(module))


def same(torch: Any, value: Any) -> Any:
    """The arguments as they are."""
    return value


def cloned(torch: Any, value: Any) -> Any:
    """The arguments as they are; the call makes copies."""
    return value


def mapped(change: Callable[[Any], Any], value: Any) -> Any:
    """The arguments with tensors changed."""
    if hasattr(value, "detach"):
        return change(value)
    if isinstance(value, dict):
        return {key: mapped(change, element) for key, element in value.items()}
    if type(value) in (tuple, list):
        return type(value)(mapped(change, element) for element in value)
    return value


def noncontiguous(torch: Any, value: Any) -> Any:
    """The arguments with every other element in between."""
    make = __import__("torch.testing._internal.common_utils", fromlist=["noncontiguous_like"]).noncontiguous_like
    return mapped(make, value)


def channels_last(torch: Any, value: Any) -> Any:
    """The arguments with channels innermost."""

    def change(tensor: Any) -> Any:
        formats = {4: torch.channels_last, 5: torch.channels_last_3d}
        if tensor.dim() not in formats:
            return tensor
        return tensor.detach().contiguous(memory_format=formats[tensor.dim()]).requires_grad_(tensor.requires_grad)

    return mapped(change, value)


def state(module: Any) -> Any:
    """What a module holds: names, values, metadata, text."""
    held = module.state_dict()
    return [
        list(held),
        repr(module),
        [unfinished(part) for part in held.values()],
        [(name, dict(metadata)) for name, metadata in held._metadata.items()],
        [name for name, _ in module.named_parameters()],
        [name for name, _ in module.named_buffers()],
        [(name, type(part).__name__, part.training) for name, part in module.named_modules()],
    ]


def unfinished(value: Any) -> Any:
    """A tensor, or the name of the class of one that has no shape yet."""
    return type(value).__name__ if type(value).__name__.startswith("Uninitialized") else value


def compare_modules(first: Any, second: Any) -> None:
    """Compare what two modules hold, and their public attributes."""
    if isinstance(first, BaseException) or isinstance(second, BaseException):
        compare_results(first, second, strict=True)
        return
    try:
        compare_results(attempt(state, first), attempt(state, second), strict=True)
    except Difference as difference:
        raise Difference(f"state {difference.kind}", str(difference)) from None
    names = [sorted(name for name in vars(module) if not name.startswith("_")) for module in (first, second)]
    if names[0] != names[1]:
        raise Difference("attributes", f"expected {names[0]}, found {names[1]}")
    for name in names[0]:
        one, other = getattr(first, name), getattr(second, name)
        if isinstance(one, (int, float, str, tuple, bool, type(None))) and (
            repr(one) != repr(other) or type(one).__name__ != type(other).__name__
        ):
            raise Difference("attributes", f"{name}: expected {one!r}, found {other!r}")


def sample_text(sample: Any) -> str:
    """A sample as text."""
    texts = []
    for call in (sample.constructor_input, sample.forward_input):
        if call is not None:
            texts.append(f"{tell(call.args)[1:-1]} {tell(call.kwargs)}")
    return ")(".join(texts)
