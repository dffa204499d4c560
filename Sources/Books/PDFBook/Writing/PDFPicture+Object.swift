import ImageCore

extension PDFPicture.Data {
  var count: Int {
    switch self {
    case .bytes(let bytes): bytes.count
    case .encoded(let bytes): bytes.count
    case .file(_, _, let count): count
    case .parts(_, let ranges): ranges.reduce(0) { $0 + $1.count }
    }
  }

  /// The digest of the stream's bytes; reads a file once.
  public func digest() throws(PDFError) -> SHA256Digest {
    switch self {
    case .bytes(let bytes): return SHA256.digest(of: bytes)
    case .encoded(let bytes): return bytes.withUnsafeBytes { SHA256.digest(of: $0) }
    case .file(let file, let offset, let count):
      do throws(PictureError) {
        return try SHA256.digest(of: file, at: offset, count: count)
      } catch {
        guard case .file(let error) = error else { throw .sourceShrank(path: file.path) }
        throw .source(error)
      }
    case .parts(let file, let ranges):
      var hash = SHA256()
      for range in ranges {
        for start in stride(from: range.lowerBound, to: range.upperBound, by: 1 << 18) {
          let count = min(1 << 18, range.upperBound - start)
          let bytes: [UInt8]
          do { bytes = try file.bytes(at: start, count: count) } catch { throw .source(error) }
          guard bytes.count == count else { throw .sourceShrank(path: file.path) }
          hash.update(bytes)
        }
      }
      return hash.finish()
    }
  }
}

extension PDFPicture {
  /// The same with the bytes of a small file in memory; nil where they are to be copied from a large one.
  public func inMemory() throws(FileError) -> PDFPicture? {
    let file: InputFile
    let parts: [Range<Int>]
    switch data {
    case .bytes, .encoded: return self
    case .file(let whole, let offset, let count):
      file = whole
      parts = [offset..<offset + count]
    case .parts(let whole, let ranges):
      file = whole
      parts = ranges
    }
    guard let content = try file.smallContent() else { return nil }
    // A file that has become shorter is found when it is read again.
    guard parts.allSatisfy({ $0.upperBound <= content.count }) else { return nil }
    let bytes = parts == [content.indices] ? content : parts.flatMap { content[$0] }
    return PDFPicture(
      data: .bytes(bytes), compression: compression, width: width, height: height,
      colourSpace: colourSpace, bits: bits, isInverted: isInverted, mask: mask,
      iccProfile: iccProfile)
  }

  /// What two pictures must share to be stored once: bytes, mask, profile, and how they are read.
  func identity(_ digest: SHA256Digest) -> SHA256Digest {
    // The same bytes may be rows of another width or depth, where no header of theirs says so.
    guard compression == .flate else { return seal(digest) }
    var hash = SHA256()
    hash.update(seal(digest).bytes)
    hash.update(Array("\(width) \(height) \(bits) \(colourSpace.componentCount) ".utf8) + palette)
    return hash.finish()
  }

  private var palette: [UInt8] {
    if case .indexed(let entries) = colourSpace { entries } else { [] }
  }

  /// What `imghost-verify` works out again from a file: of the stream, and of mask, profile and palette where
  /// there are any.
  func seal(_ digest: SHA256Digest) -> SHA256Digest {
    guard mask != nil || !iccProfile.isEmpty || !palette.isEmpty else { return digest }
    var hash = SHA256()
    hash.update(digest.bytes)
    hash.update(SHA256.digest(of: mask ?? []).bytes)
    hash.update(SHA256.digest(of: iccProfile).bytes)
    if !palette.isEmpty { hash.update(palette) }
    return hash.finish()
  }

  /// The image dictionary (PDF 32000-1:2008, 8.9.5). Its type, which may be left out, is.
  ///
  /// - Parameters:
  ///   - mask: the soft mask's object.
  ///   - profileSpace: what names the colour space by its profile.
  func dictionary(mask: Int?, profileSpace: String?) -> String {
    var text = "<</Subtype/Image/Width \(width)/Height \(height)"
    switch compression {
    case .jpeg, .flate:
      text += "/ColorSpace\(colourSpaceText(profileSpace))/BitsPerComponent \(bits)"
    case .jpeg2000(let statesColour, let hasAlpha):
      if statesColour { text += "/ColorSpace\(colourSpaceText(profileSpace))" }
      if hasAlpha { text += "/SMaskInData 1" }
    }
    if isInverted { text += "/Decode[1 0 1 0 1 0 1 0]" }
    if let mask { text += "/SMask \(mask) 0 R" }
    text += filterText(components: colourSpace.componentCount)
    return text + "/Length \(data.count)>>"
  }

