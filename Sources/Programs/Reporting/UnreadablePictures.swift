import ImagePipeline

/// The final line about pictures that cannot be read, grouped by reason.
///
/// `3 of 48 pictures cannot be read: unrecognized file format (2), truncated file (1); use --on-error continue to …`
enum UnreadablePictures {
  /// The maximum number of reasons in the line.
  private static let most = 4

  /// Returns the line; nil if it would only repeat an earlier message.
  ///
  /// - Parameters:
  ///   - total: the number of picture files that the script opened.
  ///   - isWhole: whether the run tried to read all of these files.
  ///   - advice: returns the end of the line; nil if there is no remedy.
  static func line(
    _ diagnostics: [Diagnostic], of total: Int, isWhole: Bool = true, advice: (_ count: Int) -> String?
  ) -> String? {
    var reasons: [(text: String, count: Int)] = []
    var files: Set<String> = []
    for diagnostic in diagnostics {
      guard let file = diagnostic.file, let text = diagnostic.reason, files.insert(file).inserted else { continue }
      if let index = reasons.firstIndex(where: { $0.text == text }) {
        reasons[index].count += 1
      } else {
        reasons.append((text, 1))
      }
    }
    // A single unreadable picture already has a line of its own.
    guard files.count > 1 else { return nil }
    let sorted = reasons.sorted { $0.count > $1.count }
    let named = sorted.prefix(most).map { reasons.count == 1 ? $0.text : "\($0.text) (\($0.count))" }
    let rest = sorted.dropFirst(most).reduce(0) { $0 + $1.count }
    let others = rest == 0 ? [] : ["other reasons (\(rest))"]
    let count = files.count < total ? "\(files.count) of \(total)" : "\(files.count)"
    let end = files.count < total ? advice(files.count).map { "; " + $0 } ?? "" : ""
    return "\(isWhole || files.count == total ? "" : "at least ")\(count) pictures cannot be read: "
      + printable((named + others).joined(separator: ", ")) + end
  }
}
