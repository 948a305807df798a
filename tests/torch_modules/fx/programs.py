"""Random programs: the steps of one are applied to tensors, to proxies, or put into a graph one by one."""

from __future__ import annotations

import operator
import random

import wengert as wg
import wengert.nn.functional as F

UNARY = (
    ("function", wg.sin),
    ("function", wg.tanh),
    ("function", F.relu),
    ("function", F.gelu),
    ("function", operator.neg),
    ("function", operator.abs),
    ("method", "exp"),
    ("method", "sigmoid"),
    ("method", "t"),
)
BINARY = (
    ("function", wg.add),
    ("function", wg.mul),
    ("function", operator.sub),
    ("function", operator.mul),
    ("function", operator.matmul),
    ("method", "maximum"),
    ("function", wg.minimum),
    ("function", F.linear),
)
NUMBERS = (("function", operator.add), ("function", operator.mul), ("function", wg.add), ("method", "clamp"))
SIDE = 3


class Program:
    """Steps, each a function or method with the places of its arguments; a number is an argument itself.

    Args:
        seed: of the choice.
        length: how many steps there are.
        inputs: how many tensors it takes.
    """

    def __init__(self, seed, length=8, inputs=2):
        choose = random.Random(seed)
        self.inputs, self.steps = inputs, []
        for place in range(inputs, inputs + length):
            one, other = choose.randrange(place), choose.randrange(place)
            form = choose.randrange(3)
            if form == 0:
                self.steps.append((*choose.choice(UNARY), (one,), None))
            elif form == 1:
                self.steps.append((*choose.choice(BINARY), (one, other), None))
            else:
                self.steps.append((*choose.choice(NUMBERS), (one,), choose.choice((0.5, -1, 2))))
        places = range(inputs + length)
        self.results = [choose.choice(places), inputs + length - 1]

    def apply(self, *values):
        """What the program computes of tensors, or of what stands for them."""
        values = list(values)
        for kind, target, places, number in self.steps:
            args = [values[place] for place in places] + ([] if number is None else [number])
            values.append(target(*args) if kind == "function" else getattr(args[0], target)(*args[1:]))
        return {"results": [values[place] for place in self.results]}

    def function(self):
        """The program as a function of so many parameters."""
        names = ", ".join(f"x{at}" for at in range(self.inputs))
        return eval(f"lambda {names}: apply({names})", {"apply": self.apply})

    def graph(self):
        """The program as a graph that is built node by node."""
        graph = wg.fx.Graph()
        nodes = [graph.placeholder(f"x{at}") for at in range(self.inputs)]
        for kind, target, places, number in self.steps:
            args = (*(nodes[place] for place in places), *(() if number is None else (number,)))
            nodes.append(graph.call_function(target, args) if kind == "function" else graph.call_method(target, args))
        graph.output({"results": [nodes[place] for place in self.results]})
        return graph

    def tensors(self):
        """Tensors that the program takes."""
        return [wg.linspace(-1, 1 + at, SIDE * SIDE).reshape(SIDE, SIDE).requires_grad_() for at in range(self.inputs)]


def same(one, other):
    """Whether two results are the same, bit by bit."""
    return all(wg.equal(a, b) for a, b in zip(one["results"], other["results"], strict=True))
