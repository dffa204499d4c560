/// Diagnostics in the order they came, each once. Ten thousand of them cost no more than their number.
struct DiagnosticLog {
  private(set) var all: [Diagnostic] = []
  private var known: Set<Diagnostic> = []

  /// Adds one; false where it is there already.
  @discardableResult
  mutating func add(_ diagnostic: Diagnostic) -> Bool {
    guard known.insert(diagnostic).inserted else { return false }
    all.append(diagnostic)
    return true
  }
}
