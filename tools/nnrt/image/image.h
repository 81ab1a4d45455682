// Pictures as inputs: read, resized, and converted to numbers.
#pragma once

#include "tools/nnrt/base/array.h"

#include <filesystem>
#include <span>
#include <vector>

namespace nnrt::tool {

struct Image {
  int width = 0, height = 0, channels = 0;
  std::vector<uint8_t> pixels;  // rows from the top, channels together
};

// Returns whether a file of any name begins as an image does; also those of formats that are not read.
bool begins_as_image(std::span<const std::byte> file);

// PNG, JPEG, WebP or BMP, by the first bytes, with so many channels: 1 (grey), 3 or 4. Files may come from
// anybody: one that is damaged, that ends too early or has too many pixels is refused.
Result<Image> read_image(const std::filesystem::path& path, int channels);
// The same from the file's bytes.
Result<Image> parse_image(std::span<const std::byte> file, int channels);

// Bilinear between the centres of pixels.
Image resized(const Image& image, int width, int height);

// float = (pixel - mean) * scale; one number, or one for each channel.
struct Normalization {
  std::vector<double> mean, scale;

  bool given() const { return !mean.empty() || !scale.empty(); }
};

// The layout of an image in a tensor.
struct ImageLayout {
  int width = -1, height = -1, channels = 0;  // -1: any
  bool planar = false;                        // channels before rows
};

// The layout for a tensor of rank 2 to 4: rows and columns, with 1, 3 or 4 channels. Fails if no image fits.
Result<ImageLayout> image_layout(const import::Tensor& tensor);

// The numbers that the tensor is to hold, and how they were made: "(pixel - 127.5) / 127.5". Without a
// normalization: floats from -1 to 1, quantized values over all of their range, other integers as they are.
struct ImageTensor {
  Array array;
  std::string formula;
};
Result<ImageTensor> to_tensor(const Image& image, const import::Tensor& tensor, Shape shape, bool planar,
                              const Normalization& normalization);

}  // namespace nnrt::tool
