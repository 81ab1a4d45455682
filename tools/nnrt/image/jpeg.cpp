// JPEG, with libjpeg-turbo.
#include "core/base/text.h"
#include "tools/nnrt/image/canvas.h"

#include <jerror.h>
#include <jpeglib.h>

#include <csetjmp>
#include <cstdio>

namespace nnrt::tool {
namespace {

// Progressive files keep all coefficients in memory.
constexpr long kMaxMemory = 640L << 20;
// Each scan processes the complete image, so a tiny file could take hours.
constexpr int kMaxScans = 100;

// State that outlives a longjmp out of libjpeg.
struct Decoder {
  jpeg_decompress_struct jpeg{};
  jpeg_error_mgr errors{};
  jpeg_progress_mgr progress{};
  std::jmp_buf out{};
  char message[JMSG_LENGTH_MAX] = {};
  std::vector<uint8_t> row, rgb;

  Decoder() = default;
  Decoder(const Decoder&) = delete;
  Decoder& operator=(const Decoder&) = delete;
  ~Decoder() { jpeg_destroy_decompress(&jpeg); }
};

Decoder& decoder_of(j_common_ptr jpeg) { return *static_cast<Decoder*>(jpeg->client_data); }

[[noreturn]] void on_error(j_common_ptr jpeg) {
  Decoder& decoder = decoder_of(jpeg);
  jpeg->err->format_message(jpeg, decoder.message);
  std::longjmp(decoder.out, 1);
}

// libjpeg only warns about pixels it makes up for damaged or missing data; such files are refused.
void on_message(j_common_ptr jpeg, int level) {
  if (level >= 0) return;
  switch (jpeg->err->msg_code) {
    case JWRN_HIT_MARKER:
    case JWRN_HUFF_BAD_CODE:
    case JWRN_JPEG_EOF:
    case JWRN_MUST_RESYNC: on_error(jpeg);
    default: return;
  }
}

void on_progress(j_common_ptr jpeg) {
  if (reinterpret_cast<j_decompress_ptr>(jpeg)->input_scan_number <= kMaxScans) return;
  Decoder& decoder = decoder_of(jpeg);
  std::snprintf(decoder.message, sizeof(decoder.message), "More than %d scans", kMaxScans);
  std::longjmp(decoder.out, 1);
}

void set_up(Decoder& decoder) {
  decoder.jpeg.err = jpeg_std_error(&decoder.errors);
  decoder.errors.error_exit = on_error;
  decoder.errors.emit_message = on_message;
  decoder.progress.progress_monitor = on_progress;
  decoder.jpeg.client_data = &decoder;
}

// In this and the next function libjpeg may longjmp: no object it skips has a destructor.
bool read_header(Decoder& decoder, ByteView file) {
  if (setjmp(decoder.out) != 0) return false;
  jpeg_decompress_struct& jpeg = decoder.jpeg;
  jpeg_create_decompress(&jpeg);
  jpeg.progress = &decoder.progress;
  jpeg.mem->max_memory_to_use = kMaxMemory;
  jpeg_mem_src(&jpeg, reinterpret_cast<const unsigned char*>(file.data()), file.size());
  jpeg_read_header(&jpeg, TRUE);
  const bool is_cmyk = jpeg.jpeg_color_space == JCS_CMYK || jpeg.jpeg_color_space == JCS_YCCK;
  const bool is_grey = jpeg.jpeg_color_space == JCS_GRAYSCALE;
  jpeg.out_color_space = is_cmyk ? JCS_CMYK : is_grey ? JCS_GRAYSCALE : JCS_RGB;
  return true;
}

// Adobe programs store CMYK inverted.
void add_cmyk(const Decoder& decoder, uint8_t* rgb, Canvas& canvas) {
  const uint8_t* from = decoder.row.data();
  const bool is_light = decoder.jpeg.saw_Adobe_marker != 0;
  for (size_t x = 0; x < canvas.width(); ++x, from += 4) {
    for (size_t c = 0; c < 3; ++c) {
      const auto light = [&](uint8_t sample) { return is_light ? sample : 255u - sample; };
      rgb[3 * x + c] = static_cast<uint8_t>((light(from[c]) * light(from[3]) + 127) / 255);
    }
  }
  canvas.add_row(rgb, 3);
}

bool read_pixels(Decoder& decoder, Canvas& canvas) {
  if (setjmp(decoder.out) != 0) return false;
  jpeg_decompress_struct& jpeg = decoder.jpeg;
  jpeg_start_decompress(&jpeg);
  while (jpeg.output_scanline < jpeg.output_height) {
    JSAMPROW row = decoder.row.data();
    jpeg_read_scanlines(&jpeg, &row, 1);
    if (jpeg.out_color_space == JCS_CMYK)
      add_cmyk(decoder, decoder.rgb.data(), canvas);
    else
      canvas.add_row(row, jpeg.out_color_space == JCS_GRAYSCALE ? 1 : 3);
  }
  return true;
}

}  // namespace

bool is_jpeg(ByteView file) {
  return file.size() >= 3 && file[0] == std::byte{0xff} && file[1] == std::byte{0xd8} &&
         file[2] == std::byte{0xff};
}

Status decode_jpeg(ByteView file, Canvas& canvas) {
  Decoder decoder;
  set_up(decoder);
  const auto refusal = [&] {
    return Error{Code::invalid_file, cat("libjpeg says \"", decoder.message, "\"")};
  };
  if (!read_header(decoder, file)) return refusal();
  NNRT_TRY(canvas.open(decoder.jpeg.image_width, decoder.jpeg.image_height));
  decoder.row.resize(canvas.width() * 4);
  decoder.rgb.resize(canvas.width() * 3);
  if (!read_pixels(decoder, canvas)) return refusal();
  return {};
}

}  // namespace nnrt::tool
