// Bytes that claim to be the description in an offline model.
#include "tests/fuzz/fuzz_target.h"
#include "tools/import/description.h"

#include <cstdlib>

FUZZ_TARGET(descriptions)(const uint8_t* data, size_t size) {
  using namespace nnrt::import;
  const auto bytes = std::as_bytes(std::span(data, size));
  const auto description = decode_description(bytes);
  if (description.ok() && encode_description(description.value()) != Bytes(bytes.begin(), bytes.end()))
    std::abort();
  return 0;
}
