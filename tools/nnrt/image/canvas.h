// Receives decoded pixels from the image readers, row by row.
#pragma once

#include "tools/nnrt/image/image.h"

#include <span>

namespace nnrt::tool {

using ByteView = std::span<const std::byte>;

// Limits for images, which keep the memory of decoders far below 1 GB.
inline constexpr uint64_t kMaxPixels = uint64_t{1} << 26;
inline constexpr uint32_t kLargestSide = 1 << 15;

// Converts rows to the number of channels of the image.
class Canvas {
 public:
  // `channels` is 1 (grey), 3 or 4.
  explicit Canvas(int channels) : image_{0, 0, channels, {}} {}

  // Fails, before allocating anything, if the image is empty or too large.
  Status open(uint64_t width, uint64_t height);
  size_t width() const { return static_cast<size_t>(image_.width); }
  size_t height() const { return static_cast<size_t>(image_.height); }
  // Adds the next row from the top: width() pixels of 1 (grey), 3 or 4 (with alpha) channels. noexcept,
  // because C code may be on the stack.
  void add_row(const uint8_t* row, size_t channels) noexcept;
  bool is_full() const { return image_.pixels.size() == size(); }
  Image take() && { return std::move(image_); }

 private:
  size_t size() const { return width() * height() * static_cast<size_t>(image_.channels); }

  Image image_;
};

// For each format: a check of the first bytes, and the reader, whose error is a clause such as "the file
// ends in its pixels".
bool is_png(ByteView file);
Status decode_png(ByteView file, Canvas& canvas);
bool is_jpeg(ByteView file);
Status decode_jpeg(ByteView file, Canvas& canvas);
bool is_bmp(ByteView file);
Status decode_bmp(ByteView file, Canvas& canvas);
bool is_webp(ByteView file);
Status decode_webp(ByteView file, Canvas& canvas);

}  // namespace nnrt::tool
