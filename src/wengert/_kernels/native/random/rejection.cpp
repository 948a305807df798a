// Numbers of the gamma, Poisson and binomial distributions, drawn and tried until one is taken, as their twins in
// rejection.py do it, where the sources are named: there and here each expression is rounded in the same order.
#include "binding/direct.hpp"
#include "arrays/views.hpp"
#include "random/words.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace wengert {
namespace {

// Even and normal numbers, in double precision, one by one.
struct Numbers {
    Words words;
    double* kept;
    double even() const {
        double x;
        words.draw(x);
        return x;
    }
    double normal() const {
        double x;
        draw_normal_numbers(words, kept, &x, 1);
        return x;
    }
};

template <class T> T gamma_number(const Numbers& numbers, T concentration) {
    if (concentration == 0) return std::numeric_limits<T>::min();
    double scale = 1;
    if (concentration < 1) {
        scale = std::pow(1 - numbers.even(), static_cast<double>(1 / concentration));
        concentration += 1;
    }
    const double depth = concentration - static_cast<T>(1.0f / 3.0f), spread = 1 / std::sqrt(9 * depth);
    for (;;) {
        const double x = numbers.normal(), base = 1 + spread * x;
        if (base <= 0) continue;
        const double cube = base * base * base, rank = 1 - numbers.even(), square = x * x;
        if (rank < 1 - double{0.0331f} * square * square ||
            std::log(rank) < 0.5 * square + depth * (1 - cube + std::log(cube)))
            return std::max(std::numeric_limits<T>::min(), static_cast<T>(scale * depth * cube));  // of NaN: the first
    }
}

int64_t integer(double below) {
    return below >= -0x1p63 && below < 0x1p63 ? static_cast<int64_t>(below) : std::numeric_limits<int64_t>::min();
}
#if defined(__GLIBC__) || defined(__APPLE__)
double log_factorial(double k) {
    int sign;
    return lgamma_r(k + 1, &sign);
}
#else
double log_factorial(double k) { return std::lgamma(k + 1); }
#endif

int64_t poisson_number(const Numbers& numbers, double rate) {
    if (rate == 0) return 0;
    if (rate < 10) {
        const double end = std::exp(-rate);
        int64_t count = 0;
        for (double product = numbers.even(); product > end; product *= numbers.even()) ++count;
        return count;
    }
    const double width = 0.931 + 2.53 * std::sqrt(rate), bend = -0.059 + 0.02483 * width;
    const double quick = 0.9277 - 3.6224 / (width - 2), share = std::log(1.1239 + 1.1328 / (width - 3.4));
    for (;;) {
        const double across = numbers.even() - 0.5, up = numbers.even(), edge = 0.5 - std::fabs(across);
        const double count =
            std::floor((2 * bend / edge + width) * across + rate + 0.43);  // judged before it is made an integer
        if (edge >= 0.07 && up <= quick) return integer(count);
        if (count < 0 || (edge < 0.013 && up > edge)) continue;
        const double height = std::log(up) + share - std::log(bend / (edge * edge) + width);
        if (height <= -rate + count * std::log(rate) - log_factorial(count)) return integer(count);
    }
}

// What Stirling's formula lacks of the logarithm of k!.
double tail(double k) {
    static constexpr double few[] = {0.0810614667953272,  0.0413406959554092, 0.0276779256849983, 0.02079067210376509,
                                     0.0166446911898211,  0.0138761288230707, 0.0118967099458917, 0.010411265261972,
                                     0.00925546218271273, 0.00833056343336287};
    if (k >= 0 && k <= 9) return few[static_cast<int>(k)];
    const double square = (k + 1) * (k + 1);
    return (1.0 / 12 - (1.0 / 360 - 1.0 / 1260 / square) / square) / (k + 1);
}
double log_ratio(double trials, double odds, double mode, double count) {
    return (mode + 0.5) * std::log((mode + 1) / (odds * (trials - mode + 1))) +
           (trials + 1) * std::log((trials - mode + 1) / (trials - count + 1)) +
           (count + 0.5) * std::log(odds * (trials - count + 1) / (count + 1)) + tail(mode) + tail(trials - mode) -
           tail(count) - tail(trials - count);
}
template <class T> double rejected(const Numbers& numbers, T trials, T chance) {
    const double odds = chance / (1 - chance), mode = std::floor((trials + 1) * chance), total = trials;
    const double deviation = std::sqrt(static_cast<double>(trials * chance * (1 - chance)));
    const double middle = static_cast<double>(trials * chance) + 0.5, width = 1.15 + 2.53 * deviation;
    const double bend = -0.0873 + 0.0248 * width + 0.01 * static_cast<double>(chance);
    const double quick = 0.92 - 4.2 / width, share = (2.83 + 5.1 / width) * deviation;
    for (;;) {
        const double across = numbers.even() - 0.5, up = numbers.even(), edge = 0.5 - std::fabs(across);
        const double count = std::floor((2 * bend / edge + width) * across + middle);
        if (count < 0 || count > total) continue;
        if (edge >= 0.07 && up <= quick) return count;
        if (std::log(up * share / (bend / (edge * edge) + width)) <= log_ratio(total, odds, mode, count)) return count;
    }
}
// The waits between successes are geometric numbers. Trials that are NaN end with the first.
template <class T> double waited(const Numbers& numbers, T trials, T chance) {
    const double log_complement = std::log1p(-chance);
    double count = 0, passed = 0;
    for (;; ++count) {
        passed += std::ceil(std::log(numbers.even()) / log_complement);
        if (!(passed <= trials)) return count;
    }
}
template <class T> T binomial_number(const Numbers& numbers, T trials, T chance) {
    if (trials <= 0 || chance <= 0) return 0;
    if (chance >= 1) return trials;
    if (chance != chance) return chance;
    const auto fewer = [&](T rare) {
        return static_cast<T>(trials * rare >= 10 ? rejected(numbers, trials, rare) : waited(numbers, trials, rare));
    };
    return chance <= T(0.5) ? fewer(chance) : trials - fewer(1 - chance);
}

// A number for each place of vectors of parameters, one or two: name(*parts of a source, *parameters).
template <class T, class Draw, int count>
PyObject* drawn_by(Draw draw, PyObject* const* args, PyArrayObject* const (&parameters)[count]) {
    return under_lock(args, descr_of<T>(), PyArray_NDIM(parameters[0]), PyArray_DIMS(parameters[0]),
                      [=](Words words, double* kept, PyArrayObject* result) {
                          const Numbers numbers{words, kept};
                          T* to = data_of<T>(result);
                          for (npy_intp at = 0; at < PyArray_SIZE(result); ++at)
                              if constexpr (count == 1)
                                  to[at] = draw(numbers, data_of<T>(parameters[0])[at]);
                              else
                                  to[at] = draw(numbers, data_of<T>(parameters[0])[at], data_of<T>(parameters[1])[at]);
                      });
}
template <int count, class Draw> PyObject* drawn(PyObject* const* args, Py_ssize_t nargs, Draw draw) {
    return answer([=]() -> PyObject* {
        if (nargs != source_parts + count) return nullptr;
        PyArrayObject* parameters[count];
        for (int i = 0; i < count; ++i) {
            parameters[i] = plain(args[source_parts + i]);
            if (!parameters[i] || PyArray_DESCR(parameters[i]) != PyArray_DESCR(parameters[0]) ||
                !same_shape(parameters[i], parameters[0]))
                return nullptr;
        }
        if (!is_real(PyArray_DESCR(parameters[0]))) return nullptr;
        return PyArray_DESCR(parameters[0]) == float_descr ? drawn_by<float>(draw, args, parameters)
                                                           : drawn_by<double>(draw, args, parameters);
    });
}
PyObject* gamma_numbers(PyObject*, PyObject* const* args, Py_ssize_t nargs) {
    return drawn<1>(args, nargs,
                    [](const Numbers& numbers, auto concentration) { return gamma_number(numbers, concentration); });
}
PyObject* poisson_numbers(PyObject*, PyObject* const* args, Py_ssize_t nargs) {
    return drawn<1>(args, nargs, [](const Numbers& numbers, auto rate) {
        return static_cast<decltype(rate)>(poisson_number(numbers, rate));
    });
}
PyObject* binomial_numbers(PyObject*, PyObject* const* args, Py_ssize_t nargs) {
    return drawn<2>(args, nargs, [](const Numbers& numbers, auto trials, auto chance) {
        return binomial_number(numbers, trials, chance);
    });
}

Methods rejection_methods({
    WENGERT_ENTRY(gamma_numbers, "(bits, acquire, release, kept, concentration)", gamma_numbers),
    WENGERT_ENTRY(poisson_numbers, "(bits, acquire, release, kept, rate)", poisson_numbers),
    WENGERT_ENTRY(binomial_numbers, "(bits, acquire, release, kept, trials, chance)", binomial_numbers),
});

}  // namespace
}  // namespace wengert
