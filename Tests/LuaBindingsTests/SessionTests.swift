import Foundation
import LuaRuntime
import Testing

@testable import LuaBindings

/// Scripts against a real run: printed lines and messages.
struct SessionTests {
  struct Case: CustomTestStringConvertible, Sendable {
    let script: String
    let printed: [String]
    let messages: [String]
    var testDescription: String { script }

    init(_ script: String, _ printed: String..., messages: [String] = []) {
      self.script = script
      self.printed = printed
      self.messages = messages
    }
  }

  static let values: [Case] = [
    Case("print(img.version)", "1.2.3"),
    Case("local s = img.settings print(s.n + 1, s.x * 2, s.on, s.text)", "5\t1.0\ttrue\ta b"),
    Case("local s = img.settings print(s.off, s.missing or 3)", "false\t3"),
    Case(
      "local p = img.canvas(30, 20) print(p.width, p.height, p.bands, p.bits, p.has_alpha)",
      "30\t20\t3\t8\tfalse"),
    Case(
      "local p = img.canvas(30, 20) print(p, p.name == '', p.dpi)",
      "picture canvas 30x20\ttrue\tnil"),
    Case("local p = img.canvas(3, 3) local t = { [p] = 1 } print(p == p, t[p])", "true\t1"),
    Case("print(img.canvas(8, 4):resize(4):flip().width)", "4"),
    Case("print(img.canvas(8, 4):crop{ 1, 1, 5, 2 }.height)", "2"),
    Case("print(img.hash_distance(('0'):rep(16), 'f00000000000000f'))", "8"),
    Case("print(img.canvas(4, 4):hash())", "0000000000000000"),
    Case("print(img.canvas(4, 4, { background = 'red' }):dominant_colours()[1].colour)", "#ff0000"),
    Case("print(#img.canvas(4, 4):placeholder())", "32"),
    Case("print(img.canvas(20, 9):extend{ top = 3, left = 5, background = 'red' }:trim().width)", "20"),
    Case("print(img.canvas(20, 9):deskew().width)", "20"),
    Case("print(img.canvas(2, 2, { background = '#808080' }):stats().mean[1])", "128.0"),
    Case("print(type(img.canvas(2, 2)), type(img.list{}))", "userdata\ttable"),
  ]

  static let lists: [Case] = [
    Case(
      "local l = img.list{ img.canvas(1, 1), img.canvas(2, 2) } print(#l, l[2].width, l[3])",
      "2\t2\tnil"),
    Case("print(img.list{ img.canvas(1, 1) })", "list of 1 pictures"),
    Case(
      "local l = img.list{ img.canvas(4, 1), img.canvas(2, 1) } "
        + "print(l:sort_by(function(p) return p.width end)[1].width)", "2"),
    Case(
      "local l = img.list{ img.canvas(4, 1), img.canvas(2, 1) } "
        + "print(#l:filter(function(p) return p.width > 2 end))", "1"),
    Case(
      "local l = img.list{ img.canvas(4, 1), img.canvas(2, 1) } "
        + "print(l:map(function(p, i) return p:extend{ left = i } end)[2].width)", "4"),
    Case("local l = img.list{ img.canvas(4, 1) } print(#(l .. l), #l:take(0))", "2\t0"),
    Case(
      "local s = img.list{ img.canvas(4, 9), img.canvas(5, 3) }:smallest_common_size() "
        + "print(s.width, s.height)", "4\t3"),
    Case("img.list{ img.canvas(1, 1) }:each(function(p, i) print(i, p.width) end)", "1\t1"),
    Case(
      "for i, p in ipairs(img.list{ img.canvas(1, 1), img.canvas(2, 2) }) do print(i, p.width) end",
      "1\t1", "2\t2"),
  ]

  static let jobs: [Case] = [
    Case(
      "local r = img.canvas(2, 2):save('a.png'):await() print(r.ok, r.written, #r.files, #r.errors)",
      "true\t1\t1\t0"),
    Case("local j = img.canvas(2, 2):save('a.png') j:await() print(j.state)", "finished"),
    Case(
      "img.canvas(2, 2):save('a.png'):on_done(function(r) print('done', r.written) end) print('end')",
      "end", "done\t1"),
    Case(
      "local j = img.canvas(2, 2):save('a.png') j:await() j:on_done(function(r) print(r.ok) end)",
      "true"),
    Case(
      "local j = img.canvas(2, 2):save('a.png') j:cancel() local r = j:await() print(r.cancelled, r.reason)",
      "true\tthe script cancelled it at t.lua:2"),
    Case(
      "local a, b = img.canvas(2, 2):save('a.png'), img.canvas(3, 3):save('b.png') "
        + "local r = img.all{ a, b }:await() print(r.ok, #r.results)", "true\t2"),
    Case(
      "local a = img.canvas(2, 2):save('a.png') local r, w = img.race{ a }:await() print(r.ok, w == a)",
      "true\ttrue"),
    Case("print(img.qos('background', function() return 1, 2 end))", "1\t2"),
    Case(
      "local r = img.list{ img.canvas(1, 1), img.canvas(2, 2) }:save('{index}.png'):await() print(r.written)",
      "2"),
    Case(
      "local a = img.canvas(2, 2):save('a.png') "
        + "print(img.canvas(2, 2):save('b.png', { after = a }):await().ok, a.state)",
      "true\tfinished"),
  ]

