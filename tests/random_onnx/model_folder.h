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

// Seeds first, first + 1, ...: the files, and index.json, which tells onnxruntime_reference.js about them.
void write_models(const std::filesystem::path& folder, uint32_t first, uint32_t count);

// What ONNX Runtime made of them.
class References {
 public:
  // None where the folder has no results.
  static std::optional<References> open(const std::filesystem::path& folder);

  // The error tells what ONNX Runtime said. Results of a model that was not run are an error too.
  Result<std::vector<Value>> results(uint32_t seed, const RandomModel& model) const;

 private:
  std::filesystem::path folder_;
  nlohmann::json results_;
};

}  // namespace nnrt::test
