#include "tools/nnrt/data/npy.h"

#include "tests/tool/run_tool.h"

#include <gtest/gtest.h>

#include <cstring>

namespace nnrt::tool {
namespace {

Bytes file(const std::string& header, const std::string& data) {
  std::string text("\x93NUMPY\x01\x00", 8);
  text += static_cast<char>(header.size());
  text += '\0';
  text += header + data;
  Bytes bytes(text.size());
  std::memcpy(bytes.data(), text.data(), text.size());
  return bytes;
}

std::string refusal(const Bytes& bytes) {
  const auto array = parse_npy(bytes);
  return array.ok() ? "" : array.error().message;
}

TEST(Npy, ReadsTypeShapeAndData) {
  const auto array = parse_npy(file("{'descr': '<i2', 'fortran_order': False, 'shape': (2, 1), }\n",
                                    std::string("\x07\0\xff\xff", 4)))
                         .value();
  EXPECT_EQ(array.shape, (Shape{2, 1}));
  EXPECT_EQ(array[0], 7);
  EXPECT_EQ(array[1], -1);
}

TEST(Npy, ScalarsHaveNoDimensions) {
  const auto array = parse_npy(file("{'descr': '|u1', 'fortran_order': False, 'shape': (), }", "A")).value();
  EXPECT_EQ(array.shape, Shape{});
  EXPECT_EQ(array[0], 65);
}

TEST(Npy, RoundTrips) {
  const tool_tests::Folder folder;
  Array array = make_array(OH_NN_FLOAT16, {3}).value();
  array.set(1, -2.5);
  ASSERT_TRUE(write_npy(folder.file("x.npy"), array).ok());
  EXPECT_EQ(tool_tests::read(folder.file("x.npy")).size() % 64, 6u);  // data begins at a multiple of 64
  const auto again = read_npy(folder.file("x.npy")).value();
  EXPECT_EQ(again.type, OH_NN_FLOAT16);
  EXPECT_EQ(again.bytes, array.bytes);
}

TEST(Npy, FortransOrderBecomesC) {
  // [[1, 2, 3], [4, 5, 6]]
  const auto array = parse_npy(file("{'descr': '|u1', 'fortran_order': True, 'shape': (2, 3), }\n",
                                    std::string("\x01\x04\x02\x05\x03\x06", 6)))
                         .value();
  for (size_t i = 0; i < 6; ++i) EXPECT_EQ(array[i], double(i + 1));
}

TEST(Npy, RejectsUnsupportedFiles) {
  EXPECT_EQ(refusal({}), "The file is empty.");
  EXPECT_EQ(refusal(Bytes(64)), "The file is not a .npy file: it does not begin with \\x93NUMPY.");
  EXPECT_EQ(refusal(file("{'descr': '>f4', 'fortran_order': False, 'shape': (1,), }", "abcd")),
            "The array's type (>f4) is not a little-endian number type that tensors support.");
  EXPECT_EQ(refusal(file("{'descr': '|O', 'fortran_order': False, 'shape': (1,), }", "abcd")),
            "The array contains Python objects; tensors need plain numbers.");
  EXPECT_EQ(refusal(file("{'descr': [('a', '<i4')], 'fortran_order': False, 'shape': (1,), }", "abcd")),
            "The array contains records; tensors need plain numbers.");
  EXPECT_EQ(refusal(file("{'fortran_order': False, 'shape': (1,), }", "abcd")),
            "The array's type is missing.");
  EXPECT_EQ(refusal(file("{'descr': '<f4', 'shape': (1,), }", "abcd")), "The array's order is missing.");
  EXPECT_EQ(refusal(file("{'descr': '<f4', 'fortran_order': False, 'shape': (-1,), }", "")),
            "The array's shape cannot be read.");
  EXPECT_EQ(refusal(file("{'descr': '<f4', 'fortran_order': False}", "")), "The array's shape is missing.");
  EXPECT_EQ(refusal(file("{'descr': '<f4', 'fortran_order': False, 'shape': (2,), }", "abcd")),
            "The file has 4 bytes of data, but FLOAT32 [2] takes 8.");
  EXPECT_NE(refusal(file("{'descr': '<f4', 'fortran_order': False, 'shape': (99999, 99999), }", "")), "");
}

TEST(Npy, NoCutFileIsRead) {
  const Bytes whole = file("{'descr': '<f4', 'fortran_order': False, 'shape': (2,), }", "abcdefgh");
  for (size_t size = 0; size < whole.size(); ++size) {
    EXPECT_NE(refusal(Bytes(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(size))), "") << size;
  }
}

}  // namespace
}  // namespace nnrt::tool
