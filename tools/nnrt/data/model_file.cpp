#include "tools/nnrt/data/model_file.h"

#include "core/base/text.h"
#include "tools/import/load_network.h"
#include "tools/nnrt/data/case_file.h"
#include "tools/nnrt/data/labels.h"

namespace nnrt::tool {

void set_description(ModelFile& file, import::Description description) {
  file.description = std::move(description);
  file.labels = attached_labels(file.description.files);
}

Result<ModelFile> open_model(const std::filesystem::path& path, const import::Options& options) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error)) {
    return Error{Code::invalid_path, cat("Model (", path.string(), ") is no file that can be read.")};
  }
  if (path.extension() == ".nnrt") return ModelFile{path, std::nullopt, {}};
  if (path.extension() == ".jsonl") return read_case(path);
  auto loaded = import::load_all(path, options);
  if (!loaded.ok()) return std::move(loaded).error().during("reading " + path.string());
  ModelFile file{path, std::move(loaded.value().network), {}};
  set_description(file, import::description_of(*file.network, std::move(loaded.value().files)));
  return file;
}

}  // namespace nnrt::tool
