// The members of an attribute structure in order: what its bytes consist of.
#pragma once

#include <cstddef>
#include <string>
#include <type_traits>
#include <utility>

namespace nnrt::plugin {

struct AnyMember {
  template <typename T>
  operator T() const;
};

template <typename Struct, size_t... index>
constexpr bool has_members(std::index_sequence<index...>) {
  return requires { Struct{(static_cast<void>(index), AnyMember{})...}; };
}

template <typename Struct, size_t count = 11>
constexpr size_t member_count() {
  if constexpr (count == 0 || has_members<Struct>(std::make_index_sequence<count>())) {
    return count;
  } else {
    return member_count<Struct, count - 1>();
  }
}

// Calls visit(member) for each.
template <typename Struct, typename Visit>
void visit_members(Struct& all, const Visit& visit) {
  constexpr size_t kCount = member_count<std::remove_const_t<Struct>>();
  const auto each = [&](auto&... member) { (visit(member), ...); };
  if constexpr (kCount == 1) {
    auto& [a] = all;
    each(a);
  } else if constexpr (kCount == 2) {
    auto& [a, b] = all;
    each(a, b);
  } else if constexpr (kCount == 3) {
    auto& [a, b, c] = all;
    each(a, b, c);
  } else if constexpr (kCount == 4) {
    auto& [a, b, c, d] = all;
    each(a, b, c, d);
  } else if constexpr (kCount == 5) {
    auto& [a, b, c, d, e] = all;
    each(a, b, c, d, e);
  } else if constexpr (kCount == 8) {
    auto& [a, b, c, d, e, f, g, h] = all;
    each(a, b, c, d, e, f, g, h);
  } else if constexpr (kCount == 9) {
    auto& [a, b, c, d, e, f, g, h, i] = all;
    each(a, b, c, d, e, f, g, h, i);
  } else if constexpr (kCount == 10) {
    auto& [a, b, c, d, e, f, g, h, i, j] = all;
    each(a, b, c, d, e, f, g, h, i, j);
  } else if constexpr (kCount == 11) {
    auto& [a, b, c, d, e, f, g, h, i, j, k] = all;
    each(a, b, c, d, e, f, g, h, i, j, k);
  } else {
    static_assert(kCount == 0);
  }
}

}  // namespace nnrt::plugin
