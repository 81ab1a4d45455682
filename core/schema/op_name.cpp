#include "core/graph/op.h"
#include "core/schema/schema.h"

#include <array>
#include <memory>
#include <string>

namespace nnrt {

std::string_view name(Op op) {
  using Names = std::array<std::string, kOpCount + 1>;
  static const auto& names = *[] {  // never destroyed
    auto all = std::make_unique<Names>();
    for (const OpSchema& row : all_schemas())
      (*all)[size_t(row.op)] = std::string("OH_NN_OPS_").append(row.name);
    return all.release();
  }();
  return names.at(size_t(op));
}

}  // namespace nnrt
