// Operators that select or combine elements by index, position or segment.
#include "tools/import/network/network_check.h"
#include "tools/import/tflite/tflite_node_writer.h"
#include "tools/import/tflite/tflite_operators.h"

#include <algorithm>
#include <limits>
#include <set>

namespace nnrt::import::tflite {
namespace {

using enum BuiltinOperator;

int64_t product(std::span<const int32_t> sizes) {
  int64_t count = 1;
  for (const int32_t size : sizes) count *= size;
  return count;
}

// Flat slice indices at which each of `rows` lines of `width` slices starts, with the dtype of the indices.
TensorId line_starts(Operator& op, int32_t batches, int32_t outer, int64_t width) {
  List<int64_t> starts;
  for (int64_t i = 0; i < int64_t{batches} * outer; ++i) starts.push_back(i * width);
  return op.numbers(op.input_tensor(1).type, {batches, outer, 1}, starts);
}

// Per-batch indices: slices are numbered across all batches and gathered from one list.
void gather_in_batches(Operator& op, int32_t batch_dims, int32_t axis) {
  const Tensor x = op.input_tensor(0), indices = op.input_tensor(1);
  const auto rank = static_cast<int32_t>(x.shape.size());
  if (batch_dims < 0) batch_dims += static_cast<int32_t>(indices.shape.size());
  if (axis < 0) axis += rank;
  const auto batch_rank = static_cast<size_t>(batch_dims);
  if (batch_dims < 0 || axis < batch_dims || axis >= rank || batch_rank > indices.shape.size())
    op.damaged("has an axis or batch dimensions that its inputs do not have");
  const auto is_open = [](int32_t size) { return size < 1; };
  if (std::ranges::any_of(x.shape, is_open) || std::ranges::any_of(indices.shape, is_open))
    op.refuse("needs known shapes for its batch dimensions");
  if (x.shape.before(batch_rank) != indices.shape.before(batch_rank))
    op.damaged("has batches of different sizes");
  const std::span<const int32_t> sizes(x.shape), chosen(indices.shape);
  const auto axis_at = static_cast<size_t>(axis);
  const int64_t width = x.shape[axis_at];
  const int64_t batches = product(sizes.first(batch_rank)), inner = product(sizes.subspan(axis_at + 1)),
                outer = product(sizes.subspan(batch_rank, axis_at - batch_rank)),
                each = product(chosen.subspan(batch_rank));
  constexpr int64_t kMax = 1 << 24;
  if (batches > kMax || outer > kMax || batches * outer > kMax)
    op.refuse("has more than 16 Mi lines to gather from");
  const auto n = [](int64_t size) { return static_cast<int32_t>(size); };
  const TensorId slices = op.reshape(op.input(0), {batches * outer * width, inner});
  const TensorId own = op.reshape(op.input(1), {batches, 1, each});
  const TensorId places = op.add(own, line_starts(op, n(batches), n(outer), width));
  const TensorId found = op.gather(slices, places, 0);
  op.write(Op::reshape, {found, op.build().vector(op.output_tensor().shape)});
}

void gather(Operator& op) {
  const auto& options = op.options<format::GatherOptions>();
  if (options.batch_dims() != 0) return gather_in_batches(op, options.batch_dims(), options.axis());
  op.write({op.input(0), op.input(1), op.build().scalar<int32_t>(options.axis())});
}

void embedding_lookup(Operator& op) { op.write({op.operand(1), op.input(0), op.build().scalar<int32_t>(0)}); }

void gather_nd(Operator& op) { op.write({op.input(0), op.input(1)}); }

void one_hot(Operator& op) {
  const int64_t axis = op.options<format::OneHotOptions>().axis();
  op.write({op.input(0), op.input(1), op.input(2), op.input(3)}, {{Attr::axis, axis}});
}

void top_k(Operator& op) {
  if (op.output_count() != 2) op.damaged("needs two outputs");
  op.build().operation(Op::top_k, {op.input(0), op.input(1)}, {op.result(0), op.result(1)},
                       {{Attr::sorted, true}});
}

// Returns whether the index rows are known and distinct.
bool are_different(Operator& op, size_t indices) {
  const Shape shape = op.input_tensor(indices).shape;
  const auto values = op.build().integers(op.input(indices));
  if (!values || shape.empty()) return false;
  const auto width = static_cast<size_t>(std::max(shape.back(), 1));
  std::set<List<int64_t>> seen;
  for (size_t at = 0; at + width <= values->size(); at += width) {
    const auto row = values->begin() + static_cast<std::ptrdiff_t>(at);
    if (!seen.emplace(row, row + static_cast<std::ptrdiff_t>(width)).second) return false;
  }
  return true;
}

// Values with the same index are summed, which SCATTER_ND does not do.
void scatter_nd(Operator& op) {
  if (are_different(op, 0)) return op.write({op.input(0), op.input(1), op.input(2)});
  const Tensor updates = op.input_tensor(1);
  if (is_quantized(updates) || updates.type == OH_NN_BOOL)
    op.refuse("may add several quantized values at one index");
  const TensorId zeros = op.emit(Op::fill, {op.number(op.input(1), 0), op.input(2)}, {},
                                 {.shape = op.build().shape(op.output())});
  constexpr int8_t kSum = 1;
  op.write(Op::scatter_nd_update, {zeros, op.input(0), op.input(1)}, {{Attr::reduction, kSum}});
}

// The positions of nonzero elements, one row each.
void where(Operator& op) {
  const TensorId columns =
      op.emit(Op::non_zero, {op.input(0)}, {}, {.dtypes = {op.build().dtype(op.output())}});
  op.write(Op::transpose, {columns, op.build().vector<int32_t>({1, 0})});
}

// The number of leading dimensions that an update covers only partially.
size_t partial_dimensions(const Shape& whole, const Shape& update) {
  size_t count = whole.size();
  while (count > 0 && whole[count - 1] == update[count - 1]) --count;
  return count;
}

// Index tuples of all slices of an update that starts at 0.
List<int64_t> tuples_of(const Shape& shape) {
  size_t count = 1;
  for (const int32_t size : shape) count *= static_cast<size_t>(size);
  List<int64_t> tuples(count * shape.size());
  for (size_t i = 0; i < count; ++i) {
    size_t rest = i;
    for (size_t d = shape.size(); d-- > 0; rest /= static_cast<size_t>(shape[d]))
      tuples[i * shape.size() + d] = static_cast<int64_t>(rest % static_cast<size_t>(shape[d]));
  }
  return tuples;
}

// The leading starts, clamped so that the update fits.
TensorId clamped_starts(Operator& op, const Shape& whole, const Shape& update, int32_t count) {
  List<int64_t> last;
  for (size_t d = 0; d < static_cast<size_t>(count); ++d) last.push_back(whole[d] - update[d]);
  NetworkBuilder& build = op.build();
  const OH_NN_DataType type = op.input_tensor(2).type;
  const TensorId first =
      op.emit(Op::slice, {op.input(2), build.vector<int32_t>({0}), build.vector<int32_t>({count})});
  const TensorId inside = op.max(first, op.numbers(type, {1}, {0}));
  return op.min(inside, op.numbers(type, {count}, last));
}

// Replaces slices of the operand by those of the update.
void dynamic_update_slice(Operator& op) {
  const Shape whole = op.input_tensor(0).shape, update = op.input_tensor(1).shape;
  const auto is_open = [](int32_t size) { return size < 1; };
  if (std::ranges::any_of(whole, is_open) || std::ranges::any_of(update, is_open))
    op.refuse("needs known shapes");
  if (whole.size() != update.size() || !std::ranges::equal(update, whole, std::ranges::less_equal()))
    op.damaged("has an update that does not fit in its operand");
  const size_t count = partial_dimensions(whole, update);
  if (count == 0) return op.write(Op::reshape, {op.input(1), op.build().vector(whole)});
  Shape places = update.before(count);
  const List<int64_t> tuples = tuples_of(places);
  const auto width = static_cast<int32_t>(count);
  places.push_back(width);
  const TensorId from_zero = op.numbers(op.input_tensor(2).type, places, tuples);
  const TensorId indices = op.add(from_zero, clamped_starts(op, whole, update, width));
  op.write(Op::scatter_nd_update, {op.input(0), indices, op.input(1)});
}

// OH_NN's indices are a matrix, one row per value; all other elements become the default.
void sparse_to_dense(Operator& op) {
  const float rest = op.real(3);
  if (rest != 0) op.refuse("fills with a value (" + std::to_string(rest) + ") other than 0");
  TensorId slots = op.input(0), values = op.input(2);
  const Tensor given = op.input_tensor(0), value = op.input_tensor(2);
  if (given.shape.size() < 2) {
    slots = op.unsqueeze(slots, given.shape.empty() ? List<int64_t>{0, 1} : List<int64_t>{1});
  }
  if (value.shape.empty()) {
    values = op.unsqueeze(values, {0});
  }
  op.write({slots, values, op.input(1)});
}

void write_gather(NodeWriter& node) {
  const auto axis = node.values(2);
  format::GatherOptionsT options;
  options.axis = static_cast<int32_t>(axis[0]);
  node.write(GATHER, options, {node.requantized(node.inputs[0], node.outputs[0]), node.inputs[1]},
             node.outputs);
}

void write_gather_nd(NodeWriter& node) {
  node.write(GATHER_ND, {node.requantized(node.inputs[0], node.outputs[0]), node.inputs[1]}, node.outputs);
}

void write_one_hot(NodeWriter& node) {
  format::OneHotOptionsT options;
  options.axis = node.option(Attr::axis);
  const int32_t depth = node.narrowed(1);
  node.write(ONE_HOT, options, {node.inputs[0], depth, node.inputs[2], node.inputs[3]}, node.outputs);
}

// Sorted values along the last dimension, with INT32 indices.
void write_top_k(NodeWriter& node) {
  if (!node.flag(Attr::sorted)) node.refuse("the smallest last");
  if (node.axis(node.integer(Attr::axis), node.rank()) + 1 != static_cast<int64_t>(node.rank()))
    node.refuse("an axis other than the last");
  const int32_t count = node.narrowed(1);
  Numbers32 outputs = node.outputs;
  const bool is_wide = node.output_dtype(1) == DType::i64;
  if (is_wide) {
    outputs[1] = node.like(node.outputs[1], node.output_shape(1));
    node.tensor(outputs[1]).type = format::TensorType::INT32;
  }
  node.write(TOPK_V2, {node.inputs[0], count}, outputs);
  if (is_wide) node.write_cast(outputs[1], node.outputs[1]);
}

// The reduction (values of Attr::reduction), which also defines the result of an empty
// segment.
enum Reduction : int8_t { kSum = 1, kProduct, kMin, kMax };

template <typename T>
T neutral(int8_t reduction) {
  switch (reduction) {
    case kProduct: return 1;
    case kMin: return std::numeric_limits<T>::max();
    case kMax: return std::numeric_limits<T>::lowest();
    default: return 0;
  }
}

TensorId neutral(Operator& op, OH_NN_DataType type, int8_t reduction) {
  if (type == OH_NN_FLOAT32) return op.build().scalar(neutral<float>(reduction));
  if (type == OH_NN_INT32) return op.build().scalar(neutral<int32_t>(reduction));
  if (type == OH_NN_INT64) return op.build().scalar(neutral<int64_t>(reduction));
  op.refuse("combines elements that are neither FLOAT32 nor INT32 nor INT64");
}

// Drops negative segments, which OH_NN would count from the end.
TensorId segments_from_zero(Operator& op, TensorId ids, int64_t count) {
  return op.where(op.less(ids, 0.0), op.number(ids, static_cast<double>(count)), ids);
}

// The initial result. The shape of a slice may be dynamic.
TensorId start(Operator& op, TensorId value, int32_t count) {
  const size_t skipped = op.input_tensor(1).shape.size();
  const Shape data = op.input_tensor(0).shape, kept = data.from(skipped);
  Shape shape{count};
  shape.insert(shape.end(), kept.begin(), kept.end());
  TensorId dimensions = 0;
  if (std::ranges::all_of(shape, [](int32_t length) { return length > 0; })) {
    dimensions = op.build().vector(shape);
  } else {
    const TensorId all = op.emit(Op::shape, {op.input(0)});
    dimensions =
        op.concat({op.build().vector<int32_t>({count}),
                   op.slice(all, 0, static_cast<int64_t>(skipped), static_cast<int64_t>(data.size()))},
                  0);
  }
  return op.emit(Op::fill, {value, dimensions}, {}, {.shape = {shape.begin(), shape.end()}});
}

void combine(Operator& op, int64_t count, int8_t reduction) {
  const Tensor data = op.input_tensor(0), ids = op.input_tensor(1);
  if (count < 1 || count > std::numeric_limits<int32_t>::max()) op.damaged("has no segments");
  if (ids.shape.empty() || data.shape.size() < ids.shape.size())
    op.damaged("has segment numbers that do not match its slices");
  const TensorId begin = start(op, neutral(op, data.type, reduction), static_cast<int32_t>(count));
  const TensorId rows =
      op.unsqueeze(segments_from_zero(op, op.input(1), count), {static_cast<int64_t>(ids.shape.size())});
  op.write_to(op.result(), Op::scatter_nd_update, {begin, rows, op.input(0)}, {{Attr::reduction, reduction}});
}

template <int8_t reduction>
void unsorted_segment(Operator& op) {
  const int64_t count = op.integer(2);
  return combine(op, count, reduction);
}

// The last segment number determines how many segments there are.
void segment_sum(Operator& op) {
  const Shape declared = op.output_tensor().shape;
  const auto ids = op.build().integers(op.input(1));
  constexpr int64_t kMax = std::numeric_limits<int32_t>::max();
  if (ids && !ids->empty()) return combine(op, std::min(ids->back(), kMax) + 1, kSum);
  if (declared.empty() || declared[0] < 1) op.refuse("needs a known number of segments");
  return combine(op, declared[0], kSum);
}

constexpr int64_t kMaxPlaces = 1 << 24;  // limit for constant position tables

void reverse_sequence(Operator& op) {
  const auto& options = op.options<format::ReverseSequenceOptions>();
  const int32_t along = options.sequence_dimension(), batch = options.batch_dimension();
  const auto exists = [&](int32_t d) { return d >= 0 && static_cast<size_t>(d) < op.rank(op.input(0)); };
  if (!exists(along) || !exists(batch) || along == batch)
    op.damaged("has dimensions that its input does not have");
  op.deliver({.id = op.reversed_sequences(op.input(0), op.input(1), along, batch)});
}

// BOOL [rows, columns], true on the diagonal.
TensorId diagonal_mask(Operator& op, int32_t rows, int32_t columns) {
  if (int64_t{rows} * columns > kMaxPlaces) op.refuse("has a matrix of more than 16 Mi elements");
  Bytes mask(static_cast<size_t>(int64_t{rows} * columns));
  for (int64_t i = 0; i < std::min(rows, columns); ++i)
    mask[static_cast<size_t>(i * columns + i)] = std::byte{1};
  return op.build().constant(OH_NN_BOOL, {rows, columns}, std::move(mask));
}

void matrix_diag(Operator& op) {
  if (is_quantized(op.input_tensor(0))) op.refuse("is of a quantized tensor");
  const size_t rank = op.rank(op.input(0));
  if (rank < 1) op.damaged("needs an input of rank 1 or more");
  const int32_t size = op.length(op.input(0), rank - 1);
  const TensorId mask = diagonal_mask(op, size, size);
  const OH_NN_DataType type = op.input_tensor(0).type;
  const TensorId zero = op.build().constant(type, {}, Bytes(element_size(type)));
  op.write_to(op.result(), Op::where,
              {mask, op.unsqueeze(op.input(0), {static_cast<int64_t>(rank - 1)}), zero});
}

// The diagonal is as long as the shorter side.
void matrix_set_diag(Operator& op) {
  const size_t rank = op.rank(op.input(0));
  if (rank < 2 || op.rank(op.input(1)) != rank - 1) op.damaged("needs matrices and their diagonals");
  const int32_t rows = op.length(op.input(0), rank - 2), columns = op.length(op.input(0), rank - 1);
  const TensorId mask = diagonal_mask(op, rows, columns);
  const TensorId diagonal =
      op.unsqueeze(op.input(1), {static_cast<int64_t>(columns <= rows ? rank - 2 : rank - 1)});
  op.write_to(op.result(), Op::where, {mask, diagonal, op.input(0)});
}

constexpr Row kIndexRows[] = {
    {GATHER, 2, 2, Numbers::any, gather, Op::gather, write_gather},
    {EMBEDDING_LOOKUP, 2, 2, Numbers::real, embedding_lookup, Op::gather},
    {GATHER_ND, 2, 2, Numbers::any, gather_nd, Op::gather_nd, write_gather_nd},
    {ONE_HOT, 4, 4, Numbers::any, one_hot, Op::one_hot, write_one_hot},
    {TOPK_V2, 2, 2, Numbers::any, top_k, Op::top_k, write_top_k},
    {SCATTER_ND, 3, 3, Numbers::any, scatter_nd, Op::scatter_nd},
    {WHERE, 1, 1, Numbers::any, where},
    {DYNAMIC_UPDATE_SLICE, 3, 3, Numbers::any, dynamic_update_slice},
    {SPARSE_TO_DENSE, 4, 4, Numbers::any, sparse_to_dense, Op::sparse_to_dense},
    {SEGMENT_SUM, 2, 2, Numbers::any, segment_sum},
    {UNSORTED_SEGMENT_SUM, 3, 3, Numbers::any, unsorted_segment<kSum>},
    {UNSORTED_SEGMENT_PROD, 3, 3, Numbers::any, unsorted_segment<kProduct>},
    {UNSORTED_SEGMENT_MIN, 3, 3, Numbers::any, unsorted_segment<kMin>},
    {UNSORTED_SEGMENT_MAX, 3, 3, Numbers::any, unsorted_segment<kMax>},
    {REVERSE_SEQUENCE, 2, 2, Numbers::any, reverse_sequence},
    {MATRIX_DIAG, 1, 1, Numbers::any, matrix_diag},
    {MATRIX_SET_DIAG, 2, 2, Numbers::any, matrix_set_diag},
};

}  // namespace

std::span<const Row> index_rows() { return kIndexRows; }

}  // namespace nnrt::import::tflite
