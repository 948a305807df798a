// Saturation: whether results are so near to a limit that the derivative cannot be computed from them, and the rules of
// such functions: from the result, or, where that saturates, from the operand.
#include "binding/dense.hpp"
#include "binding/halves.hpp"
#include "binding/memory_order.hpp"
#include "binding/work.hpp"
#include "pointwise/pointwise.hpp"

#include <atomic>
#include <limits>

namespace wengert {
namespace {

// Whether an element lies below `low` or above `high`, or is NaN.
template <class T> bool any_beyond(const T* x, npy_intp count, double low, double high) {
    constexpr npy_intp block = 4096, step = sizeof(T);
    const auto is_beyond = [=](char* const* at, npy_intp some) -> bool {
        return loops<T>().any_outside(elements_at<T>(at[0]), some, T(low), T(high));
    };
    if (work_notes && count >= many_elements)
        note_elements(element_notes(ElementNotes::TEST, count, 1, is_beyond, {{x, step}}));
    std::atomic<bool> any{false};
    const NotesAside aside;
    ReleaseGil unlocked(count >= thread_threshold);
    parallel_for((count - 1) / block + 1, block / 4, [&](npy_intp begin, npy_intp end) {
        for (npy_intp b = begin; b < end && !any.load(std::memory_order_relaxed); ++b) {
            char* const at = reinterpret_cast<char*>(const_cast<T*>(x + b * block));
            if (is_beyond(&at, count - b * block < block ? count - b * block : block))
                any.store(true, std::memory_order_relaxed);
        }
    });
    return any.load();
}
// The same of halves: without their signs, they are in the order of their bits.
bool any_half_beyond(const uint16_t* x, npy_intp count, bool below, bool above, unsigned bound, unsigned infinity) {
    unsigned any = 0;
    ReleaseGil unlocked(count >= thread_threshold);
    for (npy_intp i = 0; i < count; ++i) {
        const unsigned bits = x[i], size = bits & 0x7fff;
        any |= ((size > bound ? 1u : 0u) & ((bits >> 15) != 0 ? unsigned(below) : unsigned(above))) |
               (size > infinity ? 1u : 0u);
    }
    return any != 0;
}

// The bounds beyond which results saturate, and on which sides, for each precision; those of the twins.
struct Limits {
    bool below, above;
    double single, full;
    unsigned halves[HALF_COUNT];
};
constexpr Limits of_sigmoid = {false, true, 9.5, 21.5, {0x4400, 0x4040}};  // 4 and 3
constexpr Limits of_tanh = {true, true, 4.75, 10.75, {0x4000, 0x3fc0}};    // 2 and 1.5
constexpr Limits of_expm1 = {true, false, 9.5, 21.5, {0x4400, 0x4040}};

// -1 for what is unknown.
int saturates(PyObject* object, const Limits& limits) {
    PyArrayObject* x = plain(object);
    if (!x) x = dense(object);
    if (!x || PyArray_SIZE(x) == 0) return -1;
    const npy_intp count = PyArray_SIZE(x);
    constexpr double none = std::numeric_limits<double>::infinity();
    if (PyArray_DESCR(x) == float_descr)
        return any_beyond(data_of<float>(x), count, limits.below ? -limits.single : -none,
                          limits.above ? limits.single : none);
    if (PyArray_DESCR(x) == double_descr)
        return any_beyond(data_of<double>(x), count, limits.below ? -limits.full : -none,
                          limits.above ? limits.full : none);
    const int half = half_of(PyArray_DESCR(x));
    if (half == HALF_COUNT) return -1;
    return any_half_beyond(data_of<uint16_t>(x), count, limits.below, limits.above, limits.halves[half],
                           half == FLOAT16 ? 0x7c00 : 0x7f80);
}
template <const Limits& limits> int decide(PyObject* object) { return saturates(object, limits); }
// Null for what is unknown.
template <const Limits& limits> PyObject* saturated(PyObject** slots) {
    const int truth = saturates(slots[0], limits);
    return truth < 0 ? nullptr : PyBool_FromLong(truth);
}

Twin sigmoid_twin("sigmoid_saturates"), tanh_twin("tanh_saturates"), expm1_twin("expm1_saturates");
const char* const names[] = {"x"};
template <const Twin& twin, const Limits& limits>
PyObject* saturates(PyObject*, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames) {
    return try_native<1>(twin, names, 1, args, nargs, kwnames, saturated<limits>);
}

// (grad, out, tail): `tail` is None, or what `out` has lost the digits of
template <Binary by_result, Binary by_operand> PyObject* rule(PyObject* const* args) {
    if (!PyArray_Check(args[0]) || !PyArray_Check(args[1])) return nullptr;
    return args[2] == Py_None ? direct_binary(by_result, args[0], args[1])
                              : direct_binary(by_operand, args[0], args[2]);
}

Methods saturation_methods({
    decision_method(WENGERT_FUNCTION(sigmoid_saturates, "(x)", saturates<sigmoid_twin, of_sigmoid>),
                    decide<of_sigmoid>),
    decision_method(WENGERT_FUNCTION(tanh_saturates, "(x)", saturates<tanh_twin, of_tanh>), decide<of_tanh>),
    decision_method(WENGERT_FUNCTION(expm1_saturates, "(x)", saturates<expm1_twin, of_expm1>), decide<of_expm1>),
    WENGERT_REPEATABLE(sigmoid_rule, "(grad, out, tail)",
                       in_operand_order<direct<3, rule<SIGMOID_BACKWARD, SIGMOID_BACKWARD_FROM_INPUT>>>),
    WENGERT_REPEATABLE(tanh_rule, "(grad, out, tail)",
                       in_operand_order<direct<3, rule<TANH_BACKWARD, TANH_BACKWARD_FROM_INPUT>>>),
});

}  // namespace
}  // namespace wengert
