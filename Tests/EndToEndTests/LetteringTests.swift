import Testing

/// Texts and shapes on pictures, through the program.
struct LetteringTests {
  /// A mark changes the lower right corner of a photograph and nothing else, whatever the number of workers.
  @Test func markOnAPhotograph() throws {
    let folder = try Folder()
    let photo = Built.photos + "/rocket.jpg"
    let script = """
      local photo = img.open("\(photo)")
      local marked = photo:text{ "© {exif.Artist|Zoë}", size = "6%", position = "right bottom", margin = 10, shadow = "black" }
      photo:save("plain.png")
      marked:save("marked.png")
      local corner = { photo.width - 200, photo.height - 80, 200, 80 }
      photo:crop(table.unpack(corner)):save("plain-corner.png")
      marked:crop(table.unpack(corner)):save("marked-corner.png")
      marked:crop(0, 0, photo.width, photo.height - 80):save("marked-rest.png")
      photo:crop(0, 0, photo.width, photo.height - 80):save("plain-rest.png")
      """
    let outcome = try folder.run(script)
    outcome.expect(status: 0)
    #expect(folder.bytes("plain-rest.png") == folder.bytes("marked-rest.png"))
    #expect(folder.bytes("plain-corner.png") != folder.bytes("marked-corner.png"))
    let first = folder.bytes("marked.png")
    #expect(!first.isEmpty)
    #expect(try folder.run(script, "--jobs", "1").status == 0)
    #expect(folder.bytes("marked.png") == first)
  }

  @Test func fieldsAreThoseOfEachPicture() throws {
    let folder = try Folder()
    let outcome = try folder.run(
      """
      for _, name in ipairs{ "one", "two" } do img.canvas(160, 60):save(name .. ".png"):await() end
      img.glob("*.png"):map(function(p) return p:text{ "{stem}", colour = "black", size = 30 } end):save("out/{stem}.png")
      img.canvas(160, 60):text{ "one", colour = "black", size = 30 }:save("expected/one.png")
      img.canvas(160, 60):text{ "two", colour = "black", size = 30 }:save("expected/two.png")
      """)
    outcome.expect(status: 0)
    for name in ["one", "two"] {
      #expect(folder.bytes("out/\(name).png") == folder.bytes("expected/\(name).png"), "\(name)")
    }
  }

  @Test func missingFieldsAndLettersAreNotedOnce() throws {
    let folder = try Folder()
    let outcome = try folder.run(
      """
      for _, name in ipairs{ "a", "b", "c", "d", "e" } do img.canvas(90, 60):save(name .. ".png"):await() end
      img.glob("?.png"):map(function(p) return p:text{ "x\\u{e123} {exif.Artist}" } end):save("out/{stem}.jpg")
      """)
    outcome.expect(status: 0)
    let notes = outcome.messages.filter { $0.contains("note:") }
    #expect(notes.count == 2, "\(outcome)")
    #expect(notes.contains { $0.contains("no EXIF field 'Artist'") && $0.contains("a.png, b.png, c.png and 2 more") })
    #expect(notes.contains { $0.contains("U+E123") && $0.contains("a.png, b.png, c.png and 2 more") })
  }

  /// A text that is placed where it does not fit is cut on purpose.
  @Test func textsThatAreTooLargeAreNoted() throws {
    let folder = try Folder()
    let outcome = try folder.run(
      """
      local p = img.canvas(90, 60)
      p:save("a.png"):await()
      img.open("a.png"):text{ "Wide", size = 90 }:save("b.png")
      img.open("a.png"):text{ "Wide", size = 90, left = 0, top = 0 }:save("c.png")
      img.open("a.png"):text{ "ok", size = 20 }:save("d.png")
      """)
    outcome.expect(status: 0)
    #expect(
      outcome.messages == ["text: note: the text is larger than the picture; a part of it is cut off: a.png"],
      "\(outcome)")
  }

  @Test func pictureOfAText() throws {
    let folder = try Folder()
    let outcome = try folder.run(
      """
      local mark = img.text{ "Mark\\u{e123}", size = 40, colour = "red" }
      print(mark.width > 60 and mark.width < 160, mark.height > 30 and mark.height < 80, mark.format, mark.bands)
      mark:save("mark.png")
      for i = 1, 3 do img.canvas(200, 100):composite{ over = mark, gravity = "top" }:save(i .. ".png") end
      """)
    outcome.expect(status: 0)
    #expect(outcome.output.hasPrefix("true\ttrue\t"), "\(outcome)")
    #expect(outcome.messages.count { $0.contains("U+E123") } == 1, "\(outcome)")
    #expect(outcome.messages.contains { $0.hasSuffix("(U+E123); it is left out") }, "\(outcome)")
  }

  /// Mistakes are found before anything is written, with the line of the script.
  @Test func mistakesHaveTheirLine() throws {
    let folder = try Folder()
    let outcome = try folder.run(
      """
      local photo = img.open("\(Built.photos)/rocket.jpg")
      photo:text{ "{stemm}" }:save("a.jpg")
      photo:text{ "{index}" }:save("b.jpg")
      photo:text{ "a", font = "No Such Family" }:save("c.jpg")
      photo:text{ "a", fontsize = 12 }:save("d.jpg")
      photo:draw{ rectangle = { 1, 2, 3, 4 } }:save("e.jpg")
      img.text{ "a", size = "5%" }:save("f.png")
      """)
    #expect(outcome.status != 0)
    for (line, words) in [
      (3, "did you mean '{stem}'"), (4, "has no {index}"), (5, "'No Such Family' is not installed"),
      (6, "did you mean 'size'"), (7, "did you mean 'box'"), (8, "'size'"),
    ] {
      #expect(outcome.messages.contains { $0.contains(".lua:\(line):") && $0.contains(words) }, "\(line): \(outcome)")
    }
    #expect(!folder.exists("a.jpg"))
  }
}
