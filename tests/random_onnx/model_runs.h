// Runs random models and compares devices.
#pragma once

#include "tests/import/inference_session.h"
#include "tests/random_onnx/random_model.h"

#include <optional>
#include <string>
#include <vector>

namespace nnrt::test {

// The model's outputs on the first device of the type; `fused` = false sets NNRT_TEST_FUSE=off.
Result<std::vector<Value>> run(const RandomModel& model, const import::Network& network,
                               OH_NN_DeviceType device, bool fused);

// Describes the first output that differs by more than rounding.
std::optional<std::string> difference(const RandomModel& model, const std::vector<Value>& got,
                                      const std::vector<Value>& want);

bool is_finite(const RandomModel& model, const std::vector<Value>& results);

// Describes a fault found without ONNX Runtime, using the CPU without fusion as reference.
std::optional<std::string> problem_of(const RandomModel& model, OH_NN_DeviceType device);

}  // namespace nnrt::test
