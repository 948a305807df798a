// Optimiser steps over lists of arrays: one pass over the memory of each parameter. Everything is checked before
// anything is written, so that the twin starts from untouched arrays. While a step runs without the interpreter's lock
// the lists may change: what was checked is held and used, the lists are not looked at again.
#include "binding/common.hpp"

#include <cmath>
#include <cstdlib>
#include <utility>
#include <vector>

namespace wengert {
namespace {

Twin sgd_twin("sgd_step"), adam_twin("adam_step"), formula_twin("formula_step");

PyObject* item(PyObject* list, Py_ssize_t i) {
    return PyList_CheckExact(list) ? PyList_GET_ITEM(list, i) : PyTuple_GET_ITEM(list, i);
}
bool is_list(PyObject* object, Py_ssize_t count) {
    if (PyList_CheckExact(object)) return PyList_GET_SIZE(object) == count;
    return PyTuple_CheckExact(object) && PyTuple_GET_SIZE(object) == count;
}
Py_ssize_t length(PyObject* object) {
    if (PyList_CheckExact(object)) return PyList_GET_SIZE(object);
    return PyTuple_CheckExact(object) ? PyTuple_GET_SIZE(object) : -1;
}
bool is_param(PyArrayObject* array) {
    return array && (PyArray_DESCR(array) == float_descr || PyArray_DESCR(array) == double_descr) && writeable(array);
}
// The arrays of one parameter, kept alive: itself, its gradient, and up to three of its state (null: none). All have
// the same dtype and shape, no gaps, and disjoint memory.
class Held {
public:
    Held() = default;
    ~Held() {
        for (PyArrayObject* array : arrays_) Py_XDECREF(array);
    }
    Held(const Held&) = delete;
    Held& operator=(const Held&) = delete;
    Held(Held&& other) noexcept : step(other.step), count(other.count) {
        for (int i = 0; i < 5; ++i) std::swap(arrays_[i], other.arrays_[i]);
    }
    PyArrayObject* operator[](int i) const { return arrays_[i]; }
    void hold(int i, PyArrayObject* array) {
        Py_XINCREF(array);
        Py_XSETREF(arrays_[i], array);
    }
    // Begin with a parameter.
    void begin(PyArrayObject* param) {
        hold(0, param);
        count = PyArray_SIZE(param);
    }
    // Take an array of the dtype and shape of the parameter in memory of its own.
    bool take(int i, PyObject* object) {
        PyArrayObject* array = plain(object, PyArray_DESCR(arrays_[0]));
        if (!array || !same_shape(array, arrays_[0])) return false;
        const npy_intp bytes = count * PyArray_ITEMSIZE(array);
        for (PyArrayObject* other : arrays_)
            if (other && std::abs(PyArray_BYTES(array) - PyArray_BYTES(other)) < bytes) return false;
        hold(i, array);
        return true;
    }
    bool take_writeable(int i, PyObject* object) { return take(i, object) && writeable(arrays_[i]); }
    double step = 0;
    npy_intp count = 0;  // of the elements

private:
    PyArrayObject* arrays_[5] = {};
};
using Arrays = std::vector<Held>;

struct SgdOptions {
    double lr, momentum, dampening, weight_decay;
    bool nesterov, maximize;
};

template <class T> void sgd_parameter(const Held& arrays, bool first, const SgdOptions& o) {
    PyArrayObject *param = arrays[0], *buffer = arrays[2];
    const SgdSettings<T> settings = {static_cast<T>(o.lr),
                                     static_cast<T>(o.momentum),
                                     static_cast<T>(1 - o.dampening),
                                     static_cast<T>(o.weight_decay),
                                     o.nesterov,
                                     o.maximize,
                                     first};
    T *values = data_of<T>(param), *kept = buffer ? data_of<T>(buffer) : nullptr;
    const T* grads = data_of<T>(arrays[1]);
    const npy_intp count = arrays.count;
    ReleaseGil unlocked(count >= thread_threshold);
    parallel_for(count, 2, [=](npy_intp begin, npy_intp end) {
        loops<T>().sgd(values + begin, grads + begin, kept ? kept + begin : nullptr, end - begin, settings);
    });
}

bool sgd_arrays(PyObject** slots, Py_ssize_t count, bool with_buffers, Arrays& arrays) {
    for (Py_ssize_t i = 0; i < count; ++i) {
        PyArrayObject* param = plain(item(slots[0], i));
        if (!is_param(param)) return false;
        Held& held = arrays[static_cast<size_t>(i)];
        held.begin(param);
        if (!held.take(1, item(slots[1], i))) return false;
        PyObject* buffer = item(slots[2], i);
        if (with_buffers && buffer != Py_None && !held.take_writeable(2, buffer)) return false;
    }
    return true;
}

// The list that is returned: the buffers that were used, or the objects passed. New ones are held, too.
PyObject* sgd_buffers(PyObject** slots, Py_ssize_t count, bool with_buffers, Arrays& arrays, std::vector<bool>& first) {
    PyObject* buffers = PyList_New(count);
    for (Py_ssize_t i = 0; buffers && i < count; ++i) {
        Held& held = arrays[static_cast<size_t>(i)];
        PyObject* buffer = Py_NewRef(item(slots[2], i));
        if (with_buffers && !held[2]) {
            first[static_cast<size_t>(i)] = true;
            Py_SETREF(buffer, reinterpret_cast<PyObject*>(
                                  new_array(PyArray_DESCR(held[0]), PyArray_NDIM(held[0]), PyArray_DIMS(held[0]))));
            held.hold(2, reinterpret_cast<PyArrayObject*>(buffer));
        }
        if (buffer)
            PyList_SET_ITEM(buffers, i, buffer);
        else
            Py_CLEAR(buffers);
    }
    return buffers;
}

PyObject* sgd_compute(PyObject** slots) {
    const Py_ssize_t count = length(slots[0]);
    SgdOptions o = {};
    if (count < 0 || !is_list(slots[1], count) || !is_list(slots[2], count)) return nullptr;
    if (!as_number(slots[3], o.lr) || !as_number(slots[4], o.momentum) || !as_number(slots[5], o.dampening))
        return nullptr;
    if (!as_number(slots[6], o.weight_decay) || !as_flag(slots[7], o.nesterov) || !as_flag(slots[8], o.maximize))
        return nullptr;
    const bool with_buffers = o.momentum != 0;
    Arrays arrays(static_cast<size_t>(count));
    std::vector<bool> first(static_cast<size_t>(count), false);
    if (!sgd_arrays(slots, count, with_buffers, arrays)) return nullptr;
    PyObject* buffers = sgd_buffers(slots, count, with_buffers, arrays, first);
    if (!buffers) return nullptr;
    for (size_t i = 0; i < arrays.size(); ++i) {
        if (PyArray_DESCR(arrays[i][0]) == float_descr)
            sgd_parameter<float>(arrays[i], first[i], o);
        else
            sgd_parameter<double>(arrays[i], first[i], o);
    }
    return buffers;
}

struct AdamOptions {
    double lr, beta1, beta2, eps, weight_decay;
    bool amsgrad, maximize;
};

// What depends on the number of steps, which most parameters have in common.
struct AdamStep {
    AdamStep(const AdamOptions& o, double count)
        : step(count), size(o.lr / (1 - std::pow(o.beta1, count))), root(std::sqrt(1 - std::pow(o.beta2, count))) {}
    double step, size, root;
};

template <class T> void adam_parameter(const Held& arrays, const AdamOptions& o, const AdamStep& step) {
    const AdamSettings<T> settings = {static_cast<T>(-step.size), static_cast<T>(1 - o.beta1),
                                      static_cast<T>(o.beta2),    static_cast<T>(1 - o.beta2),
                                      static_cast<T>(o.eps),      static_cast<T>(o.weight_decay),
                                      static_cast<T>(step.root),  o.maximize};
    T *values = data_of<T>(arrays[0]), *first = data_of<T>(arrays[2]), *second = data_of<T>(arrays[3]);
    T* top = arrays[4] ? data_of<T>(arrays[4]) : nullptr;
    const T* grads = data_of<T>(arrays[1]);
    const npy_intp count = arrays.count;
    ReleaseGil unlocked(count >= thread_threshold);
    parallel_for(count, 4, [=](npy_intp begin, npy_intp end) {
        loops<T>().adam(values + begin, grads + begin, first + begin, second + begin, top ? top + begin : nullptr,
                        end - begin, settings);
    });
}

bool adam_arrays(PyObject** slots, Py_ssize_t count, int state_lists, Arrays& arrays) {
    for (Py_ssize_t i = 0; i < count; ++i) {
        PyArrayObject* param = plain(item(slots[0], i));
        if (!is_param(param)) return false;
        Held& held = arrays[static_cast<size_t>(i)];
        held.begin(param);
        if (!held.take(1, item(slots[1], i))) return false;
        for (int k = 1; k <= state_lists; ++k)
            if (!held.take_writeable(1 + k, item(slots[1 + k], i))) return false;
        if (!as_number(item(slots[5], i), held.step)) return false;
    }
    return true;
}

PyObject* adam_compute(PyObject** slots) {
    const Py_ssize_t count = length(slots[0]);
    AdamOptions o = {};
    if (count < 0) return nullptr;
    if (!as_number(slots[6], o.lr) || !as_number(slots[7], o.beta1) || !as_number(slots[8], o.beta2)) return nullptr;
    if (!as_number(slots[9], o.eps) || !as_number(slots[10], o.weight_decay)) return nullptr;
    if (!as_flag(slots[11], o.amsgrad) || !as_flag(slots[12], o.maximize)) return nullptr;
    const int state_lists = o.amsgrad ? 3 : 2;
    for (int k = 1; k <= 1 + state_lists; ++k)
        if (!is_list(slots[k], count)) return nullptr;
    Arrays arrays(static_cast<size_t>(count));
    if (!is_list(slots[5], count) || !adam_arrays(slots, count, state_lists, arrays)) return nullptr;
    AdamStep step(o, arrays.empty() ? 0 : arrays[0].step);
    for (const Held& held : arrays) {
        if (held.step != step.step) step = AdamStep(o, held.step);
        if (PyArray_DESCR(held[0]) == float_descr)
            adam_parameter<float>(held, o, step);
        else
            adam_parameter<double>(held, o, step);
    }
    Py_RETURN_NONE;
}

// The formulas by name, and how many numbers and at least how many arrays of state each reads.
struct Formula {
    const char* name;
    StepFormula step;
    int numbers, least, most;
};
constexpr Formula formulas[] = {
    {"rmsprop", RMSPROP, 5, 1, 3}, {"adagrad", ADAGRAD, 2, 1, 1}, {"adadelta", ADADELTA, 4, 2, 2},
    {"adamax", ADAMAX, 4, 2, 2},   {"nadam", NADAM, 7, 2, 2},     {"radam", RADAM, 6, 2, 2},
    {"rprop", RPROP, 4, 2, 2},
};

template <class T>
void formula_parameter(const Held& arrays, const Formula& formula, const double* numbers, double shrink,
                       double weight_decay, bool maximize) {
    StepSettings<T> settings = {static_cast<T>(shrink), static_cast<T>(weight_decay), maximize, {}};
    for (int i = 0; i < formula.numbers; ++i) settings.number[i] = static_cast<T>(numbers[i]);
    T *values = data_of<T>(arrays[0]), *state[most_step_states];
    for (int i = 0; i < most_step_states; ++i) state[i] = arrays[2 + i] ? data_of<T>(arrays[2 + i]) : nullptr;
    const T* grads = data_of<T>(arrays[1]);
    const npy_intp count = arrays.count;
    ReleaseGil unlocked(count >= thread_threshold);
    parallel_for(count, 8, [&](npy_intp begin, npy_intp end) {
        T* state_parts[most_step_states];
        for (int i = 0; i < most_step_states; ++i) state_parts[i] = state[i] ? state[i] + begin : nullptr;
        loops<T>().steps[formula.step](values + begin, grads + begin, state_parts, end - begin, settings);
    });
}

// The state of a parameter: a tuple of arrays in disjoint memory, None for optional ones.
bool formula_state(PyObject* state, const Formula& formula, Held& held) {
    if (!is_list(state, formula.most)) return false;
    for (int i = 0; i < formula.most; ++i) {
        PyObject* object = item(state, i);
        if (object == Py_None && i >= formula.least) continue;
        if (!held.take_writeable(2 + i, object)) return false;
    }
    return true;
}

PyObject* formula_compute(PyObject** slots) {
    const Formula* formula = nullptr;
    for (const Formula& candidate : formulas)
        if (is_text(slots[0], candidate.name)) formula = &candidate;
    const Py_ssize_t count = length(slots[1]);
    double shrink = 1, weight_decay = 0;
    bool maximize = false;
    if (!formula || count < 0 || !is_list(slots[2], count) || !is_list(slots[3], count) || !is_list(slots[4], count))
        return nullptr;
    if (!as_number(slots[5], shrink) || !as_number(slots[6], weight_decay) || !as_flag(slots[7], maximize))
        return nullptr;
    Arrays arrays(static_cast<size_t>(count));
    std::vector<double> numbers(static_cast<size_t>(count * most_step_numbers));
    for (Py_ssize_t i = 0; i < count; ++i) {
        Held& held = arrays[static_cast<size_t>(i)];
        PyArrayObject* param = plain(item(slots[1], i));
        PyObject* settings = item(slots[4], i);
        if (!is_param(param) || !is_list(settings, formula->numbers)) return nullptr;
        held.begin(param);
        if (!held.take(1, item(slots[2], i))) return nullptr;
        for (int k = 0; k < formula->numbers; ++k)
            if (!as_number(item(settings, k), numbers[static_cast<size_t>(i * most_step_numbers + k)])) return nullptr;
        if (!formula_state(item(slots[3], i), *formula, held)) return nullptr;
    }
    for (size_t i = 0; i < arrays.size(); ++i) {
        const auto form =
            PyArray_DESCR(arrays[i][0]) == float_descr ? formula_parameter<float> : formula_parameter<double>;
        form(arrays[i], *formula, numbers.data() + i * most_step_numbers, shrink, weight_decay, maximize);
    }
    Py_RETURN_NONE;
}

const char* const formula_names[] = {"kind",    "params", "grads",        "states",
                                     "numbers", "shrink", "weight_decay", "maximize"};
const char* const sgd_names[] = {"params",    "grads",        "momentum_buffers", "lr",      "momentum",
                                 "dampening", "weight_decay", "nesterov",         "maximize"};
const char* const adam_names[] = {"params", "grads", "exp_avgs", "exp_avg_sqs",  "max_exp_avg_sqs", "steps",   "lr",
                                  "beta1",  "beta2", "eps",      "weight_decay", "amsgrad",         "maximize"};


Methods optimiser_methods({
    WENGERT_FUNCTION(formula_step, "(kind, params, grads, states, numbers, shrink, weight_decay, maximize)",
                     with_twin<formula_twin, 8, formula_names, formula_compute>),
    WENGERT_FUNCTION(sgd_step,
                     "(params, grads, momentum_buffers, lr, momentum, dampening, weight_decay, nesterov, maximize)",
                     with_twin<sgd_twin, 9, sgd_names, sgd_compute>),
    WENGERT_FUNCTION(
        adam_step,
        "(params, grads, exp_avgs, exp_avg_sqs, max_exp_avg_sqs, steps, lr, beta1, beta2, eps, weight_decay, amsgrad, maximize)",
        with_twin<adam_twin, 13, adam_names, adam_compute>),
});

}  // namespace
}  // namespace wengert
