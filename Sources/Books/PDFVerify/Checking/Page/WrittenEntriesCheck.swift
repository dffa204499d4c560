import BookExpectations

/// Searches the dictionaries of a page for entries that imghost never writes. In a book with expectations, any such
/// entry is a change, even if poppler does not show it.
struct WrittenEntriesCheck: PageCheck {
  func check(_ page: PageContext, _ result: inout PageResult) {
    guard page.expected != nil else { return }
    result.faults += WrittenEntries(file: page.file)
      .faults(page.entries, page.content.reader.draws)
    if !page.geometry.visible.contains(page.geometry.media, tolerance: 0.01) {
      result.faults.append(.page(.notAsWritten("its CropBox hides a part of it")))
    }
  }
}

private struct WrittenEntries {
  let file: PDFFile

  /// The entries of pages. CropBox and Rotate are judged by their effect.
  private static let page: Set = [
    "Type", "Parent", "MediaBox", "CropBox", "Rotate", "UserUnit", "TrimBox", "BleedBox",
    "Resources", "Contents", "Annots", "StructParents", "Tabs",
  ]
  /// The entries of resources. ProcSet has no effect (PDF 32000-1:2008, 14.2), and programs that rewrite files often
  /// add it.
  private static let resources: Set = ["XObject", "Font", "ExtGState", "ProcSet"]
  private static let picture: Set = [
    "Type", "Subtype", "Name", "Width", "Height", "ColorSpace", "BitsPerComponent", "Filter",
    "DecodeParms", "Length", "SMask", "SMaskInData",
  ]
  private static let annotation: Set = ["Type", "Subtype", "F", "Border", "Rect", "A", "StructParent", "Contents"]
  private static let parameters: Set = ["Predictor", "Colors", "BitsPerComponent", "Columns"]
  private static let jpegParameters: Set = ["ColorTransform"]
  private static let faxParameters: Set = ["K", "Columns", "Rows", "BlackIs1", "EndOfBlock"]
  private static let content: Set = ["Length", "Filter", "DecodeParms"]
  private static let profile: Set = ["N", "Filter", "Length", "DecodeParms"]
  private static let action: Set = ["Type", "S", "URI"]
  /// The maximum number of entries that are reported individually.
  private static let maximum = 8

  /// Checks that each graphics state has only the opacity or the mask that its name describes. The content refers to
  /// graphics states by name, so its digest does not cover their entries.
  private func opacityFaults(_ resources: [String: PDFValue]) -> [String] {
    let states = file.resolve(resources["ExtGState"]).dictionary ?? [:]
    return states.sorted { $0.key < $1.key }.compactMap { name, value in
      let state = file.resolve(value).dictionary ?? [:]
      let isAsWritten =
        state.count { $0.key != "Type" } == 1
        && (VeilMask(name: name).map { isMask(file.resolve(state["SMask"]), as: $0) }
          ?? (file.resolve(state["ca"]).number.map { "G\(Int(($0 * 1_000).rounded()))" } == name))
      return isAsWritten ? nil : "the opacity '\(name)' was changed"
    }
  }

  /// Returns whether the value of SMask is the soft mask that imghost writes for `mask`.
  private func isMask(_ value: PDFValue, as mask: VeilMask) -> Bool {
    var entries = value.dictionary ?? [:]
    entries["Type"] = nil
    guard entries.count == 2, file.resolve(entries["S"]) == .name("Luminosity"),
      let form = entries["G"]?.reference.flatMap(file.object),
      file.decoded(form, limit: 1 << 10) == VeilMask.contentBytes
    else { return false }
    var written = form.dictionary
    for name in Self.content { written[name] = nil }
    let meant = Array(mask.dictionary.utf8).withUnsafeBytes { bytes in
      var lexer = PDFLexer(bytes)
      return lexer.value()
    }
    return meant.map { isEqual(.dictionary(written), $0, depth: 0) } ?? false
  }

  /// Returns whether a value of the file equals the expected one. The file may store parts of the value as separate
  /// objects.
  private func isEqual(_ value: PDFValue, _ meant: PDFValue, depth: Int) -> Bool {
    guard depth < 12 else { return false }
    switch (file.resolve(value), meant) {
    case (.dictionary(let found), .dictionary(let meant)):
      return found.count == meant.count
        && meant.allSatisfy { name, value in found[name].map { isEqual($0, value, depth: depth + 1) } ?? false }
    case (.array(let found), .array(let meant)):
      return found.count == meant.count && zip(found, meant).allSatisfy { isEqual($0, $1, depth: depth + 1) }
    case (let found, let meant):
      if let number = meant.number { return found.number == number }
      return found == meant
    }
  }

