// The inputs and outputs bound to an execution, with the checks of client calls.
#pragma once

#include "nnapi/compilation/compilation.h"
#include "nnapi/memory/client_memory.h"

#include <memory>
#include <optional>
#include <vector>

namespace nnrt::nnapi {

// Where an argument is stored. All null and 0: omitted.
struct Binding {
  const ANeuralNetworksOperandType* type = nullptr;  // null: the model's
  std::byte* buffer = nullptr;
  std::shared_ptr<ClientMemory> memory;  // if null, `buffer` is used
  size_t offset = 0, length = 0;
};

class BoundArguments {
 public:
  explicit BoundArguments(std::shared_ptr<const Compilation> compilation);

  Outcome bind(bool is_input, int32_t index, const Binding& binding);
  Outcome enable_padding(bool enable);

  // bad data unless all are bound.
  Outcome check_complete() const;
  // bad data if an output's size is unknown.
  Outcome check_outputs_known() const;
  // op failed if a memory's content is missing, or differs from what was bound.
  Outcome check_memories() const;

  const std::vector<Argument>& inputs() const { return inputs_.arguments; }
  const std::vector<Argument>& outputs() const { return outputs_.arguments; }
  // Records the output shapes after a run. Null: the run failed and the contents are invalid.
  void set_contents(const std::vector<OutputShape>* shapes) const;

 private:
  struct Side {
    std::vector<Argument> arguments;
    std::vector<bool> is_bound;
    std::vector<std::shared_ptr<ClientMemory>> memories;  // null: none
  };

  // The argument's dimensions as far as known before a run.
  Outcome find_dimensions(bool is_input, const Operand& operand, const Binding& binding,
                          Dimensions& dimensions) const;
  Outcome place(bool is_input, uint32_t index, const Operand& operand, const Binding& binding,
                Argument& argument) const;
  Outcome place_described(bool is_input, uint32_t index, const Binding& binding, Argument& argument) const;
  Outcome check_length(int32_t code, const Dimensions& dimensions, size_t length) const;

  std::shared_ptr<const Compilation> compilation_;
  Side inputs_, outputs_;
  bool padding_ = false, any_bound_ = false;
};

}  // namespace nnrt::nnapi
