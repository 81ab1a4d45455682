#include "networks/onnx_writer.h"

#include "networks/onnx_graph.h"
#include "networks/onnx_order.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <numeric>
#include <stdexcept>

namespace bench {
namespace {

using conformance::Case;
using conformance::Operation;
using conformance::Shape;
using conformance::Tensor;
using Names = std::vector<std::string>;

template <typename T>
std::string raw(const std::vector<T>& values) {
  std::string bytes(values.size() * sizeof(T), '\0');
  std::memcpy(bytes.data(), values.data(), bytes.size());
  return bytes;
}

class Writer {
 public:
  explicit Writer(const Case& network) : network_(network), graph_(network.name) {}

  OnnxGraph& write() {
    for (const uint32_t id : network_.inputs) graph_.input(name(id), type(id), shape(id));
    for (const Operation& operation : network_.operations) add(operation);
    for (const uint32_t id : network_.outputs) graph_.output(name(id), type(id), shape(id));
    return graph_;
  }

 private:
  const Tensor& tensor(uint32_t id) const { return network_.tensors[id]; }
  const Shape& our_shape(uint32_t id) const { return tensor(id).shape; }
  std::vector<int64_t> shape(uint32_t id) const { return reordered(our_shape(id), order_of(tensor(id))); }
  bool is_image(uint32_t id) const { return tensor(id).format == OH_NN_FORMAT_NHWC; }
  bool is_quantized_type(uint32_t id) const { return tensor(id).dataType == OH_NN_INT8; }
  OnnxType type(uint32_t id) const { return is_quantized_type(id) ? OnnxType::u8 : OnnxType::f32; }
  static std::string name(uint32_t id) { return std::string("t").append(std::to_string(id)); }

  // The values of a parameter, or of a constant integer operand.
  std::vector<int64_t> values(uint32_t id) const {
    const conformance::Bytes& data = *tensor(id).data;
    std::vector<int64_t> found;
    const auto read = [&]<typename T>(T value) {
      for (size_t at = 0; at < data.size(); at += sizeof(T)) {
        std::memcpy(&value, &data[at], sizeof(T));
        found.push_back(static_cast<int64_t>(value));
      }
    };
    switch (tensor(id).dataType) {
      case OH_NN_INT64: read(int64_t{}); break;
      case OH_NN_INT32: read(int32_t{}); break;
      default: read(int8_t{});
    }
    return found;
  }
  const uint32_t* parameter(const Operation& operation, OH_NN_TensorType type) const {
    const auto found =
        std::ranges::find(operation.params, type, [&](uint32_t id) { return tensor(id).type; });
    return found == operation.params.end() ? nullptr : &*found;
  }
  std::vector<int64_t> integers(const Operation& operation, OH_NN_TensorType type) const {
    const uint32_t* id = parameter(operation, type);
    return id ? values(*id) : std::vector<int64_t>{0};
  }

  std::string scale_of(const std::vector<double>& scales, bool single) {
    const std::string made = graph_.fresh("scale");
    const std::vector<float> rounded(scales.begin(), scales.end());
    graph_.constant(made, OnnxType::f32, dims_of(scales.size(), single), raw(rounded));
    return made;
  }
  static std::vector<int64_t> dims_of(size_t count, bool single) {
    return single ? std::vector<int64_t>{} : std::vector<int64_t>{static_cast<int64_t>(count)};
  }

  // Scale and zero point of a quantized tensor, as UINT8.
  std::pair<std::string, std::string> coding(uint32_t id) {
    const conformance::QuantParams& quant = *tensor(id).quant;
    const std::string point = graph_.fresh("zero_point");
    graph_.constant(point, OnnxType::u8, {}, std::string(1, static_cast<char>(quant.zeroPoints[0] + 128)));
    return {scale_of(quant.scales, true), point};
  }

