// Inner loops of NumPy's and SciPy's functions: of few elements the call around such a loop takes longer than the loop.
#pragma once

#include "direct.hpp"

#include <numpy/ufuncobject.h>

namespace wengert {

// A function by the module that has it. It is looked up when it is called, and only where that module is loaded already:
// to import one is for the bodies.
struct Ufunc {
    const char* module;
    const char* name;
    PyUFuncObject* object = nullptr;

    bool find();
};

// Its loop for operands of one type, and the type of what that makes: type numbers.
struct InnerLoop {
    PyUFuncGenericFunction function = nullptr;
    void* data = nullptr;
    int made = NPY_NOTYPE;

    // False, without an error, where there is none.
    bool find(Ufunc& ufunc, int operands, int type);
    // Over `count` elements of each operand, and of the result behind them, `steps` bytes apart. False with a Python error:
    // SciPy's functions may have been told to raise.
    bool run(char** elements, const npy_intp* steps, npy_intp count) const {
        function(elements, &count, steps, data);
        return !PyErr_Occurred();
    }
};

// The loop's results for two row-major arrays of its type and one shape; `second` may be one element repeated.
PyObject* run_two(const InnerLoop& loop, PyArrayObject* first, char* second, npy_intp step);
// The function of two row-major arrays of one dtype and shape, of few elements; with `numbers`, also of one and a
// number. Null without an error for whatever else.
PyObject* of_two(Ufunc& ufunc, PyObject* first, PyObject* second, bool numbers);

// The function of two row-major arrays of few complex numbers, of which one may be a number.
PyObject* of_two_complex(Ufunc& ufunc, PyObject* first, PyObject* second);

}  // namespace wengert
