#include "tools/nnrt/image/unread_format.h"

#include "tests/tool/run_tool.h"
#include "tools/nnrt/image/image.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>

namespace nnrt::tool {
namespace {

using namespace std::string_literals;

const std::pair<std::string, std::string> kFiles[] = {{"GIF", "GIF89a"s},
                                                      {"TIFF", "II*\0"s},
                                                      {"TIFF", "MM\0*"s},
                                                      {"AVIF", "\0\0\0\x1c"s + "ftypavif"},
                                                      {"HEIC", "\0\0\0\x18"s + "ftypheic"},
                                                      {"HEIF", "\0\0\0\x18"s + "ftypmif1"},
                                                      {"JPEG XL", "\0\0\0\x0cJXL \r\n\x87\n"s},
                                                      {"JPEG 2000", "\0\0\0\x0cjP  \r\n\x87\n"s}};

std::string_view format_of(const std::string& bytes) {
  return unread_format(std::as_bytes(std::span(bytes)));
}

TEST(UnreadFormat, IsNamed) {
  for (const auto& [name, bytes] : kFiles) EXPECT_EQ(format_of(bytes + "more"), name);
}

TEST(UnreadFormat, IsNoneOfOtherBytes) {
  for (const std::string& bytes : {""s, "GIF"s, "\0\0\0\0"s, "ftyp"s, "no image"s})
    EXPECT_EQ(format_of(bytes), "");
}

std::string answer_to(const std::string& input) {
  return tool_tests::run_nnrt("run " + tool_tests::golden("net_lenet.jsonl") + " --input " + input).err;
}

// The file name does not matter.
TEST(UnreadFormat, IsSaidByTheTool) {
  const tool_tests::Folder folder;
  const std::array names{"x.gif", "x.png", "x.avif", "x.tif", "x.jpg_1", "x"};
  const auto check = [&](const auto& file, const char* called) {
    tool_tests::write(folder.file(called), file.second + "more");
    const std::string err = answer_to(folder.file(called));
    EXPECT_TRUE(
        err.starts_with("nnrt: " + file.first + " images are not read, only PNG, JPEG, WebP and BMP."))
        << err;
    EXPECT_EQ(std::ranges::count(err, '\n'), 1) << err;
  };
  for (const char* called : names) check(kFiles[0], called);
  for (size_t i = 1; i < std::size(kFiles); ++i) check(kFiles[i], names[i % names.size()]);
}

TEST(ImageInput, MayHaveAnyName) {
  const tool_tests::Folder folder;
  const std::string image = NNRT_TEST_DATA "/images/rgb.png";
  tool_tests::write(folder.file("photo"), tool_tests::read(image));
  const auto run = [](const std::string& input) {
    return tool_tests::run_nnrt("run " + tool_tests::golden("net_lenet.jsonl") + " --json --input " + input);
  };
  const auto named = run(image), nameless = run(folder.file("photo"));
  EXPECT_EQ(nameless.code, 0) << nameless.err;
  EXPECT_NE(nameless.out.find("photo (5 x 3)"), std::string::npos) << nameless.out;
  const auto outputs = [](const std::string& out) { return out.substr(out.find("\"outputs\"")); };
  EXPECT_EQ(outputs(nameless.out), outputs(named.out));
}

}  // namespace
}  // namespace nnrt::tool
