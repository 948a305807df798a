// Random numbers: what draws compute, and rand and randn of a few numbers in one call. The numbers are those of the
// twins in normal.py, digit by digit: each product with a sum that is rounded once there is `fused` here.
#include "random/words.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <utility>

namespace wengert {
namespace {

Twin normal_blocks_twin("normal_blocks"), normal_pairs_twin("normal_pairs"), shuffle_twin("shuffle");

constexpr npy_intp block = 16, half = block / 2;
constexpr double two_pi = 6.283185307179586;

#if defined(__GNUC__)
#define WENGERT_INSIDE inline __attribute__((always_inline))
#else
#define WENGERT_INSIDE inline
#endif

WENGERT_INSIDE float fused(float a, float b, float c) { return std::fmaf(a, b, c); }
WENGERT_INSIDE int32_t bits_of(float x) {
    int32_t bits;
    std::memcpy(&bits, &x, sizeof bits);
    return bits;
}
WENGERT_INSIDE float number_of(int32_t bits) {
    float x;
    std::memcpy(&x, &bits, sizeof x);
    return x;
}

// log(x), cos(x) and sin(x) of Moshier's Cephes library; see normal.py.
WENGERT_INSIDE float logarithm(float x) {
    const int32_t bits = bits_of(x);
    const float fraction = number_of((bits & 0x7FFFFF) | 0x3F000000);
    const bool small = fraction < 0.70710678118654752f;
    const float exponent = static_cast<float>((bits >> 23) - 127) + 1.0f - (small ? 1.0f : 0.0f);
    const float z = (fraction - 1.0f) + (small ? fraction : 0.0f), square = z * z;
    float y = 7.0376836292e-2f;
    y = fused(y, z, -1.1514610310e-1f);
    y = fused(y, z, 1.1676998740e-1f);
    y = fused(y, z, -1.2420140846e-1f);
    y = fused(y, z, 1.4249322787e-1f);
    y = fused(y, z, -1.6668057665e-1f);
    y = fused(y, z, 2.0000714765e-1f);
    y = fused(y, z, -2.4999993993e-1f);
    y = fused(y, z, 3.3333331174e-1f) * z;
    y = fused(y, square, exponent * -2.12194440e-4f);
    return fused(exponent, 0.693359375f, z + (y - square * 0.5f));
}
WENGERT_INSIDE void circle(float angle, float& cosine, float& sine) {
    const int32_t eighths = (static_cast<int32_t>(angle * 1.27323954473516f) + 1) & ~1;
    const float count = static_cast<float>(eighths);
    float x = fused(count, -0.78515625f, angle);
    x = fused(count, -2.4187564849853515625e-4f, x);
    x = fused(count, -3.77489497744594108e-8f, x);
    const float square = x * x;
    float c = fused(2.443315711809948e-5f, square, -1.388731625493765e-3f);
    c = fused(c, square, 4.166664568298827e-2f) * square;
    c = fused(c, square, square * -0.5f) + 1.0f;
    float s = fused(-1.9515295891e-4f, square, 8.3321608736e-3f);
    s = fused(s, square, -1.6666654611e-1f) * square;
    s = fused(s, x, x);
    const bool swapped = eighths & 2;
    const float to_cosine = swapped ? s : c, to_sine = swapped ? c : s;
    cosine = (eighths - 2) & 4 ? to_cosine : -to_cosine;
    sine = eighths & 4 ? -to_sine : to_sine;
}

// Blocks of sixteen numbers from [0, 1) become normal ones: eight radii and eight angles, eight cosines and eight
// sines.
WENGERT_INSIDE void blocks_of(const float* from, float* to, npy_intp count) {
    for (npy_intp at = 0; at + block <= count; at += block)
        for (npy_intp i = at; i < at + half; ++i) {
            const float radius = std::sqrt(-2.0f * logarithm(1.0f - from[i]));
            float cosine, sine;
            circle(static_cast<float>(two_pi) * from[i + half], cosine, sine);
            to[i] = radius * cosine;
            to[i + half] = radius * sine;
        }
}
#if defined(__x86_64__) && defined(__GNUC__)
__attribute__((target("avx2,fma"))) void blocks_with_fma(const float* from, float* to, npy_intp count) {
    blocks_of(from, to, count);
}
void make_blocks(const float* from, float* to, npy_intp count) {
    static const bool has_fma = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
    has_fma ? blocks_with_fma(from, to, count) : blocks_of(from, to, count);
}
#else
void make_blocks(const float* from, float* to, npy_intp count) { blocks_of(from, to, count); }
#endif
void make_blocks(const double* from, double* to, npy_intp count) {
    for (npy_intp at = 0; at + block <= count; at += block)
        for (npy_intp i = at; i < at + half; ++i) {
            const double radius = std::sqrt(-2.0 * std::log(1.0 - from[i])), angle = two_pi * from[i + half];
            to[i] = radius * std::cos(angle);
            to[i + half] = radius * std::sin(angle);
        }
}
struct Pair {
    double first, second;
};
Pair pair_of(double part_of_circle, double size) {
    const double radius = std::sqrt(-2.0 * std::log1p(-size)), angle = two_pi * part_of_circle;
    return {radius * std::cos(angle), radius * std::sin(angle)};
}

// Null, without an error, for numbers that are not from [0, 1]: an angle becomes an integer on the way.
template <class T> PyObject* normal_blocks_of(PyArrayObject* uniform) {
    for (npy_intp at = 0; at < PyArray_SIZE(uniform); ++at)
        if (!(data_of<T>(uniform)[at] >= 0 && data_of<T>(uniform)[at] <= 1)) return nullptr;
    Owned result(new_array(descr_of<T>(), 1, PyArray_DIMS(uniform)));
    if (result) make_blocks(data_of<T>(uniform), data_of<T>(result.get()), PyArray_SIZE(uniform));
    return result.give();
}
PyObject* normal_blocks(PyObject*, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames) {
    static const char* const names[] = {"uniform"};
    return try_native<1>(normal_blocks_twin, names, 1, args, nargs, kwnames, [](PyObject** slots) -> PyObject* {
        PyArrayObject* uniform = plain(slots[0]);
        if (!uniform || PyArray_NDIM(uniform) != 1 || PyArray_SIZE(uniform) % block) return nullptr;
        PyArray_Descr* descr = PyArray_DESCR(uniform);
        if (descr == float_descr) return normal_blocks_of<float>(uniform);
        return descr == double_descr ? normal_blocks_of<double>(uniform) : nullptr;
    });
}
PyObject* normal_pairs(PyObject*, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames) {
    static const char* const names[] = {"uniform"};
    return try_native<1>(normal_pairs_twin, names, 1, args, nargs, kwnames, [](PyObject** slots) -> PyObject* {
        PyArrayObject* uniform = plain(slots[0], double_descr);
        if (!uniform || PyArray_NDIM(uniform) != 2 || PyArray_DIM(uniform, 1) != 2) return nullptr;
        Owned result(new_array(double_descr, 2, PyArray_DIMS(uniform)));
        if (!result) return nullptr;
        const double* from = data_of<double>(uniform);
        double* to = data_of<double>(result.get());
        for (npy_intp at = 0; at < PyArray_SIZE(uniform); at += 2) {
            const Pair pair = pair_of(from[at], from[at + 1]);
            to[at] = pair.first;
            to[at + 1] = pair.second;
        }
        return result.give();
    });
}
PyObject* shuffle(PyObject*, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames) {
    static const char* const names[] = {"order", "steps"};
    return try_native<2>(shuffle_twin, names, 2, args, nargs, kwnames, [](PyObject** slots) -> PyObject* {
        PyArrayObject *order = plain(slots[0], int64_descr), *steps = plain(slots[1], int64_descr);
        if (!order || !steps || PyArray_NDIM(order) != 1 || PyArray_NDIM(steps) != 1) return nullptr;
        const npy_intp count = PyArray_SIZE(order);
        if (PyArray_SIZE(steps) != (count ? count - 1 : 0)) return nullptr;
        Owned result(reinterpret_cast<PyArrayObject*>(with_python([&] { return PyArray_NewCopy(order, NPY_CORDER); })));
        if (!result) return nullptr;
        int64_t* positions = data_of<int64_t>(result.get());
        for (npy_intp at = 0; at + 1 < count; ++at) {
            const int64_t step = load_once(data_of<int64_t>(steps) + at);
            if (step < 0 || step >= count - at) return nullptr;
            std::swap(positions[at], positions[at + step]);
        }
        return result.give();
    });
}

// ---- rand and randn ------------------------------------------------------------------------------------------------
template <class T> void draw_even(Words words, double*, T* to, npy_intp count) {
    for (npy_intp at = 0; at < count; ++at) words.draw(to[at]);
}
// Blocks of sixteen, the last one drawn anew over the end; fewer numbers in pairs. `kept`: whether the second number of
// the last pair is still there, and that number.
template <class T> void draw_normal(Words words, double* kept, T* to, npy_intp count) {
    if (count >= block) {
        T even[16 * block];  // several blocks at a time, since each would wait for the ends of long chains
        npy_intp at = 0;
        while (at + block <= count) {
            const npy_intp some = count - at < 16 * block ? (count - at) / block * block : 16 * block;
            for (npy_intp i = 0; i < some; ++i) words.draw(even[i]);
            make_blocks(even, to + at, some);
            at += some;
        }
        for (npy_intp rest = count - at; rest > 0; --rest) words.draw(even[0]);
        if (at < count) {
            for (npy_intp i = 0; i < block; ++i) words.draw(even[i]);
            make_blocks(even, to + count - block, block);
        }
        return;
    }
    for (npy_intp at = 0; at < count; ++at) {
        if (kept[0] != 0) {
            kept[0] = 0;
            to[at] = static_cast<T>(kept[1]);
        } else {
            double part_of_circle, size;
            words.draw(part_of_circle);
            words.draw(size);
            const Pair pair = pair_of(part_of_circle, size);
            to[at] = static_cast<T>(pair.first);
            kept[1] = pair.second;
            kept[0] = 1;
        }
    }
}

using DrawFloats = void (*)(Words, double*, float*, npy_intp);
using DrawDoubles = void (*)(Words, double*, double*, npy_intp);

template <DrawFloats for_float, DrawDoubles for_double>
PyObject* drawn_from(PyObject* const* parts, PyArray_Descr* descr, int ndim, const npy_intp* shape) {
    return under_lock(parts, descr, ndim, shape, [=](Words words, double* kept, PyArrayObject* result) {
        if (descr == float_descr)
            for_float(words, kept, data_of<float>(result), PyArray_SIZE(result));
        else
            for_double(words, kept, data_of<double>(result), PyArray_SIZE(result));
    });
}
// rand or randn(generator, how far this process is from the first, default, *lengths)
template <DrawFloats for_float, DrawDoubles for_double>
PyObject* factory(PyObject*, PyObject* const* args, Py_ssize_t nargs) {
    return answer([=]() -> PyObject* {
        auto* descr = reinterpret_cast<PyArray_Descr*>(nargs > 3 ? args[2] : nullptr);
        npy_intp shape[NPY_MAXDIMS];
        const int ndim = is_real(descr) ? read_lengths(args + 3, nargs - 3, descr, shape) : -1;
        if (ndim < 1) return nullptr;
        const Reference source(source_of(args[0], args[1]));
        if (!source.object) return nullptr;
        return drawn_from<for_float, for_double>(&PyTuple_GET_ITEM(source.object, 1), descr, ndim, shape);
    });
}
// even or normal(*parts of a source, dtype, count): a vector
template <DrawFloats for_float, DrawDoubles for_double>
PyObject* vector(PyObject*, PyObject* const* args, Py_ssize_t nargs) {
    return answer([=]() -> PyObject* {
        auto* descr = reinterpret_cast<PyArray_Descr*>(nargs == source_parts + 2 ? args[source_parts] : nullptr);
        npy_intp count = -1;
        if (!is_real(descr) || !as_index(args[source_parts + 1], count) || count < 0) return nullptr;
        return (Size(count) * PyDataType_ELSIZE(descr)).fits()
                   ? drawn_from<for_float, for_double>(args, descr, 1, &count)
                   : nullptr;
    });
}

// direct_whole(*parts of a source, count, room, low, short): integers low ... low + room - 1, the rest of one word or
// of two, int64
PyObject* integers_below(PyObject*, PyObject* const* args, Py_ssize_t nargs) {
    return answer([=]() -> PyObject* {
        npy_intp count = -1, room = 0, low = 0;
        bool one_word = false;
        PyObject* const* options = args + source_parts;
        if (nargs != source_parts + 4 || !as_index(options[0], count) || !as_index(options[1], room) ||
            !as_index(options[2], low))
            return nullptr;
        if (!as_flag(options[3], one_word) || count < 0 || room <= 0 || !(Size(count) * 8).fits()) return nullptr;
        return under_lock(args, int64_descr, 1, &count, [=](Words words, double*, PyArrayObject* result) {
            auto* to = data_of<uint64_t>(result);
            const auto width = static_cast<uint64_t>(room), first = static_cast<uint64_t>(low);
            if (one_word && width == static_cast<uint32_t>(width))
                draw_below(words, static_cast<uint32_t>(width), first, to, count);
            else
                for (npy_intp at = 0; at < count; ++at)
                    to[at] = first + (one_word ? words.next() : words.next_long()) % width;
        });
    });
}

}  // namespace

void draw_normal_numbers(Words words, double* kept, float* to, index_t count) { draw_normal(words, kept, to, count); }
void draw_normal_numbers(Words words, double* kept, double* to, index_t count) { draw_normal(words, kept, to, count); }

namespace {

Methods random_methods({
    WENGERT_FUNCTION(normal_blocks, "(uniform)", normal_blocks),
    WENGERT_FUNCTION(normal_pairs, "(uniform)", normal_pairs),
    WENGERT_FUNCTION(shuffle, "(order, steps)", shuffle),
    WENGERT_ENTRY(rand, "(generator, forks, default, *lengths)", factory<draw_even<float>, draw_even<double>>),
    WENGERT_ENTRY(randn, "(generator, forks, default, *lengths)", factory<draw_normal<float>, draw_normal<double>>),
    WENGERT_ENTRY(whole, "(bits, acquire, release, kept, count, room, low, short)", integers_below),
    WENGERT_ENTRY(even, "(bits, acquire, release, kept, dtype, count)", vector<draw_even<float>, draw_even<double>>),
    WENGERT_ENTRY(normal, "(bits, acquire, release, kept, dtype, count)",
                  vector<draw_normal<float>, draw_normal<double>>),
});

}  // namespace
}  // namespace wengert
