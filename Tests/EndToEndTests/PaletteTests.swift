import Foundation
import ImageCore
import PictureTestSupport
import Testing

/// `palette = N` of PNG.
struct PaletteTests {
  @Test func reducesWithTheSameBytesForAnyNumberOfWorkers() throws {
    var files: [[UInt8]] = []
    for jobs in [1, 2, 8] {
      let folder = try Folder()
      try folder.write(
        "t.lua",
        """
        local img = require "imghost"
        local p = img.open(arg[1]):resize(300)
        p:save("256.png", { palette = 256 })
        p:save("2.png", { palette = 2 })
        p:save("off.png", { palette = false })
        p:save("plain.png")
        """)
      let outcome = try folder.imghost(
        ["run", "--jobs", "\(jobs)", "t.lua", Built.photos + "/coffee.png"], seconds: 60)
      outcome.expect(status: 0)
      #expect(folder.bytes("off.png") == folder.bytes("plain.png"))
      #expect(folder.bytes("256.png").count < folder.bytes("plain.png").count)
      files.append(folder.bytes("256.png") + folder.bytes("2.png"))
      let before = try Pixels(file: folder("plain.png"))
      let after = try Pixels(file: folder("256.png"))
      #expect(before.layout == after.layout)
      #expect(zip(before.bytes, after.bytes).allSatisfy { abs(Int($0) - Int($1)) < 100 })
    }
    #expect(files[0] == files[1] && files[0] == files[2])
  }

  @Test func refusesOtherNumbers() throws {
    let folder = try Folder()
    try folder.write("t.lua", "require('imghost').open(arg[1]):save('x.png', { palette = 257 })")
    let outcome = try folder.imghost(["run", "t.lua", Built.photos + "/coffee.png"], seconds: 60)
    #expect(outcome.status != 0)
    #expect("\(outcome)".contains("'palette' is 257; it takes true, false or a whole number from 2 to 256"))
  }
}
