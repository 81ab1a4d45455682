#include "tools/nnrt/image/image.h"

#include "core/base/counted.h"
#include "core/base/text.h"
#include "tools/import/network/network_check.h"
#include "tools/nnrt/base/file_io.h"
#include "tools/nnrt/image/canvas.h"
#include "tools/nnrt/image/orientation.h"
#include "tools/nnrt/image/unread_format.h"

#include <algorithm>
#include <cmath>

namespace nnrt::tool {
namespace {

struct Format {
  bool (*begins)(ByteView file);
  Status (*decode)(ByteView file, Canvas& canvas);
  int (*orientation)(ByteView file);  // for oriented(); null: always upright
  bool is_certain;                    // the signature has more than two letters
};
constexpr Format kFormats[] = {{is_png, decode_png, nullptr, true},
                               {is_jpeg, decode_jpeg, jpeg_orientation, true},
                               {is_webp, decode_webp, nullptr, true},
                               {is_bmp, decode_bmp, nullptr, false}};

bool are_channels(int32_t dimension) { return dimension == 1 || dimension == 3 || dimension == 4; }

// The two neighbours of a position, and the weight of the second.
struct Tap {
  int first, second;
  float share;
};

Tap tap(int target, int target_size, int size) {
  const float position = (float(target) + 0.5f) * float(size) / float(target_size) - 0.5f;
  const float clamped = std::clamp(position, 0.0f, float(size - 1));
  const int first = int(clamped);
  return {first, std::min(first + 1, size - 1), clamped - float(first)};
}

// Per channel: value = pixel * factor + addend.
struct Affine {
  double factor = 1, addend = 0;
};

struct Formula {
  std::vector<Affine> channels;
  std::string text;
};

double of_channel(const std::vector<double>& values, size_t channel, double otherwise) {
  if (values.empty()) return otherwise;
  return values.size() == 1 ? values[0] : values[channel];
}

Status check_channels(const Normalization& normalization, size_t channels) {
  for (const auto* values : {&normalization.mean, &normalization.scale}) {
    if (values->size() > 1 && values->size() != channels) {
      return invalid("The image has ", counted(channels, "channel"), ", but mean or scale has ",
                     counted(values->size(), "number"), ".");
    }
  }
  return {};
}

std::string list(const std::vector<double>& values, double otherwise) {
  if (values.empty()) return cat(otherwise);
  std::string text;
  for (const double value : values) text += cat(text.empty() ? "" : ", ", value);
  return values.size() == 1 ? text : "(" + text + ")";
}

Formula default_formula(const import::Tensor& tensor, size_t channels) {
  if (is_float(tensor.type)) {
    return {std::vector<Affine>(channels, {1 / 127.5, -1}), "(pixel - 127.5) / 127.5"};
  }
  if (tensor.type == OH_NN_INT8) return {std::vector<Affine>(channels, {1, -128}), "pixel - 128"};
  return {std::vector<Affine>(channels), "pixel"};
}

Formula make_formula(const import::Tensor& tensor, const Normalization& normalization, size_t channels) {
  if (!normalization.given()) return default_formula(tensor, channels);
  Formula formula;
  formula.text = cat("(pixel - ", list(normalization.mean, 0), ") * ", list(normalization.scale, 1));
  const import::Quantization& quantization = tensor.quantization;
  const bool quantized = !quantization.empty() && !is_float(tensor.type);
  if (quantized) {
    formula.text += cat(", / ", quantization.scales[0], " + ", quantization.zero_points[0]);
  }
  for (size_t channel = 0; channel < channels; ++channel) {
    const double scale = of_channel(normalization.scale, channel, 1);
    Affine affine{scale, -of_channel(normalization.mean, channel, 0) * scale};
    if (quantized) {
      affine.factor /= quantization.scales[0];
      affine.addend = affine.addend / quantization.scales[0] + quantization.zero_points[0];
    }
    formula.channels.push_back(affine);
  }
  return formula;
}

}  // namespace

bool begins_as_image(std::span<const std::byte> file) {
  const bool is_read =
      std::ranges::any_of(kFormats, [&](const Format& row) { return row.is_certain && row.begins(file); });
  return is_read || !unread_format(file).empty();
}

Result<Image> parse_image(std::span<const std::byte> file, int channels) {
  const auto format = std::ranges::find_if(kFormats, [&](const Format& row) { return row.begins(file); });
  if (format == std::end(kFormats)) {
    const std::string_view name = unread_format(file);
    if (!name.empty()) return unsupported(name, " images are not read, only PNG, JPEG, WebP and BMP.");
    return Error{Code::invalid_file, "The image cannot be read: it is not a PNG, JPEG, WebP or BMP file."};
  }
  Canvas canvas(channels);
  Status status = format->decode(file, canvas);
  if (!status.ok())
    return Error{status.error().code, cat("The image cannot be read: ", status.error().message, ".")};
  Image image = std::move(canvas).take();
  return format->orientation == nullptr ? std::move(image)
                                        : oriented(std::move(image), format->orientation(file));
}

Result<Image> read_image(const std::filesystem::path& path, int channels) {
  constexpr size_t kMaxBytes = size_t{1} << 28;
  NNRT_ASSIGN(const Bytes file, read_file(path, kMaxBytes));
  auto image = parse_image(file, channels);
  if (!image.ok()) return std::move(image).error().during(cat("reading ", path.string()));
  return image;
}

Image resized(const Image& image, int width, int height) {
  if (width == image.width && height == image.height) return image;
  Image result{width, height, image.channels, {}};
  result.pixels.reserve(static_cast<size_t>(width) * static_cast<size_t>(height) *
                        static_cast<size_t>(image.channels));
  const auto pixel = [&](int y, int x, int c) {
    return float(
        image.pixels[(size_t(y) * size_t(image.width) + size_t(x)) * size_t(image.channels) + size_t(c)]);
  };
  for (int y = 0; y < height; ++y) {
    const Tap row = tap(y, height, image.height);
    for (int x = 0; x < width; ++x) {
      const Tap column = tap(x, width, image.width);
      for (int c = 0; c < image.channels; ++c) {
        const auto mix = [](float a, float b, float share) { return a + (b - a) * share; };
        const float above =
            mix(pixel(row.first, column.first, c), pixel(row.first, column.second, c), column.share);
        const float below =
            mix(pixel(row.second, column.first, c), pixel(row.second, column.second, c), column.share);
        result.pixels.push_back(static_cast<uint8_t>(std::lround(mix(above, below, row.share))));
      }
    }
  }
  return result;
}

Result<ImageLayout> image_layout(const import::Tensor& tensor) {
  const Shape& shape = tensor.shape;
  const size_t rank = shape.size();
  if (rank == 2) return ImageLayout{shape[1], shape[0], 1, false};
  if (rank == 3 || rank == 4) {
    const Shape last(shape.end() - 3, shape.end());
    const bool batched = rank == 4 && shape[0] > 1;
    const bool planar =
        are_channels(last[0]) && (tensor.format == OH_NN_FORMAT_NCHW || !are_channels(last[2]));
    if (!batched && planar) return ImageLayout{last[2], last[1], last[0], true};
    if (!batched && are_channels(last[2])) return ImageLayout{last[1], last[0], last[2], false};
  }
  return invalid(
      "Input ", tensor.name, " (", describe(tensor.type, shape),
      ") does not accept an image: it needs rows, columns and 1, 3 or 4 channels, with batch size 1.");
}

Result<ImageTensor> to_tensor(const Image& image, const import::Tensor& tensor, Shape shape, bool planar,
                              const Normalization& normalization) {
  const auto channels = static_cast<size_t>(image.channels);
  NNRT_TRY(check_channels(normalization, channels));
  NNRT_ASSIGN(Array array, make_array(tensor.type, std::move(shape)));
  if (array.count() != image.pixels.size()) {
    return invalid("The image has ", counted(image.pixels.size(), "number"), ", but ",
                   describe(array.type, array.shape), " has ", array.count(), ".");
  }
  const Formula formula = make_formula(tensor, normalization, channels);
  const size_t positions = image.pixels.size() / channels;
  for (size_t i = 0; i < image.pixels.size(); ++i) {
    const size_t channel = i % channels;
    const Affine& affine = formula.channels[channel];
    const size_t target = planar ? channel * positions + i / channels : i;
    array.set(target, image.pixels[i] * affine.factor + affine.addend);
  }
  return ImageTensor{std::move(array), formula.text};
}

Result<ImageTensor> resized_tensor(const Image& image, const import::Tensor& tensor,
                                   const Normalization& normalization) {
  NNRT_ASSIGN(const ImageLayout layout, image_layout(tensor));
  const int width = layout.width < 0 ? image.width : layout.width;
  const int height = layout.height < 0 ? image.height : layout.height;
  if (width == 0 || height == 0) return invalid("Input ", tensor.name, " has no pixels.");
  Shape shape = tensor.shape;
  const size_t rows = shape.size() - (shape.size() == 2 || layout.planar ? 2 : 3);
  shape[rows] = height;
  shape[rows + 1] = width;
  if (shape[0] < 0) shape[0] = 1;
  return to_tensor(resized(image, width, height), tensor, std::move(shape), layout.planar, normalization);
}

}  // namespace nnrt::tool
