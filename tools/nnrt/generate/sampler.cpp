#include "tools/nnrt/generate/sampler.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace nnrt::tool {

Result<int64_t> Sampler::choose(std::span<const float> logits) {
  std::vector<size_t> tokens;
  for (size_t i = 0; i < logits.size(); ++i) {
    if (!std::isnan(logits[i])) tokens.push_back(i);
  }
  if (tokens.empty()) return Error{Code::failed, "The model's logits are NaN."};
  const auto likelier = [&](size_t a, size_t b) {
    return logits[a] > logits[b] || (logits[a] == logits[b] && a < b);
  };
  if (sampling_.temperature <= 0) return int64_t(*std::ranges::min_element(tokens, likelier));
  std::ranges::sort(tokens, likelier);
  if (sampling_.top_k > 0 && sampling_.top_k < tokens.size()) tokens.resize(sampling_.top_k);
  std::vector<double> sums;
  double sum = 0;
  for (const size_t token : tokens) {
    sum += std::exp((double(logits[token]) - double(logits[tokens.front()])) / sampling_.temperature);
    sums.push_back(sum);
  }
  if (sampling_.top_p < 1) {
    const auto last = std::ranges::lower_bound(sums, sampling_.top_p * sum);
    sums.erase(std::min(last, sums.end() - 1) + 1, sums.end());
    sum = sums.back();
  }
  // Standard distributions differ between libraries; the engine does not.
  const double drawn = sum * double(random_() >> 11) * 0x1p-53;
  const auto found = std::ranges::upper_bound(sums, drawn);
  return int64_t(tokens[std::min(size_t(found - sums.begin()), sums.size() - 1)]);
}

}  // namespace nnrt::tool
