// An LSTM cell with all NNAPI features, as core nodes, step by step.
#pragma once

#include "nnapi/lower/operation_lowering.h"

#include <array>
#include <optional>

namespace nnrt::nnapi {

using OptionalValue = std::optional<Value>;

// The value in float32; empty if the operand is omitted.
OptionalValue optional_input(Lowering& op, size_t i);

// x W^T (+ bias).
Value linear(GraphWriter& graph, const Value& x, const Value& weight, const OptionalValue& bias = {});

Value zeros(GraphWriter& graph, const Shape& shape);

// Input indices of a cell's operands. Gates are in the order input, forget, cell, output.
struct LstmOperands {
  size_t weights, recurrent, peepholes, biases, projection, projection_bias, norms;
  std::optional<size_t> auxiliary;  // weights of the auxiliary input
};

struct SequenceResult;
// The steps of a sequence, in either direction.
struct Sequence {
  int64_t steps, batch;
  bool backward = false;
};

class LstmCell {
 public:
  LstmCell(Lowering& op, const LstmOperands& at, size_t activation, size_t cell_clip, size_t projection_clip);

  struct State {
    Value output, cell;
  };
  // Input sums of each gate for all steps, [steps * batch, units] each.
  struct Sums {
    std::array<OptionalValue, 4> gates;
  };
  Sums input_sums(const Value& x, const OptionalValue& auxiliary) const;
  // `step` and `batch` select the rows of the sums.
  State step(const Sums& sums, int64_t step, int64_t batch, const State& before) const;

  // All steps as one core LSTM; empty if the cell has features that it lacks, or runs backward.
  std::optional<SequenceResult> layer(const Value& rows, const Sequence& sequence, const State& before) const;

  bool is_coupled() const { return !gates_[kInput].weight; }  // input gate = 1 - forget gate
  int64_t units() const { return gates_[kForget].weight ? gates_[kForget].weight->dim(0) : 1; }

 private:
  enum GateNumber : size_t { kInput, kForget, kCell, kOutput };
  struct Gate {
    OptionalValue weight, recurrent, peephole, bias, norm, auxiliary;
  };

  void check() const;
  bool is_plain() const;
  Value gate_sum(GateNumber number, const Value& x, const State& before, const Value& peeped) const;
  Value activated(const Value& value) const;
  Value clipped(const Value& value, double clip) const;

  Lowering& op_;
  std::array<Gate, 4> gates_;
  OptionalValue projection_, projection_bias_;
  int64_t activation_;
  double cell_clip_, projection_clip_;
};

struct SequenceResult {
  Value outputs;  // [steps, batch, units]
  LstmCell::State last;
};
// Runs all steps over the input rows, [steps * batch, length], and an optional auxiliary input.
SequenceResult run_cell(GraphWriter& graph, const LstmCell& cell, const Value& rows,
                        const OptionalValue& auxiliary, const Sequence& sequence, LstmCell::State state);

// Stacks the outputs of each step, [batch, units], to [steps, batch, units].
Value joined_steps(GraphWriter& graph, const std::vector<Value>& steps);

}  // namespace nnrt::nnapi
