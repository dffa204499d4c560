import ImageCore

/// The result of testing a plugin: one row for each property, in the order of the table.
package struct PluginVerdict: Sendable, Equatable {
  /// The state of a property.
  package enum State: String, Sendable {
    case good
    case bad
    /// The plugin does not claim it, so it was not tried.
    case notDeclared = "not declared"
    /// It could not be tried because something before it failed.
    case notTried = "not tried"
  }

  /// The properties, in the order of the table.
  package enum Property: String, Sendable, CaseIterable {
    case crash, hang
    case input = "input unwritten"
    case bounds
    case sizes
    case huge = "huge size"
    case parameters
    case nan = "NaN refused"
    case repeatable = "same twice"
    case unset = "unset memory"
    case strips, threads
    case leak
    // These and some of the others are tested of codecs.
    case regions, pages
    case truncated = "cut files"
    case flipped = "flipped bits"
    case falseSizes = "false sizes"
    case roundTrip = "round trip"

    /// The properties of plugins that process pictures.
    static let ofOperations = allCases.filter {
      ![.regions, .pages, .truncated, .flipped, .falseSizes, .roundTrip].contains($0)
    }
  }

  package struct Row: Sendable, Equatable {
    package let property: Property
    package var state: State
    /// The observation, or the amount that was tried.
    package var detail: String

    package init(_ property: Property, _ state: State, _ detail: String = "") {
      self.property = property
      self.state = state
      self.detail = detail
    }
  }

  /// The plugin's name.
  package let plugin: String
  package var rows: [Row]

  package init(plugin: String, rows: [Row]) {
    self.plugin = plugin
    self.rows = rows
  }

  /// Whether nothing is wrong.
  package var isGood: Bool { !rows.contains { $0.state == .bad } }

  /// Whether the host had better run one call at a time: it crashes, hangs or leaves its memory, grows, or
  /// does not give the same in threads.
  package var wantsOneAtATime: Bool {
    let grave: [Property] = [.crash, .hang, .input, .bounds, .threads, .leak]
    return rows.contains { $0.state == .bad && grave.contains($0.property) }
  }

  /// Whether several workers may share a picture: it has been seen to give the same in strips, and again
  /// in another process.
  package var allowsStrips: Bool {
    let needed: [Property] = [.strips, .repeatable]
    return !wantsOneAtATime
      && needed.allSatisfy { property in
        rows.contains { $0.property == property && $0.state == .good }
      }
  }

  /// The properties that are bad, for a list.
  package var faults: [String] { rows.filter { $0.state == .bad }.map(\.property.rawValue) }
}
