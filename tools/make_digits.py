"""Makes the data file of `wengert.vision.load_digits` from scikit-learn's copy of the same data.

    python tools/make_digits.py [FILE]      writes the file (by default the one inside the package)
    python tools/make_digits.py --check     compares the file with scikit-learn's copy and writes nothing

The same data give the same bytes: the archive holds no dates, names or permissions of the machine that made it. (The
compressed bytes may still differ between versions of zlib; what they hold does not.)
"""

import argparse
import hashlib
import io
import sys
import zipfile
from pathlib import Path

import numpy as np

TARGET = Path(__file__).parents[1] / "src" / "wengert" / "vision" / "data" / "digits.npz"
_EARLIEST_DATE = (1980, 1, 1, 0, 0, 0)  # of the zip format; the content has no date of its own
_UNIX = 3  # recorded in each member, so that no platform writes its own number


def original_digits() -> tuple[np.ndarray, np.ndarray]:
    """The images (1797, 8, 8) and labels (1797,) of scikit-learn's copy, as unsigned bytes."""
    from sklearn.datasets import load_digits  # type: ignore[import-untyped, import-not-found, unused-ignore]

    data = load_digits()
    images, labels = data.images.astype(np.uint8), data.target.astype(np.uint8)
    if not (np.array_equal(images, data.images) and np.array_equal(labels, data.target)):
        raise ValueError("scikit-learn's digits do not fit into unsigned bytes: its data set has changed")
    return images, labels


def encode(arrays: dict[str, np.ndarray]) -> bytes:
    """A compressed `.npz` archive with `arrays`, without anything that depends on when or where it is made."""
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w") as members:
        for name, array in arrays.items():
            content = io.BytesIO()
            np.lib.format.write_array(content, np.ascontiguousarray(array), version=(1, 0), allow_pickle=False)
            member = zipfile.ZipInfo(f"{name}.npy", date_time=_EARLIEST_DATE)
            member.create_system = _UNIX
            member.compress_type = zipfile.ZIP_DEFLATED
            members.writestr(member, content.getvalue(), compresslevel=9)
    return archive.getvalue()


def same_content(file: Path, arrays: dict[str, np.ndarray]) -> bool:
    """Whether the archive `file` holds exactly `arrays`."""
    with np.load(file, allow_pickle=False) as stored:
        return set(stored.files) == set(arrays) and all(
            stored[name].dtype == array.dtype and np.array_equal(stored[name], array) for name, array in arrays.items()
        )


def main(arguments: list[str] | None = None) -> int:
    """Runs the command; returns its exit status."""
    parser = argparse.ArgumentParser(description="Make the file of handwritten digits.")
    parser.add_argument("file", nargs="?", type=Path, default=TARGET)
    parser.add_argument("--check", action="store_true", help="compare only")
    options = parser.parse_args(arguments)
    images, labels = original_digits()
    arrays = {"images": images, "labels": labels}
    if options.check:
        same = same_content(options.file, arrays)
        print(f"{options.file}: {'holds' if same else 'does not hold'} the digits of scikit-learn")
        return 0 if same else 1
    content = encode(arrays)
    options.file.write_bytes(content)
    print(f"{options.file}: {len(content)} bytes, sha256 {hashlib.sha256(content).hexdigest()}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
