// Inner loops of NumPy's and SciPy's functions: for few elements the call around such a loop takes longer than the
// loop.
#pragma once

#include "binding/direct.hpp"

#include <numpy/ufuncobject.h>

#include <algorithm>

namespace wengert {

constexpr npy_intp few_for_loops = 4096;  // beyond, the call around the loop no longer counts

// A function by the module that has it. It is looked up when it is called, and only if the module is loaded: importing
// is left to the bodies.
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
    int result_type = NPY_NOTYPE;
    bool quiet = false;  // it sets no Python error, and so may run in any thread

    // False, without an error, where there is none.
    bool find(Ufunc& ufunc, int operands, int type);
    // Over `count` elements of each operand, and of the result behind them, `steps` bytes apart. False with a Python
    // error: SciPy's functions may have been told to raise.
    bool run(char** elements, const npy_intp* steps, npy_intp count) const {
        function(elements, &count, steps, data);
        return !PyErr_Occurred();
    }
    // Whether to call it: NumPy's function releases the lock for many elements, this one only where the loop sets no
    // error.
    bool serves(npy_intp count) const { return count > 0 && (quiet || count <= few_for_loops); }
    // The same by threads where there are many elements.
    template <int operands>
    bool spread(char* const (&elements)[operands], const npy_intp (&steps)[operands], npy_intp count) const {
        if (!quiet || count < thread_threshold) {
            char* positions[operands];
            std::copy(elements, elements + operands, positions);
            return run(positions, steps, count);
        }
        ReleaseGil unlocked(true);
        parallel_for(count, 1, [&](npy_intp begin, npy_intp end) {
            char* positions[operands];
            for (int i = 0; i < operands; ++i) positions[i] = elements[i] + begin * steps[i];
            const npy_intp some = end - begin;
            function(positions, &some, steps, data);
        });
        return true;
    }
};

// The loop's results for a row-major array of its type, of as many elements as it serves; null without an error for
// others.
PyObject* run_one(const InnerLoop& loop, PyArrayObject* x);
// The same for two row-major arrays of one shape; `second` may be one element repeated.
PyObject* run_two(const InnerLoop& loop, PyArrayObject* first, char* second, npy_intp step);
// The function of two row-major arrays of one dtype and shape; with `numbers`, also of one and a number. Null without
// an error for other operands.
PyObject* of_two(Ufunc& ufunc, PyObject* first, PyObject* second, bool numbers);

// The function of two row-major arrays of few complex numbers, of which one may be a number.
PyObject* of_two_complex(Ufunc& ufunc, PyObject* first, PyObject* second);

}  // namespace wengert
