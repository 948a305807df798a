// Matrices as factors of products, which our own loops form where they are small, or large and not thin. What is left
// is the twins': NumPy brings a BLAS.
#pragma once

#include "binding/direct.hpp"
#include "linalg/large.hpp"

#include <algorithm>
#include <utility>

namespace wengert {

// Multiplications; measured: beyond, BLAS and packed panels are as fast. Of few rows, which give a copied column little
// use, that is sooner; of matrices that fill wide vectors and keep tiles at work, as far as one thread and the second
// cache do.
constexpr npy_intp small_work = 32768, small_work_of_few_rows = 8192, small_work_of_tiles = 1500000;
constexpr npy_intp few_rows = 8, few_columns = 16, few_terms = 32;

template <class T> struct Matrix {
    Factor<T> factor;
    npy_intp rows, columns;
    PyArrayObject* array = nullptr;  // whose matrix it is, or (`turned`) the transpose of whose; not owned
    bool turned = false;
    Matrix transposed() const { return {factor.transposed(), columns, rows, array, !turned}; }
};

// How far neighbours along an axis are apart, in elements; false if that is no whole number.
template <class T> inline bool step_along(PyArrayObject* array, int axis, npy_intp& step) {
    constexpr npy_intp bytes = sizeof(T);
    const npy_intp stride = PyArray_STRIDE(array, axis);
    step = PyArray_DIM(array, axis) > 1 ? stride / bytes : 1;
    return PyArray_DIM(array, axis) <= 1 || stride % bytes == 0;
}

// The matrix of the last two axes of an array with `ndim` axes, in whatever order.
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
// Whether it is one with so few columns that rows of `b` stay in registers and the first cache while `a` is read once,
// as it lies: neither packed panels nor a BLAS, which lay both out, are as fast. (Of columns of `a` that are far apart,
// cache lines would be read again for each tile.)
template <class T> inline bool is_narrow(const Matrix<T>& a, const Matrix<T>& b) {
    constexpr npy_intp most_depth = 4096, most_apart = 256;  // of one sum; bytes
    constexpr npy_intp most_turned = 256,
                       rows_for_turns = 512;  // for which copies of turned rows of `b` are soon made, or worth it
    if (a.factor.column != 1 && a.factor.column * static_cast<npy_intp>(sizeof(T)) > most_apart) return false;
    if (b.factor.column != 1 && a.columns > most_turned && a.rows < rows_for_turns) return false;
    const npy_intp lanes = loops<T>().lanes;
    return a.columns == b.rows && lanes * sizeof(T) >= 32 && a.rows >= few_rows && a.columns > 0 &&
           a.columns <= most_depth && b.columns > 1 && b.columns <= 4 * lanes &&
           (Size(a.rows) * b.columns * static_cast<npy_intp>(sizeof(T))).fits();
}
// Whether a product that is neither is one of packed panels.
template <class T> inline bool is_large(const Matrix<T>& a, const Matrix<T>& b) {
    return a.columns == b.rows && LargeProduct<T>::knows(a.factor, b.factor, a.rows, a.columns, b.columns);
}
template <class T> inline void multiply_large(const Matrix<T>& a, const Matrix<T>& b, T* out) {
    const ReleaseGil unlocked((Size(a.rows) * a.columns * b.columns).value_or_most() >= 8 * thread_threshold);
    LargeProduct<T>(a.factor, b.factor, a.rows, a.columns, b.columns).run(a.factor.data, b.factor.data, out);
}
// Whether it is one of so few multiplications for each element that BLAS takes longer to lay the factors out.
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
template <class T> inline void multiply(const Matrix<T>& a, const Matrix<T>& b, T* out) {
    loops<T>().small_product(a.factor, b.factor, out, a.rows, a.columns, b.columns);
}

// The same of many rows, which threads share.
template <class T> inline void multiply_rows(const Matrix<T>& a, const Matrix<T>& b, T* out) {
    constexpr npy_intp block = 64;
    const npy_intp depth = a.columns, columns = b.columns;
    parallel_for((a.rows + block - 1) / block, (Size(block) * depth * columns).value_or_most(),
                 [=](npy_intp begin, npy_intp end) {
                     const npy_intp row = begin * block, rows = std::min(end * block, a.rows) - row;
                     loops<T>().small_product({a.factor.data + row * a.factor.row, a.factor.row, a.factor.column},
                                              b.factor, out + row * columns, rows, depth, columns);
                 });
}
template <class T> inline void multiply_narrow(const Matrix<T>& a, const Matrix<T>& b, T* out) {
    const ReleaseGil unlocked((Size(a.rows) * a.columns * b.columns).value_or_most() >= 8 * thread_threshold);
    multiply_rows(a, b, out);
}

// A new matrix, laid row by row or column by column.
template <class T> inline PyArrayObject* new_matrix(npy_intp rows, npy_intp columns, bool by_columns) {
    const npy_intp shape[2] = {by_columns ? columns : rows, by_columns ? rows : columns};
    PyArrayObject* made = new_array(descr_of<T>(), 2, shape);
    if (!made || !by_columns) return made;
    std::swap(PyArray_DIMS(made)[0], PyArray_DIMS(made)[1]);
    std::swap(PyArray_STRIDES(made)[0], PyArray_STRIDES(made)[1]);
    PyArray_UpdateFlags(made, NPY_ARRAY_C_CONTIGUOUS | NPY_ARRAY_F_CONTIGUOUS);
    return made;
}

// a b as a new matrix, laid row by row, or (`by_columns`) column by column; null without an error if it is neither
// small, thin, narrow nor large. A `bias` for each column is added, if the product is thin, or left to the caller: then
// `*added` stays as it was.
template <class T>
inline PyArrayObject* product(const Matrix<T>& a, const Matrix<T>& b, bool by_columns = false, const T* bias = nullptr,
                              bool* added = nullptr) {
    const bool small = is_small(a, b), thin = !small && !by_columns && is_thin(a, b);
    const bool narrow = !small && !thin && (by_columns ? is_narrow(b.transposed(), a.transposed()) : is_narrow(a, b));
    if (!small && !thin && !narrow && !(by_columns ? is_large(b.transposed(), a.transposed()) : is_large(a, b)))
        return nullptr;
    PyArrayObject* result = new_matrix<T>(a.rows, b.columns, by_columns);
    if (!result) return nullptr;
    Owned made(result);
    const auto form = small ? multiply<T> : narrow ? multiply_narrow<T> : multiply_large<T>;
    if (thin)
        multiply_thin(a, b, bias, data_of<T>(result));
    else if (by_columns)
        form(b.transposed(), a.transposed(), data_of<T>(result));
    else
        form(a, b, data_of<T>(result));
    if (thin && added) *added = true;
    return reinterpret_cast<PyArrayObject*>(made.give());
}

// What is added to a product: it broadcasts to (rows, columns), steps are 0 where it repeats.
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

// The shape and the strides in bytes of a factor, as they were saved.
struct Place {
    npy_intp shape[2] = {}, strides[2] = {};
    // Gradients lie as their factor does.
    bool by_columns(npy_intp itemsize) const {
        return strides[0] == itemsize && (Size(itemsize) * shape[0] - strides[1]).value_or_most() == 0;
    }
};
inline bool as_place(PyObject* shape, PyObject* strides, Place& place) {
    return PyTuple_CheckExact(shape) && PyTuple_CheckExact(strides) && as_pair(shape, place.shape) &&
           as_pair(strides, place.strides);
}

// The product of two real matrices of one dtype, or the products of a batch; null without an error for a batch of
// middling ones.
PyObject* real_products(PyArrayObject* a, PyArrayObject* b);

}  // namespace wengert
