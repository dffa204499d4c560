import Platform

extension VerificationReport {
  /// The report as a readable table; every line ends with a line feed.
  public var text: String {
    var rows = [["page", "points", "pictures", "checked", "result"]]
    for page in pages { rows.append(row(page)) }
    let path = Self.printable(path)
    var text = "\(path): \(summary)\n"
    if !pages.isEmpty { text += Self.table(rows) }
    // The summary of a sound document already contains this text.
    for finding in findings where !isSound || finding.text != ExpectationsFault.unsealedText {
      let place = finding.page.map { "page \($0): " } ?? ""
      text += "\(path): \(place)\(finding.severity.rawValue): "
      text += Self.printable(finding.text) + "\n"
    }
    return text
  }

  /// The report in one line, such as `4 pages, verified`.
  public var summary: String {
    let count = "\(pages.count) page\(pages.count == 1 ? "" : "s")"
    if !isSound {
      let errors = findings.count { $0.severity == .error }
      return "\(count), not verified: \(errors) error\(errors == 1 ? "" : "s")"
    }
    let warnings = findings.count { $0.severity == .warning }
    let more = warnings == 0 ? "" : "\(warnings) warning\(warnings == 1 ? "" : "s")"
    if isSealed { return "\(count), verified" + (more.isEmpty ? "" : " with " + more) }
    return "\(count), \(unsealedText)" + (more.isEmpty ? "" : "; " + more)
  }

  /// The verdict on a sound document without expectations, which depends on whether its structure was checked.
  var unsealedText: String {
    pages.allSatisfy(\.isStructureChecked)
      ? ExpectationsFault.unsealedText : "no expectations found; checked rendering only"
  }

  /// Returns a text with bytes that are not UTF-8 written as in `\xff`, and with control characters replaced. Control
  /// characters could move a terminal's cursor, or change its colours or the direction of its text.
  private static func printable(_ text: String) -> String {
    var result = ""
    for scalar in text.unicodeScalars {
      if let byte = PathBytes.byte(of: scalar) {
        result += "\\x" + String(byte, radix: 16)
        continue
      }
      switch scalar.value {
      case 0..<0x20, 0x7f...0x9f, 0x202a...0x202e, 0x2066...0x2069: result.unicodeScalars.append("\u{fffd}")
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result
  }

  private func row(_ page: PageReport) -> [String] {
    let mine = findings.filter { $0.page == page.number && $0.severity != .note }
    let result = mine.contains { $0.severity == .error } ? "wrong" : mine.isEmpty ? "ok" : "ok, see below"
    let size = [page.width, page.height].map { FaultText.number($0, decimals: 2) }
    guard page.isStructureChecked else {
      return ["\(page.number)", size.joined(separator: " x "), "unknown", "renders", result]
    }
    let pictures = page.pictures.map { "\($0.width)x\($0.height)" }
    return [
      "\(page.number)", size.joined(separator: " x "),
      pictures.isEmpty ? "none" : pictures.joined(separator: ", "), checked(page),
      result,
    ]
  }

  private func checked(_ page: PageReport) -> String {
    let pictures = page.pictures
    var words = ["structure"]
    if !pictures.isEmpty, pictures.allSatisfy({ $0.isExpectedStream == true }) { words.append("stream") }
    for picture in pictures {
      // Without expectations, only the stored pixels are known, not the expected ones.
      let word = picture.comparison.text(equal: isSealed ? "pixels equal" : "drawn as stored")
      if !words.contains(word) { words.append(word) }
    }
    return (words + page.otherChecks).joined(separator: ", ")
  }

  private static func table(_ rows: [[String]]) -> String {
    let widths = rows[0].indices.map { column in rows.map { $0[column].count }.max()! }
    return rows.map { row in
      var line = "  "
      for (column, cell) in row.enumerated() {
        line += cell
        if column < row.count - 1 { line += String(repeating: " ", count: widths[column] - cell.count + 2) }
      }
      return line + "\n"
    }.joined()
  }
}

extension Comparison {
  /// The result of the comparison in words.
  var text: String { text(equal: "pixels equal") }

  fileprivate func text(equal: String) -> String {
    switch self {
    case .equal: equal
    case .equalWithoutProfile: "\(equal) without the ICC profile"
    case .within(let difference): "pixels within \(difference)"
    case .scaled(let decibels) where decibels.isFinite:
      "pixels scaled, at \(FaultText.number(decibels, decimals: 1)) dB"
    case .scaled: "pixels scaled, equal"
    case .rough(let decibels): "CMYK pixels at \(FaultText.number(decibels, decimals: 1)) dB"
    case .different: "pixels differ"
    case .notCompared: "pixels not compared"
    }
  }
}
