// GroupQueryAttention of ONNX Runtime. If the lengths of the sequences are known, past and new keys and
// values are concatenated. Otherwise the new ones are scattered to their positions in the cache, and a mask
// hides what follows them.
#include "tools/import/onnx/contrib/onnx_attention.h"

#include <algorithm>

namespace nnrt::import::onnx {
namespace {

enum Input : size_t {
  kQuery,
  kKey,
  kValue,
  kPast,
  kLengths = 5,
  kTotal,
  kCosines,
  kPositions = 9,
  kBias,
  kSinks,
  kSupported
};
constexpr size_t kPresent = 1;  // the output

void check_operands(const Call& call) {
  if (call.has(kKey) != call.has(kValue)) fail(damaged("Keys and values must be given together."));
  if (call.has(kPast) != call.has(kPast + 1)) fail(damaged("Past keys and values must be given together."));
  if (call.input_count() > kSupported) fail(unsupported("Quantized keys and values are not supported."));
  if (call.wants(3)) fail(unsupported("Attention scores as an output are not supported."));
}

Heads read_heads(Call& call, int64_t heads, int64_t groups) {
  if (call.has(kKey)) {
    return {split_heads(call, call.input(kQuery), heads), split_heads(call, call.input(kKey), groups),
            split_heads(call, call.input(kValue), groups)};
  }
  const TensorId packed = call.input(kQuery);
  const int64_t width = call.length(packed, 2), parts = heads + 2 * groups;
  if (width % parts != 0)
    fail(damaged("The width (", width, ") is not a multiple of the heads (", parts, ")."));
  const int64_t size = width / parts;
  const auto part = [&](int64_t first, int64_t count) {
    return split_heads(call, call.slice(packed, 2, first * size, (first + count) * size), count);
  };
  return {part(0, heads), part(heads, groups), part(heads + groups, groups)};
}

int64_t known_length(Call& call, TensorId x, size_t axis) { return call.shape(x)[axis]; }

// Sequences whose lengths are inputs. A cache has a fixed capacity, or grows to the longest sequence. A run
// with a longer sequence fails.
class Sequences {
 public:
  Sequences(Call& call, const Heads& heads)
      : call_(call),
        heads_(heads),
        given_(call.input(kLengths)),
        past_(call.input(kPast)),
        batch_(known_length(call, heads.query, 0)),
        length_(known_length(call, heads.query, 2)) {
    keys_ = room();
    counts_ = checked_counts();
  }

  // The position of each new element, [batch, 1, length, 1].
  TensorId positions() {
    return once("positions", {}, [&] {
      const TensorId before =
          call_.sub(call_.regroup(counts_, {-1, 1, 1, 1}), length_at(call_, heads_.query, 2));
      const TensorId steps = call_.regroup(numbers_along(call_, heads_.query, 2), {-1, 1});
      return call_.add(call_.max(before, call_.number(before, 0)), steps);
    });
  }

  // The cache with the new elements at their positions. One that grows has zeros after the end of a sequence.
  TensorId updated(TensorId past, TensorId made) {
    const TensorId present = call_.emit(Op::scatter_nd_update, {grows() ? grown(past, made) : past,
                                                                places(known_length(call_, made, 1)), made});
    return grows() ? call_.where(filled(present), present, call_.number(present, 0)) : present;
  }

  // Which keys of the cache each new element sees, [batch, 1, length, keys].
  TensorId visible(TensorId present, int64_t reach) {
    return once("visible", of_keys(present, reach), [&] {
      return seen_keys(call_, positions(), numbers(present), {reach, 0});
    });
  }

  // Which rows of the cache belong to their sequence, [batch, 1, keys, 1].
  TensorId filled(TensorId present) {
    return once("filled", of_keys(present, 0), [&] {
      return call_.less(call_.regroup(numbers(present), {-1, 1}), call_.regroup(counts_, {-1, 1, 1, 1}));
    });
  }

