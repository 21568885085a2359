// SPDX-License-Identifier: Apache-2.0
//
// Files and folders into calls, where more than names of files is asked: models and ONNX test data.
#include "tensorspec/ingest.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "read/collector.hpp"
#include "support/places.hpp"
#include "wire/proto_builder.hpp"

namespace tensorspec {
namespace {

namespace fs = std::filesystem;
using tests::bytes;
using tests::varint;

const std::string kData = tests::source_folder() + "/tests/data/onnx/";

// A folder of its own, gone at the end.
class Folder {
 public:
  Folder() : path_(fs::temp_directory_path() / ("tensorspec-ingest-" + std::to_string(::getpid()))) {
    fs::create_directories(path_);
  }
  ~Folder() { fs::remove_all(path_); }
  std::string path() const { return path_.string(); }
  void write(const std::string& name, const std::string& content) const {
    fs::create_directories((path_ / name).parent_path());
    std::ofstream(path_ / name, std::ios::binary) << content;
  }

 private:
  fs::path path_;
};

struct Taken {
  std::string calls;  // "<x[0] float32[2] >y int64[] ;" a call
  std::vector<std::string> notes;
  std::vector<Error> errors;
};
Taken take(const std::vector<std::string>& paths) {
  Taken taken;
  IngestHandlers handlers;
  handlers.call = [&](const Call& call, std::string_view) {
    for (const TensorInfo& tensor : call.inputs) taken.calls += "<" + tests::described(tensor) + " ";
    for (const TensorInfo& tensor : call.outputs) taken.calls += ">" + tests::described(tensor) + " ";
    taken.calls += "; ";
  };
  handlers.bad = [&](const Error& error) {
    taken.errors.push_back(error);
    return true;
  };
  handlers.note = [&](const std::string& note) { taken.notes.push_back(note); };
  ingest(paths, {}, handlers);
  return taken;
}

std::string tensor(const std::string& name, std::uint64_t size) {
  return varint(1, size) + varint(2, 1) + bytes(8, name) + bytes(9, "data");
}
std::string value(int number, const std::string& name, const std::string& type) {
  return bytes(static_cast<std::uint64_t>(number), bytes(1, name) + bytes(2, type));
}
// A model of two inputs and an output.
std::string model() {
  const std::string type = bytes(1, varint(1, 1) + bytes(2, bytes(1, bytes(2, "n"))));
  return varint(1, 8) + bytes(7, value(11, "ids", type) + value(11, "mask", type) + value(12, "out", type)) +
         bytes(8, "");
}

TEST(Ingest, TestDataBesideItsModel) {
  const std::string sequences =
      "<x0[0] float32[6] <x0[1] float32[9] <x0[2] float32[4] <x1 float32[2] "
      ">y0[0] float32[6] >y0[1] float32[9] >y0[2] float32[4] >y1[0] float32[2] >y1[1] float32[2] >y1[2] float32[2] ; ";
  EXPECT_EQ(take({kData + "sequence_map_identity_1_sequence_1_tensor"}).calls, sequences);
  // One tensor alone: the model says that it is an optional and no sequence. It is found from the inner folder too.
  for (const char* name :
       {"optional_get_element_optional_tensor", "optional_get_element_optional_tensor/test_data_set_0"})
    EXPECT_EQ(take({kData + name}).calls, "<optional_input float32[4] >output float32[4] ; ");
  EXPECT_EQ(take({kData + "optional_has_element_empty_optional_input"}).calls, ">output bool[] ; ");
  EXPECT_EQ(take({kData}).calls, "<optional_input float32[4] >output float32[4] ; >output bool[] ; " + sequences);
}

TEST(Ingest, NamesAreThoseOfTheModelByNumber) {
  const Folder folder;
  folder.write("model.onnx", model());
  // Names that the model does not have; names it has in another order; a name twice.
  folder.write("test_data_set_0/input_0.pb", tensor("x.1", 2));
  folder.write("test_data_set_0/input_1.pb", tensor("mask", 3));
  folder.write("test_data_set_0/output_0.pb", tensor("y", 4));
  folder.write("test_data_set_1/input_0.pb", tensor("mask", 5));
  folder.write("test_data_set_1/input_1.pb", tensor("ids", 6));
  folder.write("test_data_set_2/input_0.pb", tensor("mask", 7));
  folder.write("test_data_set_2/input_1.pb", tensor("mask", 8));
  folder.write("test_data_set_10/input_0.pb", tensor("", 9));
  const Taken taken = take({folder.path()});
  EXPECT_EQ(taken.calls,
            "<ids float32[2] <mask float32[3] >out float32[4] ; <mask float32[5] <ids float32[6] ; "
            "<ids float32[7] <mask float32[8] ; <ids float32[9] ; ");
  EXPECT_TRUE(taken.errors.empty());
  ASSERT_EQ(taken.notes.size(), 2u);
  EXPECT_TRUE(taken.notes[0].ends_with("model.onnx: a model, which declares 2 inputs and 1 output and holds no call"));
  EXPECT_TRUE(taken.notes[1].ends_with("model.onnx"));
}

TEST(Ingest, WithoutAModelTheNamesInsideCount) {
  const Folder folder;
  folder.write("a/input_0.pb", tensor("x", 2));
  folder.write("a/input_1.pb", tensor("", 3));
  folder.write("a/input_2.pb", varint(2, 1) + bytes(3, tensor("", 4)));
  folder.write("a/output_0.pb", tensor("y", 5));
  EXPECT_EQ(take({folder.path()}).calls, "<x float32[2] <input_1 float32[3] <input_2[0] float32[4] >y float32[5] ; ");
}

TEST(Ingest, OtherTensorsInFiles) {
  const Folder folder;
  folder.write("ids.pb", tensor("a", 2));
  folder.write("mask.pb", tensor("b", 2));
  EXPECT_EQ(take({folder.path()}).calls, "<a float32[2] <b float32[2] ; ");
  folder.write("mask.pb", tensor("a", 2));
  EXPECT_EQ(take({folder.path()}).calls, "<ids float32[2] <mask float32[2] ; ");
  folder.write("broken.pb", "\x08");
  const Taken taken = take({folder.path()});
  ASSERT_EQ(taken.errors.size(), 1u);
  EXPECT_EQ(taken.errors[0].code, ErrorCode::unknown_format);
}

TEST(Ingest, ACallOfWhichAValueCannotBeReadIsNone) {
  const Folder folder;
  folder.write("test_data_set_0/input_0.pb", tensor("x", 2));
  folder.write("test_data_set_0/input_1.pb", "\x08");
  folder.write("test_data_set_1/input_0.pb", tensor("x", 3));
  folder.write("test_data_set_1/output_0.pb", varint(2, 1) + bytes(3, tensor("", 4)) + bytes(3, varint(2, 1000000)));
  folder.write("test_data_set_2/input_0.pb", tensor("x", 4));
  folder.write("test_data_set_2/notes.pb", "\x08");
  const Taken taken = take({folder.path()});
  EXPECT_EQ(taken.calls, "<x float32[4] ; ");
  EXPECT_EQ(taken.errors.size(), 3u);
}

TEST(Ingest, TwoModelsGiveNoNames) {
  const Folder folder;
  folder.write("a.onnx", model());
  folder.write("b.onnx", model());
  folder.write("test_data_set_0/input_0.pb", tensor("x", 2));
  EXPECT_EQ(take({folder.path()}).calls, "<x float32[2] ; ");
  folder.write("model.onnx", model());
  EXPECT_EQ(take({folder.path() + "/test_data_set_0"}).calls, "<ids float32[2] ; ");
}

}  // namespace
}  // namespace tensorspec
