#include "backends/cpu/base/element.h"
#include "backends/cpu/kernels/lookup/lookup_kernels.h"

#include <bit>
#include <cstring>

namespace nnrt::cpu {
namespace {

enum Mode : int64_t { kSparse = 1, kDense = 2, kSparseRanges = 3 };

static_assert(std::endian::native == std::endian::little);

uint64_t load(const std::byte* data) {
  uint64_t word = 0;
  std::memcpy(&word, data, sizeof word);
  return word;
}

constexpr size_t kMinFingerprintKey = 8, kMaxFingerprintKey = 16;

// The 64-bit fingerprint that defines the bits.
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

struct Items {
  const std::byte* data = nullptr;
  size_t count = 0, bytes = 0;  // `bytes` per item
};

// The sign of the weighted sum of fingerprints (as signed integers) of seed and items.
bool bit_of(float seed, const Items& items, std::span<const float> weights) {
  std::vector<std::byte> key(sizeof seed + items.bytes);
  std::memcpy(key.data(), &seed, sizeof seed);
  double score = 0;
  for (size_t i = 0; i < items.count; ++i) {
    std::memcpy(key.data() + sizeof seed, items.data + i * items.bytes, items.bytes);
    const auto hash = double(int64_t(fingerprint(key)));
    score += weights.empty() ? hash : double(weights[i]) * hash;
  }
  return score > 0;
}

}  // namespace

Status lsh_projection(const KernelArgs& args) {
  const FloatInput seeds(args, 0);
  const Items items{args.in[1], size_t(args.node.shape(1)[0]), size_t(args.node.shape(1)[1])};
  const size_t key = sizeof(float) + items.bytes;
  if (key < kMinFingerprintKey || key > kMaxFingerprintKey) {
    return invalid("A seed and an item (", key, " bytes) are not ", kMinFingerprintKey, " to ",
                   kMaxFingerprintKey, " bytes.");
  }
  std::optional<FloatInput> weights;
  if (args.node.input_count() == 3) weights.emplace(args, 2);
  const std::span<const float> factors = weights ? weights->values() : std::span<const float>();
  const int64_t hashes = args.node.shape(0)[0], bits = args.node.shape(0)[1];
  const int64_t mode = args.node.attrs().integer(Attr::mode);
  auto* const y = args.output<int32_t>();
  for (int64_t hash = 0; hash < hashes; ++hash) {
    uint32_t signature = 0;
    for (int64_t bit = 0; bit < bits; ++bit) {
      const bool is_set = bit_of(seeds[hash * bits + bit], items, factors);
      if (mode == kDense) y[hash * bits + bit] = is_set;
      signature = signature << 1 | uint32_t(is_set);
    }
    const auto range = mode == kSparseRanges ? uint64_t(hash) << bits : uint64_t(0);
    if (mode != kDense) y[hash] = int32_t(uint32_t(signature + range));
  }
  return {};
}

}  // namespace nnrt::cpu
