import CommandInterface
import ImageCodecs
import ImageCore
import ImageKernels
import ImagePipeline
import Platform

/// The environment variables of the manual page.
enum EnvironmentList {
  static let all = [
    EnvironmentVariable("COLUMNS", "the width of help and lists, instead of the terminal's"),
    EnvironmentVariable("NO_COLOR", "if not empty, messages on a terminal have no colours"),
    EnvironmentVariable("IMGHOST_PLUGIN_PATH", "folders with plugins, separated by colons, before all others"),
    EnvironmentVariable("FREI0R_PATH", "folders with frei0r plugins, separated by colons"),
    EnvironmentVariable("SOURCE_DATE_EPOCH", "the time that books are dated with, in seconds since 1970"),
    EnvironmentVariable("TMPDIR", "the folder for files that are not outputs; /tmp if not set"),
    EnvironmentVariable(
      "XDG_DATA_HOME", "the folder where 'imghost plugin install' makes imghost/plugins; ~/.local/share if not set"),
    EnvironmentVariable("XDG_RUNTIME_DIR", "the folder where 'imghost preview' keeps its address"),
    EnvironmentVariable("XDG_CACHE_HOME", "the folder of caches; ~/.cache if not set"),
    EnvironmentVariable(
      "XDG_STATE_HOME", "the folder of the runs that 'imghost submit' starts; ~/.local/state if not set"),
    EnvironmentVariable("IMGHOST_CPU", "the instruction set of the kernels, for comparisons"),
    EnvironmentVariable("IMGHOST_JPEG", "the JPEG decoder, for comparisons"),
  ]
}

/// The environment variables that select kernels and the JPEG decoder, for comparisons.
enum EnvironmentSwitches {
  /// The mistake in a variable; nil if there is none. A mistake is an error, because a comparison must not silently use
  /// something that was not requested.
  static var mistake: String? {
    mistake(
      "IMGHOST_CPU", InstructionSet.allCases.map(\.rawValue),
      here: InstructionSet.supported.map(\.rawValue))
      ?? mistake("IMGHOST_JPEG", JPEGDecoderChoice.allCases.map(\.rawValue))
  }

  private static func mistake(_ name: String, _ known: [String], here: [String]? = nil) -> String? {
    // An empty variable counts as unset.
    guard let pointer = getenv(name), pointer.pointee != 0 else { return nil }
    let text = String(cString: pointer)
    guard known.contains(text) else {
      let hint = Suggestion.nearest(to: text, in: known).map { " (did you mean '\($0)'?)" } ?? ""
      let valid = known.joined(separator: ", ")
      return "invalid value '\(printable(text))' for \(name)\(hint): expected one of \(valid)"
    }
    guard let here, !here.contains(text) else { return nil }
    let valid = here.joined(separator: ", ")
    return
      "\(name)=\(text): this processor or system lacks these instructions; valid here: \(valid)"
  }
}
