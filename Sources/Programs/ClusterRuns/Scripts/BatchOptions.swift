import ImageCore

/// The resources that a cluster task requests.
package struct BatchOptions: Sendable, Equatable {
  package var partition: String?
  package var account: String?
  /// The time limit in Slurm's format: `30`, `1:30:00`, `2-12`.
  package var time: String?
  /// The memory of each task in bytes; nil for the amount that the plan predicts.
  package var taskMemory: Int?
  package var taskProcessors: Int?
  /// The options from the user's file, without `#SBATCH`.
  package var further: [String] = []

  package init() {}

  /// A mistake in the value of an option.
  package struct Mistake: Error, Equatable {
    package let text: String
  }

  /// Returns whether a word can stand in a `#SBATCH` line without quotes.
  package static func isPlain(_ word: String) -> Bool {
    !word.isEmpty && word.utf8.allSatisfy { RunName.isLetterOrDigit($0) || "-_.,:@+/=".utf8.contains($0) }
  }

  /// Parses a file of options for `sbatch`, with lines of the form `#SBATCH --name=value` or `--name=value`, comments,
  /// and empty lines.
  package static func furtherOptions(in text: String, of path: String) throws(Mistake) -> [String] {
    var result: [String] = []
    for (number, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
      var words = line.trimmed
      if words.hasPrefix("#SBATCH") {
        words = words.dropFirst("#SBATCH".count).trimmed
      } else if words.isEmpty || words.hasPrefix("#") {
        continue
      }
      guard words.hasPrefix("-") else {
        throw Mistake(text: "\(path):\(number + 1): expected '#SBATCH --option=value' or a comment")
      }
      result.append(String(words))
    }
    return result
  }

  /// The minimum memory of the program in bytes, without the pictures in progress: code, the script's values, plugins.
  private static let leastOwnMemory = 512 << 20

  /// The memory that planning took, in bytes. Shards and the merge run the same script, and keep its requests in
  /// memory, too.
  package var planMemory = 0

  private var ownMemory: Int { max(Self.leastOwnMemory, planMemory + planMemory / 2 + (128 << 20)) }

  /// The planned memory of the pictures in progress in one task, in bytes.
  package var predictedMemory = 0

  /// The memory that a task requests unless the user's file sets it, in bytes.
  private var memory: Int { taskMemory ?? predictedMemory + ownMemory }

  /// The part of a task's memory for pictures in progress, in bytes: the value of `--memory`.
  package var pictureMemory: Int { max(memory - ownMemory, memory / 2) }

  /// The memory options of sbatch, which accepts only one of them.
  private static let memoryOptions = ["--mem", "--mem-per-cpu", "--mem-per-gpu"]

  private static func isOfMemory(_ line: String) -> Bool {
    memoryOptions.contains(String(line.prefix { $0 != "=" && $0 != " " }))
  }

  /// The options of both batch scripts. Later ones override earlier ones, so the order is: the plan, the user's file,
  /// the command line.
  package var lines: [String] {
    var lines: [String] = []
    if taskMemory == nil, !further.contains(where: Self.isOfMemory) { lines.append("--mem=\(megabytes(memory))M") }
    lines += taskMemory == nil ? further : further.filter { !Self.isOfMemory($0) }
    if let partition { lines.append("--partition=" + partition) }
    if let account { lines.append("--account=" + account) }
    if let time { lines.append("--time=" + time) }
    if let taskProcessors { lines.append("--cpus-per-task=\(taskProcessors)") }
    if let taskMemory { lines.append("--mem=\(megabytes(taskMemory))M") }
    return lines
  }

  private func megabytes(_ bytes: Int) -> Int { (bytes + (1 << 20) - 1) >> 20 }
}

extension Substring {
  /// The text without spaces, tabs and carriage returns at both ends.
  fileprivate var trimmed: Substring {
    var rest = drop { $0 == " " || $0 == "\t" || $0 == "\r" }
    while let last = rest.last, last == " " || last == "\t" || last == "\r" || last == "\r\n" { rest.removeLast() }
    return rest
  }
}