  // The cache is of fixed capacity if the file declares a new length that is not above the past's, or leaves
  // the length of the past open and the client gives it.
  bool grows() {
    const int64_t capacity = known_length(call_, past_, 2);
    if (capacity == kUnknown || length_ > capacity) return true;
    const std::optional<int64_t> total = known_total();
    return total ? *total > capacity : !call_.is_open_in_file(kPast, 2);
  }

 private:
  List<int64_t> of_keys(TensorId present, int64_t reach) {
    const int64_t keys = known_length(call_, present, 2);
    return {keys, keys == kUnknown ? keys_ : 0, reach};
  }

  // The positions in the new cache.
  TensorId numbers(TensorId present) {
    return known_length(call_, present, 2) == kUnknown ? numbers_below(call_, keys_)
                                                       : numbers_along(call_, present, 2);
  }

  // The length of the new cache, [1].
  TensorId room() {
    const TensorId before = length_at(call_, past_, 2);
    if (!grows()) return before;
    const int64_t capacity = known_length(call_, past_, 2);
    return once("room", {capacity, capacity == kUnknown ? past_ : 0, known_total().value_or(0)}, [&] {
      const std::optional<int64_t> known = known_total();
      const TensorId total = known ? call_.indices(DType::i32, {1}, [&](int64_t) { return *known; })
                                   : call_.cast(call_.regroup(call_.input(kTotal), {1}), DType::i32);
      return call_.min(call_.max(total, before), call_.add(before, length_at(call_, heads_.query, 2)));
    });
  }

  // The lengths of the sequences, [batch].
  TensorId checked_counts() {
    const int64_t capacity = known_length(call_, past_, 2);
    return once("counts", {capacity, known_total().value_or(0), grows() ? 1 : 0}, [&] {
      const TensorId counts = call_.add(call_.cast(call_.regroup(given_, {-1}), DType::i32), 1.0);
      const TensorId longest = batch_ == 1 ? counts : call_.largest(counts, {0});
      const TensorId fits = call_.emit(Op::less_equal, {longest, keys_});
      const TensorId both = call_.concat({counts, keys_}, 0);
      Emitter& emitter = call_.emitter();
      emitter.rename(both, cat(emitter.origin(), ": lengths of the sequences, capacity of the cache"));
      const TensorId checked = call_.emit(Op::assert_, {fits, both}, {{Attr::summarize, -1}});
      return call_.slice(checked, 0, 0, -1);
    });
  }

  // Layers with the same lengths share what follows from them alone.
  template <typename Make>
  TensorId once(std::string_view what, List<int64_t> more, const Make& make) {
    for (const int64_t part : {int64_t{given_}, int64_t{counts_}, batch_, length_}) more.push_back(part);
    if (batch_ == kUnknown || length_ == kUnknown) more.push_back(heads_.query);
    return call_.emitter().once(what, more, make);
  }

  // The total length, if it is a constant or the file has the shape of the new cache.
  std::optional<int64_t> known_total() {
    if (const auto total = call_.known_number(call_.input(kTotal))) return static_cast<int64_t>(*total);
    return call_.declared_length(kPresent, 2);
  }

  // Room for the longest sequence.
  TensorId grown(TensorId past, TensorId made) {
    const TensorId both = call_.concat({past, made}, 2);
    if (const auto keys = call_.known_number(keys_))
      return call_.slice(both, 2, 0, static_cast<int64_t>(*keys));
    return call_.slice_between(both, 2, call_.vector({0}), call_.cast(keys_, DType::i64));
  }

  // Batch, head and position of each new element, [batch, heads, length, 3].
  TensorId places(int64_t heads) {
    return once("places", {heads}, [&] {
      const auto coordinate = [&](int64_t which) {
        return call_.indices(DType::i32, {3}, [&](int64_t i) { return i == which ? 1 : 0; });
      };
      const TensorId batches = call_.regroup(numbers_along(call_, heads_.query, 0), {-1, 1, 1, 1});
      const TensorId others = call_.add(
          call_.mul(batches, coordinate(0)),
          call_.indices(DType::i32, {heads, 1, 3}, [](int64_t i) { return i % 3 == 1 ? i / 3 : 0; }));
      return call_.add(others, call_.mul(positions(), coordinate(2)));
    });
  }

