/// Diagnostics in the order of their arrival, without duplicates.
///
/// A script can make more mistakes than anyone reads, so only the first are kept, and the others are counted. Mistakes
/// about pictures are all kept, because there are no more of them than files.
struct DiagnosticLog {
  /// The maximum number of mistakes in the script that are kept.
  static let mostOfScript = 50

  private(set) var all: [Diagnostic] = []
  private var known: Set<Diagnostic> = []
  private var scriptCount = 0
  /// The number of mistakes in the script that were counted but not kept.
  private(set) var further = 0

  /// The hashes of mistakes that were counted but not kept.
  private var furtherOnes: Set<Int> = []
  /// The number of repeated mistakes in the script.
  private var repeats = 0
  /// The number of repetitions after which the script is stopped.
  static let mostRepeats = 10_000
  /// The number of further mistakes after which the script is stopped.
  static let mostFurther = 1_000

  /// Whether the script must be stopped because of too many mistakes.
  var isExhausted: Bool { furtherOnes.count >= Self.mostFurther || repeats >= Self.mostRepeats }

  /// The number of mistakes in the script, including repetitions.
  var countOfScript: Int { scriptCount + further + repeats }

  /// Adds a diagnostic; returns false if it is a duplicate.
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

  /// Counts mistakes in the script without keeping them.
  mutating func addFurther(_ count: Int) { further += count }

  /// Adds the diagnostics of another log.
  mutating func add(_ other: DiagnosticLog) {
    for diagnostic in other.all { add(diagnostic) }
    addFurther(other.further)
  }
}
