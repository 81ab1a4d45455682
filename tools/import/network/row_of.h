// Finds an operator's row in the tables of several families.
#pragma once

#include "core/graph/op.h"

#include <map>
#include <type_traits>
#include <utility>

namespace nnrt::import {

// Null if no table, as `families` return them, has the operator.
template <auto... families>
const auto* row_of(Op op) {
  using Row = typename std::common_type_t<decltype(families())...>::value_type;
  static const std::map<Op, Row> rows = [] {
    std::map<Op, Row> all;
    const auto add = [&](auto family) {
      for (Row& row : family) all.emplace(row.op, std::move(row));
    };
    (add(families()), ...);
    return all;
  }();
  const auto found = rows.find(op);
  return found == rows.end() ? nullptr : &found->second;
}

}  // namespace nnrt::import
