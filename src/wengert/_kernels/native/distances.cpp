// Distances between the rows of small matrices, for the cards of these names: norms of differences of any order from 0 on.
#include "direct.hpp"

#include <algorithm>
#include <vector>

namespace wengert {
namespace {

using Call = PyObject* const*;

constexpr npy_intp near_count = 2048;  // numbers that wait near the processor
constexpr npy_intp most_differences = 32768;  // of more, NumPy's loops make up for its calls

// The norm of order `p` of the difference of two rows.
template <class T>
T apart(const T* x, const T* y, npy_intp width, double p) {
    T sum = 0;
    for (npy_intp k = 0; k < width; ++k) {
        const T size = std::fabs(x[k] - y[k]);
        if (p == 2) sum += size * size;
        else if (p == 1) sum += size;
        else if (p == 0) sum += size != size ? size : T(size != 0);
        else if (std::isinf(p)) sum = size != size || size > sum ? size : sum;  // NaN stays: nothing is larger
        else sum += std::pow(size, static_cast<T>(p));
        if (std::isinf(p) && sum != sum) return sum;
    }
    return p == 2 ? std::sqrt(sum) : p == 0 || p == 1 || std::isinf(p) ? sum : std::pow(sum, static_cast<T>(1 / p));
}

// The same of wide rows, of order 1 or 2.
template <class T>
T apart_by_loops(const T* x, const T* y, npy_intp width, double p) {
    T differences[near_count];
    loops<T>().binary[SUBTRACT](x, 1, y, 1, differences, width);
    const double sum = loops<T>().row_sum[p == 1 ? OF_SIZES : OF_SQUARES](differences, width);
    return static_cast<T>(p == 1 ? sum : std::sqrt(sum));
}

bool as_order(PyObject* object, double& p) { return PyFloat_CheckExact(object) && (p = PyFloat_AS_DOUBLE(object)) >= 0; }

// cdist(x1, x2, p), of two matrices
template <class T>
PyObject* cdist(Call args) {
    PyArrayObject *a = plain(args[0], descr_of<T>()), *b = plain(args[1], descr_of<T>());
    double p = 2;
    if (!a || !b || PyArray_NDIM(a) != 2 || PyArray_NDIM(b) != 2 || PyArray_DIM(a, 1) != PyArray_DIM(b, 1) || !as_order(args[2], p)) return nullptr;
    const npy_intp width = PyArray_DIM(a, 1), shape[2] = {PyArray_DIM(a, 0), PyArray_DIM(b, 0)};
    if ((Size(shape[0]) * shape[1] * width).value_or_most() > most_differences || PyArray_SIZE(a) == 0 || PyArray_SIZE(b) == 0) return nullptr;
    Owned result(new_array(descr_of<T>(), 2, shape));
    if (!result) return nullptr;
    T* out = data_of<T>(result.get());
    for (npy_intp i = 0; i < shape[0]; ++i)
        for (npy_intp j = 0; j < shape[1]; ++j) *out++ = apart(data_of<T>(a) + i * width, data_of<T>(b) + j * width, width, p);
    return result.give();
}

// pdist(self, p), of one matrix
template <class T>
PyObject* pdist(Call args) {
    PyArrayObject* x = plain(args[0], descr_of<T>());
    double p = 2;
    if (!x || PyArray_NDIM(x) != 2 || PyArray_SIZE(x) == 0 || !as_order(args[1], p)) return nullptr;
    const npy_intp rows = PyArray_DIM(x, 0), width = PyArray_DIM(x, 1);
    const bool wide = width >= 64 && width <= near_count && (p == 1 || p == 2);
    if (!wide && (Size(rows) * rows * width).value_or_most() > most_differences) return nullptr;
    if (!(Size(rows) * rows).fits()) return nullptr;
    const npy_intp count = rows * (rows - 1) / 2;
    Owned result(new_array(descr_of<T>(), 1, &count));
    if (!result) return nullptr;
    T* out = data_of<T>(result.get());
    const T* first = data_of<T>(x);
    ReleaseGil unlocked((Size(count) * width).value_or_most() >= thread_threshold);
    for (npy_intp i = 0; i < rows; ++i)
        for (npy_intp j = i + 1; j < rows; ++j) *out++ = wide ? apart_by_loops(first + i * width, first + j * width, width, p) : apart(first + i * width, first + j * width, width, p);
    return result.give();
}

// In pieces that do not depend on the number of threads.
template <class T>
double sum_of_differences(const T* x, const T* y, npy_intp count, Sum kind) {
    constexpr npy_intp piece = 65536;
    const npy_intp pieces = (count + piece - 1) / piece;
    std::vector<double> sums(static_cast<size_t>(pieces));
    double* sum = sums.data();
    ReleaseGil unlocked(true);
    parallel_for(pieces, 2 * piece, [=](npy_intp begin, npy_intp end) {
        T differences[near_count];
        for (npy_intp k = begin; k < end; ++k)
            for (npy_intp at = k * piece, last = std::min(at + piece, count); at < last; at += near_count) {
                const npy_intp some = std::min(near_count, last - at);
                loops<T>().binary[SUBTRACT](x + at, 1, y + at, 1, differences, some);
                sum[k] += loops<T>().row_sum[kind](differences, some);
            }
    });
    double total = 0;
    for (const double each : sums) total += each;
    return total;
}

// dist(self, other, p), of one shape; of order 0 it counts NaN, which the distances above do not
template <class T>
PyObject* dist(Call args) {
    PyArrayObject *a = plain(args[0], descr_of<T>()), *b = plain(args[1], descr_of<T>());
    double p = 2;
    if (!a || !b || !same_shape(a, b) || !as_number(args[2], p) || !(p > 0)) return nullptr;
    if (PyArray_SIZE(a) == 0) return nullptr;
    const bool many = PyArray_SIZE(a) > most_differences;
    if (many && p != 1 && p != 2) return nullptr;
    Owned result(new_array(descr_of<T>(), 0, nullptr));
    if (!result) return nullptr;
    if (many) {
        const double sum = sum_of_differences(data_of<T>(a), data_of<T>(b), PyArray_SIZE(a), p == 1 ? OF_SIZES : OF_SQUARES);
        *data_of<T>(result.get()) = static_cast<T>(p == 1 ? sum : std::sqrt(sum));
        return result.give();
    }
    *data_of<T>(result.get()) = apart(data_of<T>(a), data_of<T>(b), PyArray_SIZE(a), p);
    return result.give();
}

template <class T>
void shorten_rows(const T* x, T* out, npy_intp rows, npy_intp width, T most) {
    ReleaseGil unlocked((Size(rows) * width).value_or_most() >= thread_threshold);
    parallel_for(rows, 2 * width, [=](npy_intp begin, npy_intp end) {
        for (npy_intp row = begin; row < end; ++row) {
            const T norm = static_cast<T>(std::sqrt(loops<T>().row_sum[OF_SQUARES](x + row * width, width)));
            const T factor = norm > most ? most / (norm + T(1e-7)) : T(1);
            loops<T>().binary[MULTIPLY](x + row * width, 1, &factor, 0, out + row * width, width);
        }
    });
}

// renorm(self, p, dim, maxnorm): every slice along a dimension at most `maxnorm` long
template <class T>
PyObject* renorm(Call args) {
    PyArrayObject* x = plain(args[0], descr_of<T>());
    double p = 2, most = 0;
    int axis = 0;
    if (!x || PyArray_NDIM(x) < 2 || PyArray_SIZE(x) == 0) return nullptr;
    if (!as_number(args[1], p) || !as_number(args[3], most) || !as_axis(args[2], PyArray_NDIM(x), axis)) return nullptr;
    if (!(p > 0) || !(most >= 0) || !std::isfinite(p) || !std::isfinite(most)) return nullptr;
    const Line line = line_of(PyArray_DIMS(x), PyArray_NDIM(x), axis);
    const bool rows = line.outer == 1 && p == 2;
    if (!rows && PyArray_SIZE(x) > most_differences) return nullptr;
    Owned result(new_array(descr_of<T>(), PyArray_NDIM(x), PyArray_DIMS(x)));
    if (!result) return nullptr;
    if (rows) {
        shorten_rows(data_of<T>(x), data_of<T>(result.get()), line.length, line.inner, static_cast<T>(most));
        return result.give();
    }
    for (npy_intp k = 0; k < line.length; ++k) {
        const npy_intp first = k * line.inner, step = line.length * line.inner;
        double sum = 0;
        for (npy_intp outer = 0; outer < line.outer; ++outer)
            for (npy_intp i = 0; i < line.inner; ++i) {
                const double size = std::fabs(static_cast<double>(data_of<T>(x)[outer * step + first + i]));
                sum += p == 2 ? size * size : p == 1 ? size : std::pow(size, p);
            }
        const T norm = static_cast<T>(p == 2 ? std::sqrt(sum) : p == 1 ? sum : std::pow(sum, 1 / p));
        const T factor = norm > static_cast<T>(most) ? static_cast<T>(most) / (norm + T(1e-7)) : T(1);
        for (npy_intp outer = 0; outer < line.outer; ++outer)
            for (npy_intp i = 0; i < line.inner; ++i) {
                const npy_intp place = outer * step + first + i;
                data_of<T>(result.get())[place] = data_of<T>(x)[place] * factor;
            }
    }
    return result.give();
}

#define WENGERT_DISTANCE(count, name, arguments) \
    direct_method("direct_" #name, direct<count, by_element<name<float>, name<double>>>, #name arguments ", or NotImplemented"),
PyMethodDef distances_methods[] = {
    WENGERT_DISTANCE(3, cdist, "(x1, x2, p)")
    WENGERT_DISTANCE(2, pdist, "(self, p)")
    WENGERT_DISTANCE(3, dist, "(self, other, p)")
    WENGERT_DISTANCE(4, renorm, "(self, p, dim, maxnorm)")
    {nullptr, nullptr, 0, nullptr},
};
#undef WENGERT_DISTANCE
MethodList distances_list(distances_methods);

}  // namespace
}  // namespace wengert
