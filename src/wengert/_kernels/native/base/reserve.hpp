// Large blocks of memory that are kept when they are freed. The system hands out fresh pages one by one, which takes
// longer than most kernels do with them; a block that is kept is used again at once. No Python here.
#pragma once

#include <cstddef>
#include <cstdint>

namespace wengert {

constexpr size_t least_kept = size_t(1) << 17;  // bytes from which a block is ours; smaller ones are the C library's

struct ReserveStatistics {
    size_t allocated, peak_allocated;  // bytes in use now, and at most so far
    size_t kept, kept_blocks, limit;   // bytes and blocks that wait to be used again; bytes that may
    uint64_t reused, fresh;            // requests served by a kept block, by the system
    uint64_t retries;                  // requests that the system refused before what was kept was given back
};

// Blocks begin at pages, which other memory hardly ever does: a quick test before the look-up.
inline bool may_be_block(const void* address) {
#if defined(__unix__) || defined(__APPLE__)
    return (reinterpret_cast<uintptr_t>(address) & 4095) == 0;
#else
    return address != nullptr;
#endif
}

// Any thread may call these. Null: there is not enough memory, even after all kept blocks were given back.
void* take_block(size_t bytes, bool zeroed);
// False: `address` is none of our blocks.
bool put_block(void* address);
// The bytes that fit at `address`; 0 if it is none of our blocks.
size_t room_at(void* address);
// Gives all kept blocks back to the system; returns the number of bytes.
size_t give_back();
// Whether the limit set by the program allows any kept block.
bool keeps_memory();
// Sets how many bytes may be kept; blocks beyond that are given back.
void set_reserve_limit(size_t bytes);
ReserveStatistics reserve_statistics();
void reset_reserve_peak();

}  // namespace wengert
