#include "mindspore/v0/old_nodes.h"

#include "core/base/text.h"
#include "mindspore/schema/enumerations.h"
#include "mindspore/v0/old_call.h"
#include "mindspore/v0/old_table.h"

#include <map>

namespace nnrt::mindspore {
namespace {

using enum PrimitiveType;

struct OldRule {
  PrimitiveType type;
  List<RenamedField> fields = {};
  OldConversion convert = nullptr;
};

// [begin, end] of each dimension, as a list of lists.
void copy_pairs(OldCall& call, std::string_view to, std::string_view from) {
  const Integers flat = call.old.integers(from);
  List<Integers> pairs;
  for (size_t i = 0; i + 1 < flat.size(); i += 2) pairs.push_back({flat[i], flat[i + 1]});
  call.made.set(to, pairs);
}

Status blocks_to_batch(OldCall& call) {
  copy_pairs(call, "paddings", "paddings");
  return {};
}

Status batch_to_blocks(OldCall& call) {
  copy_pairs(call, "crops", "crops");
  return {};
}

Status swap_layout(OldCall& call) {
  constexpr int kNchwToNhwc = 45;
  call.append_integers(2, call.old.row().number == kNchwToNhwc ? Integers{0, 2, 3, 1} : Integers{0, 3, 1, 2});
  return {};
}

Status one_axis(OldCall& call) {
  call.made.set("axis", Integers{call.old.integer("axis")});
  return {};
}

// The second input from an attribute: one number, or a list.
template <const char* field>
Status second_from_number(OldCall& call) {
  call.append_integers(2, Integers{call.old.integer(field)});
  return {};
}
template <const char* field>
Status second_from_list(OldCall& call) {
  call.append_integers(2, call.old.integers(field));
  return {};
}

constexpr char kShape[] = "shape", kOrder[] = "order", kPerm[] = "perm", kPaddings[] = "paddings",
               kMultiples[] = "multiples", kDims[] = "dims", kDstShape[] = "dst_shape", kDim[] = "dim",
               kDstT[] = "dstT", kK[] = "k";

Status broadcast(OldCall& call) {
  call.copy({"shape", "dst_shape"});
  return second_from_list<kDstShape>(call);
}

Status gather_axis(OldCall& call) {
  call.append_integers(3, Integers{call.old.integer("axis")});
  return {};
}

Status segment_count(OldCall& call) {
  call.append_integers(3, Integers{call.old.integer("numSegments")});
  return {};
}

Status slice_range(OldCall& call) {
  if (call.node.inputs.size() > 1) return {};
  call.append_integers(2, "begin");
  call.append_integers(3, "size");
  return {};
}

Status strided_range(OldCall& call) {
  if (call.node.inputs.size() > 1) return {};
  call.append_integers(2, "begin");
  call.append_integers(3, "end");
  call.append_integers(4, "stride");
  return {};
}

// An absent list means all axes.
Status reduce_axes(OldCall& call) {
  if (const Integers axes = call.old.integers("axes"); !axes.empty()) call.append_integers(2, axes);
  return {};
}

Status mean_axes(OldCall& call) {
  call.made.set("mode", int64_t(ReduceMode::mean)).set("coeff", 1.0f);
  if (const Integers axes = call.old.integers("axis"); !axes.empty()) call.append_integers(2, axes);
  return {};
}

Status power_exponent(OldCall& call) {
  call.append_reals(2, {call.old.real("power")});
  return {};
}

Status prelu_slope(OldCall& call) {
  if (const Reals slope = call.old.reals("slope"); !slope.empty()) call.append_reals(2, slope);
  return {};
}

Status norm_axes(OldCall& call) {
  const auto count = int64_t(call.old.integers("normalizedShape").size());
  call.made.set("begin_norm_axis", -count).set("begin_params_axis", -count);
  return {};
}

Status box_scales(OldCall& call) {
  Reals scales;
  for (const char* field : {"hScale", "wScale", "xScale", "yScale"}) scales.push_back(call.old.real(field));
  call.made.set("scale", scales);
  return {};
}

Status gelu(OldCall& call) {
  call.made.set("activation_type", int64_t(ActivationType::gelu));
  return {};
}

const RenamedField kActivation{"activation_type", "activationType"};

const std::map<int, OldRule>& rules() {
  static const std::map<int, OldRule> all{
      {1, {concat, {{"axis", "axis"}}}},
      {2, {softmax, {}, one_axis}},
      {3,
       {activation,
        {{"activation_type", "type"}, {"alpha", "alpha"}, {"min_val", "min_val"}, {"max_val", "max_val"}}}},
      {4, {conv2d_fusion, {}, convert_old_convolution}},
      {5, {fused_batch_norm, {{"epsilon", "epsilon"}}}},
      {6, {batch_norm, {{"epsilon", "epsilon"}}}},
      {7, {bias_add}},
      {8, {max_pool_fusion, {}, convert_old_pooling}},
      {9, {roi_pooling, {{"pooled_h", "pooledH"}, {"pooled_w", "pooledW"}, {"scale", "scale"}}}},
      {10, {conv2d_fusion, {}, convert_old_depthwise}},
      {11, {conv2d_transpose_fusion, {}, convert_old_transposed_depthwise}},
      {12,
       {resize,
        {{"method", "method"},
         {"new_height", "newHeight"},
         {"new_width", "newWidth"},
         {"preserve_aspect_ratio", "preserveAspectRatio"},
         {"cubic_coeff", "cubicCoeff"},
         {"exclude_outside", "excludeOutside"},
         {"extrapolation_value", "extrapolationValue"},
         {"nearest_mode", "nearestMode"}},
        convert_old_resize}},
      {13,
       {detection_post_process,
        {{"input_size", "inputSize"},
         {"nms_iou_threshold", "NmsIouThreshold"},
         {"nms_score_threshold", "NmsScoreThreshold"},
         {"max_detections", "MaxDetections"},
         {"detections_per_class", "DetectionsPerClass"},
         {"max_classes_per_detection", "MaxClassesPerDetection"},
         {"num_classes", "NumClasses"},
         {"use_regular_nms", "UseRegularNms"},
         {"out_quantized", "OutQuantized"}},
        box_scales}},
      {14,
       {full_connection, {{"has_bias", "hasBias"}, {"axis", "axis"}, {"use_axis", "useAxis"}, kActivation}}},
      {15, {reduce_fusion, {{"keep_dims", "keepDims"}}, mean_axes}},
      {16, {conv2d_transpose_fusion, {}, convert_old_transposed}},
      {17, {scale_fusion, {{"axis", "axis"}, kActivation}}},
      {18, {reshape, {}, second_from_list<kShape>}},
      {19, {eltwise, {{"mode", "mode"}}}},
      {21, {add_fusion, {kActivation}}},
      {22, {sub_fusion, {kActivation}}},
      {23, {mat_mul_fusion, {{"transpose_a", "transposeA"}, {"transpose_b", "transposeB"}}}},
      {24,
       {strided_slice,
        {{"begin_mask", "beginMask"},
         {"end_mask", "endMask"},
         {"ellipsis_mask", "ellipsisMask"},
         {"new_axis_mask", "newAxisMask"},
         {"shrink_axis_mask", "shrinkAxisMask"}},
        strided_range}},
      {25, {pow_fusion, {{"scale", "scale"}, {"shift", "shift"}}, power_exponent}},
      {26, {slice_fusion, {{"axes", "axes"}}, slice_range}},
      {27, {stack, {{"axis", "axis"}}}},
      {28, {mul_fusion, {kActivation}}},
      {29, {real_div}},
      {30,
       {pad_fusion,
        {{"padding_mode", "paddingMode"}, {"constant_value", "constantValue"}},
        second_from_list<kPaddings>}},
      {31, {maximum}},
      {32, {minimum}},
      {33, {prelu_fusion, {{"channel_shared", "channelShared"}}, prelu_slope}},
      {34, {leaky_relu, {{"negative_slope", "negativeSlope"}}}},
      {35,
       {arg_max_fusion,
        {{"axis", "axis"}, {"top_k", "topK"}, {"keep_dims", "keepDims"}, {"out_max_value", "outMaxValue"}}}},
      {36,
       {arg_min_fusion,
        {{"axis", "axis"}, {"top_k", "topK"}, {"keep_dims", "keepDims"}, {"out_max_value", "outMaxValue"}}}},
      {37, {exp_fusion, {{"base", "base"}, {"scale", "scale"}, {"shift", "shift"}}}},
      {38, {crop, {{"axis", "axis"}, {"offsets", "offsets"}}}},
      {39, {range, {{"d_type", "dType"}, {"start", "start"}, {"limit", "limit"}, {"delta", "delta"}}}},
      {40, {rsqrt}},
      {41, {expand_dims, {}, second_from_number<kDim>}},
      {42, {tile_fusion, {{"dims", "dims"}}, second_from_list<kMultiples>}},
      {43, {cast, {}, second_from_number<kDstT>}},
      {44, {shape}},
      {45, {transpose, {}, swap_layout}},
      {46, {transpose, {}, swap_layout}},
      {47, {quant_dtype_cast, {{"src_t", "srcT"}, {"dst_t", "dstT"}}}},
      {48, {split, {{"output_num", "numberSplit"}, {"size_splits", "sizeSplits"}, {"axis", "splitDim"}}}},
      {49, {transpose, {}, second_from_list<kOrder>}},
      {51, {equal}},
      {52, {less}},
      {53, {greater}},
      {54, {not_equal}},
      {55, {less_equal}},
      {56, {greater_equal}},
      {58, {floor}},
      {59, {abs}},
      {60, {neg}},
      {61, {cos}},
      {62, {sin}},
      {63, {sqrt}},
      {64, {square}},
      {66, {log}},
      {70, {clip, {{"max", "max"}, {"min", "min"}}}},
      {71, {transpose, {}, second_from_list<kPerm>}},
      {72, {squeeze, {{"axis", "axis"}}}},
      {73, {unsqueeze, {{"axis", "axis"}}}},
      {75, {dropout}},
      {77, {broadcast_to, {}, broadcast}},
      {79, {zeros_like}},
      {80, {top_k_fusion, {{"sorted", "sorted"}}, second_from_number<kK>}},
      {81, {space_to_depth, {{"block_size", "blockSize"}}}},
      {82, {space_to_batch, {{"block_size", "blockShape"}}, blocks_to_batch}},
      {84, {reverse_sequence, {{"seq_dim", "seqAxis"}, {"batch_dim", "batchAxis"}}}},
      {85, {rank}},
      {86, {gather, {}, gather_axis}},
      {87, {gather_nd}},
      {88, {fill, {}, second_from_list<kDims>}},
      {89, {elu, {{"alpha", "alpha"}}}},
      {90, {depth_to_space, {{"block_size", "blockSize"}}}},
      {91, {batch_to_space, {{"block_size", "blockShape"}}, batch_to_blocks}},
      {92, {add_n}},
      {93, {ceil}},
      {94, {embedding_lookup_fusion, {{"max_norm", "maxNorm"}}}},
      {96, {floor_div}},
      {97, {floor_mod}},
      {98, {l2_normalize_fusion, {{"axis", "axis"}, {"epsilon", "epsilon"}, kActivation}}},
      {99, {lrn, {{"depth_radius", "depth_radius"}, {"bias", "bias"}, {"alpha", "alpha"}, {"beta", "beta"}}}},
      {101,
       {reduce_fusion,
        {{"keep_dims", "keepDims"}, {"mode", "mode"}, {"reduce_to_end", "reduceToEnd"}, {"coeff", "coeff"}},
        reduce_axes}},
      {102, {reverse_v2, {{"axis", "axis"}}}},
      {103, {round}},
      {104, {select}},
      {106, {scatter_nd}},
      {107, {constant_of_shape, {{"data_type", "dataType"}, {"value", "value"}}}},
      {109, {unstack, {{"axis", "axis"}}}},
      {110, {logical_and}},
      {111, {logical_or}},
      {113, {logical_not}},
      {121, {squared_difference}},
      {122, {flatten}},
      {125, {div_fusion, {kActivation}}},
      {126, {where}},
      {127, {one_hot, {{"axis", "axis"}}}},
      {128, {lstm, {{"bidirectional", "bidirection"}}}},
      {144, {space_to_batch_nd, {{"block_shape", "blockShape"}}, blocks_to_batch}},
      {145, {depend}},
      {154, {batch_to_space_nd, {{"block_shape", "blockShape"}}, batch_to_blocks}},
      {171, {non_max_suppression, {{"center_point_box", "centerPointBox"}}}},
      {172, {instance_norm, {{"epsilon", "epsilon"}}}},
      {173, {depend}},
      {174,
       {layer_norm_fusion, {{"epsilon", "epsilon"}, {"elementwise_affine", "elementwiseAffine"}}, norm_axes}},
      {177, {unsorted_segment_sum, {}, segment_count}},
      {179, {ones_like}},
      {182, {lp_normalization, {{"axis", "axis"}, {"p", "p"}}}},
      {193, {PrimitiveType::all, {{"keep_dims", "keepDims"}}}},
      {194, {assert_, {{"summarize", "summarize"}}}},
      {201, {reciprocal}},
      {203, {mod}},
      {204, {activation, {{"approximate", "approximate"}}, gelu}},
  };
  return all;
}

// From 19 on the numbers have other meanings today.
Status check_activation(const Primitive& made) {
  constexpr int64_t kUnknown = 19;
  for (const FieldRow& field : made.row().fields) {
    if (field.name != "activation_type" || made.integer("activation_type") < kUnknown) continue;
    return unsupported("The activation (", made.integer("activation_type"), ") is unknown.");
  }
  return {};
}

Result<Primitive> convert(FlatTable primitive, SourceGraph& graph, SourceNode& node) {
  const int number = primitive.number<uint8_t>(0);
  const PrimitiveRow* row = find_old_primitive(number);
  if (row == nullptr) return unsupported("Primitive ", number, " of the old schema is unknown.");
  const auto rule = rules().find(number);
  if (rule == rules().end())
    return unsupported(row->name, " (", number, " of the old schema) is not supported.");
  const Primitive old = read_fields(primitive.table(1), *row);
  OldCall call{old, graph, node, Primitive(rule->second.type)};
  for (const RenamedField& field : rule->second.fields) call.copy(field);
  NNRT_TRY(check_activation(call.made));
  if (rule->second.convert != nullptr) NNRT_TRY(rule->second.convert(call));
  return std::move(call.made);
}

}  // namespace

void convert_old_primitive(FlatTable primitive, SourceGraph& graph, SourceNode& node) {
  Result<Primitive> made = convert(primitive, graph, node);
  if (made.ok()) {
    node.primitive = std::move(made).value();
  } else {
    node.problem = std::move(made).error();
  }
}

}  // namespace nnrt::mindspore