  Call& call_;
  const Heads& heads_;
  const TensorId given_, past_;
  const int64_t batch_, length_;
  TensorId keys_{}, counts_{};
};

// Returns whether every sequence is known to have past elements followed by new ones, without padding.
bool is_full(Call& call, const Heads& heads) {
  const int64_t before = call.has(kPast) ? known_length(call, call.input(kPast), 2) : 0;
  const int64_t length = known_length(call, heads.query, 2);
  if (!call.has(kPast)) return true;  // lengths only tell which new elements are padding
  if (before == kUnknown || length == kUnknown) return false;
  if (!call.has(kLengths)) return true;
  const auto known = call.known_integers(call.input(kLengths));
  return known && std::ranges::all_of(*known, [&](int64_t last) { return last == before + length - 1; });
}

// Rotates queries and keys. `positions` is [batch or 1, 1, length, 1].
void rotate(Call& call, Heads& heads, TensorId positions) {
  const Attributes& attributes = call.attributes;
  if (!attributes.flag("do_rotary")) return;
  const TensorId rows = call.has(kPositions) ? call.input(kPositions) : call.squeeze(positions, {1, 3});
  const bool interleaved = attributes.flag("rotary_interleaved");
  const TensorId cosines = call.gather(call.input(kCosines), rows, 0),
                 sines = call.gather(call.input(kCosines + 1), rows, 0);
  heads.query = rotated(call, heads.query, cosines, sines, interleaved);
  heads.key = rotated(call, heads.key, cosines, sines, interleaved);
}

// Scores of an additional key without a value.
std::optional<TensorId> sinks(Call& call, TensorId query) {
  if (call.has(kSinks)) return call.regroup(call.input(kSinks), {-1, 1, 1});
  const bool smooth = call.attributes.integer("smooth_softmax", 0) > 0;
  return smooth ? std::optional(call.number(query, 0)) : std::nullopt;
}

Ids group_query_attention(Call& call) {
  check_operands(call);
  const int64_t heads = heads_of(call);
  const int64_t groups = heads_of(call, "kv_num_heads");
  if (heads % groups != 0)
    fail(damaged("The heads (", heads, ") are not a multiple of the groups (", groups, ")."));
  Heads all = read_heads(call, heads, groups);
  const int64_t window = call.attributes.integer("local_window_size", -1);
  AttentionForm form{.scale = scale_of(call, all.query),
                     .softcap = call.attributes.real("softcap", 0),
                     .reach = window < 1 ? -1 : window - 1,
                     .sinks = sinks(call, all.query)};
  if (is_full(call, all)) {
    const int64_t before = call.has(kPast) ? call.length(call.input(kPast), 2) : 0;
    const TensorId steps = call.regroup(numbers_along(call, all.query, 2), {1, 1, -1, 1});
    rotate(call, all, call.add(steps, static_cast<double>(before)));
    all.key = with_past(call, kPast, all.key);
    all.value = with_past(call, kPast + 1, all.value);
    form.causal = Causal::to_last;
  } else {
    Sequences sequences(call, all);
    rotate(call, all, sequences.positions());
    all.key = sequences.updated(call.input(kPast), all.key);
    all.value = sequences.updated(call.input(kPast + 1), all.value);
    form.biases.push_back(sequences.visible(all.key, form.reach));
    if (!sequences.grows()) form.filled = sequences.filled(all.key);
    form.reach = -1;
    form.keeps_nan = true;
  }
  if (call.has(kBias)) {
    const TensorId bias = call.input(kBias);
    const int64_t columns = known_length(call, bias, 3), keys = known_length(call, all.key, 2);
    if (keys == kUnknown ? columns == 1 : columns != keys)
      fail(unsupported("A bias of shape ", to_string(call.shape(bias)), " for keys of shape ",
                       to_string(call.shape(all.key)), " is not supported."));
    form.biases.push_back(bias);
  }
  return {merge_heads(call, attention(call, all, form)), all.key, all.value};
}

}  // namespace

std::vector<Row> group_query_rows() { return {runtime_row("GroupQueryAttention", group_query_attention)}; }

}  // namespace nnrt::import::onnx
