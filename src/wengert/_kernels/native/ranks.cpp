// Elements of a rank along a dimension, and the most frequent ones, of few elements: for the dispatcher only.
#include "block.hpp"
#include "laid.hpp"

#include <algorithm>
#include <vector>

namespace wengert {
namespace {

using Call = PyObject* const*;

constexpr npy_intp few = 4096;  // beyond, NumPy's selection by vectors takes less time

// NaN is larger than all numbers and equals itself.
template <class T>
bool less(T a, T b) { return a < b || (a == a && b != b); }
template <class T>
bool alike(T a, T b) { return a == b || (a != a && b != b); }

// The element of `rank` in a line, and the first place where it stands; `scratch` has room for the line.
template <class T>
npy_intp place_of_rank(const T* line, npy_intp count, npy_intp rank, T* scratch) {
    std::copy_n(line, count, scratch);
    std::nth_element(scratch, scratch + rank, scratch + count, less<T>);
    npy_intp place = 0;
    while (!alike(line[place], scratch[rank])) ++place;
    return place;
}
template <class T>
npy_intp place_of_median(const T* line, npy_intp count, T* scratch) {
    for (npy_intp i = 0; i < count; ++i)
        if (line[i] != line[i]) return i;
    return place_of_rank(line, count, (count - 1) / 2, scratch);
}
template <class T>
npy_intp place_of_nanmedian(const T* line, npy_intp count, T* scratch) {
    npy_intp numbers = 0;
    for (npy_intp i = 0; i < count; ++i) numbers += line[i] == line[i] ? 1 : 0;
    return place_of_rank(line, count, numbers ? (numbers - 1) / 2 : 0, scratch);
}
// Of the elements that occur most often the smallest, where it is last; each NaN is one by itself.
template <class T>
npy_intp place_of_mode(const T* line, npy_intp count, std::vector<npy_intp>& order) {
    order.resize(static_cast<size_t>(count));
    for (npy_intp i = 0; i < count; ++i) order[static_cast<size_t>(i)] = i;
    std::sort(order.begin(), order.end(), [=](npy_intp a, npy_intp b) {
        return less(line[a], line[b]) || (!less(line[b], line[a]) && a < b);
    });
    npy_intp longest = 0, run = 0, found = 0;
    for (npy_intp i = 0; i < count; ++i) {
        const npy_intp at = order[static_cast<size_t>(i)];
        run = i > 0 && line[order[static_cast<size_t>(i - 1)]] == line[at] ? run + 1 : 1;
        if (run > longest) longest = run, found = at;
    }
    return found;
}

// The elements that place(line, its length, scratch) chooses from private copies of the lines, and where they are.
template <class T, class Place>
PyObject* chosen(PyArrayObject* x, const Block& block, bool with_places, const Place& place) {
    Owned made[2] = {Owned(new_array(PyArray_DESCR(x), block.ndim, block.shape)),
                     Owned(with_places ? new_array(int64_descr, block.ndim, block.shape) : nullptr)};
    if (!made[0] || (with_places && !made[1])) return nullptr;
    const npy_intp count = block.reduced, inner = block.inner;
    std::vector<T> room(static_cast<size_t>(2 * count));
    T *line = room.data(), *scratch = line + count;
    for (npy_intp at = 0; at < block.outer * inner; ++at) {
        const T* first = data_of<T>(x) + at / inner * count * inner + at % inner;
        for (npy_intp i = 0; i < count; ++i) line[i] = first[i * inner];
        const npy_intp found = place(line, count, scratch);
        data_of<T>(made[0].get())[at] = line[found];
        if (with_places) data_of<int64_t>(made[1].get())[at] = found;
    }
    return with_places ? give_tuple(made, 2) : made[0].give();
}

// compute(a zero of the dtype, array, block) for few numbers of a dtype that is known.
template <class Compute>
PyObject* over(PyObject* object, PyObject* dim, PyObject* keepdim, const Compute& compute) {
    PyArrayObject* x = plain(object);
    Block block;
    if (!x || PyArray_SIZE(x) == 0 || PyArray_SIZE(x) > few || !find_dims(x, dim, keepdim, block)) return nullptr;
    PyArray_Descr* descr = PyArray_DESCR(x);
    if (descr == float_descr) return compute(float(), x, block);
    if (descr == double_descr) return compute(double(), x, block);
    return descr == int64_descr ? compute(int64_t(), x, block) : nullptr;
}

enum Choice { MEDIAN, NANMEDIAN, MODE };

template <Choice choice>
PyObject* chosen_along(PyObject* object, PyObject* dim, PyObject* keepdim, bool with_places) {
    return over(object, dim, keepdim, [=](auto zero, PyArrayObject* x, const Block& block) {
        using T = decltype(zero);
        std::vector<npy_intp> order;
        return chosen<T>(x, block, with_places, [&order](const T* line, npy_intp count, T* scratch) {
            if constexpr (choice == MODE) return place_of_mode(line, count, order);
            else if constexpr (choice == MEDIAN) return place_of_median(line, count, scratch);
            else return place_of_nanmedian(line, count, scratch);
        });
    });
}
// (self, dim, keepdim)
template <Choice choice>
PyObject* along(PyObject*, Call args, Py_ssize_t nargs) {
    return answer([=] { return nargs == 3 && PyLong_CheckExact(args[1]) ? chosen_along<choice>(args[0], args[1], args[2], true) : nullptr; });
}
// (self): of all
template <Choice choice>
PyObject* of_all(PyObject*, Call args, Py_ssize_t nargs) {
    return answer([=] { return nargs == 1 ? chosen_along<choice>(args[0], Py_None, Py_False, false) : nullptr; });
}
// (self, k, dim, keepdim)
PyObject* kthvalue(PyObject*, Call args, Py_ssize_t nargs) {
    return answer([=]() -> PyObject* {
        npy_intp rank = 0;
        if (nargs != 4 || !PyLong_CheckExact(args[2]) || !as_index(args[1], rank)) return nullptr;
        return over(args[0], args[2], args[3], [=](auto zero, PyArrayObject* x, const Block& block) -> PyObject* {
            using T = decltype(zero);
            if (rank < 1 || rank > block.reduced) return nullptr;
            return chosen<T>(x, block, true, [=](const T* line, npy_intp count, T* scratch) { return place_of_rank(line, count, rank - 1, scratch); });
        });
    });
}

PyMethodDef rank_methods[] = {
    direct_method("direct_median_along", laid<along<MEDIAN>>, "(self, dim, keepdim): values and places, or NotImplemented"),
    direct_method("direct_nanmedian_along", laid<along<NANMEDIAN>>, "(self, dim, keepdim): values and places, or NotImplemented"),
    direct_method("direct_mode_along", laid<along<MODE>>, "(self, dim, keepdim): values and places, or NotImplemented"),
    direct_method("direct_kthvalue_along", laid<kthvalue>, "(self, k, dim, keepdim): values and places, or NotImplemented"),
    direct_method("direct_median_full", laid<of_all<MEDIAN>>, "the median of all elements, or NotImplemented"),
    direct_method("direct_nanmedian_full", laid<of_all<NANMEDIAN>>, "the median of all that is not NaN, or NotImplemented"),
    {nullptr, nullptr, 0, nullptr},
};
MethodList rank_list(rank_methods);

}  // namespace
}  // namespace wengert
