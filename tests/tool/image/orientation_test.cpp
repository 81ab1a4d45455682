#include "tools/nnrt/image/orientation.h"

#include "core/base/bytes_of.h"
#include "tools/nnrt/base/file_io.h"

#include <gtest/gtest.h>

#include <cstring>

namespace nnrt::tool {
namespace {

const std::string kPhotograph = NNRT_TEST_DATA "/images/rgb.jpg";

// The JPEG with an Exif segment after its first marker; byte order "II" or "MM".
Bytes with_exif(const std::string& order, char orientation) {
  const bool is_little = order == "II";
  const auto number = [&](uint32_t value, int bytes) {
    std::string text;
    for (int i = 0; i < bytes; ++i) {
      const int shift = 8 * (is_little ? i : bytes - 1 - i);
      text += static_cast<char>(value >> shift & 0xff);
    }
    return text;
  };
  const std::string entry =
      number(0x0112, 2) + number(3, 2) + number(1, 4) + number(uint8_t(orientation), 2) + number(0, 2);
  const std::string tiff = order + number(42, 2) + number(8, 4) + number(1, 2) + entry + number(0, 4);
  const std::string contents = std::string("Exif\0\0", 6) + tiff;
  std::string segment("\xff\xe1\x00", 3);
  segment += static_cast<char>(contents.size() + 2);
  const auto file = read_file(kPhotograph).value();
  std::string text(reinterpret_cast<const char*>(file.data()), file.size());
  return bytes_of(text.substr(0, 2) + segment + contents + text.substr(2));
}

// 1 2 3
// 4 5 6
Image picture() { return {3, 2, 1, {1, 2, 3, 4, 5, 6}}; }

}  // namespace

TEST(Orientation, IsReadInBothOrdersOfBytes) {
  for (const std::string order : {"II", "MM"}) {
    for (char orientation = 1; orientation <= 8; ++orientation)
      EXPECT_EQ(jpeg_orientation(with_exif(order, orientation)), orientation);
    EXPECT_EQ(jpeg_orientation(with_exif(order, 9)), 1);
    EXPECT_EQ(jpeg_orientation(with_exif(order, 0)), 1);
  }
  const auto plain = read_file(kPhotograph).value();
  EXPECT_EQ(jpeg_orientation(plain), 1);
}

TEST(Orientation, TreatsTruncatedFilesAsUpright) {
  const Bytes file = with_exif("MM", 6);
  for (size_t size = 3; size < 40; ++size) {
    const int orientation = jpeg_orientation(ByteView(file).first(size));
    EXPECT_TRUE(orientation == 1 || orientation == 6) << size;
  }
}

TEST(Orientation, TurnsAndMirrors) {
  const std::vector<std::vector<uint8_t>> expected{{1, 2, 3, 4, 5, 6}, {3, 2, 1, 6, 5, 4}, {6, 5, 4, 3, 2, 1},
                                                   {4, 5, 6, 1, 2, 3}, {1, 4, 2, 5, 3, 6}, {4, 1, 5, 2, 6, 3},
                                                   {6, 3, 5, 2, 4, 1}, {3, 6, 2, 5, 1, 4}};
  for (int orientation = 1; orientation <= 8; ++orientation) {
    const Image image = oriented(picture(), orientation);
    EXPECT_EQ(image.width, orientation < 5 ? 3 : 2);
    EXPECT_EQ(image.height, orientation < 5 ? 2 : 3);
    EXPECT_EQ(image.pixels, expected[size_t(orientation - 1)]) << orientation;
  }
}

TEST(Orientation, AppliesExifOrientation) {
  const auto upright = parse_image(with_exif("II", 1), 3).value(),
             seen = parse_image(with_exif("II", 6), 3).value();
  EXPECT_EQ(seen.width, upright.height);
  EXPECT_EQ(seen.pixels, oriented(upright, 6).pixels);
}

}  // namespace nnrt::tool
