import ImageCodecs
import ImageCore
import ImageKernels
import ImagePipeline
import Platform

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
