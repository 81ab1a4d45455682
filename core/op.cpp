#include "core/op.h"

#include "core/schema.h"

#include <array>
#include <string>

namespace nnrt {

std::string_view name(Op op) {
  static const auto names = [] {
    std::array<std::string, kOpCount + 1> all;
    for (const OpSchema& row : all_schemas())
      all[size_t(row.op)] = std::string("OH_NN_OPS_").append(row.name);
    return all;
  }();
  return names.at(size_t(op));
}

}  // namespace nnrt
