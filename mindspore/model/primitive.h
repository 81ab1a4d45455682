// A primitive with the values of its fields, copied from a table.
#pragma once

#include "core/base/result.h"
#include "mindspore/reader/flat_table.h"
#include "mindspore/schema/primitive_table.h"

namespace nnrt::mindspore {

class Primitive {
 public:
  explicit Primitive(const PrimitiveRow& row) : row_(&row), values_(row.fields.size()) {}
  explicit Primitive(PrimitiveType type) : Primitive(row_of(type)) {}

  const PrimitiveRow& row() const { return *row_; }
  PrimitiveType type() const { return PrimitiveType(row_->number); }

  // Fields by name; an absent one has its default. The row must have the field with this type.
  bool has(std::string_view field) const;
  int64_t integer(std::string_view field) const;
  bool flag(std::string_view field) const { return integer(field) != 0; }
  float real(std::string_view field) const;
  std::string text(std::string_view field) const { return list<std::string>(field); }
  Integers integers(std::string_view field) const { return list<Integers>(field); }
  Reals reals(std::string_view field) const { return list<Reals>(field); }
  std::vector<Integers> lists(std::string_view field) const { return list<std::vector<Integers>>(field); }

  Primitive& set(std::string_view field, FieldValue value);
  // By id; monostate: absent.
  const std::vector<FieldValue>& values() const { return values_; }
  void set(size_t id, FieldValue value) { values_[id] = std::move(value); }

 private:
  size_t id_of(std::string_view field) const;
  template <typename T>
  T list(std::string_view field) const {
    const T* value = std::get_if<T>(&values_[id_of(field)]);
    return value == nullptr ? T() : *value;
  }

  const PrimitiveRow* row_;
  std::vector<FieldValue> values_;
};

// The fields of a table, by a row of any schema.
Primitive read_fields(FlatTable fields, const PrimitiveRow& row);

// From a table Primitive of the schema "MSL2". Fails for a number that is no primitive; damage is recorded in
// the buffer.
Result<Primitive> read_primitive(FlatTable primitive);

}  // namespace nnrt::mindspore
