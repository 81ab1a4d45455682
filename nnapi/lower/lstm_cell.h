// One cell of an LSTM with all that NNAPI lets it have, as nodes of the core, step after step.
#pragma once

#include "nnapi/lower/operation_lowering.h"

#include <array>
#include <optional>

namespace nnrt::nnapi {

using OptionalValue = std::optional<Value>;

// The value in float32; nothing where the operand is omitted.
OptionalValue optional_input(Lowering& op, size_t i);

// x W^T (+ bias).
Value linear(GraphWriter& graph, const Value& x, const Value& weight, const OptionalValue& bias = {});

Value zeros(GraphWriter& graph, const Shape& shape);

// The places of a cell's operands among the inputs. Gates come in the order input, forget, cell, output.
struct LstmOperands {
  size_t weights, recurrent, peepholes, biases, projection, projection_bias, norms;
  std::optional<size_t> auxiliary;  // weights
};

struct SequenceResult;
// Steps of a sequence, walked from either end.
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
  // Sums of each gate over the inputs of all steps, [steps * batch, units] each.
  struct Sums {
    std::array<OptionalValue, 4> gates;
  };
  Sums input_sums(const Value& x, const OptionalValue& auxiliary) const;
  // `step` and `batch` say which rows of the sums.
  State step(const Sums& sums, int64_t step, int64_t batch, const State& before) const;

  // All steps as one node of the core; nothing where the cell has more than the core's LSTM, or walks
  // backward.
  std::optional<SequenceResult> layer(const Value& rows, const Sequence& sequence, const State& before) const;

  bool is_coupled() const { return !gates_[kInput].weight; }  // the input gate is 1 - the forget gate
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
// All steps over the rows of the input, [steps * batch, length], and of an auxiliary input, if there is one.
SequenceResult run_cell(GraphWriter& graph, const LstmCell& cell, const Value& rows,
                        const OptionalValue& auxiliary, const Sequence& sequence, LstmCell::State state);

// [steps, batch, units] of the outputs of each step, [batch, units].
Value joined_steps(GraphWriter& graph, const std::vector<Value>& steps);

}  // namespace nnrt::nnapi
