#include "backends/vulkan/tuning/tile_file.h"

#include "core/base/checksum.h"
#include "core/base/text.h"
#include "core/placement/line_file.h"

#include <optional>
#include <sstream>

namespace nnrt::vulkan {
namespace {

// Change it with the format.
constexpr std::string_view kFormat = "tiles1";
constexpr std::string_view kProduct = "gemm", kConvolution = "convolution", kFloats = "f32", kFp16 = "f16";
constexpr uint32_t kMaxExponent = 32, kMaxParts = 64;

std::string line_of(const std::string& word, const TileClass& of, const TileOption& option) {
  return cat(word, ' ', of.is_convolution ? kConvolution : kProduct, ' ', of.is_fp16 ? kFp16 : kFloats, ' ',
             int(of.rows), ' ', int(of.columns), ' ', int(of.inner), ' ', int(of.matrices), ' ', option.tile,
             ' ', option.splits, '\n');
}

std::optional<MeasuredTiles::value_type> parse(std::string_view line, const std::string& word) {
  std::istringstream words{std::string(line)};
  std::string device, operation, dtype, rest;
  uint32_t rows = 0, columns = 0, inner = 0, matrices = 0;
  TileOption option;
  words >> device >> operation >> dtype >> rows >> columns >> inner >> matrices >> option.tile >>
      option.splits;
  if (!words || words >> rest || device != word) return {};
  for (const uint32_t exponent : {rows, columns, inner, matrices})
    if (exponent > kMaxExponent) return {};
  const bool is_operation = operation == kProduct || operation == kConvolution;
  if (!is_operation || (dtype != kFloats && dtype != kFp16)) return {};
  if (option.splits == 0 || option.splits > kMaxParts) return {};
  const TileClass of{operation == kConvolution, dtype == kFp16, uint8_t(rows),
                     uint8_t(columns),          uint8_t(inner), uint8_t(matrices)};
  return MeasuredTiles::value_type(of, std::move(option));
}

}  // namespace

std::string TileFile::default_path() {
  const std::string costs = measurements_path();
  return costs.empty() || costs == "off" ? "" : cat(costs, ".tiles");
}

std::string TileFile::word() const {
  const std::string key = key_();
  return cat(kFormat, '-', std::hex, checksum(std::as_bytes(std::span(key))));
}

MeasuredTiles TileFile::read() const {
  if (path_.empty()) return {};
  const std::vector<std::string> lines = read_lines(path_);
  if (lines.empty()) return {};
  MeasuredTiles tiles;
  const std::string word = this->word();
  for (const std::string& line : lines) {
    if (auto entry = parse(line, word)) tiles.insert(std::move(*entry));
  }
  return tiles;
}

void TileFile::store(const MeasuredTiles& tiles) const {
  if (path_.empty() || tiles.empty()) return;
  const std::string word = this->word();
  std::string text;
  for (const auto& [of, option] : tiles) text += line_of(word, of, option);
  const auto is_replaced = [&](std::string_view line) {
    const auto entry = parse(line, word);
    return entry && tiles.contains(entry->first);
  };
  replace_lines(path_, is_replaced, text);
}

}  // namespace nnrt::vulkan
