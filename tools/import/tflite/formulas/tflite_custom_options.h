// Options of custom operators.
#pragma once

#include "tools/import/tflite/tflite_operator.h"

#include <flatbuffers/flexbuffers.h>

namespace nnrt::import::tflite {

// A map of names and numbers in FlexBuffers' encoding. A copy: keys of a damaged map may lack their end, and
// find it after the last byte.
class CustomOptions {
 public:
  // Fails where they are damaged or no map.
  static Result<CustomOptions> read(const Operator& op);

  bool has(const char* name) const { return !found(name).IsNull(); }
  // 0 where there is no number of the name.
  float real(const char* name) const { return value(name).AsFloat(); }
  int64_t integer(const char* name) const;
  bool flag(const char* name) const;
  // The numbers of a vector; none where there is no vector of the name.
  std::vector<int64_t> integers(const char* name) const;

 private:
  flexbuffers::Reference found(const char* name) const {
    return flexbuffers::GetRoot(bytes_.data(), bytes_.size() - 1).AsMap()[name];
  }
  flexbuffers::Reference value(const char* name) const {
    const auto it = found(name);
    return it.IsNumeric() || it.IsBool() ? it : flexbuffers::Reference();
  }

  std::vector<uint8_t> bytes_;
};

// The first `count` numbers of 32 bits of options that are a structure of C.
Result<std::vector<int32_t>> structure_options(const Operator& op, size_t count);

}  // namespace nnrt::import::tflite
