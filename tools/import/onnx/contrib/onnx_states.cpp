// Operators of decoders whose states are tensors of fixed size: caches, and sums over all steps so far.
#include "tools/import/onnx/contrib/onnx_attention.h"

#include <algorithm>
#include <limits>

namespace nnrt::import::onnx {
namespace {

constexpr int64_t kToEnd = std::numeric_limits<int32_t>::max();

// Fails in a run that would write behind the end of the cache.
TensorId checked_writes(Formula& f, TensorId update, TensorId starts, int64_t length, int64_t axis) {
  const TensorId count = length_at(f, update, static_cast<size_t>(axis));
  const TensorId last = f.squeeze(f.add(f.largest(starts, {0}), count), {0});
  const TensorId first = f.squeeze(f.smallest(starts, {0}), {0});
  const TensorId fits = f.emit(OH_NN_OPS_LOGICAL_AND, {f.less(last, static_cast<double>(length) + 1),
                                                       f.less(f.number(first, -1), first)});
  return f.emit(OH_NN_OPS_ASSERT, {fits, update});
}

// Writes to a cache along an axis. Each batch element has its own first index.
Result<Ids> tensor_scatter(Call& call) {
  Formula f(call);
  const TensorId cache = f.input(0);
  TensorId update = f.input(1);
  const int64_t rank = f.rank(cache);
  NNRT_ASSIGN(const int64_t axis, call.axis(call.attributes.integer("axis", -2), rank));
  if (axis == 0) return damaged("The axis (0) is that of the batch.");
  if (f.rank(update) != rank)
    return damaged("The update of shape ", to_string(f.shape(update)), " does not have rank ", rank, ".");
  const std::string mode = call.attributes.text("mode", "linear");
  if (mode != "linear" && mode != "circular") return unsupported("Mode ", mode, " is not supported.");
  const int64_t length = f.length(cache, axis);
  List<int64_t> along(static_cast<size_t>(rank), 1), across = along;
  along[static_cast<size_t>(axis)] = across[0] = -1;
  TensorId places = f.regroup(numbers_along(f, update, static_cast<size_t>(axis)), along);
  if (call.has(2)) {
    const TensorId starts = f.cast(f.input(2), DType::i32);
    if (mode == "linear") update = checked_writes(f, update, starts, length, axis);
    places = f.add(places, f.regroup(starts, across));
  }
  if (mode == "circular")
    places = f.emit(OH_NN_OPS_MOD, {places, f.number(places, static_cast<double>(length))});
  const TensorId zeros = f.given(call.filled_as(DType::i32, f.emit(OH_NN_OPS_SHAPE, {update}), 0));
  return Ids{f.emit(extension(OH_NN_OPS_SCATTER_ELEMENTS), {cache, f.add(zeros, places), update},
                    {int64_parameter(extension(OH_NN_SCATTER_ELEMENTS_AXIS), axis)})};
}

// Convolution of one group per channel, of the steps up to each one.
Result<TensorId> convolved(Call& call, TensorId x, int64_t channels) {
  onnx_file::NodeProto node;
  node.set_op_type("Conv");
  onnx_file::AttributeProto& group = *node.add_attribute();
  constexpr int32_t kInteger = 2;  // AttributeProto.INT
  group.set_name("group");
  group.set_type(kInteger);
  group.set_i(channels);
  const Row& row = *find_row(node.op_type(), "");
  Call conv(row, node, call.opset(), call.emitter());
  Value first{.plain = x};
  conv.inputs = {&first, call.inputs[1]};
  if (call.has(2)) conv.inputs.push_back(call.inputs[2]);
  conv.wanted = {true};
  NNRT_ASSIGN(const Ids made, run_handler(conv));
  return made[0];
}

Result<Ids> causal_conv(Call& call) {
  Formula f(call);
  const TensorId x = f.input(0), weights = f.input(1);
  if (f.rank(x) != 3 || f.rank(weights) != 3)
    return damaged("The input of shape ", to_string(f.shape(x)), " or the weights of shape ",
                   to_string(f.shape(weights)), " are not of rank 3.");
  const int64_t channels = f.length(weights, 0), before = f.length(weights, 2) - 1;
  if (before < 0) return damaged("The kernel is empty.");
  const TensorId paddings = f.reshape(f.integers({0, 0, 0, 0, before, 0}), {3, 2});
  const TensorId whole = call.has(3)   ? f.concat({f.input(3), x}, 2)
                         : before == 0 ? x
                                       : f.emit(OH_NN_OPS_PAD, {x, paddings});
  NNRT_ASSIGN(TensorId y, convolved(call, whole, channels));
  const std::string activation = call.attributes.text("activation", "none");
  if (activation == "silu" || activation == "swish") {
    y = f.emit(OH_NN_OPS_SWISH, {y});
  } else if (activation != "none") {
    return unsupported("Activation ", activation, " is not supported.");
  }
  if (!call.wants(1)) return Ids{y};
  return Ids{y, before == 0 ? f.slice(whole, 2, 0, 0) : f.slice(whole, 2, -before, kToEnd)};
}

// Attention without a softmax: each step adds to a state of one matrix per key head, which its query reads.
class LinearAttention {
 public:
  explicit LinearAttention(Call& call)
      : f_(call),
        heads_(call.attributes.count("kv_num_heads", 0)),
        rule_(call.attributes.text("update_rule", "gated_delta")),
        query_(split_heads(f_, f_.input(0), call.attributes.count("q_num_heads", 0))),
        key_(split_heads(f_, f_.input(1), heads_)),
        value_(split_heads(f_, f_.input(2), heads_)) {
    if (call.has(3)) state_ = f_.input(3);
  }

