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


@pytest.mark.parametrize("dtype", [wg.int64, wg.bool, wg.float16, wg.float64])
def test_normal_numbers_about_halves_take_a_spread_of_any_dtype(dtype):
    wg.manual_seed(0)
    made = wg.normal(wg.zeros(2).bfloat16(), wg.ones(2).to(dtype))
    wg.manual_seed(0)
    assert made.dtype is wg.bfloat16
    assert made.tolist() == wg.normal(wg.zeros(2).bfloat16(), 1.0).tolist()


@pytest.mark.parametrize("dtype", [wg.float16, wg.bfloat16])
@pytest.mark.parametrize("count", [16, 17, 20, 40])
def test_normal_numbers_of_halves_draw_whole_blocks_only(dtype, count):
    wg.manual_seed(0)
    made = wg.randn(count, dtype=dtype)
    wg.manual_seed(0)
    whole = wg.randn(count - count % 16)
    rest = wg.randn(16) if count % 16 else whole[:0]
    assert made.equal(wg.cat([whole[: count - len(rest)], rest]).to(dtype))


@pytest.mark.parametrize("dtype", [wg.float32, wg.float64])
@pytest.mark.parametrize("count", [9, 4097, 8191, 8192, 8200, 20_011])
def test_normal_numbers_about_others_are_those_of_randn(count, dtype):
    mean, spread = wg.arange(count, dtype=dtype), wg.linspace(0, 2, count, dtype=dtype)
    wg.manual_seed(0)
    made = wg.normal(mean, spread)
    wg.manual_seed(0)
    assert made.equal(wg.randn(count, dtype=dtype) * spread + mean)
