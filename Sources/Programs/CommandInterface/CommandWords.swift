import CPlatform

/// The words of the command line.
package enum CommandWords {
  /// The words after the program's name.
  ///
  /// Swift's own list of arguments comes from a map of the process's memory, which takes 0.1 ms. A name that is not
  /// UTF-8 is refused: repaired, it would name another file.
  package static var own: [String] {
    get throws(UsageError) {
      var count: Int32 = 0
      guard let words = cplatform_arguments(&count) else { return Array(CommandLine.arguments.dropFirst()) }
      var result: [String] = []
      for index in 1..<max(1, Int(count)) {
        guard let word = words[index] else { continue }
        guard let text = String(validatingCString: word) else { throw .notUTF8(String(cString: word)) }
        result.append(text)
      }
      return result
    }
  }
}
