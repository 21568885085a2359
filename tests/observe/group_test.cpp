// SPDX-License-Identifier: Apache-2.0
#include "observe/group.hpp"

#include <gtest/gtest.h>

#include "base/text.hpp"
#include "support/calls.hpp"

namespace tensorspec {
namespace {

// "ids_0:2,3 mask_0:2,4" as files of a folder.
std::vector<TensorFile> files(const std::string& text) {
  std::vector<TensorFile> out;
  std::stringstream list(text);
  for (std::string item; list >> item;) {
    const std::size_t colon = item.find(':');
    out.push_back({item.substr(0, colon), "f/" + item.substr(0, colon) + ".npy",
                   testing::tensors("t " + item.substr(colon + 1))[0]});
    out.back().tensor.name.clear();
  }
  return out;
}

std::string text_of(const Grouped& grouped) {
  std::vector<std::string> calls;
  for (const GroupedCall& call : grouped.calls) {
    std::string text;
    for (const TensorInfo& tensor : call.call.inputs) text += "<" + tensor.name;
    for (const TensorInfo& tensor : call.call.outputs) text += ">" + tensor.name;
    calls.push_back(text);
  }
  return join(calls, " ");
}

TEST(Grouping, NamesTellCallsFromTensors) {
  const std::pair<const char*, const char*> cases[] = {
      {"ids:2,3 mask:2,3", "<ids<mask"},
      {"ids_0:2,3 ids_1:2,9", "<ids <ids"},
      {"mask_0:1 ids_0:2,3 ids_1:2,9 mask_1:2", "<ids<mask <ids<mask"},
      {"x0:1 x10:1 x2:1", "<x <x <x"},
      {"input_0:1,2 input_1:1,2", "<input_0<input_1"},
      {"input_0:1,2 output_0:1", "<input_0<output_0"},
      {"arg0:1 arg1:1", "<arg0<arg1"},
      {"a_0:1,2 a_1:3", "<a_0<a_1"},
      {"in__x:1,2 out__y:1", "<x>y"},
      {"000:1 001:2", "< <"},
      {"only:4", "<only"},
  };
  for (const auto& [text, wanted] : cases) {
    const auto grouped = group_files(files(text), "f", Grouping::automatic);
    ASSERT_TRUE(grouped.ok()) << text;
    EXPECT_EQ(text_of(*grouped), wanted) << text;
    EXPECT_NE(grouped->note.find("f: "), std::string::npos);
  }
}

TEST(Grouping, CanBeToldWhichItIs) {
  EXPECT_EQ(text_of(group_files(files("a_0:1 a_1:2"), "f", Grouping::one_call).value()), "<a_0<a_1");
  EXPECT_EQ(text_of(group_files(files("cat:1 dog:2"), "f", Grouping::call_per_file).value()), "<input <input");
  EXPECT_EQ(group_files(files("a_01:1 a_1:2"), "f", Grouping::automatic).error().code, ErrorCode::duplicate_tensor);
}

TEST(Grouping, PrefixesTellInputsFromOutputsOnlyWhenAllHaveOne) {
  EXPECT_EQ(call_of_tensors(testing::tensors("in__a 1; out__b 2")).value(), testing::call("- | a 1 | b 2"));
  EXPECT_EQ(call_of_tensors(testing::tensors("in__a 1; b 2")).value(), testing::call("- | in__a 1; b 2"));
  EXPECT_EQ(call_of_tensors(testing::tensors("out__a 1")).value(), testing::call("- | out__a 1"));
  EXPECT_EQ(call_of_tensors(testing::tensors("a 1; a 2")).error().code, ErrorCode::duplicate_tensor);
}

}  // namespace
}  // namespace tensorspec
