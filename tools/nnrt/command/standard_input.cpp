#include "tools/nnrt/command/standard_input.h"

#include "core/base/text.h"
#include "tools/nnrt/base/file_io.h"
#include "tools/nnrt/base/temporary_file.h"

#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>

namespace nnrt::tool {
namespace {

using namespace std::string_view_literals;

// "BM" and the file's size: two letters alone may be raw elements.
bool is_bitmap(std::string_view bytes) {
  if (bytes.size() < 6 || !bytes.starts_with("BM")) return false;
  uint32_t size = 0;
  for (size_t i = 0; i < 4; ++i) size |= uint32_t{static_cast<unsigned char>(bytes[2 + i])} << (8 * i);
  return size == bytes.size();
}

std::string_view extension_of_model(std::string_view bytes) {
  if (bytes.size() > 8 && bytes.substr(4).starts_with("TFL3")) return ".tflite";
  if (bytes.size() > 8 && bytes.substr(4).starts_with("MSL2")) return ".ms";
  if (bytes.starts_with("!\x89"sv)) return ".nnrt";
  return bytes.starts_with('{') ? ".jsonl" : ".onnx";
}

std::string_view extension_of_input(std::string_view bytes) {
  if (bytes.starts_with("\x93NUMPY"sv)) return ".npy";
  if (bytes.starts_with("PK\x03\x04"sv) || bytes.starts_with("PK\x05\x06"sv)) return ".npz";
  return is_bitmap(bytes) ? ".bmp" : "";
}

bool is_standard_input(std::string_view text) { return text == "-" || text.ends_with("=-"); }

}  // namespace

Result<std::string> read_standard_input() {
  std::string bytes;
  std::array<char, size_t{1} << 16> part;
  for (;;) {
    const ssize_t count = read(STDIN_FILENO, part.data(), part.size());
    if (count > 0) bytes.append(part.data(), static_cast<size_t>(count));
    if (count == 0) break;
    if (count < 0 && errno != EINTR)
      return Error{Code::failed, cat("Standard input cannot be read: ", std::strerror(errno), ".")};
  }
  if (bytes.empty()) return Error{Code::invalid_file, "Standard input (-) is empty."};
  return bytes;
}

std::string name_of_standard_input(std::string_view bytes, bool is_model) {
  return cat("standard_input", is_model ? extension_of_model(bytes) : extension_of_input(bytes));
}

Status with_standard_input(ModelOptions& options, std::span<std::string* const> models, const Action& run) {
  std::vector<std::string*> found;
  for (std::string* model : models)
    if (*model == "-") found.push_back(model);
  const bool is_model = !found.empty();
  for (std::string& input : options.inputs.inputs)
    if (is_standard_input(input)) found.push_back(&input);
  if (found.empty()) return run();
  if (found.size() > 1)
    return invalid("Standard input (-) is given ", found.size(), " times; it can be read once.");
  if (is_model && !options.build.cache.empty())
    return invalid("Option --cache takes a model from a file: standard input (-) has no path.");
  NNRT_ASSIGN(std::string bytes, read_standard_input());
  NNRT_ASSIGN(const TemporaryFile file, TemporaryFile::create(name_of_standard_input(bytes, is_model)));
  NNRT_TRY(write_file(file.path(), bytes));
  bytes = {};
  found.front()->replace(found.front()->size() - 1, 1, file.path().string());
  return run();
}

void set_model_action(CommandLine& command, Action& action, ModelOptions& options, Action run,
                      std::vector<std::string*> models) {
  if (models.empty()) models = {&options.model};
  command.when_called([&action, &options, run = std::move(run), models = std::move(models)] {
    action = [&options, run, models] { return with_standard_input(options, models, run); };
  });
}

}  // namespace nnrt::tool
