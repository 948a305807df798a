"""Marks of a stream of random numbers, which checkpoints go back to."""

from __future__ import annotations

import os
from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st

import wengert as wg
from wengert import _kernels as kernels
from wengert.ops.randomness.generator import Generator, default_generator

STEPS = st.lists(st.tuples(st.sampled_from(("rand", "randn", "mark", "resume", "state", "seed")), st.integers(0, 3)))


def draw(generator: Generator, step: str) -> Any:
    """Three numbers, which leave half of a pair of normal ones behind."""
    return getattr(wg, step)(3, generator=generator).tolist()


@given(STEPS)
def test_a_mark_is_a_state(steps: list[tuple[str, int]]) -> None:
    marked, stated = Generator(), Generator()
    places: list[Any] = [marked.mark()]
    states: list[Any] = [stated.get_state()]
    for step, number in steps:
        if step == "mark":
            places.append(marked.mark())
            states.append(stated.get_state())
        elif step == "resume":
            marked.resume(places[number % len(places)])
            stated.set_state(states[number % len(states)])
        elif step == "seed":
            marked.manual_seed(number)
            stated.manual_seed(number)
        elif step == "state":
            assert marked.get_state().tolist() == stated.get_state().tolist()
        else:
            assert draw(marked, step) == draw(stated, step)
    assert marked.get_state().tolist() == stated.get_state().tolist()


def test_marks_do_not_pile_up() -> None:
    generator = Generator()
    for _ in range(3):
        generator.mark()
        draw(generator, "rand")
    assert generator._stream.start is None
    first = generator.mark()
    assert generator.mark() is first


def test_seeds_are_those_of_numpy() -> None:
    for seed in (0, 5, 2**32 - 1):
        words = kernels.generator(seed).bits.state["state"]
        wanted = np.random.RandomState(seed).get_state(legacy=False)["state"]
        assert words["pos"] == wanted["pos"]
        assert (words["key"] == wanted["key"]).all()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="processes are not forked here")
def test_a_child_goes_on_from_a_mark() -> None:
    draw(default_generator, "rand")
    place = default_generator.mark()
    reading, writing = os.pipe()
    child = os.fork()
    if not child:
        default_generator.resume(place)
        os.write(writing, repr(draw(default_generator, "rand")).encode())
        os._exit(0)
    os.waitpid(child, 0)
    default_generator.resume(place)
    assert os.read(reading, 200).decode() == repr(draw(default_generator, "rand"))
    os.close(reading)
    os.close(writing)