  static let mistakes: [Case] = [
    Case(
      "img.canvas(2, 2):resze(3) print('on')", "on",
      messages: ["t.lua:2: resze: a picture has no 'resze' (did you mean 'resize'?)"]),
    Case(
      "img.canvas(0, 2) img.open()",
      messages: [
        "t.lua:2: canvas: 'width' is 0; it takes a whole number from 1 to 1000000",
        "t.lua:2: open takes a path, not nil",
      ]),
    Case(
      "print(img.canvas(2, 2)[1])", "nil",
      messages: ["t.lua:2: a picture is not a list and has no [1]"]),
    Case(
      "img.list{}:fit(3)",
      messages: [
        "t.lua:2: a list has no 'fit'; call it on each picture: list:map(function(p) return p:fit(…) end)"
      ]),
    Case(
      "img.qos('fast', function() end)",
      messages: [
        "t.lua:2: qos takes a service class first; valid: background, utility, default, "
          + "user-initiated, user-interactive"
      ]),
    Case(
      "img.canvas(2, 2):save()",
      messages: [
        "t.lua:2: save takes a path first: picture:save(\"web/{stem}.jpg\", { quality = 85 })"
      ]),
    Case(
      "img.canvas(2, 2):save('a.png'):on_done(1)",
      messages: ["t.lua:2: on_done takes a function: job:on_done(function(result) … end)"]),
    Case(
      "print('a' .. img.settings.dir)",
      messages: [
        "t.lua:2: attempt to concatenate a nil value (field 'dir'); setting 'dir' is not set; " + "add --set dir=VALUE"
      ]),
    Case(
      "io.open('x')",
      messages: [
        "t.lua:2: attempt to index a nil value (global 'io'); scripts run in a sandbox without io: "
          + "img.open and img.glob read pictures, save and book write files, print writes text, "
          + "require reads data from a Lua file beside the script"
      ]),
    Case(
      "img.settings.x = 1", messages: ["t.lua:2: settings come from --set and cannot be changed"]),
    Case(
      "img.canvas(1, 1).width = 1",
      messages: ["t.lua:2: a picture cannot be changed; 'width' was assigned to it"]),
    Case("img.race{}", messages: ["t.lua:2: race takes at least one job"]),
    Case("img.all(1)", messages: ["t.lua:2: all takes a list of jobs: img.all{ a, b }"]),
    Case("img.list{ 1 }", messages: ["t.lua:2: list takes pictures; item 1 is a number"]),
    Case(
      "img.canvas(2, 2):plugin()",
      messages: ["t.lua:2: plugin takes a name first: picture:plugin(\"vignette\", { … })"]),
    Case(
      "img.canvas(2, 2):plugin('natve')",
      messages: [
        "t.lua:2: plugin: unknown plugin 'natve' (did you mean 'native'?); found: native"
      ]),
    Case("error('why')", messages: ["t.lua:2: why"]),
    Case(
      "x = = 1",
      messages: ["t.lua:2: the script is not valid Lua: unexpected symbol near '='"]),
  ]

  @Test(arguments: values + lists + jobs + mistakes)
  func scripts(_ row: Case) throws {
    let session = try TestSession(settings: ["n": "4", "x": "0.5", "on": "true", "off": "false", "text": "a b"])
    #expect(session.execute(row.script) == row.messages)
    #expect(session.printed == row.printed)
  }

  @Test func unusedSettings() throws {
    let session = try TestSession(settings: ["a": "1", "b": "2"])
    session.execute("print(img.settings.a)")
    #expect(session.session.unusedSettings == ["b"])
  }

  @Test func globFindsFilesInOrder() throws {
    let session = try TestSession()
    for name in ["10.png", "2.png"] { try Data().write(to: URL(fileURLWithPath: session.folder + "/" + name)) }
    let messages = session.execute("for _, p in ipairs(img.glob('\(session.folder)/*.png')) do print(p.name) end")
    #expect(session.printed == ["2.png", "10.png"])
    #expect(messages == [])
  }

  @Test func emptyGlobIsNoted() throws {
    let session = try TestSession()
    let messages = session.execute("print(#img.glob('\(session.folder)/*.jpg'))")
    #expect(session.printed == ["0"])
    #expect(messages == ["t.lua:2: glob: '*.jpg' matches no file"])
  }

  @Test func dryRunWritesNothing() throws {
    let session = try TestSession(isDryRun: true)
    session.execute("print(img.canvas(2, 2):save('a.png').state)")
    #expect(!FileManager.default.fileExists(atPath: session.folder + "/a.png"))
    #expect(session.printed.count == 1)
  }
}
