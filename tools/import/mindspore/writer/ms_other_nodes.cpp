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
  return {op,
          PrimitiveType::reduce_fusion,
          {{Attr::keep_dims, "keep_dims"}, {Attr::reduce_to_end, "reduce_to_end"}, {Attr::coeff, "coeff"}},
          nullptr,
          {{"mode", static_cast<int64_t>(mode)}}};
}

}  // namespace

std::vector<WriteRow> other_write_rows() {
  using enum PrimitiveType;
  return {
      {Op::full_connection, full_connection, {{Attr::activation, "activation_type"}}, write_full_connection},
      {Op::matmul,
       mat_mul_fusion,
       {{Attr::transpose_a, "transpose_a"},
        {Attr::transpose_b, "transpose_b"},
        {Attr::activation, "activation_type"}}},
      {Op::batch_norm, fused_batch_norm, {{Attr::epsilon, "epsilon"}}},
      {Op::instance_norm, instance_norm, {{Attr::epsilon, "epsilon"}}, write_instance_norm},
      {Op::layer_norm,
       layer_norm_fusion,
       {{Attr::begin_norm_axis, "begin_norm_axis"},
        {Attr::epsilon, "epsilon"},
        {Attr::begin_param_axis, "begin_params_axis"}},
       nullptr,
       {{"elementwise_affine", 1}}},
      {Op::l2_normalize,
       l2_normalize_fusion,
       {{Attr::axes, "axis"}, {Attr::epsilon, "epsilon"}, {Attr::activation, "activation_type"}}},
      {Op::lrn,
       lrn,
       {{Attr::radius, "depth_radius"}, {Attr::bias, "bias"}, {Attr::alpha, "alpha"}, {Attr::beta, "beta"}},
       write_lrn},
      {Op::scale, scale_fusion, {{Attr::axis, "axis"}, {Attr::activation, "activation_type"}}},
      {Op::softmax, softmax, {{Attr::axis, "axis"}}},
      {Op::log_softmax, log_softmax, {{Attr::axis, "axis"}}},
      reduction(Op::reduce_mean, ReduceMode::mean),
      reduction(Op::reduce_max, ReduceMode::max),
      reduction(Op::reduce_min, ReduceMode::min),
      reduction(Op::reduce_prod, ReduceMode::prod),
      reduction(Op::reduce_sum, ReduceMode::sum),
      reduction(Op::reduce_all, ReduceMode::all),
      reduction(Op::reduce_l2, ReduceMode::l2),
      {Op::all, all, {{Attr::keep_dims, "keep_dims"}}},
      {Op::arg_max,
       arg_max_fusion,
       {{Attr::axis, "axis"},
        {Attr::top_k, "top_k"},
        {Attr::keep_dims, "keep_dims"},
        {Attr::out_max_value, "out_max_value"}}},
      {Op::top_k, top_k_fusion, {{Attr::sorted, "sorted"}, {Attr::axis, "axis"}}, nullptr, {{"largest", 1}}},
      {Op::one_hot, one_hot, {{Attr::axis, "axis"}}},
      {Op::cast, cast, {}, write_cast},
      {Op::quant_dtype_cast, quant_dtype_cast, {{Attr::axis, "axis"}}, write_quant_cast},
      {Op::fill, fill},
      {Op::constant_of_shape, constant_of_shape, {{Attr::value, "value"}}, write_constant_of_shape},
      {Op::range,
       range,
       {{Attr::start, "start"}, {Attr::limit, "limit"}, {Attr::delta, "delta"}},
       write_range},
      {Op::shape, shape},
      {Op::rank, rank},
      {Op::assert_, assert_, {{Attr::summarize, "summarize"}}},
      {Op::lstm,
       lstm,
       {{Attr::bidirectional, "bidirectional"},
        {Attr::has_bias, "has_bias"},
        {Attr::input_size, "input_size"},
        {Attr::hidden_size, "hidden_size"},
        {Attr::num_layers, "num_layers"},
        {Attr::num_directions, "num_directions"},
        {Attr::dropout, "dropout"},
        {Attr::zoneout_cell, "zoneout_cell"},
        {Attr::zoneout_hidden, "zoneout_hidden"},
        {Attr::proj_size, "proj_size"}},
       write_lstm},
      {Op::detection_post_process,
       detection_post_process,
       {{Attr::input_size, "input_size"},
        {Attr::scale, "scale"},
        {Attr::iou_threshold, "nms_iou_threshold"},
        {Attr::score_threshold, "nms_score_threshold"},
        {Attr::max_detections, "max_detections"},
        {Attr::detections_per_class, "detections_per_class"},
        {Attr::max_classes, "max_classes_per_detection"},
        {Attr::num_classes, "num_classes"},
        {Attr::use_regular_nms, "use_regular_nms"},
        {Attr::out_quantized, "out_quantized"}},
       nullptr,
       {{"format", kNhwc}}},
  };
}

}  // namespace nnrt::import::mindspore
