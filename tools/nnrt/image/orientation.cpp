#include "tools/nnrt/image/orientation.h"

#include <algorithm>
#include <libexif/exif-data.h>
#include <limits>
#include <memory>
#include <utility>

namespace nnrt::tool {

int jpeg_orientation(ByteView file) {
  const std::unique_ptr<ExifData, decltype(&exif_data_unref)> data(exif_data_new(), exif_data_unref);
  if (!data || file.size() > std::numeric_limits<unsigned>::max()) return 1;
  exif_data_unset_option(data.get(), EXIF_DATA_OPTION_FOLLOW_SPECIFICATION);  // which adds tags
  exif_data_load_data(data.get(), reinterpret_cast<const unsigned char*>(file.data()),
                      static_cast<unsigned>(file.size()));
  const ExifEntry* const entry = exif_content_get_entry(data->ifd[EXIF_IFD_0], EXIF_TAG_ORIENTATION);
  if (entry == nullptr || entry->format != EXIF_FORMAT_SHORT || entry->size < sizeof(ExifShort)) return 1;
  const int orientation = exif_get_short(entry->data, exif_data_get_byte_order(data.get()));
  return orientation >= 1 && orientation <= 8 ? orientation : 1;
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
