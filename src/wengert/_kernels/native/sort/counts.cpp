// Counts: histograms, membership, equality, the number of elements that are not zero. For the dispatcher only.
#include "binding/memory_order.hpp"

#include <algorithm>
#include <atomic>
#include <type_traits>
#include <vector>

namespace wengert {
namespace {

using Call = PyObject* const*;
constexpr npy_intp few = 1 << 15;  // beyond, NumPy's loops cost no more

PyArrayObject* small(PyObject* object) {
    PyArrayObject* array = plain(object);
    return array && PyArray_SIZE(array) > 0 && PyArray_SIZE(array) <= few ? array : nullptr;
}
// use(element of the type) for arrays of these types; null for all others.
template <class Use> PyObject* with_number(PyArrayObject* x, Use use) {
    PyArray_Descr* descr = PyArray_DESCR(x);
    if (descr == float_descr) return use(float{});
    if (descr == double_descr) return use(double{});
    if (descr == int64_descr) return use(int64_t{});
    return PyArray_TYPE(x) == NPY_INT32 && PyArray_ISNOTSWAPPED(x) ? use(int32_t{}) : nullptr;
}
PyObject* new_truth(bool value) {
    Owned result(new_array(bool_descr, 0, nullptr));
    if (result) *data_of<npy_bool>(result.get()) = value;
    return result.give();
}

// ---- histc ---------------------------------------------------------------------------------------------------------
// The extremes, lane by lane; false if an element is NaN.
template <class T> bool find_extremes(const T* x, npy_intp count, T& first, T& last) {
    constexpr npy_intp lanes = 16;
    T low[lanes], high[lanes];
    std::fill(low, low + lanes, x[0]), std::fill(high, high + lanes, x[0]);
    int none[lanes] = {};
    for (npy_intp i = 0; i < count; i += lanes) {
        const npy_intp from = i + lanes <= count ? i : std::max<npy_intp>(count - lanes, 0),
                       some = std::min(lanes, count);
        for (npy_intp j = 0; j < some; ++j) {
            const T value = x[from + j];
            low[j] = value < low[j] ? value : low[j], high[j] = value > high[j] ? value : high[j];
            none[j] |= value != value;
        }
    }
    first = *std::min_element(low, low + lanes), last = *std::max_element(high, high + lanes);
    return std::find(none, none + lanes, 1) == none + lanes;
}
// The range of a histogram: the limits passed, or, if these are equal, the extremes; a single value is put in the
// middle.
template <class T> bool find_extent(const T* x, npy_intp count, double low, double high, T& first, T& last) {
    first = static_cast<T>(low), last = static_cast<T>(high);
    if (low == high && !find_extremes(x, count, first, last)) return false;  // refused by the body
    if (first == last) first -= 1, last += 1;
    return std::isfinite(first) && std::isfinite(last) && first < last;
}
// Counts in each of `bins` bins, and in one more the elements in none of them. Neighbours are counted apart: a count
// that has just been written is slow to read.
template <class T> void count_positions(const T* x, npy_intp count, npy_intp bins, T first, T last, int64_t* counts) {
    constexpr npy_intp block = 256, tables = 4;
    const T factor = static_cast<T>(bins), wide = last - first;
    int32_t positions[block];
    for (npy_intp begin = 0; begin < count; begin += block) {
        const npy_intp some = std::min(block, count - begin);
        for (npy_intp i = 0; i < some; ++i) {
            const T value = x[begin + i], position = (value - first) * factor / wide;
            const bool inside = value >= first && value <= last;
            const T checked = inside ? position : T(0);
            const int32_t bin = static_cast<int32_t>(position < factor ? checked : factor - 1);
            positions[i] = inside && bin >= 0 && bin < bins
                               ? bin
                               : static_cast<int32_t>(bins);  // even if another thread changes x
        }
        for (npy_intp i = 0; i < some; ++i) ++counts[positions[i] * tables + i % tables];
    }
    for (npy_intp bin = 0; bin < bins; ++bin)
        counts[bin] =
            counts[bin * tables] + counts[bin * tables + 1] + counts[bin * tables + 2] + counts[bin * tables + 3];
}
template <class T> PyObject* histogram(PyArrayObject* array, npy_intp bins, double low, double high) {
    const T* x = data_of<T>(array);
    const npy_intp count = PyArray_SIZE(array);
    T first, last;
    if (!find_extent(x, count, low, high, first, last)) return nullptr;
    Owned result(new_array(descr_of<T>(), 1, &bins));
    if (!result) return nullptr;
    std::vector<int64_t> counts(static_cast<size_t>(4 * (bins + 1)));
    {
        ReleaseGil unlocked(count >= thread_threshold);
        count_positions(x, count, bins, first, last, counts.data());
    }
    std::copy(counts.begin(), counts.begin() + bins, data_of<T>(result.get()));
    return result.give();
}
// histc(self, bins, min, max)
PyObject* histc(Call args) {
    PyArrayObject* x = plain(args[0]);
    npy_intp bins = 0;
    double low = 0, high = 0;
    if (!x || PyArray_SIZE(x) == 0 || !as_index(args[1], bins) || bins < 1 || bins > few || !as_number(args[2], low) ||
        !as_number(args[3], high) || !(low <= high))
        return nullptr;
    if (PyArray_DESCR(x) == float_descr) return histogram<float>(x, bins, low, high);
    return PyArray_DESCR(x) == double_descr ? histogram<double>(x, bins, low, high) : nullptr;
}

// ---- isin, equal, count_nonzero ------------------------------------------------------------------------------------
template <class T> void mark_equal(const T* x, npy_intp count, T value, bool* out) {
    if constexpr (std::is_same<T, int32_t>::value)
        for (npy_intp i = 0; i < count; ++i) out[i] = x[i] == value;
    else
        loops<T>().compare[EQUAL](x, 1, &value, 0, out, count);
}
// Which of the elements equal one of the tests, or (inverted) none of them.
template <class T>
void mark_members(const T* x, npy_intp count, const T* tests, npy_intp test_count, bool inverted, bool* out) {
    constexpr npy_intp block = 1024;
    bool equal[block];
    for (npy_intp begin = 0; begin < count; begin += block) {
        const npy_intp some = std::min(block, count - begin);
        bool* members = out + begin;
        mark_equal(x + begin, some, *tests, members);
        for (npy_intp at = 1; at < test_count; ++at) {
            mark_equal(x + begin, some, tests[at], equal);
            for (npy_intp i = 0; i < some; ++i) members[i] |= equal[i];
        }
        if (inverted)
            for (npy_intp i = 0; i < some; ++i) members[i] = !members[i];
    }
}
// isin(elements, test_elements, assume_unique, invert), of these so few that each is compared with each
PyObject* isin(Call args) {
    constexpr npy_intp few_tests = 32;
    PyArrayObject *x = plain(args[0]), *tests = small(args[1]);
    bool inverted = false;
    if (!x || !tests || PyArray_SIZE(x) == 0 || !PyBool_Check(args[2]) || !as_flag(args[3], inverted)) return nullptr;
    const npy_intp count = PyArray_SIZE(x), test_count = PyArray_SIZE(tests);
    if (PyArray_DESCR(x) != PyArray_DESCR(tests) ||
        (test_count > few_tests && (Size(count) * test_count).value_or_most() > 1024))
        return nullptr;
    return with_number(x, [=](auto element) -> PyObject* {
        using T = decltype(element);
        Owned result(new_array(bool_descr, PyArray_NDIM(x), PyArray_DIMS(x)));
        if (!result) return nullptr;
        const T *values = data_of<T>(x), *of = data_of<T>(tests);
        bool* out = data_of<bool>(result.get());
        {
            ReleaseGil unlocked(count >= thread_threshold);
            parallel_for(count, test_count, [=](npy_intp begin, npy_intp end) {
                mark_members(values + begin, end - begin, of, test_count, inverted, out + begin);
            });
        }
        return result.give();
    });
}

// equal(self, other): one truth value
PyObject* equal(Call args) {
    PyArrayObject *a = small(args[0]), *b = small(args[1]);
    if (!a || !b || PyArray_DESCR(a) != PyArray_DESCR(b)) return nullptr;
    if (!same_shape(a, b)) return new_truth(false);
    return with_number(a, [=](auto element) {
        using T = decltype(element);
        const T *first = data_of<T>(a), *second = data_of<T>(b);
        const npy_intp count = PyArray_SIZE(a);
        bool differs = false;
        for (npy_intp begin = 0; begin < count && !differs; begin += 256) {
            const npy_intp end = std::min(begin + 256, count);
            int truth = 0;
            for (npy_intp i = begin; i < end; ++i) truth |= first[i] != second[i];
            differs = truth != 0;
        }
        return new_truth(!differs);
    });
}

// Of many elements, by the loops of comparisons.
template <class T> PyObject* count_many(const T* x, npy_intp count) {
    std::atomic<npy_intp> total{0};
    {
        ReleaseGil unlocked(true);
        parallel_for(count, 1, [&](npy_intp begin, npy_intp end) {
            constexpr npy_intp piece = 4096;
            bool differs[piece];
            const T zero = 0;
            npy_intp counted = 0;
            for (npy_intp at = begin; at < end; at += piece) {
                const npy_intp some = std::min(piece, end - at);
                loops<T>().compare[NOT_EQUAL](x + at, 1, &zero, 0, differs, some);
                int block_total = 0;
                for (npy_intp i = 0; i < some; ++i) block_total += differs[i];
                counted += block_total;
            }
            total += counted;
        });
    }
    Owned result(new_array(int64_descr, 0, nullptr));
    if (result) *data_of<int64_t>(result.get()) = total;
    return result.give();
}
// count_nonzero(self, None)
PyObject* count_nonzero(Call args) {
    PyArrayObject* x = args[1] == Py_None ? plain(args[0]) : nullptr;
    if (x && PyArray_SIZE(x) > few) {
        if (PyArray_DESCR(x) == float_descr) return count_many(data_of<float>(x), PyArray_SIZE(x));
        if (PyArray_DESCR(x) == double_descr) return count_many(data_of<double>(x), PyArray_SIZE(x));
        return PyArray_DESCR(x) == int64_descr ? count_many(data_of<int64_t>(x), PyArray_SIZE(x)) : nullptr;
    }
    if (!x || PyArray_SIZE(x) == 0) return nullptr;
    const auto counted = [=](auto element) -> PyObject* {
        using T = decltype(element);
        Owned result(new_array(int64_descr, 0, nullptr));
        if (result)
            *data_of<int64_t>(result.get()) =
                PyArray_SIZE(x) - std::count(data_of<T>(x), data_of<T>(x) + PyArray_SIZE(x), T{0});
        return result.give();
    };
    return PyArray_DESCR(x) == bool_descr ? counted(npy_bool{}) : with_number(x, counted);
}

Methods count_methods({
    WENGERT_ENTRY(histc, "(self, bins, min, max)", on_contiguous<direct<4, histc>>),
    WENGERT_ENTRY(isin, "(elements, test_elements, assume_unique, invert)", on_contiguous<direct<4, isin>>),
    direct_method("direct_all_equal", on_contiguous<direct<2, equal>>, "equal(self, other), or NotImplemented"),
    WENGERT_ENTRY(count_nonzero, "(self, None)", on_contiguous<direct<2, count_nonzero>>),
});

}  // namespace
}  // namespace wengert
