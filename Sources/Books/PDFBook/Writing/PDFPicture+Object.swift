import BookExpectations
import ImageCore

extension PDFPicture.Data {
  var count: Int {
    switch self {
    case .bytes(let bytes): bytes.count
    case .encoded(let bytes): bytes.count
    case .file(_, _, let count): count
    case .parts(_, let ranges): ranges.reduce(0) { $0 + $1.count }
    case .completed(let head, _, let range): head.count + range.count
    }
  }

  /// Returns the digest of the stream's bytes, including those that must be read from a file.
  package func digest() throws(PDFError) -> SHA256Digest {
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
    case .parts(let file, let ranges): return try Self.digest(of: [], file, ranges)
    case .completed(let head, let file, let range): return try Self.digest(of: head, file, [range])
    }
  }

  private static func digest(of head: [UInt8], _ file: InputFile, _ ranges: [Range<Int>]) throws(PDFError)
    -> SHA256Digest
  {
    var hash = SHA256()
    hash.update(head)
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

extension PDFPicture {
  /// Returns this picture with its bytes in memory, read from its file if necessary; nil if the file is too large or
  /// has become shorter.
  package func inMemory() throws(FileError) -> PDFPicture? {
    let (head, file, parts): ([UInt8], InputFile, [Range<Int>])
    switch data {
    case .bytes, .encoded: return self
    case .file(let whole, let offset, let count): (head, file, parts) = ([], whole, [offset..<offset + count])
    case .parts(let whole, let ranges): (head, file, parts) = ([], whole, ranges)
    case .completed(let start, let whole, let range): (head, file, parts) = (start, whole, [range])
    }
    guard let content = try file.smallContent() else { return nil }
    // A file that has become shorter is reported when it is read again.
    guard parts.allSatisfy({ $0.upperBound <= content.count }) else { return nil }
    let bytes = head.isEmpty && parts == [content.indices] ? content : head + parts.flatMap { content[$0] }
    return PDFPicture(data: .bytes(bytes), compression: compression, format: format, mask: mask, iccProfile: iccProfile)
  }

  /// Returns a digest of stream, mask, profile and, unless the stream states it, format. Pictures with equal digests
  /// need to be stored only once.
  func identity(_ digest: SHA256Digest) -> SHA256Digest {
    // Compressed rows have no header, so equal bytes may have different widths or depths.
    switch compression {
    case .jpeg, .jpeg2000: return combinedDigest(digest)
    case .flate, .fax: break
    }
    var hash = SHA256()
    hash.update(combinedDigest(digest).bytes)
    hash.update(
      Array(
        "\(format.width) \(format.height) \(format.bits) \(format.colourSpace.componentCount) \(faxText)".utf8
      ) + palette)
    return hash.finish()
  }

  /// The dictionary entry that changes the meaning of samples, as bytes: the palette, or the name of the entry for
  /// inverted fax rows; empty for none.
  private var meaning: [UInt8] {
    if case .fax(true, _) = compression { return Array("BlackIs1".utf8) }
    return palette
  }

  private var palette: [UInt8] { if case .indexed(let entries) = format.colourSpace { entries } else { [] } }

  /// Returns the digest that `imghost-verify` computes again: of the stream and, if present, the mask, profile and
  /// palette. It also distinguishes inverted fax rows.
  func combinedDigest(_ digest: SHA256Digest) -> SHA256Digest {
    guard mask != nil || !iccProfile.isEmpty || !meaning.isEmpty else { return digest }
    var hash = SHA256()
    hash.update(digest.bytes)
    hash.update(SHA256.digest(of: mask ?? []).bytes)
    hash.update(SHA256.digest(of: iccProfile).bytes)
    if !meaning.isEmpty { hash.update(meaning) }
    return hash.finish()
  }

  /// Appends the image dictionary (PDF 32000-1:2008, 8.9.5). The optional entry Type is omitted.
  ///
  /// - Parameters:
  ///   - mask: the object of the soft mask; nil for none.
  ///   - profileSpace: the colour space of the picture's profile, as an entry's value; nil without a profile.
  func appendDictionary(mask: Int?, profileSpace: String?, to text: inout UTF8Text) {
    text.append("<</Subtype/Image/Width ")
    text.append(format.width)
    text.append("/Height ")
    text.append(format.height)
    switch compression {
    case .jpeg, .flate, .fax:
      text.append("/ColorSpace")
      text.append(string: colourSpaceText(profileSpace))
      text.append("/BitsPerComponent ")
      text.append(format.bits)
    case .jpeg2000(let statesColour, let hasAlpha):
      if statesColour { text += "/ColorSpace\(colourSpaceText(profileSpace))/BitsPerComponent \(format.bits)" }
      if hasAlpha { text += "/SMaskInData 1" }
    }
    if format.isInverted { text += "/Decode[1 0 1 0 1 0 1 0]" }
    if let mask { text += "/SMask \(mask) 0 R" }
    text.append(string: filterText(components: format.colourSpace.componentCount))
    text.append("/Length ")
    text.append(data.count)
    text.append(">>")
  }

  func maskDictionary(_ count: Int) -> String {
    "<</Subtype/Image/Width \(format.width)/Height \(format.height)/ColorSpace/DeviceGray"
      + "/BitsPerComponent \(format.bits)\(filterText(components: 1))/Length \(count)>>"
  }

  private func colourSpaceText(_ based: String?) -> String {
    switch format.colourSpace {
    case .gray: return based ?? "/DeviceGray"
    case .rgb: return based ?? "/DeviceRGB"
    case .cmyk: return based ?? "/DeviceCMYK"
    case .indexed(let palette):
      let last = palette.count / 3 - 1
      return "[/Indexed\(based ?? "/DeviceRGB") \(last)<\(Hexadecimal.text(palette))>]"
    }
  }

  /// The decoding parameters of fax rows (7.4.6, table 11); empty for other compressions.
  private var faxText: String {
    guard case .fax(let isInverted, let endsWithBlock) = compression else { return "" }
    return "/K -1/Columns \(format.width)/Rows \(format.height)" + (isInverted ? "/BlackIs1 true" : "")
      + (endsWithBlock ? "" : "/EndOfBlock false")
  }

  private func filterText(components: Int) -> String {
    switch compression {
    case .jpeg where format.isUntransformed: "/Filter/DCTDecode/DecodeParms<</ColorTransform 0>>"
    case .jpeg: "/Filter/DCTDecode"
    case .jpeg2000: "/Filter/JPXDecode"
    case .fax: "/Filter/CCITTFaxDecode/DecodeParms<<\(faxText)>>"
    case .flate:
      "/Filter/FlateDecode/DecodeParms<</Predictor 15/Colors \(components)"
        + "/BitsPerComponent \(format.bits)/Columns \(format.width)>>"
    }
  }
}

extension PDFPicture {
  /// The lowest version of PDF that supports this picture.
  var version: PDFVersion {
    if case .jpeg2000 = compression { return .v15 }
    return format.bits == 16 ? .v15 : .v14
  }
}
