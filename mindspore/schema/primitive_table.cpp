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
  const std::vector<FieldRow> activated{{"activation_type", enumeration8}};
  const std::vector<FieldRow> pool{{"kernel_size", integers64},  {"strides", integers64},
                                   {"pad", integers64},          {"pad_mode", enumeration8},
                                   {"round_mode", enumeration8}, {"format", integer32},
                                   {"global", boolean},          {"activation_type", enumeration8}};
  return {
      {activation,
       {{"activation_type", enumeration8},
        {"alpha", real},
        {"min_val", real},
        {"max_val", real},
        {"approximate", boolean}}},
      {add_fusion, activated},
      {PrimitiveType::all, {{"keep_dims", integer64}}},
      {arg_max_fusion,
       {{"axis", integer64}, {"top_k", integer64, 1}, {"keep_dims", boolean}, {"out_max_value", boolean}}},
      {arg_min_fusion,
       {{"axis", integer64}, {"top_k", integer64}, {"keep_dims", boolean}, {"out_max_value", boolean}}},
      {assert_, {{"summarize", integer64}}},
      {avg_pool_fusion, pool},
      {batch_norm, {{"epsilon", real}, {"format", integer32}, {"is_training", boolean}}},
      {batch_to_space, {{"block_size", integers64}, {"crops", lists}}},
      {batch_to_space_nd, {{"block_shape", integers64}, {"crops", lists}}},
      {bias_add, {{"format", integer32}}},
      {broadcast_to, {{"shape", integers64}}},
      {clip, {{"max", real}, {"min", real}}},
      {concat, {{"axis", integer64}}},
      {conv2d_fusion,
       {{"format", integer32},
        {"kernel_size", integers64},
        {"stride", integers64},
        {"dilation", integers64},
        {"pad_mode", enumeration8},
        {"pad_list", integers64},
        {"mode", integer64},
        {"group", integer64},
        {"in_channel", integer64},
        {"out_channel", integer64},
        {"activation_type", enumeration8}}},
      {conv2d_transpose_fusion,
       {{"format", integer32},
        {"kernel_size", integers64},
        {"stride", integers64},
        {"dilation", integers64},
        {"pad_mode", enumeration8},
        {"pad", integers64},
        {"pad_list", integers64},
        {"mode", integer64},
        {"group", integer64},
        {"in_channel", integer64},
        {"out_channel", integer64},
        {"activation_type", enumeration8},
        {"output_paddings", integers64}}},
      {constant_of_shape, {{"data_type", integer64}, {"value", reals}}},
      {crop, {{"axis", integer64}, {"offsets", integers64}}},
      {depth_to_space, {{"block_size", integer64}, {"format", integer32}, {"mode", text}}},
      {detection_post_process,
       {{"format", integer32},
        {"input_size", integer64},
        {"scale", reals},
        {"nms_iou_threshold", real},
        {"nms_score_threshold", real},
        {"max_detections", integer64},
        {"detections_per_class", integer64},
        {"max_classes_per_detection", integer64},
        {"num_classes", integer64},
        {"use_regular_nms", boolean},
        {"out_quantized", boolean}}},
      {div_fusion, activated},
      {dropout, {{"keep_prob", real, 0.5}}},
      {elu, {{"alpha", real}}},
      {eltwise, {{"mode", enumeration8}}},
      {embedding_lookup_fusion, {{"max_norm", real}}},
      {exp_fusion, {{"base", real, -1}, {"scale", real, 1.0}, {"shift", real}}},
      {flatten, {{"axis", integer64, 1}}},
      {full_connection,
       {{"has_bias", boolean},
        {"use_axis", boolean},
        {"axis", integer64},
        {"activation_type", enumeration8}}},
      {fused_batch_norm, {{"epsilon", real, 0.0001}, {"momentum", real, 0.9}, {"mode", integer64}}},
      {instance_norm, {{"epsilon", real}}},
      {layer_norm_fusion,
       {{"begin_norm_axis", integer64},
        {"epsilon", real, 0.00001},
        {"elementwise_affine", boolean},
        {"begin_params_axis", integer64}}},
      {leaky_relu, {{"negative_slope", real}}},
      {lp_normalization, {{"axis", integer64}, {"p", integer64}}},
      {lrn,
       {{"depth_radius", integer64}, {"bias", real}, {"alpha", real}, {"beta", real}, {"norm_region", text}}},
      {lstm,
       {{"bidirectional", boolean},
        {"has_bias", boolean},
        {"input_size", integer64},
        {"hidden_size", integer64},
        {"num_layers", integer64},
        {"num_directions", integer64},
        {"dropout", real},
        {"zoneout_cell", real},
        {"zoneout_hidden", real},
        {"proj_size", integer64}}},
      {l2_normalize_fusion, {{"axis", integers64}, {"epsilon", real}, {"activation_type", enumeration8}}},
      {mat_mul_fusion,
       {{"transpose_a", boolean}, {"transpose_b", boolean}, {"activation_type", enumeration8}}},
      {max_pool_fusion, pool},
      {mul_fusion, activated},
      {non_max_suppression, {{"center_point_box", integer64}}},
      {one_hot, {{"axis", integer64}}},
      {pad_fusion, {{"paddings", lists}, {"padding_mode", enumeration8}, {"constant_value", real}}},
      {pow_fusion, {{"scale", real, 1}, {"shift", real}}},
      {prelu_fusion, {{"channel_shared", boolean}}},
      {quant_dtype_cast, {{"src_t", integer64}, {"dst_t", integer64}, {"axis", integer64}}},
      {range, {{"d_type", integer64}, {"start", integer64}, {"limit", integer64}, {"delta", integer64, 1}}},
      {reduce_fusion,
       {{"keep_dims", boolean}, {"mode", enumeration8}, {"reduce_to_end", boolean}, {"coeff", real}}},
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
      {scale_fusion, {{"axis", integer64}, {"activation_type", enumeration8}}},
      {slice_fusion, {{"axes", integers64}}},
      {softmax, {{"axis", integers64}}},
      {space_to_batch, {{"block_size", integers64}, {"paddings", lists}}},
      {space_to_batch_nd, {{"block_shape", integers64}, {"paddings", lists}}},
      {space_to_depth, {{"block_size", integer64}, {"format", integer32}}},
      {split, {{"output_num", integer64}, {"size_splits", integers64}, {"axis", integer64}}},
      {squeeze, {{"axis", integers64}}},
      {stack, {{"axis", integer64}}},
      {strided_slice,
       {{"begin_mask", integer64},
        {"end_mask", integer64},
        {"ellipsis_mask", integer64},
        {"new_axis_mask", integer64},
        {"shrink_axis_mask", integer64}}},
      {sub_fusion, activated},
      {tile_fusion, {{"dims", integers64}}},
      {top_k_fusion, {{"sorted", boolean, 1}, {"axis", integer64}, {"largest", integer64}}},
      {unsqueeze, {{"axis", integers64}}},
      {unstack, {{"axis", integer64}}},
      {gru, {{"bidirectional", boolean}}},
      {log_softmax, {{"axis", integer64}}},
      {cum_sum, {{"exclusive", boolean}, {"reverse", boolean}}},
      {glu, {{"axis", integer64, -1}}},
      {format_transpose, {{"src_format", integer32, 1}, {"dst_format", integer32, 1}}},
      {group_norm_fusion, {{"num_groups", integer64}, {"epsilon", real, 1e-5}, {"affine", boolean, 1}}},
      {scatter_elements, {{"axis", integer64}}},
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
