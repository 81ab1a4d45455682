#include "core/graph/op.h"

namespace nnrt {

std::string_view name(Op op) {
  constexpr std::string_view kNames[] = {
#define NNRT_OP(op, name, number) std::string_view("OH_NN_OPS_" #name),
#include "core/graph/operators.inc"
#undef NNRT_OP
      ""};
  return kNames[index_of(op)];
}

std::string_view short_name(Op op) {
  constexpr std::string_view kPrefix = "OH_NN_OPS_";
  std::string_view full = name(op);
  full.remove_prefix(full.empty() ? 0 : kPrefix.size());
  return full;
}

}  // namespace nnrt
