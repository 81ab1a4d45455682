#include "core/platform/settings.h"

#include "core/base/text.h"
#include "core/platform/environment.h"

#include <algorithm>
#include <charconv>
#include <iterator>

namespace nnrt {
namespace {

using enum Setting;
using enum SettingKind;

constexpr SettingRow kAllSettings[] = {
    {devices, "NNRT_DEVICES", user, ',', "cpu gpu vulkan auto none prefix:NAME graph_extensions", "all",
     "Devices to offer, in this order ([default](devices.md)). `gpu` is `vulkan`. `auto` distributes models "
     "over the devices "
     "listed with it; alone, it is the "
     "only device and distributes over all others: for clients that never call `SetDevice`. "
     "`prefix:NPU_` adds a prefix to the names that clients see: MindSpore Lite of OpenHarmony 5.0 and "
     "later passes whole graphs only to devices with this one. `graph_extensions`: such clients' calls of "
     "`OH_NNModel_BuildFromLiteGraph` have [extensions](mindspore.md#extensions); earlier clients pass two "
     "arguments, so the other two are undefined."},
    {plugins, "NNRT_PLUGINS", user, ':', "FILE", "none",
     "Shared libraries with further devices, which are listed last ([plugins](plugin.md))."},
    {hosted, "NNRT_HOSTED", user, ',', "cpu gpu vulkan plugins PATH", "none",
     "Devices to run in a separate process, so that a crashing driver does not take the application "
     "down. A path is the socket of an `nnrt-device-host` started by hand."},
    {fallback, "NNRT_FALLBACK", user, 0, "on off", "on",
     "Whether the CPU runs what the chosen device refuses. With `off`, Build fails and names the "
     "operations."},
    {costs, "NNRT_COSTS", user, 0, "off FILE", "`nnrt/costs` in `XDG_CACHE_HOME`, none if that is unset",
     "File for measured device costs; with the suffix `.tiles`, that of [measured "
     "tiles](gpu-kernels.md#tiles). With `off`, nothing is measured or stored, and `NNRt auto` uses its "
     "built-in table."},
    {placement, "NNRT_PLACEMENT", user, 0, "- FILE", "none",
     "File to which every Build appends a table; `-` is standard output. For each operation it gives "
     "the device and the reason, the implementation, and why implementations with higher priority were "
     "declined ([example](trace.md#placement)). If the name ends in `.json`, each Build writes a JSON "
     "object with more detail."},
    {trace, "NNRT_TRACE", user, 0, "FILE", "none",
     "File for a [trace](trace.md) of the process: API calls, compile steps, partitions, CPU kernels "
     "and GPU dispatches with their times, for ui.perfetto.dev. `%p` in the name is replaced by the "
     "process id."},
    {log, "NNRT_LOG", user, 0, "off error warning info debug no_call_errors", "warning",
     "Log level on standard error. `info` reports how models are partitioned and why they are compiled. "
     "`no_call_errors` is `warning` without the reasons for failed API calls, for programs that report "
     "these themselves (`OH_NNRt_GetLastError`)."},
    {threads, "NNRT_THREADS", user, 0, "NUMBER", "one per core",
     "Number of threads of the CPU device, at most 256."},
    {cpu_kernels, "NNRT_CPU_KERNELS", user, ',', "NAMES", "the fastest",
     "Forces (`+im2col_gemm`) or forbids (`-winograd4`) implementations and graph passes of the CPU "
     "device, and the constant folding passes that run on it, by name; `nnrt plan --kernels` shows what "
     "is used, and why others are not. Read once per process, when the devices are first listed."},
    {vulkan_shaders, "NNRT_VULKAN_SHADERS", user, 0, "optimized fast_compile deferred deferred:MILLISECONDS",
     "`deferred` on lavapipe, otherwise `optimized`",
     "When the optimized GEMM and convolution shaders are compiled. `optimized`: in Build. `deferred`: "
     "Build compiles fast-compile shaders, and the optimized ones are compiled in the background once "
     "runs have taken long enough (`MILLISECONDS` per shader). `fast_compile`: never. Unlike this "
     "setting, `+fast_compile` in `NNRT_VULKAN_KERNELS` only selects those shaders, to compare them "
     "with others."},
    {vulkan_kernels, "NNRT_VULKAN_KERNELS", user, ',', "NAMES", "the fastest",
     "Forces (`+`) or forbids (`-`) implementations, graph passes and features of GPU devices by name: "
     "`+winograd4,-cooperative_matrix`. `nnrt plan --kernels` shows what is used, and why "
     "implementations with higher priority are not; unknown names give a warning that lists the known "
     "ones. Read once per process, when the devices are first listed."},
    {cache_home, "XDG_CACHE_HOME", foreign, 0, "FILE", "none", "The user's cache folder, see `NNRT_COSTS`."},
    {driver_files, "VK_DRIVER_FILES", foreign, ':', "FILE", "all installed ones",
     "Drivers for the Vulkan loader."},
    {driver_devices, "NNRT_DRIVER_DEVICES", user, ',', "vulkan cpu auto", "vulkan,cpu",
     "Only for `libnnrt_vdi_impl.z.so`, the driver for OpenHarmony's own runtime: its models run on the "
     "first of these devices, and operations that it refuses on the CPU, if that is listed. With `vulkan`, "
     "the driver supports what the GPU does, for clients that partition models themselves."},
    {driver_name, "NNRT_DRIVER_NAME", user, 0, "NAME", "Vulkan", "The device name that this driver reports."},
    {driver_vendor, "NNRT_DRIVER_VENDOR", user, 0, "NAME", "NNRt",
     "The vendor name that this driver reports."},

    {compat, "NNRT_TEST_COMPAT", test, 0, "openharmony", "none",
     "Enables upstream mode, for OpenHarmony's test suites: where its runtime deviates from the "
     "documentation, this one does too (listed in `core/platform/compat.h`)."},
    {fuse, "NNRT_TEST_FUSE", test, 0, "on off", "on",
     "With `off`, devices run each operation separately, with all intermediates in memory."},
    {check_graphs, "NNRT_TEST_CHECK_GRAPHS", test, 0, "off on abort",
     "`on` in debug builds, otherwise `off`; CTest sets `abort`",
     "With `on`, every graph is checked after each pass of Build: execution order, operator rules, and "
     "that nodes read the same dtypes, shapes, formats and quantization as before. An error makes Build "
     "return `FAILED` and is logged; with `abort` it aborts the process."},
    {cpu_isa, "NNRT_TEST_CPU_ISA", test, 0, "baseline avx2 avx512 vnni amx dotprod", "all of the CPU",
     "Limits the instruction sets that the CPU device uses."},
    {vulkan_validation, "NNRT_TEST_VULKAN_VALIDATION", test, 0, "off on abort", "off",
     "With `on`, the Khronos validation layer is loaded and its messages are logged; with `abort`, the "
     "first message aborts the process."},
    {device_host, "NNRT_TEST_DEVICE_HOST", test, 0, "FILE",
     "`nnrt-device-host` beside the library or in the `bin` of its installation",
     "The program to start for the devices of `NNRT_HOSTED`."},

    {config_fallback, "nnrt.fallback", extension, 0, "on off", "that of `NNRT_FALLBACK`",
     "As `NNRT_FALLBACK`."},
    {config_placement, "nnrt.placement", extension, 0, "- FILE", "that of `NNRT_PLACEMENT`",
     "As `NNRT_PLACEMENT`."},
    {config_export, "nnrt.export", extension, 0, "on off", "on",
     "With `off`, `OH_NNCompilation_ExportCacheToBuffer` is refused, so Build frees each weight as soon as "
     "the device has packed it ([weight memory](caches.md#weight-memory))."},
    {config_cache, "nnrt.cache", extension, 0, "required optional", "required",
     "With `optional`, a cache directory that cannot be written is a warning, once per process, and Build "
     "continues without it."},
    {config_trace, "nnrt.trace", extension, 0, "FILE", "none",
     "File for a trace that ends when the compilation and its executors are destroyed."},
    {config_device_local, "nnrt.device_local", extension, 0, "auto on off", "auto",
     "Whether tensors of `OH_NNRt_KeepOnDevice` stay in GPU memory ([sharing](sharing.md)); `auto` does "
     "so if kernels access host memory more slowly than device memory."},
    {config_threads, "nnrt.threads", extension, 0, "NUMBER", "that of `NNRT_THREADS`",
     "Maximum number of the threads of `NNRT_THREADS` that runs of this compilation use on the CPU device."},
    {config_model_name, "ModelName", extension, 0, "NAME", "none", "Prefix of the cache file names."},

    {none, "NNRT_TEST_RANDOM_SEED", test_run, 0, "NUMBER", "1",
     "First seed of random graphs, nodes and models."},
    {none, "NNRT_TEST_DRAWS", test_run, 0, "NUMBER", "25",
     "Percentage of random draws that tests make; `./dev test all` makes all."},
    {none, "NNRT_TEST_RANDOM_NODES", test_run, 0, "NUMBER", "2000 by `NNRT_TEST_DRAWS`",
     "Number of random nodes."},
    {none, "NNRT_TEST_RANDOM_ONNX", test_run, 0, "NUMBER", "300", "Number of random ONNX models."},
    {none, "NNRT_TEST_LONG_NODES", test_run, 0, "NUMBER", "20000", "Number of nodes of the long graphs."},
    {none, "NNRT_TEST_SEED", test_run, 0, "NUMBER", "random, printed", "Seed of the shortage sweep."},
    {none, "NNRT_TEST_FAULTS", test_run, 0, "all", "none",
     "With `all`, the fault sweeps fail every call at every place and in every way."},
    {none, "NNRT_TEST_KILLS", test_run, 0, "NUMBER", "200 by `NNRT_TEST_DRAWS`",
     "Number of device hosts to kill."},
    {none, "NNRT_TEST_SUITE_DEVICES", test_run, 0, "cpu vulkan", "cpu",
     "The hosted device that the device suite runs on."},
    {none, "NNRT_TEST_SOAK_ROUNDS", test_run, 0, "NUMBER", "2000",
     "Number of rounds from model to result that must not leak."},
    {none, "NNRT_TEST_SOAK_MICROSECONDS", test_run, 0, "NUMBER", "unlimited", "Time limit for such a round."},
    {none, "NNRT_TEST_STRESS_ROUNDS", test_run, 0, "NUMBER", "60", "Number of rounds per thread."},
    {none, "NNRT_TEST_NO_THREADS", test_run, 0, "FILE", "none",
     "While this file exists, no thread can be created in a program with `no_threads` preloaded."},
};

constexpr bool rows_are_in_order() {
  for (size_t i = 0; i < std::size(kAllSettings); ++i)
    if (kAllSettings[i].id != none && size_t(kAllSettings[i].id) != i) return false;
  return true;
}
static_assert(rows_are_in_order());

bool is_number(std::string_view text, uint64_t& number) {
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), number);
  return failure == std::errc() && end == text.data() + text.size() && number > 0;
}