  // The float value of a computed operand.
  std::string read(uint32_t id) {
    if (!is_quantized_type(id)) return name(id);
    const auto [scale, point] = coding(id);
    const std::string numbers = graph_.fresh("numbers");
    graph_.node("DequantizeLinear", {name(id), scale, point}, {numbers});
    return numbers;
  }

  // Adds a node for an operation's first output, followed by its fused activation.
  OnnxGraph::Node compute(std::string_view kind, const Names& inputs, const Operation& operation,
                          OH_NN_TensorType fused = OH_NN_TENSOR) {
    const uint32_t output = operation.outputs[0];
    const int64_t activation = fused == OH_NN_TENSOR ? 0 : integers(operation, fused)[0];
    std::string made = name(output);
    const std::string raw_numbers = is_quantized_type(output) || activation != 0 ? graph_.fresh("raw") : made;
    const OnnxGraph::Node node = graph_.node(kind, inputs, {raw_numbers});
    std::string numbers = raw_numbers;
    if (activation != 0) {
      numbers = is_quantized_type(output) ? graph_.fresh("active") : made;
      activate(activation, raw_numbers, numbers);
    }
    if (is_quantized_type(output)) {
      const auto [scale, point] = coding(output);
      graph_.node("QuantizeLinear", {numbers, scale, point}, {made});
    }
    return node;
  }

  void activate(int64_t activation, const std::string& from, const std::string& to) {
    if (activation == OH_NN_FUSED_RELU) {
      graph_.node("Relu", {from}, {to});
      return;
    }
    const std::string low = graph_.fresh("low"), high = graph_.fresh("high");
    graph_.constant(low, OnnxType::f32, {}, raw(std::vector<float>{0}));
    graph_.constant(high, OnnxType::f32, {}, raw(std::vector<float>{6}));
    graph_.node("Clip", {from, low, high}, {to});
  }

  std::string float_constant(uint32_t id, const Order& order) {
    const Tensor& constant = tensor(id);
    graph_.constant(name(id), OnnxType::f32, reordered(constant.shape, order),
                    reordered(*constant.data, constant.shape, order, sizeof(float)));
    return name(id);
  }

  // A weight or bias; quantized ones are followed by DequantizeLinear.
  std::string weight(uint32_t id, const Order& order) {
    const Tensor& constant = tensor(id);
    if (!constant.quant) return float_constant(id, order);
    graph_.constant(name(id), OnnxType::i8, reordered(constant.shape, order),
                    reordered(*constant.data, constant.shape, order, 1));
    return dequantized(id, constant.quant->scales, OnnxType::i8);
  }
  std::string bias(const Operation& operation) {
    const uint32_t id = operation.inputs[2];
    if (tensor(id).dataType != OH_NN_INT32) return float_constant(id, {0});
    graph_.constant(name(id), OnnxType::i32, reordered(our_shape(id), {0}),
                    reordered(*tensor(id).data, our_shape(id), {0}, sizeof(int32_t)));
    std::vector<double> scales = tensor(operation.inputs[1]).quant->scales;
    for (double& scale : scales) scale *= tensor(operation.inputs[0]).quant->scales[0];
    return dequantized(id, scales, OnnxType::i32);
  }
  std::string dequantized(uint32_t id, const std::vector<double>& scales, OnnxType type) {
    const std::string point = graph_.fresh("zero_point"), numbers = graph_.fresh("numbers");
    graph_.constant(point, type, dims_of(scales.size(), false),
                    std::string(scales.size() * (type == OnnxType::i32 ? 4 : 1), '\0'));
    graph_.node("DequantizeLinear", {name(id), scale_of(scales, false), point}, {numbers})
        .set("axis", int64_t{0});
    return numbers;
  }

  // Top, bottom, left, right to ONNX's top, left, bottom, right.
  static std::vector<int64_t> pads(const std::vector<int64_t>& ours) {
    return {ours[0], ours[2], ours[1], ours[3]};
  }

