// Calls of the C API as Results. Why a call refuses stands in the log, which the library writes before.
#pragma once

#include "core/base/text.h"
#include "tools/import/nn_handles.h"

#include <optional>
#include <string>
#include <string_view>

namespace nnrt::tool {

Status check(OH_NN_ReturnCode code, std::string_view call);

// Takes over what a call made.
template <typename Handle>
Result<Handle> own(typename Handle::pointer made, std::string_view call) {
  if (made == nullptr) return Error{Code::failed, cat(call, " made nothing.")};
  return Handle(made);
}

// Before the first call: runs are as fast from the first one on as they get, however long a build takes.
void expect_steady_runs();

struct Device {
  size_t id = 0;
  std::string name;
  OH_NN_DeviceType type = OH_NN_OTHERS;
};

Result<std::vector<Device>> list_devices();

// By type (gpu, cpu, accelerator), id, name or part of a name; the first that fits.
Result<Device> find_device(const std::string& wanted);

// A JSON object: that of OH_NNRt_DescribeDevice, or what another implementation of the API knows.
std::string describe(const Device& device);

struct OfflineModelDevice {
  std::string id, name;
};
// Returns the device that the file was made for; nothing where another implementation of the API, or a
// plugin, made it.
Result<std::optional<OfflineModelDevice>> device_of_offline_model(const std::string& path);

// Returns whether runs may write that output over that input; false with another implementation of the API.
bool may_share_memory(const OH_NNExecutor* executor, size_t input, size_t output);

// Lets runs keep the tensor's contents on the device ("nnrt.device_local"); another implementation of the API
// does not.
Status keep_on_device(NN_Tensor* tensor);
// The contents that were written to the tensor's memory count from now on.
Status sync_from_host(NN_Tensor* tensor);

std::string_view type_name(OH_NN_DeviceType type);

}  // namespace nnrt::tool
