import Platform

/// The words of the command line.
package enum CommandWords {
  /// The words after the program's name.
  package static var own: [String] { Array(commandWords.dropFirst()) }
}
