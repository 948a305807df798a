// What Fourier transforms of one length share: prime factors and roots of unity. No Python here.
#pragma once

#include <cmath>
#include <complex>
#include <vector>

#include "base/simd.hpp"

namespace wengert {

// A complex number without initial value, of which rows of scratch are made.
struct Root {
    double re, im;
    Root() = default;
    Root(double real, double imag) : re(real), im(imag) {}
    template <class T>
    explicit Root(std::complex<T> value)
        : re(static_cast<double>(value.real())), im(static_cast<double>(value.imag())) {}
    template <class T> std::complex<T> as() const { return {static_cast<T>(re), static_cast<T>(im)}; }
    Root conjugate() const { return {re, -im}; }
    Root operator*(Root y) const { return {re * y.re - im * y.im, re * y.im + im * y.re}; }
    Root operator*(double y) const { return {re * y, im * y}; }
    void operator+=(Root y) { re += y.re, im += y.im; }
};

// exp(-2 pi i k / n), 0 <= k < n: angles of at most an eighth of a turn are computed, the others follow from these.
inline Root root_of_unity(index_t k, index_t n) {
    constexpr double tau = 6.283185307179586476925286766559;
    if (2 * k > n) return root_of_unity(n - k, n).conjugate();
    if (4 * k > n) {
        const Root other = root_of_unity(n - 2 * k, 2 * n);  // of half a turn less k
        return {-other.re, other.im};
    }
    if (8 * k > n) {
        const double angle = tau * static_cast<double>(n - 4 * k) / static_cast<double>(4 * n);  // of a quarter less k
        return {std::sin(angle), -std::cos(angle)};
    }
    const double angle = tau * static_cast<double>(k) / static_cast<double>(n);
    return {std::cos(angle), -std::sin(angle)};
}

// What a transform of so many points is multiplied by: 1, or what divides by the square root of their number, or by
// that.
inline double fourier_weight(index_t count, index_t scale) {
    const double points = static_cast<double>(count);
    if (scale == 0) return 1;
    return scale == 1 ? 1 / std::sqrt(points) : 1 / points;
}

// All roots of a large n, each as a product of two that are kept.
class Circle {
public:
    explicit Circle(index_t count) {
        while ((index_t{1} << 2 * bits_) < count) ++bits_;
        for (index_t k = 0; k <= count >> bits_; ++k) far_.push_back(root_of_unity(k << bits_, count));
        for (index_t k = 0; k < index_t{1} << bits_; ++k) near_.push_back(root_of_unity(k % count, count));
    }
    Root at(index_t k) const {
        return far_[static_cast<size_t>(k >> bits_)] * near_[static_cast<size_t>(k & ((index_t{1} << bits_) - 1))];
    }

private:
    int bits_ = 0;
    std::vector<Root> far_, near_;
};

constexpr index_t most_radix = 61;  // a larger prime factor is left to NumPy, which has another algorithm for it

// The radices of the passes of a transform; none if there is a prime factor beyond `most_radix`.
inline std::vector<int> radices_of(index_t count) {
    std::vector<int> radices;
    for (const int radix : {4, 5, 3, 2})
        for (; count % radix == 0; count /= radix) radices.push_back(radix);
    for (int radix = 7; radix <= most_radix && count > 1; radix += 2)
        for (; count % radix == 0; count /= radix) radices.push_back(radix);
    if (count > 1) radices.clear();
    return radices;
}

// The passes of a transform, and the roots that they need.
template <class T> class FourierPlan {
public:
    explicit FourierPlan(index_t count) : count_(count), radices_(radices_of(count)) {
        index_t rest = count;
        for (const int radix : radices_) {
            if (radix > 5)
                for (index_t k = 0; k < radix; ++k) add(k, radix);
            for (index_t repetition = 0; repetition < rest / radix; ++repetition)
                for (index_t j = 1; j < radix; ++j) add(repetition * j, rest);
            rest /= radix;
        }
    }
    FourierPasses<T> passes() const {
        return {count_, static_cast<int>(radices_.size()), radices_.data(), roots_.data()};
    }

private:
    void add(index_t k, index_t n) {
        const Root root = root_of_unity(k, n);
        roots_.push_back(static_cast<T>(root.re)), roots_.push_back(static_cast<T>(root.im));
    }
    index_t count_;
    std::vector<int> radices_;
    std::vector<T> roots_;
};

// exp(-2 pi i k / count) for k up to a quarter of a turn and one more, part by part.
template <class T> std::vector<T> quarter_of(index_t count) {
    std::vector<T> roots;
    for (index_t k = 0; 4 * k <= count + 3; ++k) {
        const Root root = root_of_unity(k, count);
        roots.push_back(static_cast<T>(root.re)), roots.push_back(static_cast<T>(root.im));
    }
    return roots;
}

}  // namespace wengert
