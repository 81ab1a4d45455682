// PNG, with libpng. Like other tools that prepare network inputs, it ignores gamma and keeps the upper 8
// of 16 bits.
#include "core/base/text.h"
#include "tools/nnrt/image/canvas.h"

#include <png.h>

#include <array>
#include <cstring>

namespace nnrt::tool {
namespace {

constexpr size_t kSignature = 8;

// State that outlives a longjmp out of libpng.
struct Decoder {
  ByteView rest;
  png_structp png = nullptr;
  png_infop info = nullptr;
  std::array<char, 128> message{};
  size_t channels = 0;
  std::vector<uint8_t> pixels;  // one row, or all of them if the file is interlaced
  std::vector<png_bytep> rows;

  explicit Decoder(ByteView file) : rest(file) {}
  Decoder(const Decoder&) = delete;
  Decoder& operator=(const Decoder&) = delete;
  ~Decoder() { png_destroy_read_struct(&png, &info, nullptr); }
};

[[noreturn]] void on_error(png_structp png, png_const_charp message) {
  auto& decoder = *static_cast<Decoder*>(png_get_error_ptr(png));
  std::strncpy(decoder.message.data(), message, decoder.message.size() - 1);
  png_longjmp(png, 1);
}

void on_warning(png_structp, png_const_charp) {}

void on_read(png_structp png, png_bytep target, size_t size) {
  auto& decoder = *static_cast<Decoder*>(png_get_io_ptr(png));
  if (size > decoder.rest.size()) png_error(png, "the file ends too early");
  std::memcpy(target, decoder.rest.data(), size);
  decoder.rest = decoder.rest.subspan(size);
}

void set_up(Decoder& decoder) {
  decoder.png = png_create_read_struct(PNG_LIBPNG_VER_STRING, &decoder, on_error, on_warning);
  if (decoder.png != nullptr) decoder.info = png_create_info_struct(decoder.png);
}

// Requests 8-bit grey, RGB or RGBA (RGBA for grey with alpha).
void ask_for_bytes(const Decoder& decoder) {
  png_set_expand(decoder.png);
  png_set_strip_16(decoder.png);
  const int color = png_get_color_type(decoder.png, decoder.info);
  const bool has_alpha =
      (color & PNG_COLOR_MASK_ALPHA) != 0 || png_get_valid(decoder.png, decoder.info, PNG_INFO_tRNS) != 0;
  if (has_alpha) png_set_gray_to_rgb(decoder.png);
}

// In this and the next function libpng may longjmp: no object it skips has a destructor.
bool read_header(Decoder& decoder) {
  if (setjmp(png_jmpbuf(decoder.png)) != 0) return false;
  png_set_read_fn(decoder.png, &decoder, on_read);
  png_set_user_limits(decoder.png, kLargestSide, kLargestSide);
  // Skip text, profiles and the like: a file may hold a thousand of 8 MB each.
  png_set_keep_unknown_chunks(decoder.png, PNG_HANDLE_CHUNK_NEVER, nullptr, -1);
  png_read_info(decoder.png, decoder.info);
  ask_for_bytes(decoder);
  png_set_interlace_handling(decoder.png);
  png_read_update_info(decoder.png, decoder.info);
  decoder.channels = png_get_channels(decoder.png, decoder.info);
  return true;
}

bool read_pixels(Decoder& decoder, Canvas& canvas) {
  if (setjmp(png_jmpbuf(decoder.png)) != 0) return false;
  if (!decoder.rows.empty()) {
    png_read_image(decoder.png, decoder.rows.data());
    for (png_const_bytep row : decoder.rows) canvas.add_row(row, decoder.channels);
    return true;
  }
  for (size_t y = 0; y < canvas.height(); ++y) {
    png_read_row(decoder.png, decoder.pixels.data(), nullptr);
    canvas.add_row(decoder.pixels.data(), decoder.channels);
  }
  return true;
}

void make_room(Decoder& decoder, const Canvas& canvas) {
  const size_t row = png_get_rowbytes(decoder.png, decoder.info);
  const bool interlaced = png_get_interlace_type(decoder.png, decoder.info) != PNG_INTERLACE_NONE;
  decoder.pixels.resize(row * (interlaced ? canvas.height() : 1));
  if (!interlaced) return;
  for (size_t y = 0; y < canvas.height(); ++y) decoder.rows.push_back(decoder.pixels.data() + y * row);
}

}  // namespace

bool is_png(ByteView file) {
  return file.size() >= kSignature &&
         png_sig_cmp(reinterpret_cast<png_const_bytep>(file.data()), 0, kSignature) == 0;
}

Status decode_png(ByteView file, Canvas& canvas) {
  Decoder decoder(file);
  set_up(decoder);
  if (decoder.info == nullptr) return Error{Code::memory, "out of memory"};
  const auto refusal = [&] {
    return Error{Code::invalid_file, cat("libpng says \"", decoder.message.data(), "\"")};
  };
  if (!read_header(decoder)) return refusal();
  NNRT_TRY(canvas.open(png_get_image_width(decoder.png, decoder.info),
                       png_get_image_height(decoder.png, decoder.info)));
  make_room(decoder, canvas);
  if (!read_pixels(decoder, canvas)) return refusal();
  return {};
}

}  // namespace nnrt::tool
