/// Diagnostics in the order they came, each once. Ten thousand of them cost no more than their number.
///
/// A script can make more mistakes than anybody reads: the first are kept, the others counted. Pictures that cannot
/// be read are no more than there are files, and all kept.
struct DiagnosticLog {
  /// How many mistakes of the script are kept.
  static let mostOfScript = 50

  private(set) var all: [Diagnostic] = []
  private var known: Set<Diagnostic> = []
  private var scriptCount = 0
  /// How many mistakes of the script came after those that are kept.
  private(set) var further = 0

  /// Those among these that were told one by one.
  private var furtherOnes: Set<Int> = []
  /// How often the script has made a mistake that is kept already.
  private var repeats = 0
  /// A loop that makes one mistake again and again ends, too.
  static let mostRepeats = 10_000
  /// So does one that makes ever new ones, which are counted so far.
  static let mostFurther = 1_000

  /// Whether the script has made so many mistakes that it is stopped.
  var isExhausted: Bool {
    furtherOnes.count >= Self.mostFurther || repeats >= Self.mostRepeats
  }

  /// How many mistakes the script has made, the same ones counted each time.
  var countOfScript: Int { scriptCount + further + repeats }

  /// Adds one; false where it is there already.
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

  /// Counts mistakes of the script that nobody has kept.
  mutating func addFurther(_ count: Int) { further += count }
}
