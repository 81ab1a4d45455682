#include "device_time.h"

#include "one_operation.h"

#include <neural_network_runtime/nnrt_extensions.h>

#include <nlohmann/json.hpp>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

namespace bench {
namespace {

// Traces everything that runs in this process to a file during its lifetime. The config belongs to the
// compilation of a model that is never run.
class TracedScope {
 public:
  explicit TracedScope(size_t device) {
    const Operation smallest{"RELU [1]", OH_NN_OPS_RELU, 1, {1}};
    compilation_ = own(OH_NNCompilation_Construct(compose(smallest).get()), "OH_NNCompilation_Construct");
    const std::string path = file_.string();
    check(OH_NNCompilation_AddExtensionConfig(compilation_.get(), "nnrt.trace", path.c_str(), path.size()),
          "OH_NNCompilation_AddExtensionConfig");
    check(OH_NNCompilation_SetDevice(compilation_.get(), device), "OH_NNCompilation_SetDevice");
    check(OH_NNCompilation_Build(compilation_.get()), "OH_NNCompilation_Build");
  }
  ~TracedScope() {
    compilation_.reset();
    std::error_code ignored;
    std::filesystem::remove(file_, ignored);
  }
  TracedScope(const TracedScope&) = delete;
  TracedScope& operator=(const TracedScope&) = delete;

  nlohmann::json end() {
    compilation_.reset();
    std::ifstream stream(file_);
    return nlohmann::json::parse(stream).at("traceEvents");
  }

 private:
  const std::filesystem::path file_ =
      std::filesystem::temp_directory_path() / ("nnrt_bench_trace_" + std::to_string(getpid()) + ".json");
  Compilation compilation_;
};

bool is_transfer(const std::string& name) { return name == "copy inputs" || name == "copy outputs"; }

double median(std::vector<double> values) {
  std::ranges::sort(values);
  return values[values.size() / 2];
}

// All runs have the same steps, so each run has an equal number of events. Empty if there are none.
std::optional<DeviceTime> median_run(const nlohmann::json& events, int runs) {
  std::vector<DeviceTime> steps;
  for (const auto& event : events) {
    if (event.value("cat", "") != "gpu") continue;
    const double us = event.at("dur").get<double>();
    steps.push_back(is_transfer(event.at("name")) ? DeviceTime{0, us} : DeviceTime{us, 0});
  }
  const size_t count = steps.size() / static_cast<size_t>(runs);
  if (count == 0) return std::nullopt;
  std::vector<double> kernels, transfers;
  for (size_t begin = 0; begin + count <= steps.size(); begin += count) {
    DeviceTime run;
    for (size_t i = begin; i < begin + count; ++i) {
      run.kernels_us += steps[i].kernels_us;
      run.transfers_us += steps[i].transfers_us;
    }
    kernels.push_back(run.kernels_us);
    transfers.push_back(run.transfers_us);
  }
  return DeviceTime{median(kernels), median(transfers)};
}

std::optional<DeviceTime> traced(NetworkRunner& runner, int runs) {
  TracedScope scope(runner.device());
  for (int i = 0; i < runs; ++i) runner.run();
  return median_run(scope.end(), runs);
}

}  // namespace

std::optional<DeviceTime> device_time(NetworkRunner& runner, int runs) {
  const std::optional<DeviceTime> between_host_and_device = traced(runner, runs);
  if (!between_host_and_device) return std::nullopt;
  runner.keep_on_device();
  runner.run();  // uploads the tensors
  const std::optional<DeviceTime> kept = traced(runner, runs);
  if (!kept) return std::nullopt;
  return DeviceTime{kept->kernels_us, between_host_and_device->transfers_us};
}

}  // namespace bench
