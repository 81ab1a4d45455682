// RANDOM_MULTINOMIAL: draws depend only on the seeds and their index (Philox 4x32 with ten rounds: John
// Salmon and others, "Parallel random numbers: as easy as 1, 2, 3", 2011).
#include "backends/cpu/base/element.h"
#include "backends/cpu/kernels/lookup/lookup_kernels.h"

#include <cmath>

namespace nnrt::cpu {
namespace {

using Block = std::array<uint32_t, 4>;

Block random_block(uint64_t counter, std::array<uint32_t, 2> key) {
  constexpr int kRounds = 10;
  Block x{uint32_t(counter), uint32_t(counter >> 32), 0, 0};
  for (int round = 0; round < kRounds; ++round) {
    const uint64_t a = uint64_t{0xD2511F53} * x[0], b = uint64_t{0xCD9E8D57} * x[2];
    x = {uint32_t(b >> 32) ^ x[1] ^ key[0], uint32_t(b), uint32_t(a >> 32) ^ x[3] ^ key[1], uint32_t(a)};
    key[0] += 0x9E3779B9;
    key[1] += 0xBB67AE85;
  }
  return x;
}

// In [0, 1), with 53 bits.
double uniform(const Block& block) {
  const uint64_t bits = uint64_t(block[0]) << 32 | block[1];
  return double(bits >> 11) * 0x1p-53;
}

// Cumulative sums of the class weights; non-finite weights count as 0.
void sum_weights(const float* logits, std::span<double> sums) {
  float max = -std::numeric_limits<float>::infinity();
  for (size_t c = 0; c < sums.size(); ++c)
    if (std::isfinite(logits[c])) max = std::max(max, logits[c]);
  double sum = 0;
  for (size_t c = 0; c < sums.size(); ++c) {
    if (std::isfinite(logits[c])) sum += std::exp(double(logits[c]) - double(max));
    sums[c] = sum;
  }
}

}  // namespace

Status random_multinomial(const KernelArgs& args) {
  const FloatInput input(args, 0);
  const int64_t rows = args.node.shape()[0], classes = args.node.shape()[1];
  const int64_t samples = args.node.attrs().integer(Attr::samples);
  const auto* const seeds = args.input<int32_t>(1);
  const std::array<uint32_t, 2> key{uint32_t(seeds[0]), uint32_t(seeds[1])};
  std::vector<double> sums(static_cast<size_t>(classes));
  auto* y = args.output<int32_t>();
  for (int64_t row = 0; row < rows; ++row) {
    sum_weights(input.data() + row * classes, sums);
    if (!(sums.back() > 0)) return invalid("Row ", row, " of the input has no finite number.");
    const double below_all = std::nextafter(sums.back(), 0.0);
    for (int64_t i = 0; i < samples; ++i) {
      const double share = uniform(random_block(uint64_t(row * samples + i), key));
      const double drawn = std::min(share * sums.back(), below_all);
      *y++ = int32_t(std::ranges::upper_bound(sums, drawn) - sums.begin());
    }
  }
  return {};
}

}  // namespace nnrt::cpu
