import Foundation
import ImageCore
import TestSupport
import Testing

/// `{hash}` in the names of outputs: digits of the digest of the written bytes.
struct HashedNameTests {
  private static func digest(_ folder: Folder, _ name: String) -> String {
    SHA256.digest(of: folder.bytes(name)).description
  }

  private static func name(_ path: String) -> String { (path as NSString).lastPathComponent }

  @Test func filesAreNamedAfterTheirBytes() throws {
    let folder = try Folder()
    let outcome = try folder.run(
      """
      local photos = img.glob(arg[1] .. "/*.jpg"):take(3)
      photos:map(function(p) return p:fit(60, 60) end):save("web/{stem}-{hash:8}.jpg")
      photos:take(1):save("whole/{hash}.jpg")
      img.open(arg[1] .. "/rocket.jpg"):fit(40, 40):save("goal-{hash:12}.webp", { max_bytes = "2k" })
      """, arguments: [Built.photos])
    outcome.expect(status: 0)
    let files = folder.files.filter { $0 != "t.lua" }
    #expect(files.count == 5 && folder.temporaries == [], "\(files)")
    for file in files {
      let digits = Self.name(file).split { $0 == "-" || $0 == "." }.dropLast().last.map(String.init) ?? ""
      let count = file.hasPrefix("web/") ? 8 : file.hasPrefix("whole/") ? 64 : 12
      #expect(digits == Self.digest(folder, file).prefix(count), "\(file)")
    }
  }

  /// The script, events and the plan see the name that is known at the time.
  @Test func everybodySeesTheName() throws {
    let folder = try Folder()
    let script = """
      local job = img.canvas(4, 4):save("a-{hash:8}.png")
      job:on_done(function(result) print("done " .. result.files[1]) end)
      print(job:await().files[1])
      img.open(job:await().files[1]):fit(2, 2):save("b.png")
      """
    let dry = try folder.run("img.canvas(4, 4):save(\"a-{hash:8}.png\")", "--dry-run")
    #expect(dry.output.contains("a-{hash:8}.png") && folder.files == ["t.lua"], "\(dry)")
    let run = try folder.run(script, "--json")
    let made = folder.files.first { $0.hasPrefix("a-") } ?? "none"
    let wrote = run.outputLines.filter { $0.contains("\"wrote\"") }
    #expect(run.status == 0 && wrote.count == 2 && wrote[0].contains("\"path\":\"\(made)\""), "\(run)")
    #expect(run.outputLines.filter { $0.contains("\"print\"") && $0.contains(made) }.count == 2, "\(run)")
  }

  /// Equal files share their name; different ones never do.
  @Test func equalFilesAreOne() throws {
    let folder = try Folder()
    let outcome = try folder.run(
      """
      local a, b = img.canvas(3, 3), img.canvas(3, 3, { background = "red" })
      img.list{ a, b, a }:save("{hash}.png")
      a:fit(3, 3):save("{hash}.png")
      """)
    #expect(outcome.status == 0 && folder.files.count == 3, "\(outcome)")
    let few = try Folder()
    let clash = try few.run(
      """
      local all = {}
      for i = 1, 40 do all[i] = img.canvas(i, 3) end
      img.list(all):save("{hash:1}.png")
      """, "--on-error", "continue")
    clash.expect(status: 1)
    #expect(clash.error.contains("another output has this name; use more digits of {hash}"), "\(clash)")
    #expect(few.files.allSatisfy { $0 == "t.lua" || $0.first == Self.digest(few, $0).first })
  }

  @Test func booksAndPages() throws {
    let folder = try Folder()
    let outcome = try folder.run(
      """
      local photos = img.glob(arg[1] .. "/*.jpg"):take(2):map(function(p) return p:fit(60, 60) end)
      local book = img.book("book-{hash:8}.pdf", photos, { verify = true })
      photos:multipage("m-{hash:8}.tif")
      print(book:await().path, img.verify(book:await().path).ok)
      """, arguments: [Built.photos])
    outcome.expect(status: 0)
    for ending in ["pdf", "tif"] {
      let file = folder.files.first { $0.hasSuffix(ending) } ?? "none"
      #expect(file.contains("-" + Self.digest(folder, file).prefix(8) + "."), "\(folder.files)")
      if ending == "pdf" { #expect(outcome.output == file + "\ttrue\n", "\(outcome)") }
    }
  }

  @Test(arguments: [
    (
      "img.canvas(2, 2):save('{hash}/a.png')",
      "'{hash}/a.png': {hash} is known when the file is complete, and names no "
        + "folder; move it behind the last '/'"
    ),
    (
      "img.canvas(2, 2):save('{hash:0}.png')",
      "'{hash:0}.png': {hash} cannot have ':0'; it takes a number of digits "
        + "from 1 to 64: {hash:8}"
    ),
    ("img.canvas(2, 2):save('{hash:65}.png')", "{hash} cannot have ':65'"),
    ("img.canvas(2, 2):save('{hsh}.png')", "unknown field '{hsh}' (did you mean '{hash}'?)"),
    ("img.canvas(2, 2):tiles('{hash}')", "{hash} is for the names of files, and tiles are a folder of many"),
    ("img.book('{hash}/a.pdf', { img.canvas(2, 2) })", "names no folder"),
    ("img.book('a.pdf', { img.canvas(2, 2) }, { caption = '{hash}' })", "{hash} is for the names of files"),
    (
      "img.book('a-{hash}.pdf', { img.canvas(80, 80) }):await() img.verify('a-{hash}.pdf')",
      "'a-{hash}.pdf' gets its name when it is complete; verify job:await().path, or give the book verify = true"
    ),
  ])
  func mistakes(_ script: String, _ message: String) throws {
    let outcome = try Folder().run(script)
    outcome.expect(status: 3, error: message)
  }

  /// A picture that the run reads is not replaced, whatever its digest.
  @Test func sourcesStay() throws {
    let folder = try Folder()
    #expect(try folder.run("img.canvas(2, 2):save('{hash}.png')").status == 0)
    let outcome = try folder.run("img.glob('*.png'):save('{hash}.png')")
    outcome.expect(status: 1, error: "overwrite a picture that the script reads")
  }

  @Test(.wholeRuns) func shardsMakeTheSameFiles() throws {
    let folder = try Folder()
    try folder.write(
      "s.lua",
      """
      local img = require "imghost"
      local small = img.glob(arg[1] .. "/*.jpg"):map(function(p) return p:fit(50, 50) end)
      local job = small:save("{hash:10}.jpg")
      img.book("b-{hash:10}.pdf", small)
      img.book("b-{hash:10}.pdf", small:map(function(p) return p:flip() end))
      small:take(2):multipage("m-{hash:10}.tif")
      job:on_done(function(result) print(#result.files, result.files[1]) end)
      """)
    let whole = try folder.imghost("run", "--out", "whole", "s.lua", Built.photos)
    whole.expect(status: 0)
    for shard in 0..<3 {
      let outcome = try folder.imghost("run", "--shard", "\(shard)/3", "--out", "parts", "s.lua", Built.photos)
      outcome.expect(status: 0)
    }
    let merge = try folder.imghost("merge", "--out", "parts", "s.lua", Built.photos)
    merge.expect(status: 0)
    let (meant, made) = (folder.files.filter { $0.hasPrefix("whole/") }, folder.files.filter { $0.hasPrefix("parts/") })
    #expect(made.map(Self.name) == meant.map(Self.name))
    #expect(merge.output.replacingOccurrences(of: "parts/", with: "whole/") == whole.output)
  }
}
