// SPDX-License-Identifier: Apache-2.0
//
// Readers on files of the size that people have, each beside its floor: the system calls that nobody can do without.
// Files are made once, in the folder $TENSORSPEC_BENCH_FILES (or a temporary one); peers.py times the formats' own
// libraries on the same files.
#include <benchmark/benchmark.h>
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <vector>

#include "tensorspec/read.hpp"
#include "wire/pickle_builder.hpp"
#include "wire/proto_builder.hpp"

namespace {

namespace fs = std::filesystem;
namespace pickle = tensorspec::tests::pickle;
using tensorspec::tests::bytes;
using tensorspec::tests::le;
using tensorspec::tests::varint;

class Counter final : public tensorspec::ReadSink {
 public:
  void tensor(tensorspec::TensorInfo) override { ++tensors; }
  void call(const tensorspec::Call& call, std::uint64_t) override { tensors += call.inputs.size(); }
  void declared(const tensorspec::Declared& found) override {
    declarations += found.inputs.size() + found.outputs.size();
  }
  bool bad(const tensorspec::Error&) override { return false; }
  std::size_t tensors = 0, declarations = 0;
};

fs::path folder() {
  static const fs::path path = [] {
    const char* given = std::getenv("TENSORSPEC_BENCH_FILES");
    fs::path chosen = given ? fs::path(given) : fs::temp_directory_path() / "tensorspec-bench-read";
    fs::create_directories(chosen);
    return chosen;
  }();
  return path;
}

// Writes the file, then makes it `size` bytes long without storing them.
std::string written(const std::string& name, const std::string& content, std::uint64_t size = 0) {
  const fs::path path = folder() / name;
  std::ofstream(path, std::ios::binary) << content;
  if (size > content.size()) fs::resize_file(path, size);
  return path.string();
}

std::string layer(std::size_t i) { return "model.layers." + std::to_string(i / 10) + ".block." + std::to_string(i); }

// 1,000 tensors of [64, 32].
std::string safetensors_file() {
  std::string header = "{\"__metadata__\":{\"format\":\"pt\"}";
  for (std::size_t i = 0; i < 1000; ++i)
    header += ",\"" + layer(i) + ".weight\":{\"dtype\":\"F32\",\"shape\":[64,32],\"data_offsets\":[" +
              std::to_string(i * 8192) + "," + std::to_string((i + 1) * 8192) + "]}";
  header += "}";
  header.resize((header.size() + 7) / 8 * 8, ' ');
  return written("1000.safetensors", le(header.size(), 8) + header, 8 + header.size() + 8'192'000);
}

std::string value(int number, const std::string& name) {
  const std::string shape = bytes(1, bytes(2, "batch")) + bytes(1, bytes(2, "seq")) + bytes(1, varint(1, 64));
  return bytes(static_cast<std::uint64_t>(number), bytes(1, name) + bytes(2, bytes(1, varint(1, 1) + bytes(2, shape))));
}

// 300 nodes, 100 weights that share `weights` bytes, 3 inputs and 2 outputs. The file has holes where weights are.
std::string onnx_file(const std::string& name, std::uint64_t weights) {
  const std::uint64_t one = weights / 100;
  std::string nodes, ends;
  for (int i = 0; i < 300; ++i)
    nodes += bytes(1, bytes(1, layer(i) + ".x") + bytes(2, layer(i) + ".y") + bytes(3, layer(i)) + bytes(4, "MatMul"));
  for (const char* input : {"ids", "mask", "past"}) ends += value(11, input);
  for (const char* output : {"logits", "present"}) ends += value(12, output);
  std::vector<std::string> heads;
  std::uint64_t graph = nodes.size() + ends.size();
  for (std::size_t i = 0; i < 100; ++i) {
    const std::string tensor = varint(1, one / 4) + varint(2, 1) + bytes(8, layer(i) + ".weight") + bytes(9, "", one);
    heads.push_back(bytes(5, tensor, tensor.size() + one));
    graph += heads.back().size() + one;
  }
  const fs::path path = folder() / name;
  std::ofstream out(path, std::ios::binary);
  out << varint(1, 8) << bytes(2, "bench") << bytes(7, "", graph) << nodes;
  for (const std::string& head : heads) {
    out << head;
    out.seekp(static_cast<std::streamoff>(one), std::ios::cur);
  }
  out << ends << bytes(8, varint(2, 21));
  return path.string();
}

std::vector<std::string> tensor_files() {
  std::vector<std::string> paths;
  fs::create_directories(folder() / "pb");
  for (std::uint64_t i = 0; i < 1000; ++i)
    paths.push_back(written("pb/input_" + std::to_string(i) + ".pb",
                            varint(1, 1 + i % 7) + varint(1, 128) + varint(2, 1) + bytes(8, "input_ids") +
                                bytes(9, std::string((1 + i % 7) * 512, '\0'))));
  return paths;
}

// 200 tensors in an ordered dict.
std::string torch_file() {
  std::string entries;
  tensorspec::tests::ZipBuilder zip;
  for (std::size_t i = 0; i < 200; ++i)
    entries +=
        pickle::text(layer(i) + ".weight") +
        pickle::tensor(pickle::integer(8) + pickle::integer(4), pickle::integer(4) + pickle::integer(1), "Float", 32);
  const std::string dict = pickle::object(pickle::global("collections", "OrderedDict"), "") + "(" + entries + "u";
  zip.entries.push_back({.name = "m/data.pkl", .data = pickle::kProto + dict + "."});
  for (std::size_t i = 0; i < 200; ++i)
    zip.entries.push_back({.name = "m/data/" + std::to_string(i), .data = std::string(128, '\0')});
  zip.entries.push_back({.name = "m/version", .data = "3\n"});
  return written("200.pt", zip.build());
}

std::string array_bytes(std::uint64_t rows) {
  std::string header = "{'descr': '<f4', 'fortran_order': False, 'shape': (" + std::to_string(rows) + ", 16), }";
  header.resize(117, ' ');
  return std::string("\x93NUMPY\1\0", 8) + le(118, 2) + header + "\n" + std::string(rows * 64, '\0');
}

std::vector<std::string> array_files() {
  std::vector<std::string> paths;
  fs::create_directories(folder() / "npy");
  for (std::uint64_t i = 0; i < 1000; ++i)
    paths.push_back(written("npy/" + std::to_string(i) + ".npy", array_bytes(1 + i % 7)));
  return paths;
}

std::string npz_file() {
  tensorspec::tests::ZipBuilder zip;
  for (std::uint64_t i = 0; i < 50; ++i)
    zip.entries.push_back({.name = layer(i) + ".npy", .data = array_bytes(100 + i)});
  return written("50.npz", zip.build());
}

// About 200 KB: 20,000 numbers in one tensor, a second beside it.
std::string request_file() {
  std::string data;
  for (int i = 0; i < 20'000; ++i) data += (i ? ",0." : "0.") + std::to_string(1'000'000 + i * 37);
  return written(
      "request.json",
      R"({"id":"1","inputs":[{"name":"x","shape":[20,1000],"datatype":"FP32","data":[)" + data +
          R"(]},{"name":"mask","shape":[20,50],"datatype":"INT64","data":[1,1,1]}],"outputs":[{"name":"y"}]})");
}

// 100,000 requests of two lengths.
std::string trace_file() {
  std::string rows = "TIMESTAMP,ContextTokens,GeneratedTokens\n";
  for (int i = 0; i < 100'000; ++i)
    rows += "2023-11-16 18:17:03.9799600," + std::to_string(100 + i * 37 % 4000) + "," +
            std::to_string(1 + i * 11 % 900) + "\n";
  return written("trace.csv", rows);
}

// Reads the files in turn; each must have given `tensors` before the clock starts.
void run(benchmark::State& state, const std::vector<std::string>& paths, std::size_t tensors) {
  for (const std::string& path : paths) {
    Counter counter;
    if (!tensorspec::read_file(path, counter).ok() || std::max(counter.tensors, counter.declarations) != tensors)
      return state.SkipWithError(path.c_str());
  }
  std::size_t next = 0;
  for (auto _ : state) {
    Counter counter;
    benchmark::DoNotOptimize(tensorspec::read_file(paths[next++ % paths.size()], counter).ok());
  }
}

// Opens, reads the pieces at these offsets, closes.
void floor_of(benchmark::State& state, const std::vector<std::string>& paths, std::size_t count,
              const std::vector<std::uint64_t>& offsets) {
  std::vector<char> buffer(count);
  std::size_t next = 0;
  for (auto _ : state) {
    const int file = ::open(paths[next++ % paths.size()].c_str(), O_RDONLY | O_CLOEXEC);
    for (const std::uint64_t offset : offsets)
      benchmark::DoNotOptimize(::pread(file, buffer.data(), count, static_cast<off_t>(offset)));
    ::close(file);
  }
}

std::vector<std::uint64_t> spread(std::uint64_t size) {
  std::vector<std::uint64_t> offsets;
  for (std::uint64_t i = 0; i < 100; ++i) offsets.push_back(size / 100 * i);
  return offsets;
}

void Safetensors1000(benchmark::State& state) { run(state, {safetensors_file()}, 1000); }
void Safetensors1000Floor(benchmark::State& state) {
  const std::string path = safetensors_file();
  floor_of(state, {path}, fs::file_size(path) - 8'192'000, {0});
}
void OnnxModel(benchmark::State& state) {
  const auto megabytes = static_cast<std::uint64_t>(state.range(0));
  run(state, {onnx_file("weights_" + std::to_string(megabytes) + ".onnx", megabytes << 20)}, 5);
}
void OnnxModelFloor(benchmark::State& state) {
  const auto megabytes = static_cast<std::uint64_t>(state.range(0));
  floor_of(state, {onnx_file("weights_" + std::to_string(megabytes) + ".onnx", megabytes << 20)}, 4096,
           spread(megabytes << 20));
}
void OnnxTensor(benchmark::State& state) { run(state, tensor_files(), 1); }
void OnnxTensorFloor(benchmark::State& state) { floor_of(state, tensor_files(), 4096, {0}); }
void Torch200(benchmark::State& state) { run(state, {torch_file()}, 200); }
void Torch200Floor(benchmark::State& state) {
  const std::string path = torch_file();
  floor_of(state, {path}, fs::file_size(path), {0});
}

void Npy(benchmark::State& state) { run(state, array_files(), 1); }
void NpyFloor(benchmark::State& state) { floor_of(state, array_files(), 4096, {0}); }
void Npz50(benchmark::State& state) { run(state, {npz_file()}, 50); }
void Npz50Floor(benchmark::State& state) {
  const std::string path = npz_file();
  std::vector<std::uint64_t> offsets;
  for (std::uint64_t i = 0; i < 51; ++i) offsets.push_back(fs::file_size(path) / 51 * i);
  floor_of(state, {path}, 256, offsets);
}
void Request(benchmark::State& state) { run(state, {request_file()}, 2); }
void RequestFloor(benchmark::State& state) {
  const std::string path = request_file();
  floor_of(state, {path}, fs::file_size(path), {0});
}
void Trace(benchmark::State& state) { run(state, {trace_file()}, 200'000); }
void TraceFloor(benchmark::State& state) {
  const std::string path = trace_file();
  floor_of(state, {path}, fs::file_size(path), {0});
}

BENCHMARK(Npy);
BENCHMARK(NpyFloor);
BENCHMARK(Npz50);
BENCHMARK(Npz50Floor);
BENCHMARK(Request);
BENCHMARK(RequestFloor);
BENCHMARK(Trace);
BENCHMARK(TraceFloor);
BENCHMARK(Safetensors1000);
BENCHMARK(Safetensors1000Floor);
BENCHMARK(OnnxModel)->ArgName("MB")->Arg(1)->Arg(100)->Arg(2000);
BENCHMARK(OnnxModelFloor)->ArgName("MB")->Arg(1)->Arg(100)->Arg(2000);
BENCHMARK(OnnxTensor);
BENCHMARK(OnnxTensorFloor);
BENCHMARK(Torch200);
BENCHMARK(Torch200Floor);

}  // namespace
