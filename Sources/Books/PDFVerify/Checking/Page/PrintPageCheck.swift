/// Checks a page of a document that claims PDF/X: boxes, colours, transparency, annotations.
struct PrintPageCheck: PageCheck {
  func check(_ page: PageContext, _ result: inout PageResult) {
    let document = page.document
    guard let claim = PrintClaim(document.file, document.metadata.packet) else { return }
    let rules = PrintPageRules(
      file: page.file, claim: claim, intent: PrintProfile(page.file, catalogue: document.catalogue))
    result.faults += rules.boxes(page.entries) + rules.annotations(page.entries)
    result.faults += rules.colours(of: page.content.reader, page.resources)
    result.faults += rules.resources(page.resources, page.entries, depth: 0)
  }
}

private struct PrintPageRules {
  let file: PDFFile
  let claim: PrintClaim
  let intent: PrintProfile?

  /// Checks that the page declares its finished size by either a TrimBox or an ArtBox. Whether these boxes lie in the
  /// BleedBox is checked for every PDF.
  func boxes(_ entries: [String: PDFValue]) -> [Fault] {
    switch (entries["TrimBox"], entries["ArtBox"]) {
    case (nil, nil): [claim.fault("the page has neither TrimBox nor ArtBox")]
    case (.some, .some): [claim.fault("the page has both TrimBox and ArtBox")]
    default: []
    }
  }

  /// Checks that the page has no actions, and that no annotations except printer's marks, trap networks and pop-ups lie
  /// in the printed area.
  func annotations(_ entries: [String: PDFValue]) -> [Fault] {
    let printed = ["BleedBox", "TrimBox", "ArtBox", "MediaBox"].lazy
      .compactMap { entries[$0].flatMap { PageBox(file.resolve($0), file) } }.first
    var faults: [Fault] = []
    if entries["AA"] != nil { faults.append(claim.fault("the page has actions")) }
    for value in file.resolve(entries["Annots"]).array ?? [] {
      let annotation = file.resolve(value).dictionary ?? [:]
      let kind = file.resolve(annotation["Subtype"]).name ?? "unknown"
      guard !["TrapNet", "PrinterMark", "Popup"].contains(kind) else { continue }
      guard let box = PageBox(file.resolve(annotation["Rect"]), file), let printed, box.intersection(printed) != nil
      else { continue }
      faults.append(claim.fault("an annotation of the kind \(kind) lies on the printed area"))
      break
    }
    return faults
  }

  // MARK: Colours

  private var isInkIntent: Bool { intent?.space == "CMYK" }

  /// Checks operators for device colours, which must match the output intent. DefaultRGB and DefaultCMYK redefine them
  /// (PDF 32000-1:2008, 8.6.5.6), but not in PDF/X-1a.
  func colours(of content: ContentReader, _ resources: [String: PDFValue]) -> [Fault] {
    let defaults = file.resolve(resources["ColorSpace"]).dictionary ?? [:]
    return [("DeviceRGB", ["rg", "RG"]), ("DeviceCMYK", ["k", "K"])].compactMap { space, operators in
      guard !content.deviceColours.isDisjoint(with: operators), reason(.name(space), defaults) != nil else {
        return nil
      }
      return claim.fault("its content has colours in \(space)")
    }
  }

  /// Returns why a colour space is not allowed; nil if it is allowed.
  private func reason(_ value: PDFValue?, _ defaults: [String: PDFValue], depth: Int = 0) -> String? {
    let space = file.resolve(value)
    let items = space.array ?? []
    guard let name = space.name ?? items.first.flatMap({ file.resolve($0).name }), depth < 4 else { return nil }
    switch name {
    case "DeviceRGB":
      return !claim.isStrict && (defaults["DefaultRGB"] != nil || intent?.space == "RGB ") ? nil : "DeviceRGB"
    case "DeviceCMYK":
      // The output intent of PDF/X-3 may be only the name of a printing condition.
      let isKnown = !claim.isStrict && (claim.isModern || intent != nil)
      return isKnown && !isInkIntent && defaults["DefaultCMYK"] == nil ? "DeviceCMYK" : nil
    case "Indexed", "Pattern", "Separation", "DeviceN":
      let base = name == "Separation" || name == "DeviceN" ? 2 : 1
      return items.count > base ? reason(items[base], defaults, depth: depth + 1) : nil
    case "ICCBased" where claim.isModern:
      let profile = items.dropFirst().first?.reference.flatMap(file.object)
      guard let intent, let profile, profile.stream != nil, file.decoded(profile, limit: 16 << 20) == intent.bytes
      else { return nil }
      return "the profile of the output intent"
    case "ICCBased", "CalRGB", "CalGray", "Lab": return claim.isStrict ? name : nil
    default: return nil
    }
  }

