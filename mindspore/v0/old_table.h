// The primitives of the schema before 1.1, which has no file identifier. Those that are refused have no
// fields.
#pragma once

#include "mindspore/schema/primitive_row.h"

namespace nnrt::mindspore {

// Null for a number that is no primitive.
const PrimitiveRow* find_old_primitive(int number);

// Parts of the table.
std::vector<PrimitiveRow> old_rows_to_100();
std::vector<PrimitiveRow> old_rows_from_101();

}  // namespace nnrt::mindspore
