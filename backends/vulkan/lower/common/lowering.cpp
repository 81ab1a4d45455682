#include "backends/vulkan/lower/common/lowering.h"

#include "backends/vulkan/lower/common/lowering_families.h"
#include "core/schema/schema.h"

namespace nnrt::vulkan {
namespace {

using Table = OpTable<const Lowering*>;

Table make_table() {
  Table table{};
  for (const auto family :
       {affine_lowerings(), rotary_embedding_lowerings(), data_movement_lowerings(), cast_lowerings(),
        product_lowerings(), attention_lowerings(), recurrent_lowerings(), convolution_lowerings(),
        pooling_lowerings(), sampling_lowerings(), reduce_lowerings(), norm_lowerings(), index_lowerings(),
        element_index_lowerings(), creation_lowerings()}) {
    for (const LoweringRow& row : family) table[row.op] = &row.lowering;
  }
  // These operators differ only in their shaders.
  for (const OpSchema& row : all_schemas()) {
    if (row.family == Family::unary) table[row.op] = &kUnaryLowering;
    if (row.family == Family::binary) table[row.op] = &kBinaryLowering;
  }
  return table;
}

}  // namespace

View View::dense(Buffer buffer, DType dtype, const Shape& shape) {
  View view{.buffer = buffer, .stored = dtype};
  uint32_t stride = 1;
  for (size_t d = view.strides.size(), left = shape.size(); d-- > 0;) {
    view.strides[d] = stride;
    if (left > 0) stride *= uint32_t(shape[--left]);
  }
  return view;
}

View LoweringContext::view(size_t i, View::Takes taken) const {
  return sink.view(View::dense(input(i), node.dtype(i), node.shape(i)), taken);
}

View LoweringContext::output_view(size_t i, View::Takes taken) const {
  return sink.view(View::dense(output(i), node.output(i).dtype, node.output_shape(i)), taken);
}

const Lowering* lowering(Op op) {
  static const Table table = make_table();
  return table[op];
}

}  // namespace nnrt::vulkan
