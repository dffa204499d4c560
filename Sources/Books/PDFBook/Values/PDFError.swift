import ImageCore
import TextShaping

/// The reason why a book cannot be written.
package enum PDFError: Error, Sendable, Equatable {
  /// The book's file cannot be written.
  case file(FileError)
  /// A temporary file cannot be written or read. The error names the file's folder.
  case temporary(FileError)
  /// A picture's source file cannot be read.
  case source(FileError)
  /// A source file became shorter while it was copied.
  case sourceShrank(path: String)
  /// An impossible page size, in points: see `PageSize.isPossible`.
  case pageSize(width: Double, height: Double)
  /// A page as large as its picture would be too small. The values are the size of the picture in pixels, the size of
  /// the page in points, and the highest resolution that would work, if any.
  case pictureTooSmall(width: Int, height: Int, page: PageSize, dpi: Double?)
  /// Margins, borders, captions or running lines leave no room on a page. The page's size is in points.
  case noRoom(width: Double, height: Double)
  /// The cells of a grid, or the columns of masonry (which have no rows), do not fit on a page. The page's size is in
  /// points.
  case noRoomForCells(rows: Int?, columns: Int, width: Double, height: Double)
  /// A cell larger than the area between the margins, in points.
  case cellTooLarge(PageSize, room: PageSize)
  /// A number of pictures on a cover other than one, two or three.
  case coverPictures(Int)
  /// A picture for a spine whose thickness is 0.
  case noSpine
  /// A caption with a character that WinAnsiEncoding lacks.
  case captionCharacter(Character, caption: String)
  /// A caption that does not fit even in the smallest font size; `room` is the width in points.
  case captionTooLong(String, room: Double)
  /// The book needs a higher version of PDF than its options request.
  case version(wanted: String, needed: String)
  /// A page, or a picture on it, that the declared standard forbids.
  case conformance(String, page: Int, reason: String)
  /// A profile that cannot be the output intent.
  case outputIntent(String)
  case noPages
  case text(TextError)
}

extension PDFError {
  /// Whether the error concerns a picture's source file, not the book.
  package var concernsSource: Bool {
    switch self {
    case .source, .sourceShrank: true
    default: false
    }
  }
}

extension PDFError: CustomStringConvertible {
  package var description: String {
    switch self {
    case .file(let error), .source(let error), .temporary(let error): error.description
    case .sourceShrank(let path): "'\(path)' became shorter while it was copied into the book"
    case .pageSize(let width, let height):
      "a page of \(Length.text(width: width, height: height)) is not possible; "
        + "sides must be from 1.06 mm to 381 km, and one at most 4,800 times the other"
    case .pictureTooSmall(let width, let height, let page, let dpi):
      "its \(width) x \(height) pixels make a page of "
        + "\(Length.text(width: page.width, height: page.height)), and sides must be at least 1.06 mm; "
        + "give a paper such as 'a6'"
        + (dpi.map { ", or a 'dpi' of at most \(PDFNumber.text($0))" } ?? "")
    case .noRoom(let width, let height):
      "margins, border, caption, header and footer leave no room for the picture "
        + "on a page of \(Length.text(width: width, height: height))"
    case .noRoomForCells(let rows, let columns, let width, let height):
      (rows.map { Self.counted($0, "row") + " and " } ?? "") + Self.counted(columns, "column")
        + " with their gutters, borders and captions do not fit between the margins "
        + "of a page of \(Length.text(width: width, height: height))"
    case .cellTooLarge(let cell, let room):
      "'cell' is \(Length.text(width: cell.width, height: cell.height)), but the margins leave "
        + "\(Length.text(width: room.width, height: room.height))"
    case .coverPictures(let count):
      "a cover takes one picture (around it), two (front and back) or three (front, back and spine), not \(count)"
    case .noSpine:
      "a picture for the spine needs a spine; give cover_pages and paper_thickness"
    case .captionCharacter(let character, let caption):
      "the caption '\(caption)' contains '\(character)' (\(Self.codePoints(character))), "
        + "which the caption font does not have; captions are limited to Western European letters"
    case .captionTooLong(let caption, let room):
      "the caption '\(caption.prefix(40))\(caption.count > 40 ? "…" : "")' does not fit on a line of "
        + "\(PDFNumber.text(room)) points, even with a font size of \(Int(Caption.smallestSize)) points"
    case .version(let wanted, let needed):
      "'pdf_version' is \(wanted), but the book needs \(needed)"
    case .conformance(let name, let page, let reason):
      "page \(page) cannot be in a \(name) file: \(reason)"
    case .outputIntent(let text): text
    case .noPages: "the book has no pages"
    case .text(let error): error.description
    }
  }

  private static func counted(_ count: Int, _ what: String) -> String {
    "\(count) \(what)\(count == 1 ? "" : "s")"
  }

  private static func codePoints(_ character: Character) -> String {
    character.unicodeScalars.map { TextError.codePoint($0.value) }.joined(separator: " ")
  }
}
