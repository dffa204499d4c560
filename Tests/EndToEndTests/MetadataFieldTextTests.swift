import Foundation
import PictureTestSupport
import Testing

/// Fields of templates from EXIF, XMP and IPTC, with others where a picture lacks one.
struct MetadataFieldTextTests {
  private func photos() throws -> Folder {
    let folder = try Folder()
    let outcome = try folder.run(
      """
      local p = img.canvas(60, 40)
      p:with_metadata{ title = "A title", description = "A description", creator = "Zoë", date = "2026-07-31" }:save("both.jpg")
      p:with_metadata{ description = "Only described" }:save("described.jpg")
      p:save("neither.jpg")
      """)
    outcome.expect(status: 0)
    return folder
  }

  @Test(arguments: [
    ("{title}", "A title"), ("{description}", "A description"), ("{xmp.title}", "A title"),
    ("{xmp.dc:title}", "A title"),
    ("{xmp.creator}", "Zoë"), ("{iptc.Caption}", "A description"), ("{iptc.Caption-Abstract}", "A description"),
    ("{iptc.By-line}", "Zoë"), ("{exif.XPTitle}", "A title"), ("{xmp.photoshop:DateCreated:%d.%m.%Y}", "31.07.2026"),
    ("{xmp.DateCreated:%Y}", "2026"), ("{exif.UserComment,title}", "A title"), ("{xmp.nothing|none}", "none"),
    ("{xmp.nothing,iptc.City|}", ""), ("{title,date:%B %d, %Y}", "A title"),
    ("{xmp.no,date:%B %d, %Y}", "July 31, 2026"),
    ("{exif.Nope, stem}", "both"),
  ])
  func fields(_ template: String, _ text: String) throws {
    let folder = try photos()
    let outcome = try folder.run("img.open(\"both.jpg\"):save(\"x\(template)x.png\")")
    #expect(outcome.status == 0 && folder.exists("x\(text)x.png"), "\(outcome) \(folder.files)")
  }

  @Test func firstOfSeveral() throws {
    let folder = try photos()
    let outcome = try folder.run(
      """
      for _, p in pairs(img.glob("*.jpg")) do p:save("{stem}-{title,description|untitled}.png") end
      img.book("b.pdf", img.glob("*.jpg"), { paper = "a6", margin = "8mm", caption = "{stem}: {title,description}", verify = true })
      """)
    outcome.expect(status: 0, error: "verified")
    for name in ["both-A title", "described-Only described", "neither-untitled"] {
      #expect(folder.exists(name + ".png"))
    }
    #expect(
      outcome.messages.contains {
        $0.hasSuffix(
          "note: 1 of 3 pictures has no title or description, so texts leave it empty; "
            + "write {title,description|untitled} for a text instead: 'neither.jpg'")
      }, "\(outcome)")
  }

  @Test(arguments: [
    ("{tilte}", "unknown field '{tilte}' (did you mean '{title}'?); valid: {stem}"),
    ("{title,descripton}", "unknown field '{descripton}' (did you mean '{description}'?)"),
    ("{iptc.Captoin}", "unknown field '{iptc.Captoin}'"), ("{title:%Y}", "{title} cannot have ':%Y'; it takes nothing"),
    ("{hash,title}", "{hash} is no field of a picture and stands alone, without commas"),
  ])
  func mistakes(_ template: String, _ message: String) throws {
    let folder = try photos()
    let outcome = try folder.run("img.open(\"both.jpg\"):save(\"\(template).png\")")
    #expect(outcome.status != 0 && outcome.error.contains(message), "\(outcome)")
  }

  /// A text of a stranger stays one part of a path.
  @Test func titlesMakeNoFolders() throws {
    let folder = try Folder()
    let outcome = try folder.run(
      """
      img.canvas(6, 4):with_metadata{ title = "../../etc/passwd" }:save("a.jpg")
      """)
    outcome.expect(status: 0)
    #expect(try folder.run("img.open(\"a.jpg\"):save(\"out/{title}.png\")").status == 0)
    #expect(
      folder.exists("out/_._.._etc_passwd.png") || folder.files.contains { $0.hasPrefix("out/") }, "\(folder.files)")
  }

  @Test func missingFieldsOfNamesAreErrors() throws {
    let folder = try photos()
    let outcome = try folder.run("img.open(\"neither.jpg\"):save(\"{title,xmp.label}.png\")")
    #expect(
      outcome.error.contains(
        "the picture has no title or XMP field 'label'; {title,xmp.label|text} gives a text instead"), "\(outcome)")
  }
}
