/// Diagnostics in the order in which they came, each once.
///
/// A script can make more mistakes than anybody reads: the first are kept, the others counted. Mistakes about pictures
/// are all kept, because there are no more of them than files.
struct DiagnosticLog {
  /// The largest number of mistakes of the script that are kept.
  static let mostOfScript = 50

  private(set) var all: [Diagnostic] = []
  private var known: Set<Diagnostic> = []
  private var scriptCount = 0
  /// The number of mistakes of the script after those that are kept.
  private(set) var further = 0

  /// The hashes of mistakes that were counted without being kept.
  private var furtherOnes: Set<Int> = []
  /// The number of times that the script has repeated a mistake.
  private var repeats = 0
  /// The number of repeats after which the script is stopped.
  static let mostRepeats = 10_000
  /// The number of further mistakes after which the script is stopped.
  static let mostFurther = 1_000

  /// Whether the script has made so many mistakes that it is stopped.
  var isExhausted: Bool { furtherOnes.count >= Self.mostFurther || repeats >= Self.mostRepeats }

  /// The number of mistakes of the script, repeats included.
  var countOfScript: Int { scriptCount + further + repeats }

  /// Adds a diagnostic; returns false if it is there already.
  @discardableResult
  mutating func add(_ diagnostic: Diagnostic) -> Bool {
    if diagnostic.kind == .script, scriptCount >= Self.mostOfScript, !known.contains(diagnostic) {
      if furtherOnes.insert(diagnostic.hashValue).inserted {
        further += 1
      } else {
        repeats += 1
      }
      return false
    }
    guard known.insert(diagnostic).inserted else {
      if diagnostic.kind == .script { repeats += 1 }
      return false
    }
    if diagnostic.kind == .script { scriptCount += 1 }
    all.append(diagnostic)
    return true
  }

  /// Counts mistakes of the script that are not kept.
  mutating func addFurther(_ count: Int) { further += count }

  /// Adds the diagnostics of another log.
  mutating func add(_ other: DiagnosticLog) {
    for diagnostic in other.all { add(diagnostic) }
    addFurther(other.further)
  }
}
