// The 64-bit fingerprint that defines LSH_PROJECTION's bits.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace nnrt::cpu {

inline constexpr size_t kMinFingerprintKey = 8, kMaxFingerprintKey = 16;

uint64_t fingerprint(std::span<const std::byte> key);

}  // namespace nnrt::cpu
