"""torch's operator samples with one or two of their arguments changed at random: the same results or errors?"""

from __future__ import annotations

import copy
import os
import pickle
import random
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

from .known import Known
from .opinfo import Failure, Outcome, Runner, TimeUp, time_limit
from .samples import tensors_in
from .ties import overflowing, singular

KNOWN = Path(__file__).resolve().parent.parent / "fuzz_known.toml"

SPECIAL = (float("nan"), float("inf"), float("-inf"), 0.0, -0.0, 1.0, -1.0, 2.5, 1e-30, 1e30)
WHOLE = (0, 1, -1, 2, 3, 127)
WORDS = ("", "mean", "sum", "none", "max", "reflect", "bilinear", "floor", "left")
DTYPES = ("float32", "float64", "int64", "int32", "uint8", "bool", "complex128", "complex64", "float16", "bfloat16")


class Changer:
    """Changes arguments of torch.

    Args:
        torch: the package.
        draw: where chance comes from.
    """

    def __init__(self, torch: Any, draw: random.Random) -> None:
        self.torch, self.draw = torch, draw

    def changed(self, parts: list[Any]) -> list[Any]:
        """A copy of (input, args, kwargs) in which one or two values are others."""
        parts = [copied(part) for part in parts]
        for _ in range(self.draw.choice((1, 1, 2))):
            places = list(places_in(parts))
            if places:
                holder, key = self.draw.choice(places)
                holder[key] = self.value(holder[key])
        return parts

    def value(self, given: Any) -> Any:
        """Another value in place of one."""
        if isinstance(given, self.torch.Tensor):
            return self.tensor(given)
        choices: list[Any]
        if isinstance(given, bool):
            choices = [not given, None, 1]
        elif isinstance(given, int):
            choices = [given + 1, given - 1, -given, 0, 1, -1, 9, float(given), True, None, self.torch.tensor(given)]
        elif isinstance(given, (float, complex)):
            choices = [-given, 0.0, *SPECIAL[:3], 1e-3, 2, None, True, self.torch.tensor(given)]
        elif isinstance(given, str):
            choices = [*WORDS, None]
        elif isinstance(given, self.torch.dtype):
            choices = [getattr(self.torch, name) for name in DTYPES]
        elif isinstance(given, (list, tuple)) and all(isinstance(each, int) for each in given):
            choices = [type(given)(each) for each in ((*given, 1), given[:-1], given[::-1], ())]
        elif given is None:
            choices = [0, 1, True, 0.5]
        else:
            return given
        return self.draw.choice(choices)

    def tensor(self, given: Any) -> Any:
        """A changed copy of a tensor."""
        changes = (self.special, self.special, self.cast, self.longer, self.shorter, self.reshaped, self.reshaped)
        made = self.draw.choice(changes)(given.detach().clone())
        floats = made.dtype.is_floating_point or made.dtype.is_complex
        return made.detach().requires_grad_(given.requires_grad and floats)

    def special(self, given: Any) -> Any:
        """Some elements are special values."""
        if not given.numel():
            return given
        flat = given.reshape(-1).clone()
        for _ in range(self.draw.choice((1, 2, 5))):
            at = self.draw.randrange(flat.numel())
            if given.dtype.is_floating_point or given.dtype.is_complex:
                flat[at] = self.draw.choice(SPECIAL)
            elif given.dtype is self.torch.bool:
                flat[at] = not flat[at]
            else:
                flat[at] = self.draw.choice(WHOLE[:2] if given.dtype is self.torch.uint8 else WHOLE)
        return flat.reshape(given.shape)

    def cast(self, given: Any) -> Any:
        """Another dtype."""
        return given.to(getattr(self.torch, self.draw.choice(DTYPES)))

    def longer(self, given: Any) -> Any:
        """Twice as long along a dimension."""
        if not given.ndim:
            return given.reshape(1).repeat(2)
        return self.torch.cat([given, given], self.draw.randrange(given.ndim))

    def shorter(self, given: Any) -> Any:
        """Of length 1 or 0 along a dimension."""
        if not given.ndim:
            return given
        return given.narrow(self.draw.randrange(given.ndim), 0, self.draw.choice((0, 1)) if 0 not in given.shape else 0)

    def reshaped(self, given: Any) -> Any:
        """One dimension more or less, or in another order."""
        choices: list[Callable[[], Any]] = [lambda: given.unsqueeze(0), lambda: given.unsqueeze(-1)]
        if given.ndim:
            choices += [lambda: given.flatten(), lambda: given.transpose(0, -1)]
            if given.shape[0]:
                choices.append(lambda: given[0].clone())
        return self.draw.choice(choices)()