  func faults(_ entries: [String: PDFValue], _ draws: [PictureDraw]) -> [Fault] {
    var found = strangeEntries(entries, Self.page, "the page")
    let resources = file.resolve(entries["Resources"]).dictionary ?? [:]
    found += strangeEntries(resources, Self.resources, "its list of resources")
    found += opacityFaults(resources)
    for object in PageContent.objects(entries, file) {
      found += strangeEntries(object.dictionary, Self.content, "its content")
    }
    // In a tagged book, the tab order follows the structure.
    let tabs = file.resolve(entries["Tabs"])
    if tabs != (entries["StructParents"] == nil ? .null : .name("S")) {
      found.append("its tab order was changed")
    }
    let names = file.resolve(resources["XObject"]).dictionary ?? [:]
    for (index, draw) in draws.enumerated() {
      guard let number = names[draw.name]?.reference, let object = file.object(number) else { continue }
      found += pictureFaults(object, number, "picture \(index + 1)")
    }
    for (index, value) in (file.resolve(entries["Annots"]).array ?? []).enumerated() {
      guard let link = file.resolve(value).dictionary, file.resolve(link["Subtype"]).name == "Link"
      else { continue }
      found += strangeEntries(link, Self.annotation, "link \(index + 1)")
      // The value 4 means that the annotation is printed and not hidden (12.5.3).
      if file.resolve(link["F"]).integer != 4 {
        found.append("link \(index + 1) has other flags")
      }
      if file.resolve(link["Border"]) != .array([.integer(0), .integer(0), .integer(0)]) {
        found.append("link \(index + 1) has a border")
      }
      let action = file.resolve(link["A"]).dictionary ?? [:]
      found += strangeEntries(action, Self.action, "the action of link \(index + 1)")
    }
    return found.prefix(Self.maximum).map { .page(.notAsWritten($0)) }
  }

  private func pictureFaults(_ object: PDFFile.Object, _ number: Int, _ what: String) -> [String] {
    var entries = object.dictionary
    guard let facts = PictureFacts(number, entries, file) else { return [] }
    let decode = file.resolve(entries.removeValue(forKey: "Decode"))
    let isInverted = decode != .null
    var found = strangeEntries(entries, Self.picture, what)
    let isFax = facts.filter == "CCITTFaxDecode"
    let known =
      switch facts.filter {
      case "CCITTFaxDecode": Self.faxParameters
      case "DCTDecode": Self.jpegParameters
      default: Self.parameters
      }
    found += strangeEntries(facts.parameters, known, "what \(what) says of its compression")
    found += transformFaults(facts, object, what)
    if isFax, facts.parameters["K"]?.integer != -1 {
      found.append("\(what) has another kind of fax rows")
    }
    let isMeant = facts.colourSpace == .cmyk && facts.filter == "DCTDecode"
    switch (isInverted, isMeant) {
    case (true, false): found.append("\(what) has a Decode array that was added")
    case (false, true): found.append("\(what) has lost the Decode array of a CMYK picture")
    case (true, true):
      let numbers = decode.array?.map { file.resolve($0).number }
      if numbers != [1, 0, 1, 0, 1, 0, 1, 0] {
        found.append("\(what) has another Decode array")
      }
    case (false, false): break
    }
    if let profile = facts.profile.flatMap(file.object) {
      found += strangeEntries(profile.dictionary, Self.profile, "the colour profile of \(what)")
    }
    if let mask = facts.mask.flatMap(file.object) {
      found += strangeEntries(mask.dictionary, Self.picture, "the soft mask of \(what)")
    }
    return found
  }

  /// Checks that the dictionary declares RGB only if the data does, too, because some readers use only one of the two
  /// declarations.
  private func transformFaults(_ facts: PictureFacts, _ object: PDFFile.Object, _ what: String) -> [String] {
    guard facts.filter == "DCTDecode", let stream = object.stream else { return [] }
    let markers = JPEGMarkers(UnsafeRawBufferPointer(rebasing: file.bytes[stream]))
    let isRGB = facts.parameters["ColorTransform"] == .integer(0)
    let isAsWritten = facts.parameters["ColorTransform"] == nil || isRGB && markers.adobe == 0 && markers.looksRGB
    return isAsWritten ? [] : ["\(what) has another ColorTransform"]
  }
}
