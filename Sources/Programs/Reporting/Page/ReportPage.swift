import ImageCore
import ImagePipeline

/// The report page of a run as one HTML file. It needs no scripts, fonts or pictures from elsewhere, and is readable
/// without styles.
///
/// All text from files, scripts and plugins is escaped by `HTMLText`.
package struct ReportPage {
  let facts: ReportFacts

  package init(_ facts: ReportFacts) { self.facts = facts }

  /// The first characters of every page. A file that begins with them may be replaced by a new page.
  package static let beginning = """
    <!DOCTYPE html>
    <html lang="en">
    <meta charset="utf-8">
    <meta name="generator" content="imghost">
    """

  package var html: String {
    let sections = [problems, outputs, documents, printed, timeline, plan, machine].compactMap(\.self)
    let links = sections.map { "<li><a href=\"#\($0.id)\">\($0.title)</a></li>" }.joined()
    return """
      \(Self.beginning)
      <meta http-equiv="Content-Security-Policy" content="default-src 'none'; img-src data:; style-src 'unsafe-inline'">
      <meta name="viewport" content="width=device-width, initial-scale=1">
      <meta name="color-scheme" content="light dark">
      <title>\(HTMLText.content(facts.script)): \(HTMLText.content(facts.status.text))</title>
      <style>
      \(ReportStyle.text)
      </style>
      <body>
      \(header)
      <nav aria-label="Sections"><ul>\(links)</ul></nav>
      <main>
      \(sections.map(\.html).joined(separator: "\n"))
      </main>
      <footer><p>Made by imghost. This page needs no network, and no other file.</p></footer>
      </body>
      </html>

      """
  }

  /// A part of the page with an entry in the table of contents.
  struct Section {
    let id: String
    let title: String
    let body: String
    var count: String?

    var html: String {
      let count = count.map { " <span class=\"count\">\($0)</span>" } ?? ""
      return "<section id=\"\(id)\" aria-labelledby=\"\(id)-title\">\n"
        + "<h2 id=\"\(id)-title\">\(title)\(count)</h2>\n\(body)\n</section>"
    }
  }

  private var header: String {
    let kind = facts.status.isSuccess ? "good" : "bad"
    let totals = facts.totals
    var figures = [Self.figure(facts.isDryRun ? "nothing" : Self.number(totals.written), "written")]
    if !facts.isDryRun { figures.append(Self.figure(SummaryLine.size(totals.byteCount), "in files")) }
    if totals.kept > 0 { figures.append(Self.figure(Self.number(totals.kept), "kept")) }
    if totals.failed > 0 { figures.append(Self.figure(Self.number(totals.failed), "failed", "bad")) }
    if totals.cancelled > 0 { figures.append(Self.figure(Self.number(totals.cancelled), "cancelled")) }
    figures.append(Self.figure(SummaryLine.decimal(facts.seconds) + " s", "taken"))
    return """
      <header>
      <p class="kicker">imghost report</p>
      <h1>\(HTMLText.path(facts.script))</h1>
      <p class="status \(kind)"><span aria-hidden="true">\(facts.status.isSuccess ? "✓" : "✕")</span> \
      \(HTMLText.content(facts.status.text))</p>
      <dl class="figures">\(figures.joined())</dl>
      <p class="when"><time>\(HTMLText.content(facts.startedAt))</time></p>
      </header>
      """
  }

  private static func figure(_ value: String, _ name: String, _ kind: String = "") -> String {
    "<div class=\"\(kind)\"><dt>\(name)</dt><dd>\(value)</dd></div>"
  }

  // MARK: - sections

  private var problems: Section? {
    guard !facts.messages.isEmpty else { return nil }
    let items = facts.messages.map { message in
      """
      <li class="\(message.kind.rawValue)"><strong>\(message.kind.rawValue)</strong> \
      <span class="text">\(HTMLText.content(message.text, keepingLines: true))</span>\(source(message))</li>
      """
    }
    let rest = Self.rest(facts.furtherMessages, "message")
    let errors = facts.messages.count { $0.kind == .error }
    return Section(
      id: "messages", title: errors > 0 ? "Errors and warnings" : "Warnings and notes",
      body: "<ul class=\"messages\">\n\(items.joined(separator: "\n"))\n</ul>\(rest)",
      count: Self.number(facts.messages.count + facts.furtherMessages))
  }

  /// Returns the line of the script that a message refers to.
  private func source(_ message: ReportFacts.Message) -> String {
    guard let position = message.position, let line = message.sourceLine else { return "" }
    return "\n<pre class=\"source\"><span class=\"line\">\(HTMLText.content(position.file)):\(position.line)</span>"
      + "<code>\(HTMLText.content(line))</code></pre>"
  }

  private var printed: Section? {
    guard !facts.printed.isEmpty else { return nil }
    let lines = facts.printed.map { HTMLText.content($0, keepingLines: true) }.joined(separator: "\n")
    return Section(
      id: "printed", title: "Printed by the script",
      body: "<pre class=\"box\" tabindex=\"0\">\(lines)</pre>" + Self.rest(facts.furtherPrinted, "line"))
  }

  private var timeline: Section? {
    guard let svg = facts.timeline, let start = svg.firstRange(of: "<svg") else { return nil }
    return Section(
      id: "timeline", title: "Timeline",
      body: "<figure class=\"timeline\">\(svg[start.lowerBound...])"
        + "<figcaption>Each row is a thread, and each block work on a picture. Below: work that waits, memory, and "
        + "the operations that took the time.</figcaption></figure>")
  }

  private var plan: Section? {
    guard !facts.plan.isEmpty else { return nil }
    let lines = facts.plan.map { "<li><code>\(HTMLText.content($0))</code></li>" }
    return Section(
      id: "plan", title: "Plan",
      body: "<p>How each output is made, from the file to the result.</p>\n"
        + "<ol class=\"plan box\" tabindex=\"0\">\n\(lines.joined(separator: "\n"))\n</ol>"
        + (facts.isPlanCut ? "\n<p class=\"rest\">The rest of the plan is not shown.</p>" : ""),
      count: facts.isPlanCut ? nil : Self.number(facts.plan.count))
  }

  private var machine: Section? {
    let rows = facts.machine.map { "<div><dt>\($0.name)</dt><dd>\(HTMLText.name($0.value))</dd></div>" }
    return Section(
      id: "machine", title: "Machine and versions", body: "<dl class=\"facts\">\(rows.joined(separator: "\n"))</dl>")
  }

  // MARK: - words

  static func rest(_ count: Int, _ word: String) -> String {
    count == 0 ? "" : "\n<p class=\"rest\">\(number(count)) more \(word)\(count == 1 ? " is" : "s are") not shown.</p>"
  }

  /// Returns a number with thousands separators: `12,345`.
  static func number(_ count: Int) -> String {
    var text = ""
    for (index, digit) in String(count).reversed().enumerated() {
      if index > 0, index % 3 == 0 { text.append(",") }
      text.append(digit)
    }
    return String(text.reversed())
  }

  static func picture(_ thumbnail: ReportFacts.Thumbnail, alternative: String) -> String {
    "<img width=\"\(thumbnail.width)\" height=\"\(thumbnail.height)\" "
      + "alt=\"\(HTMLText.attribute(alternative))\" src=\"data:\(thumbnail.mediaType);base64,\(thumbnail.base64)\">"
  }
}

