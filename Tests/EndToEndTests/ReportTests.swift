import Foundation
import PictureTestSupport
import TestSupport
import Testing

#if canImport(FoundationXML)
  import FoundationXML
#endif

/// `--report`: one page, however the run ends, in which no external text can become markup.
struct ReportTests {
  private func page(_ folder: Folder, _ name: String = "r.html") -> String {
    String(decoding: folder.bytes(name), as: UTF8.self)
  }

  /// Checks the properties of every page: it is complete, loads nothing from elsewhere, and has a text for each
  /// picture.
  private func check(_ page: String) throws {
    #expect(page.hasPrefix("<!DOCTYPE html>") && page.hasSuffix("</body>\n</html>\n"))
    #expect(!page.contains("<script"))
    #expect(!page.replacing("http://www.w3.org/2000/svg", with: "").contains("http://"))
    #expect(!page.lowercased().contains("javascript:") && !page.contains("<link") && !page.contains("@import"))
    for picture in page.split(separator: "<img").dropFirst() {
      let tag = picture.prefix { $0 != ">" }
      #expect(tag.contains(" alt=\"") && !tag.contains(" alt=\"\"") && tag.contains(" src=\"data:image/"))
    }
    // Every element that is not void has its end.
    for name in ["section", "figure", "article", "ul", "ol", "table", "dl", "pre", "main", "header", "nav", "svg"] {
      let begins = page.matches(of: try Regex("<\(name)[ >]")).count
      #expect(begins == page.matches(of: try Regex("</\(name)>")).count, "\(name)")
    }
  }

  private func count(_ text: String, in page: String) -> Int { page.ranges(of: text).count }

  @Test func picturesAndABook() throws {
    let folder = try Folder()
    try folder.copy(Built.photos + "/rocket.jpg", to: "photos/a.jpg")
    try folder.copy(Built.photos + "/chelsea.png", to: "photos/b.png")
    let outcome = try folder.run(
      """
      local photos = img.glob("photos/*.*")
      photos:map(function(p) return p:fit(200, 200) end):save("web/{stem}.jpg")
      img.canvas(50, 40, { background = "#ff000080" }):save("clear.png")
      img.book("b.pdf", photos, { paper = "a6", verify = true })
      print("printed & <shown>")
      """, "--report", "out/r.html")
    outcome.expect(status: 0)
    #expect(folder.temporaries == [])
    let page = page(folder, "out/r.html")
    try check(page)
    #expect(page.contains("everything is written and verified"))
    #expect(count("<figure class=\"card\">", in: page) == 3 && count("data:image/png", in: page) == 1)
    #expect(page.contains("alt=\"Small version of web/a.jpg\"") && page.contains("200 × 133"))
    #expect(page.contains("alt=\"Page 2 of b.pdf\"") && page.contains("</span> 2 pages, verified"))
    #expect(page.contains("printed &amp; &lt;shown&gt;"))
    #expect(page.contains("<svg") && page.contains("photos/a.jpg") && page.contains("fit "))
    #expect(page.contains("<dt>Processor</dt>") && page.contains("imghost run --report out/r.html t.lua"))
    // It replaces its own pages and nothing else.
    #expect(try folder.imghost(["run", "--report", "out/r.html", "t.lua"]).status == 0)
    let refused = try folder.imghost(["run", "--report", "web/a.jpg", "t.lua"])
    refused.expect(status: 2, error: "--report: web/a.jpg: ")
  }

  /// Pages are passed on.
  @Test(arguments: [
    ["--set=password=geheim", "--set", "token=geheim", "t.lua"], ["--set", "my_secret=geheim", "t.lua"],
  ])
  func secretsStayOut(_ words: [String]) throws {
    let folder = try Folder()
    try folder.write("t.lua", "local img = require \"imghost\" img.canvas(9, 9):save(\"a.png\")")
    let outcome = try folder.imghost(["run", "--report", "r.html"] + words)
    outcome.expect(status: 0)
    #expect(page(folder).contains("…") && !page(folder).contains("geheim"))
  }

