#include "mindspore/v0/old_table.h"

#include <utility>

namespace nnrt::mindspore {

const PrimitiveRow* find_old_primitive(int number) {
  static const std::vector<PrimitiveRow> rows = [] {
    std::vector<PrimitiveRow> all = old_rows_to_100(), rest = old_rows_from_101();
    for (PrimitiveRow& row : rest) all.push_back(std::move(row));
    return all;
  }();
  // Numbers are consecutive from 1.
  return number >= 1 && size_t(number) <= rows.size() ? &rows[size_t(number) - 1] : nullptr;
}

}  // namespace nnrt::mindspore
