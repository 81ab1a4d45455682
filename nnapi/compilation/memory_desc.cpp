#include "nnapi/compilation/memory_desc.h"

#include "nnapi/base/client_call.h"
#include "nnapi/model/operand_types.h"

#include <algorithm>

namespace nnrt::nnapi {
namespace {

// Ignores dimensions.
bool are_alike(const Operand& a, const Operand& b) {
  return a.type.code == b.type.code && a.type.scale == b.type.scale &&
         a.type.zero_point == b.type.zero_point && a.channel_quant == b.channel_quant;
}

}  // namespace

Outcome MemoryDesc::require_open() const {
  if (!finished_) return {};
  return bad_state("The descriptor is finished.");
}

Outcome MemoryDesc::add_role(const std::shared_ptr<Compilation>& compilation, bool is_input, uint32_t index,
                             float frequency) {
  NNRT_TRY(require_open());
  if (!compilation->is_ready()) return bad_data("The compilation is not finished, or finishing it failed.");
  const Model& model = compilation->model();
  NNRT_TRY(require_index(is_input ? "input" : "output", index,
                         is_input ? model.inputs.size() : model.outputs.size()));
  if (!(frequency > 0 && frequency <= 1)) return bad_data("Frequency (", frequency, ") is outside (0, 1].");
  Role role{compilation, is_input, index};
  if (std::ranges::find(roles_, role) != roles_.end())
    return bad_data(is_input ? "Input " : "Output ", index, " has this memory already.");
  const Operand& operand = is_input ? compilation->input(index) : compilation->output(index);
  if (operand_ && !are_alike(*operand_, operand)) {
    return bad_data("A ", type_name(operand.type.code), " differs in type or quantization from the ",
                    type_name(operand_->type.code), " that other inputs and outputs have.");
  }
  auto dimensions = combined(dimensions_, operand.type.dimensions);
  if (!dimensions || (!is_tensor(operand.type.code) && !dimensions_.empty())) {
    return bad_data("Dimensions ", text_of(operand.type.dimensions), " contradict ", text_of(dimensions_),
                    ".");
  }
  roles_.push_back(std::move(role));
  compilations_.push_back(compilation);
  operand_ = operand;
  dimensions_ = std::move(*dimensions);
  return {};
}

Outcome MemoryDesc::set_dimensions(uint32_t rank, const uint32_t* dimensions) {
  NNRT_TRY(require_open());
  const Dimensions given(dimensions, dimensions + rank);
  if (operand_ && !is_tensor(operand_->type.code) && rank != 0)
    return bad_data("A ", type_name(operand_->type.code), " has no dimensions, not ", rank, ".");
  auto both = combined(dimensions_, given);
  if (!both) return bad_data("Dimensions ", text_of(given), " contradict ", text_of(dimensions_), ".");
  dimensions_ = std::move(*both);
  return {};
}

Outcome MemoryDesc::finish() {
  NNRT_TRY(require_open());
  if (roles_.empty()) return bad_data("The descriptor names no input and no output.");
  finished_ = true;
  return {};
}

// If a single device has all roles, it allocates the memory: it knows what it can import.
Result<std::shared_ptr<SharedMemory>> MemoryDesc::allocate(size_t bytes) const {
  const std::vector<Device*>& devices = compilations_.front()->devices();
  const bool is_one = devices.size() == 1 && std::ranges::all_of(compilations_, [&](const auto& compilation) {
                        return compilation->devices() == devices;
                      });
  return is_one ? devices.front()->allocate(bytes) : SharedMemory::create(bytes);
}

Outcome MemoryDesc::make_memory(std::shared_ptr<ClientMemory>& made) const {
  if (!finished_) return bad_state("The descriptor is not finished.");
  OperandType type = operand_->type;
  type.dimensions = dimensions_;
  if (!is_fully_known(type)) return op_failed("Dimensions ", text_of(dimensions_), " are not all known.");
  const auto bytes = bytes_of(type.code, type.dimensions);
  if (!bytes) return op_failed("Memory of ", text_of(dimensions_), " is too large.");
  NNRT_ASSIGN(auto memory, allocate(*bytes));
  made = std::make_shared<ClientMemory>(std::move(memory), *bytes,
                                        MemoryDescription{std::move(type), operand_->channel_quant, roles_});
  return {};
}

}  // namespace nnrt::nnapi
