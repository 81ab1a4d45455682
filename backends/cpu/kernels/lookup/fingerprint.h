// The 64-bit fingerprint that LSH_PROJECTION's bits are defined by.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace nnrt::cpu {

inline constexpr size_t kMinFingerprintKey = 8, kMaxFingerprintKey = 16;

// Takes a key of so many bytes.
uint64_t fingerprint(std::span<const std::byte> key);

}  // namespace nnrt::cpu
