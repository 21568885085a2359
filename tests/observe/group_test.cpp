// SPDX-License-Identifier: Apache-2.0
#include "observe/group.hpp"

#include <gtest/gtest.h>

#include <tuple>

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
                   tests::tensors("t " + item.substr(colon + 1))[0]});
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
    const Grouped grouped = group_files(files(text), {}, "f", Grouping::automatic);
    EXPECT_TRUE(grouped.errors.empty()) << text;
    EXPECT_EQ(text_of(grouped), wanted) << text;
    EXPECT_NE(grouped.note.find("f: "), std::string::npos);
  }
}

TEST(Grouping, ACallOfWhichAFileCannotBeReadIsNone) {
  const std::tuple<const char*, std::vector<std::string>, const char*> cases[] = {
      {"ids_0:2 mask_0:2 ids_1:3", {"mask_1"}, "<ids<mask"},
      {"ids_0:2 ids_1:3", {"ids_2"}, "<ids <ids"},  // nothing of call 2 is there
      {"ids_0:2 ids_1:3", {"backup"}, "<ids <ids"},
      {"ids_0:2 ids_10:3", {"ids_010", "mask_10"}, "<ids"},
      {"ids:2 mask:2", {"bias"}, ""},
      {"input_0:2 input_1:2", {"input_2"}, ""},
  };
  for (const auto& [text, unreadable, wanted] : cases) {
    const Grouped grouped = group_files(files(text), unreadable, "f", Grouping::automatic);
    EXPECT_EQ(text_of(grouped), wanted) << text;
    const bool less = group_files(files(text), {}, "f", Grouping::automatic).calls.size() > grouped.calls.size();
    EXPECT_EQ(grouped.note.ends_with("; 1 call left out, of which a file cannot be read"), less) << grouped.note;
  }
  EXPECT_EQ(text_of(group_files(files("cat:1 dog:2"), {"fox"}, "f", Grouping::call_per_file)), "<input <input");
}

TEST(Grouping, ABadCallCostsNoOther) {
  const Grouped grouped = group_files(files("a_01:1 a_1:2 a_2:3"), {}, "f", Grouping::automatic);
  EXPECT_EQ(text_of(grouped), "<a");
  ASSERT_EQ(grouped.errors.size(), 1U);
  EXPECT_EQ(grouped.errors[0].code, ErrorCode::duplicate_tensor);
  EXPECT_NE(grouped.errors[0].where.find("f (number 1)"), std::string::npos) << grouped.errors[0].where;
}

TEST(Grouping, NamesInsideCountWhenTheyDiffer) {
  auto named = files("ids:2,3 mask:2,3");
  named[0].tensor.name = "x";
  named[1].tensor.name = "y";
  EXPECT_EQ(text_of(group_files(named, {}, "f", Grouping::automatic)), "<x<y");
  named[1].tensor.name = "x";
  EXPECT_EQ(text_of(group_files(named, {}, "f", Grouping::automatic)), "<ids<mask");
  EXPECT_EQ(text_of(group_files(named, {}, "f", Grouping::call_per_file)), "<x <x");
}

TEST(Grouping, FilesOfTestData) {
  EXPECT_FALSE(value_file("input"));
  EXPECT_FALSE(value_file("input_"));
  EXPECT_FALSE(value_file("input_-1"));
  EXPECT_FALSE(value_file("my_input_1"));
  ASSERT_TRUE(value_file("output_12"));
  EXPECT_TRUE(value_file("output_12")->output);
  EXPECT_EQ(value_file("output_12")->index, 12u);
  const auto file = [](const std::string& stem, const std::string& tensors) {
    auto value = value_file(stem);
    value->tensors = tests::tensors(tensors);
    return *value;
  };
  // A model's third input that is no file, a file that the model has no name for.
  const std::vector<ValueName> inputs{{"a"}, {"b", true}, {"c"}};
  const auto call =
      call_of_values({file("input_3", "d 4"), file("input_1", "x[0] 2; x[1] 3"), file("input_0", "y 1")}, inputs, {});
  ASSERT_TRUE(call.ok());
  EXPECT_EQ(*call, tests::call("- | a 1; b[0] 2; b[1] 3; d 4"));
  EXPECT_EQ(call_of_values({file("input_0", "x 1"), file("input_1", "x 1")}, {}, {}).error().code,
            ErrorCode::duplicate_tensor);
}

TEST(Grouping, NamesInsideTestDataCountWhenAllBelongToTheModel) {
  const auto file = [](const std::string& stem, const std::string& tensors) {
    auto value = value_file(stem);
    value->tensors = tests::tensors(tensors);
    return *value;
  };
  const std::vector<ValueName> inputs{{"a"}, {"b"}, {"c", true}, {"a"}};
  const auto call = [&](const std::vector<ValueFile>& files) { return call_of_values(files, inputs, {}).value(); };
  EXPECT_EQ(call({file("input_0", "b 1"), file("input_1", "c[0] 2; c[1] 3"), file("input_2", "a 4")}),
            tests::call("- | b 1; c[0] 2; c[1] 3; a 4"));
  EXPECT_EQ(call({file("input_0", "b 1"), file("input_1", "b 2")}), tests::call("- | a 1; b 2"));
  EXPECT_EQ(call({file("input_0", "b 1"), file("input_1", "x 2")}), tests::call("- | a 1; b 2"));
}

TEST(Grouping, CanBeToldWhichItIs) {
  EXPECT_EQ(text_of(group_files(files("a_0:1 a_1:2"), {}, "f", Grouping::one_call)), "<a_0<a_1");
  EXPECT_EQ(text_of(group_files(files("cat:1 dog:2"), {}, "f", Grouping::call_per_file)), "<input <input");
}

TEST(Grouping, PrefixesTellInputsFromOutputsOnlyWhenAllHaveOne) {
  EXPECT_EQ(call_of_tensors(tests::tensors("in__a 1; out__b 2")).value(), tests::call("- | a 1 | b 2"));
  EXPECT_EQ(call_of_tensors(tests::tensors("in__a 1; b 2")).value(), tests::call("- | in__a 1; b 2"));
  EXPECT_EQ(call_of_tensors(tests::tensors("out__a 1")).value(), tests::call("- | out__a 1"));
  EXPECT_EQ(call_of_tensors(tests::tensors("a 1; a 2")).error().code, ErrorCode::duplicate_tensor);
}

}  // namespace
}  // namespace tensorspec
