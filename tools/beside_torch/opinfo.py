"""torch's own operator samples (`op_db`) on both libraries: values, dtypes, views, `out=`, gradients, errors."""

from __future__ import annotations

import re
import signal
import time
import types
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from .agree import Difference, compare_gradients, compare_results
from .known import Known
from .samples import Missing, Translator, find, tell, tensors_in
from .ties import tied, without_ties

KNOWN = Path(__file__).resolve().parent.parent / "opinfo_known.toml"

RANDOM = re.compile(
    r"dropout|^rand|^normal|^bernoulli|multinomial|uniform|exponential$|cauchy|geometric|log_normal|rrelu|fractional|empty|lowrank"
)
DTYPES = ("float64", "float32", "int64", "bool", "complex128", "float16", "bfloat16", "int32", "uint8")


@dataclass
class Failure:
    """One way in which an operator failed: what was asked, what came."""

    kind: str
    sample: str
    message: str
    size: int


@dataclass
class Outcome:
    """What became of one operator."""

    name: str
    passed: int = 0
    skipped: int = 0
    seconds: float = 0.0
    missing: str = ""
    failures: list[Failure] = field(default_factory=list)

    @property
    def status(self) -> str:
        """The word for the table."""
        return "missing" if self.missing else "failed" if self.failures else "passed" if self.passed else "not run"

    def compare_refusals(self, text: str, case: Any, first: Any, second: Any) -> None:
        """Note whether wengert refuses a case of torch's database with its error, if torch does.

        Args:
            text: the case, for the report.
            case: the case, with `error_type` and `error_regex`.
            first, second: the result of each library, or its error.
        """
        wanted = f"{case.error_type.__name__}: {case.error_regex}"
        if not isinstance(first, BaseException):
            self.skipped += 1
        elif not isinstance(second, BaseException):
            self.failures.append(Failure("not refused", text, f"expected {wanted}", 0))
        elif type(second).__name__ != type(first).__name__ or not re.search(case.error_regex, str(second)):
            message = f"expected {wanted}, found {type(second).__name__}: {second}"
            self.failures.append(Failure("error text", text, message, 0))
        else:
            self.passed += 1


class TimeUp(BaseException):
    """An operator used up its time; no Exception, so that nothing on the way catches it."""


@contextmanager
def time_limit(seconds: float) -> Iterator[None]:
    """Raise TimeUp in the block after `seconds`."""

    def stop(number: int, frame: Any) -> None:
        raise TimeUp

    earlier = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, earlier)


