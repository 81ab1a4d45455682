#include "backends/cpu/kernels/lookup/fingerprint.h"

#include <bit>
#include <cstring>

namespace nnrt::cpu {
namespace {

static_assert(std::endian::native == std::endian::little);

uint64_t load(const std::byte* data) {
  uint64_t word = 0;
  std::memcpy(&word, data, sizeof word);
  return word;
}

}  // namespace

uint64_t fingerprint(std::span<const std::byte> key) {
  constexpr uint64_t kOdd = 0x9ae16a3b2f90404f;
  constexpr int kHigh = 47;
  const uint64_t factor = kOdd + 2 * key.size();
  const uint64_t first = load(key.data()) + kOdd, last = load(key.data() + key.size() - sizeof(uint64_t));
  const uint64_t c = std::rotr(last, 37) * factor + first;
  const uint64_t d = (std::rotr(first, 25) + last) * factor;
  uint64_t mixed = (c ^ d) * factor;
  mixed ^= mixed >> kHigh;
  mixed = (d ^ mixed) * factor;
  mixed ^= mixed >> kHigh;
  return mixed * factor;
}

}  // namespace nnrt::cpu
