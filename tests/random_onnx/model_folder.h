// Models in a folder, for ONNX Runtime and for bug reports.
#pragma once

#include "tests/import/inference_session.h"
#include "tests/random_onnx/random_model.h"

#include <nlohmann/json.hpp>

#include <filesystem>
#include <optional>

namespace nnrt::test {

// NAME.onnx, and NAME.INPUT.bin for each input.
void write_model(const std::filesystem::path& folder, const std::string& name, const RandomModel& model);

// Seeds first, first + 1, ...: the files, and index.json, which describes them for onnxruntime_reference.js.
void write_models(const std::filesystem::path& folder, uint32_t first, uint32_t count);

// The results of ONNX Runtime.
class References {
 public:
  // None where the folder has no results.
  static std::optional<References> open(const std::filesystem::path& folder);

  // The error has the message of ONNX Runtime. Results of a model that was not run are an error too.
  Result<std::vector<Value>> results(uint32_t seed, const RandomModel& model) const;

 private:
  std::filesystem::path folder_;
  nlohmann::json results_;
};

}  // namespace nnrt::test
