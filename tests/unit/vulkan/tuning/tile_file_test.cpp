// A file returns what was stored and ignores everything else in it.
#include "backends/vulkan/tuning/tile_file.h"

#include "tests/support/temporary_folder.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>

namespace nnrt::vulkan {
namespace {

constexpr TileClass kProduct{false, false, 7, 10, 12, 0}, kConvolution{true, true, 6, 9, 13, 1};

class TileFiles : public testing::Test {
 protected:
  TileFile file_of(const std::string& device) const {
    return {path_, [device] { return device; }};
  }
  std::string text() const {
    std::ifstream file(path_);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  void write(const std::string& text) const { std::ofstream(path_, std::ios::trunc) << text; }

  const test::TemporaryFolder folder_;
  const std::string path_ = folder_.file("kept/costs.tiles");
};

TEST_F(TileFiles, RoundTrip) {
  const MeasuredTiles tiles{{kProduct, {"tile_64x64", 4}}, {kConvolution, {"matrix_32x32", 1}}};
  EXPECT_TRUE(file_of("a").read().empty());
  file_of("a").store(tiles);
  EXPECT_EQ(file_of("a").read(), tiles);
}

TEST_F(TileFiles, KeepDevicesAndClassesApart) {
  file_of("a").store({{kProduct, {"tile_64x64", 4}}});
  file_of("b").store({{kProduct, {"tile_32x32", 1}}});
  file_of("a").store({{kConvolution, {"tile_128x128", 1}}});
  file_of("a").store({{kProduct, {"tile_64x64", 2}}});  // replaces the previous one
  EXPECT_EQ(file_of("a").read(),
            (MeasuredTiles{{kProduct, {"tile_64x64", 2}}, {kConvolution, {"tile_128x128", 1}}}));
  EXPECT_EQ(file_of("b").read(), (MeasuredTiles{{kProduct, {"tile_32x32", 1}}}));
  EXPECT_TRUE(file_of("c").read().empty());
  const std::string all = text();
  EXPECT_EQ(std::count(all.begin(), all.end(), '\n'), 3);
}

TEST_F(TileFiles, SkipTornAndForeignEntries) {
  file_of("a").store({{kProduct, {"tile_64x64", 4}}});
  const std::string whole = text(), word = whole.substr(0, whole.find(' '));
  for (size_t end = 0; end + 3 < whole.size(); ++end) {
    write(whole.substr(0, end));
    EXPECT_TRUE(file_of("a").read().empty()) << end;
  }
  for (const char* rest : {"", " gemm f32 7 10 12 0 tile_64x64", " gemm f32 7 10 12 0 tile_64x64 4 5",
                           " gemm f64 7 10 12 0 tile_64x64 4", " pool f32 7 10 12 0 tile_64x64 4",
                           " gemm f32 77 10 12 0 tile_64x64 4", " gemm f32 -7 10 12 0 tile_64x64 4",
                           " gemm f32 7 10 12 0 tile_64x64 0", " gemm f32 7 10 12 0 tile_64x64 65",
                           " gemm f32 7 10 x 0 tile_64x64 4"}) {
    write(word + rest + "\n");
    EXPECT_TRUE(file_of("a").read().empty()) << rest;
  }
  write(std::string("\0\xff\n", 3) + "costs2-1 1 2 3\n" + whole);
  EXPECT_EQ(file_of("a").read().size(), 1u);
}

TEST_F(TileFiles, IgnoreUnwritableFiles) {
  std::ofstream(folder_.file("kept")) << "a file where the folder should be";
  file_of("a").store({{kProduct, {"tile_64x64", 4}}});
  EXPECT_TRUE(file_of("a").read().empty());
}

TEST_F(TileFiles, LieBesideMeasuredCosts) {
  setenv("NNRT_COSTS", "/somewhere/costs", 1);
  EXPECT_EQ(TileFile::default_path(), "/somewhere/costs.tiles");
  setenv("NNRT_COSTS", "off", 1);
  EXPECT_EQ(TileFile::default_path(), "");
  unsetenv("NNRT_COSTS");
}

// The key is expensive to compute, and only computed if there is something to read or write.
TEST_F(TileFiles, OpenTheDeviceIfAFileExists) {
  const auto fail = [] {
    ADD_FAILURE() << "nobody needs the key";
    return std::string();
  };
  EXPECT_TRUE(TileFile(path_, fail).read().empty());
  TileFile("", fail).store({{kProduct, {"tile_64x64", 4}}});
}

}  // namespace
}  // namespace nnrt::vulkan
