/// Copies of JPEGs that differ only in a comment, so that no two files have the same bytes.
enum JPEGCopies {
  /// Creates `count` copies in a folder, named by their numbers, in a separate process; see `Measurement.peakBytes`.
  ///
  /// - Parameter profile: the path of an RGB profile to embed in all copies; empty for none. With a profile, sources
  ///   that are gray or already have a profile are left out.
  static func make(_ count: Int, of sources: [String], in folder: String, profile: String = "")
    throws(BenchFailure)
  {
    let command = Subprocess.copies.command([String(count), folder, profile] + sources)
    guard Folder.make(folder), Measurement(command) != nil
    else { throw .failed("making \(count) JPEGs in \(folder)") }
  }

  /// Runs the subprocess with the arguments `COUNT FOLDER PROFILE JPEG…`; the profile's path may be empty.
  static func run(_ arguments: [String]) -> Int32 {
    guard arguments.count > 3, let count = Int(arguments[0]) else { return 2 }
    var sources = arguments[3...].compactMap { MappedFile($0) }
    guard sources.count == arguments.count - 3, let profile = segment(profile: arguments[2]) else { return 1 }
    if !profile.isEmpty { sources.removeAll { !takesProfile($0) } }
    guard !sources.isEmpty else { return 1 }
    for index in 0..<count {
      let file = sources[index % sources.count]
      let digits = Array(String(1_000_000 + index).utf8)
      // The start of image, and a comment (ITU-T T.81, B.2.4.5).
      var bytes: [UInt8] = [0xff, 0xd8, 0xff, 0xfe, 0, UInt8(digits.count + 2)] + digits + profile
      bytes += UnsafeRawBufferPointer(start: file.address + 2, count: file.count - 2)
      let path = "\(arguments[1])/\(String(1_000_000 + index).dropFirst()).jpg"
      let isWritten = bytes.withUnsafeBytes {
        RawFile.write($0.baseAddress!, count: $0.count, to: path)
      }
      guard isWritten else { return 1 }
    }
    return 0
  }

  /// Returns the JPEG segment of a small profile (ICC.1:2022, B.4); empty without a path, nil if the file cannot be
  /// read.
  private static func segment(profile path: String) -> [UInt8]? {
    if path.isEmpty { return [] }
    guard let file = MappedFile(path), file.count < 60_000 else { return nil }
    let content = Array("ICC_PROFILE\0".utf8) + [1, 1] + UnsafeRawBufferPointer(start: file.address, count: file.count)
    return [0xff, 0xe2, UInt8((content.count + 2) >> 8), UInt8((content.count + 2) & 0xff)] + content
  }

  /// Whether a JPEG has three components (ITU-T T.81, B.2.2) and no profile.
  private static func takesProfile(_ file: MappedFile) -> Bool {
    let bytes = UnsafeRawBufferPointer(start: file.address, count: file.count)
    var place = 2
    while place + 10 < bytes.count, bytes[place] == 0xff {
      if [0xc0, 0xc1, 0xc2].contains(bytes[place + 1]) { return bytes[place + 9] == 3 }
      if bytes[place + 1] == 0xe2, bytes[(place + 4)...].starts(with: Array("ICC_PROFILE".utf8)) { return false }
      place += 2 + Int(bytes[place + 2]) * 256 + Int(bytes[place + 3])
    }
    return false
  }
}
