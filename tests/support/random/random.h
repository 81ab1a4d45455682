// Random numbers from a seed, identical with every standard library; or from bytes chosen by a fuzzer.
#pragma once

#include <cstdint>
#include <random>
#include <span>
#include <utility>
#include <vector>

namespace nnrt::test {

class Random {
 public:
  explicit Random(uint32_t seed) : engine_(seed) {}
  // Uses two bytes per number while there are any.
  explicit Random(std::span<const uint8_t> bytes) : engine_(1), bytes_(bytes), is_steered_(true) {}

  uint64_t bits() {
    if (bytes_.size() < 2) return uint64_t(engine_()) << 32 | engine_();
    const uint64_t drawn = uint64_t(bytes_[0]) | uint64_t(bytes_[1]) << 8;
    bytes_ = bytes_.subspan(2);
    constexpr uint64_t kFewBits = 0xff00;  // choices use small numbers; larger ones are rare
    return drawn < kFewBits ? drawn : drawn * 0x9e3779b97f4a7c15u;
  }
  // Returns whether bytes decide. Then draw tensor contents from a seed instead, or they would use up the
  // bytes.
  bool is_steered() const { return is_steered_; }
  int64_t between(int64_t min, int64_t max) { return min + int64_t(bits() % uint64_t(max - min + 1)); }
  size_t below(size_t count) { return size_t(bits() % count); }
  bool one_in(size_t count) { return below(count) == 0; }
  double real(double min, double max) {
    const double drawn = is_steered_ ? double(uint32_t(bits() * 0x9e3779b1u)) : double(engine_());
    return min + (max - min) * drawn / 4294967296.0;
  }

  template <typename T>
  const T& of(const std::vector<T>& choices) {
    return choices[below(choices.size())];
  }
  template <typename T>
  void shuffle(std::vector<T>& values) {
    for (size_t i = values.size(); i > 1; --i) std::swap(values[i - 1], values[below(i)]);
  }

 private:
  std::mt19937 engine_;
  std::span<const uint8_t> bytes_;
  bool is_steered_ = false;
};

}  // namespace nnrt::test
