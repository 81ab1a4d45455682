// Maps one attribute of a driver interface node, in both directions: the attribute in core, and the
// corresponding struct member.
#pragma once

#include "core/graph/attrs.h"

#include <neural_network_runtime/hdi/v2_0/node_attr_types.h>

#include <optional>
#include <string_view>
#include <type_traits>

namespace nnrt::plugin {

namespace hdi = ::nnrt::hdi::V2_0;

struct Field {
  Attr attr{};
  void (*store)(const AttrValue&, hdi::NodeAttr&) = nullptr;
  // Null if the attribute is absent. The value gets this dtype.
  std::optional<AttrValue> (*load)(const hdi::NodeAttr&, DType) = nullptr;
  // What to send if the client set no value. True: core's default; false: the row's value, which is
  // upstream's default.
  bool sends_default = true;
  std::string_view member{};  // "stride", for the generated page of nodes
};

template <auto member>
struct MemberOf;
template <typename Struct, typename T, T Struct::*member>
struct MemberOf<member> {
  using Owner = Struct;
  using Type = T;
};

inline AttrValue integers_value(DType dtype, std::vector<int64_t> values) {
  return {.dtype = dtype, .integers = std::move(values), .floats = {}};
}
inline AttrValue floats_value(DType dtype, std::vector<double> values) {
  return {.dtype = dtype, .integers = {}, .floats = std::move(values)};
}

inline std::vector<int64_t> integers_of(const AttrValue& value) {
  if (!is_float(value.dtype)) return value.integers;
  std::vector<int64_t> integers;
  for (const double real : value.floats) integers.push_back(static_cast<int64_t>(real));
  return integers;
}
inline std::vector<double> floats_of(const AttrValue& value) {
  return is_float(value.dtype) ? value.floats
                               : std::vector<double>(value.integers.begin(), value.integers.end());
}
inline AttrValue value_of(DType dtype, double number) {
  return is_float(dtype) ? floats_value(dtype, {number}) : integers_value(dtype, {int64_t(number)});
}

// What core refuses: a choice that it does not have.
inline constexpr int64_t kNoChoice = -1;

// Fused activations: none, RELU and RELU6 are 0, 1, 2 in core and 0, 1, 3 in the driver interface.
inline void convert(const AttrValue& value, hdi::ActivationType& to) {
  constexpr hdi::ActivationType kTypes[] = {hdi::ACTIVATION_TYPE_NO_ACTIVATION, hdi::ACTIVATION_TYPE_RELU,
                                            hdi::ACTIVATION_TYPE_RELU6};
  to = kTypes[static_cast<size_t>(integers_of(value).at(0))];
}
inline std::optional<AttrValue> convert(hdi::ActivationType from, DType dtype) {
  switch (from) {
    case hdi::ACTIVATION_TYPE_NO_ACTIVATION: return integers_value(dtype, {0});
    case hdi::ACTIVATION_TYPE_RELU: return integers_value(dtype, {1});
    case hdi::ACTIVATION_TYPE_RELU6: return integers_value(dtype, {2});
    default: return integers_value(dtype, {kNoChoice});
  }
}

template <typename T>
void convert(const AttrValue& value, T& to) {
  if constexpr (std::is_enum_v<T>) {
    to = static_cast<T>(integers_of(value).at(0));
  } else if constexpr (std::is_same_v<T, bool>) {
    to = integers_of(value).at(0) != 0;
  } else if constexpr (std::is_same_v<T, int64_t>) {
    to = integers_of(value).at(0);
  } else if constexpr (std::is_same_v<T, float>) {
    to = static_cast<float>(floats_of(value).at(0));
  } else if constexpr (std::is_same_v<T, std::vector<int64_t>>) {
    to = integers_of(value);
  } else if constexpr (std::is_same_v<T, std::vector<float>>) {
    to.clear();
    for (const double real : floats_of(value)) to.push_back(static_cast<float>(real));
  } else {  // pairs
    to.clear();
    const std::vector<int64_t> all = integers_of(value);
    for (size_t i = 0; i + 1 < all.size(); i += 2) to.push_back({all[i], all[i + 1]});
  }
}

template <typename T>
std::optional<AttrValue> convert(const T& from, DType dtype) {
  if constexpr (std::is_arithmetic_v<T> || std::is_enum_v<T>) {
    if (std::is_integral_v<T> && !is_float(dtype)) return integers_value(dtype, {int64_t(from)});
    return value_of(dtype, static_cast<double>(from));
  } else {
    if (from.empty()) return std::nullopt;
    if constexpr (std::is_same_v<T, std::vector<int64_t>>) {
      return integers_value(dtype, from);
    } else if constexpr (std::is_same_v<T, std::vector<float>>) {
      return floats_value(dtype, {from.begin(), from.end()});
    } else {
      std::vector<int64_t> all;
      for (const auto& pair : from) {
        if (pair.size() != 2) return integers_value(dtype, {kNoChoice});
        all.insert(all.end(), pair.begin(), pair.end());
      }
      return integers_value(dtype, std::move(all));
    }
  }
}

// The compiler's signature of this function ends with "...::Conv2DFusion::stride" and closing punctuation.
template <auto member>
std::string_view member_name() {
  std::string_view text = __PRETTY_FUNCTION__;
  text.remove_prefix(text.find("member = "));
  text = text.substr(0, text.find_first_of(";]"));
  return text.substr(text.rfind(':') + 1);
}

template <auto member>
Field field(Attr attr, bool sends_default = true) {
  using Owner = typename MemberOf<member>::Owner;
  return {
      attr, [](const AttrValue& value, hdi::NodeAttr& to) { convert(value, std::get<Owner>(to).*member); },
      [](const hdi::NodeAttr& from, DType dtype) { return convert(std::get<Owner>(from).*member, dtype); },
      sends_default, member_name<member>()};
}

// The row holds the value that upstream sends if the client set none.
template <auto member>
Field upstream_field(Attr attr) {
  return field<member>(attr, false);
}

}  // namespace nnrt::plugin
