#include "mindspore/lower/weight_axis.h"

namespace nnrt::mindspore {
namespace {

// Until 1.5, the rank of MatMul's weights was always 2.
size_t matmul_axis(bool is_old, bool is_first, bool transposed, size_t rank) {
  if (is_old) return is_first == transposed ? 1 : 0;
  const bool is_last = is_first == transposed;
  return rank < 2 ? 0 : is_last ? rank - 1 : rank - 2;
}

}  // namespace

size_t weight_axis(const SourceGraph& graph, const SourceNode& node, size_t input, int64_t gather_axis) {
  const Primitive& primitive = *node.primitive;
  const size_t rank = graph.tensors[node.inputs[input]].dims.size();
  const bool since_1_6 = graph.version >= Version{1, 6, 0}, since_1_8 = graph.version >= Version{1, 8, 0};
  switch (primitive.type()) {
    case PrimitiveType::mat_mul_fusion:
      return matmul_axis(!since_1_6, input == 0, primitive.flag(input == 0 ? "transpose_a" : "transpose_b"),
                         rank);
    case PrimitiveType::conv2d_transpose_fusion: {
      const int64_t group = primitive.integer("group");
      const bool is_depthwise =
          group > 1 && group == primitive.integer("in_channel") && group == primitive.integer("out_channel");
      return since_1_8 && !is_depthwise && rank > 0 ? rank - 1 : 0;
    }
    case PrimitiveType::gather:
      if (!since_1_6) return 0;
      return size_t(gather_axis < 0 ? gather_axis + int64_t(rank) : gather_axis);
    default: return 0;
  }
}

}  // namespace nnrt::mindspore