  @Test func optionsThatAreSecretsStayOut() throws {
    let folder = try Folder()
    try folder.copy(Built.photos + "/rocket.jpg", to: "a.jpg")
    let outcome = try folder.imghost(
      "book", "a.jpg", "-o", "b.pdf", "--password", "geheim", "--owner-password=geheim2", "--report", "r.html")
    #expect(page(folder).contains("--password …") && !page(folder).contains("geheim"), "\(outcome)")
  }

  /// A file about the run that cannot be written is named on the page, and the outputs are not said to be missing.
  @Test func aFileAboutTheRunIsMissing() throws {
    let folder = try Folder()
    let outcome = try folder.run(
      "img.canvas(50, 40):save(\"a.png\")", "--report", "r.html", "--design", "d.lua")
    #expect(outcome.status == 1 && folder.exists("a.png") && !folder.exists("d.lua"), "\(outcome)")
    let page = page(folder)
    try check(page)
    #expect(page.contains("the outputs are written, but a file that describes them is not"))
    #expect(page.contains("the script has no designed book"))
  }

  @Test func failuresWithTheirLines() throws {
    let folder = try Folder()
    try folder.copy(Built.photos + "/rocket.jpg", to: "a.jpg")
    let bytes = folder.bytes("a.jpg")
    try folder.write("cut.jpg", Array(bytes[..<(bytes.count / 2)]))
    let outcome = try folder.run(
      "img.open(\"cut.jpg\"):blur(2):save(\"x.png\")\nimg.open(\"a.jpg\"):fit(90, 90):save(\"y.png\")", "--report",
      "r.html", "--on-error", "continue")
    outcome.expect(status: 1)
    let page = page(folder)
    try check(page)
    #expect(page.contains("some outputs are missing") && page.contains("t.lua:2: open: cut.jpg: "))
    #expect(page.contains("<code>img.open(&quot;cut.jpg&quot;)") || page.contains("<code>img.open(\"cut.jpg\")"))
    #expect(page.contains("alt=\"Small version of y.png\"") && page.contains("<span class=\"bad\">failed</span>"))
    let wrong = try folder.run("img.canvas(9, 9):blurr(2)\nerror(\"x\")", "--report", "wrong.html")
    wrong.expect(status: 3)
    let mistakes = self.page(folder, "wrong.html")
    try check(mistakes)
    #expect(mistakes.contains("the script has mistakes; nothing is written"))
    #expect(mistakes.contains("t.lua:2: blurr: ") && mistakes.contains("t.lua:3: x"))
    let dry = try folder.run("img.open(\"a.jpg\"):fit(90, 90):save(\"z.png\")", "--report", "dry.html", "--dry-run")
    #expect(dry.status == 0 && !folder.exists("z.png"))
    #expect(self.page(folder, "dry.html").contains("z.png &lt;- a.jpg"))
  }

  /// Pages at fault are marked, with the place that differs.
  @Test(.wholeRuns) func markedPages() throws {
    let folder = try Folder()
    try folder.copy(Built.photos + "/rocket.jpg", to: "in/a.jpg")
    let bytes = folder.bytes("in/a.jpg")
    try folder.write("in/b.jpg", Array(bytes[..<(bytes.count / 2)]) + [0xff, 0xd9])
    let outcome = try folder.run(
      "img.book(\"b.pdf\", img.glob(\"in/*.jpg\"), { verify = true })", "--report", "r.html")
    outcome.expect(status: 4)
    let page = page(folder)
    try check(page)
    #expect(page.contains("everything is written, but a PDF did not verify"))
    #expect(count("<li class=\"wrong\">", in: page) == 1 && count("<span class=\"area\"", in: page) == 1)
    #expect(page.contains("page 2 <strong class=\"bad\">✕ wrong</strong>"))
    // A document that the script itself verifies.
    _ = try folder.run("print(img.verify(\"b.pdf\").ok)", "--report", "v.html")
    #expect(count("<li class=\"wrong\">", in: self.page(folder, "v.html")) == 1)
  }

