import PictureTestSupport
import TestSupport
import Testing

/// The line in a message is that of the call, also if the call is the last of a function: `return p:blur(2)`.
struct MessageLineTests {
  private static let module = """
    local img = require "imghost"
    local m = {}
    function m.small(p)
      return p:resize{ widht = 3 }
    end
    function m.open(name)
      return img.open(name, { pag = 1 })
    end
    return m
    """

  @Test(arguments: [
    ("p:sharpen(60)", "t.lua:4: sharpen"),
    ("p:fit(60, 60)\n :sharpen(60)\n :flip(1)", "t.lua:5: sharpen"),
    ("p:fit(60, 60)\n :sharpen(1)\n :flip(1)", "t.lua:6: flip"),
    ("p:save('x.jpg', { qualty = 3 })", "t.lua:4: save"), ("p:tiles('x', { size = 1 })", "t.lua:4: tiles"),
    ("p:plugin('none')", "t.lua:4: plugin"), ("p:frobnicate()", "t.lua:4: frobnicate: a picture has no 'frobnicate'"),
    ("img.open('none.png', { pag = 1 })", "t.lua:4: open"), ("img.canvas(-1, 2)", "t.lua:4: canvas"),
    ("img.text('x', { sise = 3 })", "t.lua:4: img.text"), ("img.glob('none/*')", "t.lua:4: glob"),
    ("img.list{ p }:take('x')", "t.lua:4: take"), ("img.list{ p }:map(3)", "t.lua:4: map"),
    ("img.list{ p }:save('x.jpg', { qualty = 3 })", "t.lua:4: save"),
    ("img.book('x.pdf', p, { papr = 1 })", "t.lua:4: book"),
    ("img.contact_sheet('x.pdf', p, { papr = 1 })", "t.lua:4: contact_sheet"),
    ("img.all{ p:save('x.jpg') }:on_done(3)", "t.lua:4: on_done"),
    ("require('m').small(p)", "m.lua:4: resize"), ("require('m').open('none.png')", "m.lua:7: open"),
  ]) func isThatOfTheCall(_ call: String, _ message: String) throws {
    let folder = try Folder()
    try folder.write("m.lua", Self.module)
    try folder.write(
      "t.lua",
      """
      local img = require "imghost"
      local p = img.canvas(9, 9)
      local function f()
        return \(call)
      end
      f()
      """)
    let outcome = try folder.imghost("check", "t.lua")
    #expect(outcome.status != 0 && outcome.error.contains(message), "\(outcome)")
  }
}
