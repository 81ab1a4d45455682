// One operation of a model on its way into a graph of the core. All shapes are known here, and so are the
// parameters: one whose value is not there yet blocks the operation, which then waits for the run to have it.
#pragma once

#include "nnapi/lower/graph_writer.h"
#include "nnapi/lower/region_check.h"
#include "nnapi/model/model.h"

#include <optional>
#include <span>

namespace nnrt::nnapi {

// The operands as far as they are known while a graph is written.
class KnownOperands {
 public:
  virtual ~KnownOperands() = default;

  // False where the client left an operand out, in the model or in the run.
  virtual bool is_there(uint32_t operand) = 0;
  // The tensor in the graph.
  virtual Value value(uint32_t operand) = 0;
  // The elements in the core's form, and their shape; nothing where only a run will know them.
  struct Contents {
    ByteView bytes;
    Shape shape;
  };
  virtual std::optional<Contents> contents(uint32_t operand) = 0;
  // Each run checks that the elements are indices in [0, limit): operators of the core read zeros elsewhere.
  virtual void require_indices(uint32_t operand, int64_t limit) = 0;
  // The same for regions. False where only the graph will have them: its operators check then.
  virtual bool require_regions(const RegionLimits& limits) = 0;
};

class Lowering {
 public:
  Lowering(GraphWriter& writer, const Model& model, const Operation& operation, KnownOperands& known)
      : graph(writer), model_(model), operation_(operation), known_(known) {}

  GraphWriter& graph;

  size_t input_count() const { return operation_.inputs.size(); }
  size_t output_count() const { return operation_.outputs.size(); }
  // False for an operand that is omitted, or beyond the last.
  bool has(size_t i) const;
  const Operand& operand(size_t i) const { return model_.operands[operation_.inputs[i]]; }
  const Operand& result_operand(size_t i) const { return model_.operands[operation_.outputs[i]]; }
  int32_t code(size_t i) const { return i < input_count() ? operand(i).type.code : -1; }
  int32_t operation() const { return operation_.code; }

  Value in(size_t i);

  // Parameters. An operand that is not there has the default.
  int64_t integer(size_t i, std::optional<int64_t> fallback = {});
  double real(size_t i);
  bool flag(size_t i, bool fallback = false) { return integer(i, int64_t{fallback}) != 0; }
  std::vector<int64_t> integers(size_t i);
  // The elements as the client stores them.
  Bytes client_bytes(size_t i);
  // An axis in [-rank, rank), from 0 on.
  size_t axis(size_t i, size_t rank, std::optional<int64_t> fallback = {});

  // INT32 elements of input i are indices in [0, limit), or the run fails.
  void require_indices(size_t i, int64_t limit);

  // Returns whether each run checks the regions of input `regions` in the images of input `images`.
  bool require_regions(size_t regions, size_t images, RegionLimits limits);

  // The declared type of a result, in the core's form.
  ResultType result_type(size_t i = 0) const;

  void set(size_t i, Value value);
  const std::vector<std::optional<Value>>& results() const { return results_; }

  // A run may find no row for the results. They then have one row, and this one -1 in it.
  void set_row_marker(size_t result) { row_marker_ = result; }
  std::optional<size_t> row_marker() const { return row_marker_; }

  void fail(Error error) { graph.fail(std::move(error)); }
  // A parameter was asked for that nobody knows yet: what was written is to be forgotten.
  bool is_blocked() const { return blocked_; }

 private:
  std::optional<KnownOperands::Contents> contents(size_t i);

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

// Null for control flow and for what is no operation.
LowerFunction find_lowering(int32_t code);

// The rows of each family; operation_lowering.cpp gathers them.
std::span<const LoweringRow> elementwise_lowerings();
std::span<const LoweringRow> data_movement_lowerings();
std::span<const LoweringRow> block_lowerings();
std::span<const LoweringRow> conv_lowerings();
std::span<const LoweringRow> pooling_lowerings();
std::span<const LoweringRow> normalization_lowerings();
std::span<const LoweringRow> reduction_lowerings();
std::span<const LoweringRow> index_lowerings();
std::span<const LoweringRow> recurrent_lowerings();
std::span<const LoweringRow> sequence_lowerings();
std::span<const LoweringRow> detection_lowerings();

}  // namespace nnrt::nnapi
