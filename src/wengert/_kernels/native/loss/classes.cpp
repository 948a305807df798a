// Numbers of classes: as unit vectors, and as those whose scores are to keep a margin. For the dispatcher only.
#include "binding/memory_order.hpp"

#include <algorithm>
#include <vector>

namespace wengert {
namespace {

using Call = PyObject* const*;

// unit_vectors(tensor, num_classes): one more than the largest number where that is -1
PyObject* unit_vectors(Call args) {
    PyArrayObject* x = plain(args[0], int64_descr);
    npy_intp classes = 0;
    if (!x || PyArray_SIZE(x) == 0 || PyArray_NDIM(x) >= most_dims || !PyLong_CheckExact(args[1]) ||
        !as_index(args[1], classes))
        return nullptr;
    const npy_intp count = PyArray_SIZE(x);
    std::vector<int64_t> numbers(static_cast<size_t>(count));
    const int64_t* indices = data_of<int64_t>(x);
    for (npy_intp i = 0; i < count; ++i) numbers[static_cast<size_t>(i)] = load_once(indices + i);
    const auto [least, most] = std::minmax_element(numbers.begin(), numbers.end());
    if (*least < 0 || *most >= std::min<int64_t>(int64_t(1) << 48, NPY_MAX_INTP)) return nullptr;
    if (classes == -1) classes = static_cast<npy_intp>(*most + 1);
    if (*most >= classes || !(Size(count) * classes * 8).fits()) return nullptr;
    npy_intp shape[most_dims];
    std::copy_n(PyArray_DIMS(x), PyArray_NDIM(x), shape);
    shape[PyArray_NDIM(x)] = classes;
    Owned result(new_zeros(int64_descr, PyArray_NDIM(x) + 1, shape));
    if (!result) return nullptr;
    int64_t* out = data_of<int64_t>(result.get());
    for (npy_intp i = 0; i < count; ++i) out[i * classes + numbers[static_cast<size_t>(i)]] = 1;
    return result.give();
}

// ---- margins --------------------------------------------------------------------------------------------------------
// Rows of scores, the right class of each, and the options.
template <class T> struct Margins {
    PyArrayObject *scores = nullptr, *target = nullptr;
    npy_intp rows = 1, classes = 1, power = 0;
    double margin = 0;
    const T* weight = nullptr;
    Reduction reduction = REDUCE_UNKNOWN;

    // A value times the weight of the class; zero stays zero for any weight.
    T weighed(T value, npy_intp right) const {
        if (!weight) return value;
        return value != 0 ? value * weight[right] : T(0);
    }
    bool read(PyObject* self, Call args) {  // target, p, margin, weight, reduction
        scores = plain(self, descr_of<T>()), target = plain(args[0], int64_descr);
        if (!scores || !target || PyArray_NDIM(scores) < 1 || PyArray_NDIM(scores) > 2 || PyArray_SIZE(scores) == 0)
            return false;
        if (PyArray_NDIM(scores) == 2) rows = PyArray_DIM(scores, 0);
        classes = PyArray_SIZE(scores) / rows;
        if (PyArray_NDIM(target) > 1 || PyArray_SIZE(target) != rows) return false;
        if (!PyLong_CheckExact(args[1]) || !as_index(args[1], power) || power < 1 || power > 2) return false;
        if (!as_number(args[2], margin) || !optional_data(args[3], classes, weight) || !PyUnicode_Check(args[4]))
            return false;
        if (weight && PyArray_NDIM(reinterpret_cast<PyArrayObject*>(args[3])) != 1) return false;
        reduction = as_reduction(args[4]);
        return reduction != REDUCE_UNKNOWN;
    }
    const T* row(npy_intp at) const { return data_of<T>(scores) + at * classes; }
    // The right class of a row; -1 if it is none.
    npy_intp right(npy_intp at) const {
        const int64_t class_index = load_once(data_of<int64_t>(target) + at);
        return class_index >= 0 && class_index < classes ? static_cast<npy_intp>(class_index) : -1;
    }
    T missed(const T* row_scores, npy_intp right, npy_intp other) const {
        const T margin_missed = row_scores[other] - row_scores[right] + static_cast<T>(margin);
        return margin_missed > 0 || margin_missed != margin_missed ? margin_missed : T(0);
    }
};

// multi_margin(self, target, p, margin, weight, reduction)
template <class T> PyObject* multi_margin(Call args) {
    constexpr npy_intp few = 1 << 15;  // beyond, NumPy's loops take less time
    Margins<T> m;
    if (!m.read(args[0], args + 1) || PyArray_SIZE(m.scores) > few) return nullptr;
    const bool elementwise = m.reduction == REDUCE_NONE, shaped = elementwise && PyArray_NDIM(m.scores) == 2;
    Owned result(new_array(descr_of<T>(), shaped ? PyArray_NDIM(m.target) : 0, PyArray_DIMS(m.target)));
    if (!result) return nullptr;
    T* out = data_of<T>(result.get());
    double total = 0;
    for (npy_intp i = 0; i < m.rows; ++i) {
        const npy_intp right = m.right(i);
        if (right < 0) return nullptr;
        double loss = 0;
        for (npy_intp j = 0; j < m.classes; ++j) {
            if (j == right) continue;
            const T missed = m.missed(m.row(i), right, j);
            loss += static_cast<double>(m.power == 1 ? missed : missed * missed);
        }
        const T row_loss = m.weighed(static_cast<T>(loss) / static_cast<T>(m.classes), right);
        if (elementwise) out[i] = row_loss;
        total += static_cast<double>(row_loss);
    }
    if (!elementwise) *out = static_cast<T>(m.reduction == REDUCE_MEAN ? total / static_cast<double>(m.rows) : total);
    return result.give();
}

// Its rule: (grad, self, self_shape, target, p, margin, weight, reduction)
template <class T> PyObject* multi_margin_rule(Call args) {
    Margins<T> m;
    Owned grad(contiguous_gradient(args[0], descr_of<T>()));
    if (!grad || !m.read(args[1], args + 3) || !all_finite(data_of<T>(m.scores), PyArray_SIZE(m.scores)))
        return nullptr;
    const bool elementwise = m.reduction == REDUCE_NONE;
    if (PyArray_SIZE(grad.get()) != (elementwise ? m.rows : 1)) return nullptr;
    Owned result(new_array(descr_of<T>(), PyArray_NDIM(m.scores), PyArray_DIMS(m.scores)));
    if (!result) return nullptr;
    const T* grads = data_of<T>(grad.get());
    const T mean_factor = m.reduction == REDUCE_MEAN ? T(1) / static_cast<T>(m.rows) : T(1);
    for (npy_intp i = 0; i < m.rows; ++i) {
        const npy_intp right = m.right(i);
        if (right < 0) return nullptr;
        const T factor = grads[elementwise ? i : 0] * mean_factor / static_cast<T>(m.classes);
        T *out = data_of<T>(result.get()) + i * m.classes, total = 0;
        for (npy_intp j = 0; j < m.classes; ++j) {
            const T missed = j == right ? T(0) : m.missed(m.row(i), right, j);
            const T grad = m.power == 1 ? T(missed > 0) : 2 * missed;
            out[j] = m.weighed(grad * factor, right);
            total += grad;
        }
        out[right] = m.weighed(-total * factor, right);
    }
    return result.give();
}

Methods class_methods({
    WENGERT_ENTRY(unit_vectors, "(tensor, num_classes)", on_contiguous<direct<2, unit_vectors>>),
    WENGERT_ENTRY(multi_margin, "(self, target, p, margin, weight, reduction)",
                  on_contiguous<direct<6, by_element<multi_margin<float>, multi_margin<double>>>>),
    direct_method("direct_multi_margin_rule",
                  on_contiguous<direct<8, by_element<multi_margin_rule<float>, multi_margin_rule<double>>>>,
                  "its rule (grad, self, self_shape, target, p, margin, weight, reduction), or NotImplemented"),
});

}  // namespace
}  // namespace wengert
