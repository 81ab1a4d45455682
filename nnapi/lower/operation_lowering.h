// Lowers one operation to core nodes. All shapes and parameters must be known: an unknown parameter blocks
// the operation until the run provides it. Errors are ConversionErrors.
#pragma once

#include "core/writer/graph_writer.h"
#include "nnapi/model/model.h"

#include <cstring>
#include <optional>
#include <span>

namespace nnrt::nnapi {

// An element of unaligned bytes; 0 beyond the end.
template <typename T>
T element(ByteView bytes, size_t i) {
  T value{};
  if ((i + 1) * sizeof(T) <= bytes.size()) std::memcpy(&value, bytes.data() + i * sizeof(T), sizeof(T));
  return value;
}

// What image regions are checked against in each run.
struct RegionLimits {
  uint32_t regions = 0, images = 0;  // operands: [n, 4] and [n]
  int64_t image_count = 0;
  // Size of the image that must contain the regions.
  std::optional<double> height{}, width{};
};

// Operands as far as they are known while a graph is written.
class KnownOperands {
 public:
  virtual ~KnownOperands() = default;

  // False if the client omitted the operand, in the model or in the run.
  virtual bool is_there(uint32_t operand) = 0;
  // The tensor in the graph.
  virtual Value value(uint32_t operand) = 0;
  // The elements in the core's representation, and the shape; empty if only known at run time.
  struct Contents {
    ByteView bytes;
    Shape shape;
  };
  virtual std::optional<Contents> contents(uint32_t operand) = 0;
  // Requests a check in each run that the elements are indices in [0, limit): core operators would read
  // zeros.
  virtual void require_indices(uint32_t operand, int64_t limit) = 0;
  // The same for regions. False if they are only available in the graph, where operators check them.
  virtual bool require_regions(const RegionLimits& limits) = 0;
};

class Lowering {
 public:
  Lowering(GraphWriter& writer, const Model& model, const Operation& operation, KnownOperands& known)
      : graph(writer), model_(model), operation_(operation), known_(known) {}

  GraphWriter& graph;

  size_t input_count() const { return operation_.inputs.size(); }
  size_t output_count() const { return operation_.outputs.size(); }
  // False if the operand is omitted or does not exist.
  bool has(size_t i) const;
  const Operand& operand(size_t i) const { return model_.operands[operation_.inputs[i]]; }
  const Operand& result_operand(size_t i) const { return model_.operands[operation_.outputs[i]]; }
  int32_t code(size_t i) const { return i < input_count() ? operand(i).type.code : -1; }
  int32_t operation() const { return operation_.code; }

  Value in(size_t i);

  // Parameters. Missing operands have the default.
  int64_t integer(size_t i, std::optional<int64_t> fallback = {});
  double real(size_t i);
  bool flag(size_t i, bool fallback = false) { return integer(i, int64_t{fallback}) != 0; }
  std::vector<int64_t> integers(size_t i);
  // The elements in the client's representation.
  Bytes client_bytes(size_t i);
  // An axis in [-rank, rank), normalized.
  size_t axis(size_t i, size_t rank, std::optional<int64_t> fallback = {});

  // Fails the run unless the INT32 elements of input i are indices in [0, limit).
  void require_indices(size_t i, int64_t limit);

  // Requests a check of the regions in input `regions` against the images in input `images`; returns whether
  // it is done in each run.
  bool require_regions(size_t regions, size_t images, RegionLimits limits);

  // The declared type of a result, in the core's representation.
  ResultType result_type(size_t i = 0) const;

  void set(size_t i, Value value);
  const std::vector<std::optional<Value>>& results() const { return results_; }

  // If a run finds no rows, the results have a placeholder row with -1 in this one.
  void set_row_marker(size_t result) { row_marker_ = result; }
  std::optional<size_t> row_marker() const { return row_marker_; }

  [[noreturn]] void fail(Error error) const { nnrt::fail(std::move(error)); }
  // A parameter that is not known yet was needed: the nodes written so far must be discarded.
  bool is_blocked() const { return blocked_; }

 private:
  KnownOperands::Contents contents(size_t i);

  const Model& model_;
  const Operation& operation_;
  KnownOperands& known_;
  std::vector<std::optional<Value>> results_ = std::vector<std::optional<Value>>(output_count());
  std::optional<size_t> row_marker_;
  bool blocked_ = false;
};

using LowerFunction = void (*)(Lowering&);
struct LoweringRow {
  int32_t code;  // ANEURALNETWORKS_ADD
  LowerFunction lower;
};

// Null for control flow and unknown codes.
LowerFunction find_lowering(int32_t code);

// The rows of each family, collected by operation_lowering.cpp.
std::span<const LoweringRow> elementwise_lowerings();
std::span<const LoweringRow> data_movement_lowerings();
std::span<const LoweringRow> block_lowerings();
std::span<const LoweringRow> conv_lowerings();
std::span<const LoweringRow> normalization_lowerings();
std::span<const LoweringRow> reduction_lowerings();
std::span<const LoweringRow> index_lowerings();
std::span<const LoweringRow> recurrent_lowerings();
std::span<const LoweringRow> detection_lowerings();

}  // namespace nnrt::nnapi
