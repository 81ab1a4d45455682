// Files of each image format, written by Pillow, and malformed ones.
#include "tests/tool/run_tool.h"
#include "tools/nnrt/image/image.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace nnrt::tool {
namespace {

const std::string kFolder = NNRT_TEST_DATA "/images/";

// The 5 x 3 pixels in the lossless files.
std::vector<uint8_t> picture(int channels) {
  std::vector<uint8_t> pixels;
  for (int y = 0; y < 3; ++y) {
    for (int x = 0; x < 5; ++x) {
      for (const int value : {40 * x + 10, 60 * y + 20, 255 - 40 * x}) pixels.push_back(uint8_t(value));
      if (channels == 4) pixels.push_back(uint8_t(50 * x + 5));
    }
  }
  return pixels;
}

Image read(const std::string& name, int channels) { return read_image(kFolder + name, channels).value(); }

struct Flat {
  const char* name;
  int channels;
  std::vector<uint8_t> color;
};

class FlatImages : public testing::TestWithParam<Flat> {};
class RefusedImages : public testing::TestWithParam<std::pair<const char*, const char*>> {};

}  // namespace

TEST(ImageFormats, LosslessFilesAreReadExactly) {
  for (const char* name : {"rgb.png", "palette.png", "interlaced16.png", "rgba.png", "lossless.webp",
                           "rgb.bmp", "palette.bmp"}) {
    const Image image = read(name, 3);
    EXPECT_EQ(image.width, 5) << name;
    EXPECT_EQ(image.height, 3) << name;
    EXPECT_EQ(image.pixels, picture(3)) << name;
  }
}

TEST(ImageFormats, KeepsRequestedAlpha) {
  EXPECT_EQ(read("rgba.png", 4).pixels, picture(4));
  EXPECT_EQ(read("alpha.webp", 4).pixels, picture(4));
  const Image opaque = read("rgb.png", 4);
  ASSERT_EQ(opaque.pixels.size(), 60u);
  for (size_t i = 3; i < opaque.pixels.size(); i += 4) EXPECT_EQ(opaque.pixels[i], 255);
}

TEST(ImageFormats, ColorsBecomeGreyAndGreyBecomesColors) {
  const std::vector<uint8_t> grey{44, 51, 59, 66, 73, 79, 86, 94, 101, 109, 114, 122, 129, 136, 144};
  EXPECT_EQ(read("rgb.png", 1).pixels, grey);
  EXPECT_EQ(read("rgba.png", 1).pixels, grey);
  EXPECT_EQ(read("grey.png", 1).pixels, grey);
  const Image colors = read("grey.png", 3);
  for (size_t i = 0; i < colors.pixels.size(); ++i) EXPECT_EQ(colors.pixels[i], grey[i / 3]);
}

TEST_P(FlatImages, AreReadClosely) {
  const Image image = read(GetParam().name, GetParam().channels);
  EXPECT_EQ(image.width, 16);
  EXPECT_EQ(image.height, 8);
  ASSERT_EQ(image.pixels.size(), 128 * GetParam().color.size());
  for (size_t i = 0; i < image.pixels.size(); ++i) {
    EXPECT_NEAR(image.pixels[i], GetParam().color[i % GetParam().color.size()], 4) << i;
  }
}

INSTANTIATE_TEST_SUITE_P(All, FlatImages,
                         testing::Values(Flat{"rgb.jpg", 3, {200, 100, 50}},
                                         Flat{"progressive.jpg", 3, {200, 100, 50}},
                                         Flat{"grey.jpg", 1, {77}}, Flat{"grey.jpg", 3, {77, 77, 77}},
                                         Flat{"cmyk.jpg", 3, {191, 95, 0}},
                                         Flat{"lossy.webp", 4, {200, 100, 50, 255}}));

TEST_P(RefusedImages, AreToldInASentence) {
  const auto [name, why] = GetParam();
  for (const int channels : {1, 3, 4}) {
    const auto image = read_image(kFolder + "refused/" + name, channels);
    ASSERT_FALSE(image.ok());
    EXPECT_EQ(image.error().message, std::string("The image cannot be read: ") + why + ". While reading " +
                                         kFolder + "refused/" + name + ".");
  }
}

INSTANTIATE_TEST_SUITE_P(
    All, RefusedImages,
    testing::Values(std::pair("zero.png", "it is not a PNG, JPEG, WebP or BMP file"),
                    std::pair("p5.png", "it is not a PNG, JPEG, WebP or BMP file"),
                    std::pair("dht.jpg", "libjpeg says \"Bogus Huffman table definition\""),
                    std::pair("too_wide.png", "libpng says \"Invalid IHDR data\""),
                    std::pair("too_many.png", "its 32000 x 32000 pixels are more than 67108864 in all"),
                    std::pair("no_pixels.bmp", "it has no pixels"),
                    std::pair("rle.bmp", "its compression (1) is not supported"),
                    std::pair("ends_early.bmp", "the file ends too early"),
                    std::pair("ends_early.png", "libpng says \"the file ends too early\""),
                    std::pair("ends_early.jpg", "libjpeg says \"Premature end of JPEG file\""),
                    std::pair("ends_early.webp", "its pixels are damaged or end too early"),
                    std::pair("animated.webp", "it is animated"),
                    std::pair("scans.jpg", "libjpeg says \"More than 100 scans\"")),
    [](const auto& made) {
      std::string name = made.param.first;
      std::ranges::replace(name, '.', '_');
      return name;
    });

// Every byte changed, every truncation: an image or an error, never a crash.
TEST(ImageFormats, DamagedFilesDoNoHarm) {
  for (const char* name : {"rgb.png", "palette.png", "interlaced16.png", "progressive.jpg", "cmyk.jpg",
                           "alpha.webp", "lossy.webp", "palette.bmp"}) {
    const std::string whole = tool_tests::read(kFolder + name);
    size_t refused = 0;
    for (size_t i = 0; i < whole.size(); ++i) {
      std::string changed = whole;
      changed[i] = static_cast<char>(~changed[i]);
      for (const std::string_view bytes : {std::string_view(changed), std::string_view(whole).substr(0, i)}) {
        const auto image = parse_image(std::as_bytes(std::span(bytes)), 3);
        refused += image.ok() ? 0 : 1;
        if (!image.ok()) continue;
        const Image& read = image.value();
        EXPECT_EQ(read.pixels.size(), size_t(read.width) * size_t(read.height) * 3) << name << ' ' << i;
      }
    }
    EXPECT_GT(refused, whole.size() / 2) << name;
  }
}

}  // namespace nnrt::tool
