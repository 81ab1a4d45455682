#include "tests/tool/digits_samples.h"

namespace tool_tests {

void write_digits(const Folder& folder, size_t count) {
  constexpr size_t kSide = 8, kPixels = kSide * kSide;
  const std::string images = read(NNRT_DIGITS "/images.bin"), labels = read(NNRT_DIGITS "/labels.bin");
  for (size_t i = 0; i < count && i < labels.size(); ++i) {
    const std::string digit = folder.file(std::to_string(labels[i]));
    std::filesystem::create_directory(digit);
    std::string name = std::to_string(i);
    name.insert(0, 3 - name.size(), '0');
    write(digit + "/" + name + ".bmp", grey_bitmap(kSide, kSide, images.substr(i * kPixels, kPixels)));
  }
}

}  // namespace tool_tests
