/// The status that the program exits with.
package struct ExitStatus: Sendable, Equatable {
  package let rawValue: Int32

  package init(rawValue: Int32) { self.rawValue = rawValue }

  /// All outputs are written and, if requested, verified.
  package static let success = ExitStatus(rawValue: 0)
  /// Some outputs failed.
  package static let someFailed = ExitStatus(rawValue: 1)
  package static let wrongUsage = ExitStatus(rawValue: 2)
  package static let scriptFailed = ExitStatus(rawValue: 3)
  package static let notVerified = ExitStatus(rawValue: 4)

  /// Returns the status that shells give to a program ended by a signal: 130 for Ctrl-C, 143 for `kill`.
  package static func interrupted(by signal: Int32) -> ExitStatus { ExitStatus(rawValue: 128 + signal) }
}
