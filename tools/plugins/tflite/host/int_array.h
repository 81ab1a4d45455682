// TfLiteIntArray without the interpreter's functions, whose symbols it may hide.
#pragma once

#include "core/base/result.h"

#include <tensorflow/lite/core/c/common.h>

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <vector>

namespace nnrt::tflite_plugin {

struct IntArrayDeleter {
  void operator()(TfLiteIntArray* array) const { std::free(array); }
};
using IntArray = std::unique_ptr<TfLiteIntArray, IntArrayDeleter>;

// Allocated as the interpreter does, which frees arrays that it takes.
inline Result<IntArray> make_int_array(const std::vector<int32_t>& values) {
  auto* array =
      static_cast<TfLiteIntArray*>(std::malloc(sizeof(TfLiteIntArray) + values.size() * sizeof(int)));
  if (array == nullptr) return Error{Code::memory, "Out of memory for a list of numbers."};
  array->size = static_cast<int>(values.size());
  std::ranges::copy(values, array->data);
  return IntArray(array);
}

inline std::vector<int32_t> values_of(const TfLiteIntArray& array) {
  return {array.data, array.data + array.size};
}

}  // namespace nnrt::tflite_plugin
