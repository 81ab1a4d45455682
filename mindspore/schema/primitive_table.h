// The primitives of the schema "MSL2", and the fields of their tables by id.
#pragma once

#include "core/base/bytes.h"
#include "core/graph/attrs.h"
#include "core/writer/list.h"
#include "mindspore/schema/primitive_type.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

namespace nnrt::mindspore {

// How a field is stored.
enum class FieldType : uint8_t {
  boolean,
  enumeration8,  // an enumeration of type byte
  integer32,     // also enumerations of type int
  integer64,
  real,  // float
  text,
  integers32,
  integers64,
  reals,
  lists,  // a table Vec2D: vectors of int64
};

using Integers = List<int64_t>;
using Reals = List<float>;
// Integers, enumerations and booleans are int64_t.
using FieldValue =
    std::variant<std::monostate, int64_t, float, std::string, Integers, Reals, std::vector<Integers>>;

struct FieldRow {
  FieldRow(std::string_view field, FieldType stored, double absent = 0)
      : name(field), type(stored), fallback(absent) {}
  FieldRow(std::string_view field, FieldType stored, Attr same, double absent = 0)
      : name(field), type(stored), fallback(absent), attr(same) {}

  std::string_view name;
  FieldType type{};
  double fallback = 0;       // the default of a number
  std::optional<Attr> attr;  // the operator's parameter with the same meaning
};

// The position of a field is its id.
struct PrimitiveRow {
  uint8_t number = 0;
  std::string_view name;
  std::vector<FieldRow> fields;
};

// Null for a number that is no primitive.
const PrimitiveRow* find_primitive(int number);
const PrimitiveRow& row_of(PrimitiveType type);

}  // namespace nnrt::mindspore
