import Foundation
import TestSupport
import Testing

/// Books of groups of pictures.
struct BookSectionTests {
  /// Nine pictures of three days.
  private func photos() throws -> Folder {
    let folder = try Folder()
    let outcome = try folder.run(
      """
      for i = 1, 9 do
        local day = i < 4 and "01" or i < 6 and "02" or "05"
        img.canvas(90, 60):with_metadata{ date = "2026-07-" .. day .. " 10:0" .. i .. ":00" }:save("p" .. i .. ".jpg")
      end
      """)
    outcome.expect(status: 0)
    return folder
  }

  private func texts(_ path: String) throws -> [String] {
    let outcome = try #require(try SecondOpinions.run("pdftotext", ["-layout", path, "-"]))
    return outcome.text.split(separator: "\u{c}").map {
      $0.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    }.filter { !$0.isEmpty }
  }

  private func outline(_ path: String) throws -> [String] {
    let outcome = try #require(try SecondOpinions.run("mutool", ["show", path, "outline"]))
    return outcome.text.split(separator: "\n").map { line in
      line.replacingOccurrences(of: "\t", with: " ").replacingOccurrences(of: "&view=Fit", with: "")
    }
  }

  @Test func groupsHaveAHeadingAPageAndAnEntry() throws {
    let folder = try photos()
    let outcome = try folder.run(
      """
      img.book("a.pdf", img.glob("p?.jpg"):group_by("day"), { paper = "a5", margin = "12mm", layout = "grid",
        columns = 1, rows = 2, header = "{section}: {stem}", caption = "{stem}", page_number = "{page}",
        section = { heading = "Day {section}", heading_size = 20 }, balance = false, verify = true })
      """)
    outcome.expect(status: 0)
    #expect(
      try texts(folder("a.pdf")) == [
        "Day 2026-07-01 p1 p2 1", "2026-07-01: p3 p3 2", "Day 2026-07-02 p4 p5 3", "Day 2026-07-05 p6 p7 4",
        "2026-07-05: p8 p8 p9 5",
      ])
    #expect(
      try outline(folder("a.pdf")) == [
        "| \"2026-07-01\" #page=1", "| \"2026-07-02\" #page=3", "| \"2026-07-05\" #page=4",
      ])
    try SecondOpinions.expectNoComplaint(folder("a.pdf"))
  }

  @Test(arguments: sampled(["single", "grid", "justified", "masonry", "spread", "auto"])) func everyLayoutBreaks(
    _ layout: String
  ) throws {
    let folder = try photos()
    let outcome = try folder.run(
      """
      local groups = { { name = "One", pictures = img.glob("p[1-2].jpg") }, { name = "None", pictures = {} },
        { name = "Two", pictures = { img.open("p3.jpg") } } }
      img.book("a.pdf", groups, { paper = "a6", margin = "10mm", layout = "\(layout)", outline = "{stem}",
        section = "{section}", verify = true })
      """)
    outcome.expect(status: 0)
    let texts = try texts(folder("a.pdf"))
    #expect(texts.filter { $0 == "One" }.count == 1 && texts.filter { $0 == "Two" }.count == 1, "\(texts)")
    let titles = try outline(folder("a.pdf")).map { $0.split(separator: "\"")[1] }
    #expect(titles == ["One", "p1", "p2", "Two", "p3"])
  }

  @Test func groupsMayFollowEachOther() throws {
    let folder = try photos()
    let outcome = try folder.run(
      """
      img.book("a.pdf", img.glob("p?.jpg"):group_by("day"), { paper = "a5", layout = "grid", columns = 3, rows = 3,
        section = { page_break = false } })
      """)
    outcome.expect(status: 0)
    #expect(try outline(folder("a.pdf")).map { $0.suffix(7) } == ["#page=1", "#page=1", "#page=1"])
  }

  /// A picture that cannot be read takes no heading with it.
  @Test func aLostFirstPictureKeepsTheHeading() throws {
    let folder = try photos()
    try folder.write("p4.jpg", "no picture")
    let outcome = try folder.run(
      """
      local groups = { { name = "One", pictures = { img.open("p1.jpg") } },
        { name = "Two", pictures = { img.open("p4.jpg"), img.open("p5.jpg") } } }
      img.book("a.pdf", groups, { paper = "a6", margin = "10mm", section = { heading = "{section}" } })
      """, "--on-error", "continue")
    #expect(outcome.signal == nil, "\(outcome)")
    #expect(try texts(folder("a.pdf")) == ["One", "Two"])
  }

  @Test(arguments: [
    ("photos, { section = { heading = 'x' } }", "'section_heading' needs groups of pictures"),
    ("photos, { header = '{section}' }", "{section} is for books of groups"),
    ("{ { name = 'a', pictures = photos }, 7 }, {}", "item 2 is a number"),
    (
      "photos:group_by('day'), { layout = 'grid', section = { heading = 'x', page_break = false } }",
      "'section_heading' stands at the top of a page"
    ),
    ("photos:group_by('day'), { section = { size = 3 } }", "unknown option 'section_size'"),
    ("photos:group_by('day'), { section = true }", "'section_heading' takes text such as '{section}'"),
  ])
  func wrongSectionsAreMistakes(_ call: String, _ words: String) throws {
    let folder = try photos()
    let outcome = try folder.run("local photos = img.glob('p?.jpg') img.book('a.pdf', \(call))")
    #expect(outcome.status != 0 && outcome.messages.contains { $0.contains(words) }, "\(outcome)")
  }
}
