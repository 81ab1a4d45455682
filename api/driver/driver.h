// What the driver does, whatever interface a client reaches it by.
#pragma once

#include "api/driver/driver_memory.h"
#include "core/cache/build_cache.h"
#include "core/device/device.h"

#include <neural_network_runtime/hdi/v2_0/iprepared_model.h>
#include <neural_network_runtime/hdi/v2_0/model_types.h>

#include <memory>
#include <string>
#include <vector>

namespace nnrt::driver {

using ModelPtr = std::shared_ptr<hdi::IPreparedModel>;

// 0, or what is wrong with the client's configuration.
int32_t read_options(const hdi::ModelConfig& config, CompileOptions& options);

// Models run on the first of its devices, and where that refuses an operation on the CPU, if that is among
// them. Thread safe.
class Driver {
 public:
  // At least one.
  explicit Driver(std::vector<std::shared_ptr<Device>> devices);

  std::string device_name() const;
  std::string vendor_name() const;
  Device& device() const { return *devices_.front(); }

  Result<std::vector<bool>> supported(const hdi::Model& model) const;
  Result<ModelPtr> prepare(const hdi::Model& model, const CompileOptions& options) const;
  Result<ModelPtr> restore(const std::vector<hdi::SharedBuffer>& cache, const CompileOptions& options) const;
  // What a cache export of this driver, or of this runtime for the same devices, has.
  Result<ModelPtr> load(const std::vector<hdi::SharedBuffer>& models, const CompileOptions& options) const;

  Result<hdi::SharedBuffer> allocate(uint32_t length) const;
  Status release(const hdi::SharedBuffer& buffer) const { return memory_->release(buffer); }

 private:
  BuildTarget target(const CompileOptions& options) const { return {device(), fallback_, options}; }
  Result<ModelPtr> made(std::shared_ptr<const CompiledModel> compiled, const CompileOptions& options) const;

  const std::vector<std::shared_ptr<Device>> devices_;
  Device* fallback_ = nullptr;  // null: none
  const std::shared_ptr<DriverMemory> memory_ = std::make_shared<DriverMemory>();
};

}  // namespace nnrt::driver
