import Foundation
import TestSupport
import Testing

/// Dates of pictures: sorted, grouped, and written in names.
struct DateTests {
  /// Pictures in two folders with dates; `c` has none, `d` was taken first by the clock of the world.
  private func photos() throws -> Folder {
    let folder = try Folder()
    let outcome = try folder.run(
      """
      local function make(path, date)
        local p = img.canvas(20, 10)
        if date then p = p:with_metadata{ date = date } end
        p:save("photos/" .. path .. ".jpg")
      end
      make("one/a", "2026-08-01T00:30:00+02:00")
      make("one/b", "2026-07-30 10:00:00")
      make("one/c")
      make("two/d", "2026-07-29T23:00:00-11:00")
      make("two/e", "2026-07-31 23:00:00")
      """)
    outcome.expect(status: 0)
    return folder
  }

  @Test func picturesAreSortedByTheirDates() throws {
    let folder = try photos()
    let outcome = try folder.run(
      """
      local function names(list)
        local all = {}
        for i, p in pairs(list) do all[i] = p.stem end
        return table.concat(all)
      end
      local all = img.glob("photos/*/*.jpg")
      print(names(all:sort_by("date")), names(all:sort_by(function(p) return p.stem == "c" and 0 or 1 end)))
      for _, by in ipairs{ "day", "month", "folder", function(p) return p.stem < "c" and 1 or "rest" end } do
        local line = {}
        for _, group in ipairs(all:sort_by("date"):group_by(by)) do
          line[#line + 1] = group.name .. "=" .. names(group.pictures)
        end
        print(table.concat(line, " "))
      end
      all[1]:save("{exif.DateTimeOriginal:%Y-%m-%d %z}.jpg")
      """)
    outcome.expect(status: 0)
    #expect(
      outcome.outputLines == [
        "bdaec\tcabde", "2026-07-30=b 2026-07-29=d 2026-08-01=a 2026-07-31=e undated=c",
        "2026-07=bde 2026-08=a undated=c", "one=bac two=de", "1=ba rest=dec",
      ], "\(outcome)")
    #expect(folder.exists("2026-08-01 +0200.jpg"))
  }

  /// One note for each call that the date decides.
  @Test func undatedPicturesAreNoted() throws {
    let folder = try photos()
    let outcome = try folder.run(
      """
      local all = img.glob("photos/*/*.jpg"):sort_by("date")
      all:group_by("month") all:group_by("folder") all:sort_by(function(p) return p.stem end)
      img.glob("photos/one/c.jpg"):group_by("day") img.glob("photos/two/*.jpg"):sort_by("date")
      """)
    #expect(
      outcome.messages.filter { $0.contains("note: ") } == [
        "t.lua:2: sort_by: note: 1 of 5 pictures has no date and comes last: c.jpg",
        "t.lua:3: group_by: note: 1 of 5 pictures has no date and is in the group 'undated': c.jpg",
        "t.lua:4: group_by: note: 1 of 1 picture has no date and is in the group 'undated': c.jpg",
      ], "\(outcome)")
  }

  @Test func wrongKeysAreMistakes() throws {
    let folder = try photos()
    for (call, message) in [
      ("sort_by('size')", "sort_by takes \"date\" or a function, not \"size\""),
      ("group_by('year')", "group_by takes \"day\", \"month\", \"folder\" or a function, not \"year\""),
      ("group_by(function(p) return {} end)", "the function given to group_by must return a string or a number"),
    ] {
      let outcome = try folder.run("img.glob('photos/*/*.jpg'):\(call)")
      #expect(outcome.status != 0 && outcome.messages.contains { $0.contains(message) }, "\(call): \(outcome)")
    }
    let outcome = try folder.run("img.locale('xx_XX') img.canvas(4, 4):save('a.png')")
    #expect(outcome.messages.contains { $0.contains("the locale 'xx_XX' is not installed") }, "\(outcome)")
  }

  /// The test makes the locale, because few machines have it.
  @Test(.wholeRuns) func namesHaveTheScriptsLanguage() throws {
    let folder = try photos()
    let made = try #require(
      try SecondOpinions.run("localedef", ["-i", "de_DE", "-f", "UTF-8", folder("de_DE.UTF-8")]))
    #expect(made.status == 0, "\(made)")
    let outcome = try folder.run(
      "img.locale('de') img.open('photos/one/a.jpg'):save('{exif.DateTimeOriginal:%A %-d. %B %Y}.jpg')",
      environment: ["LOCPATH": folder.path])
    #expect(outcome.status == 0 && folder.exists("Samstag 1. August 2026.jpg"), "\(outcome)")
  }
}
