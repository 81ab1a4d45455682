#include "tools/nnrt/image/orientation.h"

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>

namespace nnrt::tool {
namespace {

// Reads numbers in the byte order given by the header; nothing past the end.
class Numbers {
 public:
  Numbers(ByteView bytes, bool is_little) : bytes_(bytes), is_little_(is_little) {}

  std::optional<uint32_t> read(size_t offset, size_t count) const {
    if (offset > bytes_.size() || count > bytes_.size() - offset) return std::nullopt;
    uint32_t number = 0;
    for (size_t i = 0; i < count; ++i) {
      const size_t at = is_little_ ? count - 1 - i : i;
      number = number << 8 | std::to_integer<uint32_t>(bytes_[offset + at]);
    }
    return number;
  }

 private:
  ByteView bytes_;
  bool is_little_;
};

std::string_view text_of(ByteView bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

// Entries of the first TIFF directory have 12 bytes: tag, type, count, value.
int tiff_orientation(ByteView tiff) {
  constexpr uint32_t kOrientation = 0x0112, kShort = 3;
  const bool is_little = text_of(tiff).starts_with("II");
  const Numbers numbers(tiff, is_little);
  const auto directory = numbers.read(4, 4);
  const auto entries = directory ? numbers.read(*directory, 2) : std::nullopt;
  for (uint32_t i = 0; entries && i < *entries; ++i) {
    const size_t entry = size_t{*directory} + 2 + size_t{12} * i;
    const auto tag = numbers.read(entry, 2), type = numbers.read(entry + 2, 2),
               value = numbers.read(entry + 8, 2);
    if (!value) return 1;
    if (tag == kOrientation) return type == kShort && *value >= 1 && *value <= 8 ? int(*value) : 1;
  }
  return 1;
}

}  // namespace

// Segments up to the scan: 0xff, marker, length (including its own two bytes), contents.
int jpeg_orientation(ByteView file) {
  constexpr std::string_view kExif("Exif\0\0", 6);
  constexpr uint32_t kApp1 = 0xffe1, kScan = 0xffda;
  const Numbers numbers(file, false);
  for (size_t at = 2;;) {
    const auto marker = numbers.read(at, 2), length = numbers.read(at + 2, 2);
    if (!length || *length < 2 || *marker == kScan || *marker < 0xff00) return 1;
    const ByteView rest = file.subspan(at + 4);
    const ByteView contents = rest.first(std::min<size_t>(rest.size(), *length - 2));
    if (*marker == kApp1 && text_of(contents).starts_with(kExif))
      return tiff_orientation(contents.subspan(kExif.size()));
    at += 2 + *length;
  }
}

Image oriented(Image image, int orientation) {
  struct Turn {
    bool is_transposed;   // columns are rows
    bool is_mirrored;     // columns are reversed
    bool is_upside_down;  // rows are reversed
  };
  constexpr Turn kTurns[] = {{false, false, false}, {false, true, false}, {false, true, true},
                             {false, false, true},  {true, false, false}, {true, false, true},
                             {true, true, true},    {true, true, false}};
  if (orientation <= 1 || orientation > 8) return image;
  const Turn turn = kTurns[orientation - 1];
  Image result{image.width, image.height, image.channels, std::vector<uint8_t>(image.pixels.size())};
  if (turn.is_transposed) std::swap(result.width, result.height);
  const auto channels = size_t(image.channels);
  auto to = result.pixels.begin();
  for (int y = 0; y < result.height; ++y) {
    for (int x = 0; x < result.width; ++x, to += std::ptrdiff_t(channels)) {
      const int column = turn.is_transposed ? y : x, row = turn.is_transposed ? x : y;
      const int from_x = turn.is_mirrored ? image.width - 1 - column : column;
      const int from_y = turn.is_upside_down ? image.height - 1 - row : row;
      const size_t pixel = size_t(from_y) * size_t(image.width) + size_t(from_x);
      std::copy_n(image.pixels.begin() + std::ptrdiff_t(pixel * channels), channels, to);
    }
  }
  return result;
}

}  // namespace nnrt::tool
