// Products, norms, reductions, conversions and everything else.
#include "core/base/text.h"
#include "mindspore/schema/enumerations.h"
#include "tools/import/mindspore/writer/ms_nodes.h"

#include <cstring>

namespace nnrt::import::mindspore {
namespace {

using namespace nnrt::mindspore;

// An axis is used if it is given, unless use_axis says otherwise.
// MindSpore Lite has no negative axis.
void write_full_connection(NodeWriter& writer, Primitive& primitive) {
  const bool given = writer.has(Attr::axis);
  writer.use(Attr::use_axis);
  if (writer.has(Attr::has_bias) && !writer.flag(Attr::has_bias)) writer.inputs.resize(2);
  if (given && writer.integer(Attr::axis) == -1) {
    const int64_t activation = primitive.integer("activation_type");
    primitive = Primitive(PrimitiveType::mat_mul_fusion);
    primitive.set("transpose_b", int64_t{1}).set("activation_type", activation);
    return;
  }
  primitive.set("use_axis", int64_t{writer.has(Attr::use_axis) ? writer.flag(Attr::use_axis) : given});
  if (given) primitive.set("axis", writer.integer(Attr::axis));
  primitive.set("has_bias", int64_t{writer.inputs.size() > 2});
}

// The type as a number of MindSpore.
void write_cast(NodeWriter& writer, Primitive&) {
  writer.inputs[1] = writer.add_integers({type_id_of(writer.output().dtype)});
}

void write_quant_cast(NodeWriter& writer, Primitive& primitive) {
  writer.use(Attr::source_type);
  writer.use(Attr::target_type);
  primitive.set("src_t", type_id_of(writer.input(0).dtype)).set("dst_t", type_id_of(writer.output().dtype));
}

void write_constant_of_shape(NodeWriter& writer, Primitive& primitive) {
  writer.use(Attr::data_type);
  primitive.set("data_type", type_id_of(writer.output().dtype));
}

void write_range(NodeWriter& writer, Primitive& primitive) {
  if (writer.inputs.size() > 1) fail(unsupported("A RANGE with inputs has no equivalent in an .ms file."));
  primitive.set("d_type", type_id_of(writer.output().dtype));
}

void write_instance_norm(NodeWriter& writer, Primitive&) {
  const size_t rank = writer.shape(0).size();
  if (rank > 4) fail(unsupported("MindSpore Lite has no INSTANCE_NORM of ", rank, " dimensions."));
}

void write_lrn(NodeWriter& writer, Primitive& primitive) {
  writer.use(Attr::norm_region);
  primitive.set("norm_region", std::string("ACROSS_CHANNELS"));
}

// A bias is always read. Results are [sequence, directions, batch, hidden], where OH_NN has
// [sequence, batch, directions * hidden].
void write_lstm(NodeWriter& writer, Primitive& primitive) {
  if (!writer.flag(Attr::has_bias)) {
    const SourceTensor& bias = writer.tensor(writer.inputs[3]);
    const auto bytes = byte_size(dtype_of(bias.type_id), bias.dims);
    if (!bytes) fail(unsupported("The shape of the bias is not known."));
    writer.inputs[3] = writer.add_constant(dtype_of(bias.type_id), bias.dims, Bytes(*bytes));
  }
  primitive.set("has_bias", int64_t{1});
  const nnrt::Shape result = writer.tensor(writer.outputs[0]).dims;
  const int64_t directions = writer.flag(Attr::bidirectional) ? 2 : 1;
  const int64_t hidden = result[2] < 0 ? -1 : result[2] / directions;
  const uint32_t sequence = writer.add_like(writer.outputs[0], {result[0], directions, result[1], hidden});
  const uint32_t swapped = writer.add_like(writer.outputs[0], {result[0], result[1], directions, hidden});
  std::vector<uint32_t> outputs = writer.outputs;
  outputs[0] = sequence;
  writer.write(primitive, writer.inputs, outputs);
  writer.write(Primitive(PrimitiveType::transpose), {sequence, writer.add_integers({0, 2, 1, 3})}, {swapped});
  primitive = Primitive(PrimitiveType::reshape);
  writer.inputs = {swapped, writer.add_integers({0, 0, -1})};
  writer.outputs.resize(1);
}

WriteRow reduction(Op op, ReduceMode mode) {
  return {op, PrimitiveType::reduce_fusion, nullptr, {{"mode", static_cast<int64_t>(mode)}}};
}

}  // namespace

std::vector<WriteRow> other_write_rows() {
  using enum PrimitiveType;
  return {
      {Op::full_connection, full_connection, write_full_connection},
      {Op::matmul, mat_mul_fusion},
      {Op::batch_norm, fused_batch_norm},
      {Op::instance_norm, instance_norm, write_instance_norm},
      {Op::layer_norm, layer_norm_fusion, nullptr, {{"elementwise_affine", 1}}},
      {Op::l2_normalize, l2_normalize_fusion},
      {Op::lrn, lrn, write_lrn},
      {Op::scale, scale_fusion},
      {Op::softmax, softmax},
      {Op::log_softmax, log_softmax},
      reduction(Op::reduce_mean, ReduceMode::mean),
      reduction(Op::reduce_max, ReduceMode::max),
      reduction(Op::reduce_min, ReduceMode::min),
      reduction(Op::reduce_prod, ReduceMode::prod),
      reduction(Op::reduce_sum, ReduceMode::sum),
      reduction(Op::reduce_all, ReduceMode::all),
      reduction(Op::reduce_l2, ReduceMode::l2),
      {Op::all, all},
      {Op::arg_max, arg_max_fusion},
      {Op::top_k, top_k_fusion, nullptr, {{"largest", 1}}},
      {Op::one_hot, one_hot},
      {Op::cast, cast, write_cast},
      {Op::quant_dtype_cast, quant_dtype_cast, write_quant_cast},
      {Op::fill, fill},
      {Op::constant_of_shape, constant_of_shape, write_constant_of_shape},
      {Op::range, range, write_range},
      {Op::shape, shape},
      {Op::rank, rank},
      {Op::assert_, assert_},
      {Op::lstm, lstm, write_lstm},
      {Op::detection_post_process, detection_post_process, nullptr, {{"format", kNhwc}}},
  };
}

}  // namespace nnrt::import::mindspore