  struct ConvolutionRoles {
    OH_NN_TensorType strides, pad, activation;
  };
  void convolve(const Operation& operation, const ConvolutionRoles& roles, int64_t group) {
    const Shape& kernel = our_shape(operation.inputs[1]);
    compute("Conv", {read(operation.inputs[0]), weight(operation.inputs[1], kImageOrder), bias(operation)},
            operation, roles.activation)
        .set("kernel_shape", std::vector<int64_t>{kernel[1], kernel[2]})
        .set("strides", integers(operation, roles.strides))
        .set("pads", pads(integers(operation, roles.pad)))
        .set("group", group);
  }

  void pool_max(const Operation& operation) {
    compute("MaxPool", {read(operation.inputs[0])}, operation)
        .set("kernel_shape", integers(operation, OH_NN_MAX_POOL_KERNEL_SIZE))
        .set("strides", integers(operation, OH_NN_MAX_POOL_STRIDE))
        .set("pads", pads(integers(operation, OH_NN_MAX_POOL_PAD)));
  }

  void pool_average(const Operation& operation) {
    const Shape& image = our_shape(operation.outputs[0]);
    if (image[1] * image[2] == 1) {
      compute("GlobalAveragePool", operands(operation), operation);
      return;
    }
    compute("AveragePool", operands(operation), operation)
        .set("kernel_shape", integers(operation, OH_NN_AVG_POOL_KERNEL_SIZE))
        .set("strides", integers(operation, OH_NN_AVG_POOL_STRIDE));
  }

  void fully_connected(const Operation& operation);
  void reshape(const Operation& operation);
  void transpose(const Operation& operation);
  void take_rows(const Operation& operation);
  void split(const Operation& operation);
  void multiply(const Operation& operation);
  void recur(const Operation& operation);
  void swish(const Operation& operation);
  void concat(const Operation& operation);
  Names operands(const Operation& operation);
  void add(const Operation& operation);

