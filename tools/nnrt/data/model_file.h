// A model file given to a command.
#pragma once

#include "tools/import/description.h"
#include "tools/import/network/import_options.h"
#include "tools/nnrt/base/array.h"

#include <filesystem>
#include <optional>
#include <string>

namespace nnrt::tool {

using import::InputShapes;

// A case file may have several cases; commands use the first run of the first case.
struct CaseOrigin {
  std::string name;
  size_t cases = 0, runs = 0;  // cases in the file, runs in the case
};

struct ModelFile {
  std::filesystem::path path;
  // Empty for a compiled model, which only the library can read. Weights may be unread, as in LoadedFile.
  std::optional<import::Network> network;
  std::vector<Array> inputs;           // inputs in the file
  std::vector<Array> outputs{};        // expected results for these inputs, if the file has them
  std::vector<std::string> labels{};   // attached class names
  std::optional<CaseOrigin> origin{};  // set for a case
  import::Description description{};   // of the file, also stored in an offline model; may be empty
  import::Bytes cache_note{};          // import/cache_note.h, for a cache of the compiled model
  uint64_t bytes = 0;                  // size, external data included

  // Only the compiled model was found, in a cache.
  bool is_cached() const { return !network && !cache_note.empty(); }
};

// Sets the description, and the labels from its files.
void set_description(ModelFile& file, import::Description description);

// Opens a model file (.onnx, .tflite, .ms), an offline model (.nnrt), or the first conformance case of a
// .jsonl file.
Result<ModelFile> open_model(const std::filesystem::path& path, const import::Options& options = {});

}  // namespace nnrt::tool
