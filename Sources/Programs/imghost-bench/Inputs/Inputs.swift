import ImageCodecs
import ImageCore
import Platform

/// The inputs of measurements. They are created if they are missing, and kept for the next time.
struct Inputs {
  /// The folder of created inputs.
  let folder: String
  let photoFolder: String

  var photos: [String] { Folder.files(photoFolder, suffix: ".jpg") }
}

enum RawFile {
  static func write(_ memory: UnsafeRawPointer, count: Int, to path: String) -> Bool {
    guard let file = fopen(path, "wb") else { return false }
    let isWhole = fwrite(memory, 1, count, file) == count
    return fclose(file) == 0 && isWhole
  }

  static func write(_ text: String, to path: String) -> Bool {
    Array(text.utf8).withUnsafeBytes {
      write($0.baseAddress ?? UnsafeRawPointer(bitPattern: 1)!, count: $0.count, to: path)
    }
  }

  static func exists(_ path: String) -> Bool { access(path, F_OK) == 0 }

  /// Returns the size of a file in bytes; nil if it does not exist.
  static func size(_ path: String) -> Int? {
    var facts = stat()
    return stat(path, &facts) == 0 ? Int(facts.st_size) : nil
  }
}

enum TextFile {
  /// Reads a file; nil if it cannot be opened. If reading fails, the text ends there.
  static func read(_ path: String) -> String? {
    guard let file = fopen(path, "rb") else { return nil }
    defer { fclose(file) }
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 65536)
    while case let count = fread(&buffer, 1, buffer.count, file), count > 0 { bytes += buffer[..<count] }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Writes a text to a file, and returns the path of the file.
  static func write(_ text: String, _ path: String) -> String {
    let isWritten = RawFile.write(text, to: path)
    precondition(isWritten, "\(path) cannot be written")
    return path
  }
}

/// Copies of JPEGs, each with a comment of its own, so that no two files have the same bytes.
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
  /// read or is too large.
  private static func segment(profile path: String) -> [UInt8]? {
    if path.isEmpty { return [] }
    guard let file = MappedFile(path), file.count < 60_000 else { return nil }
    let content = Array("ICC_PROFILE\0".utf8) + [1, 1] + UnsafeRawBufferPointer(start: file.address, count: file.count)
    return [0xff, 0xe2, UInt8((content.count + 2) >> 8), UInt8((content.count + 2) & 0xff)] + content
  }

  /// Returns whether a JPEG has three components (ITU-T T.81, B.2.2) and no profile.
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

/// Large pictures, composed of different photographs side by side.
enum LargeInput: String {
  /// A picture of 20000x15000 pixels, composed of 25 photographs.
  case jpeg = "large.jpg"
  /// The picture of `jpeg`, with a restart marker before each row of MCUs.
  case restarts = "large-restarts.jpg"
  /// A picture of 8000x6000 pixels, composed of 4 photographs.
  case png = "large.png"

  var title: String {
    switch self {
    case .jpeg: "one JPEG of 300 MP"
    case .restarts: "one JPEG of 300 MP with restart markers"
    case .png: "one PNG of 48 MP"
    }
  }
  private var side: Int { self == .png ? 2 : 5 }
  private static let (tileWidth, tileHeight) = (4000, 3000)

  /// Creates the file if it is missing, and returns its path.
  func path(_ bench: Bench) throws(BenchFailure) -> String {
    let path = bench.inputs.folder + "/" + rawValue
    if RawFile.exists(path) { return path }
    BenchProgram.message("making \(title)")
    let part = path + ".part"
    if self == .restarts {
      let command = ["jpegtran", "-restart", "1", "-outfile", part, try Self.jpeg.path(bench)]
      guard Measurement(command) != nil else { throw .failed("jpegtran, of Debian's package libjpeg-turbo-progs") }
    } else {
      let photos = try bench.inputs.neededPhotos()
      let count = side * side
      let tiles = (0..<count).map { photos[$0 * photos.count / count] }
      guard Measurement(Subprocess.largeInput.command([rawValue, part] + tiles)) != nil else { throw .noInput(title) }
    }
    guard Measurement(["mv", part, path]) != nil else { throw .noInput(title) }
    return path
  }

  /// Runs the subprocess with the arguments `KIND RESULT PHOTO…`.
  static func run(_ arguments: [String]) -> Int32 {
    guard arguments.count > 2, let kind = LargeInput(rawValue: arguments[0]),
      let bytes = try? kind.encoded(Array(arguments[2...]))
    else { return 1 }
    return bytes.withUnsafeBytes { RawFile.write($0.baseAddress!, count: $0.count, to: arguments[1]) ? 0 : 1 }
  }

  /// Returns the file's bytes; nil if a photograph is too small or cannot be decoded.
  private func encoded(_ photos: [String]) throws -> EncodedBytes? {
    let width = side * Self.tileWidth
    let layout = PictureLayout(width: width, height: side * Self.tileHeight, format: .rgb8)
    let codec: any PictureCodec = self == .png ? PNGCodec() : JPEGCodec()
    let options: [(name: String, value: ParameterValue)] =
      self == .png ? [] : [("quality", .integer(90)), ("subsampling", .text("4:2:0"))]
    let arguments = try Arguments(RawArguments(named: options), parameters: codec.saveParameters, positionalCount: 0)
    let sink = PooledSink(reserving: 1 << 20)
    let encoder = try codec.makeEncoder(to: sink, layout: layout, metadata: PictureMetadata(), arguments: arguments)
    var band = [UInt8](repeating: 0, count: width * Self.tileHeight * 3)
    for row in 0..<side {
      for column in 0..<side {
        guard let tile = DecodedJPEG(photos[row * side + column]), tile.width >= Self.tileWidth,
          tile.height >= Self.tileHeight
        else { return nil }
        for y in 0..<Self.tileHeight {
          let target = (y * width + column * Self.tileWidth) * 3
          let source = tile.samples[y * tile.width * 3..<(y * tile.width + Self.tileWidth) * 3]
          band.replaceSubrange(target..<target + source.count, with: source)
        }
      }
      try band.withUnsafeBytes {
        try encoder.write(Self.tileHeight, from: $0.baseAddress!, stride: layout.rowByteCount)
      }
    }
    try encoder.finish()
    return sink.bytes
  }
}
