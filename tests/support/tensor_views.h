// Shared memory with contents, for tests that run graphs.
#pragma once

#include "core/platform/shared_memory.h"

#include <gtest/gtest.h>

#include <cstring>
#include <vector>

namespace nnrt::test {

inline TensorView empty_view(size_t bytes, Shape shape = {}) {
  auto memory = SharedMemory::create(bytes).value();
  return {std::move(memory), 0, bytes, std::move(shape)};
}

template <typename T>
TensorView view_of(Shape shape, const std::vector<T>& values) {
  TensorView view = empty_view(values.size() * sizeof(T), std::move(shape));
  std::memcpy(view.data(), values.data(), view.bytes);
  return view;
}

template <typename T>
std::vector<T> values_of(const TensorView& view) {
  std::vector<T> values(static_cast<size_t>(*element_count(view.shape)));
  std::memcpy(values.data(), view.data(), values.size() * sizeof(T));
  return values;
}

}  // namespace nnrt::test
