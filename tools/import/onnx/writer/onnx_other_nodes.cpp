// Products, norms, reductions, conversions and everything else.
#include "tools/import/onnx/writer/onnx_node_writer.h"

#include <algorithm>
#include <limits>

namespace nnrt::import::onnx {
namespace {

// Exchanges the last two dimensions.
std::string flipped(NodeWriter& node, size_t i) {
  Integers order = order_of(Layout::own, node.rank(i));
  std::swap(order[order.size() - 1], order[order.size() - 2]);
  return node.view().input(i).is_constant() ? node.weights(i, order)
                                            : node.derive("Transpose", {node.in(i)}, {{"perm", order}});
}

void write_matmul(NodeWriter& node) {
  const std::string a = node.flag(Attr::transpose_a) ? flipped(node, 0) : node.in(0);
  node.write("MatMul", {a, node.flag(Attr::transpose_b) ? flipped(node, 1) : node.in(1)});
}

// Of a matrix, a Gemm. Quantized operators have one node between conversions.
void write_full_connection(NodeWriter& node) {
  const bool has_axis = node.has(Attr::axis);
  node.use(Attr::use_axis);
  const bool has_bias = !node.has(Attr::has_bias) || node.flag(Attr::has_bias);
  const auto last = static_cast<int64_t>(node.rank()) - 1;
  const bool keeps_rank = has_axis && node.axis(node.integer(Attr::axis)) == last;
  const bool is_matrix = node.rank() == 2 && (keeps_rank || node.output_shape().size() == 2) &&
                         node.shape()[1] == node.view().shape(1)[1];
  const std::string bias = has_bias ? node.bias(2, 1) : "";
  if (keeps_rank && !is_matrix && bias.empty())
    return node.write("MatMul", {node.in(0), node.weights(1, {1, 0})});
  std::string x = node.in(0);
  if (!is_matrix) {
    x = node.derive("Reshape", {x, node.vector({-1, node.view().shape(1)[1]})});
    if (node.is_quantized()) x = node.rounded(x, node.view().input(0).quant);
  }
  Names inputs{x, node.weights(1, {0, 1})};
  if (!bias.empty()) inputs.push_back(bias);
  if (node.output_shape().size() == 2) return node.write("Gemm", inputs, {{"transB", int64_t{1}}});
  const std::string result = std::exchange(node.outputs[0], node.temporary());
  node.write("Gemm", inputs, {{"transB", int64_t{1}}});
  std::string made = std::exchange(node.outputs[0], result);
  if (node.is_quantized()) made = node.rounded(made, node.view().output(0).quant);
  node.write_reshaped(made);
}

void write_softmax(NodeWriter& node) {
  const int64_t axis = node.axis(node.has(Attr::axis) ? node.integer(Attr::axis) : -1);
  const int64_t zero_nan = node.has(Attr::zero_nan) ? node.integer(Attr::zero_nan) : 0;
  if (zero_nan > 1) node.refuse("zeros for slices of nothing but -inf");
  if (zero_nan == 0) return node.write("Softmax", {node.in(0)}, {{"axis", axis}});
  const std::string scores = node.derive("Softmax", {node.in(0)}, {{"axis", axis}});
  node.write("Where", {node.derive("IsNaN", {scores}), node.scalar(0, node.dtype()), scores});
}

void write_log_softmax(NodeWriter& node) {
  const int64_t axis = node.has(Attr::axis) ? node.integer(Attr::axis) : 0;
  node.write_to(0, "LogSoftmax", {node.in(0)}, {{"axis", node.axis(axis)}});
}

void write_layer_norm(NodeWriter& node) {
  node.use(Attr::begin_param_axis);
  node.write("LayerNormalization", node.all_inputs());
}

void write_rms_norm(NodeWriter& node) {
  if (node.rank() == 0) node.refuse("a scalar");
  node.write("RMSNormalization", node.all_inputs());
}

void write_group_norm(NodeWriter& node) {
  if (node.shape()[1] < 1) node.refuse("an unknown number of channels");
  node.write("GroupNormalization", node.all_inputs());
}

// A radius beyond the channels is the same as their number.
void write_lrn(NodeWriter& node) {
  const int64_t channels = node.shape()[1];
  if (channels < 1) node.refuse("an unknown number of channels");
  const int64_t size = 2 * std::min(node.integer(Attr::radius), channels) + 1;
  const auto alpha = static_cast<float>(node.real(Attr::alpha)) * static_cast<float>(size);
  node.write("LRN", {node.in(0)}, {{"size", size}, {"alpha", alpha}});
}

void write_l2_normalize(NodeWriter& node) {
  const std::string x = node.in(0);
  const Integers axes = node.list(Attr::axes);
  const double epsilon = node.real(Attr::epsilon);
  if (epsilon == 0 && axes.size() == 1)
    return node.write("LpNormalization", {x}, {{"axis", axes[0]}, {"p", int64_t{2}}});
  if (epsilon < std::numeric_limits<float>::min()) node.refuse("an epsilon of 0");
  Names inputs{node.derive("Mul", {x, x})};
  if (!axes.empty()) inputs.push_back(node.vector(axes));
  const std::string sum = node.derive("ReduceSum", inputs), floor = node.scalar(epsilon, node.dtype());
  node.write("Div", {x, node.derive("Sqrt", {node.derive("Max", {sum, floor})})});
}

void write_reduction(NodeWriter& node) {
  node.use(Attr::coeff);
  if (node.flag(Attr::reduce_to_end)) node.refuse("reduction to the end");
  const bool keeps = node.flag(Attr::keep_dims);
  const std::vector<Attribute> attributes{{"keepdims", int64_t{keeps}}, {"noop_with_empty_axes", int64_t{1}}};
  const bool is_boolean = node.op() == Op::reduce_all || node.op() == Op::all;
  if (!is_boolean) return node.write(node.row().type, {node.in(0), node.as_int64(1, true)}, attributes);
  const std::string bits = node.cast(node.as(0, DType::boolean), DType::i32);
  const std::string least = node.derive("ReduceMin", {bits, node.as_int64(1, true)}, attributes);
  node.write_cast(least, DType::boolean, 0);
}

void write_arg_max(NodeWriter& node) {
  const int64_t axis = node.axis(node.has(Attr::axis) ? node.integer(Attr::axis) : -1);
  const bool keeps = node.flag(Attr::keep_dims);
  const std::string best =
      node.derive("ArgMax", {node.in(0)}, {{"axis", axis}, {"keepdims", int64_t{keeps}}});
  node.write_cast(best, node.view().output(0).dtype, 0);
}

void write_cast_node(NodeWriter& node) { node.write_cast(node.in(0), node.view().output(0).dtype, 0); }

// The parameters of a tensor, or those of the other one in its dtype.
Quant parameters_of(const nnrt::Tensor& tensor, const nnrt::Tensor& other) {
  if (!tensor.quant.empty() || is_float(tensor.dtype)) return tensor.quant;
  Quant quant = other.quant;
  const int32_t shift = tensor.dtype == other.dtype || is_float(other.dtype) ? 0
                        : tensor.dtype == DType::u8                          ? 128
                                                                             : -128;
  for (int32_t& zero : quant.zero_points) zero += shift;
  return quant;
}

void write_quant_cast(NodeWriter& node) {
  node.use(Attr::source_type);
  node.use(Attr::target_type);
  const int64_t axis = node.axis(node.has(Attr::axis) ? node.integer(Attr::axis) : 0);
  const nnrt::Tensor &from = node.view().input(0), &to = node.view().output(0);
  FileWriter& file = node.file();
  std::string x = file.stored(node.view().node().inputs[0], node.layout());
  const bool is_copy = from.dtype == to.dtype && (from.quant.empty() || to.quant.empty());
  if (is_copy) return node.write_to(0, "Identity", {x});
  const Quant read = is_float(from.dtype) ? Quant() : parameters_of(from, to),
              written = is_float(to.dtype) ? Quant() : parameters_of(to, from);
  const auto lacks_scales = [](DType dtype, const Quant& quant) { return !is_float(dtype) && quant.empty(); };
  if (lacks_scales(from.dtype, read) || lacks_scales(to.dtype, written)) node.refuse("no scales");
  if (from.dtype == DType::f16) x = node.cast(x, DType::f32);
  if (!is_float(from.dtype)) {
    const bool is_last = to.dtype == DType::f32;
    const std::string real = is_last ? node.outputs[0] : node.temporary();
    file.dequantize(x, read, from.dtype, axis, real);
    if (is_last) return;
    x = real;
  }
  if (to.dtype == DType::f16) return node.write_cast(x, DType::f16, 0);
  file.quantize(x, written, to.dtype, axis, node.outputs[0]);
}

void write_fill(NodeWriter& node) {
  node.write("Expand", {node.derive("Reshape", {node.in(0), node.vector({1})}), node.as_int64(1, true)});
}

void write_constant_of_shape(NodeWriter& node) {
  node.use(Attr::data_type);
  const double value = node.has(Attr::value) ? node.real(Attr::value) : 0;
  const DType dtype = node.view().output(0).dtype;
  node.write("Expand",
             {node.scalar(dtype == DType::boolean && value != 0 ? 1 : value, dtype), node.as_int64(0, true)});
}

void write_range(NodeWriter& node) {
  Names bounds;
  for (const Attr attr : {Attr::start, Attr::limit, Attr::delta}) {
    const int64_t absent = attr == Attr::delta ? 1 : 0;
    const size_t i = bounds.size() + 1;
    if (node.has(attr)) node.integer(attr);
    bounds.push_back(
        node.input_count() > 1
            ? node.derive("Reshape", {node.in(i), node.vector({})})
            : node.scalar(static_cast<double>(node.has(attr) ? node.integer(attr) : absent), node.dtype()));
  }
  node.write("Range", bounds);
}

void write_shape(NodeWriter& node) {
  node.write_cast(node.derive("Shape", {node.in(0)}), node.view().output(0).dtype, 0);
}

void write_rank(NodeWriter& node) {
  const std::string count = node.derive("Size", {node.derive("Shape", {node.in(0)})});
  const std::string rank = node.cast(count, node.view().output(0).dtype);
  node.write_reshaped(rank);
}

void write_non_zero(NodeWriter& node) {
  node.write_cast(node.derive("NonZero", {node.in(0)}), node.view().output(0).dtype, 0);
}

void write_non_max_suppression(NodeWriter& node) {
  constexpr Attr kAttrs[] = {Attr::max_output, Attr::iou_threshold, Attr::score_threshold};
  Names inputs{node.in(0), node.in(1)};
  for (size_t i = 0; i < std::size(kAttrs); ++i) {
    node.use(kAttrs[i]);
    if (i + 2 < node.input_count()) {
      inputs.push_back(i == 0 ? node.as_int64(2, true)
                              : node.derive("Reshape", {node.in(i + 2), node.vector({1})}));
    } else if (node.has(kAttrs[i])) {
      inputs.push_back(node.scalar(node.real(kAttrs[i]), i == 0 ? DType::i64 : DType::f32));
    }
  }
  const std::string chosen = node.derive("NonMaxSuppression", inputs,
                                         {{"center_point_box", int64_t{node.flag(Attr::center_point_box)}}});
  node.write_cast(chosen, node.view().output(0).dtype, 0);
}

// [steps, directions, batch, hidden] as [steps, batch, directions * hidden].
void write_recurrent(NodeWriter& node, const char* type, std::vector<Attribute> attributes, bool has_bias,
                     const std::string& direction) {
  if (node.view().shape(1)[0] > (direction == "bidirectional" ? 2 : 1)) node.refuse("several layers");
  Names inputs{node.in(0), node.in(1), node.in(2), has_bias ? node.in(3) : "", ""};
  for (size_t i = 4; i < node.input_count(); ++i) inputs.push_back(node.in(i));
  attributes.push_back({"hidden_size", node.view().shape(2).back()});
  attributes.push_back({"direction", direction});
  const std::string steps = node.temporary();
  Names results{steps, node.outputs[1]};
  if (node.outputs.size() > 2) results.push_back(node.outputs[2]);
  node.write_nodes(type, inputs, results, attributes);
  const std::string swapped = node.derive("Transpose", {steps}, {{"perm", Integers{0, 2, 1, 3}}});
  node.write_to(0, "Reshape", {swapped, node.vector({0, 0, -1})});
}

void write_lstm(NodeWriter& node) {
  for (const Attr attr :
       {Attr::input_size, Attr::hidden_size, Attr::num_layers, Attr::num_directions, Attr::dropout})
    node.use(attr);
  const double clip = node.has(Attr::cell_clip) ? node.real(Attr::cell_clip) : 0;
  if (clip != 0) node.refuse("a limit of the cell");
  write_recurrent(node, "LSTM", {}, node.flag(Attr::has_bias),
                  node.flag(Attr::bidirectional) ? "bidirectional" : "forward");
}

void write_gru(NodeWriter& node) {
  constexpr const char* kDirections[] = {"forward", "reverse", "bidirectional"};
  const char* direction = kDirections[node.has(Attr::direction) ? node.integer(Attr::direction) : 0];
  if (node.op() == Op::gru)
    return write_recurrent(node, "GRU",
                           {{"linear_before_reset", int64_t{node.flag(Attr::linear_before_reset)}}}, true,
                           direction);
  if (node.has(Attr::mode) && node.integer(Attr::mode) != 0) node.refuse("another activation than TANH");
  write_recurrent(node, "RNN", {}, true, direction);
}

}  // namespace

std::vector<WriteRow> other_write_rows() {
  return {
      {Op::matmul, "MatMul", write_matmul},
      {Op::full_connection, "Gemm", write_full_connection},
      {Op::batch_norm, "BatchNormalization", write_plain, {{Attr::epsilon, "epsilon"}}},
      {Op::instance_norm, "InstanceNormalization", write_plain, {{Attr::epsilon, "epsilon"}}},
      {Op::layer_norm,
       "LayerNormalization",
       write_layer_norm,
       {{Attr::begin_norm_axis, "axis"}, {Attr::epsilon, "epsilon"}}},
      {Op::rms_norm,
       "RMSNormalization",
       write_rms_norm,
       {{Attr::begin_norm_axis, "axis"}, {Attr::epsilon, "epsilon"}},
       23},
      {Op::group_norm,
       "GroupNormalization",
       write_group_norm,
       {{Attr::group, "num_groups"}, {Attr::epsilon, "epsilon"}},
       21},
      {Op::lrn, "LRN", write_lrn, {{Attr::beta, "beta"}, {Attr::bias, "bias"}}},
      {Op::l2_normalize, "Div", write_l2_normalize},
      {Op::softmax, "Softmax", write_softmax},
      {Op::log_softmax, "LogSoftmax", write_log_softmax},
      {Op::reduce_mean, "ReduceMean", write_reduction},
      {Op::reduce_max, "ReduceMax", write_reduction},
      {Op::reduce_min, "ReduceMin", write_reduction},
      {Op::reduce_prod, "ReduceProd", write_reduction},
      {Op::reduce_sum, "ReduceSum", write_reduction},
      {Op::reduce_l2, "ReduceL2", write_reduction},
      {Op::reduce_all, "ReduceMin", write_reduction},
      {Op::all, "ReduceMin", write_reduction},
      {Op::arg_max, "ArgMax", write_arg_max},
      {Op::cast, "Cast", write_cast_node},
      {Op::quant_dtype_cast, "QuantizeLinear", write_quant_cast},
      {Op::fill, "Expand", write_fill},
      {Op::constant_of_shape, "Expand", write_constant_of_shape},
      {Op::range, "Range", write_range},
      {Op::shape, "Shape", write_shape},
      {Op::rank, "Size", write_rank},
      {Op::non_zero, "NonZero", write_non_zero},
      {Op::non_max_suppression, "NonMaxSuppression", write_non_max_suppression},
      {Op::lstm, "LSTM", write_lstm},
      {Op::gru, "GRU", write_gru},
      {Op::rnn, "RNN", write_gru},
  };
}

}  // namespace nnrt::import::onnx
