import ImageCore
import ImageMetadata

/// Finds content credentials, and the peak luminance of HDR pictures, in the outer structure of files, without the
/// library of the format.
///
/// C2PA Technical Specification 2.1, A.3: a manifest is in APP11 segments of a JPEG, in a `caBX` chunk of a PNG, in a
/// `C2PA` chunk of a RIFF file, and in a box with the type `uuid` or `jumb` of an ISO file. `TIFFFileMetadata` finds
/// the manifest of a TIFF.
package enum FileContainer {
  /// The maximum number of parts to examine. Manifests are near the start of a file.
  private static let maximumParts = 4_096
  private static let manifest: [UInt8] = [
    0xd8, 0xfe, 0xc3, 0xd6, 0x1b, 0x0e, 0x48, 0x3c, 0x92, 0x97, 0x58, 0x28, 0x87, 0x7e, 0xc4, 0x81,
  ]

  /// Returns whether a file contains a manifest; false for a file whose structure is damaged or unknown.
  package static func hasManifest(_ file: InputFile) -> Bool {
    guard let start = try? file.bytes(at: 0, count: 12), start.count == 12 else { return false }
    return if start.starts(with: [0xff, 0xd8]) {
      parts(of: file, from: 2, headLength: 6, next: segment) { $0[1] == 0xeb && $0[4...5].elementsEqual("JP".utf8) }
    } else if start.starts(with: [0x89, 0x50, 0x4e, 0x47]) {
      parts(of: file, from: 8, headLength: 8, next: chunk) { $0[4...].elementsEqual("caBX".utf8) }
    } else if start.starts(with: "RIFF".utf8) {
      parts(of: file, from: 12, headLength: 8, next: riffChunk) { $0[..<4].elementsEqual("C2PA".utf8) }
    } else if start[4..<8].elementsEqual("ftyp".utf8) || start.starts(with: [0, 0, 0, 12]) {
      parts(of: file, from: 0, headLength: 32, next: box) { head in
        let type = String(decoding: head[4..<8], as: UTF8.self)
        return type == "jumb" || type == "uuid" && (Array(head[8..<24]) == manifest || Array(head[16...]) == manifest)
      }
    } else {
      false
    }
  }

  /// Returns the metadata of a file with a TIFF structure; nil for any other file.
  package static func tiffMetadata(_ file: InputFile) -> TIFFFileMetadata? {
    TIFFFileMetadata { offset, count in
      guard offset < file.byteCount else { return [] }
      return (try? file.bytes(at: offset, count: min(count, file.byteCount - offset))) ?? []
    }
  }

  /// Visits the parts of a file until one with the wanted header is found, and returns whether there is one.
  ///
  /// - Parameter next: returns the length of a part, given its header; nil at the end.
  private static func parts(
    of file: InputFile, from start: Int, headLength: Int, next: ([UInt8]) -> Int?, isWanted: ([UInt8]) -> Bool
  ) -> Bool {
    var offset = start
    for _ in 0..<maximumParts {
      guard var head = try? file.bytes(at: offset, count: headLength), head.count >= 8 || head.count == headLength
      else { return false }
      head += [UInt8](repeating: 0, count: headLength - head.count)
      if isWanted(head) { return true }
      guard let length = next(head), length > 0, length < file.byteCount - offset else { return false }
      offset += length
    }
    return false
  }

  /// The maximum size of a list of properties in bytes; a grid of 1,000 tiles needs a few KB.
  private static let propertiesLimit = 1 << 20

  /// Returns the peak luminance that an ISO file states, in cd/m²: that of the contents (`clli`), or else that of the
  /// mastering display (`mdcv`); 0 if the file states neither. ISO 23008-12, 6.5.36 and 6.5.37.
  ///
  /// The first property of each kind is used, whichever item has it.
  package static func peak(_ file: InputFile) -> Double {
    var place = 0..<file.byteCount
    for type in ["meta", "iprp", "ipco"] {
      guard let found = content(of: type, in: place, file) else { return 0 }
      // The boxes of `meta` are preceded by a version and flags.
      place = (type == "meta" ? min(found.lowerBound + 4, found.upperBound) : found.lowerBound)..<found.upperBound
    }
    guard place.count <= propertiesLimit else { return 0 }
    func number(_ count: Int, at offset: Int, of type: String) -> Int? {
      guard let box = content(of: type, in: place, file), box.count >= offset + count,
        let bytes = try? file.bytes(at: box.lowerBound + offset, count: count), bytes.count == count
      else { return nil }
      return Self.number(bytes[...])
    }
    // The peak of the contents is in whole cd/m². That of the display is in units of 0.0001 cd/m², after the
    // coordinates of three primaries and of white.
    let light = number(2, at: 0, of: "clli").map { Double($0) } ?? 0
    return light > 0 ? light : number(4, at: 16, of: "mdcv").map { Double($0) * 0.0001 } ?? 0
  }

  /// Returns the range of the first box of a type in `place`, without its header; nil if there is none.
  private static func content(of type: String, in place: Range<Int>, _ file: InputFile) -> Range<Int>? {
    var offset = place.lowerBound
    for _ in 0..<maximumParts {
      guard offset + 8 <= place.upperBound, let known = try? file.bytes(at: offset, count: 16), known.count >= 8
      else { return nil }
      let head = known + [UInt8](repeating: 0, count: 16 - known.count)
      let stated = number(head[..<4])
      let length = stated == 0 ? place.upperBound - offset : box(head) ?? 0
      guard length >= 8, length <= place.upperBound - offset else { return nil }
      if head[4..<8].elementsEqual(type.utf8) {
        return min(offset + (stated == 1 ? 16 : 8), offset + length)..<offset + length
      }
      offset += length
    }
    return nil
  }

  private static func number(_ bytes: ArraySlice<UInt8>) -> Int { bytes.reduce(0) { $0 << 8 | Int($1) } }

  private static func segment(_ head: [UInt8]) -> Int? {
    guard head[0] == 0xff, head[1] != 0xda, head[1] != 0xd9 else { return nil }
    return 2 + number(head[2..<4])
  }

  private static func chunk(_ head: [UInt8]) -> Int? { 12 + number(head[..<4]) }

  private static func riffChunk(_ head: [UInt8]) -> Int? {
    let length = number(ArraySlice(head[4..<8].reversed()))
    return 8 + length + length % 2
  }

  private static func box(_ head: [UInt8]) -> Int? {
    let length = number(head[..<4])
    if length != 1 { return length < 8 ? nil : length }
    let large = head[8..<16].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    return large < 16 ? nil : Int(clamping: large)
  }
}
