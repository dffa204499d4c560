import CPlatform
import Platform

/// The words of the command line.
package enum CommandWords {
  /// The words after the program's name.
  ///
  /// Swift's own list of arguments comes from a map of the process's memory, which takes 0.1 ms. Names may have
  /// bytes that are not UTF-8.
  package static var own: [String] {
    var count: Int32 = 0
    guard let words = cplatform_arguments(&count) else { return Array(CommandLine.arguments.dropFirst()) }
    return (1..<max(1, Int(count))).compactMap { words[$0].map { PathBytes.text($0) } }
  }
}
