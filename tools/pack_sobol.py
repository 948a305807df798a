"""Pack the direction numbers of Joe and Kuo into `src/wengert/_kernels/sobol.npz`.

`python tools/pack_sobol.py new-joe-kuo-6.21201` reads their text file: a line of titles, then for each dimension from
the second its number, the degree of its polynomial, the inner coefficients as one number, and the first direction
numbers. `wengert._kernels.sobol.table` says how they are packed, and reads them.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

PACKED = Path(__file__).resolve().parent.parent / "src" / "wengert" / "_kernels" / "sobol.npz"
Lines = list[tuple[int, list[int]]]


def read(text: str) -> Lines:
    """Polynomial and first direction numbers of each dimension, the first one's included."""
    lines: Lines = [(1, [])]
    for line in text.splitlines()[1:]:
        _, degree, inner, *first = map(int, line.split())
        lines.append(((1 << degree) + (inner << 1) + 1, first))
    return lines


def pack(lines: Lines, path: Path) -> None:
    """Write the packed file; the wheel compresses it, as far as that can be done."""
    distances = np.diff([polynomial for polynomial, _ in lines]) // 2
    longest = max(len(first) for _, first in lines)
    bits = [
        [number >> back & 1 for back in range(place, 0, -1)]
        for place in range(1, longest)
        for number in (first[place] for _, first in lines if len(first) > place)
    ]
    flat = np.array([bit for own in bits for bit in own], np.uint8)
    np.savez(path, distances=distances.astype(np.uint8), bits=np.packbits(flat))


if __name__ == "__main__":
    pack(read(Path(sys.argv[1]).read_text(encoding="ascii")), PACKED)
