"""Data pipes: what they give, in which order, and what is refused."""

from __future__ import annotations

import operator
from importlib import import_module

from tests.parity.programs.common import caught


def of_values(torch, *values):
    return import_module(f"{torch.__name__}.utils.data.datapipes.iter").IterableWrapper(values or range(7))


def odd(value):
    return value % 2


def is_odd(value):
    return value % 2 == 1


def functions_of_pipes(torch):
    pipe = of_values(torch)
    pairs = of_values(torch, (1, 2), (3, 4))
    notes = [
        list(pipe.map(operator.neg)),
        list(pipe.filter(is_odd)),
        list(pipe.batch(3)),
        list(pipe.batch(3, drop_last=True)),
    ]
    notes += [list(pipe.batch(2).batch(2).unbatch(unbatch_level=-1)), list(pipe.concat(of_values(torch, 9)))]
    notes += [list(pipe.zip(of_values(torch, 7, 8))), list(pipe.mux(of_values(torch, 7, 8)))]
    notes += [list(pipe.groupby(odd)), list(pipe.groupby(odd, group_size=2)), list(pipe.groupby(odd, keep_key=True))]
    notes += [list(pairs.map(operator.neg, input_col=1)), list(pairs.map(operator.add, input_col=[0, 1]))]
    notes += [list(pairs.map(operator.add, input_col=[0, 1], output_col=-1)), list(pipe.batch(3).collate())]
    return (
        notes,
        len(pipe.map(abs)),
        len(pipe.batch(3)),
        len(pipe.batch(3, drop_last=True)),
        caught(lambda: len(pipe.filter(is_odd))),
    )


def values_in_a_random_order(torch):
    notes, pipe = [], of_values(torch)
    indexed = import_module(f"{torch.__name__}.utils.data.datapipes.map").SequenceWrapper(list("abcdef"))
    for make in (pipe.shuffle, lambda: pipe.shuffle(buffer_size=3), indexed.shuffle):
        torch.manual_seed(3)
        made = make()
        notes += [list(made), list(made), list(made.set_seed(5)), list(made.set_shuffle(False))]
    return notes


def loaders_of_pipes(torch):
    notes, pipe = [], of_values(torch)
    indexed = import_module(f"{torch.__name__}.utils.data.datapipes.map").SequenceWrapper(range(6))
    generator = torch.Generator().manual_seed(1)
    made = (
        *(pipe.shuffle(), pipe.shuffle().map(abs).shuffle(), pipe.shuffle().batch(3), indexed.shuffle(), indexed),
        of_values(torch, 1, 2, 3).shuffle().zip(of_values(torch, 4, 5, 6).shuffle()),
    )
    for each in made:
        for shuffle in (None, True, False):
            torch.manual_seed(0)
            loader = torch.utils.data.DataLoader(each, batch_size=None, shuffle=shuffle, generator=None)
            notes.append([list(loader), list(loader)])
    loader = torch.utils.data.DataLoader(pipe.shuffle(), batch_size=4, shuffle=True, generator=generator)
    return notes, [each.tolist() for each in loader], len(loader)


def branches_of_pipes(torch):
    one, two = of_values(torch).fork(num_instances=2)
    even, rest = of_values(torch).demux(2, odd)
    first, _ = of_values(torch).fork(2, buffer_size=2)
    notes = [list(one), list(two), list(one), list(even), list(rest)]
    return notes, type(caught(lambda: list(first))).__name__


def pipes_with_indices(torch):
    pipe = import_module(f"{torch.__name__}.utils.data.datapipes.map").SequenceWrapper([1, 2, 3])
    made = pipe.map(operator.neg), pipe.batch(2), pipe.zip(pipe), pipe.concat(pipe)
    return [(len(each), [each[at] for at in range(len(each))]) for each in made]


def pipes_of_the_program(torch):
    data = torch.utils.data

    class Twice(data.IterDataPipe):
        def __init__(self, source):
            self.source = source

        def __iter__(self):
            for value in self.source:
                yield value
                yield value

    name = f"twice_of_{torch.__name__}"
    data.functional_datapipe(name)(Twice)
    pipe = of_values(torch)
    first = iter(pipe)
    next(first)
    iter(pipe).__next__()
    again = caught(lambda: next(first))
    loaded = [each.tolist() for each in data.DataLoader(pipe, batch_size=3)]
    return list(getattr(pipe, name)().map(abs)), type(again).__name__, loaded, isinstance(pipe, data.IterableDataset)


def a_name_of_a_pipe_is_taken_once(torch):
    return type(caught(lambda: torch.utils.data.functional_datapipe("map")(torch.utils.data.IterDataPipe))).__name__
