// Bytes as an image: rejected, or as many pixels as it says, converted to a tensor.
#include "tests/fuzz/fuzz_target.h"
#include "tools/nnrt/image/image.h"

#include <algorithm>
#include <cstdlib>
#include <span>

namespace {

using nnrt::tool::Image;

// Resizes and converts to floats, as for a model.
void use(const Image& image) {
  nnrt::import::Tensor tensor;
  tensor.type = OH_NN_FLOAT32;
  constexpr int kSide = 7;
  const Image small = nnrt::tool::resized(image, kSide, kSide);
  const auto made = nnrt::tool::to_tensor(small, tensor, {1, kSide, kSide, image.channels}, false, {});
  if (!made.ok()) std::abort();
  for (size_t i = 0; i < made.value().array.count(); ++i) {
    if (!(made.value().array[i] >= -1 && made.value().array[i] <= 1)) std::abort();
  }
}

}  // namespace

FUZZ_TARGET(images)(const uint8_t* data, size_t size) {
  constexpr int kChannels[] = {3, 1, 4};
  const int channels = kChannels[size % 3];
  const auto image = nnrt::tool::parse_image(std::as_bytes(std::span(data, size)), channels);
  if (!image.ok()) return 0;
  const Image& read = image.value();
  if (read.width <= 0 || read.height <= 0 || read.channels != channels) std::abort();
  if (read.pixels.size() != size_t(read.width) * size_t(read.height) * size_t(channels)) std::abort();
  use(read);
  return 0;
}
