#include "mindspore/model/primitive.h"

#include "core/base/check.h"
#include "core/base/text.h"

#include <algorithm>

namespace nnrt::mindspore {
namespace {

std::vector<Integers> read_lists(FlatTable table) {
  std::vector<Integers> lists;
  const FlatTables rows = table.tables(0);
  for (size_t i = 0; i < rows.size(); ++i) lists.push_back(rows[i].numbers<int64_t>(0));
  return lists;
}

FieldValue read_field(FlatTable table, size_t id, FieldType type) {
  switch (type) {
    case FieldType::boolean: return int64_t{table.number<bool>(id)};
    case FieldType::enumeration8: return int64_t{table.number<int8_t>(id)};
    case FieldType::integer32: return int64_t{table.number<int32_t>(id)};
    case FieldType::integer64: return table.number<int64_t>(id);
    case FieldType::real: return table.number<float>(id);
    case FieldType::text: return std::string(table.text(id));
    case FieldType::integers32: return table.numbers<int32_t, int64_t>(id);
    case FieldType::integers64: return table.numbers<int64_t>(id);
    case FieldType::reals: return table.numbers<float>(id);
    case FieldType::lists: return read_lists(table.table(id));
  }
  return {};
}

}  // namespace

size_t Primitive::id_of(std::string_view field) const {
  const auto found = std::ranges::find(row_->fields, field, &FieldRow::name);
  NNRT_CHECK(found != row_->fields.end(), "A primitive has no field of this name.");
  return size_t(found - row_->fields.begin());
}

bool Primitive::has(std::string_view field) const {
  return !std::holds_alternative<std::monostate>(values_[id_of(field)]);
}

int64_t Primitive::integer(std::string_view field) const {
  const size_t id = id_of(field);
  const auto* value = std::get_if<int64_t>(&values_[id]);
  return value == nullptr ? int64_t(row_->fields[id].fallback) : *value;
}

float Primitive::real(std::string_view field) const {
  const size_t id = id_of(field);
  const auto* value = std::get_if<float>(&values_[id]);
  return value == nullptr ? float(row_->fields[id].fallback) : *value;
}

Primitive& Primitive::set(std::string_view field, FieldValue value) {
  values_[id_of(field)] = std::move(value);
  return *this;
}

Primitive read_fields(FlatTable fields, const PrimitiveRow& row) {
  Primitive primitive(row);
  for (size_t id = 0; id < row.fields.size(); ++id)
    if (fields.has(id)) primitive.set(id, read_field(fields, id, row.fields[id].type));
  return primitive;
}

Result<Primitive> read_primitive(FlatTable primitive) {
  const int number = primitive.number<uint8_t>(0);
  const PrimitiveRow* row = find_primitive(number);
  if (row == nullptr)
    return Error{Code::unsupported,
                 cat("Primitive (", number, ") is unknown; the last known one is ", kPrimitiveCount, ".")};
  return read_fields(primitive.table(1), *row);
}

}  // namespace nnrt::mindspore
