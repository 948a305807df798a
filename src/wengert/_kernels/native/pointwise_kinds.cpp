// Sums, differences and products of what has no loops of its own: integers other than int64, truth values, complex numbers.
#include "complex_products.hpp"
#include "pointwise.hpp"
#include "ufuncs.hpp"

namespace wengert {

// Few integers of other sizes, or truth values.
PyObject* of_integers(Binary op, PyObject* a, PyObject* b) {
    static Ufunc ufuncs[] = {{"numpy", "add"}, {"numpy", "subtract"}, {"numpy", "multiply"}};
    const int type = PyArray_CheckExact(a) ? PyArray_TYPE(reinterpret_cast<PyArrayObject*>(a)) : NPY_NOTYPE;
    return op <= MULTIPLY && (PyTypeNum_ISINTEGER(type) || type == NPY_BOOL) ? of_two(ufuncs[op], a, b, true) : nullptr;
}

// Products of complex numbers, sums and differences of few.
PyObject* of_complex(Binary op, PyArrayObject* a, PyArrayObject* b) {
    static Ufunc ufuncs[] = {{"numpy", "add"}, {"numpy", "subtract"}};
    InnerLoop loop;
    if (!plain(reinterpret_cast<PyObject*>(a)) || !plain(reinterpret_cast<PyObject*>(b))) return nullptr;
    if (op == MULTIPLY) return complex_product(a, b, false);
    const bool known = op <= SUBTRACT && is_complex(a) && same_shape(a, b) && PyArray_SIZE(a) > 0 && PyArray_SIZE(a) <= 4096;
    if (!known || !loop.find(ufuncs[op], 2, PyArray_TYPE(a))) return nullptr;
    return run_two(loop, a, PyArray_BYTES(b), PyArray_ITEMSIZE(b));
}

}  // namespace wengert
