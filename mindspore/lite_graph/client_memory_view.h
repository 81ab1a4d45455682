// Reads standard containers of another C++ library.
#pragma once

#include "mindspore/lite_graph/client_layout.h"

#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <string>

namespace nnrt::mindspore {

// The address of a member.
inline const std::byte* member(const void* object, size_t offset) {
  return static_cast<const std::byte*>(object) + offset;
}

template <typename T>
T load(const void* object, size_t offset) {
  T value;
  std::memcpy(&value, member(object, offset), sizeof value);
  return value;
}

// Could this be the address of an object? Android tags the uppermost byte.
inline bool is_plausible(const void* pointer, size_t alignment) {
  const auto address = reinterpret_cast<uintptr_t>(pointer) & (~uintptr_t{0} >> 8);
  return address >= 4096 && address % alignment == 0 && address < (uintptr_t{1} << 52);
}

// The elements of a std::vector<T>; empty if it is no vector.
template <typename T>
std::optional<std::span<const T>> vector_at(const void* object, size_t offset) {
  constexpr size_t kMaxElements = size_t{1} << 28;
  const auto* const begin = load<const T*>(object, offset);
  const auto* const end = load<const T*>(object, offset + sizeof(void*));
  const auto* const capacity = load<const T*>(object, offset + 2 * sizeof(void*));
  if (begin == nullptr)
    return end == nullptr && capacity == nullptr ? std::optional(std::span<const T>()) : std::nullopt;
  const auto from = reinterpret_cast<uintptr_t>(begin), to = reinterpret_cast<uintptr_t>(end);
  if (!is_plausible(begin, alignof(T)) || from > to || to > reinterpret_cast<uintptr_t>(capacity) ||
      (to - from) % sizeof(T) != 0 || (to - from) / sizeof(T) > kMaxElements)
    return {};
  return std::span<const T>(begin, (to - from) / sizeof(T));
}

// The characters of a std::string; empty if it is no string.
std::string text_at(const void* object, size_t offset, ClientLibrary library);
// Frees the memory of a std::string, as its destructor does.
void free_text(const void* object, size_t offset, ClientLibrary library);

}  // namespace nnrt::mindspore
