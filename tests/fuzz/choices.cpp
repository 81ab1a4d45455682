#include "tests/fuzz/choices.h"

#include <algorithm>
#include <cstring>
#include <limits>

namespace nnrt::test {

uint8_t Choices::byte() {
  if (bytes_.empty()) return 0;
  const uint8_t first = bytes_.front();
  bytes_ = bytes_.subspan(1);
  return first;
}

size_t Choices::below(size_t count) {
  if (count <= 1) return 0;
  return count <= 256 ? byte() % count : (byte() | size_t{byte()} << 8) % count;
}

int64_t Choices::integer() {
  if (!one_in(8)) return of<int64_t>({1, 0, 2, -1, 3, 4, 5, 8, -2, -3});
  return of<int64_t>({6, 7, 12, 16, 64, -4, 1000, 65536, std::numeric_limits<int32_t>::max(),
                      std::numeric_limits<int32_t>::min(), std::numeric_limits<int64_t>::max(),
                      std::numeric_limits<int64_t>::min(), int64_t{1} << 31, -100});
}

float Choices::real() {
  return of<float>({1, 0, 0.5f, 2, -1, 3, 1e-5f, 1e30f, -0.0f, std::numeric_limits<float>::infinity(),
                    std::numeric_limits<float>::quiet_NaN()});
}

std::vector<int64_t> Choices::shape(bool may_be_open) {
  std::vector<int64_t> shape(of<size_t>({4, 3, 2, 1, 0, 5, 6, 8}));
  for (int64_t& length : shape) length = of<int64_t>({2, 1, 4, 3, 1, 8, 0, 2, 5, may_be_open ? -1 : 6, 2, 7});
  // Products stay small.
  int64_t count = 1;
  for (int64_t& length : shape) {
    if (count * std::max<int64_t>(length, 1) > 4096) length = 1;
    count *= std::max<int64_t>(length, 1);
  }
  return shape;
}

std::string small_elements(Choices& choices, const std::vector<int64_t>& shape, size_t element_bytes) {
  size_t count = 1;
  for (const int64_t length : shape) count *= static_cast<size_t>(std::max<int64_t>(length, 0));
  std::string bytes(count * element_bytes, '\0');
  for (size_t i = 0; i < std::min<size_t>(count, 8); ++i) {
    const int64_t value = choices.integer();
    std::memcpy(bytes.data() + i * element_bytes, &value, std::min(element_bytes, sizeof value));
  }
  return bytes;
}

}  // namespace nnrt::test
