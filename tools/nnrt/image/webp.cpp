// WebP, with libwebp.
#include "tools/nnrt/image/canvas.h"

#include <webp/decode.h>

#include <cstring>

namespace nnrt::tool {
namespace {

const uint8_t* bytes(ByteView file) { return reinterpret_cast<const uint8_t*>(file.data()); }

}  // namespace

bool is_webp(ByteView file) {
  return file.size() >= 12 && std::memcmp(file.data(), "RIFF", 4) == 0 &&
         std::memcmp(file.data() + 8, "WEBP", 4) == 0;
}

Status decode_webp(ByteView file, Canvas& canvas) {
  WebPBitstreamFeatures features;
  if (WebPGetFeatures(bytes(file), file.size(), &features) != VP8_STATUS_OK)
    return Error{Code::invalid_file, "its header is damaged"};
  if (features.has_animation != 0) return Error{Code::unsupported, "it is animated"};
  NNRT_TRY(canvas.open(static_cast<uint64_t>(features.width), static_cast<uint64_t>(features.height)));
  const bool has_alpha = features.has_alpha != 0;
  const size_t channels = has_alpha ? 4 : 3, row = canvas.width() * channels;
  std::vector<uint8_t> pixels(row * canvas.height());
  const auto decode = has_alpha ? WebPDecodeRGBAInto : WebPDecodeRGBInto;
  if (decode(bytes(file), file.size(), pixels.data(), pixels.size(), static_cast<int>(row)) == nullptr)
    return Error{Code::invalid_file, "its pixels are damaged or end too early"};
  for (size_t y = 0; y < canvas.height(); ++y) canvas.add_row(pixels.data() + y * row, channels);
  return {};
}

}  // namespace nnrt::tool
