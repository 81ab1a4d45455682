// Attributes of a node being written, by meaning; the operator's row gives their dtypes.
#pragma once

#include "core/base/result.h"
#include "core/schema/schema.h"

#include <initializer_list>
#include <ranges>
#include <type_traits>
#include <variant>
#include <vector>

namespace nnrt {

struct AttrSetting {
  Attr attr;
  std::variant<int64_t, double, std::vector<int64_t>, std::vector<double>, AttrValue> value;

  // A number, a list of numbers, or a value that has its dtype already.
  template <typename T>
  AttrSetting(Attr meaning, const T& given) : attr(meaning) {
    if constexpr (std::is_same_v<T, AttrValue>) {
      value = given;
    } else if constexpr (std::ranges::range<T>) {
      using Element = std::ranges::range_value_t<T>;
      using Number = std::conditional_t<std::is_floating_point_v<Element>, double, int64_t>;
      value = std::vector<Number>(std::ranges::begin(given), std::ranges::end(given));
    } else {
      using Number = std::conditional_t<std::is_floating_point_v<T>, double, int64_t>;
      value = static_cast<Number>(given);
    }
  }
  AttrSetting(Attr meaning, std::initializer_list<int64_t> list) : attr(meaning), value(std::vector(list)) {}
};

using Settings = std::vector<AttrSetting>;

// The settings as values of the operator's parameters. Fails for an attribute that it does not have.
Result<Attrs> attrs_of(Op op, const Settings& settings);

// The given attributes and the defaults of all others.
Attrs with_defaults(Op op, const Attrs& given);

// The parameter that is an attribute of this dtype; null if the operator has none.
const ParamRow* find_param(Op op, Attr attr, DType dtype);

}  // namespace nnrt
