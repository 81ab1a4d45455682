#include "mindspore/v0/old_schema.h"

#include "core/base/bytes_of.h"
#include "core/base/text.h"
#include "mindspore/schema/enumerations.h"

#include <algorithm>
#include <array>
#include <memory>
#include <span>

namespace nnrt::mindspore {
namespace {

using enum PrimitiveType;
using enum FieldType;
using Fields = std::vector<FieldRow>;

constexpr PrimitiveType kRefusedType{0};

// A node being converted.
struct OldCall {
  const Primitive& old;
  SourceGraph& graph;
  SourceNode& node;
  Primitive made;

  void copy();
  // Dimension `d` of an input as stored; 0 if there is none.
  int64_t stored_dimension(size_t input, size_t d) const;
  void append(size_t input, const FieldValue& value);
};

// A row gives each old field its meaning by the name:
//   "axis"       today's field of this name; a number also becomes a list, and a list a list of pairs
//   "stride[1]"  an element of today's list
//   "input 1"    a constant input, unless the node has that input
//   ""           nothing
// Other fields are those that `convert` reads, after the copy.
struct OldRow {
  int number = 0;
  PrimitiveType type = kRefusedType;
  Fields fields;
  void (*convert)(OldCall& call) = nullptr;
};

template <typename T, typename Values>
Bytes stored_as(const Values& values) {
  return bytes_of(std::vector<T>(values.begin(), values.end()));
}

void OldCall::append(size_t input, const FieldValue& value) {
  if (const auto* number = std::get_if<int64_t>(&value)) return append(input, Integers{*number});
  if (const auto* number = std::get_if<float>(&value)) return append(input, Reals{*number});
  const auto* integers = std::get_if<Integers>(&value);
  const auto* reals = std::get_if<Reals>(&value);
  const size_t count = integers != nullptr ? integers->size() : reals != nullptr ? reals->size() : 0;
  if (node.inputs.size() != input || count == 0) return;
  SourceTensor tensor;
  tensor.name = cat(node.name, "/attribute", input);
  tensor.type_id = type_id_of(integers != nullptr ? DType::i32 : DType::f32);
  tensor.dims = {int64_t(count)};
  tensor.data = std::make_shared<const Bytes>(integers != nullptr ? stored_as<int32_t>(*integers)
                                                                  : stored_as<float>(*reals));
  node.inputs.push_back(uint32_t(graph.tensors.size()));
  graph.tensors.push_back(std::move(tensor));
}

int64_t OldCall::stored_dimension(size_t input, size_t d) const {
  if (input >= node.inputs.size()) return 0;
  const Dims& dims = graph.tensors[node.inputs[input]].dims;
  return d < dims.size() ? dims[d] : 0;
}

// An absent number has the old default.
FieldValue value_of(const Primitive& old, size_t id) {
  const FieldRow& field = old.row().fields[id];
  if (!std::holds_alternative<std::monostate>(old.values()[id])) return old.values()[id];
  if (field.type == real) return float(field.fallback);
  return field.type <= integer64 ? FieldValue(int64_t(field.fallback)) : FieldValue();
}

FieldValue stored_as(FieldType type, const FieldValue& value) {
  if (const auto* number = std::get_if<int64_t>(&value); number != nullptr && type == integers64)
    return Integers{*number};
  const auto* flat = std::get_if<Integers>(&value);
  if (flat == nullptr || type != lists) return value;
  std::vector<Integers> pairs;
  for (size_t i = 0; i + 1 < flat->size(); i += 2) pairs.push_back({(*flat)[i], (*flat)[i + 1]});
  return pairs;
}

void OldCall::copy() {
  for (size_t id = 0; id < old.row().fields.size(); ++id) {
    const std::string_view name = old.row().fields[id].name, field = name.substr(0, name.find_first_of(" ["));
    const FieldValue value = value_of(old, id);
    if (field == "input") append(size_t(name.back() - '0'), value);
    const auto today = std::ranges::find(made.row().fields, field, &FieldRow::name);
    if (today == made.row().fields.end()) continue;
    if (field == name) {
      made.set(field, stored_as(today->type, value));
    } else {
      const auto element = size_t(name[field.size() + 1] - '0');
      Integers list = made.integers(field);
      list.resize(std::max(list.size(), element + 1));
      list[element] = std::get<int64_t>(value);
      made.set(field, list);
    }
  }
}

// Pads only count without SAME and VALID, which other modes are.
void settle_pads(OldCall& call, std::string_view pads) {
  const auto mode = PadMode(call.made.integer("pad_mode"));
  if (mode == PadMode::same || mode == PadMode::valid)
    call.made.set(pads, FieldValue());
  else
    call.made.set("pad_mode", int64_t(PadMode::pad));
}

void convolution(OldCall& call) { settle_pads(call, "pad_list"); }

// The weight is [channels * multiplier, height, width, 1].
void depthwise(OldCall& call) {
  const int64_t out = call.stored_dimension(1, 0), given = call.old.integer("channels");
  const int64_t in = given > 0 ? given : out / std::max<int64_t>(call.old.integer("multiplier"), 1);
  call.made.set("group", in).set("in_channel", in).set("out_channel", out);
  convolution(call);
}

void transposed_depthwise(OldCall& call) {
  const int64_t channels = call.stored_dimension(1, 0);
  call.made.set("group", channels).set("in_channel", channels).set("out_channel", channels);
  convolution(call);
}

void pooling(OldCall& call) {
  constexpr int64_t kMean = 1;
  if (call.old.integer("pooling_mode") == kMean) {
    call.made = Primitive(avg_pool_fusion);
    call.copy();
  }
  settle_pads(call, "pad");
}

// The coordinate mode is ignored, as MindSpore 1.5 does.
void resized(OldCall& call) {
  const bool aligned = call.old.flag("align_corners");
  call.made.set("coordinate_transform_mode",
                int64_t(aligned ? CoordinateMode::align_corners : CoordinateMode::asymmetric));
}

void detection(OldCall& call) {
  Reals scales;
  for (const char* field : {"h_scale", "w_scale", "x_scale", "y_scale"})
    scales.push_back(call.old.real(field));
  call.made.set("scale", scales);
}

void mean(OldCall& call) { call.made.set("mode", int64_t(ReduceMode::mean)).set("coeff", 1.0f); }

void to_nhwc(OldCall& call) { call.append(1, Integers{0, 2, 3, 1}); }
void to_nchw(OldCall& call) { call.append(1, Integers{0, 3, 1, 2}); }

void layer_norm(OldCall& call) {
  const auto count = int64_t(call.old.integers("normalized_shape").size());
  call.made.set("begin_norm_axis", -count).set("begin_params_axis", -count);
}

void gelu_activation(OldCall& call) { call.made.set("activation_type", int64_t(ActivationType::gelu)); }

Fields convolution_fields(Fields first) {
  for (const FieldRow& field : {FieldRow{"kernel_size[1]", integer32},
                                {"kernel_size[0]", integer32},
                                {"stride[1]", integer32},
                                {"stride[0]", integer32},
                                {"pad_mode", enumeration8},
                                {"pad_list[0]", integer32},
                                {"pad_list[1]", integer32},
                                {"pad_list[2]", integer32},
                                {"pad_list[3]", integer32},
                                {"dilation[1]", integer32},
                                {"dilation[0]", integer32},
                                {"", boolean},
                                {"activation_type", enumeration8}})
    first.push_back(field);
  return first;
}

std::vector<OldRow> rows_with_fields() {
  const Fields activated{{"activation_type", enumeration8}};
  const Fields dense{
      {"", integer32}, {"group", integer32}, {"in_channel", integer32}, {"out_channel", integer32}};
  const Fields separable{{"", integer32}, {"channels", integer32}, {"multiplier", integer32}};
  const Fields argument{{"axis", integer32},
                        {"out_max_value", boolean},
                        {"top_k", integer32, 1},
                        {"keep_dims", boolean},
                        {"", integer32}};
  return {
      {1, concat, {{"axis", integer32}, {"", integer32}}},
      {2, softmax, {{"axis", integer32, -1}}},
      {3,
       activation,
       {{"activation_type", enumeration8},
        {"alpha", real, 0.2},
        {"min_val", real, -1},
        {"max_val", real, 1}}},
      {4, conv2d_fusion, convolution_fields(dense), convolution},
      {5, fused_batch_norm, {{"epsilon", real, 1e-05}, {"", real}, {"", integer32}}},
      {6, batch_norm, {{"epsilon", real, 1e-05}}},
      {8,
       max_pool_fusion,
       {{"", integer32},
        {"pooling_mode", enumeration8},
        {"global", boolean},
        {"kernel_size[1]", integer32},
        {"kernel_size[0]", integer32},
        {"strides[1]", integer32},
        {"strides[0]", integer32},
        {"pad_mode", enumeration8},
        {"pad[0]", integer32},
        {"pad[1]", integer32},
        {"pad[2]", integer32},
        {"pad[3]", integer32},
        {"round_mode", enumeration8},
        {"activation_type", enumeration8},
        {"", integer32}},
       pooling},
      {10, conv2d_fusion, convolution_fields(separable), depthwise},
      {11, conv2d_transpose_fusion, convolution_fields(separable), transposed_depthwise},
      {12,
       resize,
       {{"", integer32},
        {"method", enumeration8},
        {"new_height", integer64},
        {"new_width", integer64},
        {"align_corners", boolean},
        {"preserve_aspect_ratio", boolean},
        {"", enumeration8},
        {"cubic_coeff", real},
        {"exclude_outside", integer32},
        {"extrapolation_value", real},
        {"nearest_mode", enumeration8}},
       resized},
      {13,
       detection_post_process,
       {{"", integer32},
        {"input_size", integer32},
        {"h_scale", real},
        {"w_scale", real},
        {"x_scale", real},
        {"y_scale", real},
        {"nms_iou_threshold", real},
        {"nms_score_threshold", real},
        {"max_detections", integer64},
        {"detections_per_class", integer64},
        {"max_classes_per_detection", integer64},
        {"num_classes", integer64},
        {"use_regular_nms", boolean},
        {"out_quantized", boolean}},
       detection},
      {14,
       full_connection,
       {{"has_bias", boolean},
        {"axis", integer32},
        {"use_axis", boolean},
        {"activation_type", enumeration8}}},
      {15, reduce_fusion, {{"input 1", integers32}, {"keep_dims", boolean}}, mean},
      {16, conv2d_transpose_fusion, convolution_fields(dense), convolution},
      {17, scale_fusion, {{"axis", integer32}, {"activation_type", enumeration8}}},
      {18, reshape, {{"", integer32}, {"input 1", integers64}}},
      {19, eltwise, {{"mode", enumeration8}}},
      {21, add_fusion, activated},
      {22, sub_fusion, activated},
      {23, mat_mul_fusion, {{"", boolean}, {"transpose_a", boolean}, {"transpose_b", boolean}}},
      {24,
       strided_slice,
       {{"begin_mask", integer32},
        {"end_mask", integer32},
        {"ellipsis_mask", integer32},
        {"new_axis_mask", integer32},
        {"shrink_axis_mask", integer32},
        {"input 1", integers32},
        {"input 2", integers32},
        {"input 3", integers32},
        {"", integers32}}},
      {25, pow_fusion, {{"input 1", real}, {"scale", real}, {"shift", real}}},
      {26,
       slice_fusion,
       {{"", integer32}, {"axes", integers32}, {"input 1", integers32}, {"input 2", integers32}}},
      {27, stack, {{"axis", integer32}, {"", integer32}, {"", integers32}}},
      {28, mul_fusion, activated},
      {30, pad_fusion, {{"input 1", integers32}, {"padding_mode", enumeration8}, {"constant_value", real}}},
      {33, prelu_fusion, {{"channel_shared", boolean}, {"input 1", reals}}},
      {34, leaky_relu, {{"negative_slope", real}}},
      {35, arg_max_fusion, argument},
      {36, arg_min_fusion, argument},
      {37, exp_fusion, {{"base", real, -1}, {"scale", real, 1}, {"shift", real}}},
      {38, crop, {{"axis", integer64}, {"offsets", integers64}}},
      {39,
       range,
       {{"d_type", integer32}, {"start", integer32}, {"limit", integer32}, {"delta", integer32, 1}}},
      {41, expand_dims, {{"input 1", integer32}}},
      {42, tile_fusion, {{"input 1", integers32}, {"dims", integers32}}},
      {43, cast, {{"", integer32}, {"input 1", integer32}}},
      {45, transpose, {}, to_nhwc},
      {46, transpose, {}, to_nchw},
      {47, quant_dtype_cast, {{"src_t", integer32}, {"dst_t", integer32}}},
      {48, split, {{"output_num", integer32}, {"size_splits", integers32}, {"axis", integer32}}},
      {49, transpose, {{"input 1", integers64}}},
      {70, clip, {{"max", real}, {"min", real}}},
      {71, transpose, {{"input 1", integers32}, {"", boolean}}},
      {72, squeeze, {{"axis", integers32}}},
      {73, unsqueeze, {{"axis", integers32}}},
      {75, dropout, {{"", real, 0.5}}},
      {77, broadcast_to, {{"shape", integers32}}},
      {80, top_k_fusion, {{"input 1", integer32}, {"sorted", boolean, 1}}},
      {81, space_to_depth, {{"block_size", integer32}, {"", integer32}}},
      {82, space_to_batch, {{"block_size", integers32}, {"paddings", integers32}}},
      {84, reverse_sequence, {{"seq_dim", integer32}, {"batch_dim", integer32}}},
      {86, gather, {{"input 2", integer32}, {"", integer32}}},
      {88, fill, {{"input 1", integers32}}},
      {89, elu, {{"alpha", real, 1}}},
      {90, depth_to_space, {{"block_size", integer32}, {"", integer32}}},
      {91, batch_to_space, {{"block_size", integers32}, {"crops", integers32}}},
      {94, embedding_lookup_fusion, {{"max_norm", real}}},
      {98, l2_normalize_fusion, {{"axis", integers32}, {"epsilon", real}, {"activation_type", enumeration8}}},
      {99, lrn, {{"depth_radius", integer32}, {"bias", real}, {"alpha", real}, {"beta", real}}},
      {101,
       reduce_fusion,
       {{"input 1", integers32},
        {"keep_dims", integer32},
        {"mode", enumeration8},
        {"reduce_to_end", boolean},
        {"coeff", real, 1}}},
      {102, reverse_v2, {{"axis", integers32}}},
      {107, constant_of_shape, {{"data_type", integer32}, {"value", reals}}},
      {109, unstack, {{"", integer32}, {"axis", integer32}}},
      {125, div_fusion, activated},
      {127, one_hot, {{"axis", integer32}}},
      {128, lstm, {{"bidirectional", boolean}}},
      {144, space_to_batch_nd, {{"block_shape", integers32}, {"paddings", integers32}}},
      {154, batch_to_space_nd, {{"block_shape", integers32}, {"crops", integers32}}},
      {171, non_max_suppression, {{"center_point_box", integer32}}},
      {172, instance_norm, {{"epsilon", real, 1e-05}}},
      {174,
       layer_norm_fusion,
       {{"normalized_shape", integers32}, {"epsilon", real, 1e-05}, {"elementwise_affine", boolean}},
       layer_norm},
      {182, lp_normalization, {{"axis", integer32}, {"p", integer32}}},
      {193, PrimitiveType::all, {{"keep_dims", integer32}}},
      {194, assert_, {{"summarize", integer32}}},
      {204, activation, {{"approximate", boolean}}, gelu_activation},
  };
}

constexpr std::pair<int, PrimitiveType> kWithoutFields[] = {
    {7, bias_add},      {29, real_div},
    {31, maximum},      {32, minimum},
    {40, rsqrt},        {44, shape},
    {51, equal},        {52, less},
    {53, greater},      {54, not_equal},
    {55, less_equal},   {56, greater_equal},
    {58, floor},        {59, abs},
    {60, neg},          {61, cos},
    {62, sin},          {63, sqrt},
    {64, square},       {66, log},
    {79, zeros_like},   {85, rank},
    {87, gather_nd},    {92, add_n},
    {93, ceil},         {96, floor_div},
    {97, floor_mod},    {103, round},
    {104, select},      {106, scatter_nd},
    {110, logical_and}, {111, logical_or},
    {113, logical_not}, {121, squared_difference},
    {122, flatten},     {126, where},
    {145, depend},      {173, depend},
    {179, ones_like},   {201, reciprocal},
    {203, mod},
};

// The others, with the names that refusals tell.
constexpr std::string_view kRefused =
    "9:ROIPooling 20:NetOutput 50:FakeQuantWithMinMaxVars 57:Min 65:Constant 67:Tan 68:Atan 69:Asin "
    "74:Upsample 76:Broadcast 78:Lrn 83:SparseToDense 95:EmbeddingLookupSparse 100:MatrixDiag 105:Scatter "
    "108:Unique 112:LogicalXor 114:OnnxInt8Quantize 115:OnnxInt8Dequantize 116:FakeQuantWithMinMax "
    "117:FakeQuantWithMinMaxPerChannel 118:BatchNormFold 119:MulFold 120:AddFold 123:FlattenGrad "
    "124:TupleGetItem 129:Conv2DGradFilter 130:Conv2DGradInput 131:PoolingGrad 132:BNGrad 133:Assign "
    "134:ApplyMomentum 135:BiasGrad 136:SoftmaxCrossEntropy 137:AddGrad 138:SubGrad 139:MulGrad "
    "140:DivGrad 141:PowerGrad 142:ActivationGrad 143:PriorBox 146:Return 147:MakeTuple 148:ToFormat "
    "149:Proposal 150:Custom 151:BlackBox 152:NegGrad 153:LogGrad 155:LshProjection 156:HashtableLookup "
    "157:SkipGram 158:DeConv2DGradFilter 159:CustomPredict 160:CustomNormalize 161:CustomExtractFeatures "
    "162:AudioSpectrogram 163:Mfcc 164:Rfft 165:FftReal 166:FftImag 167:Sgd 168:Adam "
    "169:GroupConv2DGradInput 170:Loop 175:While 176:ControlDepend 177:UnsortedSegmentSum 178:AssignAdd "
    "180:BinaryCrossEntropyGrad 181:BinaryCrossEntropy 183:DropoutGrad 184:MaximumGrad 185:MinimumGrad "
    "186:Switch 187:Partial 188:TensorListFromTensor 189:TensorListStack 190:TensorListGetItem "
    "191:TensorListSetItem 192:TensorListReserve 195:Adder 196:SparseSoftmaxCrossEntropy 197:SmoothL1Loss "
    "198:SmoothL1LossGrad 199:SigmoidCrossEntropyWithLogits 200:SigmoidCrossEntropyWithLogitsGrad "
    "202:Merge";

struct OldPrimitive {
  PrimitiveRow row;
  PrimitiveType today = kRefusedType;
  void (*convert)(OldCall& call) = nullptr;
};

// By number - 1.
const std::vector<OldPrimitive>& old_primitives() {
  static const std::vector<std::string> refused = list_entries(kRefused, ' ');
  static const std::vector<OldPrimitive> all = [] {
    constexpr size_t kCount = 204;
    std::vector<OldPrimitive> made(kCount);
    const auto add = [&](int number, std::string_view name, OldRow row) {
      OldPrimitive& primitive = made[size_t(number) - 1];
      primitive.row = {uint8_t(number), name, std::move(row.fields)};
      primitive.today = row.type;
      primitive.convert = row.convert;
    };
    for (const OldRow& row : rows_with_fields()) add(row.number, row_of(row.type).name, row);
    for (const auto& [number, type] : kWithoutFields) add(number, row_of(type).name, {number, type, {}});
    for (const std::string& entry : refused)
      add(std::stoi(entry), std::string_view(entry).substr(entry.find(':') + 1), {});
    return made;
  }();
  return all;
}

const OldPrimitive* find(int number) {
  return number >= 1 && size_t(number) <= old_primitives().size() ? &old_primitives()[size_t(number) - 1]
                                                                  : nullptr;
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

Result<Primitive> converted(FlatTable primitive, SourceGraph& graph, SourceNode& node) {
  const int number = primitive.number<uint8_t>(0);
  const OldPrimitive* found = find(number);
  if (found == nullptr) return unsupported("Primitive ", number, " of the old schema is unknown.");
  if (found->today == kRefusedType)
    return unsupported(found->row.name, " (", number, " of the old schema) is not supported.");
  const Primitive old = read_fields(primitive.table(1), found->row);
  OldCall call{old, graph, node, Primitive(found->today)};
  call.copy();
  NNRT_TRY(check_activation(call.made));
  if (found->convert != nullptr) found->convert(call);
  return std::move(call.made);
}

}  // namespace

const PrimitiveRow* find_old_primitive(int number) {
  const OldPrimitive* found = find(number);
  return found == nullptr ? nullptr : &found->row;
}

std::optional<PrimitiveToday> primitive_today(int number) {
  const OldPrimitive* found = find(number);
  if (found == nullptr || found->today == kRefusedType) return {};
  const auto is_input = [](const FieldRow& field) { return field.name.starts_with("input"); };
  return PrimitiveToday{found->today, size_t(std::ranges::count_if(found->row.fields, is_input))};
}

void convert_old_primitive(FlatTable primitive, SourceGraph& graph, SourceNode& node) {
  Result<Primitive> made = converted(primitive, graph, node);
  if (made.ok()) {
    node.primitive = std::move(made).value();
  } else {
    node.problem = std::move(made).error();
  }
}

}  // namespace nnrt::mindspore
