#include "tools/nnrt/image/unread_format.h"

namespace nnrt::tool {
namespace {

using namespace std::string_view_literals;

struct Magic {
  std::string_view name;
  size_t offset;
  std::string_view bytes;
};
constexpr Magic kMagics[] = {{"GIF", 0, "GIF87a"sv},
                             {"GIF", 0, "GIF89a"sv},
                             {"TIFF", 0, "II*\0"sv},
                             {"TIFF", 0, "MM\0*"sv},
                             {"TIFF", 0, "II+\0"sv},
                             {"TIFF", 0, "MM\0+"sv},
                             {"AVIF", 4, "ftypavif"sv},
                             {"AVIF", 4, "ftypavis"sv},
                             {"HEIC", 4, "ftypheic"sv},
                             {"HEIC", 4, "ftypheix"sv},
                             {"HEIC", 4, "ftypheim"sv},
                             {"HEIC", 4, "ftypheis"sv},
                             {"HEIF", 4, "ftypmif1"sv},
                             {"HEIF", 4, "ftypmsf1"sv},
                             {"JPEG XL", 0, "\0\0\0\x0cJXL \r\n\x87\n"sv},
                             {"JPEG 2000", 0, "\0\0\0\x0cjP  \r\n\x87\n"sv},
                             {"Photoshop", 0, "8BPS"sv},
                             {"QOI", 0, "qoif"sv}};

}  // namespace

std::string_view unread_format(std::span<const std::byte> file) {
  const std::string_view text(reinterpret_cast<const char*>(file.data()), file.size());
  for (const Magic& magic : kMagics) {
    if (text.size() >= magic.offset && text.substr(magic.offset).starts_with(magic.bytes)) return magic.name;
  }
  return "";
}

}  // namespace nnrt::tool
