// Element-wise functions of arrays with gaps, such as a part of each row: row by row, where rows are long.
#include "pointwise.hpp"

namespace wengert {
namespace {

constexpr npy_intp least_run = 16;  // elements side by side below which a row is not worth its call

// One array of numbers, or two of one dtype and shape, whose dimensions lie from the outermost to the innermost, so that a new
// array in rows is what lies like them. `b` may be null.
class Rows {
public:
    bool find(PyArrayObject* a, PyArrayObject* b) {
        if (!lies_so(a) || (b && (PyArray_DESCR(a) != PyArray_DESCR(b) || !same_shape(a, b) || !lies_so(b)))) return false;
        shape_ = PyArray_DIMS(a), outer_ = PyArray_NDIM(a);
        const npy_intp size = PyArray_ITEMSIZE(a);
        while (outer_ > 0 && goes_on(a, size) && (!b || goes_on(b, size))) run *= shape_[--outer_];
        count = PyArray_SIZE(a) / run;
        return run >= least_run;
    }
    // Where a row of an array begins, in bytes.
    npy_intp place(PyArrayObject* x, npy_intp row) const {
        npy_intp at = 0;
        for (int dim = outer_ - 1; dim >= 0; --dim) {
            at += row % shape_[dim] * PyArray_STRIDE(x, dim);
            row /= shape_[dim];
        }
        return at;
    }
    npy_intp run = 1, count = 0;

private:
    static bool lies_so(PyArrayObject* x) {
        if (!(PyArray_FLAGS(x) & NPY_ARRAY_ALIGNED) || PyArray_SIZE(x) == 0) return false;
        for (int dim = 0; dim < PyArray_NDIM(x); ++dim)
            if (PyArray_STRIDE(x, dim) <= (dim + 1 < PyArray_NDIM(x) ? PyArray_STRIDE(x, dim + 1) : 0)) return false;
        return true;
    }
    bool goes_on(PyArrayObject* x, npy_intp size) const { return PyArray_STRIDE(x, outer_ - 1) == run * size; }

    const npy_intp* shape_ = nullptr;
    int outer_ = 0;
};

PyArrayObject* as_array(PyObject* object) { return PyArray_CheckExact(object) ? reinterpret_cast<PyArrayObject*>(object) : nullptr; }
PyArrayObject* new_result(PyArrayObject* like) { return new_array(PyArray_DESCR(like), PyArray_NDIM(like), PyArray_DIMS(like)); }
template <class T>
const T* data_at(PyArrayObject* x, npy_intp bytes) { return reinterpret_cast<const T*>(PyArray_BYTES(x) + bytes); }

template <class T>
PyObject* unary(UnaryLoop<T> loop, npy_intp cost, PyArrayObject* x, const Rows& rows) {
    PyArrayObject* result = loop ? new_result(x) : nullptr;
    if (!result) return nullptr;
    T* to = data_of<T>(result);
    ReleaseGil unlocked(rows.run * rows.count >= thread_threshold);
    parallel_for(rows.count, rows.run * cost, [=, &rows](npy_intp begin, npy_intp end) {
        for (npy_intp row = begin; row < end; ++row) loop(data_at<T>(x, rows.place(x, row)), to + row * rows.run, rows.run);
    });
    return reinterpret_cast<PyObject*>(result);
}

template <class T>
PyObject* binary(BinaryLoop<T> loop, npy_intp cost, PyArrayObject* a, PyArrayObject* b, PyObject* number, const Rows& rows) {
    T value;
    if (!loop || (!(a && b) && !weak_value(number, value))) return nullptr;
    PyArrayObject* result = new_result(a ? a : b);
    if (!result) return nullptr;
    T* to = data_of<T>(result);
    const T* beside = &value;
    ReleaseGil unlocked(rows.run * rows.count >= thread_threshold);
    parallel_for(rows.count, rows.run * cost, [=, &rows](npy_intp begin, npy_intp end) {
        for (npy_intp row = begin; row < end; ++row)
            loop(a ? data_at<T>(a, rows.place(a, row)) : beside, a != nullptr, b ? data_at<T>(b, rows.place(b, row)) : beside, b != nullptr,
                 to + row * rows.run, rows.run);
    });
    return reinterpret_cast<PyObject*>(result);
}

}  // namespace

PyObject* row_unary(Unary op, npy_intp cost, PyObject* object) {
    PyArrayObject* x = as_array(object);
    Rows rows;
    if (!x || !rows.find(x, nullptr)) return nullptr;
    if (PyArray_DESCR(x) == float_descr) return unary<float>(loops<float>().unary[op], cost, x, rows);
    const bool vectors = op < TAN || op >= LOG_SIGMOID;  // of the other doubles NumPy's loops may have some
    return PyArray_DESCR(x) == double_descr && vectors ? unary<double>(loops<double>().unary[op], cost, x, rows) : nullptr;
}

PyObject* row_binary(Binary op, npy_intp cost, PyObject* a_object, PyObject* b_object) {
    PyArrayObject *a = as_array(a_object), *b = as_array(b_object);
    if ((!a && (!b || PyArray_Check(a_object))) || (!b && PyArray_Check(b_object))) return nullptr;
    Rows rows;
    if (!rows.find(a ? a : b, a ? b : nullptr)) return nullptr;
    PyArray_Descr* descr = PyArray_DESCR(a ? a : b);
    PyObject* number = a ? b_object : a_object;
    if (descr == float_descr) return binary<float>(loops<float>().binary[op], cost, a, b, number, rows);
    return descr == double_descr ? binary<double>(loops<double>().binary[op], cost, a, b, number, rows) : nullptr;
}

}  // namespace wengert
