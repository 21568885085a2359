// SPDX-License-Identifier: Apache-2.0
//
// Tensors of files, grouped into calls.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tensorspec/call.hpp"

namespace tensorspec {

// Whether the name begins as those of inputs do where names tell inputs from outputs: "in__", "inputs/".
bool names_an_input(std::string_view name);

// The tensors of one archive as a call. When every name begins with "in__" or "out__" (or "inputs/", "outputs/"), that
// tells inputs from outputs and is taken off; otherwise all are inputs. Errors: those of validate(Call).
Result<Call> call_of_tensors(std::vector<TensorInfo> tensors);

// A file that holds one tensor.
struct TensorFile {
  std::string stem;  // the file's name without folder and extension
  std::string path;
  TensorInfo tensor;
};

// A file of ONNX test data: input_3.pb is input 3. It holds a tensor, or those of a sequence or an optional.
struct ValueFile {
  bool output;
  std::size_t index;
  std::string path;
  std::vector<TensorInfo> tensors;  // as the file names them: "x", or "x[0]", "x[1]"; names may be empty
};
// "input_3" and "output_0"; nullopt for other stems.
std::optional<ValueFile> value_file(const std::string& stem);

// What a model calls its inputs or outputs, in its order.
struct ValueName {
  std::string name;
  bool sequence = false;  // it stands for any number of tensors
};

// The files of one test data set as a call. A file has the name of the model's input that has its number: files often
// have other names inside; only when all have names that the model has do those count. Without a model the names inside
// count, or "input_3" where there is none. Errors: those of validate(Call).
Result<Call> call_of_values(std::vector<ValueFile> files, const std::vector<ValueName>& inputs,
                            const std::vector<ValueName>& outputs);

// How files of one folder were told apart.
enum class Grouping { automatic, one_call, call_per_file };

struct GroupedCall {
  Call call;
  std::string origin;  // the folder, or the file, or "folder (number 3)"
};
struct Grouped {
  std::vector<GroupedCall> calls;
  std::vector<Error> errors;  // calls that are none: two tensors of one name; `where` is the origin
  std::string note;           // how it was read, in words: "4 files, told apart by their numbers: 2 calls of ids, mask"
};

// Files of one folder into calls. automatic: names that end in a number ("ids_0", "ids_1", "mask_0", "mask_1") are
// tensors ids and mask of the calls 0 and 1; names without numbers, or words that number tensors ("input_0", "arg1"),
// are the tensors of one call; so are files whose dtype or rank differs under one word. `unreadable` are the stems of
// files beside them that could not be read: a call of which a tensor is missing would teach what is not so, and is left
// out.
Grouped group_files(std::vector<TensorFile> files, const std::vector<std::string>& unreadable,
                    const std::string& folder, Grouping grouping);

}  // namespace tensorspec
