// Operators whose operands choose elements by index.
#include "tools/import/tflite/tflite_operators.h"

#include <algorithm>
#include <set>

namespace nnrt::import::tflite {
namespace {

using enum BuiltinOperator;

Status gather(Operator& op) {
  const auto& options = op.options<format::GatherOptions>();
  if (options.batch_dims() != 0) return op.refuse("has batch dimensions, which OH_NN cannot express");
  op.emit({op.input(0), op.input(1), op.build().scalar<int32_t>(options.axis())});
  return {};
}

Status embedding_lookup(Operator& op) {
  NNRT_ASSIGN(const TensorId rows, op.operand(1));
  op.emit({rows, op.input(0), op.build().scalar<int32_t>(0)});
  return {};
}

Status gather_nd(Operator& op) {
  op.emit({op.input(0), op.input(1)});
  return {};
}

Status one_hot(Operator& op) {
  const int64_t axis = op.options<format::OneHotOptions>().axis();
  op.emit({op.input(0), op.input(1), op.input(2), op.input(3)}, {int64_parameter(OH_NN_ONE_HOT_AXIS, axis)});
  return {};
}

Status top_k(Operator& op) {
  if (op.output_count() != 2) return op.damaged("needs two outputs");
  op.build().operation(OH_NN_OPS_TOP_K, {op.input(0), op.input(1)}, {op.result(0), op.result(1)},
                       {bool_parameter(OH_NN_TOP_K_SORTED, true)});
  return {};
}

// There, values for the same index are added up; OH_NN keeps one of them.
Status scatter_nd(Operator& op) {
  const Tensor indices = op.input_tensor(0);
  if (const auto values = op.build().integers(op.input(0)); values && !indices.shape.empty()) {
    const auto width = static_cast<size_t>(std::max(indices.shape.back(), 1));
    std::set<std::vector<int64_t>> seen;
    for (size_t at = 0; at + width <= values->size(); at += width) {
      const auto row = values->begin() + static_cast<std::ptrdiff_t>(at);
      if (!seen.emplace(row, row + static_cast<std::ptrdiff_t>(width)).second)
        return op.refuse("adds several values at one index, which OH_NN cannot express");
    }
  }
  op.emit({op.input(0), op.input(1), op.input(2)});
  return {};
}

// Indices are a matrix in OH_NN, one row for each value; everything else becomes 0.
Status sparse_to_dense(Operator& op) {
  NNRT_ASSIGN(const float rest, op.real(3));
  if (rest != 0) return op.refuse("fills with a value (" + std::to_string(rest) + ") other than 0");
  TensorId slots = op.input(0), values = op.input(2);
  const Tensor given = op.input_tensor(0), value = op.input_tensor(2);
  if (given.shape.size() < 2) {
    const int32_t count = given.shape.empty() ? 1 : given.shape[0];
    const std::vector<int64_t> axes =
        given.shape.empty() ? std::vector<int64_t>{0, 1} : std::vector<int64_t>{1};
    slots = op.build().derive(OH_NN_OPS_UNSQUEEZE, {slots}, given.type, {count, 1},
                              {int64s_parameter(OH_NN_UNSQUEEZE_AXIS, axes)});
  }
  if (value.shape.empty()) {
    values = op.build().derive(OH_NN_OPS_UNSQUEEZE, {values}, value.type, {1},
                               {int64s_parameter(OH_NN_UNSQUEEZE_AXIS, {0})});
  }
  op.emit({slots, values, op.input(1)});
  return {};
}

constexpr Row kRows[] = {
    {GATHER, 2, 2, Numbers::any, gather, OH_NN_OPS_GATHER},
    {EMBEDDING_LOOKUP, 2, 2, Numbers::real, embedding_lookup, OH_NN_OPS_GATHER},
    {GATHER_ND, 2, 2, Numbers::any, gather_nd, OH_NN_OPS_GATHER_ND},
    {ONE_HOT, 4, 4, Numbers::any, one_hot, OH_NN_OPS_ONE_HOT},
    {TOPK_V2, 2, 2, Numbers::any, top_k, OH_NN_OPS_TOP_K},
    {SCATTER_ND, 3, 3, Numbers::any, scatter_nd, OH_NN_OPS_SCATTER_ND},
    {SPARSE_TO_DENSE, 4, 4, Numbers::any, sparse_to_dense, OH_NN_OPS_SPARSE_TO_DENSE},
};

}  // namespace

std::span<const Row> index_rows() { return kRows; }

}  // namespace nnrt::import::tflite
