// SPDX-License-Identifier: Apache-2.0
//
// What holds for every reader: the table, the choice by content, goldens and the corpus of hostile files.
#include "read/reader.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>

#include "base/json.hpp"
#include "read/collector.hpp"
#include "wire/zip_builder.hpp"

#include "support/places.hpp"

namespace tensorspec {
namespace {

namespace fs = std::filesystem;
using tests::Collector;
using tests::file_text;
using tests::outcome;

const fs::path kSource = tests::source_folder();

std::set<std::string> names_in(const fs::path& folder) {
  std::set<std::string> names;
  for (const auto& entry : fs::directory_iterator(folder)) names.insert(entry.path().filename().string());
  return names;
}

TEST(Readers, EveryReaderOfTheFolderIsInTheTable) {
  std::set<std::string> files, ids;
  for (const std::string& name : names_in(kSource / "src/read"))
    if (file_text((kSource / "src/read" / name).string()).find("\nconstinit const Reader readers::") !=
        std::string::npos)
      files.insert(name.substr(0, name.size() - 4));
  for (const FormatInfo& format : formats()) {
    ids.insert(std::string(format.id));
    EXPECT_FALSE(format.title.empty()) << format.id;
    EXPECT_FALSE(format.specification.empty()) << format.id;
    EXPECT_FALSE(format.extensions.empty()) << format.id;
  }
  EXPECT_EQ(ids, files);
  EXPECT_EQ(ids.size(), formats().size());
}

TEST(Readers, ContentsDecide) {
  const std::string array = tests::npy_of("<f4", "(2,)");
  EXPECT_EQ(outcome(array, {}, "misnamed.npz"), "float32[2]");
  EXPECT_EQ(outcome("", {}, "a.npy"), "unknown_format a.npy: it is empty");
  EXPECT_TRUE(outcome("no format has this", {}, "a.bin")
                  .starts_with("unknown_format a.bin: its contents are none of aitune, config_pbtxt, "));
  EXPECT_TRUE(
      outcome(array, "nosuch").starts_with("unknown_format x: no format is called 'nosuch'; there are aitune, "));
}

TEST(Readers, FilesAndStreamsGiveTheSame) {
  for (const char* name : {"npy/fortran.npy", "npz/compressed.npz"}) {
    const fs::path path = kSource / "tests/golden/read" / name;
    Collector from_file, from_stream;
    const auto file = read_file(path, from_file);
    ASSERT_TRUE(file.ok()) << file.error().message();
    int ends[2] = {-1, -1};
    ASSERT_EQ(::pipe(ends), 0);
    const std::string bytes = file_text(path.string());
    ASSERT_EQ(::write(ends[1], bytes.data(), bytes.size()), static_cast<ssize_t>(bytes.size()));
    ::close(ends[1]);
    const auto stream = read_stream("-", ends[0], from_stream);
    ::close(ends[0]);
    ASSERT_TRUE(stream.ok()) << stream.error().message();
    EXPECT_EQ(*file, *stream);
    EXPECT_EQ(from_file.tensors, from_stream.tensors);
  }
  Collector sink;
  EXPECT_EQ(read_file("/nonexistent", sink).error().code, ErrorCode::file_open);
  EXPECT_EQ(read_file("/tmp", sink).error().code, ErrorCode::file_read);
}

Json tensors_json(const std::vector<TensorInfo>& tensors) {
  Json list = Json::Array{};
  for (const TensorInfo& tensor : tensors) {
    Json shape = Json::Array{};
    for (const std::int64_t extent : tensor.shape) shape.push(extent);
    Json item;
    item.add("name", tensor.name);
    item.add("dtype", tensor.dtype.name());
    item.add("shape", std::move(shape));
    list.push(std::move(item));
  }
  return list;
}

Json declared_json(const std::vector<DeclaredTensor>& tensors) {
  Json list = Json::Array{};
  for (const DeclaredTensor& tensor : tensors) {
    Json shape;
    if (tensor.shape) shape = Json::Array{};
    if (tensor.shape)
      for (const DeclaredDim& dim : *tensor.shape)
        shape.push(dim.size ? Json(*dim.size) : dim.text.empty() ? Json() : Json(dim.text));
    list.push(Json().add("name", tensor.name).add("dtype", tensor.dtype.name()).add("shape", std::move(shape)));
  }
  return list;
}

// What a golden file says: the format, and what the sink got or the one error.
std::string golden_text(const fs::path& path) {
  Collector sink;
  const std::string bytes = file_text(path.string());
  const auto format = tests::read(bytes, sink, {}, path.filename().string());
  Json out;
  if (format.ok()) out.add("format", *format);
  if (format.ok() && (!sink.tensors.empty() || (sink.calls.empty() && sink.declarations.empty())))
    out.add("tensors", tensors_json(sink.tensors));
  for (const Declared& found : sink.declarations) {
    out.add("inputs", declared_json(found.inputs));
    out.add("outputs", declared_json(found.outputs));
  }
  if (!sink.calls.empty()) {
    Json calls = Json::Array{};
    for (const Call& call : sink.calls) {
      Json item;
      item.add("batch_size", call.batch_size ? Json(*call.batch_size) : Json());
      item.add("inputs", tensors_json(call.inputs));
      item.add("outputs", tensors_json(call.outputs));
      item.add("ok", call.ok);
      item.add("count", call.weight);
      calls.push(std::move(item));
    }
    out.add("calls", std::move(calls));
  }
  if (!format.ok()) sink.errors.push_back(format.error());
  for (const Error& error : sink.errors) {
    Json item;
    item.add("code", error_name(error.code));
    item.add("message", error.message());
    if (!out.find("errors")) out.add("errors", Json::Array{});
    const_cast<Json*>(out.find("errors"))->push(std::move(item));
  }
  return out.dump(2) + "\n";
}

// Every file FILE of tests/golden/read/<format>/ beside what is expected of it, FILE.expected.json. With
// TENSORSPEC_REGOLD set the expectations are written anew, for review.
TEST(Readers, Goldens) {
  const std::string kExpected = ".expected.json";
  const bool write = std::getenv("TENSORSPEC_REGOLD") != nullptr;
  const fs::path root = kSource / "tests/golden/read";
  std::set<std::string> ids;
  for (const FormatInfo& format : formats()) ids.insert(std::string(format.id));
  EXPECT_EQ(names_in(root), ids) << "one folder for each format";
  for (const std::string& id : names_in(root)) {
    const std::set<std::string> names = names_in(root / id);
    std::size_t inputs = 0;
    for (const std::string& name : names) {
      const fs::path path = root / id / name, expected = root / id / (name + kExpected);
      if (name.ends_with(kExpected)) {
        EXPECT_TRUE(names.contains(name.substr(0, name.size() - kExpected.size())))
            << path << " has no file that it speaks of";
        continue;
      }
      ++inputs;
      const std::string text = golden_text(path);
      if (write) std::ofstream(expected, std::ios::binary) << text;
      ASSERT_TRUE(fs::exists(expected)) << expected << " is missing";
      EXPECT_EQ(text, file_text(expected.string())) << path;
    }
    EXPECT_GT(inputs, 0u) << id;
  }
}

// Files that look like two formats.
TEST(Readers, OneFormatTakesAFile) {
  const struct {
    const char *text, *format;
  } cases[] = {
      {R"({"inputs":[{"type":"TensorSpec","name":"x","shape":[1]}],"prompt_tokens":1,"completion_tokens":2})",
       "aitune"},
      {R"({"inputs":{"x":{"shape":[1]}},"prompt_tokens":1,"completion_tokens":2})", "recording"},
      {"{\"inputs\":[{\"name\":\"x\",\"shape\":[1],\"datatype\":\"FP32\"}]}\n{\"inputs\":{}}\n", "kserve"},
      {"platform: 'x'\nflavors:\nrun_id: 'y'\n", "mlmodel"},
      {"[{\"x\":{\"array\":\"k05VTVBZ,prompt_tokens,completion_tokens\n", "polygraphy"},
      {"#,prompt_tokens,completion_tokens\nplatform: 'x'\n", "config_pbtxt"},
  };
  for (const auto& c : cases) {
    const auto source = open_memory("x", std::as_bytes(std::span(std::string_view(c.text))));
    std::vector<std::string_view> taken;
    for (const Reader* reader : {&readers::aitune, &readers::config_pbtxt, &readers::kserve, &readers::lengths,
                                 &readers::mlmodel, &readers::perf_analyzer, &readers::polygraphy, &readers::recording})
      if (reader->sniff({c.text, *source})) taken.push_back(reader->id);
    EXPECT_EQ(taken, std::vector<std::string_view>{c.format}) << c.text;
  }
}

// Names and dtypes are bounded whatever they come from.
TEST(Readers, LongNamesCostThemselves) {
  const std::string longest(4096, 'n'), longer(4097, 'n');
  const auto line = [](const std::string& name) {
    return "{\"inputs\":{\"" + name + "\":{\"dtype\":\"bool\",\"shape\":[1]}}}\n";
  };
  EXPECT_EQ(tests::calls_of(line(longest)), longest + " bool[1]; ");
  EXPECT_NE(tests::calls_of(line(longest) + line(longer)).find("x:line 2"), std::string::npos);
  const auto request = [](const std::string& name) {
    return "{\"inputs\":[{\"name\":\"" + name + "\",\"shape\":[1],\"datatype\":\"BOOL\"}]}";
  };
  EXPECT_EQ(tests::calls_of(request(longest)), longest + " bool[1]; ");
  EXPECT_NE(tests::calls_of(request(longer)).find("invalid_name x"), std::string::npos);
  EXPECT_NE(outcome("input { name: '" + longer + "' data_type: TYPE_BOOL }").find("invalid_name x: "),
            std::string::npos);
  // The text of a dtype is that of the file, as long as it is.
  EXPECT_EQ(tests::calls_of("{\"inputs\":{\"x\":{\"dtype\":\"" + longer + "\",\"shape\":[1]}}}\n"),
            "x " + longer + "[1]; ");
}

// A sink that has no memory for what it gets.
struct FullSink final : ReadSink {
  void tensor(TensorInfo) override { throw std::bad_alloc(); }
  void call(const Call&, std::uint64_t) override {}
  bool bad(const Error&) override { return true; }
};
TEST(Readers, WhereMemoryRanOutIsSaid) {
  FullSink sink;
  std::string said;
  try {
    const auto format = tests::read(tests::npy_of("<f4", "(2,)"), sink, {}, "large.npy");
    FAIL() << format.ok();
  } catch (const std::bad_alloc& error) { said = error.what(); }
  EXPECT_EQ(said, "large.npy: there is not enough memory to read it");
}

TEST(Readers, TwoThatTakeAFileAreAnErrorNamingBoth) {
  const std::string array = tests::npy_of("<f4", "(2,)");
  const auto source = open_memory("x.npy", std::as_bytes(std::span(array)));
  Reader twin = readers::npy;
  twin.id = "twin";
  const Reader* const both[] = {&readers::npy, &twin};
  const auto chosen = choose_reader(both, *source, ".npy");
  ASSERT_FALSE(chosen.ok());
  EXPECT_EQ(chosen.error().code, ErrorCode::ambiguous_format);
  EXPECT_EQ(chosen.error().detail, "npy and twin");
  EXPECT_EQ(choose_reader(std::span(both).first(1), *source, ".npy").value()->id, "npy");
}

}  // namespace
}  // namespace tensorspec
