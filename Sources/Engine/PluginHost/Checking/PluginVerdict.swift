import ImageCore

/// The result of testing a plugin: one row for each property, in the order in which they are shown.
package struct PluginVerdict: Sendable, Equatable {
  /// The state of a property.
  package enum State: String, Sendable {
    case good
    case bad
    /// The plugin does not claim the property, so it was not tested.
    case notDeclared = "not declared"
    /// The property could not be tested, for example because an earlier test failed.
    case notTried = "not tried"
  }

  /// The properties, in the order in which they are shown.
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
    // The following properties are tested only for codecs.
    case regions, pages
    case truncated = "cut files"
    case flipped = "flipped bits"
    case falseSizes = "false sizes"
    case roundTrip = "round trip"
    case rewriting = "new metadata"
  }

  package struct Row: Sendable, Equatable {
    package let property: Property
    package var state: State
    /// The observed fault, what was tested, or why the property was not tested; may be empty.
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

  /// Whether no property is bad.
  package var isGood: Bool { !rows.contains { $0.state == .bad } }

  /// Whether the host should run one call at a time: the plugin crashes, hangs, writes to its input, accesses memory
  /// outside its buffers, leaks memory, or gives different results in threads.
  package var wantsOneAtATime: Bool {
    let grave: [Property] = [.crash, .hang, .input, .bounds, .threads, .leak]
    return rows.contains { $0.state == .bad && grave.contains($0.property) }
  }

  /// Whether several workers may share a picture: the plugin gave the same result in strips, and again in another
  /// process, and `wantsOneAtATime` is false.
  package var allowsStrips: Bool {
    let needed: [Property] = [.strips, .repeatable]
    return !wantsOneAtATime
      && needed.allSatisfy { property in
        rows.contains { $0.property == property && $0.state == .good }
      }
  }

  /// The names of the properties that are bad.
  package var faults: [String] { rows.filter { $0.state == .bad }.map(\.property.rawValue) }
}

extension CallFailure {
  /// The property that the failure shows to be bad; nil for other failures, such as an error that the plugin reports.
  package var property: PluginVerdict.Property? {
    switch self {
    case .late, .lateAgain: .hang
    case .fault(.memory(.input, _, _)): .input
    case .fault(.memory(.besideInput, _, _)), .fault(.memory(.besideOutput, _, _)): .bounds
    case .ended, .fault, .closed, .garbled: .crash
    default: nil
    }
  }
}
