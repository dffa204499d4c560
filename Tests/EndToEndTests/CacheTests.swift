import Foundation
import PictureTestSupport
import Testing

/// `imghost cache`.
struct CacheTests {
  @Test func showsChecksAndRemoves() throws {
    let folder = try Folder()
    let environment = ["XDG_CACHE_HOME": folder("cache")]
    func cache(_ words: String...) throws -> Outcome { try folder.imghost(["cache"] + words, environment: environment) }
    try folder.write("in.png", Pixels.waves(40, 30).png())
    try folder.write(
      "s.lua",
      "local img = require 'imghost' local p = img.open('in.png') print(p.sharpness) "
        + "p:plugin('vignette'):save('a.webp') img.book('b.pdf', p)")
    try folder.imghost(["run", "--only-changed", "--out", "o", "s.lua"], environment: environment).expect(status: 0)
    let shown = try cache("show", "--out", "o")
    shown.expect(status: 0)
    for line in ["traits of pictures: 1 file", "records of outputs: 3 files", "descriptions of plugins: "] {
      #expect(shown.output.contains(line), "\(shown)")
    }
    try cache("verify", "--out", "o").expect(status: 0)
    let stored = folder.files.filter { $0.hasPrefix("cache/") || $0.contains("/record-") || $0.contains("/pages-") }
    for name in stored {
      let bytes = folder.bytes(name)
      var changed = bytes
      changed[bytes.count / 2] ^= 1
      try folder.write(name, changed)
      let outcome = try cache("verify", "--out", "o")
      outcome.expect(status: 1)
      #expect(outcome.output.contains((name as NSString).lastPathComponent + " is damaged"), "\(name)")
      try folder.write(name, bytes)
      try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: folder(name))
    }
    // A process that was killed while it wrote leaves an incomplete file.
    try folder.write("cache/imghost/traits/.mine.abc", "")
    try cache("verify", "--out", "o").expect(status: 0)
    try folder.write("cache/imghost/traits/mine", "mine")
    try cache("clear", "--out", "o").expect(status: 0)
    #expect(folder.files.filter { $0.hasPrefix("cache/") || $0.contains(".imghost") } == [])
    #expect(folder.exists("o/a.webp") && folder.exists("o/b.pdf"))
    try cache("forget").expect(status: 2)
  }
}
