"""Collective operations. In a group of one process they return or copy their input."""

from __future__ import annotations

from enum import Enum
from typing import Any, NoReturn

from .._tensor import Tensor
from ..autograd import no_grad
from .groups import check_rank, group_of


class ReduceOp(Enum):
    """Reductions of the values of several processes."""

    SUM = 0
    AVG = 1
    PRODUCT = 2
    MIN = 3
    MAX = 4
    BAND = 5
    BOR = 6
    BXOR = 7
    PREMUL_SUM = 8


class Work:
    """Handle of an operation with `async_op=True`, which is complete already.

    Args:
        tensors: the results.
    """

    def __init__(self, tensors: list[Any]) -> None:
        self._tensors = tensors

    def wait(self, timeout: Any = None) -> bool:
        """Return True."""
        return True

    def is_completed(self) -> bool:
        """Return True."""
        return True

    is_success = is_completed

    def exception(self) -> None:
        """Return None."""

    def result(self) -> list[Any]:
        """Return the tensors that were written to."""
        return self._tensors


def done(async_op: bool, *tensors: Any) -> Work | None:
    """Return the result of an operation: a `Work` if `async_op`, else None."""
    return Work(list(tensors)) if async_op else None


def check_tensor(name: str, value: Any) -> None:
    """Refuse a value that is not a tensor.

    Raises:
        TypeError: if `value` is not a tensor.
    """
    if not isinstance(value, Tensor):
        raise TypeError(f"{name}: expected a tensor, but got {type(value).__name__}")


def only_one(name: str, values: Any) -> Any:
    """Return the only element of a list with one element for each process.

    Raises:
        ValueError: if `values` is not a list of one element.
    """
    if not isinstance(values, (list, tuple)) or len(values) != 1:
        raise ValueError(f"{name}: expected a list of one element, for the one process, but got {values!r}")
    return values[0]


def copied(name: str, target: Any, source: Any) -> Any:
    """Copy the values of the source to the target, and return it."""
    check_tensor(name, target)
    check_tensor(name, source)
    with no_grad():
        return target.copy_(source.reshape(target.shape))


def all_reduce(tensor: Tensor, op: Any = ReduceOp.SUM, group: Any = None, async_op: bool = False) -> Work | None:
    """Leave a tensor unchanged: it is the sum, mean or any other `op` of one."""
    group_of(group)
    check_tensor("all_reduce", tensor)
    return done(async_op, tensor)


def reduce(
    tensor: Tensor,
    dst: int | None = None,
    op: Any = ReduceOp.SUM,
    group: Any = None,
    async_op: bool = False,
    group_dst: int | None = None,
) -> Work | None:
    """Leave a tensor unchanged."""
    check_rank("reduce", dst)
    check_rank("reduce", group_dst)
    return all_reduce(tensor, op, group, async_op)


def broadcast(
    tensor: Tensor, src: int | None = None, group: Any = None, async_op: bool = False, group_src: int | None = None
) -> Work | None:
    """Leave a tensor unchanged."""
    check_rank("broadcast", src)
    check_rank("broadcast", group_src)
    return all_reduce(tensor, group=group, async_op=async_op)


def all_gather(tensor_list: list[Any], tensor: Tensor, group: Any = None, async_op: bool = False) -> Work | None:
    """Copy a tensor to the only tensor of a list."""
    group_of(group)
    return done(async_op, copied("all_gather", only_one("all_gather", tensor_list), tensor))


def all_gather_into_tensor(
    output_tensor: Tensor, input_tensor: Tensor, group: Any = None, async_op: bool = False
) -> Work | None:
    """Copy a tensor to another one."""
    group_of(group)
    return done(async_op, copied("all_gather_into_tensor", output_tensor, input_tensor))


all_gather_single = all_gather_into_tensor


def gather(
    tensor: Tensor,
    gather_list: Any = None,
    dst: int | None = None,
    group: Any = None,
    async_op: bool = False,
    group_dst: int | None = None,
) -> Work | None:
    """Copy a tensor to the only tensor of a list."""
    check_rank("gather", dst)
    check_rank("gather", group_dst)
    if gather_list is None:
        raise ValueError("Argument ``gather_list`` must be specified on destination rank.")
    return all_gather(gather_list, tensor, group, async_op)


