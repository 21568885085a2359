// SPDX-License-Identifier: Apache-2.0
#include "wire/pickle.hpp"

#include <gtest/gtest.h>

#include "base/text.hpp"
#include "read/collector.hpp"
#include "wire/pickle_builder.hpp"

namespace tensorspec {
namespace {

using tests::le;
using namespace tests::pickle;
using Kind = Pickle::Kind;

// A value as Python writes it; of objects the class, arguments, items and state.
std::string shown(const Pickle& pickle, Pickle::Value value) {
  const auto list = [&](std::span<const Pickle::Value> items) {
    std::vector<std::string> parts;
    for (const Pickle::Value item : items) parts.push_back(shown(pickle, item));
    return join(parts, " ");
  };
  switch (value.kind) {
    case Kind::none: return "None";
    case Kind::boolean: return value.data ? "True" : "False";
    case Kind::integer: return std::to_string(value.data);
    case Kind::huge: return "huge";
    case Kind::real: return "real";
    case Kind::text: return "'" + std::string(pickle.text(value)) + "'";
    case Kind::bytes: return "b'" + std::string(pickle.text(value)) + "'";
    case Kind::tuple: return "(" + list(pickle.items(value)) + ")";
    case Kind::list: return "[" + list(pickle.items(value)) + "]";
    case Kind::dict: return "{" + list(pickle.items(value)) + "}";
    case Kind::global: return std::string(pickle.module_of(value)) + ":" + std::string(pickle.name_of(value));
    case Kind::persistent: return "<" + shown(pickle, pickle.persistent_id(value)) + ">";
    case Kind::object: break;
  }
  const Pickle::Object& object = pickle.object(value);
  std::string out = shown(pickle, object.callable) + shown(pickle, object.arguments);
  if (!object.items.empty()) out += "+" + list(object.items);
  if (object.state.kind != Kind::none) out += "/" + shown(pickle, object.state);
  return out;
}

std::string said(const std::string& bytes) {
  PickleBytes held{bytes};
  const auto pickle = Pickle::parse({.file = "x"}, held, 0);
  return pickle.ok() ? shown(*pickle, pickle->root()) : tests::described(pickle.error());
}

TEST(Pickle, Values) {
  const std::string a = global("m", "A");
  const struct {
    const char* what;
    std::string pickle, expected;
  } cases[] = {
      {"None", "N", "None"},
      {"booleans", tuple("\x88\x89"), "(True False)"},
      {"integers", tuple("K\xffM\xff\xff" + ("J" + le(0xFFFFFFFE, 4)) + integer(INT64_MIN)),
       "(255 65535 -2 -9223372036854775808)"},
      {"long integers",
       tuple(std::string("\x8a\0\x8a\1\xff\x8a\2\0\1\x8a\x09", 11) + le(0, 9) + "\x8b" + le(2, 4) + "\1\1"),
       "(0 -1 256 huge 257)"},
      {"real", "G" + le(0, 8), "real"},
      {"texts", tuple(text("ab") + "U\2cd" + "T" + le(1, 4) + "e"), "('ab' 'cd' 'e')"},
      {"bytes", tuple("C\2ab" + ("B" + le(1, 4)) + "c"), "(b'ab' b'c')"},
      {"tuples", tuple(")N\x85NN\x86NNN\x87"), "(() (None) (None None) (None None None))"},
      {"lists", "](K\1K\2eK\3a", "[1 2 3]"},
      {"dicts", "}(K\1K\2uK\3K\4s", "{1 2 3 4}"},
      {"a class", a, "m:A"},
      {"objects", object(a, "K\1") + "K\2b", "m:A(1)/2"},
      {"objects made anew", a + ")\x81(K\1K\2u}b", "m:A()+1 2/{}"},
      {"objects that are appended to", a + ")R(K\1K\2eK\3a", "m:A()+1 2 3"},
      {"persistent", tuple(text("storage") + "K\1") + "Q", "<('storage' 1)>"},
      {"remembered", tuple("K\7q\1h\1" + get(1) + put(300) + get(300)), "(7 7 7 7)"},
      {"a list that holds itself is no trouble here", "]q\1h\1a0K\1", "1"},
      {"dropped", "K\1K\0020", "1"},
      {"a mark dropped", "K\1(0", "1"},
      {"dropped to the mark", "K\1(K\2K\0031", "1"},
      {"protocol 3", "\x80\3K\1", "1"},
  };
  for (const auto& c : cases) EXPECT_EQ(said(kProto + c.pickle + "."), c.expected) << c.what;
}

TEST(Pickle, HostilePickles) {
  const std::string a = global("m", "A");
  const struct {
    const char* what;
    std::string pickle, expected;
  } cases[] = {
      {"empty", "", "pickle_malformed x@0x00: it ends within an instruction"},
      {"no end", "N", "pickle_malformed x@0x01: it ends within an instruction"},
      {"nothing", ".", "pickle_malformed x@0x00: nothing is left to take"},
      {"cut", "X" + le(3, 4) + "ab", "pickle_malformed x@0x00: it ends within an instruction"},
      {"a text of 4 GiB", "X" + le(0xFFFFFFFF, 4) + "ab", "pickle_too_large x@0x00: more than 67108864 bytes"},
      {"a number of 4 GiB", "\x8b" + le(0xFFFFFFFF, 4) + "ab", "pickle_too_large x@0x00: more than 67108864 bytes"},
      {"protocol 4", "\x80\4N.",
       "pickle_unsupported x@0x00: protocol 4, where torch.save writes 2 unless told otherwise"},
      {"protocol 0", std::string("\x80\0N.", 4),
       "pickle_unsupported x@0x00: protocol 0, where torch.save writes 2 unless told otherwise"},
      {"a frame", "\x95" + le(1, 8), "pickle_unsupported x@0x00: an instruction of protocol 4 or 5"},
      {"a number in letters", "I1\n.", "pickle_unsupported x@0x00: instruction 0x49, of protocol 0 or an extension"},
      {"an extension", "\x82\1.", "pickle_unsupported x@0x00: instruction 0x82, of protocol 0 or an extension"},
      {"no instruction", "\xff", "pickle_malformed x@0x00: no instruction is 0xff"},
      {"a tuple of nothing", "\x85.", "pickle_malformed x@0x00: a tuple of more than there is"},
      {"a tuple across a mark", "N(\x85.", "pickle_malformed x@0x02: a tuple of more than there is"},
      {"no mark", "Nt.", "pickle_malformed x@0x01: there is no mark"},
      {"no mark to drop", "N1.", "pickle_malformed x@0x01: there is no mark"},
      {"nothing to drop", "0.", "pickle_malformed x@0x00: nothing is left to drop"},
      {"taken across a mark", "N(.", "pickle_malformed x@0x02: nothing is left to take"},
      {"items of no container", "K\1(K\2e.", "pickle_malformed x@0x05: items for what is no container"},
      {"items of nothing", "(K\2e.", "pickle_malformed x@0x03: there is no container to add to"},
      {"one item of nothing", "a.", "pickle_malformed x@0x00: there is no container to add to"},
      {"entries of a list", "](K\1K\2u.", "pickle_malformed x@0x06: items for what is no container"},
      {"items of a dict", "}K\1a.", "pickle_malformed x@0x03: items for what is no container"},
      {"a key alone", "}(K\1u.", "pickle_malformed x@0x04: a key without a value"},
      {"an object of a number", "K\1)R.",
       "pickle_malformed x@0x03: an object of what is no class, or without arguments"},
      {"an object of an object", a + ")R)R.",
       "pickle_malformed x@0x08: an object of what is no class, or without arguments"},
      {"arguments that are no tuple", a + "]R.",
       "pickle_malformed x@0x06: an object of what is no class, or without arguments"},
      {"a state of a dict", "}}b.", "pickle_malformed x@0x02: a state for what is no object"},
      {"a name that does not end", "cm", "pickle_malformed x@0x00: it ends within an instruction"},
      {"a long name", "c" + std::string(5000, 'm') + "\nA\n.",
       "pickle_malformed x@0x00: a name of more than 4096 bytes"},
      {"not remembered", "h\1.", "pickle_malformed x@0x00: it recalls number 1, which it does not have"},
      {"left out when remembering", "Nq\2h\1.", "pickle_malformed x@0x03: it recalls number 1, which it does not have"},
      {"remembers nothing", "q\1.", "pickle_malformed x@0x00: nothing is left to look at"},
      {"remembers far off", "N" + put(0xFFFFFFFF) + ".",
       "pickle_malformed x@0x01: it remembers under number 4294967295"},
  };
  for (const auto& c : cases) EXPECT_EQ(said(c.pickle), c.expected) << c.what;
}

TEST(Pickle, Limits) {
  const auto starts = [](const std::string& bytes, const char* expected) {
    EXPECT_EQ(said(bytes).substr(0, said(bytes).find('@')), std::string("pickle_too_large x")) << expected;
    EXPECT_TRUE(said(bytes).ends_with(expected)) << said(bytes);
  };
  starts(std::string(Pickle::kMaxValues + 2, 'N'), "more than 16777216 values");
  starts(std::string(Pickle::kMaxContainers + 2, ']'), "more than 4194304 containers");
  starts(std::string(Pickle::kMaxContainers + 2, '('), "more than 4194304 marks");
  // Numbers that grow with each one remembered must not double the memory each time.
  std::string far = "N";
  for (std::uint64_t i = 0, at = 0; i < 60; ++i, at = 2 * at + 1000) far += put(static_cast<std::uint32_t>(at));
  EXPECT_TRUE(said(far).starts_with("pickle_malformed x@")) << said(far);
}

TEST(Pickle, BytesAreAskedForAsTheyAreNeeded) {
  const std::string whole = kProto + tuple(text(std::string(10000, 'a')) + "K\1") + "." + std::string(1 << 20, 'z');
  PickleBytes bytes;
  bytes.more = [&](std::string& held, std::size_t size) -> Status {
    held = whole.substr(0, size);
    return {};
  };
  const auto pickle = Pickle::parse({.file = "x"}, bytes, 0);
  ASSERT_TRUE(pickle.ok()) << pickle.error().message();
  EXPECT_EQ(pickle->end(), whole.find("z"));
  EXPECT_LT(bytes.held.size(), 50000u);
}

}  // namespace
}  // namespace tensorspec
