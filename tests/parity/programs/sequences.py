"""Sequences of different lengths, packed and padded: values, gradients, errors."""

from __future__ import annotations

from tests.parity.programs.common import caught, values


def pack_and_pad(torch):
    rnn, x = torch.nn.utils.rnn, torch.arange(12.0).reshape(3, 4)
    sorted_ones = rnn.pack_padded_sequence(x, [3, 2, 1], True)
    others = rnn.pack_padded_sequence(x, torch.tensor([3, 1, 2]), True, False)
    with_rest = rnn.pack_padded_sequence(torch.arange(24).reshape(4, 3, 2), [4, 2, 1])
    return (
        [list(each) for each in (sorted_ones, others, with_rest)],
        [rnn.pad_packed_sequence(each) for each in (sorted_ones, others, with_rest)],
        [rnn.pad_packed_sequence(each, True, 7, 5) for each in (sorted_ones, others, with_rest)],
        [str(sorted_ones), str(others)],
    )


def pack_and_pad_gradients(torch):
    rnn, x = torch.nn.utils.rnn, values(torch, 4, 3, 2)
    found = []
    for ordered, lengths in ((True, [4, 2, 1]), (False, [1, 4, 2])):
        batch = rnn.pack_padded_sequence(x, lengths, enforce_sorted=ordered)
        again, _ = rnn.pad_packed_sequence(batch, batch_first=True)
        found += torch.autograd.grad((again * values(torch, *again.shape, shift=3)).sum(), x)
    return found


def pad_sequences(torch):
    pad = torch.nn.utils.rnn.pad_sequence
    rows = [torch.ones(2, 2), 2 * torch.ones(3, 2), 3 * torch.ones(1, 2)]
    return [
        pad(rows),
        pad(rows, True),
        pad(rows, batch_first=True, padding_value=-1.5, padding_side="left"),
        pad(tuple(each.to(torch.int32) for each in rows), padding_value=1.5),
        pad(torch.arange(6.0).reshape(2, 3)),
        pad(each for each in rows),
        pad([torch.ones(2), torch.ones(3, dtype=torch.float64)]),
        pad([torch.ones(0), torch.ones(0)]),
    ]


def pad_sequence_gradients(torch):
    a, b = values(torch, 2, 2), values(torch, 3, 2)
    made = torch.nn.utils.rnn.pad_sequence([a, b], padding_side="left")
    return torch.autograd.grad((made * values(torch, 3, 2, 2, shift=3)).sum(), [a, b])


def unpad_and_unpack(torch):
    rnn, x = torch.nn.utils.rnn, torch.arange(12.0).reshape(3, 4)
    rows = [x[0, :1], x[1], x[2, :2]]
    return (
        rnn.unpad_sequence(x, torch.tensor([1, 2, 3]), True),
        rnn.unpack_sequence(rnn.pack_sequence(rows, enforce_sorted=False)),
        list(rnn.pack_sequence([x[0], x[1, :2]])),
        rnn.invert_permutation(torch.tensor([2, 0, 1])),
        rnn.invert_permutation(None),
    )


def packed_converted(torch):
    batch = torch.nn.utils.rnn.pack_padded_sequence(values(torch, 3, 2, 3), [3, 2])
    same = batch.to(torch.float64)
    return (
        same is batch,
        batch.float().data.dtype,
        batch.long().data,
        batch.is_cuda,
        batch.is_pinned(),
        batch._fields,
        batch.half().batch_sizes,
        type(batch.cpu()).__name__,
    )


def packing_refused(torch):
    rnn, x = torch.nn.utils.rnn, torch.arange(12.0).reshape(3, 4)
    return [
        caught(action)
        for action in (
            lambda: rnn.pack_padded_sequence(x, [2, 3, 3], True),
            lambda: rnn.pack_padded_sequence(x, [2, 3, 3]),
            lambda: rnn.pack_padded_sequence(x, [3, 2, 0], True),
            lambda: rnn.pack_padded_sequence(x, torch.tensor([[3, 2, 1]]), True),
            lambda: rnn.pack_padded_sequence(x[0], [1]),
            lambda: rnn.pack_padded_sequence(x[:0], [], True),
            lambda: rnn.pad_packed_sequence(rnn.pack_padded_sequence(x, [3, 2, 1], True), total_length=2),
            lambda: rnn.pad_sequence(3),
            lambda: rnn.pad_sequence([]),
            lambda: rnn.pad_sequence([1, 2]),
            lambda: rnn.pad_sequence([torch.ones(2), torch.ones(3)], padding_side="middle"),
            lambda: rnn.pack_sequence([x[0, :2], x[1]]),
            lambda: rnn.unpad_sequence(x, torch.tensor([1, 2]), True),
            lambda: rnn.PackedSequence(x),
        )
    ]


def a_padded_batch_is_written_to(torch):
    rnn = torch.nn.utils.rnn
    data = [torch.tensor([1.0, 2.0, 3.0], requires_grad=True), torch.tensor([4.0], requires_grad=True)]
    found = []
    for batch_first in (False, True):
        batch, lengths = rnn.pad_packed_sequence(rnn.pack_sequence(data), batch_first=batch_first)
        grads = torch.autograd.grad((batch * batch).sum(), data)
        found.append([batch, lengths, batch.grad_fn.name(), grads])
    return found
