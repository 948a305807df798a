"""The handwritten digits that come with the package: whole, unchanged, reproducible, and refused when damaged."""

import hashlib
import importlib.util
import io
import zipfile
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

from wengert.vision import digits, load_digits

DATA = Path(digits.__file__).parent / "data"
MAKER = Path(__file__).parents[2] / "tools" / "make_digits.py"


@pytest.fixture(scope="module")
def maker() -> ModuleType:
    """The program that makes the data file."""
    spec = importlib.util.spec_from_file_location("make_digits", MAKER)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_there_are_1797_small_images_with_labels() -> None:
    images, labels = load_digits()
    assert (images.dtype, images.shape) == (np.dtype(np.uint8), (1797, 8, 8))
    assert (labels.dtype, labels.shape) == (np.dtype(np.uint8), (1797,))


def test_each_digit_occurs_as_often_as_in_the_original() -> None:
    _, labels = load_digits()
    assert np.bincount(labels).tolist() == [178, 182, 177, 183, 181, 182, 181, 179, 174, 180]


def test_pixels_use_the_whole_range_from_0_to_16() -> None:
    images, _ = load_digits()
    assert sorted(set(images.ravel().tolist())) == list(range(17))


def test_the_content_has_the_known_checksum() -> None:
    images, labels = load_digits()
    checksum = hashlib.sha256(images.tobytes() + labels.tobytes()).hexdigest()
    assert checksum == "87ff0c9e40dc7e2c0e34e7257799c2e3f3aec1a016363bb11cad869ec428a826"


def test_the_first_image_is_a_zero() -> None:
    images, labels = load_digits()
    assert labels[0] == 0
    assert images[0, 3].tolist() == [0, 4, 12, 0, 0, 8, 8, 0]


def test_what_the_caller_changes_does_not_come_back() -> None:
    images, labels = load_digits()
    images[:] = 99
    labels[:] = 99
    again = load_digits()
    assert again[0].max() == 16
    assert again[1].max() == 9


def test_the_file_is_small_and_comes_with_its_licence() -> None:
    assert (DATA / "digits.npz").stat().st_size < 50_000
    licence = (DATA / "LICENSE-digits.txt").read_text(encoding="utf-8")
    for words in ("Alpaydin", "Kaynak", "CC BY 4.0", "https://creativecommons.org/licenses/by/4.0/", "make_digits.py"):
        assert words in licence


def test_the_file_holds_arrays_only_and_no_pickles() -> None:
    with zipfile.ZipFile(DATA / "digits.npz") as archive:
        assert archive.namelist() == ["images.npy", "labels.npy"]
        assert archive.testzip() is None
        assert b"|u1" in archive.read("images.npy")[:128]


def test_making_the_file_twice_gives_the_same_bytes(maker: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    images, labels = load_digits()
    first = maker.encode({"images": images, "labels": labels})
    monkeypatch.setattr("time.time", lambda: 2e9)
    assert maker.encode({"images": images[:, ::-1][:, ::-1], "labels": labels.copy()}) == first


def test_the_maker_notices_a_changed_pixel(maker: ModuleType, tmp_path: Path) -> None:
    images, labels = load_digits()
    file = tmp_path / "digits.npz"
    file.write_bytes(maker.encode({"images": images, "labels": labels}))
    assert maker.same_content(file, {"images": images, "labels": labels})
    images[5, 5, 5] ^= 1
    assert not maker.same_content(file, {"images": images, "labels": labels})
    assert not maker.same_content(file, {"images": images})


def test_the_data_are_those_of_scikit_learn(maker: ModuleType) -> None:
    pytest.importorskip("sklearn", reason="scikit-learn carries the copy that the data were made from")
    images, labels = maker.original_digits()
    assert maker.same_content(DATA / "digits.npz", {"images": images, "labels": labels})


def archive_of(**arrays: np.ndarray) -> bytes:
    """An `.npz` archive in memory."""
    content = io.BytesIO()
    np.savez_compressed(content, **arrays)
    return content.getvalue()


IMAGES = np.full((1797, 8, 8), 16, np.uint8)
LABELS = np.full(1797, 9, np.uint8)
DAMAGED = {
    "truncated": (DATA / "digits.npz").read_bytes()[:20_000],
    "empty": b"",
    "no archive": b"hello, this is no archive",
    "flipped byte": (DATA / "digits.npz").read_bytes()[:9_000]
    + b"\0\0\0\0"
    + (DATA / "digits.npz").read_bytes()[9_004:],
    "labels missing": archive_of(images=IMAGES),
    "too few images": archive_of(images=IMAGES[1:], labels=LABELS),
    "no images": archive_of(images=IMAGES[:0], labels=LABELS),
    "wrong dtype": archive_of(images=IMAGES.astype(np.float32), labels=LABELS),
    "pixel too dark": archive_of(images=IMAGES + np.uint8(1), labels=LABELS),
    "label too large": archive_of(images=IMAGES, labels=LABELS + np.uint8(1)),
    "a pickle": archive_of(images=np.array([{}], dtype=object), labels=LABELS),
}


@pytest.mark.parametrize("kind", DAMAGED)
def test_a_damaged_file_is_refused(kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "digits.npz").write_bytes(DAMAGED[kind])
    monkeypatch.setattr(digits.resources, "files", lambda package: tmp_path)
    with pytest.raises(ValueError, match=r"digits\.npz is damaged.*install the package again"):
        load_digits()


def test_a_missing_file_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(digits.resources, "files", lambda package: tmp_path)
    with pytest.raises(FileNotFoundError, match=r"digits\.npz"):
        load_digits()
