import ImageCore
import ImagePipeline

/// The files that the run has written, with small pictures, and its books page by page.
extension ReportPage {
  var outputs: Section? {
    guard facts.outputCount > 0 else { return nil }
    let shown = facts.outputs.filter { $0.thumbnail != nil }
    let others = facts.outputs.filter { $0.thumbnail == nil }
    var body = ""
    if let problem = facts.thumbnailProblem { body += "<p class=\"rest\">\(HTMLText.content(problem))</p>\n" }
    if !shown.isEmpty {
      body += "<div class=\"grid\">\n\(shown.map(card).joined(separator: "\n"))\n</div>\n"
    }
    if !others.isEmpty {
      body += """
        <table><thead><tr><th scope="col">File</th><th scope="col">Size</th><th scope="col">Bytes</th>\
        <th scope="col">Script</th></tr></thead>
        <tbody>
        \(others.map(row).joined(separator: "\n"))
        </tbody></table>
        """
    }
    body += Self.rest(facts.outputCount - facts.outputs.count, "output")
    let isLimited = facts.outputs.contains { output in
      if case .written = output.state { output.thumbnail == nil && output.kind != "tiles" } else { false }
    }
    if !shown.isEmpty, isLimited || facts.outputCount > facts.outputs.count {
      body +=
        "\n<p class=\"rest\">Pictures of \(Self.number(shown.count)) of \(Self.number(facts.outputCount)) outputs are "
        + "shown, so that the page stays small.</p>"
    }
    return Section(id: "outputs", title: "Outputs", body: body, count: Self.number(facts.outputCount))
  }

  private func card(_ output: ReportFacts.Output) -> String {
    let picture = output.thumbnail.map { Self.picture($0, alternative: "Small version of \(output.path)") } ?? ""
    return """
      <figure class="card"><div class="picture">\(picture)</div>\
      <figcaption><strong>\(HTMLText.path(output.path))</strong> \(details(output).joined(separator: " · "))\
      </figcaption></figure>
      """
  }

  private func details(_ output: ReportFacts.Output) -> [String] {
    var parts: [String] = []
    if let layout = output.layout { parts.append("\(layout.width) × \(layout.height)") }
    if case .written(let byteCount) = output.state { parts.append(SummaryLine.size(byteCount)) }
    if let quality = output.quality { parts.append("quality \(quality)") }
    if let position = output.position { parts.append("line&nbsp;\(position.line)") }
    return parts
  }

  private func row(_ output: ReportFacts.Output) -> String {
    let bytes: String
    switch output.state {
    case .written(let byteCount): bytes = SummaryLine.size(byteCount)
    case .failed: bytes = "<span class=\"bad\">failed</span>"
    case .cancelled: bytes = "cancelled"
    }
    let place = output.position.map { "\(HTMLText.path($0.file)):\($0.line)" } ?? ""
    return "<tr><td>\(HTMLText.path(output.path))</td><td>"
      + (output.layout.map { "\($0.width) × \($0.height)" } ?? "") + "</td><td>\(bytes)</td><td>\(place)</td></tr>"
  }

  // MARK: - documents

  var documents: Section? {
    guard !facts.documents.isEmpty else { return nil }
    let rest = Self.rest(facts.documentCount - facts.documents.count, "document")
    return Section(
      id: "documents", title: "Books and verification",
      body: facts.documents.map(document).joined(separator: "\n") + rest, count: Self.number(facts.documentCount))
  }

  private func document(_ document: ReportFacts.Document) -> String {
    var facts = ["\(Self.number(document.pageCount)) page\(document.pageCount == 1 ? "" : "s")"]
    if let byteCount = document.byteCount { facts.append(SummaryLine.size(byteCount)) }
    if let position = document.position { facts.append("\(HTMLText.path(position.file)):\(position.line)") }
    let missing = document.pageCount - document.pages.count
    let rest =
      missing > 0 && !document.pages.isEmpty
      ? "\n<p class=\"rest\">\(Self.number(missing)) more page\(missing == 1 ? " is" : "s are") not shown.</p>" : ""
    return """
      <article class="document">
      <h3>\(HTMLText.path(document.path))</h3>
      <p class="details">\(facts.joined(separator: " · "))</p>
      \(proof(document))\(findings(document))
      \(pages(document))\(rest)
      </article>
      """
  }

  private func proof(_ document: ReportFacts.Document) -> String {
    let (kind, sign, word): (String, String, String)
    let summary = HTMLText.content(document.summary)
    switch document.proof {
    case .notAsked: return "<p class=\"proof\">not verified: the script did not ask for it</p>\n"
    // The summary says that it is verified.
    case .verified: (kind, sign, word) = ("good", "✓", summary.isEmpty ? "verified" : summary)
    case .sound: (kind, sign, word) = ("", "–", "nothing wrong was found" + (summary.isEmpty ? "" : ": " + summary))
    case .wrong: (kind, sign, word) = ("bad", "✕", "did not verify" + (summary.isEmpty ? "" : ": " + summary))
    }
    return "<p class=\"proof \(kind)\"><span aria-hidden=\"true\">\(sign)</span> \(word)</p>\n"
  }

  private func findings(_ document: ReportFacts.Document) -> String {
    guard !document.findings.isEmpty else { return "" }
    let items = document.findings.map { "<li>\(HTMLText.content($0))</li>" }
    return "<ul class=\"findings\">\(items.joined(separator: "\n"))</ul>\n"
  }

  private func pages(_ document: ReportFacts.Document) -> String {
    guard !document.pages.isEmpty else { return "" }
    let items = document.pages.map { page(of: document, $0) }
    return "<ul class=\"pages\">\n\(items.joined(separator: "\n"))\n</ul>"
  }

  private func page(of document: ReportFacts.Document, _ page: ReportFacts.Document.Page) -> String {
    let kind = page.isWrong ? "wrong" : page.marks.isEmpty ? "" : "warned"
    let picture =
      page.thumbnail.map {
        Self.picture($0, alternative: "Page \(page.number) of \(document.path)")
      } ?? "<span class=\"nothing\">no picture</span>"
    let areas = page.marks.compactMap(\.area).map { area in
      // Shares of the page as per cent.
      let numbers = [area.left, area.top, area.right - area.left, area.bottom - area.top].map(Self.percent)
      return "<span class=\"area\" style=\"left:\(numbers[0]);top:\(numbers[1]);width:\(numbers[2]);"
        + "height:\(numbers[3])\"></span>"
    }
    let word = page.isWrong ? " <strong class=\"bad\">✕ wrong</strong>" : page.marks.isEmpty ? "" : " – warning"
    let marks = page.marks.map { "<li>\(HTMLText.content($0.text))</li>" }
    let list = marks.isEmpty ? "" : "<ul>\(marks.joined())</ul>"
    return "<li class=\"\(kind)\"><div class=\"sheet\">\(picture)\(areas.joined())</div>"
      + "<p>page \(page.number)\(word)</p>\(list)</li>"
  }

  private static func percent(_ share: Double) -> String {
    ParameterValue.text((min(max(share, 0), 1) * 10_000).rounded() / 100) + "%"
  }
}
