import CommandInterface
import Platform

/// The option that names users whose files are trusted like the user's own.
enum TrustedOwners {
  static let option = CommandOption(
    name: "--trust-owner", value: "USER",
    help: "trust manifests, packs and links of this user, by name or number, or of a :GROUP", repeats: true)

  /// Trusts the users that the command line names. Call it before reading files of other users.
  static func take(_ line: ParsedLine) throws(UsageError) {
    for word in line.values(option.name) {
      if word.hasPrefix(":") {
        guard let group = FileOwners.group(String(word.dropFirst())) else {
          throw .badValue(
            option: option.name, value: word, expected: "the name or the number of a group after the colon")
        }
        FileOwners.trust(users: [], groups: [group])
      } else {
        guard let user = FileOwners.user(word) else {
          throw .badValue(option: option.name, value: word, expected: "the name or the number of a user, or :GROUP")
        }
        FileOwners.trust(users: [user])
      }
    }
  }

  /// Returns the option as words for another command.
  static func words(_ line: ParsedLine) -> [String] { line.values(option.name).map { "\(option.name)=\($0)" } }
}
