#include "tools/nnrt/session/usual_shapes.h"

#include "tools/import/load_network.h"
#include "tools/nnrt/base/clock.h"
#include "tools/nnrt/data/input.h"
#include "tools/nnrt/session/executable.h"

#include <algorithm>
#include <set>

namespace nnrt::tool {
namespace {

constexpr double kMaxMs = 10e3;
constexpr size_t kMaxSizesInGraph = 4;

struct Size {
  int32_t height = 1, width = 1;
  auto operator<=>(const Size&) const = default;
};

// Of images and feature maps whose size does not depend on the input, the largest first.
std::vector<Size> sizes_in(const import::Network& network) {
  std::set<Size, std::greater<>> sizes;
  for (const import::Tensor& tensor : network.tensors) {
    if (tensor.data || tensor.shape.size() != 4) continue;
    const size_t rows = tensor.format == OH_NN_FORMAT_NHWC ? 1 : 2;
    if (tensor.shape[rows] > 1 && tensor.shape[rows + 1] > 1)
      sizes.insert({tensor.shape[rows], tensor.shape[rows + 1]});
  }
  std::vector<Size> largest(sizes.begin(), sizes.end());
  largest.resize(std::min(largest.size(), kMaxSizesInGraph));
  return largest;
}

// `rows` is the batch, also of a recurrent state [layers, ?, hidden]. Other open dimensions than the columns
// of an image get the height.
Shape filled(const import::Tensor& tensor, Size size, int32_t rows) {
  Shape shape = tensor.shape;
  if (const auto image = image_layout(tensor); is_open(tensor) && shape.size() > 2 && image.ok()) {
    const size_t column = shape.size() - (image.value().planar ? 1 : 2);
    if (shape[column] < 0) shape[column] = size.width;
  }
  const bool is_state = shape.size() == 3 && shape[0] > 1;
  for (size_t i = 0; i < shape.size(); ++i)
    if (shape[i] < 0) shape[i] = i == 0 || is_state ? rows : size.height;
  return shape;
}

std::vector<Shape> filled(std::span<const import::Tensor> inputs, Size size, int32_t rows) {
  std::vector<Shape> shapes;
  for (const import::Tensor& input : inputs) shapes.push_back(filled(input, size, rows));
  return shapes;
}

// In the order in which they are tried.
std::vector<std::vector<Shape>> candidates(const import::Network& network,
                                           std::span<const import::Tensor> inputs) {
  const bool has_images = std::ranges::any_of(inputs, [](const import::Tensor& input) {
    return is_open(input) && input.shape.size() == 4 && image_layout(input).ok();
  });
  std::vector<Size> sizes;
  if (has_images) sizes = sizes_in(network);
  for (const int32_t side :
       has_images ? std::vector<int32_t>{224, 256, 299, 320, 384, 416, 512, 640, 128, 96, 64, 32, 28}
                  : std::vector<int32_t>{128, 64, 256, 512, 16000, 16, 1})
    sizes.push_back({side, side});
  std::vector<std::vector<Shape>> tried;
  const auto add = [&](Size size, int32_t rows) {
    std::vector<Shape> shapes = filled(inputs, size, rows);
    if (std::ranges::find(tried, shapes) == tried.end()) tried.push_back(std::move(shapes));
  };
  for (const Size size : sizes) add(size, 1);
  for (const int32_t rows : {2, 4, 8, 16}) add(sizes.front(), rows);
  return tried;
}

bool builds(const std::filesystem::path& model, const import::Options& reading, const Device& device) {
  auto file = open_model(model, reading);
  return file.ok() && file.value().network && import::read_weights(*file.value().network).ok() &&
         Executable::build_once(file.value(), device, {}).ok();
}

}  // namespace

std::vector<Shape> usual_shapes(const std::filesystem::path& model, const import::Options& reading,
                                std::span<const import::Tensor> inputs) {
  const Stopwatch stopwatch;
  const auto device = find_device("cpu");
  const auto file = open_model(model, reading);
  if (!device.ok() || !file.ok() || !file.value().network) return {};
  for (std::vector<Shape>& shapes : candidates(*file.value().network, inputs)) {
    import::Options given = reading;
    for (size_t i = 0; i < inputs.size(); ++i)
      if (is_dynamic(inputs[i].shape)) given.input_shapes.insert_or_assign(inputs[i].name, shapes[i]);
    if (builds(model, given, device.value())) return std::move(shapes);
    if (stopwatch.ms() > kMaxMs) break;
  }
  return {};
}

std::string shape_options(std::span<const import::Tensor> inputs, std::span<const Shape> shapes) {
  std::string text;
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (!is_dynamic(inputs[i].shape)) continue;
    import::Tensor known = inputs[i];
    known.shape = shapes[i];
    text += cat(text.empty() ? "" : " ", "--shape ", shape_pattern(known));
  }
  return text;
}

}  // namespace nnrt::tool
