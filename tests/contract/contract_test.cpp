// SPDX-License-Identifier: Apache-2.0
#include "tensorspec/contract.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>

#include "base/json.hpp"
#include "support/calls.hpp"
#include "tensorspec/explain.hpp"

namespace tensorspec {
namespace {

const char kByHand[] = R"({
  "format": "tensorspec-contract", "version": 1, "note": "kept",
  "variants": [{
    "inputs": [{"name": "ids", "dtype": "torch.int64", "shape": ["batch", "seq"], "why": {"a": [1]}},
               {"name": "mask", "shape": ["batch", "past+seq"]},
               {"name": "scale", "dtype": ["float16", "float32"], "shape": []}],
    "symbols": [{"name": "seq", "min": 8, "max": 512, "multiple_of": 8, "who": "me"}]
  }]
})";

TEST(Contract, WrittenByHandIsReadAndCompleted) {
  const auto contract = Contract::from_json(kByHand);
  ASSERT_TRUE(contract.ok()) << contract.error().message();
  const Variant& variant = contract->variants()[0];
  EXPECT_EQ(variant.inputs[0].dtypes[0].name(), "int64");
  EXPECT_TRUE(variant.inputs[1].dtypes.empty());
  EXPECT_EQ(variant.inputs[1].shape[1].to_string(), "past+seq");
  ASSERT_NE(variant.symbol("past"), nullptr);
  EXPECT_EQ(variant.symbol("past")->max, std::nullopt);
  EXPECT_EQ(variant.symbol("seq")->multiple_of, 8);
}

TEST(Contract, UnknownFieldsAreKept) {
  const auto contract = Contract::from_json(kByHand);
  ASSERT_TRUE(contract.ok());
  const auto again = Contract::from_json(contract->to_json());
  ASSERT_TRUE(again.ok()) << again.error().message();
  EXPECT_EQ(again->to_json(), contract->to_json());
  const Json root = Json::parse(contract->to_json()).value();
  EXPECT_EQ(*root.find("note"), Json("kept"));
  const Json& variant = root.find("variants")->array()->front();
  EXPECT_EQ(variant.find("inputs")->array()->front().find("why")->dump(), R"({"a":[1]})");
  EXPECT_EQ(*variant.find("symbols")->array()->front().find("who"), Json("me"));
}

