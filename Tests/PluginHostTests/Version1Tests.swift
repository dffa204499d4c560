import Foundation
import ImageCore
import PluginHost
import Testing

extension PluginHostTests {
  /// A binary that was built with the first version 1 of `imghost_plugin.h`, and never rebuilt.
  @Suite struct Version1Tests {
    #if os(Linux) && arch(x86_64)
      private static let suits = true
    #else
      private static let suits = false
    #endif

    @Test(.enabled(if: suits, "the binary is for Linux on x86-64"))
    func theFirstBinaryStillRuns() throws {
      let folder = Built.newFolder()
      try FileManager.default.copyItem(
        atPath: Built.fixtures + "/version1/libmirrorPlugin.so",
        toPath: folder + "/libmirrorPlugin.so")
      let mirror = try #require(host(folder).definition(named: "mirror"))
      #expect(
        mirror.descriptor.parameters.map(\.name) == ["axis", "gain", "refuse"])
      let picture = Picture(23, 11, .rgb8) { x, y, band in x * 3 + y * 5 + band }
      #expect(
        try mirror.run(picture)
          == Picture(23, 11, .rgb8) { x, y, band in picture[22 - x, y, band] })
      #expect(
        try mirror.run(picture, [("axis", .text("down")), ("gain", .number(2))])
          == Picture(23, 11, .rgb8) { x, y, band in min(picture[x, 10 - y, band] * 2, 255) })
      let error = #expect(throws: PictureError.self) {
        try mirror.run(picture, [("refuse", .text("is tired"))])
      }
      #expect(error?.description == "plugin 'mirror' is tired")
    }
  }
}
