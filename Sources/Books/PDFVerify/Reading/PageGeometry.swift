import BookExpectations

/// The boxes of a page (PDF 32000-1:2008, 14.11.2), in its own units.
struct PageGeometry: Sendable {
  let media: PageBox
  /// The visible part: the CropBox, limited to the MediaBox; the whole MediaBox if there is no CropBox.
  let visible: PageBox
  /// The finished page: the TrimBox, or the visible part if there is none.
  let trim: PageBox
  /// The TrimBox and the BleedBox, relative to the corner of the MediaBox: left, bottom, width and height of each. If
  /// one is missing, the MediaBox takes its place; empty if both are missing.
  private let ownBoxes: [Double]
  /// `ownBoxes` in points.
  var printBoxes: [Double] { ownBoxes.map { $0 * unit } }
  /// Points per unit.
  var unit: Double
  /// The width and height of the MediaBox in points, before Rotate is applied.
  var size: PageSize { PageSize(width: media.width * unit, height: media.height * unit) }
  /// The longest side that readers must support, in units (Annex C).
  static let mostUnits = 14_400.0
  /// The number of right angles by which Rotate turns the page clockwise, 0 to 3.
  let quarters: Int
  var isTurned: Bool { quarters != 0 }
  var isOnItsSide: Bool { quarters % 2 != 0 }

  init(_ entries: [String: PDFValue], _ file: PDFFile) throws(Fault) {
    let value = file.resolve(entries["MediaBox"])
    guard value != .null else { throw .page(.mediaBox("is missing")) }
    guard let media = PageBox(value, file) else { throw .page(.mediaBox("is not four numbers")) }
    // The size limits of readers (Annex C).
    guard media.width >= 3, media.height >= 3, media.width <= Self.mostUnits, media.height <= Self.mostUnits else {
      throw .page(
        .mediaBox(
          "is \(FaultText.number(media.width, decimals: 2)) x "
            + "\(FaultText.number(media.height, decimals: 2)) units; sides go from 3 to 14,400"))
    }
    self.media = media
    if let crop = entries["CropBox"] {
      guard let box = PageBox(file.resolve(crop), file), let visible = box.intersection(media)
      else { throw .page(.cropBox) }
      self.visible = visible
    } else {
      visible = media
    }
    trim = entries["TrimBox"].flatMap { PageBox(file.resolve($0), file) } ?? visible
    let unit = file.resolve(entries["UserUnit"]).number ?? 1
    guard unit >= 1, unit <= 75_000 else {
      throw .page(.box("UserUnit", "is \(FaultText.number(unit, decimals: 4)); it goes from 1 to 75,000"))
    }
    self.unit = unit
    let boxes = ["TrimBox", "BleedBox"].map { name in
      entries[name].flatMap { PageBox(file.resolve($0), file) }
    }
    ownBoxes =
      boxes.allSatisfy { $0 == nil }
      ? []
      : boxes.flatMap { box in
        let box = box ?? media
        return [box.left - media.left, box.bottom - media.bottom, box.width, box.height]
      }
    try Self.checkNesting(entries, file, visible: visible, media: media)
    quarters = try Self.quarters(file.resolve(entries["Rotate"]))
  }

  /// Returns the number of right angles in Rotate, which must be a multiple of 90 degrees (table 30).
  private static func quarters(_ rotation: PDFValue) throws(Fault) -> Int {
    if rotation == .null { return 0 }
    guard let degrees = rotation.integer, degrees % 90 == 0 else { throw .page(.rotation(rotation.number)) }
    return (degrees / 90 % 4 + 4) % 4
  }

  /// Checks that the BleedBox is inside the MediaBox, and the TrimBox and ArtBox inside the BleedBox or, without one,
  /// inside the MediaBox (14.11.2.1).
  private static func checkNesting(
    _ entries: [String: PDFValue], _ file: PDFFile, visible: PageBox, media: PageBox
  ) throws(Fault) {
    var outer = (name: "MediaBox", box: media)
    for name in ["BleedBox", "TrimBox", "ArtBox"] {
      guard let entry = entries[name] else { continue }
      guard let box = PageBox(file.resolve(entry), file), box.width > 0, box.height > 0 else {
        throw .page(.box(name, "is not a rectangle"))
      }
      guard outer.box.contains(box, tolerance: 0.01) else {
        throw .page(.box(name, "is not inside the \(outer.name)"))
      }
      if name == "BleedBox" { outer = (name, box) }
    }
  }
}

extension PageBox {
  init?(_ value: PDFValue, _ file: PDFFile) {
    let numbers = (value.array ?? []).compactMap { file.resolve($0).number }
    guard numbers.count == 4 else { return nil }
    self.init(left: numbers[0], bottom: numbers[1], right: numbers[2], top: numbers[3])
  }
}
