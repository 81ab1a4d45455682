#include "tools/nnrt/data/samples.h"

#include "core/base/text.h"
#include "tools/nnrt/base/file_io.h"
#include "tools/nnrt/data/case_file.h"

#include <algorithm>
#include <array>

namespace nnrt::tool {
namespace {

namespace fs = std::filesystem;

bool is_readable(const fs::path& path) {
  constexpr std::array<std::string_view, 9> kExtensions{".png", ".jpg", ".jpeg", ".webp", ".bmp",
                                                        ".npy", ".bin", ".raw",  ".jsonl"};
  return std::ranges::find(kExtensions, extension_of(path)) != kExtensions.end();
}

// Files left behind by tools: ".cache/x.png", "._x.png".
bool is_hidden(const fs::path& below) {
  return std::ranges::any_of(below, [](const fs::path& part) { return part.native().starts_with('.'); });
}

// Unreadable entries are an error, because a skipped sample would go unnoticed.
template <typename Iterator>
Result<std::vector<fs::path>> entries(const fs::path& folder) {
  std::vector<fs::path> paths;
  std::error_code error;
  for (Iterator it(folder, error); !error && it != Iterator(); it.increment(error))
    paths.push_back(it->path());
  if (error)
    return Error{Code::invalid_path,
                 cat("Folder (", folder.string(), ") cannot be read: ", error.message(), ".")};
  std::ranges::sort(paths);
  return paths;
}

// The file of each input, found by name in the folder.
Result<std::vector<std::string>> files_by_input(const fs::path& folder,
                                                std::span<const import::Tensor> inputs) {
  std::vector<std::string> options;
  NNRT_ASSIGN(const std::vector<fs::path> files, entries<fs::directory_iterator>(folder));
  for (const import::Tensor& input : inputs) {
    const auto found = std::ranges::find_if(
        files, [&](const fs::path& file) { return is_readable(file) && file.stem() == input.name; });
    if (found == files.end())
      return invalid("Folder (", folder.string(), ") has no file for input ", input.name, ".");
    options.push_back(cat(input.name, '=', found->string()));
  }
  return options;
}

Result<std::vector<Input>> read_inputs(const Sample& sample, std::span<const import::Tensor> inputs,
                                       InputOptions options) {
  std::error_code error;
  if (fs::is_directory(sample.path, error)) {
    NNRT_ASSIGN(options.inputs, files_by_input(sample.path, inputs));
  } else {
    options.inputs = {cat(inputs[0].name, '=', sample.path.string())};
  }
  return make_inputs(inputs, options);
}

Result<std::vector<Input>> read_case_inputs(const Sample& sample, std::span<const import::Tensor> inputs) {
  NNRT_ASSIGN(ModelFile file, read_case(sample.path));
  bool fits = file.inputs.size() == inputs.size();
  for (size_t i = 0; fits && i < inputs.size(); ++i) {
    fits = file.inputs[i].type == inputs[i].type &&
           std::ranges::equal(inputs[i].shape, file.inputs[i].shape, [](int32_t declared, int32_t given) {
             return declared < 0 || declared == given;
           });
  }
  if (!fits)
    return invalid("The inputs of the case in ", sample.path.string(), " are not those of the model.");
  std::vector<Input> made;
  for (Array& array : file.inputs) made.push_back({std::move(array), sample.path.string()});
  return made;
}

}  // namespace

Result<std::vector<Sample>> list_samples(const fs::path& folder, size_t input_count) {
  std::error_code error;
  if (!fs::is_directory(folder, error))
    return Error{Code::invalid_path, cat("Folder (", folder.string(),
                                         fs::exists(folder, error) ? ") is a file." : ") does not exist.")};
  if (input_count == 0) return invalid("The model has no input.");
  NNRT_ASSIGN(const std::vector<fs::path> paths, input_count == 1
                                                     ? entries<fs::recursive_directory_iterator>(folder)
                                                     : entries<fs::directory_iterator>(folder));
  std::vector<Sample> samples;
  for (const fs::path& path : paths) {
    if (is_hidden(path.lexically_relative(folder))) continue;
    const bool is_folder = fs::is_directory(path, error);
    const bool is_sample =
        input_count == 1 ? !is_folder && is_readable(path) : is_folder || extension_of(path) == ".jsonl";
    if (is_sample) samples.push_back({path, path.lexically_relative(folder).generic_string()});
  }
  if (!samples.empty()) return samples;
  const char* const wanted =
      input_count == 1 ? "image (.png, .jpg, .webp, .bmp), no array (.npy, .bin, .raw) and no case (.jsonl)"
                       : "case (.jsonl) and no folder with a file for each of the model's inputs";
  return Error{Code::invalid_path, cat("Folder (", folder.string(), ") has no ", wanted, ".")};
}

Result<std::vector<Input>> read_sample(const Sample& sample, std::span<const import::Tensor> inputs,
                                       const InputOptions& options) {
  if (extension_of(sample.path) == ".jsonl") return read_case_inputs(sample, inputs);
  auto read = read_inputs(sample, inputs, options);
  if (read.ok()) return read;
  return std::move(read).error().during(cat("reading sample ", sample.name));
}

}  // namespace nnrt::tool
