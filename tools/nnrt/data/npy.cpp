#include "tools/nnrt/data/npy.h"

#include "core/base/counted.h"
#include "core/base/text.h"
#include "tools/import/network/network_check.h"
#include "tools/nnrt/base/file_io.h"

#include <charconv>
#include <cstring>
#include <fstream>
#include <optional>
#include <string_view>

namespace nnrt::tool {
namespace {

constexpr std::string_view kMagic = "\x93NUMPY";
constexpr size_t kAlignment = 64;

struct TypeRow {
  std::string_view name;
  OH_NN_DataType type;
};
constexpr TypeRow kTypes[] = {{"|b1", OH_NN_BOOL},    {"|i1", OH_NN_INT8},    {"<i2", OH_NN_INT16},
                              {"<i4", OH_NN_INT32},   {"<i8", OH_NN_INT64},   {"|u1", OH_NN_UINT8},
                              {"<u2", OH_NN_UINT16},  {"<u4", OH_NN_UINT32},  {"<u8", OH_NN_UINT64},
                              {"<f2", OH_NN_FLOAT16}, {"<f4", OH_NN_FLOAT32}, {"<f8", OH_NN_FLOAT64}};

template <typename... Parts>
Error damaged(const Parts&... parts) {
  return {Code::invalid_file, cat(parts...)};
}

// The text after "'key':" in the header, a Python dict literal.
std::optional<std::string_view> value_of(std::string_view header, std::string_view key) {
  const size_t found = header.find(cat("'", key, "'"));
  if (found == std::string_view::npos) return std::nullopt;
  const size_t start = header.find_first_not_of(": ", found + key.size() + 2);
  if (start == std::string_view::npos) return std::nullopt;
  return header.substr(start);
}

Result<OH_NN_DataType> parse_type(std::string_view header) {
  const auto value = value_of(header, "descr");
  if (!value) return damaged("The array's type is missing.");
  if (value->front() != '\'') return unsupported("The array contains records; tensors need plain numbers.");
  const std::string_view text = value->substr(1, value->find('\'', 1) - 1);
  if (text.starts_with("|O") || text == "O")
    return unsupported("The array contains Python objects; tensors need plain numbers.");
  for (const TypeRow& row : kTypes) {
    if (row.name == text) return row.type;
  }
  return unsupported("The array's type (", text,
                     ") is not a little-endian number type that tensors support.");
}

Result<Shape> parse_shape(std::string_view header) {
  const auto value = value_of(header, "shape");
  const size_t end = value ? value->find(')') : std::string_view::npos;
  if (end == std::string_view::npos || value->front() != '(') return damaged("The array's shape is missing.");
  Shape shape;
  const char* at = value->data() + 1;
  const char* const last = value->data() + end;
  while (at < last) {
    if (*at == ' ' || *at == ',') {
      ++at;
      continue;
    }
    int32_t dimension = 0;
    const auto [next, error] = std::from_chars(at, last, dimension);
    if (error != std::errc{} || dimension < 0) return damaged("The array's shape cannot be read.");
    shape.push_back(dimension);
    at = next;
  }
  return shape;
}

// The offsets of the header and of the data.
struct Layout {
  size_t header = 0, data = 0;

