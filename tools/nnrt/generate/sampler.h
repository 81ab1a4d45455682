// Chooses the next token from the logits.
#pragma once

#include "core/base/result.h"

#include <cstdint>
#include <random>
#include <span>

namespace nnrt::tool {

struct Sampling {
  double temperature = 0;  // 0: greedy
  uint32_t top_k = 0;      // sample from the k likeliest; 0: all
  double top_p = 1;        // and from the likeliest that have this probability together
  uint64_t seed = 0;
};

class Sampler {
 public:
  explicit Sampler(const Sampling& sampling) : sampling_(sampling), random_(sampling.seed) {}

  // The same seed gives the same tokens on every platform. Fails if all logits are NaN.
  Result<int64_t> choose(std::span<const float> logits);

 private:
  Sampling sampling_;
  std::mt19937_64 random_;
};

}  // namespace nnrt::tool
