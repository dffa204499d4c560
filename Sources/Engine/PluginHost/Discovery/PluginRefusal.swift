import ImageCore

/// The reason why a file is not used as a plugin. Each case holds facts, and `description` makes the sentence.
package enum PluginRefusal: Error, Sendable, Equatable {
  case file(FileError)
  case emptyFile
  case notALibrary
  case truncated
  /// The library is for another machine, which the text names.
  case otherMachine(String)
  case notASharedLibrary
  /// The library cannot be loaded. The message is the dynamic linker's.
  case cannotLoad(String)
  case noEntry
  case noDescription
  case wrongVersion(UInt32)
  case invalid(DescriptionError)
  /// The frei0r library does not work. The message gives the reason.
  case frei0r(String)
  /// A frei0r library in a folder of native plugins.
  case frei0rFolder
  /// The worker that read the description failed. The text completes a sentence, such as "crashed (segmentation
  /// fault)".
  case worker(String)
  /// A worker failed with this text in an earlier run.
  case remembered(String)
  /// Another file, earlier on the search path, has a plugin with this name.
  case hidden(name: String, by: String)
}

/// A mistake in the description that a plugin gives of itself.
package enum DescriptionError: Error, Sendable, Equatable {
  case tooSmall
  case noFunctions
  case tooLong
  case garbled
  case badName(String)
  case textTooLong(String)
  case tooManyDataPaths
  /// A declared data path that the plugin must not read.
  case dataPath(String)
  case kind(UInt32)
  case unknownValue(field: String, UInt32)
  case noFormats
  case tooManyParameters(UInt32)
  case duplicate(String)
  /// A parameter has a name that scripts reserve for the host.
  case reserved(String)
  case inputCount(UInt32)
  case parameter(String, ParameterMistake)
  /// A mistake in the description of a file format.
  case codec(String)
}

/// A mistake in a declared parameter.
package enum ParameterMistake: Sendable, Equatable {
  case type(UInt32)
  case notFinite
  case emptyRange(Double, Double)
  case notWhole
  case defaultOutside
  case choices
  case duplicateChoice(String)
  case step
}

extension PluginRefusal: CustomStringConvertible {
  /// The rest of a sentence that starts with the file's name.
  package var description: String {
    switch self {
    case .file(let error): "cannot be read: \(error)"
    case .emptyFile: "is not an imghost plugin: the file is empty"
    case .notALibrary: "is not an imghost plugin: it is not a shared library (no ELF header)"
    case .truncated: "is truncated: its ELF headers name bytes beyond its end"
    case .otherMachine(let machine): "is for another machine (\(machine))"
    case .notASharedLibrary: "is not an imghost plugin: it is a program or an object file"
    case .cannotLoad(let words): "cannot be loaded: \(words)"
    case .noEntry: "is not an imghost plugin: no symbol imghost_plugin_entry"
    case .noDescription: "does not work with this imghost: imghost_plugin_entry returned NULL"
    case .wrongVersion(let version):
      "was built for version \(version) of imghost_plugin.h; this imghost supports version 1"
    case .invalid(let error): "describes itself wrongly: \(error)"
    case .frei0r(let words): "is not a working frei0r plugin: \(words)"
    case .frei0rFolder:
      "is a frei0r plugin in a folder of native plugins; add the folder to FREI0R_PATH"
    case .worker(let words): "could not be described: it \(words)"
    case .remembered(let words):
      "could not be described in an earlier run: it \(words); to try again: imghost plugin check"
    case .hidden(let name, let path): "is not used: '\(name)' is already defined by \(path)"
    }
  }
}

extension DescriptionError: CustomStringConvertible {
  package var description: String {
    switch self {
    case .tooSmall: "a struct is smaller than in version 1 of imghost_plugin.h"
    case .noFunctions: "create, destroy or process is missing"
    case .tooLong: "it is longer than \(Message.maximumByteCount / 1024) KB"
    case .garbled: "the answer cannot be read"
    case .badName(let name): "'\(name)' is not a name (letters, digits and underscores)"
    case .textTooLong(let field): "\(field) is too long"
    case .tooManyDataPaths: "it declares more than \(Limits.dataPaths) paths of data"
    case .dataPath(let path): "'\(path)' is not data below \(ReadableFiles.dataRoots.joined(separator: ", "))"
    case .kind(let value): "unknown kind of plugin \(value)"
    case .unknownValue(let field, let value): "invalid value \(value) for \(field)"
    case .noFormats: "it accepts no sample type or no number of bands"
    case .tooManyParameters(let count):
      "it declares \(count) parameters; at most \(Limits.parameters) are allowed"
    case .duplicate(let name): "parameter '\(name)' is declared twice"
    case .reserved(let name):
      "parameter '\(name)': the name is reserved for the size or another picture"
    case .inputCount(let count): "a mixer takes 2 to \(Limits.inputs) pictures, not \(count)"
    case .parameter(let name, let mistake): "parameter '\(name)': \(mistake)"
    case .codec(let mistake): "\(mistake)"
    }
  }
}

extension ParameterMistake: CustomStringConvertible {
  package var description: String {
    switch self {
    case .type(let value): "unknown type \(value)"
    case .notFinite: "the range or the default is not a finite number"
    case .emptyRange(let low, let high):
      "the range from \(ParameterValue.text(low)) to \(ParameterValue.text(high)) is empty"
    case .notWhole: "the range or the default of a whole number is not whole"
    case .defaultOutside: "the default is outside the range"
    case .choices: "an enum needs 1 to \(Limits.choices) choices"
    case .duplicateChoice(let name): "choice '\(name)' is declared twice"
    case .step: "the step is below 0, not finite, or not whole for a whole number"
    }
  }
}

/// A file on the search path, with its plugin or the reason why it has none.
package struct PluginListing: Sendable, Equatable {
  package let path: String
  package let outcome: Result<PluginDescription, PluginRefusal>
  /// The result of testing the plugin; nil if this version of the file was not tested.
  package internal(set) var verdict: PluginVerdict?

  /// Whether the file is in a folder of frei0r plugins, or is such a folder that cannot be read. Also set for refused
  /// files.
  package internal(set) var isFrei0r = false

  /// The plugin's name; nil for a rejected file.
  package var name: String? { try? outcome.get().name }

  /// The reason for rejecting the file, such as `lib/libX.so is for another machine (aarch64)`; nil for a plugin.
  package var refusal: String? { if case .failure(let refusal) = outcome { "\(path) \(refusal)" } else { nil } }
}
