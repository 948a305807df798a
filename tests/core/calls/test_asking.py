"""What is no tensor and has a `__torch_function__`, at each position of each function and method that takes a tensor.

Whatever stands at the other positions is a tensor, too, so that most of these calls would be refused, were they not
answered for.
"""

from __future__ import annotations

import inspect
import warnings
from collections.abc import Iterator
from typing import Any

import pytest

import wengert as wg
from wengert._core.cards.arguments import tensor_places
from wengert.overrides import get_overridable_functions, resolve_name

ANSWER = object()
TENSORS = frozenset(
    """
    attn_mask batch1 batch2 bias boundaries cond condition end end_value exponent hx index indices input mask mat1 mat2
    max min mean other per_sample_weights pos_weight running_mean running_var self source src std target tensor tensor1
    tensor2 tensors value values vec vec1 vec2 weight weights x x1 x2 y
    """.split()  # noqa: SIM905 - so that it can be read
)
"""Parameters that take tensors, however they are annotated."""
SILENT = frozenset(("Tensor._make_subclass", "Tensor.backward", "eig", "lstsq", "solve", "symeig"))
"""What torch does not ask for either: what is refused whatever it is given, and the gradient of a pass."""
Call = tuple[str, Any, int, int]


class Answering:
    """No tensor, and asked like one."""

    told: list[Any] = []  # noqa: RUF012 - of all of them

    @classmethod
    def __torch_function__(cls, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        cls.told.append((func, types, args, kwargs))
        return ANSWER


def body_of(function: Any) -> Any:
    """The Python function whose parameters are those of a function."""
    found = getattr(function, "body", None) or inspect.unwrap(function)
    return getattr(found, "functional", found)


def positions(function: Any) -> tuple[int, list[int]]:
    """How many positional parameters without a default a function has, and at which of all of them it takes tensors."""
    body = body_of(function)
    if not inspect.isfunction(body):
        return 0, []
    names = body.__code__.co_varnames[: body.__code__.co_argcount]
    known = {at for at, _, _ in tensor_places(body)} | set(getattr(function, "tensor_slots", ()))
    places = [at for at, name in enumerate(names) if at in known or (name in TENSORS and is_open(body, name))]
    return len(names) - len(body.__defaults__ or ()), places


def is_open(body: Any, name: str) -> bool:
    """Whether a parameter may take a tensor."""
    words = {"Tensor", "Any", "Array", "Index", "Arrays", "Number"}
    return not words.isdisjoint(str(body.__annotations__.get(name, "Any")).split(" | "))


def calls() -> Iterator[Call]:
    """Each function and method with each position: its name, how many arguments it is given, the position."""
    seen: set[str] = set()
    for functions in get_overridable_functions().values():
        for function in functions:
            name = str(resolve_name(function)).removeprefix("torch.")
            if name in seen | SILENT or "__" in name:
                continue
            seen.add(name)
            least, places = positions(function)
            for place in places:
                if not (name.startswith("Tensor.") and place == 0):
                    yield name, function, least, place


CALLS = list(calls())


def answered(function: Any, count: int, place: int) -> list[Any]:
    """What is told of a call with what is no tensor at one position, and tensors at the others."""
    Answering.told.clear()
    args: list[Any] = [wg.ones(2, 2) for _ in range(max(count, place + 1))]
    args[place] = Answering()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert function(*args) is ANSWER
    return Answering.told


@pytest.mark.parametrize(("name", "function", "count", "place"), CALLS, ids=[f"{each[0]}-{each[3]}" for each in CALLS])
def test_it_is_asked_once_and_told_the_function_that_was_called(name: str, function: Any, count: int, place: int):
    told = answered(function, count, place)
    assert [each[0] is function for each in told] == [True], [resolve_name(each[0]) for each in told]
    assert told[0][1] == (Answering,)


def test_there_are_many_such_positions():
    assert len(CALLS) > 900


OPERATORS = {
    "o + t": "add",
    "t + o": "add",
    "o - t": "__rsub__",
    "t - o": "sub",
    "o * t": "mul",
    "o / t": "__rtruediv__",
    "t / o": "div",
    "t // o": "__floordiv__",
    "o // t": "__rfloordiv__",
    "t % o": "remainder",
    "o % t": "__rmod__",
    "t ** o": "__pow__",
    "o ** t": "__rpow__",
    "t @ o": "matmul",
    "o @ t": "__rmatmul__",
    "t & o": "__and__",
    "t | o": "__or__",
    "t ^ o": "__xor__",
    "t << o": "__lshift__",
    "o << t": "__rlshift__",
    "t >> o": "__rshift__",
    "o >> t": "__rrshift__",
    "t < o": "lt",
    "o < t": "gt",
    "t >= o": "ge",
    "t == o": "eq",
    "t != o": "ne",
    "t[o]": "__getitem__",
}
"""The method that torch tells for an operator, with the tensor first."""
IN_PLACE = {
    "t += o": "add_",
    "t -= o": "sub_",
    "t *= o": "mul_",
    "t /= o": "div_",
    "t //= o": "floor_divide_",
    "t %= o": "remainder_",
    "t **= o": "__ipow__",
    "t &= o": "__iand__",
    "t |= o": "__ior__",
    "t ^= o": "__ixor__",
    "t <<= o": "__ilshift__",
    "t >>= o": "__irshift__",
    "t @= o": "matmul",
}


@pytest.mark.parametrize("text", OPERATORS)
def test_operators_tell_a_method_of_tensors(text: str):
    names = {"t": wg.ones(2, 2), "o": Answering()}
    Answering.told.clear()
    assert eval(text, names) is ANSWER
    [(function, types, args, _)] = Answering.told
    assert function is vars(wg.Tensor)[OPERATORS[text]]
    assert resolve_name(function) == f"torch.Tensor.{OPERATORS[text]}"
    assert types == (Answering,) and args[0] is names["t"] and args[1] is names["o"]


@pytest.mark.parametrize("text", IN_PLACE)
def test_operators_in_place_tell_a_method_of_tensors(text: str):
    names = {"t": wg.ones(2, 2), "o": Answering()}
    Answering.told.clear()
    exec(text, names)
    assert names["t"] is ANSWER and Answering.told[0][0] is vars(wg.Tensor)[IN_PLACE[text]]


SELVES = {
    "__deepcopy__": ({},),
    "__dlpack__": (),
    "__dlpack_device__": (),
    "__format__": ("",),
    "__reversed__": (),
    "dim_order": (),
    "is_shared": (),
    "register_hook": (print,),
    "register_post_accumulate_grad_hook": (print,),
    "share_memory_": (),
    "storage": (),
    "storage_type": (),
}
"""Methods that are called of the class with what is no tensor, and their other arguments."""
OTHERS = ["_coalesced_", "cuda", "mtia", "polygamma", "requires_grad_", "resize_", "to_dense", "xpu"]


@pytest.mark.parametrize("name", SELVES)
def test_methods_of_the_class_ask_what_is_no_tensor(name: str):
    method, value = getattr(wg.Tensor, name), Answering()
    Answering.told.clear()
    assert method(value, *SELVES[name]) is ANSWER
    [(function, types, args, _)] = Answering.told
    assert function is method and resolve_name(function) == f"torch.Tensor.{name}"
    assert types == (Answering,) and args == (value, *SELVES[name])


@pytest.mark.parametrize("name", OTHERS)
def test_methods_ask_what_stands_for_a_number_or_a_device(name: str):
    tensor, value = wg.ones(2, 2), Answering()
    Answering.told.clear()
    assert getattr(tensor, name)(value) is ANSWER
    [(function, types, args, _)] = Answering.told
    assert function is getattr(wg.Tensor, name) and types == (Answering,)
    assert args[0] is tensor and args[1] is value


def test_a_symbol_is_asked_for_its_contrary():
    value = Answering()
    assert wg.sym_not(value) is ANSWER and wg.sym_not(0) is True and wg.sym_not(True) is False


@pytest.mark.parametrize("index", [0, (0, slice(None)), Answering(), (0, Answering()), [0, Answering()]])
def test_indices_and_what_is_assigned_are_asked(index: Any):
    tensor, value = wg.ones(2, 2), Answering()
    Answering.told.clear()
    tensor[index] = value
    assert Answering.told == [(wg.Tensor.__setitem__, (Answering,), (tensor, index, value), None)]
    assert tensor.tolist() == [[1, 1], [1, 1]]
    if index not in (0, (0, slice(None))):
        assert tensor[index] is ANSWER


def test_without_an_answer_an_index_is_refused_as_before():
    with pytest.raises(IndexError, match="only integers, slices"):
        wg.ones(2)[object()]
    with pytest.raises(TypeError, match="can't assign a object"):
        wg.ones(2)[0] = object()


@pytest.mark.parametrize(
    ("name", "given"),
    {
        "normal_": {"mean": 0.0, "std": 1.0, "generator": None},
        "uniform_": {"a": 0.0, "b": 1.0, "generator": None},
        "constant_": {"val": 2.0},
        "kaiming_uniform_": {"a": 0, "mode": "fan_in", "nonlinearity": "leaky_relu", "generator": None},
    }.items(),
)
def test_initialisers_are_told_by_name(name: str, given: dict[str, Any]):
    function, tensor = getattr(wg.nn.init, name), Answering()
    Answering.told.clear()
    assert function(tensor, *([2.0] if name == "constant_" else [])) is ANSWER
    assert Answering.told == [(function, (Answering,), (), {"tensor": tensor, **given})]
    assert resolve_name(function) == f"torch.nn.init.{name}"


def test_initialisers_and_functions_of_the_program_work_where_a_mode_is_not_told_of_them():
    @wg.overrides.wrap_torch_function(lambda x: (x,))
    def doubled(x: Any) -> Any:
        return x * 2

    weight = wg.ones(2)
    with wg.device("meta"):
        assert wg.nn.init.constant_(weight, 2.0) is weight
        assert doubled(weight).tolist() == [4, 4]


def test_functions_and_methods_are_two_keys():
    table = {wg.add: 1, wg.Tensor.add: 2, wg.multiply: 3, wg.mul: 4, wg.special.expm1: 5, wg.expm1: 6, wg.div: 7}

    class Counted:
        @classmethod
        def __torch_function__(cls, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
            return table[func]

    t, o = wg.ones(2), Counted()
    assert [wg.add(t, o), t.add(o), wg.add(o, 1), t + o, wg.multiply(t, o), wg.mul(o, t)] == [1, 2, 1, 2, 3, 4]
    assert [wg.special.expm1(o), wg.expm1(o), wg.div(t, o), wg.div(t, o, rounding_mode="floor")] == [5, 6, 7, 7]


@pytest.mark.parametrize("name", ["add", "multiply", "abs_", "squeeze", "linalg.cross", "special.expm1", "fft.fft"])
def test_functions_do_what_their_methods_do(name: str):
    found: Any = wg
    for each in name.split("."):
        found = getattr(found, each)
    assert found.__name__ == name.replace(".", "_")
    assert found is not getattr(wg.Tensor, name, None)


@pytest.mark.parametrize("name", ["conv1d", "conv2d", "cosine_similarity", "pairwise_distance", "bilinear", "rrelu_"])
def test_what_two_modules_share_is_one_object(name: str):
    assert getattr(wg, name) is getattr(wg.nn.functional, name)
    assert resolve_name(getattr(wg, name)) == f"torch.nn.functional.{name}"


def test_an_error_of_the_answer_is_handed_on_and_nobody_is_asked_again():
    asked = []

    class Failing:
        @classmethod
        def __torch_function__(cls, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
            asked.append(func)
            raise TypeError("of the program")

    for call in (lambda o: wg.matmul(wg.ones(2, 2), o), wg.exp, wg.nn.functional.relu, lambda o: wg.stack([o])):
        asked.clear()
        with pytest.raises(TypeError, match="of the program"):
            call(Failing())
        assert len(asked) == 1


def test_what_an_answer_calls_is_asked_again():
    class Once(Answering):
        @classmethod
        def __torch_function__(cls, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
            cls.told.append(func)
            return func(wg.ones(2, 2), *args[1:]) if len(cls.told) > 1 else wg.matmul(args[1], args[0])

    Answering.told.clear()
    assert wg.inner(wg.ones(2, 2), Once()).tolist() == [[2.0, 2.0], [2.0, 2.0]]
    assert Answering.told == [wg.inner, wg.matmul]
