import Foundation
import ImageCore
import PictureTestSupport
import Platform
import TestSupport
import Testing

/// `imghost preview`, with the requests that its page sends.
struct PreviewTests {
  private let folder: Folder

  init() throws {
    folder = try Folder()
    for name in Built.samples { try folder.copy(Built.photos + "/" + name, to: "photos/" + name) }
  }

  private func write(_ script: String) throws {
    try folder.write("a.lua", "local img = require \"imghost\"\n" + script)
  }

  private func outputs(_ state: JSON) -> [JSON] { state["outputs"]?.items ?? [] }

  @Test func showsEveryOutputAndWritesNone() throws {
    try write("img.glob(\"photos/*\"):each(function(p) p:resize(400):save(\"web/{stem}.jpg\") end)")
    let preview = try Preview("a.lua", in: folder)
    let state = try preview.state()
    #expect(state["status"]?.textValue == "ok")
    #expect(outputs(state).count == Built.samples.count)
    for output in outputs(state) {
      let key = try #require(output["key"]?.textValue)
      let answer = try preview.ask("GET", "picture/\(key)?width=200&height=200")
      #expect(answer.status == 200, "\(answer)")
      let picture = try Pixels(file: folder.kept(answer.body))
      #expect(max(picture.width, picture.height) <= 200)
      #expect(answer.headers["cache-control"]?.contains("immutable") == true)
    }
    #expect(!folder.exists("web"))
  }

  @Test func aMistakeIsShownAtItsLineWithThePicturesBefore() throws {
    try write("img.open(\"photos/coffee.png\"):resize(300):save(\"a.jpg\")")
    let preview = try Preview("a.lua", in: folder)
    let before = outputs(try preview.state())
    try write("img.open(\"photos/coffee.png\"):resize(300):sharpen{ amout = 1 }:save(\"a.jpg\")")
    let state = try preview.state { $0["status"]?.textValue == "mistakes" }
    #expect(outputs(state).map(\.line) == before.map(\.line))
    let message = try #require(state["messages"]?.items.first)
    #expect(message["line"]?.integerValue == 2)
    #expect(message["text"]?.textValue?.contains("did you mean 'amount'?") == true)
    try write("img.open(\"photos/coffee.png\"):resize(300):sharpen{ amount = 1 }:save(\"a.jpg\")")
    _ = try preview.state { $0["status"]?.textValue == "ok" && outputs($0).map(\.line) != before.map(\.line) }
  }

  @Test func unchangedPicturesKeepTheirKeys() throws {
    try write(
      "img.open(\"photos/coffee.png\"):save(\"a.jpg\") img.open(\"photos/chelsea.png\"):gamma(1.2):save(\"b.jpg\")")
    let preview = try Preview("a.lua", in: folder)
    let before = outputs(try preview.state()).map { $0["key"]?.textValue }
    try write(
      "img.open(\"photos/coffee.png\"):save(\"a.jpg\") img.open(\"photos/chelsea.png\"):gamma(1.3):save(\"b.jpg\")")
    let after = outputs(try preview.state { outputs($0).last?["key"]?.textValue != before.last! })
      .map { $0["key"]?.textValue }
    #expect(after.first == before.first)
    let stale = try preview.ask("GET", "picture/\(before.last!!)?width=100&height=100")
    #expect(stale.status == 404, "\(stale)")
  }

  @Test func aReplacedPictureChangesWhatIsShown() throws {
    try write("img.open(\"photos/coffee.png\"):save(\"a.jpg\")")
    let preview = try Preview("a.lua", in: folder)
    let before = outputs(try preview.state()).first?["key"]?.textValue
    try FileManager.default.removeItem(atPath: folder("photos/coffee.png"))
    try folder.copy(Built.photos + "/chelsea.png", to: "photos/coffee.png")
    _ = try preview.state { $0["status"]?.textValue == "ok" && outputs($0).first?["key"]?.textValue != before }
  }