// Words in capitals are placeholders.
bool fits_choice(std::string_view capitals, std::string_view text) {
  uint64_t number = 0;
  if (capitals == "NUMBER" || capitals == "MILLISECONDS") return is_number(text, number);
  return capitals != "PATH" || text.find('/') != text.npos;
}

bool fits_word(std::string_view word, std::string_view text) {
  const auto is_capital = [](char letter) { return letter >= 'A' && letter <= 'Z'; };
  const auto first = size_t(std::ranges::find_if(word, is_capital) - word.begin());
  if (first == word.size()) return word == text;
  return text.starts_with(word.substr(0, first)) && fits_choice(word.substr(first), text.substr(first));
}

}  // namespace

std::span<const SettingRow> all_settings() { return kAllSettings; }

const SettingRow& row(Setting setting) { return kAllSettings[static_cast<size_t>(setting)]; }

const char* setting_text(Setting setting) { return environment(row(setting).name); }

std::optional<size_t> index_of(const SettingRow& row, std::string_view text) {
  std::string_view words = row.words;
  for (size_t place = 0; !words.empty(); ++place) {
    const std::string_view word = words.substr(0, words.find(' '));
    if (fits_word(word, text)) return place;
    words.remove_prefix(std::min(words.size(), word.size() + 1));
  }
  return {};
}

std::optional<size_t> choice_of(const SettingRow& row, std::string_view text) {
  const auto chosen = text.empty() ? std::nullopt : index_of(row, text);
  return chosen ? chosen : index_of(row, row.default_value);
}

std::optional<size_t> setting_choice(Setting setting) {
  const char* const text = setting_text(setting);
  return choice_of(row(setting), text == nullptr ? "" : text);
}

std::optional<uint64_t> positive_number(std::string_view text) {
  uint64_t number = 0;
  return is_number(text, number) ? std::optional(number) : std::nullopt;
}

std::optional<uint64_t> setting_number(Setting setting) {
  const char* const text = setting_text(setting);
  return text == nullptr ? std::nullopt : positive_number(text);
}

std::string allowed_values(const SettingRow& row) {
  std::string text;
  for (const std::string& word : list_entries(row.words, ' ')) text += cat(text.empty() ? "" : ", ", word);
  return text;
}

}  // namespace nnrt