  // MARK: Resources

  /// Checks pictures, forms and graphics states.
  func resources(_ resources: [String: PDFValue], _ owner: [String: PDFValue], depth: Int) -> [Fault] {
    guard depth < 8 else { return [] }
    var faults: [Fault] = []
    if claim.isStrict, isTransparent(owner["Group"]) {
      faults.append(claim.fault("it has a transparency group"))
    }
    let defaults = file.resolve(resources["ColorSpace"]).dictionary ?? [:]
    for (name, value) in file.resolve(resources["ExtGState"]).dictionary?.sorted(by: { $0.key < $1.key }) ?? [] {
      faults += state(name, file.resolve(value).dictionary ?? [:])
    }
    for (name, value) in file.resolve(resources["XObject"]).dictionary?.sorted(by: { $0.key < $1.key }) ?? [] {
      guard let object = value.reference.flatMap(file.object) else { continue }
      let entries = object.dictionary
      switch file.resolve(entries["Subtype"]).name {
      case "Image": faults += picture(name, entries, defaults)
      case "PS": faults.append(claim.fault("'\(name)' is PostScript"))
      case "Form":
        let inner = file.resolve(entries["Resources"]).dictionary ?? [:]
        faults += self.resources(inner, entries, depth: depth + 1)
      default: break
      }
    }
    return faults
  }

  private func isTransparent(_ group: PDFValue?) -> Bool {
    file.resolve(file.resolve(group).dictionary?["S"]).name == "Transparency"
  }

  private func state(_ name: String, _ entries: [String: PDFValue]) -> [Fault] {
    var faults: [Fault] = []
    let transfer = file.resolve(entries["TR"]).name
    if entries["TR"] != nil, transfer != "Identity" || !claim.isModern {
      faults.append(claim.fault("the graphics state '\(name)' has a transfer function"))
    }
    guard claim.isStrict else { return faults }
    let opacities = ["CA", "ca"].compactMap { file.resolve(entries[$0]).number }
    let mode = file.resolve(entries["BM"]).name ?? "Normal"
    let mask = entries["SMask"].map { file.resolve($0).name != "None" } ?? false
    if opacities.contains(where: { $0 != 1 }) || !["Normal", "Compatible"].contains(mode) || mask {
      faults.append(claim.fault("the graphics state '\(name)' is transparent"))
    }
    return faults
  }

  private func picture(_ name: String, _ entries: [String: PDFValue], _ defaults: [String: PDFValue]) -> [Fault] {
    var faults: [Fault] = []
    let filter = file.resolve(entries["Filter"])
    let filters = filter.name.map { [$0] } ?? (filter.array ?? []).compactMap { file.resolve($0).name }
    if filters.contains("LZWDecode") {
      faults.append(claim.fault("picture '\(name)' is compressed with LZW"))
    }
    if claim.isStrict, filters.contains("JPXDecode") || filters.contains("JBIG2Decode") {
      faults.append(claim.fault("picture '\(name)' is JPEG 2000 or JBIG2"))
    }
    if claim.isStrict, entries["SMask"].map({ file.resolve($0) != .null }) ?? false {
      faults.append(claim.fault("picture '\(name)' has a soft mask"))
    }
    if claim.isStrict, file.resolve(entries["BitsPerComponent"]).integer ?? 8 > 8 {
      faults.append(claim.fault("picture '\(name)' has 16 bits a sample"))
    }
    if let space = reason(entries["ColorSpace"], defaults) {
      faults.append(claim.fault("the colours of picture '\(name)' are \(space)"))
    }
    if entries["OPI"] != nil { faults.append(claim.fault("picture '\(name)' has an OPI comment")) }
    return faults
  }
}