  @Test func anEditedSidecarChangesWhatIsShown() throws {
    func writeSidecar(_ title: String) throws {
      try folder.write(
        "photos/coffee.xmp",
        """
        <x:xmpmeta xmlns:x='adobe:ns:meta/'><rdf:RDF xmlns:rdf='http://www.w3.org/1999/02/22-rdf-syntax-ns#'>
        <rdf:Description rdf:about='' xmlns:dc='http://purl.org/dc/elements/1.1/'><dc:title><rdf:Alt>
        <rdf:li xml:lang='x-default'>\(title)</rdf:li></rdf:Alt></dc:title></rdf:Description></rdf:RDF></x:xmpmeta>
        """)
    }
    try writeSidecar("Tea")
    try write("img.open(\"photos/coffee.png\", { sidecar = true }):text(\"{title}\"):save(\"a.jpg\")")
    let preview = try Preview("a.lua", in: folder)
    let before = outputs(try preview.state()).first?["key"]?.textValue
    try writeSidecar("Coffee")
    _ = try preview.state { $0["status"]?.textValue == "ok" && outputs($0).first?["key"]?.textValue != before }
  }

  @Test(.wholeRuns) func aDeletedScriptAndOneThatNeverEndsAreMessages() throws {
    try write("img.open(\"photos/coffee.png\"):save(\"a.jpg\")")
    let preview = try Preview("a.lua", ["--script-time", "0.2"], in: folder)
    _ = try preview.state()
    try FileManager.default.removeItem(atPath: folder("a.lua"))
    _ = try preview.state { $0["status"]?.textValue == "missing" }
    try write("while true do end")
    let state = try preview.state { $0["status"]?.textValue == "mistakes" }
    #expect(state["messages"]?.items.first?["text"]?.textValue?.contains("takes longer than") == true)
    #expect(outputs(state).count == 1)
    // Nothing but the end of the process stops a pattern that never ends; the preview starts again.
    try write("string.find(string.rep(\"a\", 60), string.rep(\"a?\", 60) .. string.rep(\"a\", 60))")
    _ = try preview.state { $0["status"]?.textValue == "stuck" }
    try write("img.open(\"photos/coffee.png\"):save(\"a.jpg\")")
    _ = try preview.state { $0["status"]?.textValue == "ok" }
  }

  @Test func settingsChangeThePicture() throws {
    try write(
      "local w = img.setting(\"width\", { type = \"int\", minimum = 10, maximum = 900, default = 200 })\n"
        + "img.open(\"photos/coffee.png\"):resize(w):save(\"a.jpg\")")
    let preview = try Preview("a.lua", in: folder)
    let state = try preview.state()
    #expect(state["settings"]?.items.first?["value"]?.integerValue == 200)
    #expect(try preview.ask("POST", "settings", body: "{\"width\":320}").status == 204)
    _ = try preview.state { outputs($0).first?["width"]?.integerValue == 320 }
    #expect(try preview.ask("POST", "settings", body: "{\"width\":5000}").status == 204)
    let wrong = try preview.state { $0["status"]?.textValue == "mistakes" }
    #expect(outputs(wrong).first?["width"]?.integerValue == 320)
    #expect(try preview.ask("POST", "settings", body: "{\"width\":null}").status == 204)
    _ = try preview.state { outputs($0).first?["width"]?.integerValue == 200 }
  }

