// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "read/collector.hpp"
#include "read/reader.hpp"
#include "wire/pickle_builder.hpp"

namespace tensorspec {
namespace {

using tests::outcome;
using tests::ZipBuilder;
using namespace tests::pickle;

std::string archive(const std::string& pickle, std::vector<tests::ZipEntry> more = {}) {
  ZipBuilder zip{
      .entries = {{.name = "m/data.pkl", .data = kProto + pickle + "."}, {.name = "m/byteorder", .data = "little"}}};
  for (tests::ZipEntry& entry : more) zip.entries.push_back(std::move(entry));
  return zip.build();
}
// As before torch 1.6; storages behind.
std::string legacy(const std::string& pickle, const std::string& version = "M\xe9\3") {
  return std::string("\x80\2\x8a\x0a\x6c\xfc\x9c\x46\xf9\x20\x6a\xa8\x50\x19.") + kProto + version + "." + kProto +
         dict(text("little_endian") + "\x88") + "." + kProto + pickle + "." + kProto + list(text("0")) + "." +
         std::string(100, '\xff');
}
std::string utils(const std::string& function, const std::string& arguments) {
  return object(global("torch._utils", function), arguments);
}

const std::string kTensor = tensor(integer(2) + integer(3), integer(3) + integer(1));
const std::string kOther = tensor(integer(4), integer(1), "Long");

TEST(Torch, Containers) {
  const std::string user = object(global("__main__", "Point"), kTensor), ordered = global("collections", "OrderedDict");
  const struct {
    const char* what;
    std::string pickle, expected;
  } cases[] = {
      {"a tensor", kTensor, "float32[2,3]"},
      {"a dict", dict(text("a") + kTensor + integer(7) + kOther), "a float32[2,3]\n7 int64[4]"},
      {"an ordered dict", ordered + ")R(" + text("a") + kTensor + "u", "a float32[2,3]"},
      {"an ordered dict of pairs", object(ordered, list(list(text("a") + kTensor) + list(text("b") + kOther))),
       "a float32[2,3]\nb int64[4]"},
      {"a default dict",
       object(global("collections", "defaultdict"), global("builtins", "list")) + "(" + text("a") + kTensor + "u",
       "a float32[2,3]"},
      {"lists and tuples", list(kTensor + tuple(kOther)), "[0] float32[2,3]\n[1][0] int64[4]"},
      {"paths", dict(text("a") + dict(text("b") + list(kTensor))), "a.b[0] float32[2,3]"},
      {"one tensor twice", list(kTensor + put(1) + get(1)), "[0] float32[2,3]\n[1] float32[2,3]"},
      {"no tensors", dict(text("a") + integer(1) + text("b") + "N"), ""},
      {"a class is not an object of it", dict(text("a") + global("__main__", "Point") + text("b") + kTensor),
       "b float32[2,3]"},
      {"plain objects",
       list(object(global("torch", "device"), text("cpu")) + object(global("_codecs", "encode"), text("a")) + kTensor),
       "[2] float32[2,3]"},
      {"a set", object(global("builtins", "set"), list(kTensor)), "[0] float32[2,3]"},
      {"a key of another kind", dict("N" + kTensor), "? float32[2,3]"},
      {"an object of somebody's", dict(text("a") + user + text("b") + kOther + text("c") + user),
       "b int64[4]\nbad torch_object x:m/data.pkl@0xce: __main__.Point at 'a', and 1 more of it"},
      {"a module saved whole", object(global("torch.nn.modules.linear", "Linear"), "") + "}b",
       "bad torch_object x:m/data.pkl@0x24: torch.nn.modules.linear.Linear at ''"},
      {"code", object(global("os", "system"), text("touch /tmp/x")),
       "bad torch_object x:m/data.pkl@0x20: os.system at ''"},
  };
  for (const auto& c : cases) EXPECT_EQ(outcome(archive(c.pickle)), c.expected) << c.what;
  EXPECT_EQ(outcome(legacy(dict(text("a") + kTensor))), "a float32[2,3]");
}

// Before torch 1.6 the class of a module is no plain class.
TEST(Torch, ModulesBeforeZip) {
  const auto module_of = [](const std::string& id) { return tuple(id) + "Q)\x81}b"; };
  const std::string linear = text("module") + global("torch.nn.modules.linear", "Linear") + text("l.py") + text("code");
  EXPECT_EQ(outcome(legacy(dict(text("t") + kTensor + text("m") + module_of(linear) + text("n") + module_of(linear)))),
            "t float32[2,3]\nbad torch_object x@0x131: torch.nn.modules.linear.Linear at 'm', and 1 more of it");
  EXPECT_EQ(outcome(legacy(dict(text("m") + module_of(text("module") + text("Linear")) + text("t") + kTensor))),
            "t float32[2,3]\nbad torch_object x@0x52: what is no class at 'm'");
}

TEST(Torch, KindsOfTensors) {
  const std::string size = tuple(integer(5) + integer(6)), stride = tuple(integer(6) + integer(1)),
                    f8 = global("torch", "float8_e5m2"),
                    untyped = tuple(text("storage") + global("torch.storage", "UntypedStorage") + text("0") +
                                    text("cpu") + integer(30)) +
                              "Q",
                    v3 = untyped + integer(0) + size + stride + "\x89N" + f8,
                    layout = object(global("torch.serialization", "_get_layout"), text("torch.sparse_coo"));
  const struct {
    const char* what;
    std::string pickle, expected;
  } cases[] = {
      {"a scalar", tensor("", ""), "float32[]"},
      {"no elements", tensor(integer(1) + integer(0), integer(7) + integer(9), "Half", 0), "float16[1,0]"},
      {"expanded", tensor(integer(1000000) + integer(2), integer(0) + integer(1), "BFloat16", 2),
       "bfloat16[1000000,2]"},
      {"a view of the end", tensor(integer(2), integer(1), "Bool", 10, 8), "bool[2]"},
      {"complex", tensor(integer(2), integer(1), "ComplexDouble"), "complex128[2]"},
      {"quantized", tensor(integer(2), integer(1), "QInt8"), "torch.qint8[2]"},
      {"two to a byte", tensor(integer(2) + integer(3), integer(3) + integer(1), "QUInt4x2", 4), "torch.quint4x2[2,3]"},
      {"four to a byte", tensor(integer(8), integer(1), "QUInt2x4", 2), "torch.quint2x4[8]"},
      {"untyped with a dtype", utils("_rebuild_tensor_v3", v3), "float8_e5m2[5,6]"},
      {"a parameter", utils("_rebuild_parameter", kTensor + "\x88" + object(global("collections", "OrderedDict"), "")),
       "float32[2,3]"},
      {"a parameter with a state",
       utils("_rebuild_parameter_with_state", kTensor + "\x88N" + dict(text("x") + object(global("a", "B"), ""))),
       "float32[2,3]"},
      {"sparse",
       utils("_rebuild_sparse_tensor",
             layout + tuple(kOther + kTensor + object(global("torch", "Size"), size) + "\x88")),
       "float32[5,6]"},
      {"sparse, compressed", utils("_rebuild_sparse_tensor", layout + tuple(kOther + kOther + kTensor + size)),
       "float32[5,6]"},
      {"meta", utils("_rebuild_meta_tensor_no_storage", global("torch", "bfloat16") + size + stride + "\x89"),
       "bfloat16[5,6]"},
      {"a wrapper", utils("_rebuild_wrapper_subclass", global("a", "B") + global("torch", "int8") + size + stride),
       "int8[5,6]"},
      {"of another device",
       utils("_rebuild_device_tensor_from_cpu_tensor", kTensor + global("torch", "float32") + text("xla") + "\x89"),
       "float32[2,3]"},
      {"a subclass",
       object(global("torch._tensor", "_rebuild_from_type_v2"),
              global("torch._utils", "_rebuild_meta_tensor_no_storage") + global("a", "B") +
                  tuple(global("torch", "int8") + size + stride + "\x89") + "}"),
       "int8[5,6]"},
      {"nested", utils("_rebuild_nested_tensor", kTensor + kOther),
       "bad torch_tensor x:m/data.pkl@0x178: it is a nested tensor, whose parts have sizes of their own"},
      {"nested, jagged",
       object(global("torch._tensor", "_rebuild_from_type_v2"),
              global("torch.nested._internal.nested_tensor", "_rebuild_njt") +
                  global("torch.nested._internal.nested_tensor", "NestedTensor") + tuple("}") + "}"),
       "bad torch_tensor x:m/data.pkl@0x93: it is a nested tensor, whose parts have sizes of their own"},
  };
  for (const auto& c : cases) EXPECT_EQ(outcome(archive(c.pickle)), c.expected) << c.what;
}

TEST(Torch, PairsOfArgumentsAreCalls) {
  const std::string pair = tuple(tuple(kTensor + list(kOther)) + dict(text("mask") + kOther));
  const auto calls_of = [](const std::string& pickle) {
    tests::Collector sink;
    EXPECT_TRUE(tests::read(archive(pickle), sink).ok());
    std::string out;
    for (const Call& call : sink.calls) {
      for (const TensorInfo& tensor : call.inputs) out += tests::described(tensor) + " ";
      out += "; ";
    }
    for (const TensorInfo& tensor : sink.tensors) out += "loose " + tests::described(tensor) + " ";
    for (const Error& error : sink.errors) out += error_name(error.code);
    return out;
  };
  const std::string call = "args[0] float32[2,3] args[1][0] int64[4] mask int64[4] ; ";
  EXPECT_EQ(calls_of(pair), call);
  EXPECT_EQ(calls_of(list(pair + pair)), call + call);
  EXPECT_EQ(calls_of(tuple(list(kTensor) + "}")), "args[0] float32[2,3] ; ");
  EXPECT_EQ(calls_of(tuple(list(kTensor) + dict(integer(1) + kTensor))),
            "loose [0][0] float32[2,3] loose [1].1 float32[2,3] ");
  EXPECT_EQ(calls_of(list(pair + kTensor)).substr(0, 6), "loose ");
  // A call of which a part cannot be read is no call; the others are.
  EXPECT_EQ(calls_of(list(tuple(tuple(object(global("a", "B"), "") + kTensor) + "}") + pair)), call + "torch_object");
  EXPECT_EQ(calls_of(tuple(tuple("") + dict(text("a") + kTensor + text("a") + kTensor))), "duplicate_tensor");
}

TEST(Torch, HostileTensors) {
  std::string axes, strides;
  for (std::size_t i = 0; i <= kMaxRank; ++i) axes += integer(1), strides += integer(0);
  const std::string size = tuple(integer(2)), id = tuple(text("storage") + global("torch", "FloatStorage") + text("0") +
                                                         text("cpu") + integer(9)) +
                                                   "Q";
  std::string nested = kTensor;
  for (int i = 0; i < 40; ++i) nested = utils("_rebuild_parameter", nested);
  const struct {
    const char* what;
    std::string pickle, expected;
  } cases[] = {
      {"a negative extent", tensor(integer(-1), integer(1)), "invalid_extent: axis 0"},
      {"2^62 + 1", tensor(integer(1) + integer((std::int64_t{1} << 62) + 1), integer(1) + integer(1)),
       "invalid_extent: axis 1"},
      {"an extent of text", tensor(text("a"), integer(1)), "invalid_extent: axis 0"},
      {"65 axes", tensor(axes, strides), "rank_too_large: "},
      {"beyond its storage", tensor(integer(2) + integer(3), integer(3) + integer(1), "Float", 5),
       "torch_tensor: its last element is number 5 of a storage of 5"},
      {"a stride that wraps", tensor(integer(3), integer(std::int64_t{1} << 62)),
       "torch_tensor: its last element is number 2^63 and more of a storage of 1000"},
      {"begins before its storage", tensor(integer(1), integer(1), "Float", 5, -1),
       "torch_tensor: its last element is number -1 of a storage of 5"},
      {"a negative stride", tensor(integer(2), integer(-1)), "torch_tensor: a stride is no size"},
      {"too few strides", tensor(integer(2), ""), "torch_tensor: its strides do not belong to its size"},
      {"a storage of negative length", tensor(integer(2), integer(1), "Float", -1), "torch_tensor: it has no storage"},
      {"no storage", utils("_rebuild_tensor_v2", "N" + integer(0) + size + size), "torch_tensor: it has no storage"},
      {"a storage of another class",
       utils("_rebuild_tensor_v2",
             tuple(text("storage") + global("a", "B") + "NNK\1") + "Q" + integer(0) + size + size),
       "torch_tensor: 'B' is no storage"},
      {"no size", utils("_rebuild_tensor_v2", id + integer(0) + "N" + size), "torch_tensor: its size is no tuple"},
      {"no arguments", utils("_rebuild_tensor_v2", ""), "torch_tensor: arguments are missing"},
      {"no dtype", utils("_rebuild_tensor_v3", id + integer(0) + size + size), "torch_tensor: arguments are missing"},
      {"a parameter of nothing", utils("_rebuild_parameter", ""), "torch_tensor: it is made of nothing"},
      {"a parameter of a number", utils("_rebuild_parameter", integer(1)),
       "torch_tensor: it is made of what is no tensor"},
      {"a parameter of parameters", nested, "torch_tensor: tensors of tensors, more than 16"},
      {"sparse without parts", utils("_rebuild_sparse_tensor", "N"),
       "torch_tensor: its arguments are no layout and parts"},
      {"sparse, its size far behind",
       utils("_rebuild_sparse_tensor", "N" + tuple(kTensor + kTensor + kTensor + kTensor + size)),
       "torch_tensor: it has no values or no size"},
      {"sparse of what is no tensor", utils("_rebuild_sparse_tensor", "N" + tuple(kTensor + integer(1) + size)),
       "torch_tensor: it has no values or no size"},
      {"sparse of one part", utils("_rebuild_sparse_tensor", "N" + tuple(kTensor)),
       "torch_tensor: it has no values or no size"},
      {"a subclass of nothing", object(global("torch._tensor", "_rebuild_from_type_v2"), ""),
       "torch_tensor: its arguments are no function, type and arguments"},
  };
  for (const auto& c : cases) {
    const std::string said = outcome(archive(c.pickle + put(5) + "0" + list(get(5) + kTensor)));
    const std::size_t begin = said.find("bad "), space = said.find(" x:m/data.pkl@");
    ASSERT_NE(space, std::string::npos) << c.what << ": " << said;
    EXPECT_EQ(said.substr(0, begin), "[1] float32[2,3]\n") << c.what;
    EXPECT_EQ(said.substr(begin + 4, space - begin - 4) + said.substr(said.find(": ", space)), c.expected) << c.what;
  }
}

TEST(Torch, HostileContainers) {
  std::string deep = kTensor, bomb = list(kTensor);
  for (int i = 0; i < 100; ++i) deep = list(deep);
  // Each level holds the one before twice.
  bomb += put(0);
  for (std::uint32_t i = 0; i < 40; ++i) bomb += "0" + list(get(i) + get(i)) + put(i + 1);
  std::string wide = list(kTensor) + put(0);
  for (std::uint32_t i = 0; i < 11; ++i) wide += "0" + list(get(i) + get(i) + get(i) + get(i)) + put(i + 1);
  const struct {
    const char* what;
    std::string bytes, expected;
  } cases[] = {
      {"nested", archive(deep),
       "pickle_too_large x:m/data.pkl: nested deeper than 64, or a container that holds itself"},
      {"a list that holds itself", archive("]" + put(0) + get(0) + "a"),
       "pickle_too_large x:m/data.pkl: nested deeper than 64, or a container that holds itself"},
      {"2^40 tensors in a kilobyte", archive(bomb),
       "pickle_too_large x:m/data.pkl: its names, dtypes and shapes take more than 134217728 bytes"},
      {"2^22 tensors in a kilobyte", archive(wide), "too_many_tensors x:m/data.pkl: the limit is 1048576"},
      {"a long name", archive(dict(text(std::string(kMaxNameBytes + 1, 'n')) + kTensor)),
       "bad invalid_name x: 4097 bytes, the limit is 4096"},
      {"a longer name", archive(dict(text(std::string(5000, 'n')) + list(kTensor))),
       "bad invalid_name x: 5003 bytes, the limit is 4096"},
      {"a name that is no text", archive(dict(text("\xff") + kTensor)), "bad invalid_name x: not UTF-8"},
      {"the pickle is cut", ZipBuilder{.entries = {{.name = "m/data.pkl", .data = kProto + "]"}}}.build(),
       "pickle_malformed x:m/data.pkl@0x03: it ends within an instruction"},
      {"a large pickle",
       ZipBuilder{
           .entries = {{.name = "m/data.pkl", .data = "", .zip64 = true, .size = 1 << 30, .compressed = 1 << 30}}}
           .build(),
       "pickle_too_large x:m/data.pkl: 1073741824 bytes, the limit is 67108864"},
      {"TorchScript", archive(kTensor, {{.name = "m/constants.pkl", .data = ")."}}),
       "torch_archive x: it is TorchScript, a program with its weights, which holds no calls"},
      {"no pickle", ZipBuilder{.entries = {{.name = "m/data", .data = ""}}}.build(),
       "torch_archive x: it has no data.pkl"},
      {"an empty archive", ZipBuilder{}.build(), "torch_archive x: it has no data.pkl"},
      {"another number", kProto + "\x8a\2\1\1.", "torch_archive x@0x00: neither a zip archive nor its number"},
      {"another version", legacy(kTensor, "K\1"), "torch_archive x@0x0f: another version than 1001"},
      {"old and cut", legacy(kTensor).substr(0, 60), "pickle_malformed x@0x30: it ends within an instruction"},
      {"text", "hello", "pickle_malformed x@0x00: it recalls number 101, which it does not have"},
  };
  for (const auto& c : cases) EXPECT_EQ(outcome(c.bytes, "torch"), c.expected) << c.what;
}

// Containers without a tensor, shared so often that a walk would not end.
TEST(Torch, WalksHaveALimit) {
  std::string bomb = "]" + put(0), keys = "]" + put(0);
  const std::string key(4000, 'k');
  for (std::uint32_t i = 0; i < 60; ++i) bomb += "0" + list(get(i) + get(i)) + put(i + 1);
  for (std::uint32_t i = 0; i < 60; ++i) keys += "0" + dict(text(key) + get(i) + text(key) + get(i)) + put(i + 1);
  EXPECT_TRUE(outcome(archive(bomb)).ends_with("hold more than 16777216 values, shared ones each time"))
      << outcome(archive(bomb));
  EXPECT_TRUE(outcome(archive(keys)).ends_with("its names, dtypes and shapes take more than 134217728 bytes"))
      << outcome(archive(keys));
}

// What is shared costs its place in the file, not each way to it.
TEST(Torch, SharedTensorsAreReadOnce) {
  std::string sparse = kTensor + put(0), parts, pairs;
  for (std::uint32_t level = 1; level <= 12; ++level) {
    std::string same;
    for (int i = 0; i < 10; ++i) same += get(level - 1);
    sparse += "0" + utils("_rebuild_sparse_tensor", "N" + tuple(same + tuple(integer(7)))) + put(level);
  }
  EXPECT_TRUE(outcome(archive(sparse)).find("it has no values or no size") != std::string::npos);
  for (int i = 0; i < 50'000; ++i) parts += get(0);
  const std::string wide = utils("_rebuild_sparse_tensor", "N" + tuple(get(0) + get(0) + tuple(integer(7)) + parts));
  std::string shared;
  for (int i = 0; i < 50'000; ++i) shared += get(1);
  tests::Collector sink;
  ASSERT_TRUE(tests::read(archive(kTensor + put(0) + "0" + list(wide + put(1) + shared)), sink).ok());
  EXPECT_EQ(sink.tensors.size(), 50'001u);
  EXPECT_EQ(sink.tensors.back().shape, Shape{7});
  // The keys of one call's arguments, of a list that is no list of calls.
  std::string keys;
  for (int i = 0; i < 50'000; ++i) keys += text("a") + "N";
  const std::string call = tuple("]" + dict(keys)) + put(1);
  EXPECT_EQ(outcome(archive(list(call + shared + kTensor))).substr(0, 16), "pickle_too_large");
  // Pairs of an ordered dict, shared, count too.
  for (int i = 0; i < 50'000; ++i) pairs += integer(1);
  const std::string ordered = object(global("collections", "OrderedDict"), list(pairs)) + put(1);
  EXPECT_EQ(outcome(archive(list(ordered + shared))).substr(0, 16), "pickle_too_large");
}

TEST(Torch, BadPartsAreToldUpToALimit) {
  const std::string bad = tensor(integer(-1), integer(1));
  const auto told = [](const std::string& pickle) {
    tests::Collector sink;
    EXPECT_TRUE(tests::read(archive(pickle), sink).ok());
    EXPECT_EQ(sink.calls.size() + sink.tensors.size(), 0u);
    std::string last = sink.errors.empty() ? "" : sink.errors.back().detail;
    return std::to_string(sink.errors.size()) + " " + last;
  };
  std::string shared = bad + put(0), each, names, classes;
  for (std::uint32_t level = 0; level < 6; ++level) {
    std::string same;
    for (int i = 0; i < 10; ++i) same += get(level);
    shared += "0" + list(same) + put(level + 1);
  }
  EXPECT_EQ(told(shared), "1 axis 0");
  // One that is shared is missing in each of the calls.
  EXPECT_EQ(told(list(tuple(tuple(bad + put(0)) + "}") + tuple(tuple(get(0)) + "}"))), "1 axis 0");
  for (int i = 0; i < 103; ++i) each += bad;
  EXPECT_EQ(told(list(each)), "101 3 more bad ones");
  names = kTensor + put(0);
  for (int i = 0; i < 104; ++i) names += get(0);
  EXPECT_EQ(told(dict(text(std::string(5000, 'n')) + list(names))), "101 5 more bad ones");
  for (int i = 0; i < 102; ++i) classes += object(global("a", std::to_string(i)), "");
  EXPECT_EQ(told(list(classes)), "101 2 more of other classes");
}

// What is shared comes out each time.
TEST(Torch, WhatComesOutHasALimit) {
  std::string axes;
  for (std::size_t i = 0; i < kMaxRank; ++i) axes += integer(1);
  const std::string size = tuple(integer(2)), meta = "_rebuild_meta_tensor_no_storage";
  const std::pair<std::string, int> cases[] = {
      {dict(text(std::string(4000, 'k')) + kTensor), 4000},
      {utils(meta, global("torch", std::string(4000, 'd')) + size), 4000},
      {utils(meta, global("torch", "int8") + tuple(axes)), 8 * static_cast<int>(kMaxRank)},
  };
  for (const auto& [pickle, bytes] : cases) {
    std::string same = pickle + put(0);
    for (int i = 0; i < (128 << 20) / bytes; ++i) same += get(0);
    EXPECT_EQ(outcome(archive(list(same))),
              "pickle_too_large x:m/data.pkl: its names, dtypes and shapes take more than 134217728 bytes");
  }
}

TEST(Torch, ContentsDecide) {
  const std::string whole = archive(kTensor), array = tests::npy_of("<f4", "(2,)");
  EXPECT_EQ(outcome(whole, {}, "a.npz"), "float32[2,3]");
  EXPECT_EQ(outcome(archive(kTensor, {{.name = "b.npy", .data = array}})), "float32[2,3]");
  const ZipBuilder late{
      .entries = {{.name = "m/version", .data = "3"}, {.name = "m/data.pkl", .data = kProto + kTensor + "."}}};
  EXPECT_EQ(outcome(late.build()), "float32[2,3]");
  const ZipBuilder elsewhere{
      .entries = {{.name = "m/version", .data = "3"}, {.name = "n/data.pkl", .data = kProto + kTensor + "."}}};
  EXPECT_TRUE(outcome(elsewhere.build()).starts_with("unknown_format"));
  const ZipBuilder arrays{.entries = {{.name = "a.npy", .data = array}, {.name = "a.npy/data.pkl", .data = "N."}}};
  EXPECT_EQ(outcome(arrays.build()), "a float32[2]");
  const ZipBuilder behind{
      .entries = {{.name = "m/a.npy", .data = array}, {.name = "m/data.pkl", .data = kProto + kTensor + "."}}};
  EXPECT_EQ(outcome(behind.build()), "float32[2,3]");
  const ZipBuilder folder{.entries = {{.name = "m/a.npy", .data = array}, {.name = "n/data.pkl", .data = "N."}}};
  EXPECT_EQ(outcome(folder.build()), "m/a float32[2]");
}

}  // namespace
}  // namespace tensorspec
