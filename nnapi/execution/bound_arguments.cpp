#include "nnapi/execution/bound_arguments.h"

#include "nnapi/base/client_call.h"
#include "nnapi/model/operand_types.h"

#include <algorithm>

namespace nnrt::nnapi {
namespace {

bool is_omitted(const Binding& binding) { return binding.buffer == nullptr && binding.memory == nullptr; }

// A client may specify what the model leaves open, and must repeat everything else.
bool tells_all_of(const OperandType& declared, const Dimensions& given) {
  if (!is_tensor(declared.code)) return given.empty();
  const auto repeats = [](uint32_t wanted, uint32_t length) { return wanted == 0 || wanted == length; };
  return declared.dimensions.empty() || std::ranges::equal(declared.dimensions, given, repeats);
}

bool are_known(int32_t code, const Dimensions& dimensions) {
  return is_fully_known(OperandType{code, dimensions});
}

}  // namespace

BoundArguments::BoundArguments(std::shared_ptr<const Compilation> compilation)
    : compilation_(std::move(compilation)) {
  const auto resize = [](Side& side, size_t count) {
    side.arguments.resize(count);
    side.is_bound.resize(count);
    side.memories.resize(count);
  };
  resize(inputs_, compilation_->model().inputs.size());
  resize(outputs_, compilation_->model().outputs.size());
}

Outcome BoundArguments::enable_padding(bool enable) {
  if (any_bound_) return bad_state("An input or output is set already.");
  padding_ = enable;
  return {};
}

Outcome BoundArguments::find_dimensions(bool is_input, const Operand& operand, const Binding& binding,
                                        Dimensions& dimensions) const {
  dimensions = operand.type.dimensions;
  const bool needs_all = is_input && !is_omitted(binding);
  if (binding.type != nullptr) {
    OperandType given;
    NNRT_TRY(operand_type_from(*binding.type, given));
    if (!tells_all_of(operand.type, given.dimensions)) {
      return bad_data("Dimensions ", text_of(given.dimensions), " contradict the model's ",
                      text_of(dimensions), ", or leave open what it says.");
    }
    if (needs_all && !are_known(operand.type.code, given.dimensions))
      return bad_data("The input's dimensions ", text_of(given.dimensions), " are not all known.");
    dimensions = std::move(given.dimensions);
  }
  const MemoryDescription* const description = binding.memory ? binding.memory->description() : nullptr;
  if (description != nullptr) {
    auto both = combined(dimensions, description->type.dimensions);
    if (!both) {
      return bad_data("Dimensions ", text_of(dimensions), " contradict those of the memory, ",
                      text_of(description->type.dimensions), ".");
    }
    dimensions = std::move(*both);
  }
  if (needs_all && !are_known(operand.type.code, dimensions))
    return bad_data("The input's dimensions ", text_of(dimensions), " are not all known.");
  return {};
}

Outcome BoundArguments::check_length(int32_t code, const Dimensions& dimensions, size_t length) const {
  if (!are_known(code, dimensions)) return {};
  const auto bytes = bytes_of(code, dimensions);
  if (!bytes) return bad_data("A ", type_name(code), " of ", text_of(dimensions), " is too large.");
  if (length == *bytes || (length > *bytes && padding_)) return {};
  return bad_data("There are ", length, " bytes for the ", *bytes, " of a ", type_name(code), " of ",
                  text_of(dimensions), ".");
}

Outcome BoundArguments::place_described(bool is_input, uint32_t index, const Binding& binding,
                                        Argument& argument) const {
  if (binding.offset != 0 || binding.length != 0) {
    return bad_data("Offset (", binding.offset, ") and length (", binding.length,
                    ") of a memory from a descriptor are not 0.");
  }
  const ClientMemory& memory = *binding.memory;
  const Role role{compilation_, is_input, index};
  if (std::ranges::find(memory.description()->roles, role) == memory.description()->roles.end())
    return bad_data("The memory was not described as this ", is_input ? "input." : "output.");
  argument.data = memory.data();
  argument.bytes = memory.bytes();
  argument.memory = memory.shared();
  return {};
}

Outcome BoundArguments::place(bool is_input, uint32_t index, const Operand& operand, const Binding& binding,
                              Argument& argument) const {
  if (is_omitted(binding)) {
    argument.omitted = true;
    return {};
  }
  if (binding.memory == nullptr) {
    if (binding.length == 0) return bad_data("The argument has no bytes, but its pointer is not null.");
    argument.data = binding.buffer;
    argument.bytes = binding.length;
    return check_length(operand.type.code, argument.dimensions, argument.bytes);
  }
  const ClientMemory& memory = *binding.memory;
  if (memory.description() != nullptr) return place_described(is_input, index, binding, argument);
  NNRT_TRY(memory.check_range(binding.offset, binding.length));
  const bool is_whole = binding.offset == 0 && binding.length == 0;
  argument.data = memory.data() + binding.offset;
  argument.bytes = is_whole ? memory.bytes() : binding.length;
  argument.memory = memory.shared();
  NNRT_TRY(check_length(operand.type.code, argument.dimensions, argument.bytes));
  if (is_input ? memory.may_read() : memory.may_write()) return {};
  return unmappable("The memory is not ", is_input ? "readable." : "writable.");
}

Outcome BoundArguments::bind(bool is_input, int32_t index, const Binding& binding) {
  Side& side = is_input ? inputs_ : outputs_;
  NNRT_TRY(require_index(is_input ? "input" : "output", index, side.arguments.size()));
  const auto at = static_cast<uint32_t>(index);
  const Operand& operand = is_input ? compilation_->input(at) : compilation_->output(at);
  Argument argument;
  NNRT_TRY(find_dimensions(is_input, operand, binding, argument.dimensions));
  if (side.is_bound[at]) return bad_state(is_input ? "Input " : "Output ", index, " is set already.");
  NNRT_TRY(place(is_input, at, operand, binding, argument));
  side.arguments[at] = std::move(argument);
  side.memories[at] = binding.memory;
  side.is_bound[at] = true;
  any_bound_ = true;
  return {};
}

Outcome BoundArguments::check_complete() const {
  for (const Side* const side : {&inputs_, &outputs_}) {
    const auto missing = std::ranges::find(side->is_bound, false);
    if (missing == side->is_bound.end()) continue;
    return bad_data(side == &inputs_ ? "Input " : "Output ", missing - side->is_bound.begin(),
                    " is not set.");
  }
  return {};
}

Outcome BoundArguments::check_outputs_known() const {
  for (uint32_t i = 0; i < outputs_.arguments.size(); ++i) {
    const Argument& output = outputs_.arguments[i];
    if (output.omitted || are_known(compilation_->output(i).type.code, output.dimensions)) continue;
    return bad_data("The dimensions of output ", i, ", ", text_of(output.dimensions), ", are not all known.");
  }
  return {};
}

Outcome BoundArguments::check_memories() const {
  for (const Side* const side : {&inputs_, &outputs_}) {
    for (size_t i = 0; i < side->memories.size(); ++i) {
      const ClientMemory* const memory = side->memories[i].get();
      if (memory == nullptr) continue;
      const Status status = memory->shared()->check_file();
      if (!status.ok()) return op_failed(status.error().message);
      if (side != &inputs_ || memory->description() == nullptr) continue;
      const auto content = memory->content();
      if (!content) return op_failed("The memory of input ", i, " has no content yet.");
      if (*content != side->arguments[i].dimensions) {
        return op_failed("The memory of input ", i, " has a content of ", text_of(*content), " instead of ",
                         text_of(side->arguments[i].dimensions), ".");
      }
    }
  }
  return {};
}

void BoundArguments::set_contents(const std::vector<OutputShape>* shapes) const {
  for (size_t i = 0; i < outputs_.memories.size(); ++i) {
    ClientMemory* const memory = outputs_.memories[i].get();
    if (memory == nullptr || memory->description() == nullptr) continue;
    const bool is_there = shapes != nullptr && (*shapes)[i].known;
    memory->set_content(is_there ? std::optional((*shapes)[i].dimensions) : std::nullopt);
  }
}

}  // namespace nnrt::nnapi
