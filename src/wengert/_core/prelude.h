/* Put before each C file of the core. */
#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <stdlib.h>
#include <string.h>
#ifndef WENGERT_PRELUDE
#define WENGERT_PRELUDE

/* Names of modules that types and functions are taken from. Python's function looks at the package of the module, too:
   while that is being imported, it waits for a lock each time. */
static inline PyObject *wengert_import(const char *name) {
    PyObject *key = PyUnicode_FromString(name), *module = key ? PyImport_GetModule(key) : NULL;
    Py_XDECREF(key);
    if (PyErr_Occurred() || (module && module != Py_None)) return module;
    Py_XDECREF(module);
    return PyImport_ImportModule(name);
}
#define PyImport_ImportModule wengert_import

/* ---- tracebacks: what `_start/tracebacks.py` says, for functions that have no frame of their own -------------------

   Where an error leaves a compiled function, Cython makes a frame for the traceback. It gets the real path of the
   source and the plain name of the function; and it is left out where the function was called by the package, or stands
   between the program's line and a frame that says more. All of this is done where there is an error, and nowhere
   else. */
enum { WENGERT_FOREIGN, WENGERT_MACHINERY, WENGERT_NAMING };

/* The folder of the package, or NULL. No error may be set. */
static const char *wengert_folder(void) {
    static PyObject *folder = NULL;
    if (folder == NULL) {
        PyObject *build = wengert_import("wengert._start.build");
        folder = build ? PyObject_GetAttrString(build, "ROOT") : NULL;
        Py_XDECREF(build);
    }
    const char *path = folder ? PyUnicode_AsUTF8(folder) : NULL;
    if (path == NULL) PyErr_Clear();
    return path;
}

static int wengert_kind_of_path(const char *path) {
    const char *folder = wengert_folder();
    size_t length = folder ? strlen(folder) : 0;
    if (length == 0 || strncmp(path, folder, length) || (path[length] != '/' && path[length] != '\\'))
        return WENGERT_FOREIGN;
    path += length + 1;
    if (strncmp(path, "_core", 5) && strncmp(path, "_kernels", 8)) return WENGERT_NAMING;
    return strcmp(path, "_core/tensor/base.py") ? WENGERT_MACHINERY : WENGERT_NAMING;
}

/* What a frame is: the program's, one of the package that says nothing to it, or one that names what was called. */
static int wengert_kind(PyFrameObject *frame) {
    PyCodeObject *code = PyFrame_GetCode(frame);
    const char *path = PyUnicode_AsUTF8(code->co_filename);
    int kind = WENGERT_FOREIGN;
    if (path == NULL) PyErr_Clear();
    else kind = wengert_kind_of_path(path);
    Py_DECREF(code);
    return kind;
}

static int wengert_all_frames(void) {
    const char *asked = getenv("WENGERT_TRACEBACK");
    return (asked && strcmp(asked, "full") == 0) || !PyErr_ExceptionMatches(PyExc_Exception);
}

/* Shorten the traceback of the error that is set; `op` is the operator that it leaves, or NULL. */
static void wengert_shorten(PyObject *op) {
    PyObject *kind, *value, *trace, *module, *result = NULL;
    if (wengert_all_frames()) return;
    PyErr_Fetch(&kind, &value, &trace);
    PyErr_NormalizeException(&kind, &value, &trace);
    if (trace) PyException_SetTraceback(value, trace);
    module = wengert_import("wengert._start.tracebacks");
    if (module) result = PyObject_CallMethod(module, op ? "shorten_call" : "shorten", op ? "OO" : "O", value, op);
    if (result == NULL) PyErr_Clear();
    Py_XDECREF(result);
    Py_XDECREF(module);
    Py_XDECREF(trace);
    PyErr_Restore(kind, value, PyException_GetTraceback(value));
}

/* Which of the steps on the way to the program a frame needs: left out, put before all others, in the place of the
   first one; 4 if what lies below is to be shortened. */
enum { WENGERT_OMIT, WENGERT_PUT, WENGERT_REPLACE, WENGERT_SHORTEN = 4 };
static int wengert_step(PyFrameObject *frame, PyTracebackObject *trace) {
    PyFrameObject *caller = PyEval_GetFrame();
    int kind = wengert_kind(frame), head, next;
    if (trace == NULL) return WENGERT_PUT;  /* what Cython makes of `with` takes it for granted that there is one */
    if (caller && wengert_kind(caller)) return WENGERT_OMIT;
    head = wengert_kind(trace->tb_frame);
    next = trace->tb_next ? wengert_kind(trace->tb_next->tb_frame) : WENGERT_FOREIGN;
    if (kind == WENGERT_NAMING) return WENGERT_PUT | WENGERT_SHORTEN;
    if (head == WENGERT_FOREIGN) return WENGERT_PUT;
    if (head == WENGERT_MACHINERY) return next ? WENGERT_PUT | WENGERT_SHORTEN : WENGERT_REPLACE;
    return next ? WENGERT_OMIT | WENGERT_SHORTEN : WENGERT_OMIT;
}

static int wengert_traceback(PyFrameObject *frame) {
    PyObject *kind, *value, *trace;
    int step;
    if (wengert_all_frames()) return PyTraceBack_Here(frame);
    PyErr_Fetch(&kind, &value, &trace);
    step = wengert_step(frame, (PyTracebackObject *)trace);
    if (step == WENGERT_REPLACE) Py_XSETREF(trace, Py_XNewRef((PyObject *)((PyTracebackObject *)trace)->tb_next));
    PyErr_Restore(kind, value, trace);
    if ((step & ~WENGERT_SHORTEN) != WENGERT_OMIT && PyTraceBack_Here(frame)) return -1;
    if (step & WENGERT_SHORTEN) wengert_shorten(NULL);
    return 0;
}
#define PyTraceBack_Here wengert_traceback

/* Code for a frame: `wengert._core.tensor.base.Tensor.__add__` of `src/wengert/_core/tensor/base.py`, a path in the
   tree that was compiled, becomes `__add__` of that file beside this library. */
static PyCodeObject *wengert_code(const char *path, const char *function, int line) {
    const char *folder = wengert_folder(), *inside = strstr(path, "_core"), *end = function + strlen(function), *name;
    PyObject *full_path = folder && inside ? PyUnicode_FromFormat("%s/%s", folder, inside) : PyUnicode_FromString(path);
    PyObject *word = NULL;
    PyCodeObject *code = NULL;
    for (name = end; name > function && name[-1] != '.'; name--) {}
    if (name > function && (!strcmp(name, "__get__") || !strcmp(name, "__set__") || !strcmp(name, "__del__")))
        for (end = --name; name > function && name[-1] != '.'; name--) {}
    word = strncmp(function, "init ", 5) ? PyUnicode_FromStringAndSize(name, end - name)
                                         : PyUnicode_FromString("<module>");
    if (full_path && word) {
        const char *file = PyUnicode_AsUTF8(full_path), *shown = PyUnicode_AsUTF8(word);
        if (file && shown) code = PyCode_NewEmpty(file, shown, line);
    }
    Py_XDECREF(full_path);
    Py_XDECREF(word);
    return code;
}
#define PyCode_NewEmpty wengert_code
#endif
