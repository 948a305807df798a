"""Cells of the page, run by the Python in the browser.

The page sends the source of a cell; what the cell displays comes back as a list of pairs: the type of the data, and the
data. Text that the cell prints is not among them: it goes to the page while the cell runs.
"""

import base64
import io
import json
import linecache
import sys
import traceback
import types
from typing import Any

from pyodide.code import eval_code_async

REPRESENTATIONS = (("_repr_html_", "text/html"), ("_repr_svg_", "text/html"), ("_repr_png_", "image/png"))
program = types.ModuleType("__main__")
sys.modules["__main__"] = program


async def run(source: str, number: int) -> str:
    """Run a cell in the namespace of the program.

    Args:
        source: the code, which may contain `await`.
        number: the number of the run, for the file name in tracebacks.

    Returns:
        A list of pairs as JSON: values displayed, figures, the traceback of an exception.
    """
    filename = f"<cell {number}>"
    linecache.cache[filename] = (len(source), None, source.splitlines(keepends=True), filename)
    outputs = []
    try:
        value = await eval_code_async(source, vars(program), filename=filename)
        if value is not None:
            vars(program)["_"] = value
            outputs.append(representation(value))
    except BaseException as error:
        outputs.append(("error", traceback_of(error, filename)))
    return json.dumps(outputs + figures())


def representation(value: Any) -> tuple[str, str]:
    """Return the richest representation of a value: its type, and the data."""
    for method, kind in REPRESENTATIONS:
        if (write := getattr(type(value), method, None)) and (data := write(value)) is not None:
            return kind, data if isinstance(data, str) else base64.b64encode(data).decode()
    return "text/plain", repr(value)


def traceback_of(error: BaseException, filename: str) -> str:
    """Return the traceback of an exception, from the first frame of the cell on."""
    frame = error.__traceback__
    while frame is not None and frame.tb_frame.f_code.co_filename != filename:
        frame = frame.tb_next
    return "".join(traceback.format_exception(type(error), error, frame))


def figures() -> list[tuple[str, str]]:
    """Return the open figures of matplotlib as PNG, and close them."""
    if "matplotlib.pyplot" not in sys.modules:
        return []
    from matplotlib import pyplot

    result = []
    for number in pyplot.get_fignums():
        file = io.BytesIO()
        pyplot.figure(number).savefig(file, format="png", dpi=90, bbox_inches="tight")
        result.append(("image/png", base64.b64encode(file.getvalue()).decode()))
    pyplot.close("all")
    return result
