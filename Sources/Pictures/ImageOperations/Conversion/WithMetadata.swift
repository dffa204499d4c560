import ImageCore
import ImageMetadata

/// Changes a picture's metadata, but not its pixels.
package struct WithMetadata: DescribedOperation {
  private let edit: MetadataEdit

  package static let descriptor = OperationDescriptor(
    name: "with_metadata", family: "conversion",
    summary: "Set copyright, creator and other fields, each in EXIF, XMP and IPTC",
    parameters: [
      ParameterDescriptor("copyright", .text, help: "copyright notice", synonyms: ["rights"]),
      ParameterDescriptor(
        "creator", .textList, help: "name of the photographer, or several names",
        synonyms: ["artist", "author", "by", "photographer"]),
      ParameterDescriptor("title", .text, help: "short name of the picture", synonyms: ["name", "headline"]),
      ParameterDescriptor(
        "description", .text, help: "what the picture shows", synonyms: ["caption", "comment"]),
      ParameterDescriptor("keywords", .textList, help: "words to find it by", synonyms: ["tags", "subject"]),
      ParameterDescriptor(
        "date", .text, help: "when the picture was taken, such as '2026-07-31 18:05:09' or '2026-07-31T18:05:09+02:00'",
        synonyms: ["created", "time"]),
      ParameterDescriptor(
        "gps", .boolean, default: .boolean(true), help: "whether the place is kept", synonyms: ["place", "location"]),
    ])

  package init(_ arguments: Arguments) throws(OperationError) {
    var edit = MetadataEdit()
    edit.copyright = arguments.optionalText("copyright")
    edit.creator = arguments.has("creator") ? arguments.texts("creator").inOrder : nil
    edit.title = arguments.optionalText("title")
    edit.description = arguments.optionalText("description")
    edit.keywords = arguments.has("keywords") ? arguments.texts("keywords").inOrder : nil
    edit.removesPlace = !arguments.boolean("gps")
    if let text = arguments.optionalText("date") {
      guard let date = MetadataDate(text) else {
        throw .unsuitable("'\(text)' is not a date; write '2026-07-31' or '2026-07-31 18:05:09'")
      }
      edit.date = date
    }
    for text in [edit.copyright, edit.title, edit.description].compactMap(\.self)
      + [edit.creator, edit.keywords].compactMap(\.self).joined()
    where text.utf8.contains(where: { $0 < 0x20 && $0 != 9 && $0 != 10 }) {
      throw .unsuitable("'\(text)' has a control character, which XMP cannot hold")
    }
    self.edit = edit
  }

  /// `upright` tells the pipeline that pixels do not move, so the operation does not prevent shrink-on-load.
  package var turning: Orientation? { .upright }

  package var acceptsCMYK: Bool { true }

  package var changesOnlyMetadata: Bool { true }

  package func outputMetadata(_ metadata: PictureMetadata) -> PictureMetadata { edit.applied(to: metadata) }

  package func workingByteCount(for inputs: [PictureLayout]) -> Int { 0 }

  package func open(_ inputs: [any RowSource], nominal: [PictureLayout], context: OperationContext)
    throws(PictureError) -> any RowSource
  {
    inputs[0]
  }
}
