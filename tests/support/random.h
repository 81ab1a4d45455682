// Numbers drawn from a seed, the same with every standard library.
#pragma once

#include <cstdint>
#include <random>
#include <utility>
#include <vector>

namespace nnrt::test {

class Random {
 public:
  explicit Random(uint32_t seed) : engine_(seed) {}

  uint64_t bits() { return uint64_t(engine_()) << 32 | engine_(); }
  int64_t between(int64_t least, int64_t most) {
    return least + int64_t(bits() % uint64_t(most - least + 1));
  }
  size_t below(size_t count) { return size_t(bits() % count); }
  bool one_in(size_t count) { return below(count) == 0; }
  double real(double least, double most) { return least + (most - least) * double(engine_()) / 4294967296.0; }

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
};

}  // namespace nnrt::test
