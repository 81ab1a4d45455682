// Choices that a fuzzer's bytes make.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <vector>

namespace nnrt::test {

// Reads choices from bytes; after their end, always the first.
class Choices {
 public:
  explicit Choices(std::span<const uint8_t> bytes) : bytes_(bytes) {}

  bool is_empty() const { return bytes_.empty(); }
  uint8_t byte();
  size_t below(size_t count);
  bool one_in(size_t count) { return below(count) == count - 1; }
  template <typename T>
  T of(std::initializer_list<T> values) {
    return values.begin()[below(values.size())];
  }
  // Mostly small; the limits of integer types are possible.
  int64_t integer();
  float real();
  // Few dimensions, few elements; some are 0, and -1 if `may_be_open`.
  std::vector<int64_t> shape(bool may_be_open);
  template <typename T, typename Make>
  std::vector<T> list(const Make& make) {
    std::vector<T> values(below(7));
    for (T& value : values) value = static_cast<T>(make());
    return values;
  }

 private:
  std::span<const uint8_t> bytes_;
};

// Bytes of a constant: small integers if the elements are integers.
std::string small_elements(Choices& choices, const std::vector<int64_t>& shape, size_t element_bytes);

}  // namespace nnrt::test
