// The primitives of the schema "MSL2".
#pragma once

#include "mindspore/schema/primitive_row.h"
#include "mindspore/schema/primitive_type.h"

namespace nnrt::mindspore {

// Null for a number that is no primitive.
const PrimitiveRow* find_primitive(int number);
const PrimitiveRow& row_of(PrimitiveType type);

}  // namespace nnrt::mindspore
