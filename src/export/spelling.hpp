// SPDX-License-Identifier: Apache-2.0
//
// Names and expressions in the syntax of others.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "export/exporter.hpp"

namespace tensorspec {

// constant + sum of coefficient * symbol, whole numbers.
struct Affine {
  std::int64_t constant = 0;
  std::map<std::string, std::int64_t> coefficients;  // not zero
};
std::optional<Affine> affine_of(const Dim& dim);

// How another language writes roundings: floor(a/d) and ceil(a/d) of a text a.
enum class Notation : std::uint8_t {
  python,  // (a)//d, -(-(a)//d), names as they are
  jax,     // floordiv(a, d), -floordiv(-a, d); no other parentheses
};
std::string spell(const Dim& dim, Notation notation);

// A Python or JSON string literal.
std::string text_literal(std::string_view text);
// "(1, 3)", "(1,)", "()"
std::string python_tuple(const std::vector<std::string>& items);
bool is_python_keyword(std::string_view name);

// Gives out names that are valid and not taken; says what was renamed.
class Names {
 public:
  // Names for which `reserved` is true are changed too.
  explicit Names(std::function<bool(std::string_view)> reserved) : reserved_(std::move(reserved)) {}
  // The name itself, or an identifier like it: what is no letter, digit or _ becomes _, and _ is added until it is
  // free.
  std::string take(std::string_view wanted);

 private:
  std::function<bool(std::string_view)> reserved_;
  std::set<std::string, std::less<>> taken_;
};

// The name of every symbol of the variant in a language; a renaming is noted.
std::map<std::string, std::string> symbol_names(const Variant& variant, Names& names, ExportJob& job);
// Every dim with these symbols replaced; false when one becomes too large, and some are replaced then.
bool substitute(Variant& variant, const std::map<std::string, Dim>& values);
// The dims with the symbols renamed.
Variant renamed(const Variant& variant, const std::map<std::string, std::string>& names);

// The variant with a symbol for each claimed step counted in steps: seq in steps of 8 from 4 becomes 8*seq_8+4, where
// seq_8 has a range of its own and no step. A symbol that can have one size only becomes that size. nullopt: too large.
std::optional<Variant> without_steps(const Variant& variant);

// The variant with the ranges of its box, which a profile may have made smaller.
Variant within_box(const ExportJob::Part& part);

// The inputs with symbols that a left-to-right reader can work out, an expression at a time: an axis whose expression
// has two unknown symbols, or one that it is no whole multiple of, gets a symbol of its own, with the limits of the
// axis.
struct Solvable {
  Variant variant;
  std::vector<std::string> freed;  // axes, each with the expression that is lost: "mask[1] = past+seq"
};
// `bare` alone: only a symbol that stands for itself is known; in the order of the axes, where that is what the reader
// does (`in_order`).
Solvable solvable(const Variant& variant, bool bare, bool in_order);

// Nested arguments out of the paths of tensors: "args[0]", "cache.layers[1].keys", "x["a b"]". Each leaf is an
// expression of Python. `args` of a call are apart from its keyword arguments.
enum class Containers : std::uint8_t {
  plain,  // [..] and {..}
  specs,  // SeqSpec([..]), ObjectSpec({..}) for attributes, DictSpec({..})
};
struct Nested {
  std::vector<std::string> args;                            // one expression each
  std::vector<std::pair<std::string, std::string>> kwargs;  // name and expression
};
// A path that runs through another's leaf has no place in it, which is noted.
Nested nested(const std::vector<std::pair<std::string, std::string>>& leaves, ExportJob& job,
              Containers containers = Containers::plain);
// As a dict, or as a tuple when there are positional arguments; "None" where an index is missing.
std::string python_structure(const Nested& arguments);

// NumPy's name of a boolean, integer, float or complex dtype; nullopt of one that NumPy itself does not have, and of
// text.
std::optional<std::string> numpy_name(const DType& dtype);

// "torch.float32"; float32 when several or none are known, which is noted. `names` says how the language calls a dtype.
std::string dtype_in(const TensorContract& tensor, const std::function<std::optional<std::string>(const DType&)>& names,
                     ExportJob& job, std::string_view otherwise);

}  // namespace tensorspec
