// Writes models to a folder, for ONNX Runtime and for bug reports.
#pragma once

#include "tests/import/inference_session.h"
#include "tests/random_onnx/random_model.h"

#include <nlohmann/json.hpp>

#include <filesystem>
#include <optional>

namespace nnrt::test {

// NAME.onnx, and NAME.INPUT.bin for each input.
void write_model(const std::filesystem::path& folder, const std::string& name, const RandomModel& model);

// Writes seeds first, first + 1, ..., and an index.json for onnxruntime_reference.js.
void write_models(const std::filesystem::path& folder, uint32_t first, uint32_t count);

// Results of ONNX Runtime.
class References {
 public:
  // Empty if the folder has no results.
  static std::optional<References> open(const std::filesystem::path& folder);

  // Fails with ONNX Runtime's message, or if the model was not run.
  Result<std::vector<Value>> results(uint32_t seed, const RandomModel& model) const;

 private:
  std::filesystem::path folder_;
  nlohmann::json results_;
};

}  // namespace nnrt::test
