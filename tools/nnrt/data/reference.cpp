#include "tools/nnrt/data/reference.h"

#include "core/base/text.h"
#include "tools/nnrt/base/file_io.h"
#include "tools/nnrt/data/npy.h"
#include "tools/nnrt/data/npz.h"
#include "tools/nnrt/data/output_files.h"
#include "tools/nnrt/data/results.h"

#include <algorithm>

namespace nnrt::tool {
namespace {

namespace fs = std::filesystem;

using Reference = std::vector<std::optional<Array>>;

bool is_folder(const std::string& text) {
  std::error_code error;
  return text.find('/') != text.npos && fs::is_directory(text, error);
}

Status add(Reference& reference, std::span<const import::Tensor> outputs, size_t index, Array array) {
  if (reference[index]) return invalid("The reference of output ", outputs[index].name, " is given twice.");
  reference[index] = std::move(array);
  return {};
}

Status add_archive(Reference& reference, std::span<const import::Tensor> outputs, const std::string& path) {
  NpzFiles archives;
  NNRT_ASSIGN(const std::vector<std::string> names, archives.names(path));
  for (const std::string& name : names) {
    size_t index = size_t(std::ranges::find(outputs, name, &import::Tensor::name) - outputs.begin());
    for (size_t i = 0; index == outputs.size() && i < outputs.size(); ++i)
      if (name == cat("arr_", i) || (names.size() == 1 && outputs.size() == 1)) index = i;
    if (index == outputs.size())
      return invalid("Array ", name, " of ", path, " is not an output of the model: ", names_of(outputs),
                     ".");
    NNRT_ASSIGN(const Array* const array, archives.array(path, name));
    NNRT_TRY(add(reference, outputs, index, *array));
  }
  return {};
}

Status add_folder(Reference& reference, std::span<const import::Tensor> outputs, const fs::path& folder) {
  bool has_any = false;
  for (size_t i = 0; i < outputs.size(); ++i) {
    const std::string& name = outputs[i].name;
    for (const std::string& file : {output_file_name(i, name), name + ".npy", file_name_of(name) + ".npy"}) {
      std::error_code error;
      if (!fs::is_regular_file(folder / file, error)) continue;
      NNRT_ASSIGN(Array array, read_npy(folder / file));
      NNRT_TRY(add(reference, outputs, i, std::move(array)));
      has_any = true;
      break;
    }
  }
  if (has_any) return {};
  return Error{Code::invalid_path,
               cat("Folder (", folder.string(), ") has no array for any output, such as ",
                   outputs.empty() ? "y.npy" : output_file_name(0, outputs[0].name), ".")};
}

// "OUTPUT=FILE.npy", or "FILE.npy" for the only output. Names may contain '='.
Status add_array(Reference& reference, std::span<const import::Tensor> outputs, const std::string& text) {
  for (size_t i = 0; i < outputs.size(); ++i) {
    if (!text.starts_with(outputs[i].name + "=")) continue;
    NNRT_ASSIGN(Array array, read_npy(text.substr(outputs[i].name.size() + 1)));
    return add(reference, outputs, i, std::move(array));
  }
  std::error_code error;
  if (outputs.size() != 1 || !fs::exists(text, error)) {
    NNRT_TRY(check_readable("File", text));
    return invalid("Reference (", text, ") does not name an output; the model has ", outputs.size(), ": ",
                   names_of(outputs), ".");
  }
  NNRT_ASSIGN(Array array, read_npy(text));
  return add(reference, outputs, 0, std::move(array));
}

Shape without_ones(const Shape& shape) {
  Shape kept;
  for (const int32_t size : shape)
    if (size != 1) kept.push_back(size);
  return kept;
}

// With the output's type and shape. Integers must be exact.
Result<Array> converted(const import::Tensor& output, const Array& got, const Array& want) {
  NNRT_ASSIGN(Array made, make_array(got.type, got.shape));
  for (size_t i = 0; i < made.count(); ++i) {
    made.set(i, want[i]);
    if (is_float(got.type) || made[i] == want[i]) continue;
    return Error{Code::failed, cat("Element ", position(got.shape, i), " of the reference of output ",
                                   output.name, " (", want[i], ") is not a value of the output's type.")};
  }
  return made;
}

}  // namespace

bool is_reference(const std::string& text) {
  return text.ends_with(".npz") || text.ends_with(".npy") || is_folder(text);
}

Result<Reference> read_reference(std::span<const std::string> texts,
                                 std::span<const import::Tensor> outputs) {
  Reference reference(outputs.size());
  for (const std::string& text : texts) {
    if (text.ends_with(".npz")) {
      NNRT_TRY(add_archive(reference, outputs, text));
    } else if (text.ends_with(".npy")) {
      NNRT_TRY(add_array(reference, outputs, text));
    } else {
      NNRT_TRY(add_folder(reference, outputs, text));
    }
  }
  return reference;
}

Result<OutputDifference> compare_with_reference(const import::Tensor& output, const Array& got,
                                                const Array& want, const Tolerance& tolerance) {
  if (without_ones(got.shape) != without_ones(want.shape)) {
    return Error{Code::failed, cat("Output ", output.name, " is ", describe(got.type, got.shape),
                                   ", but its reference is ", describe(want.type, want.shape), ".")};
  }
  if (!is_8_bit(got.type) || output.quantization.empty() || !is_float(want.type)) {
    NNRT_ASSIGN(const Array converted_want, converted(output, got, want));
    return compare(output.name, got, converted_want, tolerance);
  }
  NNRT_ASSIGN(Array real_got, make_array(OH_NN_FLOAT32, got.shape));
  for (size_t i = 0; i < got.count(); ++i) real_got.set(i, real({output, got}, i));
  NNRT_ASSIGN(const Array real_want, converted(output, real_got, want));
  Tolerance in_steps = tolerance;
  in_steps.precision.codes = std::max(in_steps.precision.codes, 2.0);
  in_steps.precision.step = output.quantization.scales[0];
  return compare(output.name, real_got, real_want, in_steps);
}

Result<std::vector<OutputDifference>> compare_all(std::span<const import::Tensor> outputs,
                                                  std::span<const Array> got,
                                                  std::span<const std::optional<Array>> want,
                                                  std::span<const Tolerance> tolerances) {
  std::vector<OutputDifference> differences;
  for (size_t i = 0; i < outputs.size(); ++i) {
    if (!want[i]) continue;
    NNRT_ASSIGN(differences.emplace_back(),
                compare_with_reference(outputs[i], got[i], *want[i], tolerances[i]));
  }
  return differences;
}

std::string title_of(std::span<const std::string> texts) {
  std::string title;
  for (const std::string& text : texts) title += (title.empty() ? "" : ", ") + text;
  return title;
}

}  // namespace nnrt::tool
