// Uncompressed Windows bitmaps: 1, 4 or 8 bits with a palette, or 16, 24 or 32 bits of color.
#include "core/base/text.h"
#include "tools/nnrt/image/canvas.h"

#include <algorithm>
#include <array>
#include <bit>

namespace nnrt::tool {
namespace {

constexpr size_t kFileHeader = 14, kCoreHeader = 12, kInfoHeader = 40;
constexpr uint32_t kPlain = 0, kMasks = 3, kMasksWithAlpha = 6;  // values of `compression`
constexpr size_t kAlpha = 3;

// Little-endian; 0 past the end. The file size is checked before pixels are read.
uint32_t number(ByteView file, size_t at, size_t size) {
  uint32_t value = 0;
  for (size_t i = 0; i < size && at + i < file.size(); ++i) {
    value |= static_cast<uint32_t>(file[at + i]) << (8 * i);
  }
  return value;
}

struct Header {
  size_t size = 0, pixels = 0;    // size of the info header; offset of the pixels
  int64_t width = 0, height = 0;  // negative height: rows are top-down
  uint32_t bits = 0, compression = kPlain, colors = 0;
  std::array<uint32_t, 4> masks{};  // red, green, blue, alpha

  size_t entry() const { return size == kCoreHeader ? 3 : 4; }  // bytes per palette entry
  size_t row() const { return (static_cast<size_t>(width) * bits + 31) / 32 * 4; }
};

Status read_masks(ByteView file, Header& header) {
  if (header.bits == 16) header.masks = {0x7c00, 0x3e0, 0x1f, 0};
  if (header.bits == 24 || header.bits == 32) header.masks = {0xff0000, 0xff00, 0xff, 0};
  if (header.compression == kPlain) return {};
  const bool may_have = header.bits == 16 || header.bits == 32;
  if (!may_have || (header.compression != kMasks && header.compression != kMasksWithAlpha))
    return Error{Code::unsupported, cat("its compression (", header.compression, ") is not supported")};
  const bool has_alpha = header.compression == kMasksWithAlpha || header.size >= kInfoHeader + 16;
  for (size_t i = 0; i < (has_alpha ? 4 : 3); ++i) {
    header.masks[i] = number(file, kFileHeader + kInfoHeader + 4 * i, 4);
  }
  return {};
}

Result<Header> read_header(ByteView file) {
  Header header;
  header.pixels = number(file, 10, 4);
  header.size = number(file, kFileHeader, 4);
  const bool is_core = header.size == kCoreHeader;
  if (!is_core && header.size < kInfoHeader)
    return Error{Code::unsupported, cat("its header of ", header.size, " bytes is not supported")};
  const size_t side = is_core ? 2 : 4, at = kFileHeader + 4;
  header.width = is_core ? number(file, at, side) : static_cast<int32_t>(number(file, at, side));
  header.height =
      is_core ? number(file, at + side, side) : static_cast<int32_t>(number(file, at + side, side));
  header.bits = number(file, at + 2 * side + 2, 2);
  if (!is_core) {
    header.compression = number(file, 30, 4);
    header.colors = number(file, 46, 4);
  }
  constexpr std::array<uint32_t, 6> kBits{1, 4, 8, 16, 24, 32};
  if (std::find(kBits.begin(), kBits.end(), header.bits) == kBits.end())
    return Error{Code::unsupported, cat("its ", header.bits, " bits a pixel are not supported")};
  NNRT_TRY(read_masks(file, header));
  return header;
}

using Palette = std::vector<std::array<uint8_t, 3>>;

// One color for each pixel value; black if the file has fewer.
Palette read_palette(ByteView file, const Header& header) {
  if (header.bits > 8) return {};
  Palette palette(size_t{1} << header.bits);
  const size_t start = kFileHeader + header.size;
  const size_t room = header.pixels > start ? (header.pixels - start) / header.entry() : 0;
  size_t count = std::min(palette.size(), room);
  if (header.colors > 0) count = std::min<size_t>(count, header.colors);
  for (size_t i = 0; i < count; ++i) {
    for (size_t c = 0; c < 3; ++c) {
      palette[i][c] = static_cast<uint8_t>(number(file, start + i * header.entry() + 2 - c, 1));
    }
  }
  return palette;
}

// The masked bits, scaled to 8 bits.
uint8_t sample(uint32_t pixel, uint32_t mask, uint8_t otherwise) {
  if (mask == 0) return otherwise;
  const int shift = std::countr_zero(mask);
  const uint64_t max = mask >> shift;
  return static_cast<uint8_t>((uint64_t{(pixel & mask) >> shift} * 255 + max / 2) / max);
}

void read_pixel(const Header& header, const Palette& palette, ByteView row, size_t x, uint8_t* target) {
  if (header.bits <= 8) {
    const size_t bit = x * header.bits;
    const uint32_t byte = number(row, bit / 8, 1);
    const uint32_t code = byte >> (8 - header.bits - bit % 8) & ((1u << header.bits) - 1);
    std::copy(palette[code].begin(), palette[code].end(), target);
    return;
  }
  const uint32_t pixel = number(row, x * header.bits / 8, header.bits / 8);
  for (size_t c = 0; c < 3; ++c) target[c] = sample(pixel, header.masks[c], 0);
  if (header.masks[kAlpha] != 0) target[kAlpha] = sample(pixel, header.masks[kAlpha], 255);
}

}  // namespace

bool is_bmp(ByteView file) {
  return file.size() >= kFileHeader + kCoreHeader && file[0] == std::byte{'B'} && file[1] == std::byte{'M'};
}

Status decode_bmp(ByteView file, Canvas& canvas) {
  NNRT_ASSIGN(const Header header, read_header(file));
  const auto height = static_cast<uint64_t>(header.height < 0 ? -header.height : header.height);
  NNRT_TRY(canvas.open(header.width < 0 ? 0 : static_cast<uint64_t>(header.width), height));
  const size_t row = header.row();
  if (header.pixels > file.size() || file.size() - header.pixels < row * height)
    return Error{Code::invalid_file, "the file ends too early"};
  const Palette palette = read_palette(file, header);
  const size_t channels = header.masks[kAlpha] != 0 ? 4 : 3;
  std::vector<uint8_t> pixels(canvas.width() * channels);
  for (size_t y = 0; y < height; ++y) {
    const size_t position = header.height < 0 ? y : height - 1 - y;
    const ByteView from = file.subspan(header.pixels + position * row, row);
    for (size_t x = 0; x < canvas.width(); ++x) {
      read_pixel(header, palette, from, x, pixels.data() + x * channels);
    }
    canvas.add_row(pixels.data(), channels);
  }
  return {};
}

}  // namespace nnrt::tool
