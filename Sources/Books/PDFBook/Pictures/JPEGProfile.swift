import ImageCore

/// Reads the ICC profile of a JPEG file from its APP2 segments (ICC.1:2010, B.4).
///
/// A decoder returns the profile of its output, which is RGB for a CMYK file. A book that stores the file
/// unchanged needs the file's own profile.
public enum JPEGProfile {
  /// Returns the profile; empty if there is none or a part is missing.
  public static func read(_ file: InputFile) -> [UInt8] {
    let name = Array("ICC_PROFILE\0".utf8)
    var parts: [Int: [UInt8]] = [:]
    var count = 0
    var offset = 2
    var window = JPEGHeaderBuffer(file)
    while (try? window.byte(offset)) == 0xff, let marker = try? window.byte(offset + 1) {
      if marker == 0xff {
        offset += 1
        continue
      }
      guard marker != 0xda, marker != 0xd9, let stated = try? window.length(offset + 2) else { break }
      let length = max(2, stated)
      if marker == 0xe2, length > 16,
        let body = (try? window.bytes(offset + 4, length - 2)).map(Array.init), body.starts(with: name)
      {
        parts[Int(body[12])] = Array(body[14...])
        count = Int(body[13])
      }
      offset += 2 + length
    }
    guard count > 0, parts.count == count, (1...count).allSatisfy({ parts[$0] != nil }) else { return [] }
    return (1...count).flatMap { parts[$0]! }
  }
}
