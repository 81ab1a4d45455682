// Lookup by index or key, and constant tensors.
#include "core/base/text.h"
#include "nnapi/lower/compose.h"
#include "nnapi/lower/core_type.h"

#include <android/NeuralNetworks.h>

#include <algorithm>

namespace nnrt::nnapi {
namespace {

void gather(Lowering& op, const Value& data, size_t indices, size_t axis) {
  op.require_indices(indices, data.dim(axis));
  op.set(0, op.graph.emit(Op::gather, {data, op.in(indices), op.graph.integers({int64_t(axis)})}, {},
                          op.result_type()));
}

void lower_gather(Lowering& op) {
  const Value data = op.in(0);
  gather(op, data, 2, op.axis(1, data.rank()));
}

void lower_embedding_lookup(Lowering& op) { gather(op, op.in(1), 0, 0); }

void lower_top_k(Lowering& op) {
  const Value data = op.in(0);
  std::vector<Value> results =
      op.graph.emit_all(Op::top_k, {data, op.graph.integers({op.integer(1)})},
                        {{Attr::axis, -1}, {Attr::last_first, 1}}, {op.result_type(0), op.result_type(1)});
  op.set(0, std::move(results[0]));
  op.set(1, std::move(results[1]));
}

Value number_of(Lowering& op, size_t i) {
  const DType dtype = op.result_type().dtype;
  if (dtype == DType::i32) return op.graph.number(dtype, double(op.integer(i)));
  return op.graph.number(dtype, op.real(i));
}

void lower_fill(Lowering& op) {
  const std::vector<int64_t> shape = op.integers(0);
  op.set(0, op.graph.emit(Op::fill, {number_of(op, 1), op.graph.integers(shape)}, {}, op.result_type()));
}

void lower_rank(Lowering& op) { op.set(0, op.graph.number(DType::i32, double(op.in(0).rank()))); }

// Missing rows are filled with zero bytes in the client's representation. The hits are unsigned 8-bit, so
// they are shifted too.
void lower_hashtable_lookup(Lowering& op) {
  GraphWriter& graph = op.graph;
  const int64_t fill = op.code(2) == ANEURALNETWORKS_TENSOR_QUANT8_ASYMM ? 0x80 : 0;
  std::vector<Value> results = graph.emit_all(Op::hashtable_lookup, {op.in(0), op.in(1), op.in(2)},
                                              {{Attr::fill_byte, fill}}, {op.result_type(0), {DType::u8}});
  op.set(0, std::move(results[0]));
  const Value hits = add(graph, cast(graph, results[1], DType::i32), -128);
  const Value type = graph.number(DType::i32, double(DType::i8));
  op.set(1, graph.emit(Op::cast, {hits, type}, {}, op.result_type(1)));
}

// Hashes the client's representation of the items.
void lower_lsh_projection(Lowering& op) {
  GraphWriter& graph = op.graph;
  const Value seeds = op.in(0);
  const int64_t mode = op.integer(3);
  const Bytes items = op.client_bytes(1);
  const int64_t rows = op.in(1).dim(0);
  const Shape shape{rows, int64_t(items.size()) / std::max<int64_t>(rows, 1)};
  std::vector<Value> inputs{seeds, graph.constant(DType::u8, shape, std::make_shared<const Bytes>(items))};
  if (op.has(2)) inputs.push_back(op.in(2));
  op.set(0, graph.emit(Op::lsh_projection, inputs, {{Attr::mode, mode}}, {DType::i32}));
}

void lower_random_multinomial(Lowering& op) {
  op.set(0, op.graph.emit(Op::random_multinomial, {op.in(0), op.in(2)}, {{Attr::samples, op.integer(1)}},
                          {DType::i32}));
}

constexpr LoweringRow kIndexLowerings[] = {
    {ANEURALNETWORKS_HASHTABLE_LOOKUP, lower_hashtable_lookup},
    {ANEURALNETWORKS_LSH_PROJECTION, lower_lsh_projection},
    {ANEURALNETWORKS_RANDOM_MULTINOMIAL, lower_random_multinomial},
    {ANEURALNETWORKS_GATHER, lower_gather},
    {ANEURALNETWORKS_EMBEDDING_LOOKUP, lower_embedding_lookup},
    {ANEURALNETWORKS_TOPK_V2, lower_top_k},
    {ANEURALNETWORKS_FILL, lower_fill},
    {ANEURALNETWORKS_RANK, lower_rank},
};

}  // namespace

std::span<const LoweringRow> index_lowerings() { return kIndexLowerings; }

}  // namespace nnrt::nnapi