// MARK: - Outputs

/// The files that the run wrote, with thumbnails, and its books page by page.
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
    let rest = document.pages.isEmpty ? "" : Self.rest(document.pageCount - document.pages.count, "page")
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
    // The summary already says that the document is verified.
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
      // Positions as percentages of the page.
      let numbers = [area.left, area.top, area.width, area.height].map(Self.percent)
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

/// Escapes text from files, scripts and plugins for a page, so that it cannot become markup, reorder other text or
/// exceed a maximum length.
enum HTMLText {
  /// The maximum number of characters of one text.
  private static let longest = 2_000

  /// Returns a text escaped for use between tags.
  static func content(_ text: String, keepingLines: Bool = false) -> String {
    XMLText.content(printable(shortened(text), keepingLines: keepingLines))
  }

  /// Returns a text escaped for use between double quotes.
  static func attribute(_ text: String) -> String { XMLText.attribute(printable(shortened(text))) }

  /// Returns an external name in an element of its own, so that its writing direction does not affect the text around
  /// it.
  static func name(_ text: String) -> String { "<bdi>\(content(text))</bdi>" }

  /// Returns a path that may wrap after its slashes.
  static func path(_ path: String) -> String { "<bdi>\(content(path).replacing("/", with: "/<wbr>"))</bdi>" }

  private static func shortened(_ text: String) -> String {
    // Counting bytes is fast, so characters are only counted in long texts.
    guard text.utf8.count > longest, text.count > longest else { return text }
    return text.prefix(longest) + "…"
  }
}
