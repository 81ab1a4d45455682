#include "tools/plugins/tflite/host/builtin_options.h"

#include <tensorflow/lite/core/c/builtin_op_data.h>

#include <algorithm>

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

void fill(const TfLiteConvParams& from, int, format::Conv2DOptionsT& to) {
  to.padding = padding_of(from.padding);
  to.stride_w = from.stride_width;
  to.stride_h = from.stride_height;
  to.activation = activation_of(from.activation);
  to.dilation_w = from.dilation_width_factor;
  to.dilation_h = from.dilation_height_factor;
}

void fill(const TfLiteDepthwiseConvParams& from, int, format::DepthwiseConv2DOptionsT& to) {
  to.padding = padding_of(from.padding);
  to.stride_w = from.stride_width;
  to.stride_h = from.stride_height;
  to.depth_multiplier = from.depth_multiplier;
  to.activation = activation_of(from.activation);
  to.dilation_w = from.dilation_width_factor;
  to.dilation_h = from.dilation_height_factor;
}

void fill(const TfLiteConv3DParams& from, int, format::Conv3DOptionsT& to) {
  to.padding = padding_of(from.padding);
  to.stride_w = from.stride_width;
  to.stride_h = from.stride_height;
  to.stride_d = from.stride_depth;
  to.dilation_w = from.dilation_width_factor;
  to.dilation_h = from.dilation_height_factor;
  to.dilation_d = from.dilation_depth_factor;
  to.activation = activation_of(from.activation);
}

void fill(const TfLitePoolParams& from, int, format::Pool2DOptionsT& to) {
  to.padding = padding_of(from.padding);
  to.stride_w = from.stride_width;
  to.stride_h = from.stride_height;
  to.filter_width = from.filter_width;
  to.filter_height = from.filter_height;
  to.activation = activation_of(from.activation);
}

void fill(const TfLiteTransposeConvParams& from, int version, format::TransposeConvOptionsT& to) {
  to.padding = padding_of(from.padding);
  to.stride_w = from.stride_width;
  to.stride_h = from.stride_height;
  if (version >= 4) to.activation = activation_of(from.activation);
}

void fill(const TfLiteFullyConnectedParams& from, int, format::FullyConnectedOptionsT& to) {
  to.activation = activation_of(from.activation);
  to.weights_format = static_cast<int8_t>(from.weights_format);
  to.keep_num_dims = from.keep_num_dims;
}

void fill(const TfLiteBatchMatMulParams& from, int, format::BatchMatMulOptionsT& to) {
  to.adj_x = from.adj_x;
  to.adj_y = from.adj_y;
}

// Operators whose only option is an activation.
template <typename Params, typename Options>
void fill(const Params& from, int, Options& to) {
  to.activation = activation_of(from.activation);
}

void fill(const TfLiteLeakyReluParams& from, int, format::LeakyReluOptionsT& to) { to.alpha = from.alpha; }

void fill(const TfLiteGeluParams& from, int, format::GeluOptionsT& to) { to.approximate = from.approximate; }

void fill(const TfLiteSoftmaxParams& from, int, format::SoftmaxOptionsT& to) { to.beta = from.beta; }

void fill(const TfLiteLocalResponseNormParams& from, int, format::LocalResponseNormalizationOptionsT& to) {
  to.radius = from.radius;
  to.bias = from.bias;
  to.alpha = from.alpha;
  to.beta = from.beta;
}

void fill(const TfLiteReducerParams& from, int, format::ReducerOptionsT& to) {
  to.keep_dims = from.keep_dims;
}

void fill(const TfLiteCumsumParams& from, int, format::CumsumOptionsT& to) {
  to.exclusive = from.exclusive;
  to.reverse = from.reverse;
}

void fill(const TfLiteResizeBilinearParams& from, int, format::ResizeBilinearOptionsT& to) {
  to.align_corners = from.align_corners;
  to.half_pixel_centers = from.half_pixel_centers;
}

void fill(const TfLiteResizeNearestNeighborParams& from, int, format::ResizeNearestNeighborOptionsT& to) {
  to.align_corners = from.align_corners;
  to.half_pixel_centers = from.half_pixel_centers;
}

void fill(const TfLiteConcatenationParams& from, int, format::ConcatenationOptionsT& to) {
  to.axis = from.axis;
  to.activation = activation_of(from.activation);
}

