#include "tools/nnrt/data/model_file.h"

#include "core/base/text.h"
#include "tools/import/load_network.h"
#include "tools/nnrt/data/case_file.h"

namespace nnrt::tool {
Result<ModelFile> open_model(const std::filesystem::path& path, InputShapes shapes) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error)) {
    return Error{Code::invalid_path, cat("Model (", path.string(), ") is no file that can be read.")};
  }
  if (path.extension() == ".nnrt") return ModelFile{path, std::nullopt, {}};
  if (path.extension() == ".jsonl") return read_case(path);
  auto network = import::load(path, {std::move(shapes)});
  if (!network.ok()) return std::move(network).error().during("reading " + path.string());
  return ModelFile{path, std::move(network).value(), {}};
}

}  // namespace nnrt::tool
