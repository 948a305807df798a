"""The options of printing: set, read back, restored, refused, and changed under the hands of another thread."""

import threading
from collections.abc import Iterator

import numpy as np
import pytest

from wengert._tensor.printing import PrintOptions, format_tensor, get_printoptions, printoptions, set_printoptions


@pytest.fixture(autouse=True)
def default_options() -> Iterator[None]:
    """Each test starts from, and leaves behind, the default options."""
    with printoptions(profile="default"):
        yield


def test_options_are_read_back() -> None:
    set_printoptions(precision=7, threshold=float("inf"), linewidth=100, sci_mode=False)
    assert get_printoptions() == {
        "precision": 7,
        "threshold": float("inf"),
        "edgeitems": 3,
        "linewidth": 100,
        "sci_mode": False,
    }


def test_a_call_that_does_not_name_sci_mode_resets_it() -> None:
    set_printoptions(sci_mode=True)
    set_printoptions(precision=5)
    assert get_printoptions()["sci_mode"] is None
    assert get_printoptions()["precision"] == 5


def test_options_beside_a_profile_win() -> None:
    set_printoptions(profile="short", precision=9)
    assert get_printoptions()["precision"] == 9
    assert get_printoptions()["edgeitems"] == 2


def test_the_context_manager_restores_the_options_after_an_error() -> None:
    before = get_printoptions()
    with pytest.raises(KeyError), printoptions(precision=1):
        assert get_printoptions()["precision"] == 1
        raise KeyError
    assert get_printoptions() == before


@pytest.mark.parametrize(
    ("options", "error", "says"),
    [
        ({"profile": "tiny"}, ValueError, "default, short, full"),
        ({"precision": -1}, ValueError, "precision must not be negative"),
        ({"threshold": float("nan")}, ValueError, "threshold"),
        ({"linewidth": "wide"}, TypeError, "linewidth must be a number"),
        ({"edgeitems": 2.5}, TypeError, "edgeitems must be a number"),
    ],
)
def test_bad_options_are_refused_and_change_nothing(options: dict, error: type[Exception], says: str) -> None:
    before = get_printoptions()
    with pytest.raises(error, match=says):
        set_printoptions(**{"precision": 9, **options})
    assert get_printoptions() == before


def test_options_may_change_while_other_threads_print() -> None:
    array = np.arange(2000, dtype=np.float32).reshape(20, 100) / 7
    profiles = ["default", "short", "full"]
    allowed = set()
    for profile in profiles:
        set_printoptions(profile=profile)
        allowed.add(format_tensor(array, dtype_name="float32"))
    seen: list[str] = []
    printer = threading.Thread(
        target=lambda: seen.extend(format_tensor(array, dtype_name="float32") for _ in range(20))
    )
    printer.start()
    turn = 0
    while printer.is_alive():
        set_printoptions(profile=profiles[turn % len(profiles)])
        turn += 1
    printer.join()
    assert len(seen) == 20
    assert set(seen) <= allowed


def test_options_cannot_be_changed_from_outside() -> None:
    get_printoptions()["precision"] = 1
    assert get_printoptions()["precision"] == 4
    with pytest.raises(AttributeError):
        PrintOptions().precision = 1  # type: ignore[misc]
