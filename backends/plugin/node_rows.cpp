#include "backends/plugin/buffer_contents.h"
#include "backends/plugin/node_table.h"
#include "core/base/byte_io.h"
#include "core/base/text.h"
#include "core/graph/op.h"

#include <memory>

namespace nnrt::plugin {
namespace {

using hdi::Activation, hdi::ReduceFusion;

// Activations are separate operators in core, but modes of one node type in the driver interface.
NodeRow activation_row(Op op, hdi::ActivationType type, std::vector<Field> fields = {}) {
  Activation attr;
  attr.activationType = type;
  return {op, hdi::NODE_TYPE_ACTIVATION, false, attr, std::move(fields)};
}

NodeRow reduce(Op op, hdi::ReduceMode mode) {
  ReduceFusion attr;
  attr.mode = mode;
  return {op,
          hdi::NODE_TYPE_REDUCE_FUSION,
          mode == hdi::REDUCE_MODE_L2,
          attr,
          {field<&ReduceFusion::keepDims>(Attr::keep_dims),
           field<&ReduceFusion::reduceToEnd>(Attr::reduce_to_end), field<&ReduceFusion::coeff>(Attr::coeff)}};
}

// v2_0() makes V2_0 rows, v2_1() V2_1 rows.
NodeRow v2_0(Op op, hdi::NodeType type, hdi::NodeAttr attr, std::vector<Field> fields = {}) {
  return {op, type, false, std::move(attr), std::move(fields)};
}
NodeRow v2_1(Op op, hdi::NodeType type, hdi::NodeAttr attr, std::vector<Field> fields = {}) {
  return {op, type, true, std::move(attr), std::move(fields)};
}

template <typename Struct>
NodeRow fused(Op op, hdi::NodeType type) {
  return v2_0(op, type, Struct{}, {field<&Struct::activationType>(Attr::activation)});
}

NodeRow derived(NodeRow row, void (*derive)(const Graph&, const nnrt::Node&, hdi::NodeAttr&)) {
  row.derive = derive;
  return row;
}

// One of the two is set: a mode (0 same, 1 valid; in the interface 1 and 2), or a list.
template <auto member>
Field pad_mode() {
  using Owner = typename MemberOf<member>::Owner;
  return {Attr::pad_mode,
          [](const AttrValue& value, hdi::NodeAttr& to) {
            std::get<Owner>(to).*member = static_cast<hdi::PadMode>(integers_of(value).at(0) + 1);
          },
          [](const hdi::NodeAttr& from, DType dtype) -> std::optional<AttrValue> {
            const hdi::PadMode mode = std::get<Owner>(from).*member;
            if (mode == hdi::PAD_MODE_PAD) return std::nullopt;
            return integers_value(dtype, {mode - 1});
          },
          true, member_name<member>()};
}

template <typename Pool>
std::vector<Field> pool_fields() {
  return {field<&Pool::kernelSize>(Attr::kernel),
          field<&Pool::strides>(Attr::stride),
          pad_mode<&Pool::padMode>(),
          field<&Pool::pad>(Attr::pad),
          field<&Pool::activationType>(Attr::activation),
          field<&Pool::roundMode>(Attr::round_mode),
          field<&Pool::global>(Attr::global)};
}

template <typename Conv>
std::vector<Field> conv_fields() {
  return {field<&Conv::stride>(Attr::stride), pad_mode<&Conv::padMode>(), field<&Conv::padList>(Attr::pad),
          field<&Conv::dilation>(Attr::dilation), field<&Conv::activationType>(Attr::activation)};
}

std::vector<Field> with(std::vector<Field> fields, Field more) {
  fields.push_back(more);
  return fields;
}

// Kernel and channels follow from the weight, [out, height, width, in per group].
template <typename Conv>
void derive_conv(const Graph& graph, const nnrt::Node& node, hdi::NodeAttr& attr) {
  const nnrt::Shape& weight = graph.shapes[node.inputs[1]];
  if (weight.size() != 4) return;
  auto& conv = std::get<Conv>(attr);
  conv.kernelSize = {weight[1], weight[2]};
  conv.outChannel = weight[0];
  conv.inChannel = weight[3];
}

void derive_depthwise(const Graph& graph, const nnrt::Node& node, hdi::NodeAttr& attr) {
  derive_conv<hdi::Conv2DFusion>(graph, node, attr);
  auto& conv = std::get<hdi::Conv2DFusion>(attr);
  const nnrt::Shape& input = graph.shapes[node.inputs[0]];
  conv.inChannel = conv.group = input.empty() ? 0 : input.back();
}

void derive_full_connection(const Graph&, const nnrt::Node& node, hdi::NodeAttr& attr) {
  auto& full = std::get<hdi::FullConnection>(attr);
  if (!node.attrs.has(Attr::use_axis)) full.useAxis = node.attrs.has(Attr::axis);
}

Field tile_dims() {
  Field made = upstream_field<&hdi::TileFusion::dims>(Attr::dims);
  made.load = [](const hdi::NodeAttr& from, DType dtype) -> std::optional<AttrValue> {
    const std::vector<int64_t>& dims = std::get<hdi::TileFusion>(from).dims;
    if (dims == std::vector<int64_t>{0}) return std::nullopt;  // upstream's, if the client set none
    return convert(dims, dtype);
  };
  return made;
}

// Upstream sends 0, or false, if the client set no value: then core's default counts, or the operands decide.
template <auto member>
Field nonzero_field(Attr attr, bool sends_default = true) {
  Field made = field<member>(attr, sends_default);
  made.load = [](const hdi::NodeAttr& from, DType dtype) -> std::optional<AttrValue> {
    const auto number = std::get<typename MemberOf<member>::Owner>(from).*member;
    if (number == 0) return std::nullopt;
    return convert(number, dtype);
  };
  return made;
}

// A client may have set one of these values to 0. If it set all three, it would get powers of 0.
Status settle_lrn(const hdi::Model&, const hdi::Node& node, Attrs&) {
  const auto& lrn = std::get<hdi::LRN>(node.attr);
  const int zeros = int(lrn.bias == 0) + int(lrn.alpha == 0) + int(lrn.beta == 0);
  if (zeros == 0 || zeros == 3) return {};
  return unsupported("A bias, alpha or beta of 0 is also sent if the client set none.");
}

// A constant k of TOP_K.
std::optional<int64_t> constant_k(const hdi::Model& model, const hdi::Node& node) {
  if (node.inputIndex.size() < 2) return std::nullopt;
  const hdi::Tensor& k = model.allTensors[node.inputIndex[1]];
  const bool is_long = k.dataType == hdi::DATA_TYPE_INT64;
  if (k.data.fd < 0 || (!is_long && k.dataType != hdi::DATA_TYPE_INT32) ||
      k.data.dataSize != (is_long ? sizeof(int64_t) : sizeof(int32_t)))
    return std::nullopt;
  const auto contents = contents_of(k.data);
  if (!contents.ok()) return std::nullopt;
  ByteReader reader(*contents.value());
  return is_long ? reader.get<int64_t>() : reader.get<int32_t>();
}

// A client may have set axis 0, or none, which means the last: the shapes show which of them has k elements.
Status settle_top_k(const hdi::Model& model, const hdi::Node& node, Attrs& attrs) {
  if (std::get<hdi::TopKFusion>(node.attr).axis != 0 || node.inputIndex.empty() || node.outputIndex.empty())
    return {};
  const std::vector<int32_t>& from = model.allTensors[node.inputIndex[0]].dims;
  const std::vector<int32_t>& to = model.allTensors[node.outputIndex[0]].dims;
  if (from.size() < 2) return {};  // one axis
  const auto k = constant_k(model, node);
  const auto may_be = [&](size_t axis) {
    if (k && from[axis] >= 0 && *k > from[axis]) return false;
    if (to.size() != from.size()) return true;
    for (size_t i = 0; i < to.size(); ++i) {
      if (to[i] < 0) continue;
      if (i != axis && from[i] >= 0 && from[i] != to[i]) return false;
      if (i == axis && ((k && *k != to[i]) || (from[i] >= 0 && to[i] > from[i]))) return false;
    }
    return true;
  };
  if (!may_be(0)) return {};
  if (may_be(from.size() - 1))
    return unsupported(
        "An axis of 0 is also sent if the client set none, and the shapes allow both the first and the "
        "last.");
  attrs.set(Attr::axis, integers_value(DType::i64, {0}));
  return {};
}

NodeRow settled(NodeRow row, Status (*settle)(const hdi::Model&, const hdi::Node&, Attrs&)) {
  row.settle = settle;
  return row;
}

void derive_split(const Graph&, const nnrt::Node& node, hdi::NodeAttr& attr) {
  if (!node.attrs.has(Attr::output_num))
    std::get<hdi::Split>(attr).outputNum = static_cast<int64_t>(node.outputs.size());
}

template <typename T>
T made(T value, void (*set)(T&)) {
  set(value);
  return value;
}

// A list of one number in the interface, a number in core.
template <auto member>
Field only_axis() {
  return upstream_field<member>(Attr::axis);
}

Field depth_to_space_mode() {
  return {Attr::mode,
          [](const AttrValue& value, hdi::NodeAttr& to) {
            std::get<hdi::DepthToSpace>(to).mode = integers_of(value).at(0) == 0 ? "DCR" : "CRD";
          },
          [](const hdi::NodeAttr& from, DType dtype) -> std::optional<AttrValue> {
            const std::string& mode = std::get<hdi::DepthToSpace>(from).mode;
            if (mode.empty()) return std::nullopt;
            if (mode == "DCR") return integers_value(dtype, {0});
            return integers_value(dtype, {mode == "CRD" ? 1 : kNoChoice});
          },
          false, "mode"};
}

Field norm_region() {
  return {Attr::norm_region,
          [](const AttrValue&, hdi::NodeAttr& to) { std::get<hdi::LRN>(to).normRegion = "ACROSS_CHANNELS"; },
          [](const hdi::NodeAttr& from, DType dtype) -> std::optional<AttrValue> {
            const std::string& region = std::get<hdi::LRN>(from).normRegion;
            return integers_value(dtype, {region == "ACROSS_CHANNELS" ? 0 : kNoChoice});
          },
          true, "normRegion"};
}

std::vector<NodeRow> early_rows() {
  using namespace hdi;
  return {
      fused<AddFusion>(Op::add, NODE_TYPE_ADD_FUSION),
      v2_0(Op::avg_pool, NODE_TYPE_AVGPOOL_FUSION, AvgPoolFusion{}, pool_fields<AvgPoolFusion>()),
      v2_0(Op::batch_norm, NODE_TYPE_FUSED_BATCH_NORM, FusedBatchNorm{},
           {field<&FusedBatchNorm::epsilon>(Attr::epsilon)}),
      v2_0(Op::batch_to_space_nd, NODE_TYPE_BATCH_TO_SPACE_ND, BatchToSpaceND{},
           {field<&BatchToSpaceND::blockShape>(Attr::block),
            upstream_field<&BatchToSpaceND::crops>(Attr::crops)}),
      v2_0(Op::bias_add, NODE_TYPE_BIAS_ADD, BiasAdd{}),
      v2_0(Op::cast, NODE_TYPE_CAST, Cast{}),
      v2_0(Op::concat, NODE_TYPE_CONCAT, Concat{}, {field<&Concat::axis>(Attr::axis)}),
      derived(v2_0(Op::conv2d, NODE_TYPE_CONV2D_FUSION, Conv2DFusion{},
                   with(conv_fields<Conv2DFusion>(), field<&Conv2DFusion::group>(Attr::group))),
              derive_conv<Conv2DFusion>),
      derived(v2_0(Op::conv2d_transpose, NODE_TYPE_CONV2D_TRANSPOSE_FUSION, Conv2dTransposeFusion{},
                   with(with(conv_fields<Conv2dTransposeFusion>(),
                             field<&Conv2dTransposeFusion::group>(Attr::group)),
                        upstream_field<&Conv2dTransposeFusion::outputPaddings>(Attr::output_padding))),
              derive_conv<Conv2dTransposeFusion>),
      derived(v2_0(Op::depthwise_conv2d_native, NODE_TYPE_CONV2D_FUSION, Conv2DFusion{},
                   conv_fields<Conv2DFusion>()),
              derive_depthwise),
      fused<DivFusion>(Op::div, NODE_TYPE_DIV_FUSION),
      v2_0(Op::eltwise, NODE_TYPE_ELTWISE, Eltwise{}, {field<&Eltwise::mode>(Attr::mode)}),
      v2_0(Op::expand_dims, NODE_TYPE_EXPAND_DIMS, ExpandDims{}),
      v2_0(Op::fill, NODE_TYPE_FILL, Fill{}),
      derived(v2_0(Op::full_connection, NODE_TYPE_FULL_CONNECTION, FullConnection{},
                   {field<&FullConnection::axis>(Attr::axis),
                    field<&FullConnection::activationType>(Attr::activation),
                    nonzero_field<&FullConnection::hasBias>(Attr::has_bias),
                    field<&FullConnection::useAxis>(Attr::use_axis)}),
              derive_full_connection),
      v2_0(Op::gather, NODE_TYPE_GATHER, Gather{}),
      activation_row(Op::hswish, ACTIVATION_TYPE_HSWISH),
      v2_0(Op::less_equal, NODE_TYPE_LESS_EQUAL, LessEqual{}),
      v2_0(Op::matmul, NODE_TYPE_MATMUL_FUSION, MatMulFusion{},
           {field<&MatMulFusion::transposeA>(Attr::transpose_a),
            field<&MatMulFusion::transposeB>(Attr::transpose_b),
            field<&MatMulFusion::activationType>(Attr::activation)}),
      v2_0(Op::maximum, NODE_TYPE_MAXIMUM, Maximum{}),
      v2_0(Op::max_pool, NODE_TYPE_MAX_POOL_FUSION, MaxPoolFusion{}, pool_fields<MaxPoolFusion>()),
      fused<MulFusion>(Op::mul, NODE_TYPE_MUL_FUSION),
      v2_0(Op::one_hot, NODE_TYPE_ONE_HOT, OneHot{}, {field<&OneHot::axis>(Attr::axis)}),
      v2_0(Op::pad, NODE_TYPE_PAD_FUSION, PadFusion{},
           {field<&PadFusion::constantValue>(Attr::constant_value),
            field<&PadFusion::paddingMode>(Attr::padding_mode)}),
      v2_0(Op::pow, NODE_TYPE_POW_FUSION, PowFusion{},
           {field<&PowFusion::scale>(Attr::scale), field<&PowFusion::shift>(Attr::shift)}),
      v2_0(Op::scale, NODE_TYPE_SCALE_FUSION, ScaleFusion{},
           {field<&ScaleFusion::activationType>(Attr::activation), field<&ScaleFusion::axis>(Attr::axis)}),
      v2_0(Op::shape, NODE_TYPE_SHAPE, hdi::Shape{}),
      activation_row(Op::sigmoid, ACTIVATION_TYPE_SIGMOID),
      v2_0(Op::slice, NODE_TYPE_SLICE_FUSION, SliceFusion{}, {field<&SliceFusion::axes>(Attr::axes)}),
      v2_0(Op::softmax, NODE_TYPE_SOFTMAX, Softmax{}, {only_axis<&Softmax::axis>()}),
      v2_0(Op::space_to_batch_nd, NODE_TYPE_SPACE_TO_BATCH_ND, SpaceToBatchND{},
           {field<&SpaceToBatchND::blockShape>(Attr::block),
            field<&SpaceToBatchND::paddings>(Attr::paddings)}),
      derived(v2_0(Op::split, NODE_TYPE_SPLIT, Split{},
                   {field<&Split::axis>(Attr::axis), nonzero_field<&Split::outputNum>(Attr::output_num),
                    field<&Split::sizeSplits>(Attr::size_splits)}),
              derive_split),
      v2_0(Op::sqrt, NODE_TYPE_SQRT, Sqrt{}),
      v2_0(Op::squared_difference, NODE_TYPE_SQUARED_DIFFERENCE, SquaredDifference{}),
      v2_0(Op::squeeze, NODE_TYPE_SQUEEZE, Squeeze{}, {field<&Squeeze::axis>(Attr::axis)}),
      v2_0(Op::stack, NODE_TYPE_STACK, Stack{}, {field<&Stack::axis>(Attr::axis)}),
  };
}

std::vector<NodeRow> middle_rows() {
  using namespace hdi;
  return {
      v2_0(Op::strided_slice, NODE_TYPE_STRIDED_SLICE, StridedSlice{},
           {field<&StridedSlice::beginMask>(Attr::begin_mask), field<&StridedSlice::endMask>(Attr::end_mask),
            field<&StridedSlice::ellipsisMask>(Attr::ellipsis_mask),
            field<&StridedSlice::newAxisMask>(Attr::new_axis_mask),
            field<&StridedSlice::shrinkAxisMask>(Attr::shrink_axis_mask)}),
      fused<SubFusion>(Op::sub, NODE_TYPE_SUB_FUSION),
      activation_row(Op::tanh, ACTIVATION_TYPE_TANH),
      v2_0(Op::tile, NODE_TYPE_TILE_FUSION, TileFusion{{0}}, {tile_dims()}),
      v2_0(Op::transpose, NODE_TYPE_TRANSPOSE, Transpose{}),
      reduce(Op::reduce_mean, REDUCE_MODE_MEAN),
      v2_0(Op::resize_bilinear, NODE_TYPE_RESIZE,
           made<Resize>({}, [](Resize& resize) { resize.method = RESIZE_METHOD_LINEAR; }),
           {field<&Resize::newHeight>(Attr::new_height), field<&Resize::newWidth>(Attr::new_width),
            field<&Resize::preserveAspectRatio>(Attr::preserve_aspect_ratio),
            field<&Resize::coordinateTransformMode>(Attr::coordinate_mode),
            field<&Resize::excludeOutside>(Attr::exclude_outside)}),
      v2_0(Op::rsqrt, NODE_TYPE_RSQRT, Rsqrt{}),
      v2_0(Op::reshape, NODE_TYPE_RESHAPE, Reshape{}),
      v2_0(Op::prelu, NODE_TYPE_PRELU_FUSION, PReLUFusion{}),
      activation_row(Op::relu, ACTIVATION_TYPE_RELU),
      activation_row(Op::relu6, ACTIVATION_TYPE_RELU6),
      v2_0(Op::layer_norm, NODE_TYPE_LAYER_NORM_FUSION,
           made<LayerNormFusion>({}, [](LayerNormFusion& norm) { norm.elementwiseAffine = true; }),
           {field<&LayerNormFusion::beginNormAxis>(Attr::begin_norm_axis),
            field<&LayerNormFusion::epsilon>(Attr::epsilon),
            field<&LayerNormFusion::beginParamsAxis>(Attr::begin_param_axis)}),
      reduce(Op::reduce_prod, REDUCE_MODE_PROD),
      reduce(Op::reduce_all, REDUCE_MODE_ALL),
      v2_0(Op::quant_dtype_cast, NODE_TYPE_QUANT_DTYPE_CAST, QuantDTypeCastV2{},
           {field<&QuantDTypeCastV2::srcT>(Attr::source_type),
            field<&QuantDTypeCastV2::dstT>(Attr::target_type), field<&QuantDTypeCastV2::axis>(Attr::axis)}),
      settled(v2_0(Op::top_k, NODE_TYPE_TOPK_FUSION, TopKFusion{},
                   {field<&TopKFusion::sorted>(Attr::sorted),
                    nonzero_field<&TopKFusion::axis>(Attr::axis, false)}),
              settle_top_k),
      v2_0(Op::arg_max, NODE_TYPE_ARGMAX_FUSION, ArgMaxFusion{},
           {field<&ArgMaxFusion::axis>(Attr::axis), field<&ArgMaxFusion::keepDims>(Attr::keep_dims),
            field<&ArgMaxFusion::topK>(Attr::top_k), field<&ArgMaxFusion::outMaxValue>(Attr::out_max_value)}),
      v2_0(Op::unsqueeze, NODE_TYPE_UNSQUEEZE, Unsqueeze{}, {field<&Unsqueeze::axis>(Attr::axis)}),
      activation_row(Op::gelu, ACTIVATION_TYPE_GELU, {field<&Activation::approximate>(Attr::approximate)}),
      v2_1(Op::unstack, NODE_TYPE_UNSTACK, Unstack{}, {field<&Unstack::axis>(Attr::axis)}),
      activation_row(Op::abs, ACTIVATION_TYPE_ABS),
      v2_1(Op::erf, NODE_TYPE_ERF, Erf{}),
      v2_1(Op::exp, NODE_TYPE_EXPFUSION, ExpFusion{},
           {field<&ExpFusion::base>(Attr::base), field<&ExpFusion::scale>(Attr::scale),
            field<&ExpFusion::shift>(Attr::shift)}),
      v2_1(Op::less, NODE_TYPE_LESS, Less{}),
      v2_1(Op::select, NODE_TYPE_SELECT, Select{}),
      v2_1(Op::square, NODE_TYPE_SQUARE, Square{}),
      v2_1(Op::flatten, NODE_TYPE_FLATTEN, Flatten{}, {field<&Flatten::axis>(Attr::axis)}),
      v2_1(Op::depth_to_space, NODE_TYPE_DEPTH_TO_SPACE, DepthToSpace{},
           {field<&DepthToSpace::blockSize>(Attr::block), depth_to_space_mode()}),
      v2_1(Op::range, NODE_TYPE_RANGE, Range{},
           {field<&Range::start>(Attr::start), field<&Range::limit>(Attr::limit),
            field<&Range::delta>(Attr::delta)}),
      v2_1(Op::instance_norm, NODE_TYPE_INSTANCE_NORM, InstanceNorm{},
           {field<&InstanceNorm::epsilon>(Attr::epsilon)}),
      v2_1(Op::constant_of_shape, NODE_TYPE_CONSTANT_OF_SHAPE, ConstantOfShape{},
           {nonzero_field<&ConstantOfShape::dataType>(Attr::data_type),
            upstream_field<&ConstantOfShape::value>(Attr::value)}),
      v2_1(Op::broadcast_to, NODE_TYPE_BROADCAST_TO, BroadcastTo{},
           {field<&BroadcastTo::shape>(Attr::shape)}),
      v2_1(Op::equal, NODE_TYPE_EQUAL, Equal{}),
      v2_1(Op::greater, NODE_TYPE_GREATER, Greater{}),
      v2_1(Op::not_equal, NODE_TYPE_NOT_EQUAL, NotEqual{}),
  };
}

std::vector<NodeRow> late_rows() {
  using namespace hdi;
  return {
      v2_1(Op::greater_equal, NODE_TYPE_GREATER_EQUAL, GreaterEqual{}),
      activation_row(Op::leaky_relu, ACTIVATION_TYPE_LEAKY_RELU, {field<&Activation::alpha>(Attr::slope)}),
      v2_1(Op::lstm, NODE_TYPE_LSTM, LSTM{},
           {field<&LSTM::bidirectional>(Attr::bidirectional), field<&LSTM::hasBias>(Attr::has_bias),
            field<&LSTM::inputSize>(Attr::input_size), field<&LSTM::hiddenSize>(Attr::hidden_size),
            field<&LSTM::numLayers>(Attr::num_layers), field<&LSTM::numDirections>(Attr::num_directions),
            field<&LSTM::dropout>(Attr::dropout), field<&LSTM::zoneoutCell>(Attr::zoneout_cell),
            field<&LSTM::zoneoutHidden>(Attr::zoneout_hidden), field<&LSTM::projSize>(Attr::proj_size)}),
      v2_1(Op::clip, NODE_TYPE_CLIP, Clip{}, {field<&Clip::max>(Attr::max), field<&Clip::min>(Attr::min)}),
      v2_1(Op::all, NODE_TYPE_ALL, All{}, {field<&All::keepDims>(Attr::keep_dims)}),
      v2_1(Op::assert_, NODE_TYPE_ASSERT, Assert{}, {field<&Assert::summarize>(Attr::summarize)}),
      v2_1(Op::cos, NODE_TYPE_COS, Cos{}),
      v2_1(Op::log, NODE_TYPE_LOG, Log{}),
      v2_1(Op::logical_and, NODE_TYPE_LOGICAL_AND, LogicalAnd{}),
      v2_1(Op::logical_not, NODE_TYPE_LOGICAL_NOT, LogicalNot{}),
      v2_1(Op::mod, NODE_TYPE_MOD, Mod{}),
      v2_1(Op::neg, NODE_TYPE_NEG, Neg{}),
      v2_1(Op::reciprocal, NODE_TYPE_RECIPROCAL, Reciprocal{}),
      v2_1(Op::sin, NODE_TYPE_SIN, Sin{}),
      v2_1(Op::where, NODE_TYPE_WHERE, Where{}),
      v2_1(Op::sparse_to_dense, NODE_TYPE_SPARSE_TO_DENSE, SparseToDense{}),
      v2_1(Op::logical_or, NODE_TYPE_LOGICAL_OR, LogicalOr{}),
      v2_1(Op::ceil, NODE_TYPE_CEIL, Ceil{}),
      v2_1(Op::crop, NODE_TYPE_CROP, Crop{},
           {field<&Crop::axis>(Attr::axis), field<&Crop::offset>(Attr::offset)}),
      v2_1(Op::detection_post_process, NODE_TYPE_DETECTION_POST_PROCESS, DetectionPostProcess{},
           {field<&DetectionPostProcess::inputSize>(Attr::input_size),
            field<&DetectionPostProcess::scale>(Attr::scale),
            field<&DetectionPostProcess::nmsIoUThreshold>(Attr::iou_threshold),
            field<&DetectionPostProcess::nmsScoreThreshold>(Attr::score_threshold),
            field<&DetectionPostProcess::maxDetections>(Attr::max_detections),
            field<&DetectionPostProcess::detectionsPerClass>(Attr::detections_per_class),
            field<&DetectionPostProcess::maxClassesPerDetection>(Attr::max_classes),
            field<&DetectionPostProcess::numClasses>(Attr::num_classes),
            field<&DetectionPostProcess::useRegularNms>(Attr::use_regular_nms),
            field<&DetectionPostProcess::outQuantized>(Attr::out_quantized)}),
      v2_1(Op::floor, NODE_TYPE_FLOOR, Floor{}),
      v2_1(Op::l2_normalize, NODE_TYPE_L2_NORMALIZE_FUSION, L2NormalizeFusion{},
           {field<&L2NormalizeFusion::axis>(Attr::axes), field<&L2NormalizeFusion::epsilon>(Attr::epsilon),
            field<&L2NormalizeFusion::activationType>(Attr::activation)}),
      v2_1(Op::log_softmax, NODE_TYPE_LOG_SOFTMAX, LogSoftmax{}, {field<&LogSoftmax::axis>(Attr::axis)}),
      settled(v2_1(Op::lrn, NODE_TYPE_LRN, LRN{},
                   {field<&LRN::depthRadius>(Attr::radius), nonzero_field<&LRN::bias>(Attr::bias, false),
                    nonzero_field<&LRN::alpha>(Attr::alpha, false),
                    nonzero_field<&LRN::beta>(Attr::beta, false), norm_region()}),
              settle_lrn),
      v2_1(Op::minimum, NODE_TYPE_MINIMUM, Minimum{}),
      v2_1(Op::rank, NODE_TYPE_RANK, Rank{}),
      reduce(Op::reduce_max, REDUCE_MODE_MAX),
      reduce(Op::reduce_min, REDUCE_MODE_MIN),
      reduce(Op::reduce_sum, REDUCE_MODE_SUM),
      v2_1(Op::round, NODE_TYPE_ROUND, Round{}),
      v2_1(Op::scatter_nd, NODE_TYPE_SCATTER_ND, ScatterNd{}),
      v2_1(Op::space_to_depth, NODE_TYPE_SPACE_TO_DEPTH, SpaceToDepth{},
           {field<&SpaceToDepth::blockSize>(Attr::block)}),
      activation_row(Op::swish, ACTIVATION_TYPE_SWISH),
      reduce(Op::reduce_l2, REDUCE_MODE_L2),
      activation_row(Op::hard_sigmoid, ACTIVATION_TYPE_HSIGMOID),
      v2_1(Op::gather_nd, NODE_TYPE_GATHER_ND, GatherNd{}),
  };
}

std::vector<NodeRow> gather_rows() {
  std::vector<NodeRow> all;
  for (auto* part : {early_rows, middle_rows, late_rows}) {
    for (NodeRow& row : part()) all.push_back(std::move(row));
  }
  return all;
}

}  // namespace

std::span<const NodeRow> all_rows() {
  static const auto& all =
      *std::make_unique<const std::vector<NodeRow>>(gather_rows()).release();  // never destroyed
  return all;
}

const NodeRow* find_row(Op op) {
  static const OpTable<const NodeRow*> table = [] {
    OpTable<const NodeRow*> rows;
    for (const NodeRow& row : all_rows()) rows[row.op] = &row;
    return rows;
  }();
  return table[op];
}

}  // namespace nnrt::plugin