  std::string_view header_in(std::span<const std::byte> file) const {
    return {reinterpret_cast<const char*>(file.data()) + header, data - header};
  }
};

Result<Layout> find_header(std::span<const std::byte> file) {
  if (file.empty()) return damaged("The file is empty.");
  if (file.size() < 12 || std::memcmp(file.data(), kMagic.data(), kMagic.size()) != 0) {
    return damaged("The file is not a .npy file: it does not begin with \\x93NUMPY.");
  }
  const size_t length_bytes = file[6] == std::byte{1} ? 2 : 4;
  size_t length = 0;
  for (size_t i = length_bytes; i-- > 0;) length = length << 8 | static_cast<size_t>(file[8 + i]);
  const Layout layout{8 + length_bytes, 8 + length_bytes + length};
  if (layout.data > file.size()) return damaged("The file ends in its header.");
  return layout;
}

// Converts from column-major order.
void copy_from_fortran(std::span<const std::byte> stored, Array& array) {
  const size_t count = array.count(), bytes_each = array.bytes.size() / count;
  std::vector<size_t> at(array.shape.size());
  for (size_t i = 0; i < count; ++i) {
    size_t index = 0;
    for (size_t dimension = 0; dimension < at.size(); ++dimension)
      index = index * static_cast<size_t>(array.shape[dimension]) + at[dimension];
    std::memcpy(array.bytes.data() + index * bytes_each, stored.data() + i * bytes_each, bytes_each);
    for (size_t dimension = 0; dimension < at.size(); ++dimension) {
      if (++at[dimension] < static_cast<size_t>(array.shape[dimension])) break;
      at[dimension] = 0;
    }
  }
}

}  // namespace

Result<Array> parse_npy(std::span<const std::byte> file) {
  NNRT_ASSIGN(const Layout layout, find_header(file));
  const std::string_view header = layout.header_in(file);
  const auto fortran = value_of(header, "fortran_order");
  if (!fortran) return damaged("The array's order is missing.");
  NNRT_ASSIGN(const OH_NN_DataType type, parse_type(header));
  NNRT_ASSIGN(Shape shape, parse_shape(header));
  NNRT_ASSIGN(const size_t expected, import::byte_count(type, shape));
  const size_t present = file.size() - layout.data;
  if (present != expected) {
    return damaged("The file has ", counted(present, "byte"), " of data, but ", describe(type, shape),
                   " takes ", expected, ".");
  }
  NNRT_ASSIGN(Array array, make_array(type, std::move(shape)));
  if (present == 0) return array;
  if (fortran->starts_with("False")) {
    std::memcpy(array.bytes.data(), file.data() + layout.data, present);
  } else {
    copy_from_fortran(file.subspan(layout.data), array);
  }
  return array;
}

Result<Array> read_npy(const std::filesystem::path& path) {
  NNRT_ASSIGN(const Bytes file, read_file(path));
  auto array = parse_npy(file);
  if (!array.ok()) return std::move(array).error().during(cat("reading ", path.string()));
  return array;
}

Result<Shape> read_npy_shape(const std::filesystem::path& path) {
  constexpr size_t kMaxHeader = size_t{1} << 16;
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error)) return damaged("The file is not a regular file.");
  std::ifstream stream(path, std::ios::binary);
  Bytes start(kMaxHeader);
  stream.read(reinterpret_cast<char*>(start.data()), kMaxHeader);
  start.resize(static_cast<size_t>(stream.gcount()));
  NNRT_ASSIGN(const Layout layout, find_header(start));
  return parse_shape(layout.header_in(start));
}

std::string npy_file(const Array& array) {
  std::string_view type = kTypes[0].name;
  for (const TypeRow& row : kTypes) {
    if (row.type == array.type) type = row.name;
  }
  std::string shape;
  for (const int32_t dimension : array.shape) shape += cat(dimension, array.shape.size() == 1 ? "," : ", ");
  std::string header = cat("{'descr': '", type, "', 'fortran_order': False, 'shape': (", shape, "), }");
  const size_t start = kMagic.size() + 4;
  header.append((kAlignment - (start + header.size() + 1) % kAlignment) % kAlignment, ' ');
  header += '\n';
  const auto length = static_cast<uint16_t>(header.size());
  std::string file =
      cat(kMagic, '\x01', '\x00', static_cast<char>(length & 0xff), static_cast<char>(length >> 8), header);
  file.append(reinterpret_cast<const char*>(array.bytes.data()), array.bytes.size());
  return file;
}

Status write_npy(const std::filesystem::path& path, const Array& array) {
  return write_file(path, npy_file(array));
}

}  // namespace nnrt::tool