  Result<Ids> run() {
    NNRT_TRY(prepare());
    const int64_t steps = f_.length(query_, 2), groups = f_.length(query_, 1) / std::max<int64_t>(heads_, 1);
    const int64_t width = f_.length(query_, 1) * f_.length(value_, 3), size = f_.length(query_, 3);
    constexpr int64_t kMaxSteps = 1024;
    if (steps < 1 || steps > kMaxSteps)
      return unsupported("Linear attention of ", steps, " steps is not supported.");
    if (groups * heads_ != f_.length(query_, 1))
      return damaged("The heads are not a multiple of the key heads (", heads_, ").");
    const double scale = scale_of(f_, query_);
    Ids results;
    for (int64_t step = 0; step < steps; ++step) {
      update(step);
      const TensorId query = f_.regroup(f_.mul(at(query_, step), scale), {0, heads_, groups, size});
      results.push_back(f_.regroup(f_.matmul(query, *state_), {0, 1, width}));
    }
    return Ids{f_.concat(results, 1), state_.value_or(0)};
  }

 private:
  Status prepare() {
    const bool decays = rule_ == "gated" || rule_ == "gated_delta",
               corrects = rule_ == "delta" || rule_ == "gated_delta";
    if (!decays && !corrects && rule_ != "linear")
      return unsupported("Update rule ", rule_, " is not supported.");
    constexpr size_t kDecay = 4, kBeta = 5;
    if (decays) decay_ = f_.exp(split_heads(f_, f_.input(kDecay), heads_));
    if (corrects) {
      const bool is_shared = f_.length(f_.input(kBeta), 2) == 1;
      beta_ = split_heads(f_, f_.input(kBeta), is_shared ? 1 : heads_);
    }
    return {};
  }

  TensorId at(TensorId x, int64_t step) { return f_.slice(x, 2, step, step + 1); }
  TensorId column(TensorId row) { return f_.transpose(row, {0, 1, 3, 2}); }

  void update(int64_t step) {
    if (state_ && decay_) state_ = f_.mul(*state_, column(at(*decay_, step)));
    const TensorId key = at(key_, step);
    TensorId added = at(value_, step);
    if (state_ && beta_) added = f_.sub(added, f_.matmul(key, *state_));
    if (beta_) added = f_.mul(added, at(*beta_, step));
    const TensorId product = f_.matmul(column(key), added);
    state_ = state_ ? f_.add(*state_, product) : product;
  }

  Formula f_;
  const int64_t heads_;
  const std::string rule_;
  const TensorId query_, key_, value_;  // [batch, heads, steps, size]
  std::optional<TensorId> state_, decay_, beta_;
};

Result<Ids> linear_attention(Call& call) { return LinearAttention(call).run(); }

}  // namespace

std::vector<Row> state_rows() {
  return {
      {"CausalConvWithState", causal_conv},
      {"LinearAttention", linear_attention},
      {"TensorScatter", tensor_scatter},
  };
}

}  // namespace nnrt::import::onnx
