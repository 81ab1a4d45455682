// A model that was compiled for a client of the driver.
#pragma once

#include "api/driver/driver_memory.h"
#include "core/runtime/compile.h"
#include "core/runtime/execution.h"

#include <neural_network_runtime/hdi/plugin.h>

#include <memory>
#include <mutex>
#include <vector>

namespace nnrt::driver {

// Thread safe; runs take turns.
class DriverModel final : public hdi::IPreparedModel, public ::nnrt::hdi::ITimedModel {
 public:
  // `compiled` is exported, if it is not null.
  DriverModel(std::shared_ptr<const DriverMemory> memory, std::shared_ptr<const CompiledModel> compiled,
              std::shared_ptr<const CompiledModel> for_runs);

  int32_t ExportModelCache(std::vector<hdi::SharedBuffer>& modelCache) override;
  int32_t GetInputDimRanges(std::vector<std::vector<uint32_t>>& minInputDims,
                            std::vector<std::vector<uint32_t>>& maxInputDims) override;
  int32_t Run(const std::vector<hdi::IOTensor>& inputs, const std::vector<hdi::IOTensor>& outputs,
              std::vector<std::vector<int32_t>>& outputDims) override {
    return run(inputs, outputs, {}, outputDims);
  }
  int32_t RunUntil(const std::vector<hdi::IOTensor>& inputs, const std::vector<hdi::IOTensor>& outputs,
                   Clock::time_point deadline, std::vector<std::vector<int32_t>>& outputDims) override {
    return run(inputs, outputs, deadline, outputDims);
  }
  int32_t GetVersion(uint32_t& majorVer, uint32_t& minorVer) override;

  const Graph& graph() const { return *execution_.model().graph; }

 private:
  Status export_pieces(std::vector<hdi::SharedBuffer>& buffers);
  int32_t run(const std::vector<hdi::IOTensor>& inputs, const std::vector<hdi::IOTensor>& outputs,
              Deadline deadline, std::vector<std::vector<int32_t>>& outputDims);
  Status execute(const std::vector<hdi::IOTensor>& inputs, std::vector<OutputSlot>& slots, Deadline deadline);

  const std::shared_ptr<const DriverMemory> memory_;
  const std::shared_ptr<const CompiledModel> compiled_;
  Execution execution_;
  std::mutex mutex_;                                     // guards the members below
  std::vector<std::shared_ptr<SharedMemory>> exported_;  // empty before the first export
  std::vector<std::shared_ptr<SharedMemory>>
      last_used_;  // the client's, so that the next run finds them mapped
};

}  // namespace nnrt::driver
