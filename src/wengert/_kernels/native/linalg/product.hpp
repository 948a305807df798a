// Matrices as factors of products, and the choice of the loops that compute a product: those of linalg/small.inc for
// small ones, packed panels for large ones that are not thin. What is left goes to NumPy's BLAS.
#pragma once

#include "binding/direct.hpp"
#include "binding/work.hpp"
#include "linalg/large.hpp"

#include <algorithm>
#include <utility>

namespace wengert {

// Multiplications, measured: of more, BLAS and packed panels are as fast. With few rows, which use a copied column few
// times, the limit is lower; with tiles of wide vectors it is where one thread and the second-level cache stop being
// enough.
constexpr npy_intp small_work = 32768, small_work_of_few_rows = 8192, small_work_of_tiles = 1500000;
constexpr npy_intp few_rows = 8, few_columns = 16, few_terms = 32;

template <class T> struct Matrix {
    Factor<T> factor;
    npy_intp rows, columns;
    PyArrayObject* array = nullptr;  // of which this is the matrix, or (`is_transposed`) its transpose; not owned
    bool is_transposed = false;
    Matrix transposed() const { return {factor.transposed(), columns, rows, array, !is_transposed}; }
};

// The stride of an axis in elements, 1 for a length of 0 or 1; false if it is not a whole number.
template <class T> inline bool step_along(PyArrayObject* array, int axis, npy_intp& step) {
    constexpr npy_intp bytes = sizeof(T);
    const npy_intp stride = PyArray_STRIDE(array, axis);
    step = PyArray_DIM(array, axis) > 1 ? stride / bytes : 1;
    return PyArray_DIM(array, axis) <= 1 || stride % bytes == 0;
}

// The matrix of the last two axes of an array with `ndim` axes, of any strides.
template <class T> inline bool as_matrix(PyObject* object, Matrix<T>& matrix, int ndim = 2) {
    PyArrayObject* array = aligned(object, descr_of<T>());
    if (!array || PyArray_NDIM(array) != ndim) return false;
    matrix = {{data_of<T>(array), 0, 0}, PyArray_DIM(array, ndim - 2), PyArray_DIM(array, ndim - 1), array};
    return step_along<T>(array, ndim - 2, matrix.factor.row) && step_along<T>(array, ndim - 1, matrix.factor.column);
}
// A vector as a matrix with one column.
template <class T> inline bool as_column(PyObject* object, Matrix<T>& matrix) {
    PyArrayObject* array = aligned(object, descr_of<T>());
    if (!array || PyArray_NDIM(array) != 1) return false;
    matrix = {{data_of<T>(array), 0, 1}, PyArray_DIM(array, 0), 1, array};
    return step_along<T>(array, 0, matrix.factor.row);
}

template <class T> inline npy_intp most_small_work(const Matrix<T>& a, const Matrix<T>& b) {
    if (a.rows < few_rows) return small_work_of_few_rows;
    const bool tiles = loops<T>().lanes * sizeof(T) >= 32 && b.columns >= few_columns && a.columns >= few_terms;
    return tiles ? small_work_of_tiles : small_work;
}
template <class T> inline bool is_small(const Matrix<T>& a, const Matrix<T>& b) {
    const npy_intp work = (Size(a.rows) * a.columns * b.columns).value_or_most();
    return a.columns == b.rows && work > 0 && work <= most_small_work(a, b);
}
// Whether `b` has so few columns that its rows stay in registers and the first-level cache while `a` is read once in
// place. Packed panels and a BLAS, which copy both factors, are slower then. (If the columns of `a` are far apart,
// cache lines would be read again for each tile.)
template <class T> inline bool is_narrow(const Matrix<T>& a, const Matrix<T>& b) {
    constexpr npy_intp most_depth = 4096, most_apart = 256;  // terms of a sum; bytes between columns
    constexpr npy_intp most_transposed_depth = 256,
                       rows_for_transposing = 512;  // if `b` is column-major, its copy must be small or used often
    if (a.factor.column != 1 && a.factor.column * static_cast<npy_intp>(sizeof(T)) > most_apart) return false;
    if (b.factor.column != 1 && a.columns > most_transposed_depth && a.rows < rows_for_transposing) return false;
    const npy_intp lanes = loops<T>().lanes;
    return a.columns == b.rows && lanes * sizeof(T) >= 32 && a.rows >= few_rows && a.columns > 0 &&
           a.columns <= most_depth && b.columns > 1 && b.columns <= 4 * lanes &&
           (Size(a.rows) * b.columns * static_cast<npy_intp>(sizeof(T))).fits();
}
// Whether a product that is neither small nor narrow is computed by packed panels.
template <class T> inline bool is_large(const Matrix<T>& a, const Matrix<T>& b) {
    return a.columns == b.rows && LargeProduct<T>::accepts(a.factor, b.factor, a.rows, a.columns, b.columns);
}
template <class T> inline void multiply_large(const Matrix<T>& a, const Matrix<T>& b, T* out) {
    const ReleaseGil unlocked((Size(a.rows) * a.columns * b.columns).value_or_most() >= 8 * thread_threshold);
    LargeProduct<T>(a.factor, b.factor, a.rows, a.columns, b.columns).run(a.factor.data, b.factor.data, out);
}
// Whether an element has so few terms that a BLAS takes longer to copy the factors.
template <class T> inline bool is_thin(const Matrix<T>& a, const Matrix<T>& b) {
    constexpr npy_intp most_depth = 4, least_rows = 256, least_columns = 8;
    return a.columns == b.rows && a.columns > 0 && a.columns <= most_depth && a.rows >= least_rows &&
           b.columns >= least_columns && (Size(a.rows) * b.columns * static_cast<npy_intp>(sizeof(T))).fits();
}
template <class T> inline void multiply_thin(const Matrix<T>& a, const Matrix<T>& b, const T* bias, T* out) {
    constexpr npy_intp block = 256;  // rows
    const npy_intp columns = b.columns;
    const ReleaseGil unlocked((Size(a.rows) * columns).value_or_most() >= thread_threshold);
    parallel_for((a.rows + block - 1) / block, (Size(block) * a.columns * columns).value_or_most(),
                 [=](npy_intp begin, npy_intp end) {
                     for (npy_intp row = begin * block, last = std::min(end * block, a.rows); row < last; row += block)
                         loops<T>().thin_product({a.factor.data + row * a.factor.row, a.factor.row, a.factor.column},
                                                 b.factor, bias, out + row * columns, std::min(block, last - row),
                                                 a.columns, columns);
                 });
}
template <class T> inline void multiply(const Matrix<T>& a, const Matrix<T>& b, T* out, const T* bias = nullptr) {
    loops<T>().small_product(a.factor, b.factor, bias, out, a.rows, a.columns, b.columns);
}

// The same with the rows shared by the threads, in blocks that are all large enough for the same loops.
template <class T> inline void multiply_rows(const Matrix<T>& a, const Matrix<T>& b, T* out, const T* bias = nullptr) {
    constexpr npy_intp block = 64;
    const npy_intp depth = a.columns, columns = b.columns, blocks = std::max<npy_intp>(1, a.rows / block);
    parallel_for(blocks, (Size(block) * depth * columns).value_or_most(), [=](npy_intp begin, npy_intp end) {
        const npy_intp row = begin * block, rows = (end == blocks ? a.rows : end * block) - row;
        loops<T>().small_product({a.factor.data + row * a.factor.row, a.factor.row, a.factor.column}, b.factor, bias,
                                 out + row * columns, rows, depth, columns);
    });
}
template <class T> inline void multiply_narrow(const Matrix<T>& a, const Matrix<T>& b, const T* bias, T* out) {
    const ReleaseGil unlocked((Size(a.rows) * a.columns * b.columns).value_or_most() >= 8 * thread_threshold);
    multiply_rows(a, b, out, bias);
}

// A new matrix in row-major or (`by_columns`) column-major order.
template <class T> inline PyArrayObject* new_matrix(npy_intp rows, npy_intp columns, bool by_columns) {
    if (by_columns && offered_count) {
        const npy_intp lengths[2] = {rows, columns};
        if (PyArrayObject* array = take_offered(descr_of<T>(), 2, lengths, true)) return array;
    }
    const npy_intp shape[2] = {by_columns ? columns : rows, by_columns ? rows : columns};
    PyArrayObject* result = new_array(descr_of<T>(), 2, shape);
    if (!result || !by_columns) return result;
    std::swap(PyArray_DIMS(result)[0], PyArray_DIMS(result)[1]);
    std::swap(PyArray_STRIDES(result)[0], PyArray_STRIDES(result)[1]);
    PyArray_UpdateFlags(result, NPY_ARRAY_C_CONTIGUOUS | NPY_ARRAY_F_CONTIGUOUS);
    return result;
}

// a b as a new matrix in row-major or (`by_columns`) column-major order; null without an error if the product is
// neither small, thin, narrow nor large. A `bias` for each column of a row-major result is added unless the product is
// large, and `*added` set; otherwise adding it is left to the caller.
template <class T>
inline PyArrayObject* product(const Matrix<T>& a, const Matrix<T>& b, bool by_columns = false, const T* bias = nullptr,
                              bool* added = nullptr) {
    const bool small = is_small(a, b), thin = !small && !by_columns && is_thin(a, b);
    const bool narrow = !small && !thin && (by_columns ? is_narrow(b.transposed(), a.transposed()) : is_narrow(a, b));
    if (!small && !thin && !narrow && !(by_columns ? is_large(b.transposed(), a.transposed()) : is_large(a, b)))
        return nullptr;
    Owned result(new_matrix<T>(a.rows, b.columns, by_columns));
    if (!result) return nullptr;
    T* out = data_of<T>(result.get());
    const Matrix<T> first = by_columns ? b.transposed() : a, second = by_columns ? a.transposed() : b;
    const auto work = [=] {
        if (small)
            multiply(first, second, out, bias);
        else if (thin)
            multiply_thin(first, second, bias, out);
        else if (narrow)
            multiply_narrow(first, second, bias, out);
        else
            multiply_large(first, second, out);
    };
    const void* const shift = bias ? bias : out;
    do_unlocked_work(work, {a.factor.data, b.factor.data, shift, out});
    if ((small || thin || narrow) && added) *added = true;
    return result.take();
}

// An operand that is added to a product, broadcast to (rows, columns): strides are 0 where it repeats.
template <class T> inline bool as_shift(PyObject* object, npy_intp rows, npy_intp columns, Factor<T>& shift) {
    PyArrayObject* array = aligned(object, descr_of<T>());
    if (!array || PyArray_NDIM(array) > 2) return false;
    const npy_intp lengths[2] = {rows, columns};
    npy_intp steps[2] = {0, 0};
    for (int i = 0, at = 2 - PyArray_NDIM(array); i < PyArray_NDIM(array); ++i, ++at) {
        const npy_intp length = PyArray_DIM(array, i);
        if (length == 1) continue;
        if (length != lengths[at] || !step_along<T>(array, i, steps[at])) return false;
    }
    shift = {data_of<T>(array), steps[0], steps[1]};
    return true;
}

// The shape and the strides in bytes of a factor that were saved for its gradient.
struct SavedLayout {
    npy_intp shape[2] = {}, strides[2] = {};
    // Whether the factor, and so its gradient, is in column-major order.
    bool by_columns(npy_intp itemsize) const {
        return strides[0] == itemsize && (Size(itemsize) * shape[0] - strides[1]).value_or_most() == 0;
    }
};
inline bool as_saved_layout(PyObject* shape, PyObject* strides, SavedLayout& layout) {
    return PyTuple_CheckExact(shape) && PyTuple_CheckExact(strides) && as_pair(shape, layout.shape) &&
           as_pair(strides, layout.strides);
}

// The product of two real matrices of one dtype, or the products of two batches; null without an error for a batch of
// matrices that are neither small, narrow nor large.
PyObject* real_products(PyArrayObject* a, PyArrayObject* b);

// The first function, or the second one where the first declines the call.
template <PyObject* (*first)(PyObject* const*), PyObject* (*second)(PyObject* const*)>
PyObject* either(PyObject* const* args) {
    PyObject* result = first(args);
    return result || PyErr_Occurred() ? result : second(args);
}

}  // namespace wengert
