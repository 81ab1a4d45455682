#include "mindspore/schema/primitive_table.h"

#include "core/base/text.h"

namespace nnrt::mindspore {
namespace {

using enum FieldType;
using enum PrimitiveType;

// In the order of their numbers, from 1.
constexpr std::string_view kNames =
    "Abs Activation ActivationGrad Adam AddFusion AdderFusion AddGrad AddN All ApplyMomentum ArgMaxFusion "
    "ArgMinFusion Assert Assign AssignAdd AudioSpectrogram AvgPoolFusion AvgPoolGrad BatchNorm "
    "BatchNormGrad BatchToSpace BatchToSpaceND BiasAdd BinaryCrossEntropy BinaryCrossEntropyGrad "
    "BiasAddGrad BroadcastTo Cast Ceil Clip Concat Attention Conv2DBackpropFilterFusion "
    "Conv2DBackpropInputFusion Conv2DFusion Conv2dTransposeFusion Cos ConstantOfShape Crop "
    "CustomExtractFeatures CustomNormalize CustomPredict DeConv2DGradFilter Depend DepthToSpace "
    "DetectionPostProcess DivFusion DivGrad Dropout DropoutGrad Elu Eltwise Equal EmbeddingLookupFusion "
    "ExpFusion ExpandDims FakeQuantWithMinMaxVars FakeQuantWithMinMaxVarsPerChannel FftReal FftImag "
    "Flatten FlattenGrad Floor FloorDiv FloorMod Fill FullConnection FusedBatchNorm Gather GatherNd "
    "Greater GreaterEqual HashtableLookup InstanceNorm LayerNormFusion LeakyRelu Less LessEqual Log "
    "LogGrad LogicalAnd LogicalNot LogicalOr LpNormalization LRN LshProjection LSTM L2NormalizeFusion "
    "MatMulFusion Maximum MaximumGrad MaxPoolFusion MaxPoolGrad SwitchLayer Mfcc Minimum MinimumGrad Mod "
    "MulFusion MulGrad Neg NegGrad NotEqual NonMaxSuppression OneHot OnesLike PadFusion PartialFusion "
    "PowerGrad PowFusion PriorBox PReLUFusion QuantDTypeCast Rank Range Reciprocal RealDiv ReduceFusion "
    "Reshape Resize ReverseSequence ReverseV2 Rfft ROIPooling Round Rsqrt ScaleFusion ScatterNd SGD Shape "
    "SigmoidCrossEntropyWithLogits SigmoidCrossEntropyWithLogitsGrad Sin SkipGram SliceFusion "
    "SmoothL1Loss SmoothL1LossGrad Softmax SoftmaxCrossEntropyWithLogits SpaceToBatch SpaceToBatchND "
    "SpaceToDepth SparseSoftmaxCrossEntropyWithLogits SparseToDense Split Sqrt Squeeze Square "
    "SquaredDifference Stack StridedSlice SubFusion SubGrad Switch TensorListFromTensor TensorListGetItem "
    "TensorListReserve TensorListSetItem TensorListStack TileFusion TopKFusion Transpose Unique "
    "UnsortedSegmentSum Unsqueeze Unstack LSTMGrad Where ZerosLike Select ScatterNdUpdate GRU NonZero "
    "InvertPermutation Size RandomStandardNormal CropAndResize Erf StridedSliceGrad IsFinite LinSpace "
    "UniformReal AbsGrad RsqrtGrad SqrtGrad LayerNormGrad ResizeGrad Splice LogSoftmax Call Custom CumSum "
    "SplitWithOverlap GenOP RaggedRange GLU TensorArray TensorArrayRead TensorArrayWrite Affine AllGather "
    "ReduceScatter DynamicQuant LSTMGradData LSTMGradWeight RandomNormal NLLLoss NLLLossGrad "
    "FormatTranspose GatherD GroupNormFusion Log1p TensorScatterAdd SparseFillEmptyRows SparseReshape "
    "SparseSegmentSum ScatterElements Triu Tril AdamWeightDecay FillV2";

struct Fields {
  PrimitiveType type;
  std::vector<FieldRow> fields;
};

// Of the primitives that are lowered; the others have none, or theirs are not read.
std::vector<Fields> all_fields() {
  const std::vector<FieldRow> activated{{"activation_type", enumeration8, Attr::activation}};
  const std::vector<FieldRow> pool{{"kernel_size", integers64, Attr::kernel},
                                   {"strides", integers64, Attr::stride},
                                   {"pad", integers64},
                                   {"pad_mode", enumeration8},
                                   {"round_mode", enumeration8, Attr::round_mode},
                                   {"format", integer32},
                                   {"global", boolean, Attr::global},
                                   {"activation_type", enumeration8, Attr::activation}};
  return {
      {activation,
       {{"activation_type", enumeration8},
        {"alpha", real, Attr::slope},
        {"min_val", real},
        {"max_val", real},
        {"approximate", boolean, Attr::approximate}}},
      {add_fusion, activated},
      {PrimitiveType::all, {{"keep_dims", integer64, Attr::keep_dims}}},
      {arg_max_fusion,
       {{"axis", integer64, Attr::axis},
        {"top_k", integer64, Attr::top_k, 1},
        {"keep_dims", boolean, Attr::keep_dims},
        {"out_max_value", boolean, Attr::out_max_value}}},
      {arg_min_fusion,
       {{"axis", integer64}, {"top_k", integer64}, {"keep_dims", boolean}, {"out_max_value", boolean}}},
      {assert_, {{"summarize", integer64, Attr::summarize}}},
      {avg_pool_fusion, pool},
      {batch_norm, {{"epsilon", real, Attr::epsilon}, {"format", integer32}, {"is_training", boolean}}},
      {batch_to_space, {{"block_size", integers64}, {"crops", lists}}},
      {batch_to_space_nd, {{"block_shape", integers64, Attr::block}, {"crops", lists, Attr::crops}}},
      {bias_add, {{"format", integer32}}},
      {broadcast_to, {{"shape", integers64, Attr::shape}}},
      {clip, {{"max", real, Attr::max}, {"min", real, Attr::min}}},
      {concat, {{"axis", integer64, Attr::axis}}},
      {conv2d_fusion,
       {{"format", integer32},
        {"kernel_size", integers64},
        {"stride", integers64, Attr::stride},
        {"dilation", integers64, Attr::dilation},
        {"pad_mode", enumeration8},
        {"pad_list", integers64},
        {"mode", integer64},
        {"group", integer64, Attr::group},
        {"in_channel", integer64},
        {"out_channel", integer64},
        {"activation_type", enumeration8, Attr::activation}}},
      {conv2d_transpose_fusion,
       {{"format", integer32},
        {"kernel_size", integers64},
        {"stride", integers64, Attr::stride},
        {"dilation", integers64, Attr::dilation},
        {"pad_mode", enumeration8},
        {"pad", integers64},
        {"pad_list", integers64},
        {"mode", integer64},
        {"group", integer64, Attr::group},
        {"in_channel", integer64},
        {"out_channel", integer64},
        {"activation_type", enumeration8, Attr::activation},
        {"output_paddings", integers64, Attr::output_padding}}},
      {constant_of_shape, {{"data_type", integer64}, {"value", reals, Attr::value}}},
      {crop, {{"axis", integer64}, {"offsets", integers64}}},
      {depth_to_space, {{"block_size", integer64, Attr::block}, {"format", integer32}, {"mode", text}}},
      {detection_post_process,
       {{"format", integer32},
        {"input_size", integer64, Attr::input_size},
        {"scale", reals, Attr::scale},
        {"nms_iou_threshold", real, Attr::iou_threshold},
        {"nms_score_threshold", real, Attr::score_threshold},
        {"max_detections", integer64, Attr::max_detections},
        {"detections_per_class", integer64, Attr::detections_per_class},
        {"max_classes_per_detection", integer64, Attr::max_classes},
        {"num_classes", integer64, Attr::num_classes},
        {"use_regular_nms", boolean, Attr::use_regular_nms},
        {"out_quantized", boolean, Attr::out_quantized}}},
      {div_fusion, activated},
      {dropout, {{"keep_prob", real, 0.5}}},
      {elu, {{"alpha", real}}},
      {eltwise, {{"mode", enumeration8, Attr::mode}}},
      {embedding_lookup_fusion, {{"max_norm", real}}},
      {exp_fusion,
       {{"base", real, Attr::base, -1}, {"scale", real, Attr::scale, 1.0}, {"shift", real, Attr::shift}}},
      {flatten, {{"axis", integer64, Attr::axis, 1}}},
      {full_connection,
       {{"has_bias", boolean},
        {"use_axis", boolean},
        {"axis", integer64},
        {"activation_type", enumeration8, Attr::activation}}},
      {fused_batch_norm,
       {{"epsilon", real, Attr::epsilon, 0.0001}, {"momentum", real, 0.9}, {"mode", integer64}}},
      {instance_norm, {{"epsilon", real, Attr::epsilon}}},
      {layer_norm_fusion,
       {{"begin_norm_axis", integer64, Attr::begin_norm_axis},
        {"epsilon", real, Attr::epsilon, 0.00001},
        {"elementwise_affine", boolean},
        {"begin_params_axis", integer64, Attr::begin_param_axis}}},
      {leaky_relu, {{"negative_slope", real, Attr::slope}}},
      {lp_normalization, {{"axis", integer64}, {"p", integer64}}},
      {lrn,
       {{"depth_radius", integer64, Attr::radius},
        {"bias", real, Attr::bias},
        {"alpha", real, Attr::alpha},
        {"beta", real, Attr::beta},
        {"norm_region", text}}},
      {lstm,
       {{"bidirectional", boolean, Attr::bidirectional},
        {"has_bias", boolean, Attr::has_bias},
        {"input_size", integer64, Attr::input_size},
        {"hidden_size", integer64, Attr::hidden_size},
        {"num_layers", integer64, Attr::num_layers},
        {"num_directions", integer64, Attr::num_directions},
        {"dropout", real, Attr::dropout},
        {"zoneout_cell", real, Attr::zoneout_cell},
        {"zoneout_hidden", real, Attr::zoneout_hidden},
        {"proj_size", integer64, Attr::proj_size}}},
      {l2_normalize_fusion,
       {{"axis", integers64, Attr::axes},
        {"epsilon", real, Attr::epsilon},
        {"activation_type", enumeration8, Attr::activation}}},
      {mat_mul_fusion,
       {{"transpose_a", boolean, Attr::transpose_a},
        {"transpose_b", boolean, Attr::transpose_b},
        {"activation_type", enumeration8, Attr::activation}}},
      {max_pool_fusion, pool},
      {mul_fusion, activated},
      {non_max_suppression, {{"center_point_box", integer64}}},
      {one_hot, {{"axis", integer64, Attr::axis}}},
      {pad_fusion,
       {{"paddings", lists},
        {"padding_mode", enumeration8, Attr::padding_mode},
        {"constant_value", real, Attr::constant_value}}},
      {pow_fusion, {{"scale", real, Attr::scale, 1}, {"shift", real, Attr::shift}}},
      {prelu_fusion, {{"channel_shared", boolean}}},
      {quant_dtype_cast, {{"src_t", integer64}, {"dst_t", integer64}, {"axis", integer64, Attr::axis}}},
      {range,
       {{"d_type", integer64},
        {"start", integer64, Attr::start},
        {"limit", integer64, Attr::limit},
        {"delta", integer64, Attr::delta, 1}}},
      {reduce_fusion,
       {{"keep_dims", boolean, Attr::keep_dims},
        {"mode", enumeration8},
        {"reduce_to_end", boolean, Attr::reduce_to_end},
        {"coeff", real, Attr::coeff}}},
      {resize,
       {{"format", integer32},
        {"method", enumeration8},
        {"new_height", integer64},
        {"new_width", integer64},
        {"preserve_aspect_ratio", boolean},
        {"coordinate_transform_mode", enumeration8},
        {"cubic_coeff", real},
        {"exclude_outside", integer64},
        {"extrapolation_value", real},
        {"nearest_mode", enumeration8}}},
      {reverse_sequence, {{"seq_dim", integer64}, {"batch_dim", integer64}}},
      {reverse_v2, {{"axis", integers64}}},
      {scale_fusion, {{"axis", integer64, Attr::axis}, {"activation_type", enumeration8, Attr::activation}}},
      {slice_fusion, {{"axes", integers64, Attr::axes}}},
      {softmax, {{"axis", integers64, Attr::axis}}},
      {space_to_batch, {{"block_size", integers64}, {"paddings", lists}}},
      {space_to_batch_nd, {{"block_shape", integers64, Attr::block}, {"paddings", lists, Attr::paddings}}},
      {space_to_depth, {{"block_size", integer64, Attr::block}, {"format", integer32}}},
      {split,
       {{"output_num", integer64},
        {"size_splits", integers64, Attr::size_splits},
        {"axis", integer64, Attr::axis}}},
      {squeeze, {{"axis", integers64, Attr::axis}}},
      {stack, {{"axis", integer64, Attr::axis}}},
      {strided_slice,
       {{"begin_mask", integer64, Attr::begin_mask},
        {"end_mask", integer64, Attr::end_mask},
        {"ellipsis_mask", integer64},
        {"new_axis_mask", integer64, Attr::new_axis_mask},
        {"shrink_axis_mask", integer64, Attr::shrink_axis_mask}}},
      {sub_fusion, activated},
      {tile_fusion, {{"dims", integers64, Attr::dims}}},
      {top_k_fusion,
       {{"sorted", boolean, Attr::sorted, 1}, {"axis", integer64, Attr::axis}, {"largest", integer64}}},
      {unsqueeze, {{"axis", integers64, Attr::axis}}},
      {unstack, {{"axis", integer64, Attr::axis}}},
      {gru, {{"bidirectional", boolean}}},
      {log_softmax, {{"axis", integer64, Attr::axis}}},
      {cum_sum, {{"exclusive", boolean, Attr::exclusive}, {"reverse", boolean, Attr::reverse}}},
      {glu, {{"axis", integer64, Attr::axis, -1}}},
      {format_transpose, {{"src_format", integer32, 1}, {"dst_format", integer32, 1}}},
      {group_norm_fusion,
       {{"num_groups", integer64, Attr::group},
        {"epsilon", real, Attr::epsilon, 1e-5},
        {"affine", boolean, 1}}},
      {scatter_elements, {{"axis", integer64, Attr::axis}}},
  };
}

const std::vector<PrimitiveRow>& all_rows() {
  static const std::vector<std::string> names = list_entries(kNames, ' ');
  static const std::vector<PrimitiveRow> all = [] {
    std::vector<PrimitiveRow> rows;
    for (const std::string& name : names) rows.push_back({uint8_t(rows.size() + 1), name, {}});
    for (Fields& row : all_fields()) rows[size_t(row.type) - 1].fields = std::move(row.fields);
    return rows;
  }();
  return all;
}

}  // namespace

const PrimitiveRow* find_primitive(int number) {
  return number >= 1 && number <= kPrimitiveCount ? &all_rows()[size_t(number) - 1] : nullptr;
}

const PrimitiveRow& row_of(PrimitiveType type) { return all_rows()[size_t(type) - 1]; }

}  // namespace nnrt::mindspore
