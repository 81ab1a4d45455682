// The inputs and outputs of one execution, and the checks of what a client binds.
#pragma once

#include "nnapi/compilation/compilation.h"
#include "nnapi/memory/client_memory.h"

#include <memory>
#include <optional>
#include <vector>

namespace nnrt::nnapi {

// The place that a client names for an argument. All null and 0: it is omitted.
struct Binding {
  const ANeuralNetworksOperandType* type = nullptr;  // null: that of the model
  std::byte* buffer = nullptr;
  std::shared_ptr<ClientMemory> memory;  // or else null
  size_t offset = 0, length = 0;
};

class BoundArguments {
 public:
  explicit BoundArguments(std::shared_ptr<const Compilation> compilation);

  Outcome bind(bool is_input, int32_t index, const Binding& binding);
  Outcome enable_padding(bool enable);

  // bad data, unless all are bound.
  Outcome check_complete() const;
  // bad data where an output's size is not known.
  Outcome check_outputs_known() const;
  // op failed where the content of a memory is not there, or not that which was bound.
  Outcome check_memories() const;

  const std::vector<Argument>& inputs() const { return inputs_.arguments; }
  const std::vector<Argument>& outputs() const { return outputs_.arguments; }
  // After a run: the shapes of its outputs. Null: it failed, and what is there is no content.
  void set_contents(const std::vector<OutputShape>* shapes) const;

 private:
  struct Side {
    std::vector<Argument> arguments;
    std::vector<bool> is_bound;
    std::vector<std::shared_ptr<ClientMemory>> memories;  // null: none
  };

  // The dimensions that the argument has by what is known before a run.
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
