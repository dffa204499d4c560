import CShims

/// The words of the command line.
enum CommandWords {
  /// Without the program's name. `CommandLine` looks for them in a map of the process's memory, which takes 0.1 ms.
  static var own: [String] {
    var count: Int32 = 0
    guard let words = imghost_arguments(&count) else {
      return Array(CommandLine.arguments.dropFirst())
    }
    return (1..<max(1, Int(count))).compactMap { words[$0].map { String(cString: $0) } }
  }
}
