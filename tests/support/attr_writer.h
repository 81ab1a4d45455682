// The bytes of an attribute as OpenHarmony's generated code writes them (backends/plugin/attr_bytes.h).
#pragma once

#include "backends/plugin/attr_members.h"

#include <neural_network_runtime/hdi/v2_0/node_attr_types.h>

#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

namespace nnrt::test {

class AttrWriter {
 public:
  explicit AttrWriter(size_t enum_bytes) : enum_bytes_(enum_bytes) {}

  template <typename T>
  void operator()(const T& value) {
    if constexpr (std::is_same_v<T, bool>) {
      put(int32_t{value});
    } else if constexpr (std::is_enum_v<T>) {
      enum_bytes_ == 8 ? put(int64_t{value}) : put(int32_t{value});
    } else {
      put(value);
    }
  }
  void operator()(const std::string& text) {
    for (const char c : text) put(c);
    do put(char{});
    while (bytes_.size() % 4 != 0);
  }
  template <typename T>
  void operator()(const std::vector<T>& list) {
    put(static_cast<uint32_t>(list.size()));
    for (const T& value : list) (*this)(value);
  }
  template <typename T>
  void put(const T& value) {
    const auto* from = reinterpret_cast<const int8_t*>(&value);
    bytes_.insert(bytes_.end(), from, from + sizeof value);
  }

  std::vector<int8_t> take() { return std::move(bytes_); }

 private:
  std::vector<int8_t> bytes_;
  const size_t enum_bytes_;
};

// `enum_bytes`: 8, or 4 as older generators.
inline std::vector<int8_t> attr_bytes(const ::nnrt::hdi::V2_0::NodeAttr& attr, size_t enum_bytes) {
  return std::visit(
      [&]<typename Struct>(const Struct& value) {
        AttrWriter writer(enum_bytes);
        if constexpr (!std::is_trivially_copyable_v<Struct>) {
          plugin::visit_members(value, [&](const auto& member) { writer(member); });
        } else if constexpr (!std::is_empty_v<Struct>) {
          struct alignas(8) Sent : Struct {};
          const Sent sent{value};
          writer.put(sent);
        } else {
          writer.put(int64_t{});
        }
        return writer.take();
      },
      attr);
}

}  // namespace nnrt::test
