// The primitives of the schema "MSL2".
#pragma once

#include "mindspore/schema/primitive_row.h"
#include "mindspore/schema/primitive_type.h"

namespace nnrt::mindspore {

// Null for a number that is no primitive.
const PrimitiveRow* find_primitive(int number);
const PrimitiveRow& row_of(PrimitiveType type);

// Parts of the table.
std::vector<PrimitiveRow> primitive_rows_to_110();
std::vector<PrimitiveRow> primitive_rows_from_111();

}  // namespace nnrt::mindspore