def scatter(
    tensor: Tensor,
    scatter_list: Any = None,
    src: int | None = None,
    group: Any = None,
    async_op: bool = False,
    group_src: int | None = None,
) -> Work | None:
    """Copy the only tensor of a list to a tensor."""
    check_rank("scatter", src)
    check_rank("scatter", group_src)
    if scatter_list is None:
        raise ValueError("Argument ``scatter_list`` must be specified on source rank.")
    group_of(group)
    return done(async_op, copied("scatter", tensor, only_one("scatter", scatter_list)))


def reduce_scatter(
    output: Tensor, input_list: list[Any], op: Any = ReduceOp.SUM, group: Any = None, async_op: bool = False
) -> Work | None:
    """Copy the only tensor of a list to a tensor."""
    return scatter(output, input_list, group=group, async_op=async_op)


def reduce_scatter_tensor(
    output: Tensor, input: Tensor, op: Any = ReduceOp.SUM, group: Any = None, async_op: bool = False
) -> Work | None:
    """Copy a tensor to another one."""
    return all_gather_into_tensor(output, input, group, async_op)


reduce_scatter_single = reduce_scatter_tensor


def all_to_all(
    output_tensor_list: list[Any], input_tensor_list: list[Any], group: Any = None, async_op: bool = False
) -> Work | None:
    """Copy the only tensor of a list to that of another list."""
    return all_gather(output_tensor_list, only_one("all_to_all", input_tensor_list), group, async_op)


def all_to_all_single(
    output: Tensor,
    input: Tensor,
    output_split_sizes: Any = None,
    input_split_sizes: Any = None,
    group: Any = None,
    async_op: bool = False,
) -> Work | None:
    """Copy a tensor to another one."""
    return all_gather_into_tensor(output, input, group, async_op)


def all_gather_object(object_list: list[Any], obj: Any, group: Any = None) -> None:
    """Store an object as the first element of a list."""
    group_of(group)
    only_one("all_gather_object", object_list)
    object_list[0] = obj


def gather_object(obj: Any, object_gather_list: Any = None, dst: int | None = None, group: Any = None) -> None:
    """Store an object as the first element of a list."""
    check_rank("gather_object", dst)
    all_gather_object(object_gather_list, obj, group)


def broadcast_object_list(object_list: list[Any], src: int | None = None, group: Any = None, **options: Any) -> None:
    """Leave a list unchanged."""
    check_rank("broadcast_object_list", src)
    group_of(group)


def scatter_object_list(
    scatter_object_output_list: list[Any],
    scatter_object_input_list: Any = None,
    src: int | None = None,
    group: Any = None,
) -> None:
    """Store the only object of a list as the first element of another list."""
    check_rank("scatter_object_list", src)
    group_of(group)
    scatter_object_output_list[0] = only_one("scatter_object_list", scatter_object_input_list)


def barrier(group: Any = None, async_op: bool = False, device_ids: Any = None) -> Work | None:
    """Do nothing: there is no other process to wait for."""
    group_of(group)
    return done(async_op)


def monitored_barrier(group: Any = None, timeout: Any = None, wait_all_ranks: bool = False) -> None:
    """Do nothing: there is no other process to wait for."""
    group_of(group)


def refuse_transfer(name: str, group: Any) -> NoReturn:
    """Refuse to send to another process, or to receive from one.

    Raises:
        ValueError: always: there is one process.
    """
    group_of(group)
    raise ValueError(f"{name}: there is no other process to send to or to receive from: the group has one, rank 0")


def send(tensor: Any = None, *args: Any, group: Any = None, **options: Any) -> NoReturn:
    """Refused: there is no other process to send to."""
    refuse_transfer("send", group)


def recv(tensor: Any = None, *args: Any, group: Any = None, **options: Any) -> NoReturn:
    """Refused: there is no other process to receive from."""
    refuse_transfer("recv", group)


def isend(tensor: Any = None, *args: Any, group: Any = None, **options: Any) -> NoReturn:
    """Refused: there is no other process to send to."""
    refuse_transfer("isend", group)


def irecv(tensor: Any = None, *args: Any, group: Any = None, **options: Any) -> NoReturn:
    """Refused: there is no other process to receive from."""
    refuse_transfer("irecv", group)
