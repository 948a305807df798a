// Memory that a kernel needs while it runs. Large blocks, which the C library would give back to the system and get as
// fresh pages in each call, come from the reserve (base/reserve.hpp). No Python here.
#pragma once

#include <cstddef>
#include <cstring>
#include <memory>
#include <new>

#include "base/checked.hpp"
#include "base/reserve.hpp"

namespace wengert {

#if defined(__SANITIZE_ADDRESS__)
constexpr size_t least_scratch = SIZE_MAX;  // so that accesses beyond its end are detected
#else
constexpr size_t least_scratch = size_t(1) << 17;  // bytes
#endif

template <class T> struct EndScratch {
    void operator()(T* memory) const {
        if (!may_be_block(memory) || !put_block(memory)) delete[] memory;
    }
};
template <class T> using Scratch = std::unique_ptr<T[], EndScratch<T>>;

// Room for `count` numbers; throws std::bad_alloc.
template <class T> Scratch<T> scratch(index_t count) {
    const Size bytes = Size(count) * static_cast<index_t>(sizeof(T));
    if (!bytes.fits()) throw std::bad_alloc();
    const auto size = static_cast<size_t>(bytes.value());
    if (size < least_scratch) return Scratch<T>(new T[static_cast<size_t>(count)]);
    void* block = take_block(size, false);
    if (!block) throw std::bad_alloc();
    return Scratch<T>(static_cast<T*>(block));
}
// The same, of zeros.
template <class T> Scratch<T> zeros(index_t count) {
    Scratch<T> memory = scratch<T>(count);
    std::memset(memory.get(), 0, static_cast<size_t>(count) * sizeof(T));
    return memory;
}

}  // namespace wengert
