import CommandInterface
import Platform

/// The option for users whose files count like one's own.
enum TrustedOwners {
  static let option = CommandOption(
    name: "--trust-owner", value: "USER",
    help: "trust manifests, packs and links of this user, by name or number, or of a :GROUP", repeats: true)

  /// Trusts those that the command line names. Called before files of others are looked at.
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

  /// The words that hand the option on to another command.
  static func words(_ line: ParsedLine) -> [String] { line.values(option.name).map { "\(option.name)=\($0)" } }
}
