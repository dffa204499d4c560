extension VerificationReport {
  /// One line of JSON (RFC 8259) without its end.
  public var json: String {
    let pages = pages.map { page in
      let pictures = page.pictures.map { picture in
        Self.object(
          [
            ("width", "\(picture.width)"), ("height", "\(picture.height)"),
            ("sha256", picture.digest.map { Self.string($0.description) } ?? "null"),
            ("stream", picture.isExpectedStream.map { $0 ? "true" : "false" } ?? "null"),
            ("comparison", Self.string(picture.comparison.text)),
          ] + (picture.source.map { [("source", Self.string($0))] } ?? []))
      }
      return Self.object(
        [
          ("page", "\(page.number)"), ("width", FaultText.number(page.width, decimals: 4)),
          ("height", FaultText.number(page.height, decimals: 4)),
          ("pictures", "[\(pictures.joined(separator: ","))]"),
        ] + (page.text.map { [("text", Self.string($0))] } ?? []) + result(page.number))
    }
    let findings = findings.map { finding in
      Self.object(
        [
          ("severity", Self.string(finding.severity.rawValue)),
          ("page", finding.page.map { "\($0)" } ?? "null"), ("text", Self.string(finding.text)),
        ] + (finding.area.map { [("area", Self.shares($0))] } ?? []))
    }
    let fonts = fonts.map { font in
      Self.object([
        ("name", Self.string(font.name)), ("embedded", font.isEmbedded ? "true" : "false"),
        ("searchable", font.isSearchable ? "true" : "false"), ("page", "\(font.page)"),
      ])
    }
    return Self.object(
      [
        ("path", Self.string(path)), ("verified", isVerified ? "true" : "false"),
        ("ok", isSound ? "true" : "false"), ("sealed", isSealed ? "true" : "false"),
        ("summary", Self.string(summary)),
        ("pages", "[\(pages.joined(separator: ","))]"),
        ("fonts", "[\(fonts.joined(separator: ","))]"),
        ("findings", "[\(findings.joined(separator: ","))]"),
      ] + result(nil))
  }

  /// Returns the result of a page, or of the document, and why it was skipped.
  private func result(_ page: Int?) -> [(String, String)] {
    if let reason = reasonSkipped(page) {
      return [("result", Self.string("skipped")), ("reason", Self.string(reason))]
    }
    let isWrong = page == nil ? !isSound : findings.contains { $0.page == page && $0.severity == .error }
    return [("result", Self.string(isWrong ? "wrong" : "ok"))]
  }

  private static func shares(_ area: PageShare) -> String {
    let numbers = [area.left, area.top, area.right, area.bottom].map { FaultText.number($0, decimals: 4) }
    return "[" + numbers.joined(separator: ",") + "]"
  }

  private static func object(_ members: [(String, String)]) -> String {
    "{" + members.map { "\(string($0.0)):\($0.1)" }.joined(separator: ",") + "}"
  }

  private static func string(_ text: String) -> String {
    var result = "\""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"", "\\": result += "\\\(scalar)"
      case "\n": result += "\\n"
      case "\t": result += "\\t"
      case "\0"..."\u{1f}":
        let digits = String(scalar.value, radix: 16)
        result += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result + "\""
  }
}
