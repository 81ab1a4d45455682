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
    {devices, "NNRT_DEVICES", user, ',', "cpu vulkan auto none", "all of them",
     "Names the devices that are offered. `auto` chooses among those that are listed with it; alone, it "
     "is the only device and chooses among all that there are: for clients that never call `SetDevice`."},
    {plugins, "NNRT_PLUGINS", user, ':', "FILE", "none",
     "Names shared libraries with devices, which come behind the others ([plugins](plugin.md))."},
    {hosted, "NNRT_HOSTED", user, ',', "cpu vulkan plugins PATH", "none",
     "Names the devices that run in a process of their own, so that a driver which crashes is not the "
     "application's end. A path is the socket of an `nnrt-device-host` that was started by hand."},
    {fallback, "NNRT_FALLBACK", user, 0, "on off", "on",
     "Says whether the CPU runs what the chosen device refuses. With `off` Build fails and names the "
     "operations."},
    {costs, "NNRT_COSTS", user, 0, "off FILE", "`nnrt/costs` in `XDG_CACHE_HOME`, none where that is not set",
     "Names the file in which measured costs of devices are kept, and with `.tiles` behind its name the "
     "one of [measured tiles](gpu-kernels.md#tiles). With `off` nothing is measured or kept, and `NNRt "
     "auto` believes its table."},
    {placement, "NNRT_PLACEMENT", user, 0, "- FILE", "none",
     "Every Build appends a table to this file; `-` is the standard output. It says of each operation "
     "which device runs it and why, by which implementation, and why not by those that would have been "
     "tried before ([example](trace.md#placement)). A name that ends in `.json` gets one JSON object for "
     "each Build, which says more."},
    {trace, "NNRT_TRACE", user, 0, "FILE", "none",
     "Names the file for a [trace](trace.md) of the process: API calls, compile steps, partitions, CPU "
     "kernels and GPU dispatches with their times, for ui.perfetto.dev. `%p` in the name is the number of "
     "the process."},
    {log, "NNRT_LOG", user, 0, "off error warning info debug no_call_errors", "warning",
     "Says how much is written to standard error. `info` says how a model was cut and why it was "
     "compiled. `no_call_errors` is `warning` without the reasons why calls of the API failed, for "
     "programs that tell these themselves (`OH_NNRt_GetLastError`)."},
    {threads, "NNRT_THREADS", user, 0, "NUMBER", "one for each core",
     "Says how many threads the CPU device has, at most 256."},
    {cpu_kernels, "NNRT_CPU_KERNELS", user, ',', "NAMES", "what is fastest",
     "Forces (`+im2col_gemm`) or forbids (`-winograd4`) implementations and graph passes of the CPU "
     "device, and the passes that compute constants on it, by name; `nnrt plan --kernels` shows what is "
     "used, and why not others."},
    {vulkan_shaders, "NNRT_VULKAN_SHADERS", user, 0, "optimized fast_compile deferred deferred:MILLISECONDS",
     "`deferred` on lavapipe, else `optimized`",
     "Says when shaders of GEMMs and convolutions are compiled: `optimized`, the fastest ones in Build; "
     "`deferred`, in Build fast-compile ones, and the fastest ones beside the runs once these have taken "
     "a while (`MILLISECONDS` for each of the shaders); `fast_compile`, never. `+fast_compile` in "
     "`NNRT_VULKAN_KERNELS` replaces none of these: it takes such shaders from their lists, to compare "
     "them with others, and says nothing of when shaders are compiled."},
    {vulkan_kernels, "NNRT_VULKAN_KERNELS", user, ',', "NAMES", "what is fastest on the device",
     "Forces (`+`) or forbids (`-`) implementations, graph passes and features of GPU devices by name: "
     "`+winograd4,-cooperative_matrix`. `nnrt plan --kernels` shows what is taken, and why not what "
     "stands above it; an unknown name is a warning that lists all."},

    {cache_home, "XDG_CACHE_HOME", foreign, 0, "FILE", "none",
     "Names the user's folder for caches, see `NNRT_COSTS`."},
    {driver_files, "VK_DRIVER_FILES", foreign, ':', "FILE", "all that are installed",
     "The Vulkan loader reads here which drivers to load."},

    {compat, "NNRT_TEST_COMPAT", test, 0, "openharmony", "none",
     "Switches upstream mode on, for the test suites of OpenHarmony: where its runtime differs from the "
     "documentation, this one does too (`core/platform/compat.h` has the list)."},
    {fuse, "NNRT_TEST_FUSE", test, 0, "on off", "on",
     "With `off` devices run each operation of a model by itself, with all that is between in memory."},
    {check_graphs, "NNRT_TEST_CHECK_GRAPHS", test, 0, "off on abort",
     "`on` in debug builds, else `off`; CTest sets `abort`",
     "With `on` every graph that Build rewrites is checked behind each pass: order, rules of operators, "
     "and that readers see the dtypes, shapes, formats and quantization that they saw. A fault makes "
     "Build fail with `FAILED` and a line in the log; with `abort` it ends the process."},
    {cpu_isa, "NNRT_TEST_CPU_ISA", test, 0, "baseline avx2 avx512 vnni amx dotprod",
     "all that the processor has", "Limits the instructions that the CPU device may use."},
    {vulkan_validation, "NNRT_TEST_VULKAN_VALIDATION", test, 0, "off on abort", "off",
     "With `on` the Khronos validation layer is loaded and its messages are logged; with `abort` the "
     "first of them ends the process."},
    {device_host, "NNRT_TEST_DEVICE_HOST", test, 0, "FILE",
     "`nnrt-device-host` beside the library or in the `bin` of its installation",
     "Names the program that is started for devices of `NNRT_HOSTED`."},

    {config_fallback, "nnrt.fallback", extension, 0, "on off", "that of `NNRT_FALLBACK`",
     "As `NNRT_FALLBACK`."},
    {config_placement, "nnrt.placement", extension, 0, "- FILE", "that of `NNRT_PLACEMENT`",
     "As `NNRT_PLACEMENT`."},
    {config_trace, "nnrt.trace", extension, 0, "FILE", "none",
     "Names the file for a trace of all that happens until the compilation and its executors are destroyed."},
    {config_device_local, "nnrt.device_local", extension, 0, "auto on off", "auto",
     "Says whether tensors of `OH_NNRt_KeepOnDevice` stay in the memory of a GPU ([sharing](sharing.md)): "
     "with `auto` where its kernels reach the host's memory slower than their own."},
    {config_model_name, "ModelName", extension, 0, "NAME", "none",
     "The names of the cache's files begin with this."},
    {none, "NPU_FM_SHARED", extension, 0, "NAME", "none",
     "Drivers of OpenHarmony know it; it does nothing here."},
    {none, "isExceedRamLimit", extension, 0, "NAME", "none",
     "Drivers of OpenHarmony know it; it does nothing here."},

    {none, "NNRT_TEST_RANDOM_SEED", test_run, 0, "NUMBER", "1",
     "Sets the first seed of random graphs, nodes and models."},
    {none, "NNRT_TEST_DRAWS", test_run, 0, "NUMBER", "25",
     "Sets the percentage of their draws that random tests make; `./dev test all` makes all."},
    {none, "NNRT_TEST_RANDOM_NODES", test_run, 0, "NUMBER", "3200 by `NNRT_TEST_DRAWS`",
     "Says how many random nodes are drawn."},
    {none, "NNRT_TEST_RANDOM_ONNX", test_run, 0, "NUMBER", "300",
     "Says how many random ONNX models are drawn."},
    {none, "NNRT_TEST_LONG_NODES", test_run, 0, "NUMBER", "20000",
     "Says how many nodes the long graphs have."},
    {none, "NNRT_TEST_SEED", test_run, 0, "NUMBER", "drawn and printed",
     "Sets the seed of the sweep of shortages."},
    {none, "NNRT_TEST_FAULTS", test_run, 0, "all", "none",
     "With `all` the sweeps of faults make every call fail, at every place and in every way."},
    {none, "NNRT_TEST_KILLS", test_run, 0, "NUMBER", "200 by `NNRT_TEST_DRAWS`",
     "Says how many device hosts are killed."},
    {none, "NNRT_TEST_SUITE_DEVICES", test_run, 0, "cpu vulkan", "cpu",
     "Names the hosted device that the suite of devices runs on."},
    {none, "NNRT_TEST_SOAK_ROUNDS", test_run, 0, "NUMBER", "2000",
     "Says how many rounds from model to result must leave nothing behind."},
    {none, "NNRT_TEST_SOAK_MICROSECONDS", test_run, 0, "NUMBER", "unlimited",
     "Says how long such a round may take."},
    {none, "NNRT_TEST_STRESS_ROUNDS", test_run, 0, "NUMBER", "60", "Says how much each of the threads does."},
    {none, "NNRT_TEST_NO_THREADS", test_run, 0, "FILE", "none",
     "No thread can be had while this file exists, in a program with `no_threads` preloaded."},
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

std::optional<uint64_t> setting_number(Setting setting) {
  const char* const text = setting_text(setting);
  uint64_t number = 0;
  if (text == nullptr || !is_number(text, number)) return {};
  return number;
}

std::string allowed_values(const SettingRow& row) {
  std::string text;
  for (const std::string& word : list_entries(row.words, ' ')) text += cat(text.empty() ? "" : ", ", word);
  return text;
}

}  // namespace nnrt