def copied(value: Any) -> Any:
    """Containers anew, as lists so that they can be changed; all else as it is."""
    if isinstance(value, dict):
        return {key: copied(each) for key, each in value.items()}
    if type(value) in (tuple, list) and any(hasattr(each, "detach") for each in value):
        return [copied(each) for each in value]
    return value


def places_in(parts: list[Any]) -> Any:
    """Where arguments stand: (container, key)."""
    yield parts, 0
    for at in range(len(parts[1])):
        yield parts[1], at
    for key in parts[2]:
        yield parts[2], key
    for part in [parts[0], *parts[1]]:
        if type(part) is list:
            for at in range(len(part)):
                yield part, at


class FuzzRunner(Runner):
    """Runs changed samples of one operator after the other, each in a process of its own.

    Args:
        tries: how many for each operator.
        seed: of the changes.
    """

    def __init__(self, torch: Any, wengert: Any, *, tries: int = 200, seed: int = 0, **limits: Any) -> None:
        super().__init__(torch, wengert, **limits)
        self.known, self.tries, self.seed = Known(KNOWN), tries, seed

    def run(self, info: Any) -> Outcome:
        """Try one operator."""
        reader, writer = os.pipe()
        child = os.fork()
        name = f"{info.name}{f'.{info.variant_test_name}' if info.variant_test_name else ''}"
        if child == 0:
            os.close(reader)
            with os.fdopen(writer, "wb") as file:
                pickle.dump(self.tried(info, name), file)
            os._exit(0)
        os.close(writer)
        with os.fdopen(reader, "rb") as file:
            told = file.read()
        status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        outcome = Outcome(name, failures=[Failure("crash", name, f"the process ended with status {status}", 0)])
        if told:
            outcome = pickle.loads(told)
        self.known.remove_from(outcome)
        return outcome

    def tried(self, info: Any, name: str) -> Outcome:
        """`run`, in the child."""
        outcome = Outcome(name)
        started = time.perf_counter()
        draw = random.Random(f"{self.seed} {name}")
        changer = Changer(self.torch, draw)
        try:
            with time_limit(self.seconds), warnings.catch_warnings():
                warnings.simplefilter("ignore")
                pool = self.pool(info)
                pairs = self.form_pairs(info, outcome)
                if pairs and info.supports_out:
                    pairs = [*pairs, ("out", pairs[0][1])]
                for at in range(self.tries if pool and pairs else 0):
                    dtype, sample = draw.choice(pool)
                    try:
                        parts = changer.changed([sample.input, list(sample.args), sample.kwargs])
                    except Exception:  # that change does not go with that tensor
                        continue
                    made = copy.copy(sample)
                    made.input, made.args, made.kwargs = parts[0], tuple(parts[1]), parts[2]
                    form, pair = draw.choice((pairs[0], draw.choice(pairs)))
                    if form == "out" and (type(parts[0]) in (tuple, list) or parts[2].get("out") is not None):
                        continue
                    self.attempt(info, f"{dtype} {form}".strip(), *pair, made, at, outcome)
        except TimeUp:
            pass
        except Exception as error:
            outcome.failures.append(Failure("harness", name, f"{type(error).__name__}: {error}", 0))
        outcome.seconds = time.perf_counter() - started
        return outcome

    def is_defined(self, name: str, sample: Any) -> bool:
        """Whether there is one right result: changed matrices may be singular, and have no factors."""
        return not (singular(name, sample) or overflowing(name, sample))

    def pool(self, info: Any) -> list[tuple[str, Any]]:
        """The samples that are changed, with the names of their dtypes."""
        found = []
        for dtype in ("float64", "float32", "complex128", "int64", "bool", "bfloat16"):
            if getattr(self.torch, dtype) not in info.dtypes:
                continue
            recorded = dtype != "int64" and dtype != "bool" and info.supports_autograd
            recorded = recorded and getattr(self.torch, dtype) in info.backward_dtypes
            try:
                generated = info.sample_inputs("cpu", getattr(self.torch, dtype), requires_grad=recorded)
                small = [each for _, each in zip(range(self.most), generated) if weight_of(each) < 3000]
            except (ImportError, AssertionError, NotImplementedError):
                continue
            found += [(dtype, each) for each in small]
        return found


def weight_of(sample: Any) -> int:
    """How many elements the tensors of a sample have."""
    return sum(each.numel() for each in tensors_in([sample.input, list(sample.args), sample.kwargs]))