  /// Parameters of plugins, native and in Lua: their own declarations, the script's values, and values of the page.
  @Test func parametersOfPluginsAreControls() throws {
    try folder.write(
      "plugins/frame.lua",
      """
      local img = require "imghost"
      return img.plugin{ name = "frame", parameters = {
        width = { type = "int", minimum = 0, maximum = 90, default = 5, step = 5, label = "Width", group = "Edge" } },
        apply = function(picture, options) return picture:extend{ left = options.width, right = options.width } end }
      """)
    try write(
      """
      local p = img.open("photos/coffee.png"):resize(300)
      p:plugin("halftone", { cell = 6 }):save("a.png")
      p:plugin("frame", { width = 10 }):save("b.png")
      p:plugin("frame"):save("c.png")
      """)
    let preview = try Preview("a.lua", in: folder)
    let state = try preview.state()
    let controls = Dictionary(
      uniqueKeysWithValues: (state["settings"]?.items ?? []).map { ($0["name"]?.textValue ?? "", $0) })
    #expect(controls.count == 9, "\(controls.keys.sorted())")
    let cell = try #require(controls["halftone.cell"])
    #expect(cell["label"]?.textValue == "Distance" && cell["group"]?.textValue == "halftone, a.lua:3, Dots")
    #expect(cell["default"]?.numberValue == 6 && cell["value"]?.numberValue == 6 && cell["step"]?.numberValue == 0.5)
    #expect(controls["frame.width"]?["default"]?.integerValue == 10)
    #expect(controls["frame.2.width"]?["default"]?.integerValue == 5)
    #expect(outputs(state).map { $0["width"]?.integerValue } == [300, 320, 310])

    #expect(try preview.ask("POST", "settings", body: "{\"frame.2.width\":40,\"halftone.cell\":9}").status == 204)
    let changed = try preview.state { outputs($0).last?["width"]?.integerValue == 380 }
    #expect(outputs(changed).map { $0["width"]?.integerValue } == [300, 320, 380])
    #expect(outputs(changed).first?["key"]?.textValue != outputs(state).first?["key"]?.textValue)
    #expect(outputs(changed)[1].line == outputs(state)[1].line)
    #expect(try preview.ask("POST", "settings", body: "{\"frame.2.width\":1000}").status == 204)
    let wrong = try preview.state { $0["status"]?.textValue == "mistakes" }
    #expect(wrong["messages"]?.items.first?["line"]?.integerValue == 5, "\(wrong.line)")
    #expect(wrong["settings"]?.items.count == 9)
    #expect(try preview.ask("POST", "settings", body: "{\"frame.2.width\":null}").status == 204)
    _ = try preview.state { outputs($0).last?["width"]?.integerValue == 310 }
    // A line that is gone takes its value with it.
    try write("img.open(\"photos/coffee.png\"):resize(310):save(\"a.png\")")
    let last = try preview.state { outputs($0).first?["width"]?.integerValue == 310 }
    #expect(last["settings"]?.items.isEmpty == true && last["messages"]?.items.isEmpty == true, "\(last.line)")
  }

  /// A script that is not valid Lua declares nothing, and one with another comment shows the same.
  @Test func whatIsShownSurvivesEdits() throws {
    let script =
      "local w = img.setting(\"width\", { type = \"int\", minimum = 10, maximum = 900, default = 200 })\n"
      + "img.open(\"photos/coffee.png\"):resize(w):save(\"a.jpg\")"
    try write(script)
    let preview = try Preview("a.lua", in: folder)
    let first = try preview.state()
    try write(script + " )")
    let wrong = try preview.state { $0["status"]?.textValue == "mistakes" }
    #expect(wrong["settings"]?.items.count == 1 && outputs(wrong).count == 1)
    try write(script + " -- the same")
    let same = try preview.state { $0["status"]?.textValue == "ok" }
    #expect(outputs(same).map(\.line) == outputs(first).map(\.line))
  }

  @Test func aRenamedSettingForgetsItsValue() throws {
    func script(_ name: String) -> String {
      "local w = img.setting(\"\(name)\", { type = \"int\", minimum = 10, maximum = 900, default = 200 })\n"
        + "img.open(\"photos/coffee.png\"):resize(w):save(\"a.jpg\")"
    }
    try write(script("width"))
    let preview = try Preview("a.lua", in: folder)
    _ = try preview.state()
    #expect(try preview.ask("POST", "settings", body: "{\"width\":320}").status == 204)
    _ = try preview.state { outputs($0).first?["width"]?.integerValue == 320 }
    try write(script("size"))
    _ = try preview.state { $0["status"]?.textValue == "ok" && outputs($0).first?["width"]?.integerValue == 200 }
  }

  /// A correction that is saved while the script hangs is not lost when the preview starts itself again.
  @Test(.wholeRuns) func aCorrectionDuringAHangCounts() throws {
    try write("string.find((\"a\"):rep(40), (\"a?\"):rep(40) .. (\"a\"):rep(40))")
    let preview = try Preview("a.lua", ["--script-time", "1"], in: folder)
    _ = try preview.state { $0["version"]?.integerValue == 0 }
    try write("img.open(\"photos/coffee.png\"):save(\"a.jpg\")")
    _ = try preview.state { $0["status"]?.textValue == "ok" && outputs($0).count == 1 }
  }

