import CommandInterface
import ImageCore

/// An option whose name users know from other programs.
package enum Habit: CaseIterable, Sendable {
  /// `--width 400`, `--height 300`: the sides of one `--resize`. If both are given, the picture is fitted inside them.
  case width, height
  /// ImageMagick's `--strip`: `--metadata none`.
  case strip

  package init?(option: String) {
    guard let habit = Self.allCases.first(where: { $0.option == option }) else { return nil }
    self = habit
  }

  var option: String { "--\(self)" }

  /// Returns whether a command with this table accepts the option. An option of the output with the same name takes
  /// precedence.
  func suits(_ table: WordTable) -> Bool {
    guard !table.offers(option) else { return false }
    return switch self {
    case .width, .height: table.operations.contains { $0.name == "resize" }
    // In a book, the option `metadata` takes entries of the document.
    case .strip: table.saving.contains { $0.name == "metadata" && $0.kind != .fields }
    }
  }

  var commandOption: CommandOption {
    switch self {
    case .width, .height:
      CommandOption(
        name: option, value: "N", help: "short for --resize \(self)=N; with both sides, the picture fits within them",
        section: WordTable.operationsTitle)
    case .strip:
      CommandOption(name: option, value: nil, help: "short for --metadata none", section: WordTable.operationsTitle)
    }
  }

  /// Returns `width=800,height=600` for the size `800x600` in the syntax of other programs, which may lack a side:
  /// `800x`, `x600`. Nil for any other text.
  static func size(_ text: Substring) -> String? {
    let sides = text.split(separator: "x", omittingEmptySubsequences: false)
    guard sides.count == 2, sides.contains(where: { !$0.isEmpty }),
      sides.allSatisfy({ $0.utf8.allSatisfy { (0x30...0x39).contains($0) } })
    else { return nil }
    let named = zip(["width", "height"], sides).filter { !$0.1.isEmpty }.map { "\($0)=\($1)" }
    return named.joined(separator: ",")
  }
}
