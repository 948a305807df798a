// Orthogonal factors of larger matrices, and least squares by them, by the blocks of linalg/reflections.hpp. Left to
// the implementations in Python are values that are not finite, very small or very large, matrices that may not have
// full rank, and all matrices where vectors are narrow.
#include "linalg/orthogonal_large.hpp"

#include "linalg/factors_large.hpp"
#include "linalg/matrices.hpp"
#include "linalg/reflections.hpp"

namespace wengert {
namespace {

using Call = PyObject* const*;

// Copy the upper triangle of `rows` rows of a, with zeros below the diagonal.
template <class T> void store_upper(Columns<T> a, npy_intp rows, npy_intp columns, T* out) {
    for (npy_intp j = 0; j < columns; ++j) {
        const npy_intp used = std::min(j + 1, rows);
        std::copy_n(a.column(j), used, out + j * rows);
        std::fill_n(out + j * rows + used, rows - used, T(0));
    }
}
// An estimate of the largest singular value of a square matrix, from some steps of the power method with R' R. The
// vector it starts from is irregular, so that no symmetry of R makes it orthogonal to the one that is sought.
template <class T> double largest_value(Factor<T> r, npy_intp side) {
    constexpr int steps = 10;
    const Scratch<T> memory = scratch<T>(2 * side);
    T *x = memory.get(), *y = x + side;
    double size = 0;
    for (npy_intp i = 0; i < side; ++i)
        x[i] = static_cast<T>(0.5 + std::fmod(static_cast<double>(i) * 0.6180339887498949, 1.0));
    for (int step = 0; step < steps; ++step) {
        const double before = loops<T>().row_sum[OF_SQUARES](x, side);
        loops<T>().small_product({x, side, 1}, r.transposed(), nullptr, y, 1, side, side);
        const double after = loops<T>().row_sum[OF_SQUARES](y, side);
        size = std::sqrt(after / before);
        if (!(after > 0) || !std::isfinite(after)) break;
        const T part = static_cast<T>(1 / std::sqrt(after));
        for (npy_intp i = 0; i < side; ++i) y[i] *= part;
        loops<T>().small_product({y, side, 1}, r, nullptr, x, 1, side, side);
    }
    return size;
}
// Whether no singular value of a triangle is below `part` times the largest one: 1 over the norm of the inverse is a
// lower bound of the smallest.
template <class T> bool has_full_rank(const T* r, npy_intp side, double part) {
    for (npy_intp i = 0; i < side; ++i)
        if (r[i * side + i] == 0) return false;
    const Scratch<T> inverse = zeros<T>(side * side);
    for (npy_intp i = 0; i < side; ++i) inverse.get()[i * side + i] = 1;
    substitute<T>({r, 1, side}, side, true, false, {inverse.get(), side}, side);
    const double least = 1 / std::sqrt(loops<T>().row_sum[OF_SQUARES](inverse.get(), side * side));
    return 1.1 * part * largest_value<T>({r, 1, side}, side) < least;
}

}  // namespace

template <class T> PyObject* large_qr(Call args) {
    Matrices<T> a;
    if (!is_text(args[1], "reduced") || !read_large(args[0], a)) return nullptr;
    const npy_intp rows = a.rows, columns = a.columns, count = std::min(rows, columns);
    Owned results[2] = {Owned(new_columns(a, rows, count)), Owned(new_columns(a, count, columns))};
    if (!results[0] || !results[1]) return nullptr;
    T *left = data_of<T>(results[0].get()), *right = data_of<T>(results[1].get());
    const bool accepted = for_each_matrix(a.count, work(a, 4 * count), [=](npy_intp at) {
        const Scratch<T> matrix = scratch<T>(volume(a));
        a.load(at, matrix.get(), true);
        if (!all_finite(matrix.get(), rows * columns)) return false;
        const Reflections<T> reflections(rows, columns);
        if (!reflections.factor({matrix.get(), rows})) return false;
        reflections.store({left + at * rows * count, rows});
        store_upper<T>({matrix.get(), rows}, count, columns, right + at * count * columns);
        return true;
    });
    return accepted ? give_tuple(results, 2) : nullptr;
}

// Least squares of matrices that are not wide, by the driver that returns neither residuals nor singular values.
template <class T> PyObject* large_lstsq(Call args) {
    Matrices<T> a, b;
    if (args[2] != Py_None || !(args[3] == Py_None || is_text(args[3], "gelsy")) || !read_large(args[0], a) ||
        !b.read_any(args[1], 1))
        return nullptr;
    if (!a.same_lead(b) || a.rows != b.rows || a.rows < a.columns) return nullptr;
    const npy_intp rows = a.rows, columns = a.columns, width = b.columns;
    Solutions<T> solutions(a, b);
    if (!solutions.all()) return nullptr;
    T* out = solutions.values();
    int64_t* ranks = solutions.ranks();
    const double part = default_tolerance(a);
    const bool accepted = for_each_matrix(a.count, work(a, 2 * (columns + width)), [=](npy_intp at) {
        const Scratch<T> matrix = scratch<T>(volume(a)), right = scratch<T>(volume(b)),
                         upper = scratch<T>(columns * columns);
        a.load(at, matrix.get(), true);
        b.load(at, right.get(), true);
        if (!all_finite(matrix.get(), volume(a)) || !all_finite(right.get(), volume(b))) return false;
        const Reflections<T> reflections(rows, columns);
        if (!reflections.factor({matrix.get(), rows})) return false;
        store_upper<T>({matrix.get(), rows}, columns, columns, upper.get());
        if (!has_full_rank(upper.get(), columns, part)) return false;
        reflections.apply_transposed({right.get(), rows}, width);
        T* solution = out + at * columns * width;
        for (npy_intp j = 0; j < width; ++j) std::copy_n(right.get() + j * rows, columns, solution + j * columns);
        substitute<T>({upper.get(), 1, columns}, columns, true, false, {solution, columns}, width);
        ranks[at] = columns;
        return all_finite(solution, columns * width);
    });
    return accepted ? solutions.give() : nullptr;
}

template PyObject* large_qr<float>(PyObject* const*);
template PyObject* large_qr<double>(PyObject* const*);
template PyObject* large_lstsq<float>(PyObject* const*);
template PyObject* large_lstsq<double>(PyObject* const*);

}  // namespace wengert
