// A model under construction, with the checks of each call. States: composing; finished (there is a model);
// invalid (finish() failed).
#pragma once

#include "nnapi/base/outcome.h"
#include "nnapi/memory/client_memory.h"
#include "nnapi/model/model.h"

#include <map>
#include <span>
#include <vector>

namespace nnrt::nnapi {

class ModelComposer {
 public:
  Outcome add_operand(const ANeuralNetworksOperandType& type);
  Outcome set_value(int32_t index, const void* buffer, size_t length);
  Outcome set_value_from_memory(int32_t index, const ClientMemory& memory, size_t offset, size_t length);
  Outcome set_value_from_model(int32_t index, const ModelComposer& value);
  Outcome set_channel_quant(int32_t index, const ANeuralNetworksSymmPerChannelQuantParams& params);
  // bad data: there are no extension operands.
  Outcome set_extension_data(int32_t index) const;
  Outcome add_operation(int32_t code, std::span<const uint32_t> inputs, std::span<const uint32_t> outputs);
  Outcome identify(std::span<const uint32_t> inputs, std::span<const uint32_t> outputs);
  Outcome relax(bool allow);
  Outcome finish();

  // bad state, unless the model is finished.
  Outcome require_finished() const;
  const ModelPtr& finished() const { return finished_; }

 private:
  Outcome require_composing() const;
  // The operand, if its value may be `length` bytes.
  Outcome find_constant(int32_t index, size_t length, Operand*& operand);
  Outcome find(std::span<const uint32_t> indices, std::vector<const Operand*>& operands) const;

  Model model_;
  std::map<uint32_t, ByteView> referenced_;  // values still owned by the client
  bool identified_ = false, ended_ = false;
  ModelPtr finished_;
};

}  // namespace nnrt::nnapi

struct ANeuralNetworksModel {
  nnrt::nnapi::ModelComposer composer;
};
