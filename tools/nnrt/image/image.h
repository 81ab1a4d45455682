// Images as inputs: reading, resizing, and conversion to tensors.
#pragma once

#include "tools/nnrt/base/array.h"

#include <filesystem>
#include <span>
#include <vector>

namespace nnrt::tool {

struct Image {
  int width = 0, height = 0, channels = 0;
  std::vector<uint8_t> pixels;  // rows from the top, interleaved channels
};

// Whether the file begins with an image signature, including those of unsupported formats.
bool begins_as_image(std::span<const std::byte> file);

// Reads a PNG, JPEG, WebP or BMP file, recognized by its first bytes, with 1 (grey), 3 or 4 channels. Safe
// for untrusted files: damaged, truncated and too large images are refused.
Result<Image> read_image(const std::filesystem::path& path, int channels);
// Parses the bytes of the file.
Result<Image> parse_image(std::span<const std::byte> file, int channels);

// Bilinear, with half-pixel centers.
Image resized(const Image& image, int width, int height);

// float = (pixel - mean) * scale; one value, or one per channel.
struct Normalization {
  std::vector<double> mean, scale;

  bool given() const { return !mean.empty() || !scale.empty(); }
};

// The layout of an image in a tensor.
struct ImageLayout {
  int width = -1, height = -1, channels = 0;  // -1: any
  bool planar = false;                        // channels before rows (CHW)
};

// The layout of a tensor of rank 2 to 4 with rows, columns and 1, 3 or 4 channels. Fails if the tensor
// cannot hold an image.
Result<ImageLayout> image_layout(const import::Tensor& tensor);

// The tensor, and the formula it was computed by: "(pixel - 127.5) / 127.5". Default normalization: floats
// from -1 to 1, quantized values over their full range, other integers unchanged.
struct ImageTensor {
  Array array;
  std::string formula;
};
Result<ImageTensor> to_tensor(const Image& image, const import::Tensor& tensor, Shape shape, bool planar,
                              const Normalization& normalization);

// Also resizes the image to the tensor's rows and columns; where these are open, they are the image's.
Result<ImageTensor> resized_tensor(const Image& image, const import::Tensor& tensor,
                                   const Normalization& normalization);

}  // namespace nnrt::tool
