"""Live memory over time, while a profile is open."""

from __future__ import annotations

import gzip
import html
import json
from typing import TYPE_CHECKING

from .trace import memory_changes

if TYPE_CHECKING:
    from .profiles import profile

CREATE, DESTROY = 2, 4
"""Numbers of actions, as in torch's raw timelines."""
UNKNOWN = 8
"""Number of a category, the last of nine; torch guesses what memory is for."""
WIDTH, HEIGHT, MARGIN = 900, 360, 60


def timeline(prof: profile) -> list[tuple[int, int, int]]:
    """Return each change of live memory: time in nanoseconds since 1970, live bytes afterwards, the change in bytes.

    Raises:
        ValueError: if memory was not recorded, or the profile is not over.
    """
    session = prof.session
    if session is None or not session.closed or not session.memory:
        raise ValueError("a timeline of memory needs a profile with profile_memory=True that is over")
    return [(time + session.epoch, held, change) for time, held, change in memory_changes(session)]


def write_timeline(prof: profile, path: str) -> None:
    """Write the number of live bytes at each time.

    Storages that operators, factories and nodes made while the profile was open are counted, as in
    `FunctionEvent.cpu_memory_usage`.

    Args:
        prof: a profile with `profile_memory=True` that is over.
        path: path of the file. ".html": a page with a picture. ".raw.json.gz": a list of [time in nanoseconds, action
            (2 created, 4 destroyed), bytes, category]. ".json" and ".json.gz": [times in microseconds, a list of bytes
            for each]. All bytes are in the last of torch's nine categories: the use of memory is not guessed.

    Raises:
        ValueError: if memory was not recorded, or the profile is not over.
    """
    changes = timeline(prof)
    if path.endswith(".html"):
        with open(path, "w", encoding="utf-8") as page:
            page.write(drawing(changes))
        return
    data: object
    if path.endswith("raw.json.gz"):
        data = [[time, CREATE if change > 0 else DESTROY, change, UNKNOWN] for time, _, change in changes]
    else:
        data = [[time // 1000 for time, _, _ in changes], [[0] * UNKNOWN + [held] for _, held, _ in changes]]
    opener = gzip.open if path.endswith(".gz") else open
    with opener(path, "wt", encoding="ascii") as file:
        json.dump(data, file)


def drawing(changes: list[tuple[int, int, int]]) -> str:
    """Return a self-contained page with a picture of the memory over time."""
    first = changes[0][0] if changes else 0
    length = max(changes[-1][0] - first, 1) if changes else 1
    peak = max([held for _, held, _ in changes], default=0)
    path, level = [f"M{MARGIN},{HEIGHT - MARGIN}"], float(HEIGHT - MARGIN)
    for time, held, _ in changes:
        x = MARGIN + (time - first) / length * (WIDTH - 2 * MARGIN)
        path.append(f"L{x:.1f},{level:.1f}")
        level = HEIGHT - MARGIN - held / max(peak, 1) * (HEIGHT - 2 * MARGIN)
        path.append(f"L{x:.1f},{level:.1f}")
    title = html.escape(f"Memory over {length / 1e6:.3f} ms; at most {peak:,} bytes")
    axis = f"M{MARGIN},{MARGIN}V{HEIGHT - MARGIN}H{WIDTH - MARGIN}"
    return (
        f'<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8"><title>{title}</title></head>\n'
        f'<body><svg role="img" aria-label="{title}" viewBox="0 0 {WIDTH} {HEIGHT}" xmlns="http://www.w3.org/2000/svg">\n'
        f'<text x="{MARGIN}" y="{MARGIN // 2}" font-family="sans-serif">{title}</text>\n'
        f'<path d="{axis}" fill="none" stroke="gray"/>\n'
        f'<path d="{" ".join(path)}" fill="none" stroke="steelblue" stroke-width="2"/>\n</svg></body></html>\n'
    )
