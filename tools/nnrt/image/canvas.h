// Takes the pixels that readers of image formats decode, row by row.
#pragma once

#include "tools/nnrt/image/image.h"

#include <span>

namespace nnrt::tool {

using ByteView = std::span<const std::byte>;

// The number of pixels of an image that a file may have: what its decoder needs stays far below 1 GB.
inline constexpr uint64_t kMaxPixels = uint64_t{1} << 26;
inline constexpr uint32_t kLargestSide = 1 << 15;

// Turns rows of any number of channels into those of the image that is wanted.
class Canvas {
 public:
  // `channels` is 1 (grey), 3 or 4.
  explicit Canvas(int channels) : image_{0, 0, channels, {}} {}

  // Fails where there is no pixel, or more than may be. Nothing is allocated before.
  Status open(uint64_t width, uint64_t height);
  size_t width() const { return static_cast<size_t>(image_.width); }
  size_t height() const { return static_cast<size_t>(image_.height); }
  // The next row from the top, of 1 (grey), 3 or 4 channels; the last of 4 is alpha. `row` has width()
  // pixels. Throws nothing, as it is called between functions of C.
  void add_row(const uint8_t* row, size_t channels) noexcept;
  bool is_full() const { return image_.pixels.size() == size(); }
  Image take() && { return std::move(image_); }

 private:
  size_t size() const { return width() * height() * static_cast<size_t>(image_.channels); }

  Image image_;
};

// Each format: whether a file begins as it does, and its reader, which fails with a clause: "the file ends in
// its pixels".
bool is_png(ByteView file);
Status decode_png(ByteView file, Canvas& canvas);
bool is_jpeg(ByteView file);
Status decode_jpeg(ByteView file, Canvas& canvas);
bool is_bmp(ByteView file);
Status decode_bmp(ByteView file, Canvas& canvas);
bool is_webp(ByteView file);
Status decode_webp(ByteView file, Canvas& canvas);

}  // namespace nnrt::tool
