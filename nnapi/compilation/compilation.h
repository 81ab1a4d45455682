// A model compiled for the devices chosen by the client or the runtime. Immutable once finished, and shared
// by executions.
#pragma once

#include "nnapi/base/outcome.h"
#include "nnapi/builder/model_composer.h"
#include "nnapi/plan/execution_plan.h"

#include <memory>
#include <string_view>

namespace nnrt::nnapi {

// `duration` ns from now; none for 0, or if the clock would overflow.
Deadline deadline_after(uint64_t duration);

class Compilation {
 public:
  // No devices: the runtime chooses.
  Compilation(ModelPtr model, std::vector<Device*> devices);

  Outcome set_preference(int32_t preference);
  Outcome set_priority(int priority);
  Outcome set_timeout(uint64_t duration);
  Outcome set_caching(const char* directory, const uint8_t* token);
  Outcome finish();

  // bad state after finish(), even if it failed.
  Outcome require_open() const;
  // bad state unless finished.
  Outcome require_ready() const;
  bool is_ready() const { return plan_ != nullptr; }
  // bad data, unless the client chose exactly one device.
  Outcome require_one_device() const;

  const Model& model() const { return *model_; }
  const Plan& plan() const { return *plan_; }
  const std::vector<Device*>& devices() const { return target_.devices; }

  const Operand& input(size_t index) const { return model_->operands[model_->inputs[index]]; }
  const Operand& output(size_t index) const { return model_->operands[model_->outputs[index]]; }

 private:
  ModelPtr model_;
  Target target_;
  uint64_t timeout_ = 0;  // ns; 0: none
  bool ended_ = false;
  std::shared_ptr<const Plan> plan_;  // null until finish() succeeds
};

}  // namespace nnrt::nnapi

struct ANeuralNetworksCompilation {
  std::shared_ptr<nnrt::nnapi::Compilation> compilation;
};