  const Case& network_;
  OnnxGraph graph_;
  std::map<uint32_t, Shape> flattened_;  // rows of images, with their original shapes
};

// A single row becomes Gemm; more become MatMul and Add, as transformer exporters write them.
void Writer::fully_connected(const Operation& operation) {
  const uint32_t input = operation.inputs[0], matrix = operation.inputs[1];
  Tensor weights = tensor(matrix);
  Order order{0, 1};
  if (const auto image = flattened_.find(input); image != flattened_.end()) {
    weights.shape = {weights.shape[0], image->second[1], image->second[2], image->second[3]};
    order = kImageOrder;
  } else if (our_shape(input)[0] > 1 && !is_quantized_type(matrix)) {
    const std::string product = graph_.fresh("product");
    graph_.node("MatMul", {read(input), weight(matrix, {1, 0})}, {product});
    compute("Add", {product, bias(operation)}, operation, OH_NN_FULL_CONNECTION_ACTIVATIONTYPE);
    return;
  }
  const size_t size = is_quantized_type(matrix) ? 1 : sizeof(float);
  graph_.constant(name(matrix), is_quantized_type(matrix) ? OnnxType::i8 : OnnxType::f32, shape(matrix),
                  reordered(*weights.data, weights.shape, order, size));
  const std::string numbers =
      is_quantized_type(matrix) ? dequantized(matrix, weights.quant->scales, OnnxType::i8) : name(matrix);
  compute("Gemm", {read(input), numbers, bias(operation)}, operation, OH_NN_FULL_CONNECTION_ACTIVATIONTYPE)
      .set("transB", int64_t{1});
}

// Between an image and rows of its pixels, channels are transposed unless the following weights are instead.
void Writer::reshape(const Operation& operation) {
  const uint32_t input = operation.inputs[0], output = operation.outputs[0];
  const Shape &from = our_shape(input), &to = our_shape(output);
  const auto sizes = [&](const std::vector<int64_t>& shape) {
    return graph_.integers(graph_.fresh("shape"), shape);
  };
  const bool flattens = is_image(input) && to.size() == 2 && to[0] == from[0];
  const bool cuts = from.size() == 5 || to.size() == 5;
  if (flattens && from[1] * from[2] > 1) flattened_[output] = from;
  if (is_image(input) == is_image(output) || flattens || cuts) {
    compute("Reshape", {read(input), sizes(shape(output))}, operation);
  } else if (is_image(input)) {
    const std::string pixels = graph_.fresh("pixels");
    graph_.node("Transpose", {read(input)}, {pixels}).set("perm", std::vector<int64_t>{0, 2, 3, 1});
    compute("Reshape", {pixels, sizes(shape(output))}, operation);
  } else {
    const std::string pixels = graph_.fresh("pixels");
    graph_.node("Reshape", {read(input), sizes({to.begin(), to.end()})}, {pixels});
    compute("Transpose", {pixels}, operation).set("perm", std::vector<int64_t>{0, 3, 1, 2});
  }
}

// Transposes in the file's dimension order.
void Writer::transpose(const Operation& operation) {
  const uint32_t input = operation.inputs[0];
  const std::vector<int64_t> axes = values(operation.inputs[1]);
  const Order order = order_of(tensor(input));
  std::vector<int64_t> nchw;
  for (const size_t dimension : order)
    nchw.push_back(static_cast<int64_t>(place_in(order, static_cast<size_t>(axes[dimension]))));
  compute("Transpose", {read(input)}, operation).set("perm", nchw);
}

void Writer::split(const Operation& operation) {
  const Order order = order_of(tensor(operation.inputs[0]));
  const auto axis = static_cast<size_t>(integers(operation, OH_NN_SPLIT_AXIS)[0]);
  Names outputs;
  for (const uint32_t id : operation.outputs) outputs.push_back(name(id));
  graph_.node("Split", {read(operation.inputs[0])}, outputs)
      .set("axis", static_cast<int64_t>(place_in(order, axis)))
      .set("num_outputs", static_cast<int64_t>(outputs.size()));
}

void Writer::concat(const Operation& operation) {
  const Order order = order_of(tensor(operation.outputs[0]));
  const auto axis = static_cast<size_t>(integers(operation, OH_NN_CONCAT_AXIS)[0]);
  compute("Concat", operands(operation), operation).set("axis", static_cast<int64_t>(place_in(order, axis)));
}

// Slices the second of three dimensions.
void Writer::take_rows(const Operation& operation) {
  const int64_t begin = values(operation.inputs[1])[1];
  const auto integers = [&](const char* what, int64_t value) {
    return graph_.integers(graph_.fresh(what), {value});
  };
  compute("Slice",
          {read(operation.inputs[0]), integers("begin", begin),
           integers("end", begin + our_shape(operation.outputs[0])[1]), integers("axis", 1)},
          operation);
}

void Writer::multiply(const Operation& operation) {
  std::string right = read(operation.inputs[1]);
  if (integers(operation, OH_NN_MATMUL_TRANSPOSE_B)[0] != 0) {
    const std::string transposed = graph_.fresh("transposed");
    std::vector<int64_t> axes(our_shape(operation.inputs[1]).size());
    std::iota(axes.begin(), axes.end(), 0);
    std::swap(axes.back(), axes.end()[-2]);
    graph_.node("Transpose", {right}, {transposed}).set("perm", axes);
    right = transposed;
  }
  compute("MatMul", {read(operation.inputs[0]), right}, operation);
}

void Writer::swish(const Operation& operation) {
  const std::string gate = graph_.fresh("gate"), input = read(operation.inputs[0]);
  graph_.node("Sigmoid", {input}, {gate});
  compute("Mul", {input, gate}, operation);
}

// The weights have the same order. The file's output has a direction dimension.
void Writer::recur(const Operation& operation) {
  const std::vector<uint32_t>& in = operation.inputs;
  const std::string wide = graph_.fresh("directions");
  graph_
      .node("LSTM",
            {read(in[0]), float_constant(in[1], {0, 1, 2}), float_constant(in[2], {0, 1, 2}),
             float_constant(in[3], {0, 1})},
            {wide})
      .set("hidden_size", int64_t{our_shape(in[2])[2]});
  compute("Squeeze", {wide, graph_.integers(graph_.fresh("axes"), {1})}, operation);
}

Names Writer::operands(const Operation& operation) {
  Names names;
  for (const uint32_t id : operation.inputs) {
    names.push_back(tensor(id).data ? float_constant(id, order_of(tensor(id))) : read(id));
  }
  return names;
}

void Writer::add(const Operation& operation) {
  switch (operation.type) {
    case OH_NN_OPS_CONV2D:
      return convolve(operation, {OH_NN_CONV2D_STRIDES, OH_NN_CONV2D_PAD, OH_NN_CONV2D_ACTIVATION_TYPE}, 1);
    case OH_NN_OPS_DEPTHWISE_CONV2D_NATIVE:
      return convolve(operation,
                      {OH_NN_DEPTHWISE_CONV2D_NATIVE_STRIDES, OH_NN_DEPTHWISE_CONV2D_NATIVE_PAD,
                       OH_NN_DEPTHWISE_CONV2D_NATIVE_ACTIVATION_TYPE},
                      our_shape(operation.inputs[0])[3]);
    case OH_NN_OPS_FULL_CONNECTION: return fully_connected(operation);
    case OH_NN_OPS_MAX_POOL: return pool_max(operation);
    case OH_NN_OPS_RESHAPE: return reshape(operation);
    case OH_NN_OPS_TRANSPOSE: return transpose(operation);
    case OH_NN_OPS_SLICE: return take_rows(operation);
    case OH_NN_OPS_SPLIT: return split(operation);
    case OH_NN_OPS_CONCAT: return concat(operation);
    case OH_NN_OPS_MATMUL: return multiply(operation);
    case OH_NN_OPS_SWISH: return swish(operation);
    case OH_NN_OPS_LSTM: return recur(operation);
    case OH_NN_OPS_AVG_POOL: return pool_average(operation);
    case OH_NN_OPS_BATCH_NORM:
      compute("BatchNormalization", operands(operation), operation).set("epsilon", 1e-5f);
      return;
    case OH_NN_OPS_ADD: compute("Add", operands(operation), operation, OH_NN_ADD_ACTIVATIONTYPE); return;
    case OH_NN_OPS_MUL: compute("Mul", operands(operation), operation); return;
    case OH_NN_OPS_HSWISH: compute("HardSwish", operands(operation), operation); return;
    case OH_NN_OPS_SIGMOID: compute("Sigmoid", operands(operation), operation); return;
    case OH_NN_OPS_TANH: compute("Tanh", operands(operation), operation); return;
    case OH_NN_OPS_RELU: compute("Relu", operands(operation), operation); return;
    case OH_NN_OPS_GELU: compute("Gelu", operands(operation), operation); return;
    case OH_NN_OPS_HARD_SIGMOID:
      compute("HardSigmoid", operands(operation), operation).set("alpha", 1.0f / 6).set("beta", 0.5f);
      return;
    case OH_NN_OPS_SOFTMAX:
      compute("Softmax", operands(operation), operation).set("axis", int64_t{-1});
      return;
    case OH_NN_OPS_LAYER_NORM:
      compute("LayerNormalization", operands(operation), operation)
          .set("axis", int64_t{-1})
          .set("epsilon", 1e-5f);
      return;
    // The input is already dequantized.
    case OH_NN_OPS_QUANT_DTYPE_CAST: compute("Identity", operands(operation), operation); return;
    default: throw std::invalid_argument("No description uses operator " + std::to_string(operation.type));
  }
}

}  // namespace

std::string to_onnx(const Case& network) { return Writer(network).write().serialize(); }

OnnxFiles to_external_onnx(const Case& network, const std::string& location) {
  std::string data, model = Writer(network).write().externalize(location, data).serialize();
  return {std::move(model), std::move(data)};
}

}  // namespace bench
