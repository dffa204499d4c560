import ImageCore

/// Why a book cannot be written.
public enum PDFError: Error, Sendable, Equatable {
  /// The book's own file.
  case file(FileError)
  /// A picture's source file.
  case source(FileError)
  /// A source file became shorter while it was copied.
  case sourceShrank(path: String)
  /// Points; a page has sides from 3 to `PageSize.maximumSide`.
  case pageSize(width: Double, height: Double)
  /// A page as large as its picture would be too small, or has no room for it; the highest resolution that would
  /// do, where one would; pixels, points, pixels per inch.
  case pictureTooSmall(width: Int, height: Int, page: PageSize, dpi: Double?)
  /// Nothing is left of the page inside its margins and caption; points.
  case noRoom(width: Double, height: Double)
  /// The rows and columns of a grid do not fit, or the columns of masonry, which has no rows; the page in points.
  case noRoomForCells(rows: Int?, columns: Int, width: Double, height: Double)
  /// Points.
  case cellTooLarge(PageSize, room: PageSize)
  /// A cover takes one, two or three.
  case coverPictures(Int)
  /// A spine without thickness has no room for a picture.
  case noSpine
  /// A character that WinAnsiEncoding cannot express.
  case captionCharacter(Character, caption: String)
  /// Even in the smallest letters it does not fit; points.
  case captionTooLong(String, room: Double)
  /// The file has what an older version does not know.
  case version(wanted: String, needed: String)
  /// What a page has cannot be in a file that promises to keep a standard, and why.
  case conformance(String, page: Int, reason: String)
  case noPages
  case text(TextError)
}

extension PDFError {
  /// Whether it is about a picture's source file, and not about the book.
  public var isOfSource: Bool {
    switch self {
    case .source, .sourceShrank: true
    default: false
    }
  }
}

extension PDFError: CustomStringConvertible {
  public var description: String {
    switch self {
    case .file(let error), .source(let error): error.description
    case .sourceShrank(let path): "'\(path)' became shorter while it was copied into the book"
    case .pageSize(let width, let height):
      "a page of \(Length.text(width: width, height: height)) is not possible; "
        + "sides go from 1.06 mm to 381 km, and one is at most 4,800 times the other"
    case .pictureTooSmall(let width, let height, let page, let dpi):
      "its \(width) x \(height) pixels make a page of "
        + "\(Length.text(width: page.width, height: page.height)), and sides go from 1.06 mm on; "
        + "give a paper such as 'a6'"
        + (dpi.map { ", or a 'dpi' of at most \(PDFNumber.text($0))" } ?? "")
    case .noRoom(let width, let height):
      "margins and what stands beside the picture (border, caption, header, footer) leave no room for it "
        + "on a page of \(Length.text(width: width, height: height))"
    case .noRoomForCells(let rows, let columns, let width, let height):
      (rows.map { Self.counted($0, "row") + " and " } ?? "") + Self.counted(columns, "column")
        + " with their gutters, borders and captions do not fit between the margins "
        + "of a page of \(Length.text(width: width, height: height))"
    case .cellTooLarge(let cell, let room):
      "'cell' is \(Length.text(width: cell.width, height: cell.height)), but between the margins "
        + "\(Length.text(width: room.width, height: room.height)) are free"
    case .coverPictures(let count):
      "a cover takes one picture around it, or front and back, or front, back and spine, not \(count)"
    case .noSpine:
      "a picture for the spine needs a spine: give cover_pages and paper_thickness"
    case .captionCharacter(let character, let caption):
      "the caption '\(caption)' contains '\(character)' (\(Self.codePoints(character))), "
        + "which the caption font does not have; captions are limited to Western European letters"
    case .captionTooLong(let caption, let room):
      "the caption '\(caption.prefix(40))\(caption.count > 40 ? "…" : "")' does not fit on a line of "
        + "\(PDFNumber.text(room)) points, even in letters of \(Int(Caption.smallestSize)) points"
    case .version(let wanted, let needed):
      "'pdf_version' is \(wanted), but the book has what needs \(needed)"
    case .conformance(let name, let page, let reason):
      "page \(page) cannot be in a \(name) file: \(reason)"
    case .noPages: "the book has no pages"
    case .text(let error): error.description
    }
  }

  private static func counted(_ count: Int, _ what: String) -> String {
    "\(count) \(what)\(count == 1 ? "" : "s")"
  }

  private static func codePoints(_ character: Character) -> String {
    character.unicodeScalars.map { scalar in
      let digits = String(scalar.value, radix: 16, uppercase: true)
      return "U+" + String(repeating: "0", count: max(0, 4 - digits.count)) + digits
    }.joined(separator: " ")
  }
}
