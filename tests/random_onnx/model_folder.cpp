#include "tests/random_onnx/model_folder.h"

#include <fstream>
#include <iterator>

namespace nnrt::test {
namespace {

using nlohmann::json;

void write_file(const std::filesystem::path& path, const std::string& bytes) {
  std::ofstream file(path, std::ios::binary);
  file << bytes;
  if (!file.flush()) throw std::runtime_error(path.string() + " cannot be written");
}

std::string read_file(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

const char* type_name(int32_t type) {
  switch (type) {
    case OnnxModel::kFloat16: return "float16";
    case OnnxModel::kUint8: return "uint8";
    case OnnxModel::kInt8: return "int8";
    case OnnxModel::kInt32: return "int32";
    case OnnxModel::kInt64: return "int64";
    default: return "float32";
  }
}

size_t size_of(int32_t type) {
  switch (type) {
    case OnnxModel::kUint8:
    case OnnxModel::kInt8: return 1;
    case OnnxModel::kFloat16: return 2;
    case OnnxModel::kInt64: return 8;
    default: return 4;
  }
}

}  // namespace

void write_model(const std::filesystem::path& folder, const std::string& name, const RandomModel& model) {
  write_file(folder / (name + ".onnx"), model.file.file.serialize());
  for (const Feed& feed : model.feeds)
    write_file(folder / (name + "." + feed.value.name + ".bin"), feed.bytes);
}

void write_models(const std::filesystem::path& folder, uint32_t first, uint32_t count) {
  std::filesystem::create_directories(folder);
  std::filesystem::remove(folder / "results.json");
  json index = json::array();
  for (uint32_t seed = first; seed < first + count; ++seed) {
    const RandomModel model = draw_model(seed);
    const std::string name = std::to_string(seed);
    write_model(folder, name, model);
    json inputs = json::array(), outputs = json::array();
    for (const Feed& feed : model.feeds)
      inputs.push_back(
          {{"name", feed.value.name}, {"type", type_name(feed.value.type)}, {"shape", feed.value.shape}});
    for (const Drawn& output : model.outputs) outputs.push_back(output.name);
    index.push_back({{"name", name}, {"inputs", inputs}, {"outputs", outputs}});
  }
  write_file(folder / "index.json", index.dump());
}

std::optional<References> References::open(const std::filesystem::path& folder) {
  std::ifstream file(folder / "results.json");
  if (!file) return {};
  References references;
  references.folder_ = folder;
  references.results_ = json::parse(file);
  return references;
}

Result<std::vector<Value>> References::results(uint32_t seed, const RandomModel& model) const {
  const std::string name = std::to_string(seed);
  if (!results_.contains(name)) return Error{Code::failed, "It was not run."};
  const json& result = results_[name];
  if (result.contains("error")) return Error{Code::failed, result["error"].get<std::string>()};
  const std::string bytes = read_file(folder_ / (name + ".out"));
  std::vector<Value> values;
  size_t at = 0;
  for (size_t i = 0; i < model.outputs.size(); ++i) {
    const auto shape = result["shapes"][i].get<Dimensions>();
    const auto size = static_cast<size_t>(product(shape, 0, shape.size())) * size_of(model.outputs[i].type);
    if (at + size > bytes.size()) return Error{Code::failed, "The file of its results is short."};
    const auto view = std::as_bytes(std::span(bytes)).subspan(at, size);
    values.push_back({Shape(shape.begin(), shape.end()), Bytes(view.begin(), view.end())});
    at += size;
  }
  return values;
}

}  // namespace nnrt::test
