// Distances between the rows of matrices: norms of differences, of any order from 0 on. Also `dist` and `renorm`.
#include "binding/memory_order.hpp"
#include "reduce/norms.hpp"

#include <algorithm>
#include <atomic>
#include <vector>

namespace wengert {
namespace {

using Call = PyObject* const*;

constexpr npy_intp block_size = 2048;         // differences that are kept in the first cache
constexpr npy_intp most_differences = 32768;  // for more of them NumPy is as fast, except for orders 1 and 2

// The norm of order `p` of the difference of two rows, scaled, for powers that overflow or underflow.
template <class T> T scaled_distance(const T* x, const T* y, npy_intp width, double p) {
    return scaled_norm<T>(width, p, [=](npy_intp k) { return std::fabs(x[k] - y[k]); });
}
// The norm of order `p` of the difference of two rows.
template <class T> T distance(const T* x, const T* y, npy_intp width, double p, const Normal<T>& normal) {
    T sum = 0;
    for (npy_intp k = 0; k < width; ++k) {
        const T size = std::fabs(x[k] - y[k]);
        if (p == 2)
            sum += size * size;
        else if (p == 1)
            sum += size;
        else if (p == 0)
            sum += size != size ? size : T(size != 0);
        else if (std::isinf(p))
            sum = size != size || size > sum ? size : sum;  // NaN stays: nothing is larger
        else
            sum += std::pow(size, static_cast<T>(p));
        if (std::isinf(p) && sum != sum) return sum;
    }
    T norm = sum;
    if (p == 2)
        norm = std::sqrt(sum);
    else if (p != 0 && p != 1 && !std::isinf(p))
        norm = std::pow(sum, static_cast<T>(1 / p));
    return normal.holds(norm) ? norm : scaled_distance(x, y, width, p);
}

bool as_order(PyObject* object, double& p) {
    return PyFloat_CheckExact(object) && (p = PyFloat_AS_DOUBLE(object)) >= 0;
}
// Whether there are vector loops for the order.
bool has_loops(double p) { return p == 1 || p == 2; }
Distance kind_of(double p) { return p == 1 ? ABSOLUTE_DIFFERENCES : SQUARED_DIFFERENCES; }

// The distances of order `p` of the row x from `count` contiguous rows.
template <class T>
void distances_of_row(const T* x, const T* others, npy_intp count, npy_intp width, double p, const Normal<T>& normal,
                      T* out) {
    if (!has_loops(p)) {
        for (npy_intp j = 0; j < count; ++j) out[j] = distance(x, others + j * width, width, p, normal);
        return;
    }
    loops<T>().row_distances[kind_of(p)](x, others, count, width, out);
    for (npy_intp j = 0; j < count; ++j)
        if (!normal.holds(out[j])) out[j] = scaled_distance(x, others + j * width, width, p);
}

// Two batches with equally many matrices, all with rows of one width.
template <class T> struct Stacks {
    const T *first = nullptr, *second = nullptr;
    npy_intp count = 1, rows = 0, others = 0, width = 0, shape[most_dims];
    int ndim = 0;

    bool read(PyArrayObject* a, PyArrayObject* b) {
        if (!a || !b || PyArray_NDIM(a) < 2 || PyArray_NDIM(a) != PyArray_NDIM(b) || PyArray_NDIM(a) > most_dims)
            return false;
        if (PyArray_SIZE(a) == 0 || PyArray_SIZE(b) == 0) return false;
        ndim = PyArray_NDIM(a), width = PyArray_DIM(a, ndim - 1), rows = PyArray_DIM(a, ndim - 2),
        others = PyArray_DIM(b, ndim - 2);
        if (PyArray_DIM(b, ndim - 1) != width) return false;
        for (int i = 0; i < ndim - 2; ++i) {
            if (PyArray_DIM(a, i) != PyArray_DIM(b, i)) return false;
            count *= shape[i] = PyArray_DIM(a, i);
        }
        shape[ndim - 2] = rows, shape[ndim - 1] = others;
        first = data_of<T>(a), second = data_of<T>(b);
        return (Size(count) * rows * others).fits();
    }
    npy_intp differences() const { return (Size(count) * rows * others * width).value_or_most(); }
    npy_intp cost() const { return (Size(others) * width).value_or_most(); }
};

// cdist(x1, x2, p)
template <class T> PyObject* cdist(Call args) {
    Stacks<T> s;
    double p = 2;
    if (!s.read(plain(args[0], descr_of<T>()), plain(args[1], descr_of<T>())) || !as_order(args[2], p)) return nullptr;
    if (!has_loops(p) && s.differences() > most_differences) return nullptr;
    Owned result(new_array(descr_of<T>(), s.ndim, s.shape));
    if (!result) return nullptr;
    T* const out = data_of<T>(result.get());
    const Normal<T> normal(p);
    ReleaseGil unlocked(s.differences() >= thread_threshold);
    parallel_for(s.count * s.rows, s.cost(), [=, &s](npy_intp begin, npy_intp end) {
        for (npy_intp at = begin; at < end; ++at) {
            const T *x = s.first + at * s.width, *others = s.second + at / s.rows * s.others * s.width;
            distances_of_row(x, others, s.others, s.width, p, normal, out + at * s.others);
        }
    });
    return result.give();
}

// The factors by which the gradients of `count` distances of order 1 or 2 multiply the signs of the differences
// (order 1) or the differences themselves (order 2). False if a factor overflows or underflows.
template <class T>
bool grad_factors(const T* grad, npy_intp grad_step, const T* lengths, npy_intp step, npy_intp count, double p,
                  T* out) {
    bool known = true;
    for (npy_intp j = 0; j < count; ++j) {
        const T value = grad[j * grad_step], length = lengths[j * step];
        out[j] = value;
        if (p == 1) continue;
        out[j] = length == 0 ? T(0) : value / length;
        known &= length == 0 || value == 0 || std::isnormal(out[j]);
    }
    return known;
}

// Add to `out`, which holds zeros, the gradient of the first batch, or (`side` 1) of the second. False if
// `grad_factors` is.
template <class T> bool add_grads(const Stacks<T>& s, int side, const T* grad, const T* lengths, double p, T* out) {
    const npy_intp own_rows = side ? s.others : s.rows, other_rows = side ? s.rows : s.others;
    const T *x = side ? s.second : s.first, *others = side ? s.first : s.second;
    std::atomic<bool> known = true;
    ReleaseGil unlocked(s.differences() >= thread_threshold);
    parallel_for(s.count * own_rows, (Size(other_rows) * s.width).value_or_most(),
                 [=, &s, &known](npy_intp begin, npy_intp end) {
                     std::vector<T> factors(static_cast<size_t>(other_rows));
                     for (npy_intp at = begin; at < end; ++at) {
                         const npy_intp matrix = at / own_rows, row = at % own_rows;
                         const npy_intp start = matrix * s.rows * s.others + (side ? row : row * s.others),
                                        step = side ? s.others : 1;
                         if (!grad_factors(grad + start, step, lengths + start, step, other_rows, p, factors.data()))
                             known = false;
                         loops<T>().distance_grads[kind_of(p)](x + at * s.width, others + matrix * other_rows * s.width,
                                                               factors.data(), other_rows, s.width, out + at * s.width);
                     }
                 });
    return known;
}

// cdist_rule(grad, x1, x2, out, p, wanted): the gradients of x1 and x2
template <class T> PyObject* cdist_rule(Call args) {
    Stacks<T> s;
    double p = 2;
    if (!s.read(plain(args[1], descr_of<T>()), plain(args[2], descr_of<T>())) || !as_order(args[4], p) || !has_loops(p))
        return nullptr;
    PyArrayObject* lengths = plain(args[3], descr_of<T>());
    const Owned grad(as_contiguous(args[0], descr_of<T>()));
    if (!lengths || !grad || !same_shape(lengths, grad.get()) || PyArray_NDIM(lengths) != s.ndim) return nullptr;
    if (!std::equal(s.shape, s.shape + s.ndim, PyArray_DIMS(lengths))) return nullptr;
    if (!PyTuple_CheckExact(args[5]) || PyTuple_GET_SIZE(args[5]) != 2) return nullptr;
    const auto zeros_for = [&](int side) {
        const bool wanted = PyTuple_GET_ITEM(args[5], side) == Py_True;
        return wanted ? new_zeros(descr_of<T>(), s.ndim, PyArray_DIMS(reinterpret_cast<PyArrayObject*>(args[1 + side])))
                      : nullptr;
    };
    Owned results[2] = {Owned(zeros_for(0)), Owned(zeros_for(1))};
    if (PyErr_Occurred()) return nullptr;
    for (int side = 0; side < 2; ++side)
        if (results[side] &&
            !add_grads(s, side, data_of<T>(grad.get()), data_of<T>(lengths), p, data_of<T>(results[side].get())))
            return nullptr;
    return give_tuple(results, 2);
}

// The position in the result of `pdist` of the distance of row `i` from the next one.
npy_intp first_pair(npy_intp i, npy_intp rows) { return i * (2 * rows - i - 1) / 2; }

// pdist(self, p), of one matrix
template <class T> PyObject* pdist(Call args) {
    PyArrayObject* x = plain(args[0], descr_of<T>());
    double p = 2;
    if (!x || PyArray_NDIM(x) != 2 || PyArray_SIZE(x) == 0 || !as_order(args[1], p)) return nullptr;
    const npy_intp rows = PyArray_DIM(x, 0), width = PyArray_DIM(x, 1),
                   work = (Size(rows) * rows * width).value_or_most();
    if ((!has_loops(p) && work > most_differences) || !(Size(rows) * rows * 2).fits()) return nullptr;
    const npy_intp count = rows * (rows - 1) / 2;
    Owned result(new_array(descr_of<T>(), 1, &count));
    if (!result) return nullptr;
    T* const out = data_of<T>(result.get());
    const T* const first = data_of<T>(x);
    const Normal<T> normal(p);
    ReleaseGil unlocked(work >= thread_threshold);
    parallel_for(rows, work / rows, [=](npy_intp begin, npy_intp end) {
        for (npy_intp i = begin; i < end; ++i) {
            const npy_intp after = rows - i - 1;
            const T *row = first + i * width, *others = row + width;
            distances_of_row(row, others, after, width, p, normal, out + first_pair(i, rows));
        }
    });
    return result.give();
}

// pdist_rule(grad, self, out, p): the gradient, computed row by row, so that it does not depend on the number of
// threads
template <class T> PyObject* pdist_rule(Call args) {
    PyArrayObject *x = plain(args[1], descr_of<T>()), *lengths = plain(args[2], descr_of<T>());
    const Owned grad(as_contiguous(args[0], descr_of<T>()));
    double p = 2;
    if (!x || !lengths || !grad || PyArray_NDIM(x) != 2 || PyArray_SIZE(x) == 0) return nullptr;
    if (!as_order(args[3], p) || !has_loops(p)) return nullptr;
    const npy_intp rows = PyArray_DIM(x, 0), width = PyArray_DIM(x, 1),
                   work = (Size(rows) * rows * width).value_or_most();
    if (!(Size(rows) * rows * 2).fits() || PyArray_SIZE(lengths) != rows * (rows - 1) / 2) return nullptr;
    if (!same_shape(lengths, grad.get())) return nullptr;
    Owned result(new_zeros(descr_of<T>(), 2, PyArray_DIMS(x)));
    if (!result) return nullptr;
    const T *first = data_of<T>(x), *grads = data_of<T>(grad.get()), *distances = data_of<T>(lengths);
    T* const out = data_of<T>(result.get());
    const auto read_factors = [=](npy_intp at, npy_intp some, T* factors) {
        return grad_factors(grads + at, 1, distances + at, 1, some, p, factors);
    };
    std::atomic<bool> known = true;
    {
        ReleaseGil unlocked(work >= thread_threshold);
        parallel_for(rows, work / rows, [=, &known](npy_intp begin, npy_intp end) {
            std::vector<T> factors(static_cast<size_t>(rows));
            for (npy_intp i = begin; i < end; ++i) {
                for (npy_intp j = 0; j < i; ++j) {
                    const npy_intp at = first_pair(j, rows) + i - j - 1;
                    if (!read_factors(at, 1, &factors[static_cast<size_t>(j)])) known = false;
                }
                factors[static_cast<size_t>(i)] = 0;
                if (!read_factors(first_pair(i, rows), rows - i - 1, factors.data() + i + 1)) known = false;
                const auto add = [&](npy_intp row, npy_intp count) {
                    loops<T>().distance_grads[kind_of(p)](first + i * width, first + row * width, factors.data() + row,
                                                          count, width, out + i * width);
                };
                add(0, i);
                add(i + 1, rows - i - 1);
            }
        });
    }
    return known ? result.give() : nullptr;
}

// The sum over x - y of absolute values or squares, in pieces that do not depend on the number of threads.
template <class T> double sum_of_differences(const T* x, const T* y, npy_intp count, Sum kind) {
    constexpr npy_intp piece = 65536;
    const npy_intp pieces = (count + piece - 1) / piece;
    std::vector<double> sums(static_cast<size_t>(pieces));
    double* sum = sums.data();
    ReleaseGil unlocked(true);
    parallel_for(pieces, 2 * piece, [=](npy_intp begin, npy_intp end) {
        T differences[block_size];
        for (npy_intp k = begin; k < end; ++k)
            for (npy_intp at = k * piece, last = std::min(at + piece, count); at < last; at += block_size) {
                const npy_intp some = std::min(block_size, last - at);
                loops<T>().binary[SUBTRACT](x + at, 1, y + at, 1, differences, some);
                sum[k] += loops<T>().row_sum[kind](differences, some);
            }
    });
    double total = 0;
    for (const double part : sums) total += part;
    return total;
}

// dist(self, other, p), of operands of one shape. Of order 0 it would count NaN, unlike the distances above, and is
// left to Python.
template <class T> PyObject* dist(Call args) {
    PyArrayObject *a = plain(args[0], descr_of<T>()), *b = plain(args[1], descr_of<T>());
    double p = 2;
    if (!a || !b || !same_shape(a, b) || !as_number(args[2], p) || !(p > 0)) return nullptr;
    if (PyArray_SIZE(a) == 0) return nullptr;
    const bool many = PyArray_SIZE(a) > most_differences;
    if (many && p != 1 && p != 2) return nullptr;
    Owned result(new_array(descr_of<T>(), 0, nullptr));
    if (!result) return nullptr;
    const Normal<T> normal(p);
    if (many) {
        const double sum =
            sum_of_differences(data_of<T>(a), data_of<T>(b), PyArray_SIZE(a), p == 1 ? OF_SIZES : OF_SQUARES);
        const T norm = static_cast<T>(p == 1 ? sum : std::sqrt(sum));
        *data_of<T>(result.get()) =
            normal.holds(norm) ? norm : scaled_distance(data_of<T>(a), data_of<T>(b), PyArray_SIZE(a), p);
        return result.give();
    }
    *data_of<T>(result.get()) = distance(data_of<T>(a), data_of<T>(b), PyArray_SIZE(a), p, normal);
    return result.give();
}

// size ** p and sum ** (1 / p), the common orders without a call of `pow`.
double power_of(double size, double p) {
    if (p == 2) return size * size;
    return p == 1 ? size : std::pow(size, p);
}
double root_of(double sum, double p) {
    if (p == 2) return std::sqrt(sum);
    return p == 1 ? sum : std::pow(sum, 1 / p);
}

// Scale rows that are longer than `most` to that length.
template <class T> void shorten_rows(const T* x, T* out, npy_intp rows, npy_intp width, T most) {
    const Normal<T> normal(2);
    ReleaseGil unlocked((Size(rows) * width).value_or_most() >= thread_threshold);
    parallel_for(rows, 2 * width, [=](npy_intp begin, npy_intp end) {
        for (npy_intp row = begin; row < end; ++row) {
            T norm = static_cast<T>(std::sqrt(loops<T>().row_sum[OF_SQUARES](x + row * width, width)));
            if (!normal.holds(norm))
                norm = scaled_norm<T>(width, 2, [=](npy_intp k) { return std::fabs(x[row * width + k]); });
            const T factor = norm > most ? most / (norm + T(1e-7)) : T(1);
            loops<T>().binary[MULTIPLY](x + row * width, 1, &factor, 0, out + row * width, width);
        }
    });
}

// renorm(self, p, dim, maxnorm): every slice along a dimension has at most the norm `maxnorm`
template <class T> PyObject* renorm(Call args) {
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
    const Normal<T> normal(p);
    for (npy_intp k = 0; k < line.length; ++k) {
        const npy_intp first = k * line.inner, step = line.length * line.inner;
        double sum = 0;
        for (npy_intp outer = 0; outer < line.outer; ++outer)
            for (npy_intp i = 0; i < line.inner; ++i) {
                const double size = std::fabs(static_cast<double>(data_of<T>(x)[outer * step + first + i]));
                sum += power_of(size, p);
            }
        T norm = static_cast<T>(root_of(sum, p));
        if (!normal.holds(norm))
            norm = scaled_norm<T>(line.outer * line.inner, p, [&](npy_intp at) {
                return std::fabs(data_of<T>(x)[at / line.inner * step + first + at % line.inner]);
            });
        const T factor = norm > static_cast<T>(most) ? static_cast<T>(most) / (norm + T(1e-7)) : T(1);
        for (npy_intp outer = 0; outer < line.outer; ++outer)
            for (npy_intp i = 0; i < line.inner; ++i) {
                const npy_intp index = outer * step + first + i;
                data_of<T>(result.get())[index] = data_of<T>(x)[index] * factor;
            }
    }
    return result.give();
}

#define WENGERT_DISTANCE(count, name, arguments) \
    WENGERT_ENTRY(name, arguments, on_contiguous<direct<count, by_element<name<float>, name<double>>>>)
Methods distances_methods({
    WENGERT_DISTANCE(3, cdist, "(x1, x2, p)"),
    WENGERT_DISTANCE(2, pdist, "(self, p)"),
    WENGERT_DISTANCE(6, cdist_rule, "(grad, x1, x2, out, p, wanted)"),
    WENGERT_DISTANCE(4, pdist_rule, "(grad, self, out, p)"),
    WENGERT_DISTANCE(3, dist, "(self, other, p)"),
    WENGERT_DISTANCE(4, renorm, "(self, p, dim, maxnorm)"),
});
#undef WENGERT_DISTANCE

}  // namespace
}  // namespace wengert
