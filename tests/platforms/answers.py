"""What all operators answer to the samples of their cards, as data that two processes can compare.

    python tests/platforms/answers.py FILE [narrow]

With `narrow`, NumPy's index dtype is int32, see `narrow_indices.py`.
"""

from __future__ import annotations

import importlib
import pathlib
import pickle
import sys
import warnings


def described(array) -> tuple:
    """An array as plain data: dtype, shape, elements."""
    dtype = str(array.dtype)
    wide = array.astype("float64") if dtype in ("bfloat16", "float16") else array
    return dtype, tuple(map(int, array.shape)), wide.reshape(-1).tolist()


def parts(tensor) -> list[tuple]:
    """What a tensor is made of: its elements, or the positions and elements of a sparse one."""
    layout = str(tensor.layout)
    if layout == "torch.sparse_coo":
        held = [tensor._indices(), tensor._values()]
    elif layout in ("torch.sparse_csr", "torch.sparse_bsr"):
        held = [tensor.crow_indices(), tensor.col_indices(), tensor.values()]
    elif layout in ("torch.sparse_csc", "torch.sparse_bsc"):
        held = [tensor.ccol_indices(), tensor.row_indices(), tensor.values()]
    else:
        held = [tensor]
    return [described(each.detach()._array_) for each in held]


def answer(case, seeds) -> list:
    """The results of a sample and its gradients, or the error that it ends with."""
    seeds.reseed()
    call = case.call()
    try:
        results = call.outputs()
        found = [part for each in results for part in parts(each)]
        taken = [each for each in results if each.requires_grad and str(each.layout) == "torch.strided"]
        if taken:
            sum(each.abs().sum() for each in taken).backward()
            grads = [each.grad for each in call.differentiable() if each.is_leaf]
            found += [part for each in grads if each is not None for part in parts(each)]
    except Exception as error:
        return [type(error).__name__, str(error)]
    return found


def answers() -> dict[str, list]:
    """The answers to all samples, by operator and number."""
    testing = importlib.import_module("wengert.testing.calls")
    seeds = importlib.import_module("wengert.testing.seeds")
    found = {}
    for name, operator in testing.operators(sparse=True).items():
        dtype = testing.one_dtype(operator)
        for number in range(len(testing.samples_of(operator, dtype))):
            case = testing.Case(name, dtype, number)
            found[repr(case)] = answer(case, seeds)
    return found


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    if sys.argv[2:] == ["narrow"]:
        sys.path.insert(0, str(pathlib.Path(__file__).parent))
        importlib.import_module("narrow_indices").install()
    pathlib.Path(sys.argv[1]).write_bytes(pickle.dumps(answers()))