class Runner:
    """Runs the samples of one operator after the other.

    Args:
        torch, wengert: the two packages.
        most: samples per operator, dtype and form.
        seconds: time per operator.
        kinds: the dtypes to run.
    """

    def __init__(
        self, torch: Any, wengert: Any, *, most: int = 40, seconds: float = 20.0, kinds: Sequence[str] = DTYPES
    ) -> None:
        self.torch, self.wengert = torch, wengert
        self.translator = Translator(torch, wengert)
        self.most, self.seconds, self.kinds = most, seconds, kinds
        self.known = Known(KNOWN)
        self.of: Any = None
        self.pairs: list[tuple[str, tuple[Any, Any]]] = []

    def run(self, info: Any) -> Outcome:
        """Try one operator in all its forms and dtypes."""
        name = f"{info.name}{f'.{info.variant_test_name}' if info.variant_test_name else ''}"
        outcome = Outcome(name)
        if not self.exists(info):
            outcome.failures = [Failure("missing", info.name, info.name, 0)]
            self.known.remove_from(outcome)
            outcome.missing = info.name if outcome.failures else ""
            outcome.failures = []
            return outcome
        started = time.perf_counter()
        try:
            with time_limit(self.seconds), warnings.catch_warnings():
                warnings.simplefilter("ignore")
                self.errors(info, outcome)
                for dtype in self.kinds:
                    if getattr(self.torch, dtype) in info.dtypes:
                        self.samples(info, dtype, outcome)
        except TimeUp:
            pass
        except Exception as error:
            outcome.failures.append(Failure("harness", name, f"{type(error).__name__}: {error}", 0))
        self.known.remove_from(outcome)
        outcome.seconds = time.perf_counter() - started
        return outcome

    def exists(self, info: Any) -> bool:
        """Whether wengert has the function or the method."""
        try:
            paths = [info.name, f"Tensor.{info.name}", f"Tensor.{info.name}_"]
            if isinstance(info.op, types.BuiltinFunctionType):  # some are listed under another name
                paths.append(info.op.__name__)
            return first_found(self.wengert, paths) is not None
        except Missing:
            return False

    def forms(self, info: Any, outcome: Outcome) -> Iterator[tuple[str, Callable[..., Any], Callable[..., Any]]]:
        """The forms of an operator in both libraries: function, method, in place."""
        for form, function in (("", info.op), ("method", info.method_variant), ("in place", info.inplace_variant)):
            if function is None:
                continue
            try:
                if form and getattr(function, "__name__", "<lambda>") != "<lambda>":
                    yield form, function, find(self.wengert, f"Tensor.{function.__name__}")
                else:
                    yield form, function, self.translator.function(function) if form else self.function(info)
            except Missing as missing:
                outcome.failures.append(Failure("missing form", f"{info.name} {form}", f"no {missing}", 0))

    def function(self, info: Any) -> Callable[..., Any]:
        """wengert's function of an operator."""
        paths = [info.name, f"Tensor.{info.name}"]
        try:
            function = self.translator.function(info.op)
        except Missing as missing:
            function, paths = info.op, [*paths, str(missing)]
        if function is not info.op:
            return function
        return first_found(self.wengert, paths)

    def samples(self, info: Any, dtype: str, outcome: Outcome) -> None:
        """All samples of one dtype, in every form."""
        differentiable = dtype in ("float64", "complex128", "float32", "bfloat16") and info.supports_autograd
        if differentiable and getattr(self.torch, dtype) not in info.backward_dtypes:
            differentiable = False
        try:
            generated = info.sample_inputs("cpu", getattr(self.torch, dtype), requires_grad=differentiable)
            for at, sample in enumerate(generated):
                if at >= self.most:
                    break
                self.sample(info, dtype, sample, at, outcome)
        except (ImportError, AssertionError, NotImplementedError):
            outcome.skipped += 1

    def sample(self, info: Any, dtype: str, sample: Any, at: int, outcome: Outcome) -> None:
        """One sample in every form."""
        for form, ours in self.form_pairs(info, outcome):
            theirs, function = ours
            if form == "in place" and (at > 12 or sample.broadcasts_input):
                continue
            if form == "method" and at > 12:
                continue
            self.attempt(info, f"{dtype} {form}".strip(), theirs, function, sample, at, outcome)
        if at < 6 and not isinstance(sample.input, (tuple, list)):
            for _, pair in self.form_pairs(info, outcome)[:1]:
                self.attempt(info, f"{dtype} strided", *pair, sample.noncontiguous(), at, outcome)
                if info.supports_out and not sample.kwargs.get("out"):
                    self.attempt(info, f"{dtype} out", *pair, sample, at, outcome)

    def form_pairs(self, info: Any, outcome: Outcome) -> list[tuple[str, tuple[Any, Any]]]:
        """`forms`, with what is missing put down as a failure, once."""
        if self.of is not info:
            self.of = info
            self.pairs = [(form, (theirs, ours)) for form, theirs, ours in self.forms(info, outcome)]
        return self.pairs

    def attempt(self, info: Any, form: str, theirs: Any, ours: Any, sample: Any, at: int, outcome: Outcome) -> None:
        """One sample in one form: run both, compare, put down the result."""
        memo: dict[int, Any] = {}
        try:
            arguments = [self.translator.value(part, memo) for part in (sample.input, sample.args, sample.kwargs)]
        except Missing:
            outcome.skipped += 1
            return
        text = f"{form}: {info.name}({tell(sample.input)}, {tell(sample.args)[1:-1]} {tell(sample.kwargs)})"
        size = sum(tensor.numel() for tensor in tensors_in([sample.input, list(sample.args), sample.kwargs]))
        process = sample.output_process_fn_grad
        first = self.call(self.torch, theirs, form, [sample.input, sample.args, sample.kwargs], process)
        second = self.call(self.wengert, ours, form, arguments, self.translator.function(process))
        try:
            strict = not RANDOM.search(info.name) and self.is_defined(info.name, sample)
            outcomes = (
                without_ties(library, info.name, sample, result)
                for library, result in ((self.torch, first), (self.wengert, second))
            )
            compare_results(*outcomes, strict=strict, views=not form.endswith("strided"))
            plain = not isinstance(first, BaseException) and not form.endswith("out")
            if strict and plain and not tied(info.name, sample):
                twice = info.supports_gradgrad and at < 12 and size < 200 and form.startswith(("float64", "complex128"))
                inputs = tensors_in([sample.input, list(sample.args), sample.kwargs])
                mirrored = [memo[id(tensor)] for tensor in inputs]
                compare_gradients((self.torch, first, inputs), (self.wengert, second, mirrored), twice=twice)
        except Difference as difference:
            kind = f"{difference.kind}"
            outcome.failures.append(Failure(kind, text, str(difference), size))
        else:
            outcome.passed += 1

    def is_defined(self, name: str, sample: Any) -> bool:
        """Whether there is one right result: torch's own samples are made so."""
        return True

    def call(self, library: Any, function: Any, form: str, arguments: list[Any], process: Any) -> Any:
        """The result, or the error, of one call."""
        input, args, kwargs = arguments
        try:
            if form.endswith("in place"):
                input = input.clone()
            if form.endswith("out"):
                plain = function(*detached((input, *args)), **detached(kwargs))
                kwargs = {**detached(kwargs), "out": empty_like_result(library, plain)}
                input, args = detached(input), detached(args)
            if library is self.torch:
                self.torch.manual_seed(0)
            result = function(input, *args, **kwargs)
            return process(result)
        except Exception as error:
            return error

    def errors(self, info: Any, outcome: Outcome) -> None:
        """What torch says must be refused, and with which words."""
        if info.error_inputs_func is None:
            return
        try:
            wrong = list(info.error_inputs("cpu"))
        except Exception:
            return
        for case in wrong:
            sample = case.sample_input
            try:
                memo = {id(view._base): self.translator.tensor(view._base) for view in viewed(sample)}
                arguments = [self.translator.value(part, memo) for part in (sample.input, sample.args, sample.kwargs)]
                function = self.function(info)
            except (Missing, Exception):
                outcome.skipped += 1
                continue
            theirs = [sample.input, sample.args, sample.kwargs]
            if not isinstance(self.call(self.torch, info.op, "error", theirs, same), BaseException):
                continue  # some are refused only in torch's own tests of references
            actual = self.call(self.wengert, function, "error", arguments, same)
            text = f"error: {info.name}({tell(sample.input)}, {tell(sample.args)[1:-1]} {tell(sample.kwargs)})"
            wanted = f"{case.error_type.__name__}: {case.error_regex}"
            if not isinstance(actual, BaseException):
                outcome.failures.append(Failure("not refused", text, f"expected {wanted}", 0))
            elif not isinstance(actual, case.error_type) or not re.search(case.error_regex, str(actual)):
                message = f"expected {wanted}, found {type(actual).__name__}: {actual}"
                outcome.failures.append(Failure("error text", text, message, 0))
            else:
                outcome.passed += 1


def same(result: Any) -> Any:
    """The result as it is."""
    return result


def viewed(sample: Any) -> list[Any]:
    """The tensors of a sample that are views, the ones that are given and the `out`."""
    every = tensors_in([sample.input, list(sample.args), sample.kwargs])
    return [tensor for tensor in every if tensor._base is not None]


def first_found(package: Any, paths: list[str]) -> Any:
    """The first of `paths` that exists.

    Raises:
        Missing: none does.
    """
    for path in paths[:-1]:
        try:
            return find(package, path)
        except Missing:
            continue
    return find(package, paths[-1])


def detached(value: Any) -> Any:
    """The same arguments without `requires_grad`."""
    if hasattr(value, "detach"):
        return value.detach()
    if isinstance(value, dict):
        return {key: detached(element) for key, element in value.items()}
    if type(value) in (tuple, list):
        return type(value)(detached(element) for element in value)
    return value


def empty_like_result(library: Any, result: Any) -> Any:
    """What to give as `out` for a result: tensors of the same shape."""
    if hasattr(result, "detach"):
        return library.empty(tuple(result.shape), dtype=result.dtype)
    return tuple(empty_like_result(library, part) for part in result)
