#include "tools/plugins/tflite/host/host_reader.h"

#include "tools/plugins/tflite/host_graph.h"

#include <tensorflow/lite/core/c/builtin_op_data.h>

#include <algorithm>
#include <span>
#include <type_traits>

namespace nnrt::tflite_plugin {
namespace {

using enum format::BuiltinOperator;

format::Padding padding_of(TfLitePadding padding) {
  return padding == kTfLitePaddingSame ? format::Padding::SAME : format::Padding::VALID;
}

// The enumerations have the same numbers; the file format has none for kTfLiteActSigmoid.
format::Activation activation_of(TfLiteFusedActivation activation) {
  return static_cast<format::Activation>(activation);
}

// Members of one name have one meaning.
template <typename Params, typename Options>
void fill(const Params& from, int version, Options& to) {
  constexpr bool is_transposed = std::is_same_v<Options, format::TransposeConvOptionsT>;
  if constexpr (requires { to.activation; })
    if (!is_transposed || version >= 4) to.activation = activation_of(from.activation);
  if constexpr (requires { to.padding; }) to.padding = padding_of(from.padding);
  if constexpr (requires { to.stride_w; }) {
    to.stride_w = from.stride_width;
    to.stride_h = from.stride_height;
  }
  if constexpr (requires { to.stride_d; }) to.stride_d = from.stride_depth;
  if constexpr (requires { to.dilation_w; }) {
    to.dilation_w = from.dilation_width_factor;
    to.dilation_h = from.dilation_height_factor;
  }
  if constexpr (requires { to.dilation_d; }) to.dilation_d = from.dilation_depth_factor;
  if constexpr (requires { to.depth_multiplier; }) to.depth_multiplier = from.depth_multiplier;
  if constexpr (requires { to.filter_width; }) to.filter_width = from.filter_width;
  if constexpr (requires { to.filter_height; }) to.filter_height = from.filter_height;
  if constexpr (requires { to.weights_format; }) to.weights_format = static_cast<int8_t>(from.weights_format);
  if constexpr (requires { to.keep_num_dims; }) to.keep_num_dims = from.keep_num_dims;
  if constexpr (requires { to.adj_x; }) {
    to.adj_x = from.adj_x;
    to.adj_y = from.adj_y;
  }
  if constexpr (requires { to.alpha; }) to.alpha = from.alpha;
  if constexpr (requires { to.beta; }) to.beta = from.beta;
  if constexpr (requires { to.bias; }) to.bias = from.bias;
  if constexpr (requires { to.radius; }) to.radius = from.radius;
  if constexpr (requires { to.approximate; }) to.approximate = from.approximate;
  if constexpr (requires { to.keep_dims; }) to.keep_dims = from.keep_dims;
  if constexpr (requires { to.exclusive; }) to.exclusive = from.exclusive;
  if constexpr (requires { to.reverse; }) to.reverse = from.reverse;
  if constexpr (requires { to.align_corners; }) to.align_corners = from.align_corners;
  if constexpr (requires { to.half_pixel_centers; }) to.half_pixel_centers = from.half_pixel_centers;
  if constexpr (requires { to.axis; }) to.axis = from.axis;
  if constexpr (requires { to.batch_dims; }) to.batch_dims = from.batch_dims;
  if constexpr (requires { to.block_size; }) to.block_size = from.block_size;
  if constexpr (requires { to.values_count; }) to.values_count = from.values_count;
  if constexpr (requires { to.num; }) to.num = from.num;
  if constexpr (requires { to.begin_mask; }) {
    to.begin_mask = from.begin_mask;
    to.end_mask = from.end_mask;
    to.ellipsis_mask = from.ellipsis_mask;
    to.new_axis_mask = from.new_axis_mask;
    to.shrink_axis_mask = from.shrink_axis_mask;
    if (version >= 8) to.offset = from.offset;
  }
  if constexpr (requires { to.num_bits; }) {
    to.min = from.min;
    to.max = from.max;
    to.num_bits = from.num_bits;
    to.narrow_range = from.narrow_range;
  }
  if constexpr (requires { to.rank; }) to.rank = from.rank;
  if constexpr (requires { to.time_major; }) to.time_major = from.time_major;
  if constexpr (requires { to.merge_outputs; }) to.merge_outputs = from.merge_outputs;
  if constexpr (requires { to.cell_clip; }) {
    to.cell_clip = from.cell_clip;
    to.proj_clip = from.proj_clip;
  }
  if constexpr (requires { to.diagonal_recurrent_tensors; })
    if (version >= 4) to.diagonal_recurrent_tensors = from.diagonal_recurrent_tensors;
}

void fill(const TfLiteReshapeParams& from, int, format::ReshapeOptionsT& to) {
  const int count = std::clamp(from.num_dimensions, 0, TFLITE_RESHAPE_PARAMS_MAX_DIMENSION_COUNT);
  to.new_shape.assign(from.shape, from.shape + count);
}

void fill(const TfLiteSqueezeParams& from, int, format::SqueezeOptionsT& to) {
  const int count = std::clamp(from.num_squeeze_dims, 0, static_cast<int>(std::size(from.squeeze_dims)));
  to.squeeze_dims.assign(from.squeeze_dims, from.squeeze_dims + count);
}

void fill(const TfLiteMirrorPaddingParams& from, int, format::MirrorPadOptionsT& to) {
  to.mode = from.mode == kTfLiteMirrorPaddingSymmetric ? format::MirrorPadMode::SYMMETRIC
                                                       : format::MirrorPadMode::REFLECT;
}

void fill(const TfLiteReverseSequenceParams& from, int, format::ReverseSequenceOptionsT& to) {
  to.sequence_dimension = from.seq_dim;
  to.batch_dimension = from.batch_dim;
}

template <typename Params, typename Options>
void read(const void* data, int version, format::OperatorT& op) {
  Options options;
  fill(*static_cast<const Params*>(data), version, options);
  op.builtin_options.Set(std::move(options));
}

struct OptionsRow {
  format::BuiltinOperator code;
  void (*read)(const void* data, int version, format::OperatorT& op);
};

constexpr OptionsRow kRows[] = {
    {ADD, read<TfLiteAddParams, format::AddOptionsT>},
    {AVERAGE_POOL_2D, read<TfLitePoolParams, format::Pool2DOptionsT>},
    {BATCH_MATMUL, read<TfLiteBatchMatMulParams, format::BatchMatMulOptionsT>},
    {BIDIRECTIONAL_SEQUENCE_LSTM,
     read<TfLiteBidirectionalSequenceLSTMParams, format::BidirectionalSequenceLSTMOptionsT>},
    {BIDIRECTIONAL_SEQUENCE_RNN,
     read<TfLiteBidirectionalSequenceRNNParams, format::BidirectionalSequenceRNNOptionsT>},
    {CONCATENATION, read<TfLiteConcatenationParams, format::ConcatenationOptionsT>},
    {CONV_2D, read<TfLiteConvParams, format::Conv2DOptionsT>},
    {CONV_3D, read<TfLiteConv3DParams, format::Conv3DOptionsT>},
    {CUMSUM, read<TfLiteCumsumParams, format::CumsumOptionsT>},
    {DEPTHWISE_CONV_2D, read<TfLiteDepthwiseConvParams, format::DepthwiseConv2DOptionsT>},
    {DEPTH_TO_SPACE, read<TfLiteDepthToSpaceParams, format::DepthToSpaceOptionsT>},
    {DIV, read<TfLiteDivParams, format::DivOptionsT>},
    {FAKE_QUANT, read<TfLiteFakeQuantParams, format::FakeQuantOptionsT>},
    {FULLY_CONNECTED, read<TfLiteFullyConnectedParams, format::FullyConnectedOptionsT>},
    {GATHER, read<TfLiteGatherParams, format::GatherOptionsT>},
    {GELU, read<TfLiteGeluParams, format::GeluOptionsT>},
    {L2_NORMALIZATION, read<TfLiteL2NormParams, format::L2NormOptionsT>},
    {L2_POOL_2D, read<TfLitePoolParams, format::Pool2DOptionsT>},
    {LEAKY_RELU, read<TfLiteLeakyReluParams, format::LeakyReluOptionsT>},
    {LOCAL_RESPONSE_NORMALIZATION,
     read<TfLiteLocalResponseNormParams, format::LocalResponseNormalizationOptionsT>},
    {MAX_POOL_2D, read<TfLitePoolParams, format::Pool2DOptionsT>},
    {MEAN, read<TfLiteReducerParams, format::ReducerOptionsT>},
    {MIRROR_PAD, read<TfLiteMirrorPaddingParams, format::MirrorPadOptionsT>},
    {MUL, read<TfLiteMulParams, format::MulOptionsT>},
    {ONE_HOT, read<TfLiteOneHotParams, format::OneHotOptionsT>},
    {PACK, read<TfLitePackParams, format::PackOptionsT>},
    {REDUCE_ALL, read<TfLiteReducerParams, format::ReducerOptionsT>},
    {REDUCE_ANY, read<TfLiteReducerParams, format::ReducerOptionsT>},
    {REDUCE_MAX, read<TfLiteReducerParams, format::ReducerOptionsT>},
    {REDUCE_MIN, read<TfLiteReducerParams, format::ReducerOptionsT>},
    {REDUCE_PROD, read<TfLiteReducerParams, format::ReducerOptionsT>},
    {RESHAPE, read<TfLiteReshapeParams, format::ReshapeOptionsT>},
    {RESIZE_BILINEAR, read<TfLiteResizeBilinearParams, format::ResizeBilinearOptionsT>},
    {RESIZE_NEAREST_NEIGHBOR, read<TfLiteResizeNearestNeighborParams, format::ResizeNearestNeighborOptionsT>},
    {REVERSE_SEQUENCE, read<TfLiteReverseSequenceParams, format::ReverseSequenceOptionsT>},
    {RNN, read<TfLiteRNNParams, format::RNNOptionsT>},
    {SOFTMAX, read<TfLiteSoftmaxParams, format::SoftmaxOptionsT>},
    {SPACE_TO_DEPTH, read<TfLiteSpaceToDepthParams, format::SpaceToDepthOptionsT>},
    {SQUEEZE, read<TfLiteSqueezeParams, format::SqueezeOptionsT>},
    {STRIDED_SLICE, read<TfLiteStridedSliceParams, format::StridedSliceOptionsT>},
    {SUB, read<TfLiteSubParams, format::SubOptionsT>},
    {SUM, read<TfLiteReducerParams, format::ReducerOptionsT>},
    {SVDF, read<TfLiteSVDFParams, format::SVDFOptionsT>},
    {TRANSPOSE_CONV, read<TfLiteTransposeConvParams, format::TransposeConvOptionsT>},
    {UNIDIRECTIONAL_SEQUENCE_LSTM,
     read<TfLiteUnidirectionalSequenceLSTMParams, format::UnidirectionalSequenceLSTMOptionsT>},
    {UNIDIRECTIONAL_SEQUENCE_RNN, read<TfLiteSequenceRNNParams, format::SequenceRNNOptionsT>},
    {UNPACK, read<TfLiteUnpackParams, format::UnpackOptionsT>},
};

// `data`: TfLiteNode::builtin_data, whose type depends on node.code. As the interpreter's kernels do, reads
// all members that its structures have had since TensorFlow Lite 2.9, whatever the operator's version is;
// later members only if the version implies them.
void read_builtin_options(const void* data, int version, HostNode& node) {
  const auto row = std::ranges::find(kRows, node.code, &OptionsRow::code);
  if (data != nullptr && row != std::end(kRows)) row->read(data, version, node.table);
}

std::vector<int32_t> values_of(const TfLiteIntArray* array) {
  if (array == nullptr) return {};
  return {array->data, array->data + std::max(array->size, 0)};
}

format::TensorType type_of(TfLiteType type) {
  switch (type) {
    case kTfLiteFloat32: return format::TensorType::FLOAT32;
    case kTfLiteFloat16: return format::TensorType::FLOAT16;
    case kTfLiteFloat64: return format::TensorType::FLOAT64;
    case kTfLiteInt4: return format::TensorType::INT4;
    case kTfLiteInt8: return format::TensorType::INT8;
    case kTfLiteUInt8: return format::TensorType::UINT8;
    case kTfLiteInt16: return format::TensorType::INT16;
    case kTfLiteUInt16: return format::TensorType::UINT16;
    case kTfLiteInt32: return format::TensorType::INT32;
    case kTfLiteUInt32: return format::TensorType::UINT32;
    case kTfLiteInt64: return format::TensorType::INT64;
    case kTfLiteUInt64: return format::TensorType::UINT64;
    case kTfLiteBool: return format::TensorType::BOOL;
    case kTfLiteComplex64: return format::TensorType::COMPLEX64;
    default: return format::TensorType::STRING;
  }
}

std::unique_ptr<format::QuantizationParametersT> quantization_of(const TfLiteTensor& tensor) {
  auto quantization = std::make_unique<format::QuantizationParametersT>();
  const auto* affine = static_cast<const TfLiteAffineQuantization*>(tensor.quantization.params);
  if (tensor.quantization.type == kTfLiteAffineQuantization && affine != nullptr &&
      affine->scale != nullptr) {
    quantization->scale.assign(affine->scale->data, affine->scale->data + affine->scale->size);
    for (const int32_t zero_point : values_of(affine->zero_point))
      quantization->zero_point.push_back(zero_point);
    quantization->quantized_dimension = affine->quantized_dimension;
  } else if (tensor.params.scale != 0) {  // older tools set only these
    quantization->scale = {tensor.params.scale};
    quantization->zero_point = {tensor.params.zero_point};
  } else {
    return nullptr;
  }
  return quantization;
}

format::SparseIndicesUnion indices_of(const TfLiteIntArray* array) {
  format::SparseIndicesUnion indices;
  format::Int32VectorT values;
  values.values = values_of(array);
  if (array != nullptr) indices.Set(std::move(values));
  return indices;
}

std::unique_ptr<format::SparsityT> sparsity_of(const TfLiteSparsity* from) {
  if (from == nullptr) return nullptr;
  auto sparsity = std::make_unique<format::SparsityT>();
  sparsity->traversal_order = values_of(from->traversal_order);
  sparsity->block_map = values_of(from->block_map);
  for (const TfLiteDimensionMetadata& it :
       std::span(from->dim_metadata, static_cast<size_t>(from->dim_metadata_size))) {
    auto dimension = std::make_unique<format::SparseDimensionT>();
    dimension->format = it.format == kTfLiteDimSparseCSR ? format::DimensionFormat::SPARSE_CSR
                                                         : format::DimensionFormat::DENSE;
    dimension->dense_size = it.dense_size;
    if (it.format == kTfLiteDimSparseCSR) {
      dimension->segments = indices_of(it.array_segments);
      dimension->indices = indices_of(it.array_indices);
    }
    sparsity->dimensions.push_back(std::move(dimension));
  }
  return sparsity;
}

// Lent by the interpreter, so nothing owns it here.
SharedBytes lent(const TfLiteTensor& tensor) {
  static const std::byte nothing{};
  const auto* data = reinterpret_cast<const std::byte*>(tensor.data.raw_const);
  const ByteView view(data ? data : &nothing, data ? tensor.bytes : 0);
  return {std::shared_ptr<const void>(std::shared_ptr<const void>(), view.data()), view};
}

HostTensor read_tensor(const TfLiteTensor& from) {
  HostTensor tensor;
  tensor.table.name = from.name ? from.name : "";
  tensor.table.type = type_of(from.type);
  tensor.table.shape = shape_of(from);
  tensor.table.quantization = quantization_of(from);
  tensor.table.sparsity = sparsity_of(from.sparsity);
  tensor.table.is_variable = from.is_variable;
  if (from.allocation_type == kTfLiteMmapRo) tensor.data = lent(from);
  tensor.table.has_rank = tensor.data != nullptr;
  const std::vector<int32_t> signature = values_of(from.dims_signature);
  tensor.is_open = std::ranges::find(signature, -1) != signature.end();
  if (tensor.table.type == format::TensorType::STRING)
    tensor.fault = "has a tensor of strings, resources or another type that OH_NN lacks";
  return tensor;
}

Result<HostNode> read_node(TfLiteContext* context, int32_t number) {
  TfLiteNode* node = nullptr;
  TfLiteRegistration* registration = nullptr;
  if (context->GetNodeAndRegistration(context, number, &node, &registration) != kTfLiteOk ||
      node == nullptr || registration == nullptr)
    return Error{Code::failed, "The interpreter has no node " + std::to_string(number) + "."};
  HostNode read;
  read.number = number;
  read.code = static_cast<format::BuiltinOperator>(registration->builtin_code);
  read.table.inputs = values_of(node->inputs);
  read.table.outputs = values_of(node->outputs);
  if (node->delegate != nullptr) read.fault = "runs in another delegate";
  if (read.code == format::BuiltinOperator::CUSTOM) {
    read.custom_name = registration->custom_name ? registration->custom_name : "";
    const auto* options = static_cast<const uint8_t*>(node->custom_initial_data);
    if (options != nullptr)
      read.table.custom_options.assign(options, options + std::max(node->custom_initial_data_size, 0));
  } else {
    read_builtin_options(node->builtin_data, registration->version, read);
  }
  return read;
}

}  // namespace

// clang-format takes a line that starts with `import` for a statement.
nnrt::import::Shape shape_of(const TfLiteTensor& tensor) { return values_of(tensor.dims); }

Result<HostGraph> read_host(TfLiteContext* context) {
  TfLiteIntArray* plan = nullptr;
  if (context->GetExecutionPlan(context, &plan) != kTfLiteOk || plan == nullptr)
    return Error{Code::failed, "The interpreter cannot return its execution plan."};
  const std::vector<int32_t> numbers = values_of(plan);
  HostGraph graph;
  graph.tensors.resize(context->tensors_size);
  std::vector<bool> is_read(graph.tensors.size());
  for (const int32_t number : numbers) {
    NNRT_ASSIGN(HostNode node, read_node(context, number));
    for (const auto* ids : {&node.table.inputs, &node.table.outputs})
      for (const int32_t id : *ids) {
        if (id < 0 || is_read[static_cast<size_t>(id)]) continue;
        is_read[static_cast<size_t>(id)] = true;
        graph.tensors[static_cast<size_t>(id)] = read_tensor(context->tensors[id]);
      }
    graph.nodes.push_back(std::move(node));
  }
  return graph;
}

}  // namespace nnrt::tflite_plugin
