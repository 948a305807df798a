// Where a result that levels off has lost the digits that its derivative is told by, and the rules of such functions:
// by the result, or, given what the result has lost the digits of, by that.
#include "binding/dense.hpp"
#include "binding/halves.hpp"
#include "binding/laid.hpp"
#include "pointwise/pointwise.hpp"

#include <atomic>
#include <limits>

namespace wengert {
namespace {

// Whether an element lies below `low` or above `high`, or is NaN, which hides the others.
template <class T> bool reaches(const T* x, npy_intp count, double low, double high) {
    constexpr npy_intp block = 4096;
    std::atomic<bool> found{false};
    ReleaseGil unlocked(count >= thread_threshold);
    parallel_for((count - 1) / block + 1, block / 4, [&](npy_intp begin, npy_intp end) {
        for (npy_intp b = begin; b < end && !found.load(std::memory_order_relaxed); ++b) {
            const T* first = x + b * block;
            const npy_intp some = count - b * block < block ? count - b * block : block;
            const bool above = high < std::numeric_limits<double>::infinity() &&
                               !(loops<T>().row_extreme[MAXIMAL](first, some) <= T(high));
            if (above || (low > -std::numeric_limits<double>::infinity() &&
                          !(loops<T>().row_extreme[MINIMAL](first, some) >= T(low))))
                found.store(true, std::memory_order_relaxed);
        }
    });
    return found.load();
}
// The same of halves: without their signs, they are in the order of their bits.
bool halves_reach(const uint16_t* x, npy_intp count, bool below, bool above, unsigned bound, unsigned infinity) {
    unsigned found = 0;
    ReleaseGil unlocked(count >= thread_threshold);
    for (npy_intp i = 0; i < count; ++i) {
        const unsigned bits = x[i], size = bits & 0x7fff;
        found |= ((size > bound ? 1u : 0u) & ((bits >> 15) != 0 ? unsigned(below) : unsigned(above))) |
                 (size > infinity ? 1u : 0u);
    }
    return found != 0;
}

// Beyond which size, and on which sides, by the digits of a dtype; those of the twins.
struct Reach {
    bool below, above;
    double single, full;
    unsigned halves[HALF_COUNT];
};
constexpr Reach of_sigmoid = {false, true, 9.5, 21.5, {0x4400, 0x4040}};  // 4 and 3
constexpr Reach of_tanh = {true, true, 4.75, 10.75, {0x4000, 0x3fc0}};    // 2 and 1.5
constexpr Reach of_expm1 = {true, false, 9.5, 21.5, {0x4400, 0x4040}};

// Null for what is unknown.
PyObject* reached(PyObject* object, const Reach& reach) {
    PyArrayObject* x = plain(object);
    if (!x) x = dense(object);
    if (!x || PyArray_SIZE(x) == 0) return nullptr;
    const npy_intp count = PyArray_SIZE(x);
    constexpr double none = std::numeric_limits<double>::infinity();
    if (PyArray_DESCR(x) == float_descr)
        return PyBool_FromLong(
            reaches(data_of<float>(x), count, reach.below ? -reach.single : -none, reach.above ? reach.single : none));
    if (PyArray_DESCR(x) == double_descr)
        return PyBool_FromLong(
            reaches(data_of<double>(x), count, reach.below ? -reach.full : -none, reach.above ? reach.full : none));
    const int half = half_of(PyArray_DESCR(x));
    if (half == HALF_COUNT) return nullptr;
    return PyBool_FromLong(halves_reach(data_of<uint16_t>(x), count, reach.below, reach.above, reach.halves[half],
                                        half == FLOAT16 ? 0x7c00 : 0x7f80));
}

Twin sigmoid_twin("sigmoid_saturates"), tanh_twin("tanh_saturates"), expm1_twin("expm1_saturates");
const char* const names[] = {"x"};
template <const Twin& twin, const Reach& reach>
PyObject* saturates(PyObject*, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames) {
    return try_native<1>(twin, names, 1, args, nargs, kwnames,
                         [](PyObject** slots) { return reached(slots[0], reach); });
}

// (grad, out, tail): `tail` is None, or what `out` has lost the digits of
template <Binary by_result, Binary by_operand> PyObject* rule(PyObject* const* args) {
    if (!PyArray_Check(args[0]) || !PyArray_Check(args[1])) return nullptr;
    return args[2] == Py_None ? direct_binary(by_result, args[0], args[1])
                              : direct_binary(by_operand, args[0], args[2]);
}

PyMethodDef saturation_methods[] = {
    fast_method("sigmoid_saturates", saturates<sigmoid_twin, of_sigmoid>, "sigmoid_saturates(x)"),
    fast_method("tanh_saturates", saturates<tanh_twin, of_tanh>, "tanh_saturates(x)"),
    fast_method("expm1_saturates", saturates<expm1_twin, of_expm1>, "expm1_saturates(x)"),
    direct_method("direct_sigmoid_rule", iterated<direct<3, rule<SIGMOID_BACKWARD, SIGMOID_SLOPE>>>,
                  "(grad, out, tail), or NotImplemented"),
    direct_method("direct_tanh_rule", iterated<direct<3, rule<TANH_BACKWARD, TANH_SLOPE>>>,
                  "(grad, out, tail), or NotImplemented"),
    {nullptr, nullptr, 0, nullptr},
};
MethodList saturation_list(saturation_methods);

}  // namespace
}  // namespace wengert