  /// The soft mask's dictionary.
  func maskDictionary(_ count: Int) -> String {
    "<</Subtype/Image/Width \(width)/Height \(height)/ColorSpace/DeviceGray"
      + "/BitsPerComponent \(bits)\(filterText(components: 1))/Length \(count)>>"
  }

  private func colourSpaceText(_ based: String?) -> String {
    switch colourSpace {
    case .gray: return based ?? "/DeviceGray"
    case .rgb: return based ?? "/DeviceRGB"
    case .cmyk: return based ?? "/DeviceCMYK"
    case .indexed(let palette):
      let last = palette.count / 3 - 1
      return "[/Indexed\(based ?? "/DeviceRGB") \(last)<\(Hexadecimal.text(palette))>]"
    }
  }

  private func filterText(components: Int) -> String {
    switch compression {
    case .jpeg: "/Filter/DCTDecode"
    case .jpeg2000: "/Filter/JPXDecode"
    case .flate:
      "/Filter/FlateDecode/DecodeParms<</Predictor 15/Colors \(components)"
        + "/BitsPerComponent \(bits)/Columns \(width)>>"
    }
  }
}

extension PDFPicture {
  /// The least that has what it is stored as.
  var version: PDFVersion {
    if case .jpeg2000 = compression { return .v15 }
    return bits == 16 ? .v15 : .v14
  }
}

extension PDFPicture.ColourSpace {
  /// What a profile describes.
  var profileComponentCount: Int { if case .indexed = self { 3 } else { componentCount } }
}

extension PDFPage {
  /// The least version that has what the page uses.
  var version: PDFVersion {
    let pictures = placements.map(\.picture.version).max() ?? .v14
    return size.userUnit > 1 ? max(.v16, pictures) : pictures
  }

  /// What is painted with opacity.
  private var graphicsStates: Set<GraphicsState> {
    let labels = texts.compactMap(\.label) + laterLabels
    return Set(
      (under + over).compactMap(\.graphicsState)
        + labels.filter { $0.alpha < 1 }.map { GraphicsState($0) })
  }

  /// Whether anything of it lets show through what lies behind.
  var isTranslucent: Bool { !graphicsStates.isEmpty }

  /// The page dictionary (PDF 32000-1:2008, 7.7.3.3).
  ///
  /// - Parameters:
  ///   - contents: the content streams' object numbers.
  ///   - fonts: the font resources, a dictionary or a reference to one.
  func dictionary(
    parent: Int, contents: [Int], fonts: String?, tags: StructureTree.PageTags?
  ) -> String {
    let unit = size.userUnit
    let pictures = placements.enumerated().map { index, placement in
      "/\(Self.pictureName(index)) \(placement.picture.object) 0 R"
    }
    var resources = pictures.isEmpty ? "" : "/XObject<<\(pictures.joined())>>"
    if let fonts { resources += "/Font\(fonts)" }
    let states = graphicsStates.sorted().map(\.resource).joined()
    if !states.isEmpty { resources += "/ExtGState<<\(states)>>" }
    let streams = contents.map { "\($0) 0 R" }.joined(separator: " ")
    return "<</Type/Page/Parent \(parent) 0 R"
      + "/MediaBox[0 0 \(PDFNumber.text([size.width / unit, size.height / unit]))]"
      + (unit > 1 ? "/UserUnit \(PDFNumber.text(unit))" : "")
      + (boxes?.entries(unit: unit) ?? "")
      + "/Resources<<\(resources)>>/Contents\(contents.count == 1 ? " \(streams)" : "[\(streams)]")"
      + (links.isEmpty ? "" : "/Annots[\(annotations(unit: unit, tags: tags))]")
      + (tags?.entries ?? "") + ">>"
  }

  /// Annotations of a tagged book are objects, which the structure names.
  private func annotations(unit: Double, tags: StructureTree.PageTags?) -> String {
    tags.map { $0.annotations.map { "\($0) 0 R" }.joined(separator: " ") }
      ?? links.map { $0.dictionary(unit: unit) }.joined()
  }
}
