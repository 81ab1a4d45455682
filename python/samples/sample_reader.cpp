#include "python/samples/sample_reader.h"

#include "python/samples/result.h"
#include "tools/nnrt/data/npy.h"
#include "tools/nnrt/data/npz.h"
#include "tools/nnrt/data/samples.h"

#include <algorithm>
#include <filesystem>

namespace nnrt::python {
SampleReader::SampleReader(std::vector<nnrt::import::Tensor> inputs, const std::string& mean,
                           const std::string& scale)
    : inputs_(std::move(inputs)) {
  if (inputs_.empty()) refuse("The model has no input.");
  if (!mean.empty()) mean_ = {mean};
  if (!scale.empty()) scale_ = {scale};
}

// Inputs that a file does not provide would be random.
void SampleReader::check_complete(const std::string& path) const {
  std::error_code error;
  const std::filesystem::path file(path);
  if (inputs_.size() == 1 || file.extension() == ".jsonl" || std::filesystem::is_directory(file, error))
    return;
  if (file.extension() != ".npz") {
    refuse("The model has " + std::to_string(inputs_.size()) +
           " inputs: a sample is a folder with a file for each, an archive (.npz) or a case (.jsonl).");
  }
  tool::NpzFiles archives;
  const std::vector<std::string> names = value_of(archives.names(file));
  for (const auto& input : inputs_) {
    if (std::ranges::find(names, input.name) == names.end())
      refuse("Archive " + path + " has no array for input " + input.name + ".");
  }
}

std::vector<tool::Array> SampleReader::read(const std::string& path) const {
  check_complete(path);
  tool::InputOptions options;
  options.mean = mean_;
  options.scale = scale_;
  if (inputs_.size() == 1 || std::filesystem::path(path).extension() != ".npz")
    return tool::arrays_of(value_of(
        tool::read_sample({path, std::filesystem::path(path).filename().string()}, inputs_, options)));
  options.inputs = {path};
  return tool::arrays_of(value_of(tool::make_inputs(inputs_, options)));
}

tool::Image read_image(const std::string& path, int channels) {
  return value_of(tool::read_image(path, channels));
}

tool::Image parse_image(const std::string& file, int channels) {
  return value_of(tool::parse_image(std::as_bytes(std::span(file)), channels));
}

tool::Array pixels_of(const tool::Image& image) {
  const auto bytes = std::as_bytes(std::span(image.pixels));
  return {OH_NN_UINT8, {image.height, image.width, image.channels}, {bytes.begin(), bytes.end()}};
}

tool::ImageLayout layout_of(const nnrt::import::Tensor& tensor) {
  return value_of(tool::image_layout(tensor));
}

tool::Array image_tensor(const tool::Image& image, const nnrt::import::Tensor& tensor,
                         const tool::Normalization& normalization) {
  return value_of(tool::resized_tensor(image, tensor, normalization)).array;
}

std::string file_of(const NamedArrays& arrays) {
  if (arrays.size() == 1) return tool::npy_file(arrays[0].second);
  std::vector<tool::NamedArray> named;
  for (const auto& [name, array] : arrays) named.emplace_back(name, &array);
  return value_of(tool::npz_file(named));
}

}  // namespace nnrt::python
