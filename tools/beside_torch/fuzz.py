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

    def value(self, value: Any) -> Any:
        """Another value in place of one."""
        if isinstance(value, self.torch.Tensor):
            return self.tensor(value)
        choices: list[Any]
        if isinstance(value, bool):
            choices = [not value, None, 1]
        elif isinstance(value, int):
            choices = [value + 1, value - 1, -value, 0, 1, -1, 9, float(value), True, None, self.torch.tensor(value)]
        elif isinstance(value, (float, complex)):
            choices = [-value, 0.0, *SPECIAL[:3], 1e-3, 2, None, True, self.torch.tensor(value)]
        elif isinstance(value, str):
            choices = [*WORDS, None]
        elif isinstance(value, self.torch.dtype):
            choices = [getattr(self.torch, name) for name in DTYPES]
        elif isinstance(value, (list, tuple)) and all(isinstance(element, int) for element in value):
            choices = [type(value)(element) for element in ((*value, 1), value[:-1], value[::-1], ())]
        elif value is None:
            choices = [0, 1, True, 0.5]
        else:
            return value
        return self.draw.choice(choices)

    def tensor(self, tensor: Any) -> Any:
        """A changed copy of a tensor."""
        changes = (self.special, self.special, self.cast, self.longer, self.shorter, self.reshaped, self.reshaped)
        changed = self.draw.choice(changes)(tensor.detach().clone())
        floats = changed.dtype.is_floating_point or changed.dtype.is_complex
        return changed.detach().requires_grad_(tensor.requires_grad and floats)

    def special(self, tensor: Any) -> Any:
        """Some elements are special values."""
        if not tensor.numel():
            return tensor
        flat = tensor.reshape(-1).clone()
        for _ in range(self.draw.choice((1, 2, 5))):
            at = self.draw.randrange(flat.numel())
            if tensor.dtype.is_floating_point or tensor.dtype.is_complex:
                flat[at] = self.draw.choice(SPECIAL)
            elif tensor.dtype is self.torch.bool:
                flat[at] = not flat[at]
            else:
                flat[at] = self.draw.choice(WHOLE[:2] if tensor.dtype is self.torch.uint8 else WHOLE)
        return flat.reshape(tensor.shape)

    def cast(self, tensor: Any) -> Any:
        """Another dtype."""
        return tensor.to(getattr(self.torch, self.draw.choice(DTYPES)))

    def longer(self, tensor: Any) -> Any:
        """Twice as long along a dimension."""
        if not tensor.ndim:
            return tensor.reshape(1).repeat(2)
        return self.torch.cat([tensor, tensor], self.draw.randrange(tensor.ndim))

    def shorter(self, tensor: Any) -> Any:
        """Of length 1 or 0 along a dimension."""
        if not tensor.ndim:
            return tensor
        return tensor.narrow(
            self.draw.randrange(tensor.ndim), 0, self.draw.choice((0, 1)) if 0 not in tensor.shape else 0
        )

    def reshaped(self, tensor: Any) -> Any:
        """One dimension more or less, or in another order."""
        choices: list[Callable[[], Any]] = [lambda: tensor.unsqueeze(0), lambda: tensor.unsqueeze(-1)]
        if tensor.ndim:
            choices += [lambda: tensor.flatten(), lambda: tensor.transpose(0, -1)]
            if tensor.shape[0]:
                choices.append(lambda: tensor[0].clone())
        return self.draw.choice(choices)()


def copied(value: Any) -> Any:
    """Containers anew, as lists so that they can be changed; all else as it is."""
    if isinstance(value, dict):
        return {key: copied(element) for key, element in value.items()}
    if type(value) in (tuple, list) and any(hasattr(element, "detach") for element in value):
        return [copied(element) for element in value]
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
            content = file.read()
        status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        outcome = Outcome(name, failures=[Failure("crash", name, f"the process ended with status {status}", 0)])
        if content:
            outcome = pickle.loads(content)
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
                    changed = copy.copy(sample)
                    changed.input, changed.args, changed.kwargs = parts[0], tuple(parts[1]), parts[2]
                    form, pair = draw.choice((pairs[0], draw.choice(pairs)))
                    if form == "out" and (type(parts[0]) in (tuple, list) or parts[2].get("out") is not None):
                        continue
                    self.attempt(info, f"{dtype} {form}".strip(), *pair, changed, at, outcome)
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
        samples = []
        for dtype in ("float64", "float32", "complex128", "int64", "bool", "bfloat16"):
            if getattr(self.torch, dtype) not in info.dtypes:
                continue
            recorded = dtype != "int64" and dtype != "bool" and info.supports_autograd
            recorded = recorded and getattr(self.torch, dtype) in info.backward_dtypes
            try:
                generated = info.sample_inputs("cpu", getattr(self.torch, dtype), requires_grad=recorded)
                small = [sample for _, sample in zip(range(self.most), generated) if weight_of(sample) < 3000]
            except (ImportError, AssertionError, NotImplementedError):
                continue
            samples += [(dtype, sample) for sample in small]
        return samples


def weight_of(sample: Any) -> int:
    """How many elements the tensors of a sample have."""
    return sum(tensor.numel() for tensor in tensors_in([sample.input, list(sample.args), sample.kwargs]))
