// nll_loss of log-probabilities (N, C) with int64 classes (N,), and its backward form.
#include "binding/memory_order.hpp"

namespace wengert {
namespace {

Twin nll_loss_twin("nll_loss"), nll_loss_backward_twin("nll_loss_backward");

template <class T> struct Problem {
    PyArrayObject *logp, *target;
    const T* weight;
    npy_intp rows, classes, ignore_index = -100;
    Reduction reduction;
};

template <class T>
bool read_problem(PyObject* logp, PyObject* target, PyObject* weight, PyObject* reduction, PyObject* ignore,
                  Problem<T>& problem) {
    problem.logp = plain(logp, descr_of<T>());
    problem.target = plain(target, int64_descr);
    if (!problem.logp || !problem.target || PyArray_NDIM(problem.logp) != 2 || PyArray_NDIM(problem.target) != 1)
        return false;
    problem.rows = PyArray_DIM(problem.logp, 0);
    problem.classes = PyArray_DIM(problem.logp, 1);
    problem.reduction = as_reduction(reduction);
    if (problem.reduction == REDUCE_UNKNOWN || !as_index(ignore, problem.ignore_index)) return false;
    if (problem.rows == 0 || PyArray_DIM(problem.target, 0) != problem.rows) return false;
    if (!absent(weight) && (!plain(weight) || PyArray_NDIM(plain(weight)) != 1)) return false;
    return optional_data(weight, problem.classes, problem.weight);
}

// The class of item i, read once. Ignored items have `used` false; a number that is not a class is refused by the twin.
struct Class {
    int64_t number;
    bool used, valid;
};
template <class T> inline Class class_of(const Problem<T>& p, npy_intp i) {
    const int64_t number = load_once(data_of<int64_t>(p.target) + i);
    const bool used = number != p.ignore_index;
    return {number, used, !used || (number >= 0 && number < p.classes)};
}

template <class T> PyObject* forward(PyObject* const* slots) {
    Problem<T> p;
    if (!read_problem(slots[0], slots[1], slots[2], slots[3], slots[4], p)) return nullptr;
    const int ndim = p.reduction == REDUCE_NONE ? 1 : 0;
    Owned items[2] = {Owned(new_array(descr_of<T>(), ndim, &p.rows)), Owned(new_array(descr_of<T>(), 0, nullptr))};
    if (!items[0] || !items[1]) return nullptr;
    const T* logp = data_of<T>(p.logp);
    T* losses = data_of<T>(items[0].get());
    double total = 0, weights = 0;
    for (npy_intp i = 0; i < p.rows; ++i) {
        const Class target = class_of(p, i);
        if (!target.valid) return nullptr;
        T weight = target.used ? T(1) : T(0);
        if (target.used && p.weight) weight = p.weight[target.number];
        const T loss = target.used ? -logp[i * p.classes + target.number] * weight : T(0);
        if (ndim) losses[i] = loss;
        total += static_cast<double>(loss);
        weights += static_cast<double>(weight);
    }
    if (!ndim) *losses = static_cast<T>(p.reduction == REDUCE_MEAN ? total / weights : total);
    *data_of<T>(items[1].get()) = static_cast<T>(ndim ? 0 : weights);
    return give_tuple(items, 2);
}

template <class T> PyObject* backward(PyObject* const* slots) {
    Problem<T> p;
    if (!slots[6] || !read_problem(slots[1], slots[2], slots[3], slots[4], slots[5], p)) return nullptr;
    PyArrayObject* grad = plain(slots[0], descr_of<T>());
    PyArrayObject* total_weight = plain(slots[6], descr_of<T>());
    const bool elementwise = p.reduction == REDUCE_NONE;
    if (!grad || !total_weight || PyArray_SIZE(grad) != (elementwise ? p.rows : 1) || PyArray_SIZE(total_weight) != 1)
        return nullptr;
    Owned result(new_array(descr_of<T>(), 2, PyArray_DIMS(p.logp)));
    if (!result) return nullptr;
    const T *grads = data_of<T>(grad), divisor = p.reduction == REDUCE_MEAN ? *data_of<T>(total_weight) : T(1);
    T* out = data_of<T>(result.get());
    for (npy_intp i = 0; i < p.rows; ++i, out += p.classes) {
        const Class target = class_of(p, i);
        if (!target.valid) return nullptr;
        for (npy_intp j = 0; j < p.classes; ++j) out[j] = 0;
        if (!target.used) continue;
        const T weight = p.weight ? p.weight[target.number] : T(1);
        out[target.number] = -weight * grads[elementwise ? i : 0] / divisor;
    }
    return result.give();
}

const char* const forward_names[] = {"logp", "target", "weight", "reduction", "ignore_index"};
const char* const backward_names[] = {"grad", "logp", "target", "weight", "reduction", "ignore_index", "total_weight"};

PyObject* nll_loss(PyObject*, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames) {
    return try_native<5>(nll_loss_twin, forward_names, 2, args, nargs, kwnames, [](PyObject** slots) {
        PyArrayObject* logp = plain(slots[0]);
        if (!logp) return static_cast<PyObject*>(nullptr);
        if (PyArray_DESCR(logp) == float_descr) return forward<float>(slots);
        return PyArray_DESCR(logp) == double_descr ? forward<double>(slots) : nullptr;
    });
}
PyObject* nll_loss_backward(PyObject*, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames) {
    return try_native<7>(nll_loss_backward_twin, backward_names, 7, args, nargs, kwnames, [](PyObject** slots) {
        PyArrayObject* logp = plain(slots[1]);
        if (!logp) return static_cast<PyObject*>(nullptr);
        if (PyArray_DESCR(logp) == float_descr) return backward<float>(slots);
        return PyArray_DESCR(logp) == double_descr ? backward<double>(slots) : nullptr;
    });
}

// (grads, self, target, total_weight, weight, reduction, ignore_index); the gradient may have any strides
template <class T> PyObject* rule(PyObject* const* args) {
    PyObject* first_grad = first_alone(args[0]);
    Owned grad(first_grad ? as_contiguous(first_grad, descr_of<T>()) : nullptr);
    if (!grad || !PyArray_CheckExact(args[1]) || PyArray_SIZE(reinterpret_cast<PyArrayObject*>(args[1])) == 0)
        return nullptr;
    PyObject* slots[7] = {
        reinterpret_cast<PyObject*>(grad.get()), args[1], args[2], args[4], args[5], args[6], args[3]};
    return backward<T>(slots);
}

// Whether `nll_loss` supports the arguments of a call of `cross_entropy`, apart from the classes.
template <class T> PyObject* takes_classes(PyObject* const* args) {
    Problem<T> p;
    return read_problem(args[0], args[1], args[2], args[3], args[4], p) ? Py_NewRef(Py_True) : nullptr;
}

Methods loss_methods({
    WENGERT_ENTRY(takes_classes, "(self, target, weight, reduction, ignore_index): True",
                  on_contiguous<direct<5, by_element<takes_classes<float>, takes_classes<double>>>>),
    WENGERT_ENTRY(nll_loss, "(self, target, weight, reduction, ignore_index)",
                  on_contiguous<direct<5, by_element<forward<float>, forward<double>>>>),
    WENGERT_ENTRY(nll_loss_rule, "(grads, self, target, total_weight, weight, reduction, ignore_index)",
                  on_contiguous<direct<7, by_element<rule<float>, rule<double>, 1>>>),
    WENGERT_FUNCTION(nll_loss, "(logp, target, weight=None, reduction='mean', ignore_index=-100)", nll_loss),
    WENGERT_FUNCTION(nll_loss_backward, "(grad, logp, target, weight, reduction, ignore_index, total_weight)",
                     nll_loss_backward),
});

}  // namespace
}  // namespace wengert
