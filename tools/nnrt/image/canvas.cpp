#include "tools/nnrt/image/canvas.h"

#include "core/base/text.h"

namespace nnrt::tool {
namespace {

// ITU-R BT.601 luma, in 16-bit fixed point.
uint8_t grey(const uint8_t* rgb) {
  return static_cast<uint8_t>((19595u * rgb[0] + 38470u * rgb[1] + 7471u * rgb[2] + 32768u) >> 16);
}

}  // namespace

Status Canvas::open(uint64_t width, uint64_t height) {
  if (width == 0 || height == 0) return Error{Code::invalid_file, "it has no pixels"};
  if (width > kLargestSide || height > kLargestSide) {
    return Error{Code::invalid_file,
                 cat("its ", width, " x ", height, " pixels exceed ", kLargestSide, " a side")};
  }
  if (width * height > kMaxPixels) {
    return Error{Code::invalid_file,
                 cat("its ", width, " x ", height, " pixels are more than ", kMaxPixels, " in all")};
  }
  image_.width = static_cast<int>(width);
  image_.height = static_cast<int>(height);
  image_.pixels.reserve(size());
  return {};
}

void Canvas::add_row(const uint8_t* row, size_t channels) noexcept {
  std::vector<uint8_t>& pixels = image_.pixels;
  const auto wanted = static_cast<size_t>(image_.channels);
  if (wanted == channels) {
    pixels.insert(pixels.end(), row, row + width() * channels);
    return;
  }
  for (size_t x = 0; x < width(); ++x, row += channels) {
    if (wanted == 1) {
      pixels.push_back(grey(row));
      continue;
    }
    for (size_t c = 0; c < 3; ++c) pixels.push_back(row[channels == 1 ? 0 : c]);
    if (wanted == 4) pixels.push_back(255);
  }
}

}  // namespace nnrt::tool
