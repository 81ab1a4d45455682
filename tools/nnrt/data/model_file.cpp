#include "tools/nnrt/data/model_file.h"

#include "core/base/text.h"
#include "tools/import/load_network.h"
#include "tools/nnrt/data/case_file.h"

namespace nnrt::tool {
namespace {

// A shape without name is meant for the file's only input.
Result<import::Options> named(const std::filesystem::path& path, InputShapes shapes) {
  const auto nameless = shapes.find("");
  if (nameless != shapes.end()) {
    NNRT_ASSIGN(const import::Network network, import::load(path));
    if (network.inputs.size() != 1) {
      return invalid("Shape ", to_string(nameless->second), " names no input; the model has ",
                     network.inputs.size(), ".");
    }
    shapes[network.tensors[network.inputs[0]].name] = nameless->second;
    shapes.erase("");
  }
  return import::Options{std::move(shapes)};
}

}  // namespace

Result<ModelFile> open_model(const std::filesystem::path& path, InputShapes shapes) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error)) {
    return Error{Code::invalid_path, cat("Model (", path.string(), ") is no file that can be read.")};
  }
  if (path.extension() == ".nnrt") return ModelFile{path, std::nullopt, {}};
  if (path.extension() == ".jsonl") return read_case(path);
  NNRT_ASSIGN(const import::Options options, named(path, std::move(shapes)));
  auto network = import::load(path, options);
  if (!network.ok()) return std::move(network).error().during("reading " + path.string());
  return ModelFile{path, std::move(network).value(), {}};
}

}  // namespace nnrt::tool
