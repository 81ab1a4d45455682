// A model that a command was given.
#pragma once

#include "tools/import/description.h"
#include "tools/import/network/import_options.h"
#include "tools/nnrt/base/array.h"

#include <filesystem>
#include <optional>
#include <string>

namespace nnrt::tool {

using import::InputShapes;

// A file of cases has several of them, of which a command takes the first run of the first.
struct CaseOrigin {
  std::string name;
  size_t cases = 0, runs = 0;  // in the file, and in the case
};

struct ModelFile {
  std::filesystem::path path;
  std::optional<import::Network> network;  // none: compiled ahead of time, only the library can read it
  std::vector<Array> inputs;               // those that came with it
  std::vector<Array> outputs{};            // the results for these inputs, if the file has them
  std::vector<std::string> labels{};       // names of classes that are attached to it
  std::optional<CaseOrigin> origin{};      // set for a case
  import::Description description{};       // of the file, which an offline model keeps; empty: there is none
};

// Sets the description, and the labels among its files.
void set_description(ModelFile& file, import::Description description);

// TensorFlow Lite, ONNX, an offline model (.nnrt), or the first case of a file of conformance cases (.jsonl).
Result<ModelFile> open_model(const std::filesystem::path& path, const import::Options& options = {});

}  // namespace nnrt::tool
