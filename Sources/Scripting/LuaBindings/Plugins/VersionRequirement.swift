/// A condition on the version of a plugin, such as `>= 1.2`, or several conditions separated by commas.
///
/// Versions are compared number by number; missing numbers are 0. Text after the numbers is ignored: "1.2-beta" and
/// "1.2 (giflib 5.2)" are 1.2.
struct VersionRequirement {
  /// The condition as it was given, with single spaces.
  let text: String
  private let parts: [(relation: Relation, numbers: [Int])]

  /// The operators. Longer ones come first, because they begin with the shorter ones.
  private enum Relation: String, CaseIterable {
    case atLeast = ">="
    case atMost = "<="
    case equal = "="
    case above = ">"
    case below = "<"
  }

  /// Reads a condition; nil if the text is not a valid one.
  init?(_ text: String) {
    var parts: [(Relation, [Int])] = []
    var words: [String] = []
    for part in text.split(separator: ",", omittingEmptySubsequences: false) {
      let part = Self.trimmed(part)
      guard let relation = Relation.allCases.first(where: { part.hasPrefix($0.rawValue) }) else { return nil }
      let version = Self.trimmed(part.dropFirst(relation.rawValue.count))
      guard let numbers = Self.numbers(version), Self.length(of: version) == version.utf8.count else { return nil }
      parts.append((relation, numbers))
      words.append(relation.rawValue + " " + version)
    }
    self.parts = parts
    self.text = words.joined(separator: ", ")
  }

  /// Returns whether a version meets the condition; false for a version without numbers.
  func accepts(_ version: String) -> Bool {
    guard let own = Self.numbers(version[...]) else { return false }
    return parts.allSatisfy { relation, wanted in
      let order = Self.compare(own, wanted)
      return switch relation {
      case .atLeast: order >= 0
      case .atMost: order <= 0
      case .equal: order == 0
      case .above: order > 0
      case .below: order < 0
      }
    }
  }

  /// Returns a number below 0, 0, or above 0 if the version is lower than, equal to, or higher than the other.
  private static func compare(_ one: [Int], _ other: [Int]) -> Int {
    for index in 0..<max(one.count, other.count) {
      let (left, right) = (index < one.count ? one[index] : 0, index < other.count ? other[index] : 0)
      if left != right { return left < right ? -1 : 1 }
    }
    return 0
  }

  /// Returns the numbers at the start of a version; nil if there are none, or one is too large.
  private static func numbers(_ version: Substring) -> [Int]? {
    let start = version.utf8.prefix(length(of: version))
    var numbers: [Int] = []
    for part in start.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false) {
      guard let number = Int(Substring(part)) else { return nil }
      numbers.append(number)
    }
    return numbers
  }

  /// Returns the length in bytes of the dotted numbers at the start of a version.
  private static func length(of version: Substring) -> Int {
    var (length, end) = (0, 0)
    for byte in version.utf8 {
      length += 1
      if (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) {
        end = length
      } else if byte != UInt8(ascii: ".") || end != length - 1 || length == 1 {
        break
      }
    }
    return end
  }

  private static func trimmed(_ text: Substring) -> Substring {
    var text = text
    while text.first == " " { text.removeFirst() }
    while text.last == " " { text.removeLast() }
    return text
  }
}