  @Test func pagesAreDrawnAsTheBookHasThem() throws {
    try write(
      "img.book(\"b.pdf\", img.glob(\"photos/*\"), { paper = \"10x15\", margin = \"5mm\", caption = \"{stem}\", "
        + "title_page = \"Walks\", page_number = \"{page} of {pages}\", dpi = 150 })")
    let preview = try Preview("a.lua", in: folder)
    let pages = try #require(outputs(try preview.state()).first?["pages"]?.items)
    #expect(pages.count == Built.samples.count + 1)
    let outcome = try folder.imghost("run", "a.lua")
    outcome.expect(status: 0)
    let script = "for i, page in ipairs(img.pages(\"b.pdf\", { dpi = 72 })) do page:save(i .. \".png\") end"
    #expect(try folder.run(script).status == 0)
    for (index, page) in pages.enumerated() {
      let key = try #require(page["key"]?.textValue)
      let whole = try Pixels(file: folder("\(index + 1).png"))
      let answer = try preview.ask("GET", "picture/\(key)?width=\(whole.width)&height=\(whole.height)")
      try #require(answer.status == 200, "\(answer.text)")
      let shown = try Pixels(file: folder.kept(answer.body))
      #expect(abs(shown.width - whole.width) <= 1 && abs(shown.height - whole.height) <= 1)
      // A size in points may be rounded to a pixel more or less, which moves fine detail. Another page has 10 dB.
      let (width, height) = (min(shown.width, whole.width), min(shown.height, whole.height))
      let common = [shown, whole].map { picture in Pixels(width, height) { picture[$0, $1] } }
      #expect(common[0].psnr(common[1]) >= 24, "page \(index + 1): \(common[0].psnr(common[1])) dB")
    }
  }

