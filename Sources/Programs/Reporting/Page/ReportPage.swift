import ImageCore
import ImagePipeline

/// The page of a run as one HTML file: no script, no font and no picture from elsewhere, and readable without styles.
///
/// Everything that comes from files, scripts and plugins goes through `HTMLText`.
package struct ReportPage {
  let facts: ReportFacts

  package init(_ facts: ReportFacts) { self.facts = facts }

  /// The first characters of every page, which identify it.
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

  /// A part of the page that the list at its top leads to.
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
    var figures = [Self.figure(facts.isDryRun ? "nothing" : Self.number(facts.writtenCount), "written")]
    if !facts.isDryRun { figures.append(Self.figure(SummaryLine.size(facts.byteCount), "in files")) }
    if facts.failedCount > 0 { figures.append(Self.figure(Self.number(facts.failedCount), "failed", "bad")) }
    if facts.cancelledCount > 0 { figures.append(Self.figure(Self.number(facts.cancelledCount), "cancelled")) }
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

  /// The line of the script that a message is about.
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

  /// Writes `12,345`.
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
