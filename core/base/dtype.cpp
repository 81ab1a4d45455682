#include "core/base/dtype.h"

#include <array>

namespace nnrt {

std::string_view name(DType dtype) {
  constexpr std::array<std::string_view, kDTypeCount> kNames = {
      "UNKNOWN", "BOOL",   "INT8",   "INT16",   "INT32",   "INT64",  "UINT8",
      "UINT16",  "UINT32", "UINT64", "FLOAT16", "FLOAT32", "FLOAT64"};
  return kNames[static_cast<size_t>(dtype)];
}

std::string to_string(DTypeSet dtypes) {
  std::string text;
  for (int i = 0; i < kDTypeCount; ++i) {
    if (dtypes.contains(DType(i))) text.append(text.empty() ? "" : ", ").append(name(DType(i)));
  }
  return text;
}

}  // namespace nnrt