  /// A report shows at most 24 pages of a document, and lists the findings on all others.
  @Test func findingsOnOtherPages() throws {
    let folder = try Folder()
    _ = try folder.run(
      """
      local all = {}
      for i = 1, 30 do all[i] = img.canvas(9, 9) end
      img.book("b.pdf", all, { paper = "a6" }):await()
      print(#img.verify("b.pdf", { dpi = 300 }).faults)
      """, "--report", "r.html")
    let page = page(folder)
    for number in 25...30 { #expect(page.contains("<li>page \(number): "), "\(number)") }
    #expect(count("<li>page ", in: page) == 6)
  }

  @Test func hostileTexts() throws {
    let folder = try Folder()
    let name = "<img src=x onerror=alert(1)>\"'&\u{202e}\u{1b}[31m.jpg"
    try folder.copy(Built.photos + "/rocket.jpg", to: "p/" + name)
    let outcome = try folder.run(
      """
      local p = img.glob("p/*.jpg")[1]
      p:fit(40, 40):save("o/{stem}.png")
      img.book("</title><script>.pdf", { p }, { paper = "a6" })
      print("</pre><script>alert(1)</script>")
      --<!-- </code> <script>
      img.glob("p/*.jpg"):filter(function() return false end, "</li><script>alert(2)</script>") --</code><script>
      """, "--report", "r.html")
    outcome.expect(status: 0)
    let page = page(folder)
    try check(page)
    #expect(!page.contains("<script") && !page.contains("<img src=x") && !page.contains("\u{1b}"))
    #expect(page.contains("&lt;script&gt;alert(1)&lt;/script&gt;"))
  }

  /// However many outputs there are, the page stays small and says what it leaves out.
  @Test(.wholeRuns) func manyOutputs() throws {
    let folder = try Folder()
    let outcome = try folder.run(
      """
      for i = 1, 700 do
        img.canvas(8, 8, { background = { i % 256, 90, 10 } }):save(("o/%04d.png"):format(i))
        print(i)
      end
      """, "--report", "r.html", seconds: 60)
    outcome.expect(status: 0)
    let page = page(folder)
    try check(page)
    #expect(count("<img", in: page) == 120 && page.utf8.count < 2_000_000)
    #expect(page.contains("300 more outputs are not shown") && page.contains("600 more lines are not shown"))
    #expect(page.contains("Pictures of 120 of 700 outputs are shown"))
  }

  @Test func anInterruptedRun() throws {
    let folder = try Folder()
    try folder.write(
      "t.lua",
      """
      local img = require "imghost"
      img.canvas(40, 40):save("a.png"):await()
      while true do end
      """)
    let running = try Command(arguments: ["run", "--report", "r.html", "t.lua"], folder: folder.path).start()
    #expect(running.wait { folder.exists("a.png") })
    running.send(SIGINT)
    #expect(running.finish(within: 10).status == 130)
    try check(page(folder))
    #expect(page(folder).contains("a.png") && count("<img", in: page(folder)) == 1)
    #expect(folder.temporaries == [])
  }

  /// Runs that end early, each in its way, show the outputs that they made.
  @Test(
    arguments: sampled([
      // A script that waits, and one that cannot be stopped within the time that it has.
      (["--timeout", "1"], "while true do end"),
      (["--timeout", "1"], "string.find(string.rep('a', 60), string.rep('a?', 60) .. string.rep('a', 60))"),
      (["--script-time", "0.5"], "while true do end"),
      (["--on-error", "stop"], "img.open('broken.png'):save('b.png')"),
      ([], "error('x')"),
    ]))
  func aRunThatIsCutShort(_ options: [String], _ rest: String) throws {
    let folder = try Folder()
    try folder.write("broken.png", "no picture")
    try folder.write(
      "t.lua",
      """
      local img = require "imghost"
      img.canvas(40, 40, { background = "red" }):save("a.png"):await()
      img.canvas(30, 30, { background = "#00800080" }):save("c.png"):await()
      \(rest)
      """)
    let outcome = try folder.imghost(["run"] + options + ["--report", "r.html", "t.lua"], seconds: 30)
    #expect(outcome.status != 0, "\(outcome)")
    let page = page(folder)
    try check(page)
    #expect(count("<img", in: page) == 2 && count("data:image/", in: page) == 2, "\(outcome)")
    #expect(folder.temporaries == [])
  }
}
