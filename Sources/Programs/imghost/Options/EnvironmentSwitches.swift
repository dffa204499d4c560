import ImageCodecs
import ImageCore
import ImageKernels
import ImagePipeline
import Platform

/// What the environment may choose, to compare: which kernels run and who decodes JPEGs.
enum EnvironmentSwitches {
  /// What is wrong with the environment, nil if nothing is: whoever compares has to know what runs.
  static var mistake: String? {
    mistake(
      "IMGHOST_CPU", InstructionSet.allCases.map(\.rawValue),
      here: InstructionSet.supported.map(\.rawValue))
      ?? mistake("IMGHOST_JPEG", JPEGDecoderChoice.allCases.map(\.rawValue))
  }

  private static func mistake(_ name: String, _ known: [String], here: [String]? = nil) -> String? {
    // Set to nothing is as good as not set.
    guard let pointer = getenv(name), pointer.pointee != 0 else { return nil }
    let text = String(cString: pointer)
    guard known.contains(text) else {
      let hint = Suggestion.nearest(to: text, in: known).map { " (did you mean '\($0)'?)" } ?? ""
      let valid = known.joined(separator: ", ")
      return "\(name)=\(printable(text)) is unknown\(hint); valid: \(valid)"
    }
    guard let here, !here.contains(text) else { return nil }
    let valid = here.joined(separator: ", ")
    return
      "\(name)=\(text): this processor or system has no such instructions; valid here: \(valid)"
  }
}
