#include "tools/nnrt/data/input.h"

#include "core/base/counted.h"
#include "core/base/text.h"
#include "tools/import/network/network_check.h"
#include "tools/nnrt/base/file_io.h"
#include "tools/nnrt/data/npy.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>
#include <random>

namespace nnrt::tool {
namespace {

struct Assignment {
  std::string name, value;  // of "name=value"; the name is optional
};

Assignment cut_at(const std::string& text, size_t at) {
  if (at == std::string::npos) return {"", text};
  return {text.substr(0, at), text.substr(at + 1)};
}

// Names may contain '=': the longest matching input name wins.
Assignment split(const std::string& text, std::span<const import::Tensor> tensors) {
  size_t at = text.find('=');
  for (const import::Tensor& tensor : tensors) {
    const size_t length = tensor.name.size();
    const bool fits = text.starts_with(tensor.name) && length < text.size() && text[length] == '=';
    if (fits && (at == std::string::npos || length > at)) at = length;
  }
  return cut_at(text, at);
}

std::vector<std::string_view> split_at(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (size_t start = 0; start <= text.size();) {
    const size_t end = std::min(text.find(separator, start), text.size());
    parts.push_back(text.substr(start, end - start));
    start = end + 1;
  }
  return parts;
}

template <typename T>
std::optional<T> parse_number(std::string_view text) {
  T value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

// "127.5", or "1/127.5".
std::optional<double> parse_fraction(std::string_view text) {
  const std::vector<std::string_view> parts = split_at(text, '/');
  const auto numerator = parse_number<double>(parts[0]);
  if (!numerator || parts.size() > 2) return std::nullopt;
  if (parts.size() == 1) return numerator;
  const auto denominator = parse_number<double>(parts[1]);
  if (!denominator || *denominator == 0) return std::nullopt;
  return *numerator / *denominator;
}

Result<std::vector<double>> parse_numbers(std::span<const std::string> texts, std::string_view option) {
  std::vector<double> numbers;
  for (const std::string& text : texts) {
    for (const std::string_view part : split_at(text, ',')) {
      const auto number = parse_fraction(part);
      if (!number) return invalid("Option ", option, " (", text, ") is not a list of numbers.");
      numbers.push_back(*number);
    }
  }
  return numbers;
}

// The input named by the assignment.
Result<size_t> find(std::span<const import::Tensor> tensors, const Assignment& assignment) {
  if (assignment.name.empty()) {
    if (tensors.size() == 1) return size_t{0};
    return invalid("Value (", assignment.value, ") does not name an input; the model has ", tensors.size(),
                   ": ", names_of(tensors), ".");
  }
  const auto found = std::ranges::find(tensors, assignment.name, &import::Tensor::name);
  if (found != tensors.end()) return static_cast<size_t>(found - tensors.begin());
  return invalid("Input (", assignment.name, ") is not an input of the model: ", names_of(tensors), ".");
}

bool agree(const Shape& declared, const Shape& shape) {
  return std::ranges::equal(declared, shape, [](int32_t a, int32_t b) { return a < 0 || a == b; });
}

// With open dimensions of 1.
Shape known(Shape shape) {
  for (int32_t& dimension : shape) dimension = dimension < 0 ? 1 : dimension;
  return shape;
}

// For a value that tells no shape.
Result<Array> make_array_for(const import::Tensor& tensor) {
  if (!is_open(tensor)) return make_array(tensor.type, known(tensor.shape));
  return Error{Code::dynamic_shape,
               cat("Input ", tensor.name, " is open: ", to_string(tensor.shape), "; give --shape ",
                   shape_pattern(tensor), " or --input ", tensor.name, "=FILE.")};
}

Result<Input> random_input(const import::Tensor& tensor, uint32_t seed) {
  NNRT_ASSIGN(Array array, make_array_for(tensor));
  std::mt19937 random(seed);
  for (size_t i = 0; i < array.count(); ++i) {
    const double unit = static_cast<double>(random()) * 0x1p-32;
    const double code = unit * 256 - (tensor.type == OH_NN_INT8 ? 128 : 0);
    array.set(i, is_float(tensor.type)   ? unit * 2 - 1
                 : is_8_bit(tensor.type) ? code - 0.5
                                         : std::floor(unit * 2));
  }
  return Input{std::move(array), cat("random (seed ", seed, ")")};
}

Result<Input> filled_input(const import::Tensor& tensor, double value) {
  NNRT_ASSIGN(Array array, make_array_for(tensor));
  for (size_t i = 0; i < array.count(); ++i) array.set(i, value);
  return Input{std::move(array), value == 0 ? "zeros" : "ones"};
}

Result<Input> image_input(const import::Tensor& tensor, const std::string& path,
                          const Normalization& normalization) {
  NNRT_ASSIGN(const ImageLayout layout, image_layout(tensor));
  NNRT_ASSIGN(const Image image, read_image(path, layout.channels));
  NNRT_ASSIGN(ImageTensor made, resized_tensor(image, tensor, normalization));
  return Input{std::move(made.array), cat(path, " (", image.width, " x ", image.height, "), ", made.formula)};
}

// Floats are rounded but never become integers.
bool can_become(OH_NN_DataType type, OH_NN_DataType from) { return is_float(type) || !is_float(from); }

// Fails for integers that the type cannot represent exactly.
Result<Array> converted(const Array& array, const import::Tensor& tensor, const std::string& path) {
  constexpr double kExact = 9007199254740992.0;  // 2^53: doubles represent all integers up to this
  NNRT_ASSIGN(Array made, make_array(tensor.type, array.shape));
  for (size_t i = 0; i < array.count(); ++i) {
    const double value = array[i];
    made.set(i, value);
    if (is_float(array.type) || (made[i] == value && std::fabs(value) < kExact)) continue;
    return invalid("Element ", position(array.shape, i), " of array ", path, " (", value, ") is not a valid ",
                   import::type_name(tensor.type), ", the type of input ", tensor.name, ".");
  }
  return made;
}

Result<Input> array_input(const import::Tensor& tensor, const std::string& path, Array array) {
  if (!can_become(tensor.type, array.type) || !agree(tensor.shape, array.shape)) {
    return invalid("Array ", path, " is ", describe(array.type, array.shape), ", but input ", tensor.name,
                   " is ", describe(tensor.type, tensor.shape), ".");
  }
  if (array.type != tensor.type) {
    NNRT_ASSIGN(array, converted(array, tensor, path));
  }
  return Input{std::move(array), path};
}

Result<Input> npy_input(const import::Tensor& tensor, const std::string& path) {
  NNRT_ASSIGN(Array array, read_npy(path));
  return array_input(tensor, path, std::move(array));
}

Result<Input> npz_input(const import::Tensor& tensor, const std::string& path, NpzFiles& archives) {
  NNRT_ASSIGN(const Array* const array, archives.array(path, tensor.name));
  return array_input(tensor, path, *array);
}

// An image may have any extension.
Result<Input> raw_input(const import::Tensor& tensor, const std::string& path,
                        const Normalization& normalization) {
  NNRT_ASSIGN(Bytes bytes, read_file(path));
  if (is_open(tensor) && begins_as_image(bytes)) return image_input(tensor, path, normalization);
  NNRT_ASSIGN(Array array, make_array_for(tensor));
  if (bytes.size() != array.bytes.size()) {
    if (begins_as_image(bytes)) return image_input(tensor, path, normalization);
    return invalid("File ", path, " has ", counted(bytes.size(), "byte"), ", but input ", tensor.name, " (",
                   describe(array.type, array.shape), ") takes ", array.bytes.size(), ".");
  }
  array.bytes = std::move(bytes);
  return Input{std::move(array), path};
}

Result<Input> make_input(const import::Tensor& tensor, const std::string& value,
                         const Normalization& normalization, NpzFiles& archives) {
  constexpr std::string_view kRandom = "random:";
  if (value == "zeros") return filled_input(tensor, 0);
  if (value == "ones") return filled_input(tensor, 1);
  if (value == "random") return random_input(tensor, 1);
  if (value.starts_with(kRandom)) {
    const auto seed = parse_number<uint32_t>(std::string_view(value).substr(kRandom.size()));
    if (!seed) return invalid("Seed (", value.substr(kRandom.size()), ") is not a number below 4294967296.");
    return random_input(tensor, *seed);
  }
  const std::string extension = extension_of(value);
  // The second line is unsupported: read_image reports the formats it can read.
  constexpr std::string_view kImages[] = {".png", ".jpg", ".jpeg", ".webp", ".bmp",  //
                                          ".gif", ".tif", ".tiff", ".heic", ".heif", ".avif", ".jxl"};
  if (std::ranges::find(kImages, extension) != std::end(kImages))
    return image_input(tensor, value, normalization);
  if (extension == ".npz") return npz_input(tensor, value, archives);
  return extension == ".npy" ? npy_input(tensor, value) : raw_input(tensor, value, normalization);
}

Status assign(const import::Tensor& tensor, const std::string& given, std::optional<std::string>& value) {
  if (value) return invalid("Input ", tensor.name, " is given twice: ", *value, " and ", given, ".");
  value = given;
  return {};
}

// An archive given without an input name provides all inputs it has arrays for, and must have no others.
// With one input and one array, names are ignored.
Status assign_archive(std::span<const import::Tensor> tensors, const std::string& path, NpzFiles& archives,
                      std::vector<std::optional<std::string>>& values) {
  NNRT_ASSIGN(const std::vector<std::string> names, archives.names(path));
  if (tensors.size() == 1 && names.size() == 1) return assign(tensors[0], path, values[0]);
  for (const std::string& name : names) {
    const auto found = std::ranges::find(tensors, name, &import::Tensor::name);
    if (found == tensors.end()) {
      return invalid("Array ", name, " of archive ", path,
                     " is not an input of the model: ", names_of(tensors), ".");
    }
    NNRT_TRY(assign(*found, path, values[static_cast<size_t>(found - tensors.begin())]));
  }
  return {};
}

// An archive given without an input name provides the inputs it has arrays for, or the only input.
void add_archive_shapes(const Assignment& archive, NpzFiles& archives, InputShapes& shapes) {
  const auto names = archives.names(archive.value);
  if (!names.ok()) return;
  const bool is_single = names.value().size() == 1;
  for (const std::string& name : names.value()) {
    if (!archive.name.empty() && !is_single && name != archive.name) continue;
    const auto array = archives.array(archive.value, name);
    if (!array.ok()) continue;
    if (is_single) shapes.insert_or_assign(archive.name, array.value()->shape);
    shapes.insert_or_assign(archive.name.empty() ? name : archive.name, array.value()->shape);
  }
}

void add_shapes(const Assignment& assignment, NpzFiles& archives, InputShapes& shapes) {
  const std::string extension = extension_of(assignment.value);
  if (extension == ".npz") return add_archive_shapes(assignment, archives, shapes);
  if (extension != ".npy") return;
  if (auto shape = read_npy_shape(assignment.value); shape.ok())
    shapes.insert_or_assign(assignment.name, std::move(shape).value());
}

Status apply_shapes(std::vector<import::Tensor>& tensors, std::span<const std::string> texts) {
  NNRT_ASSIGN(const auto shapes, parse_shapes(texts));
  for (const auto& [name, shape] : shapes) {
    NNRT_ASSIGN(const size_t index, find(tensors, {name, to_string(shape)}));
    if (!agree(tensors[index].shape, shape)) {
      return invalid("Shape ", to_string(shape), " does not fit input ", tensors[index].name, " (",
                     describe(tensors[index].type, tensors[index].shape), ").");
    }
    tensors[index].shape = shape;
  }
  return {};
}

}  // namespace

bool is_open(const import::Tensor& tensor) {
  return std::any_of(tensor.shape.begin() + (tensor.shape.empty() ? 0 : 1), tensor.shape.end(),
                     [](int32_t dimension) { return dimension < 0; });
}

std::string shape_pattern(const import::Tensor& tensor) {
  const size_t rank = tensor.shape.size();
  std::vector<std::string> words(rank);
  constexpr std::string_view kLetters = "NMKLJIGFEDCBA";
  size_t letters = 0;
  for (size_t i = 0; i < rank; ++i) {
    const bool is_open = tensor.shape[i] < 0;
    words[i] = !is_open ? std::to_string(tensor.shape[i])
               : i == 0 ? "1"
                        : std::string(1, kLetters[letters++ % kLetters.size()]);
  }
  if (const auto image = image_layout(tensor); rank > 2 && image.ok()) {
    const size_t rows = rank - (image.value().planar ? 2 : 3);
    if (image.value().height < 0) words[rows] = "H";
    if (image.value().width < 0) words[rows + 1] = "W";
  }
  std::string text = tensor.name;
  for (size_t i = 0; i < rank; ++i) text += cat(i == 0 ? "=" : ",", words[i]);
  return text;
}

Result<InputShapes> parse_shapes(std::span<const std::string> texts) {
  InputShapes shapes;
  for (const std::string& text : texts) {
    const auto [name, value] = cut_at(text, text.rfind('='));
    Shape& shape = shapes[name];
    for (const std::string_view part : split_at(value, ',')) {
      const auto dimension = parse_number<int32_t>(part);
      if (!dimension || *dimension < 0)
        return invalid("Shape (", text, ") is not of the form NAME=1,224,224,3.");
      shape.push_back(*dimension);
    }
  }
  return shapes;
}

InputShapes shapes_of_arrays(const InputOptions& options) {
  InputShapes shapes;
  std::error_code error;
  for (const std::string& text : options.inputs) {
    // Both the name and the path may contain '=', and the model is not yet known.
    Assignment assignment{"", text};
    for (size_t at = text.find('='); !std::filesystem::exists(assignment.value, error);
         at = text.find('=', at + 1)) {
      if (at == std::string::npos) break;
      assignment = cut_at(text, at);
    }
    add_shapes(assignment, *options.archives, shapes);
  }
  return shapes;
}

std::vector<Array> arrays_of(std::vector<Input> inputs) {
  std::vector<Array> arrays;
  arrays.reserve(inputs.size());
  for (Input& input : inputs) arrays.push_back(std::move(input.array));
  return arrays;
}

Result<std::vector<Input>> make_inputs(std::span<const import::Tensor> declared,
                                       const InputOptions& options) {
  std::vector<import::Tensor> tensors(declared.begin(), declared.end());
  NNRT_TRY(apply_shapes(tensors, options.shapes));
  Normalization normalization;
  NNRT_ASSIGN(normalization.mean, parse_numbers(options.mean, "--mean"));
  NNRT_ASSIGN(normalization.scale, parse_numbers(options.scale, "--scale"));

  std::vector<std::optional<std::string>> values(tensors.size());
  for (const std::string& text : options.inputs) {
    const Assignment assignment = split(text, tensors);
    if (assignment.name.empty() && extension_of(assignment.value) == ".npz") {
      NNRT_TRY(assign_archive(tensors, assignment.value, *options.archives, values));
      continue;
    }
    NNRT_ASSIGN(const size_t index, find(tensors, assignment));
    NNRT_TRY(assign(tensors[index], assignment.value, values[index]));
  }
  std::vector<Input> inputs;
  for (size_t i = 0; i < tensors.size(); ++i) {
    auto input = make_input(tensors[i], values[i].value_or("random"), normalization, *options.archives);
    if (!input.ok()) return std::move(input).error().during(cat("making input ", tensors[i].name));
    inputs.push_back(std::move(input).value());
  }
  return inputs;
}

}  // namespace nnrt::tool
