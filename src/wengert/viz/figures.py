"""Access to matplotlib: imported only when something is drawn, and without pyplot, which keeps figures alive."""

from typing import Any

__all__ = ["new_figure"]


def new_figure(caller: str, size: tuple[float, float]) -> Any:
    """Return a new matplotlib figure that draws into memory, on a white background.

    Args:
        caller: name of the calling function, for the error message.
        size: width and height in inches.

    Raises:
        ImportError: if matplotlib is not installed.
    """
    try:
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.figure import Figure
    except ImportError as error:
        raise ImportError(f"{caller} needs matplotlib to draw PNG files: pip install 'wengert[full]'") from error
    figure = Figure(figsize=size, facecolor="white")
    FigureCanvasAgg(figure)
    return figure
