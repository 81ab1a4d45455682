#include "mindspore/lite_graph/client_memory_view.h"

#include <new>

namespace nnrt::mindspore {
namespace {

struct Text {
  const char* data = nullptr;
  size_t length = 0;
  void* allocated = nullptr;  // null: in place, or shared
};

Text libstdcxx_text(const void* object, size_t offset) {
  constexpr size_t kInPlace = 16;
  Text text{load<const char*>(object, offset), load<size_t>(object, offset + 8), nullptr};
  if (reinterpret_cast<const std::byte*>(text.data) != member(object, offset + kInPlace))
    text.allocated = const_cast<char*>(text.data);
  return text;
}

// Length, capacity and a reference count precede the characters.
constexpr size_t kRep = 24, kRepCount = 8;

Text old_libstdcxx_text(const void* object, size_t offset) {
  const auto* const data = load<const char*>(object, offset);
  if (!is_plausible(data, alignof(size_t))) return {};
  return {data, load<size_t>(data - kRep, 0), nullptr};
}

// The lowest bit tells a long string: capacity, length, characters.
Text libcxx_text(const void* object, size_t offset) {
  const auto first = load<uint8_t>(object, offset);
  if ((first & 1) == 0)
    return {reinterpret_cast<const char*>(member(object, offset + 1)), size_t{first} / 2, nullptr};
  auto* const data = load<char*>(object, offset + 16);
  return {data, load<size_t>(object, offset + 8), data};
}

Text find_text(const void* object, size_t offset, ClientLibrary library) {
  switch (library) {
    case ClientLibrary::libstdcxx: return libstdcxx_text(object, offset);
    case ClientLibrary::libstdcxx_old: return old_libstdcxx_text(object, offset);
    case ClientLibrary::libcxx: return libcxx_text(object, offset);
  }
  return {};
}

// The last owner frees it. The empty string, which is static, has no capacity.
void release_shared(const char* data) {
  if (!is_plausible(data, alignof(size_t))) return;
  auto* const rep = const_cast<char*>(data) - kRep;
  if (load<size_t>(rep, 8) == 0) return;
  auto* const count = reinterpret_cast<int32_t*>(rep + kRep - kRepCount);
  if (__atomic_fetch_sub(count, 1, __ATOMIC_ACQ_REL) <= 0) ::operator delete(rep);
}

}  // namespace

std::string text_at(const void* object, size_t offset, ClientLibrary library) {
  constexpr size_t kMaxLength = 1 << 16;
  const Text text = find_text(object, offset, library);
  if (text.length == 0 || text.length > kMaxLength || !is_plausible(text.data, 1)) return {};
  return {text.data, text.length};
}

void free_text(const void* object, size_t offset, ClientLibrary library) {
  if (library == ClientLibrary::libstdcxx_old) return release_shared(load<const char*>(object, offset));
  ::operator delete(find_text(object, offset, library).allocated);
}

}  // namespace nnrt::mindspore
