// Bytes as a NumPy array: rejected, or as many elements as its shape says.
#include "tests/fuzz/fuzz_target.h"
#include "tools/nnrt/data/npy.h"

#include <cstdlib>
#include <span>

FUZZ_TARGET(arrays)(const uint8_t* data, size_t size) {
  const auto array = nnrt::tool::parse_npy(std::as_bytes(std::span(data, size)));
  if (!array.ok()) return 0;
  if (array.value().bytes.size() > size) std::abort();
  double sum = 0;
  for (size_t i = 0; i < array.value().count(); ++i) sum += array.value()[i];
  static_cast<void>(sum);
  return 0;
}
