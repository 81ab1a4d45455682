#include "mindspore/schema/primitive_table.h"

namespace nnrt::mindspore {
namespace {

const std::vector<PrimitiveRow>& all_rows() {
  static const std::vector<PrimitiveRow> rows = [] {
    std::vector<PrimitiveRow> all = primitive_rows_to_110();
    const std::vector<PrimitiveRow> rest = primitive_rows_from_111();
    all.insert(all.end(), rest.begin(), rest.end());
    return all;
  }();
  return rows;
}

}  // namespace

const PrimitiveRow* find_primitive(int number) {
  return number >= 1 && number <= kPrimitiveCount ? &all_rows()[size_t(number) - 1] : nullptr;
}

const PrimitiveRow& row_of(PrimitiveType type) { return all_rows()[size_t(type) - 1]; }

}  // namespace nnrt::mindspore
