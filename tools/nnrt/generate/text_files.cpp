#include "tools/nnrt/generate/text_files.h"

#include "core/base/text.h"
#include "tools/nnrt/base/file_io.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>

namespace nnrt::tool {
namespace {

using nlohmann::json;
namespace fs = std::filesystem;

constexpr size_t kMaxFile = size_t{1} << 24;

// Null if there is no such file.
Result<json> read_json(const fs::path& path) {
  std::error_code error;
  if (!fs::is_regular_file(path, error)) return json();
  NNRT_ASSIGN(const import::Bytes bytes, read_file(path, kMaxFile));
  const auto* const first = reinterpret_cast<const char*>(bytes.data());
  json file = json::parse(first, first + bytes.size(), nullptr, false);
  if (!file.is_object()) return Error{Code::invalid_file, cat(path.string(), " is not a JSON object.")};
  return file;
}

std::vector<fs::path> models_in(const fs::path& folder) {
  std::vector<fs::path> models;
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, error)) {
    if (entry.path().extension() == ".onnx" && entry.is_regular_file(error)) models.push_back(entry.path());
  }
  std::ranges::sort(models);
  return models;
}

// The one that genai_config.json names, one with a usual name, or the only one.
Result<fs::path> model_in(const fs::path& folder, const json& genai) {
  const json::json_pointer name("/model/decoder/filename");
  if (genai.contains(name) && genai.at(name).is_string()) return folder / genai.at(name).get<std::string>();
  std::string others;
  for (const fs::path& place : {folder, folder / "onnx"}) {
    const std::vector<fs::path> models = models_in(place);
    for (const char* const usual : {"model.onnx", "decoder_model_merged.onnx"})
      if (std::ranges::find(models, place / usual) != models.end()) return place / usual;
    if (models.size() == 1) return models.front();
    for (const fs::path& model : models)
      others += (others.empty() ? "" : ", ") + model.lexically_relative(folder).string();
  }
  if (others.empty()) return invalid("Folder (", folder.string(), ") has no .onnx file.");
  return invalid("Folder (", folder.string(), ") has several models: give the path of one of ", others, ".");
}

fs::path folder_of_files(const fs::path& model) {
  const fs::path folder = model.has_parent_path() ? model.parent_path() : ".";
  static constexpr std::array kNames{"config.json", "genai_config.json", "generation_config.json",
                                     "tokenizer.json"};
  const bool is_beside =
      std::ranges::any_of(kNames, [&](const char* name) { return fs::exists(folder / name); });
  return !is_beside && fs::absolute(folder).filename() == "onnx" ? folder / ".." : folder;
}

// The first of these members that is there.
json member(const json& object, std::initializer_list<const char*> pointers) {
  for (const char* const pointer : pointers) {
    const json::json_pointer place(pointer);
    if (object.contains(place) && !object.at(place).is_null()) return object.at(place);
  }
  return {};
}

// The defaults where a configuration samples, but does not say how, are those of transformers.
Sampling sampling_of(const json& config) {
  Sampling sampling;
  const auto number = [&](const char* name, double otherwise) {
    const json value =
        member(config, {(std::string("/") + name).c_str(), (std::string("/search/") + name).c_str()});
    return value.is_number() ? value.get<double>() : otherwise;
  };
  if (member(config, {"/do_sample", "/search/do_sample"}) != true) return sampling;
  sampling.temperature = std::max(number("temperature", 1), 0.0);
  sampling.top_k = static_cast<uint32_t>(std::clamp(number("top_k", 50), 0.0, 1e9));
  sampling.top_p = number("top_p", 1);
  return sampling;
}

// The template of several that is for chats, or the only one.
std::string template_of(const json& config) {
  const json found = config.value("chat_template", json());
  if (found.is_string()) return found.get<std::string>();
  for (const json& one : found)
    if (one.is_object() && one.value("name", json()) == "default" &&
        one.value("template", json()).is_string())
      return one.at("template").get<std::string>();
  return "";
}

Status read_chat_files(const fs::path& folder, TextFiles& files) {
  NNRT_ASSIGN(const json config, read_json(folder / "tokenizer_config.json"));
  if (config.is_null()) return {};
  files.chat_template = template_of(config);
  for (const auto& [name, token] : config.items()) {
    const json text = token.is_object() ? token.value("content", json()) : token;
    if (name.ends_with("_token") && text.is_string()) files.special_tokens[name] = text.get<std::string>();
  }
  return {};
}

}  // namespace

Result<TextFiles> find_text_files(const fs::path& path) {
  TextFiles files;
  files.model = path;
  std::error_code error;
  if (fs::is_directory(path, error)) {
    NNRT_ASSIGN(const json genai, read_json(path / "genai_config.json"));
    NNRT_ASSIGN(files.model, model_in(path, genai));
  }
  const fs::path folder = folder_of_files(files.model);
  if (fs::is_regular_file(folder / "tokenizer.json", error)) files.tokenizer = folder / "tokenizer.json";
  NNRT_TRY(read_chat_files(folder, files));
  if (fs::is_regular_file(folder / "chat_template.jinja", error)) {
    NNRT_ASSIGN(const import::Bytes bytes, read_file(folder / "chat_template.jinja", kMaxFile));
    files.chat_template.assign(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  }
  for (const char* const name : {"generation_config.json", "genai_config.json", "config.json"}) {
    NNRT_ASSIGN(const json config, read_json(folder / name));
    const json end = member(config, {"/eos_token_id", "/model/eos_token_id", "/text_config/eos_token_id"});
    const json size = member(config, {"/max_position_embeddings", "/n_positions", "/n_ctx",
                                      "/model/context_length", "/text_config/max_position_embeddings"});
    if (files.sampling.temperature == 0) files.sampling = sampling_of(config);
    if (files.ends.empty() && end.is_number_integer()) files.ends = {end.get<int64_t>()};
    if (files.ends.empty() && end.is_array())
      for (const json& token : end)
        if (token.is_number_integer()) files.ends.push_back(token.get<int64_t>());
    if (files.positions == 0 && size.is_number_integer()) files.positions = size.get<int64_t>();
  }
  return files;
}

}  // namespace nnrt::tool
