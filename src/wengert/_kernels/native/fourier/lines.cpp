// Fourier transforms along one dimension of arrays of any size and strides, in the precision of their numbers.
#include "fourier/lines.hpp"

#include <algorithm>

#include "binding/elements.hpp"
#include "fourier/axes.hpp"

namespace wengert {
namespace {

Twin fft_twin("fft_lines"), rfft_twin("rfft_lines"), irfft_twin("irfft_lines");

// The kinds of numbers before and after.
enum Kind { OF_COMPLEX, OF_REAL, TO_REAL };

// The plan for one length; each thread keeps those of the lengths that it used last.
template <class Plan> std::shared_ptr<const Plan> cached_for(index_t count) {
    thread_local std::shared_ptr<const Plan> kept[4];
    thread_local unsigned next = 0;
    for (const auto& plan : kept)
        if (plan && plan->count == count) return plan;
    return kept[next++ % 4] = std::make_shared<const Plan>(count);
}

// What the transforms of lines of one length need.
template <class T> struct Length {
    explicit Length(index_t count)
        : count(count), half(count / 2), full(count), parted(count % 2 ? 1 : half), quarter(quarter_of<T>(count)) {}
    index_t count, half;
    FourierPlan<T> full, parted;  // parted: of real numbers, the even ones and the odd ones as parts of complex ones
    std::vector<T> quarter;
};
// Of lines that are transformed in two steps: `line` of complex numbers, or of the parts of real ones.
template <class T, bool real> struct LongLength {
    explicit LongLength(index_t count) : count(count), line(real ? count / 2 : count), circle(real ? count : 1) {}
    index_t count;
    LongLine<T> line;
    Circle circle;
};

// The lines along an axis of two arrays, whose other dimensions are of one shape: where each begins, in numbers of a
// part.
class LinePositions {
public:
    bool read(PyArrayObject* from, PyArrayObject* to, int axis, npy_intp part_bytes) {
        for (int dim = 0; dim < PyArray_NDIM(from); ++dim) {
            const npy_intp strides[2] = {PyArray_STRIDE(from, dim), PyArray_STRIDE(to, dim)};
            if (strides[0] % part_bytes || strides[1] % part_bytes) return false;
            if (dim == axis) {
                step[0] = strides[0] / part_bytes, step[1] = strides[1] / part_bytes;
                continue;
            }
            if (PyArray_DIM(from, dim) != PyArray_DIM(to, dim)) return false;
            dims_.push_back({PyArray_DIM(from, dim), {strides[0] / part_bytes, strides[1] / part_bytes}});
            count *= PyArray_DIM(from, dim);
        }
        std::stable_sort(dims_.begin(), dims_.end(),
                         [](const Dim& a, const Dim& b) { return std::abs(a.step[0]) < std::abs(b.step[0]); });
        return true;
    }
    // Of `used` lines from `first` on.
    void find(index_t first, index_t used, index_t* from, index_t* to) const {
        for (index_t line = 0; line < used; ++line) {
            index_t rest = first + line;
            from[line] = to[line] = 0;
            for (const Dim& dim : dims_) {
                const index_t at = rest % dim.length;
                rest /= dim.length;
                from[line] += at * dim.step[0], to[line] += at * dim.step[1];
            }
        }
    }
    index_t count = 1, step[2] = {0, 0};

private:
    struct Dim {
        index_t length, step[2];
    };
    std::vector<Dim> dims_;  // the innermost first
};

template <class T> struct Transform {
    const T* from;
    T* to;
    index_t count, steps[2];
    T weight;
    bool flag;  // of complex numbers: forward; of real ones: the terms up to the half only
    const Length<T>& length;

    FourierSide<const T> source() const { return {from, steps[0], 1}; }
    FourierSide<T> target() const { return {to, steps[1], 1}; }

    void of_complex(const index_t* at, const index_t* to_at, index_t used, const FourierScratch<T>& scratch) const {
        const auto& l = loops<T>();
        l.fourier_read((flag ? source() : swapped(source())).lines(at, used), count, scratch.points);
        const T* points = l.fourier_passes(length.full.passes(), scratch.points, scratch.spare);
        l.fourier_write(points, count, weight, weight, (flag ? target() : swapped(target())).lines(to_at, used));
    }
    void of_real(const index_t* at, const index_t* to_at, index_t used, const FourierScratch<T>& scratch) const {
        const auto& l = loops<T>();
        const index_t terms = count / 2 + 1, others = count - terms;
        T* points;
        if (count % 2 == 0) {
            l.fourier_read(FourierSide<const T>{from, 2 * steps[0], steps[0]}.lines(at, used), length.half,
                           scratch.points);
            points = l.fourier_passes(length.parted.passes(), scratch.points, scratch.spare);
            l.fourier_parted(points, length.half, length.quarter.data());
        } else {
            l.fourier_read(FourierSide<const T>{from, steps[0], 0}.lines(at, used), count, scratch.points);
            points = l.fourier_passes(length.full.passes(), scratch.points, scratch.spare);
        }
        l.fourier_write(points, terms, weight, weight, target().lines(to_at, used));
        if (flag || others == 0) return;
        const FourierSide<T> backwards = {to + (count - 1) * steps[1], -steps[1],
                                          1};  // the conjugates of the terms 1, 2, ...
        l.fourier_write(points + 2 * l.lanes, others, weight, -weight, backwards.lines(to_at, used));
    }
    void to_real(const index_t* at, const index_t* to_at, index_t used, const FourierScratch<T>& scratch) const {
        const auto& l = loops<T>();
        if (count % 2 == 0) {
            l.fourier_read(source().lines(at, used), length.half + 1, scratch.points);
            l.fourier_joined(scratch.points, length.half, length.quarter.data());
            const T* points = l.fourier_passes(length.parted.passes(), scratch.points, scratch.spare);
            l.fourier_write(points, length.half, weight, weight,
                            FourierSide<T>{to + steps[1], 2 * steps[1], -steps[1]}.lines(to_at, used));
            return;
        }
        l.fourier_read(swapped(source()).lines(at, used), length.half + 1, scratch.points);
        complete(scratch.points);
        const T* points = l.fourier_passes(length.full.passes(), scratch.points, scratch.spare);
        l.fourier_write(points + l.lanes, count, weight, T(0), FourierSide<T>{to, steps[1], 0}.lines(to_at, used));
    }
    // The terms after the middle, with swapped parts: the conjugates of those before it.
    void complete(T* points) const {
        const index_t lanes = loops<T>().lanes;
        std::fill(points, points + lanes, T(0));
        for (index_t k = 1; 2 * k < count; ++k)
            for (index_t lane = 0; lane < lanes; ++lane) {
                points[2 * lanes * (count - k) + lane] = -points[2 * lanes * k + lane];
                points[2 * lanes * (count - k) + lanes + lane] = points[2 * lanes * k + lanes + lane];
            }
    }
};

// ---- long lines ----------------------------------------------------------------------------------------------------
// The transform of the even and the odd ones of real numbers, as parts of complex ones, becomes that of the numbers.
template <class T>
void part_line(const T* points, index_t half, const Circle& circle, T weight, bool onesided, FourierSide<T> to) {
    const auto put = [&](index_t k, T re, T im) {
        to.data[k * to.step] = re, to.data[k * to.step + 1] = im;
        const index_t other = 2 * half - k;
        if (!onesided && k && other > half) to.data[other * to.step] = re, to.data[other * to.step + 1] = -im;
    };
    parallel_for(half / 2 + 1, 32, [&](index_t begin, index_t end) {
        for (index_t k = begin; k < end; ++k) {
            const index_t mirror = k ? half - k : 0;
            const T are = points[2 * k], aim = points[2 * k + 1], bre = points[2 * mirror],
                    bim = -points[2 * mirror + 1];
            const Root root = circle.at(k);
            const T w = weight / 2, c = static_cast<T>(root.re), s = static_cast<T>(root.im);
            const T even_re = (are + bre) * w, even_im = (aim + bim) * w, far_re = (aim - bim) * w,
                    far_im = (bre - are) * w;
            const T odd_re = far_re * c - far_im * s, odd_im = far_re * s + far_im * c;
            put(k, even_re + odd_re, even_im + odd_im);
            put(half - k, even_re - odd_re, odd_im - even_im);
        }
    });
}
// The inverse, twice as large, with the parts swapped.
template <class T> void join_line(FourierSide<const T> from, index_t half, const Circle& circle, T* points) {
    parallel_for(half / 2 + 1, 32, [&](index_t begin, index_t end) {
        for (index_t k = begin; k < end; ++k) {
            const T *a = from.data + k * from.step, *b = from.data + (half - k) * from.step;
            const T aim = k ? a[1] : T(0), bim = k ? -b[1] : T(0);
            const Root root = circle.at(k);
            const T c = static_cast<T>(root.re), s = static_cast<T>(-root.im);
            const T even_re = a[0] + b[0], even_im = aim + bim, far_re = a[0] - b[0], far_im = aim - bim;
            const T odd_re = far_re * c - far_im * s, odd_im = far_re * s + far_im * c;
            points[2 * k] = even_im + odd_re, points[2 * k + 1] = even_re - odd_im;
            if (k) points[2 * (half - k)] = odd_re - even_im, points[2 * (half - k) + 1] = even_re + odd_im;
        }
    });
}

template <class T, Kind kind> void transform_long(const Transform<T>& job, const LinePositions& positions) {
    const index_t count = kind == OF_COMPLEX ? job.count : job.count / 2;
    const auto kept = cached_for<LongLength<T, kind != OF_COMPLEX>>(job.count);
    const LongLine<T>& line = kept->line;
    const Circle& circle = kept->circle;
    std::unique_ptr<T[]> points(kind == OF_COMPLEX ? nullptr : new T[static_cast<size_t>(2 * count)]);
    for (index_t number = 0; number < positions.count; ++number) {
        index_t at, to_at;
        positions.find(number, 1, &at, &to_at);
        const T* from = job.from + at;
        T* to = job.to + to_at;
        const FourierSide<const T> source = {from, job.steps[0], 1};
        const FourierSide<T> target = {to, job.steps[1], 1};
        if (kind == OF_COMPLEX) {
            line.transform(job.flag ? source : swapped(source), job.flag ? target : swapped(target), job.weight);
        } else if (kind == OF_REAL) {
            line.transform({from, 2 * job.steps[0], job.steps[0]}, {points.get(), 2, 1}, T(1));
            part_line(points.get(), count, circle, job.weight, job.flag, target);
        } else {
            join_line(source, count, circle, points.get());
            line.transform({points.get(), 2, 1}, {to + job.steps[1], 2 * job.steps[1], -job.steps[1]}, job.weight);
        }
    }
}

// ---- functions -----------------------------------------------------------------------------------------------------
template <class T> struct ComplexNumber { static constexpr int number = NPY_CDOUBLE; };
template <> struct ComplexNumber<float> { static constexpr int number = NPY_CFLOAT; };

// An aligned array of numbers of this kind in the processor's order of bytes.
PyArrayObject* numbers(PyObject* object, int type) {
    if (!PyArray_CheckExact(object)) return nullptr;
    auto* array = reinterpret_cast<PyArrayObject*>(object);
    return PyArray_TYPE(array) == type && PyArray_ISBEHAVED_RO(array) ? array : nullptr;
}
template <class T> constexpr int type_of(bool real) {
    if (!real) return ComplexNumber<T>::number;
    return sizeof(T) == 4 ? NPY_FLOAT : NPY_DOUBLE;
}

template <class T, Kind kind> void over_lines(const Transform<T>& job, const LinePositions& positions) {
    over_groups<T>(positions.count, job.count, [&](index_t first, index_t used, const FourierScratch<T>& scratch) {
        index_t at[most_lanes], to_at[most_lanes];
        positions.find(first, used, at, to_at);
        if (kind == OF_COMPLEX)
            job.of_complex(at, to_at, used, scratch);
        else if (kind == OF_REAL)
            job.of_real(at, to_at, used, scratch);
        else
            job.to_real(at, to_at, used, scratch);
    });
}

// Whether `to` has the lengths of the transform, and no memory that is read after it was written.
template <Kind kind> bool receives(PyArrayObject* from, PyArrayObject* to, int axis, bool flag) {
    const index_t before = PyArray_DIM(from, axis), behind = PyArray_DIM(to, axis);
    const index_t expected = kind == OF_REAL && flag ? before / 2 + 1 : before;
    if (kind == TO_REAL ? before != behind / 2 + 1 : behind != expected) return false;
    const bool in_place = kind == OF_COMPLEX && PyArray_DATA(from) == PyArray_DATA(to) &&
                          PyArray_CompareLists(PyArray_STRIDES(from), PyArray_STRIDES(to), PyArray_NDIM(from));
    return in_place || are_disjoint(from, to);
}

template <class T, Kind kind> bool transformed(PyObject* array, int axis, index_t scale, bool flag, PyObject* result) {
    PyArrayObject *from = numbers(array, type_of<T>(kind == OF_REAL)),
                  *to = from ? numbers(result, type_of<T>(kind == TO_REAL)) : nullptr;
    if (!to || !writeable(to) || PyArray_NDIM(from) != PyArray_NDIM(to) || axis >= PyArray_NDIM(from) ||
        !receives<kind>(from, to, axis, flag))
        return false;
    const index_t count = PyArray_DIM(kind == OF_REAL ? from : to, axis);
    LinePositions positions;
    if (count < 2 || !positions.read(from, to, axis, sizeof(T)) || positions.count < 1) return false;
    if (kind == OF_REAL && positions.step[0] == 0)
        return false;  // of a side, an imaginary part 0 behind the real one is none
    const index_t points = kind == OF_COMPLEX || count % 2 ? count : count / 2;
    const bool many = 2 * positions.count >= loops<T>().lanes, at_once = many && points <= longest_line;
    const bool in_two_steps = !at_once && !(kind != OF_COMPLEX && count % 2) && LongLine<T>::knows(points);
    if (!in_two_steps && (!many || points > 16 * longest_line || (points > 1 && radices_of(points).empty())))
        return false;
    ReleaseGil unlocked(PyArray_SIZE(from) >= thread_threshold);
    const auto shared = cached_for<Length<T>>(in_two_steps ? 2 : count);
    const Transform<T> job = {static_cast<const T*>(PyArray_DATA(from)),
                              static_cast<T*>(PyArray_DATA(to)),
                              count,
                              {positions.step[0], positions.step[1]},
                              static_cast<T>(fourier_weight(count, scale)),
                              flag,
                              *shared};
    if (in_two_steps)
        transform_long<T, kind>(job, positions);
    else
        over_lines<T, kind>(job, positions);
    return true;
}

template <Kind kind> bool along(PyObject* array, int axis, index_t scale, bool flag, PyObject* result) {
    return transformed<float, kind>(array, axis, scale, flag, result) ||
           transformed<double, kind>(array, axis, scale, flag, result);
}

// (array, axis, scale, flag or length, out)
template <Kind kind> PyObject* lines(PyObject** slots) {
    int axis = 0;
    index_t scale = 0, length = 0;
    bool flag = true;
    if (!PyArray_CheckExact(slots[0]) ||
        !as_axis(slots[1], PyArray_NDIM(reinterpret_cast<PyArrayObject*>(slots[0])), axis))
        return nullptr;
    if (!as_index(slots[2], scale) || scale < 0 || scale > 2) return nullptr;
    if (kind == TO_REAL ? !as_index(slots[3], length) : !as_flag(slots[3], flag)) return nullptr;
    if (!along<kind>(slots[0], axis, scale, flag, slots[4])) return nullptr;
    Py_INCREF(slots[4]);
    return slots[4];
}

const char* const fft_lines_names[] = {"array", "axis", "scale", "forward", "out"};
const char* const rfft_lines_names[] = {"array", "axis", "scale", "onesided", "out"};
const char* const irfft_lines_names[] = {"array", "axis", "scale", "length", "out"};

Methods fourier_lines_methods({
    WENGERT_FUNCTION(fft_lines, "(array, axis, scale, forward, out)",
                     with_twin<fft_twin, 5, fft_lines_names, lines<OF_COMPLEX>>),
    WENGERT_FUNCTION(rfft_lines, "(array, axis, scale, onesided, out)",
                     with_twin<rfft_twin, 5, rfft_lines_names, lines<OF_REAL>>),
    WENGERT_FUNCTION(irfft_lines, "(array, axis, scale, length, out)",
                     with_twin<irfft_twin, 5, irfft_lines_names, lines<TO_REAL>>),
});

}  // namespace

bool fft_along(PyArrayObject* from, int axis, index_t scale, bool forward, PyArrayObject* to) {
    return along<OF_COMPLEX>(reinterpret_cast<PyObject*>(from), axis, scale, forward, reinterpret_cast<PyObject*>(to));
}
bool rfft_along(PyArrayObject* from, int axis, index_t scale, bool onesided, PyArrayObject* to) {
    return along<OF_REAL>(reinterpret_cast<PyObject*>(from), axis, scale, onesided, reinterpret_cast<PyObject*>(to));
}
bool irfft_along(PyArrayObject* from, int axis, index_t scale, PyArrayObject* to) {
    return along<TO_REAL>(reinterpret_cast<PyObject*>(from), axis, scale, true, reinterpret_cast<PyObject*>(to));
}

}  // namespace wengert