  /// The page before shows the files' pictures with the script's cuts, at the places of the finished page.
  @Test(.wholeRuns) func aPageIsComparedWithThePageBefore() throws {
    let options = "{ paper = \"10x15\", margin = \"5mm\", caption = \"{stem}\", fit = \"cover\" })"
    let cut = "p:crop(10, 20, 280, 250)"
    let book = { (name: String, calls: String) in
      "img.book(\"\(name).pdf\", img.glob(\"photos/c*.png\"):map(function(p) return \(calls) end), \(options)\n"
    }
    try write(
      book("changed", cut + ":invert():resize(600)") + book("plain", cut + ":resize(600)")
        + book("framed", "p:extend{ left = 30, top = 50, background = \"red\" }") + book("own", "p"))
    let preview = try Preview("a.lua", in: folder)
    let books = outputs(try preview.state()).map { $0["pages"]?.items ?? [] }
    try #require(books.map(\.count) == [2, 2, 2, 2])
    func image(_ page: JSON, _ key: String) throws -> Pixels {
      let key = try #require(page[key]?.textValue)
      let answer = try preview.ask("GET", "picture/\(key)?width=400&height=400")
      try #require(answer.status == 200, "\(answer.text)")
      return try Pixels(file: folder.kept(answer.body))
    }
    for (changed, plain) in zip(books[0], books[1]) {
      #expect(try image(changed, "sourceKey").meanDifference(image(plain, "key")) < 1)
      #expect(try image(changed, "sourceKey").meanDifference(image(changed, "key")) > 20)
    }
    // The file's picture takes the whole place of one with a border.
    let framed = try #require(books[2].first)
    let (before, after) = (try image(framed, "sourceKey"), try image(framed, "key"))
    #expect(before.width == after.width && before.height == after.height && before.meanDifference(after) > 5)
    // Nothing is to be compared where the script changes nothing.
    for page in books[1] + books[3] { #expect(page["sourceKey"]?.textValue == nil, "\(page.line)") }
  }

  @Test func theGraphShowsEachStep() throws {
    try write("img.open(\"photos/coffee.png\"):resize(300):sharpen{ amount = 0.5 }:save(\"a.jpg\")")
    let preview = try Preview("a.lua", in: folder)
    let key = try #require(outputs(try preview.state()).first?["key"]?.textValue)
    let nodes = try #require(try preview.ask("GET", "graph/\(key)").json?["nodes"]?.items)
    #expect(nodes.map { $0["name"]?.textValue } == ["open", "resize", "sharpen"])
    #expect(nodes.last?["detail"]?.textValue == "amount = 0.5")
    for node in nodes {
      let key = try #require(node["key"]?.textValue)
      #expect(try preview.ask("GET", "picture/\(key)?width=64&height=64").status == 200)
    }
    let pixel = try preview.ask("GET", "pixel/\(key)?width=100&height=100&x=50&y=20").json
    #expect(pixel?["values"]?.items.count == 3)
    #expect(pixel?["x"]?.integerValue == 151)
    let bins = try preview.ask("GET", "histogram/\(key)?width=100&height=100").json?["bins"]?.items ?? []
    #expect(bins.map { $0.items.compactMap(\.integerValue).reduce(0, +) } == [Int](repeating: 100 * 67, count: 3))
  }

  @Test func theWholeScriptRunsOnDemand() throws {
    try write("img.open(\"photos/coffee.png\"):resize(300):save(\"a.jpg\")")
    let preview = try Preview("a.lua", in: folder)
    _ = try preview.state()
    #expect(try preview.ask("POST", "run").status == 204)
    _ = try preview.state { $0["timeline"]?.isTrue ?? false }
    #expect(folder.exists("a.jpg"))
    #expect(try preview.ask("GET", "timeline.svg").text.contains("<svg"))
  }

  @Test func strangersGetNothing() throws {
    try write("img.open(\"photos/coffee.png\"):save(\"a.jpg\")")
    let preview = try Preview("a.lua", in: folder)
    _ = try preview.state()
    #expect(try preview.ask("GET", "state", token: "0123456789abcdef0123456789abcdef").status == 404)
    #expect(try preview.ask("GET", "state", headers: ["Host": "evil.example"]).status == 403)
    #expect(try preview.ask("GET", "state", headers: ["Origin": "http://evil.example"]).status == 403)
    #expect(try preview.ask("POST", "run", headers: ["X-Imghost": "form"]).status == 403)
    #expect(try preview.ask("GET", "../a.lua").status == 404)
    #expect(try preview.ask("GET", "picture/../../etc/passwd?width=10&height=10").status == 404)
    #expect(try preview.ask("POST", "settings", body: "[1").status == 400)
    #expect(try preview.ask("GET", "").headers["content-security-policy"]?.contains("default-src 'none'") == true)
    #expect(!folder.exists("a.jpg"))
  }

  /// What a page has told to whoever took the port is worth nothing to the next preview, which has the same port.
  @Test(.wholeRuns) func eachStartHasItsOwnWord() throws {
    try write("img.open(\"photos/coffee.png\"):save(\"a.jpg\")")
    var (words, ports) = (Set<String>(), Set<UInt16>())
    var before: String?
    for signal in [SIGKILL, SIGTERM, SIGKILL] {
      let preview = try Preview("a.lua", in: folder)
      words.insert(preview.token)
      ports.insert(preview.port)
      if let before { #expect(try preview.ask("GET", "state", token: before).status == 404) }
      before = preview.token
      // No file has the word but the private one that leads a browser to the page.
      let word = Data(preview.token.utf8)
      for name in folder.files where Data(folder.bytes(name)).range(of: word) != nil {
        #expect(name.hasSuffix(".html"))
        let mode = try FileManager.default.attributesOfItem(atPath: folder(name))[.posixPermissions] as? Int
        #expect(mode == 0o600)
      }
      preview.running.send(signal)
      #expect(preview.running.wait { !preview.running.process.isRunning })
      if signal == SIGTERM { #expect(!folder.files.contains { $0.hasSuffix(".html") }) }
    }
    #expect(words.count == 3 && ports.count == 1)
  }

  /// A page that has lost its connection asks who listens, without the word.
  @Test func thePreviewProvesThatItKnowsTheWord() throws {
    try write("img.open(\"photos/coffee.png\"):save(\"a.jpg\")")
    let preview = try Preview("a.lua", in: folder)
    func proof(_ query: String) throws -> Preview.Answer { try preview.ask("GET", "", root: "/proof" + query) }
    let (nonce, word) = ("00112233445566778899aabbccddeeff", preview.token)
    // HMAC-SHA256 by its definition in RFC 2104.
    let key = Array(word.utf8) + [UInt8](repeating: 0, count: 64 - word.utf8.count)
    let inner = SHA256.digest(of: key.map { $0 ^ 0x36 } + Array(nonce.utf8))
    let meant = SHA256.digest(of: key.map { $0 ^ 0x5c } + inner.bytes).description
    let answer = try proof("?nonce=" + nonce)
    #expect(answer.json?["proof"]?.textValue == meant)
    #expect(answer.headers["connection"]?.lowercased() == "close")
    #expect(!answer.text.contains(word))
    for query in ["", "?nonce=", "?nonce=1", "?nonce=" + String(repeating: "a", count: 200)] {
      #expect(try proof(query).status == 404)
    }
  }

  /// A preview whose script hangs replaces itself, and its page goes on: port and word stay.
  @Test(.wholeRuns) func aPreviewThatStartsItselfAgainKeepsItsWord() throws {
    try write("string.find((\"a\"):rep(40), (\"a?\"):rep(40) .. (\"a\"):rep(40))")
    let preview = try Preview("a.lua", ["--script-time", "0.5"], in: folder)
    _ = try preview.state { $0["status"]?.textValue == "stuck" }
    #expect(try preview.ask("GET", "").status == 200)
    // The command line, which other users can read, has neither.
    let line = FileManager.default.contents(atPath: "/proc/\(preview.running.process.processIdentifier)/cmdline")
    #expect(!String(decoding: line ?? Data(), as: UTF8.self).contains(preview.token))
  }

  /// Connections that ask for nothing do not keep the owner out.
  @Test(.wholeRuns) func idleConnections() throws {
    try write("img.open(\"photos/coffee.png\"):save(\"a.jpg\")")
    let preview = try Preview("a.lua", in: folder)
    _ = try preview.state()
    var sockets: [Int32] = []
    defer { for socket in sockets { close(socket) } }
    for number in 0..<200 {
      let socket = try preview.connect()
      sockets.append(socket)
      // Half of them have begun to ask.
      if number % 2 == 0 { send(socket, "GET / HTTP/1.1\r\nHost: x\r\n", 25, Int32(MSG_NOSIGNAL)) }
      if number % 20 == 0 { #expect(try preview.ask("GET", "state").status == 200) }
    }
    #expect(try preview.ask("GET", "state").status == 200)
    // The oldest made room for the others, and the rest ends after some seconds.
    for socket in [sockets[0], sockets[199]] {
      var polled = pollfd(fd: socket, events: Int16(POLLIN), revents: 0)
      #expect(poll(&polled, 1, Int32(15_000 * Command.patience)) == 1)
    }
    #expect(try preview.ask("GET", "state").status == 200)
  }

  /// Whatever ends a preview, its run ends, too, and leaves no temporary files.
  @Test(arguments: sampled([SIGKILL, SIGTERM])) func aRunEndsWithItsPreview(_ signal: Int32) throws {
    try write(
      "for i = 1, 2000 do img.open(\"photos/coffee.png\"):resize(3000 + i):blur(30):save(\"o/\" .. i .. \".png\") end")
    let preview = try Preview("a.lua", in: folder)
    _ = try preview.state()
    #expect(try preview.ask("POST", "run").status == 204)
    try #require(preview.running.wait { folder.exists("o") })
    let child = try #require(folder.child(of: preview.running.process.processIdentifier))
    #expect(kill(child, 0) == 0)
    preview.running.send(signal)
    #expect(preview.running.wait { kill(child, 0) != 0 || folder.isZombie(child) })
    #expect(folder.files.filter { $0.hasPrefix("o/") }.allSatisfy { !$0.contains(".imghost-") })
  }

  /// A port and a word that another user has planted are not read, and nothing is written beside them.
  @Test(.enabled(if: geteuid() == 0, "only root can give files to another user")) func plantedFiles() throws {
    try write("img.open(\"photos/coffee.png\"):save(\"a.jpg\")")
    let digest = SHA256.digest(of: Array(folder("a.lua").utf8)).description.prefix(16)
    try folder.write("imghost/preview-\(digest)", "45999 deadbeefdeadbeefdeadbeefdeadbeef\n")
    for name in ["imghost", "imghost/preview-\(digest)"] { chown(folder(name), 65_534, 65_534) }
    let preview = try Preview("a.lua", in: folder)
    #expect(preview.port != 45_999 && !preview.token.hasPrefix("deadbeef"))
    #expect(folder.files.filter { $0.hasPrefix("imghost/") }.count == 1)
  }

  @Test func aTakenPortIsNamed() throws {
    try write("img.open(\"photos/coffee.png\"):save(\"a.jpg\")")
    let preview = try Preview("a.lua", in: folder)
    let second = try folder.imghost("preview", "--no-browser", "--port", "\(preview.port)", "a.lua")
    second.expect(status: 2)
    #expect(
      second.messages == ["imghost preview: port \(preview.port) is taken; choose another with --port, or leave it out"]
    )
  }

  /// The tolerance that the documentation states: what is on screen differs from the result, made at full size and then
  /// scaled, by at most 6 of 255 levels on average.
  @Test(
    arguments: sampled([
      "sharpen{ amount = 1, sigma = 2 }", "blur(6)", "crop(100, 50, 400, 300)", "rotate(7)", "gamma(1.6)", "flip()",
      "extend{ left = 40, top = 20, background = \"red\" }", "clahe()", "normalize()", "median()", "threshold(100)",
      "text(\"Coffee\", { size = 60, margin = 30, shadow = \"black\" })",
      "draw{ circle = { 200, 150, 90 }, colour = \"red\", width = 8 }",
      "fill(300, 300):sharpen{ amount = 0.5 }", "perspective({ 20, 10, 560, 30, 580, 380, 10, 390 })",
      "modulate{ saturation = 1.4 }", "erode{ radius = 2 }", "convolve({ 0, -1, 0, -1, 5, -1, 0, -1, 0 })",
    ]))
  func whatIsShownIsCloseToTheResult(_ calls: String) throws {
    try write("img.open(\"photos/coffee.png\"):\(calls):save(\"a.png\")")
    let preview = try Preview("a.lua", in: folder)
    let state = try preview.state()
    let output = try #require(outputs(state).first, "\(state.line)")
    let key = try #require(output["key"]?.textValue)
    let answer = try preview.ask("GET", "picture/\(key)?width=150&height=150")
    try #require(answer.status == 200, "\(answer.text)")
    let shown = try Pixels(file: folder.kept(answer.body))
    #expect(try folder.imghost("run", "a.lua").status == 0)
    let script =
      "img.open(\"a.png\"):resize{ width = \(shown.width), height = \(shown.height), fit = \"fill\" }:save(\"s.png\")"
    #expect(try folder.run(script).status == 0)
    let difference = try shown.meanDifference(Pixels(file: folder("s.png")))
    #expect(difference <= 6, "\(difference) levels")
  }
}

extension Folder {
  /// The first process that another one has started; nil for none.
  fileprivate func child(of process: Int32) -> Int32? {
    let path = "/proc/\(process)/task"
    for thread in Built.files(in: path) {
      let text = (try? String(contentsOfFile: "\(path)/\(thread)/children", encoding: .utf8)) ?? ""
      if let first = text.split(separator: " ").first { return Int32(first) }
    }
    return nil
  }

  fileprivate func isZombie(_ process: Int32) -> Bool {
    let text = (try? String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8)) ?? ") Z"
    return text.contains(") Z")
  }

  /// Keeps the bytes of a picture in a file, and returns its path.
  fileprivate func kept(_ bytes: [UInt8]) throws -> String {
    let name = bytes.starts(with: [0xff, 0xd8]) ? "shown.jpg" : "shown.png"
    try write(name, bytes)
    return self(name)
  }
}

extension Pixels {
  /// Returns the mean difference of samples; 255 for another size.
  fileprivate func meanDifference(_ other: Pixels) -> Double {
    guard (width, height) == (other.width, other.height), bytes.count == other.bytes.count else { return 255 }
    let sum = zip(bytes, other.bytes).reduce(0) { $0 + abs(Int($1.0) - Int($1.1)) }
    return Double(sum) / Double(bytes.count)
  }
}