void fill(const TfLiteReshapeParams& from, int, format::ReshapeOptionsT& to) {
  const int count = std::clamp(from.num_dimensions, 0, TFLITE_RESHAPE_PARAMS_MAX_DIMENSION_COUNT);
  to.new_shape.assign(from.shape, from.shape + count);
}

void fill(const TfLiteSqueezeParams& from, int, format::SqueezeOptionsT& to) {
  const int count = std::clamp(from.num_squeeze_dims, 0, static_cast<int>(std::size(from.squeeze_dims)));
  to.squeeze_dims.assign(from.squeeze_dims, from.squeeze_dims + count);
}

void fill(const TfLiteSpaceToDepthParams& from, int, format::SpaceToDepthOptionsT& to) {
  to.block_size = from.block_size;
}

void fill(const TfLiteDepthToSpaceParams& from, int, format::DepthToSpaceOptionsT& to) {
  to.block_size = from.block_size;
}

void fill(const TfLiteStridedSliceParams& from, int version, format::StridedSliceOptionsT& to) {
  to.begin_mask = from.begin_mask;
  to.end_mask = from.end_mask;
  to.ellipsis_mask = from.ellipsis_mask;
  to.new_axis_mask = from.new_axis_mask;
  to.shrink_axis_mask = from.shrink_axis_mask;
  if (version >= 8) to.offset = from.offset;
}

void fill(const TfLitePackParams& from, int, format::PackOptionsT& to) {
  to.values_count = from.values_count;
  to.axis = from.axis;
}

void fill(const TfLiteUnpackParams& from, int, format::UnpackOptionsT& to) {
  to.num = from.num;
  to.axis = from.axis;
}

void fill(const TfLiteMirrorPaddingParams& from, int, format::MirrorPadOptionsT& to) {
  to.mode = from.mode == kTfLiteMirrorPaddingSymmetric ? format::MirrorPadMode::SYMMETRIC
                                                       : format::MirrorPadMode::REFLECT;
}

void fill(const TfLiteGatherParams& from, int, format::GatherOptionsT& to) {
  to.axis = from.axis;
  to.batch_dims = from.batch_dims;
}

void fill(const TfLiteOneHotParams& from, int, format::OneHotOptionsT& to) { to.axis = from.axis; }

void fill(const TfLiteFakeQuantParams& from, int, format::FakeQuantOptionsT& to) {
  to.min = from.min;
  to.max = from.max;
  to.num_bits = from.num_bits;
  to.narrow_range = from.narrow_range;
}

void fill(const TfLiteReverseSequenceParams& from, int, format::ReverseSequenceOptionsT& to) {
  to.sequence_dimension = from.seq_dim;
  to.batch_dimension = from.batch_dim;
}

void fill(const TfLiteSVDFParams& from, int, format::SVDFOptionsT& to) {
  to.rank = from.rank;
  to.activation = activation_of(from.activation);
}

void fill(const TfLiteSequenceRNNParams& from, int, format::SequenceRNNOptionsT& to) {
  to.time_major = from.time_major;
  to.activation = activation_of(from.activation);
}

void fill(const TfLiteBidirectionalSequenceRNNParams& from, int,
          format::BidirectionalSequenceRNNOptionsT& to) {
  to.time_major = from.time_major;
  to.activation = activation_of(from.activation);
  to.merge_outputs = from.merge_outputs;
}

void fill(const TfLiteUnidirectionalSequenceLSTMParams& from, int version,
          format::UnidirectionalSequenceLSTMOptionsT& to) {
  to.activation = activation_of(from.activation);
  to.cell_clip = from.cell_clip;
  to.proj_clip = from.proj_clip;
  to.time_major = from.time_major;
  if (version >= 4) to.diagonal_recurrent_tensors = from.diagonal_recurrent_tensors;
}

void fill(const TfLiteBidirectionalSequenceLSTMParams& from, int,
          format::BidirectionalSequenceLSTMOptionsT& to) {
  to.activation = activation_of(from.activation);
  to.cell_clip = from.cell_clip;
  to.proj_clip = from.proj_clip;
  to.merge_outputs = from.merge_outputs;
  to.time_major = from.time_major;
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

}  // namespace

void read_builtin_options(const void* data, int version, HostNode& node) {
  const auto row = std::ranges::find(kRows, node.code, &OptionsRow::code);
  if (data != nullptr && row != std::end(kRows)) row->read(data, version, node.table);
}

}  // namespace nnrt::tflite_plugin