TEST(Contract, EachFaultIsNamedWithItsPlace) {
  const auto with_variant = [](const std::string& variant) {
    return R"({"format": "tensorspec-contract", "version": 1, "variants": [)" + variant + "]}";
  };
  const std::tuple<std::string, ErrorCode, const char*> cases[] = {
      {"[]", ErrorCode::contract_format, ""},
      {R"({"format": "other"})", ErrorCode::contract_format, "format"},
      {R"({"format": "tensorspec-contract", "version": 2, "variants": []})", ErrorCode::contract_version, "version"},
      {R"({"format": "tensorspec-contract", "version": 1.0, "variants": []})", ErrorCode::contract_format, "version"},
      {R"({"format": "tensorspec-contract", "version": 1})", ErrorCode::contract_format, "variants"},
      {with_variant("3"), ErrorCode::contract_format, "variants[0]"},
      {with_variant(R"({"inputs": [{"shape": []}]})"), ErrorCode::contract_format, "variants[0].inputs[0].name"},
      {with_variant(R"({"inputs": [{"name": "x"}]})"), ErrorCode::contract_format, "variants[0].inputs[0].shape"},
      {with_variant(R"({"inputs": [{"name": "x", "shape": [1.5]}]})"), ErrorCode::contract_format,
       "variants[0].inputs[0].shape[0]"},
      {with_variant(R"({"inputs": [{"name": "x", "shape": ["a b"]}]})"), ErrorCode::dim_syntax,
       "variants[0].inputs[0].shape[0] column 3"},
      {with_variant(R"({"inputs": [{"name": "x", "shape": [-4]}]})"), ErrorCode::contract_conflict, "variant 0"},
      {with_variant(R"({"inputs": [{"name": "x", "shape": []}, {"name": "x", "shape": [1]}]})"),
       ErrorCode::contract_conflict, "variant 0"},
      {with_variant(R"({"inputs": []}, {"inputs": []})"), ErrorCode::contract_conflict, "variant 1"},
      {with_variant(R"({"symbols": [{"name": "a"}, {"name": "a"}]})"), ErrorCode::contract_conflict, "variant 0"},
      {with_variant(R"({"symbols": [{"name": "a+b"}]})"), ErrorCode::contract_conflict, "variant 0"},
      {with_variant(R"({"symbols": [{"name": "a", "min": 4, "max": 3}]})"), ErrorCode::contract_conflict, "variant 0"},
      {with_variant(R"({"symbols": [{"name": "a", "min": -4}]})"), ErrorCode::contract_conflict, "variant 0"},
      {with_variant(R"({"symbols": [{"name": "a", "multiple_of": 0}]})"), ErrorCode::contract_conflict, "variant 0"},
      {with_variant(R"({"symbols": [{"name": "a", "min": 5, "max": 7, "multiple_of": 8}]})"),
       ErrorCode::contract_conflict, "variant 0"},
      {with_variant(R"({"symbols": [{"name": "a", "source": "guessed"}]})"), ErrorCode::contract_format,
       "variants[0].symbols[0].source"},
      {with_variant(R"({"claims": [{"tensor": "x", "axis": 64, "dim": 1}]})"), ErrorCode::contract_format,
       "variants[0].claims[0].axis"},
      {R"({"format": "tensorspec-contract", "version": 1, "variants": [], "evidence": {}})", ErrorCode::evidence_format,
       ""},
  };
  for (const auto& [text, code, where] : cases) {
    const auto contract = Contract::from_json(text);
    ASSERT_FALSE(contract.ok()) << text;
    EXPECT_EQ(contract.error().code, code) << text << "\n" << contract.error().message();
    EXPECT_EQ(contract.error().where, where) << text;
  }
}

class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "tensorspec-XXXXXX").string();
    path = ::mkdtemp(name.data());
  }
  ~TemporaryFolder() { std::filesystem::remove_all(path); }
  std::filesystem::path path;
};

TEST(Contract, SavingReplacesInOneStepAndLeavesNoTemporary) {
  const TemporaryFolder folder;
  const auto file = folder.path / "m.contract.json";
  const auto contract = Contract::from_json(kByHand);
  ASSERT_TRUE(contract.ok());
  std::ofstream(file) << "old";
  ASSERT_TRUE(contract->save(file).ok());
  const auto read = Contract::load(file);
  ASSERT_TRUE(read.ok()) << read.error().message();
  EXPECT_EQ(read->to_json(), contract->to_json());
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder.path), {}), 1);
  const Status lost = contract->save(folder.path / "no" / "such" / "folder.json");
  ASSERT_FALSE(lost.ok());
  EXPECT_EQ(lost.error().code, ErrorCode::file_write);
  EXPECT_EQ(Contract::load(folder.path / "absent").error().code, ErrorCode::file_open);
  EXPECT_EQ(Contract::load(folder.path).error().code, ErrorCode::file_read);
}

TEST(Contract, EvidenceTravelsWithIt) {
  Evidence evidence;
  for (const char* text : {"1 | x 1,5 | y 2,5", "2 | x 2,7 | y 4,7", "- | x 3,9 | y 6,9"})
    ASSERT_TRUE(evidence.add(tests::call(text)).ok());
  const auto contract = explain(evidence);
  ASSERT_TRUE(contract.ok()) << contract.error().message();
  const auto read = Contract::from_json(contract->to_json());
  ASSERT_TRUE(read.ok()) << read.error().message();
  ASSERT_TRUE(read->evidence().has_value());
  EXPECT_EQ(*read->evidence(), evidence);
  EXPECT_EQ(read->to_json(), contract->to_json());
  EXPECT_EQ(Json::parse(contract->to_json(false))->find("evidence"), nullptr);
}

}  // namespace
}  // namespace tensorspec
