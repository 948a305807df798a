// Sizes computed from arguments. A sum or product that does not fit is known as such, instead of wrapping around; every
// size that decides how much memory is touched is computed with these. No Python here.
#pragma once

#include <cstddef>
#include <limits>

namespace wengert {

using index_t = std::ptrdiff_t;

class Size {
public:
    Size(index_t value) : value_(value) {}  // an index is a size: not explicit
    bool fits() const { return fits_; }
    // Only after `fits()`.
    index_t value() const { return value_; }
    // For what is only compared with a threshold, and not negative.
    index_t value_or_most() const { return fits_ ? value_ : std::numeric_limits<index_t>::max(); }

    friend Size operator+(Size a, Size b) {
        Size result(0);
        result.fits_ = !__builtin_add_overflow(a.value_, b.value_, &result.value_) && a.fits_ && b.fits_;
        return result;
    }
    friend Size operator-(Size a, Size b) {
        Size result(0);
        result.fits_ = !__builtin_sub_overflow(a.value_, b.value_, &result.value_) && a.fits_ && b.fits_;
        return result;
    }
    friend Size operator*(Size a, Size b) {
        Size result(0);
        result.fits_ = !__builtin_mul_overflow(a.value_, b.value_, &result.value_) && a.fits_ && b.fits_;
        return result;
    }

private:
    index_t value_;
    bool fits_ = true;
};

}  // namespace wengert
