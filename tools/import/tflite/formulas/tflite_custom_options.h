// Options of custom operators.
#pragma once

#include "tools/import/tflite/tflite_operator.h"

#include <flatbuffers/flexbuffers.h>

namespace nnrt::import::tflite {

// A FlexBuffers map of names and numbers. Copied with a terminator, because keys of a damaged map may be
// unterminated.
class CustomOptions {
 public:
  // Fails if they are damaged or not a map.
  static CustomOptions read(const Operator& op);

  bool has(const char* name) const { return !found(name).IsNull(); }
  // 0 if the number is missing.
  float real(const char* name) const { return value(name).AsFloat(); }
  int64_t integer(const char* name) const;
  bool flag(const char* name) const;
  // The elements of a vector; empty if it is missing.
  List<int64_t> integers(const char* name) const;

 private:
  flexbuffers::Reference found(const char* name) const {
    return flexbuffers::GetRoot(bytes_.data(), bytes_.size() - 1).AsMap()[name];
  }
  flexbuffers::Reference value(const char* name) const {
    const auto it = found(name);
    return it.IsNumeric() || it.IsBool() ? it : flexbuffers::Reference();
  }

  List<uint8_t> bytes_;
};

// The first `count` 32-bit integers of options stored as a C struct.
List<int32_t> structure_options(const Operator& op, size_t count);

}  // namespace nnrt::import::tflite
