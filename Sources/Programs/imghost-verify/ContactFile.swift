import ImageCodecs
import ImageCore
import PDFVerify
import Platform

/// The contact sheet of a report as a PNG or a JPEG.
enum ContactFile {
  /// The format of the file, chosen by its extension.
  enum Kind {
    case png, jpeg

    init?(_ path: String) {
      switch path.split(separator: ".").last?.lowercased() {
      case "png": self = .png
      case "jpg", "jpeg": self = .jpeg
      default: return nil
      }
    }

    fileprivate var codec: any PictureCodec {
      switch self {
      case .png: PNGCodec()
      case .jpeg: JPEGCodec()
      }
    }
  }

  /// The text that marks a file as a contact sheet of imghost, which another contact sheet may replace.
  private static let tool = "imghost verify --contact"
  private static let mark = Array(
    """
    <x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">\
    <rdf:Description xmlns:xmp="http://ns.adobe.com/xap/1.0/" xmp:CreatorTool="\(tool)"/></rdf:RDF></x:xmpmeta>
    """.utf8)

  /// Returns whether a contact sheet may replace the file at a path.
  static func mayReplace(_ path: String) -> Bool { WholeFile.mayReplace(path) { $0.contains(tool) } }

  static func write(_ report: VerificationReport, to path: String) throws(PictureError) {
    let file = try WholeFile(path)
    guard let codec = Kind(path)?.codec,
      let arguments = try? Arguments(RawArguments(), parameters: codec.saveParameters, positionalCount: 0)
    else { preconditionFailure("the codec's own defaults are wrong") }
    var encoder: (any PictureEncoder)?
    var stride = 0
    let isDrawn = try report.drawContactSheet { (width, height) throws(PictureError) in
      let layout = PictureLayout(width: width, height: height, format: .rgb8)
      stride = layout.rowByteCount
      encoder = try codec.makeEncoder(
        to: file, layout: layout, metadata: PictureMetadata(xmp: mark), arguments: arguments)
    } row: { (row) throws(PictureError) in
      try encoder?.write(1, from: row.baseAddress!, stride: stride)
    }
    guard isDrawn else { throw .operation(.unsuitable("there is not enough memory to draw the contact sheet")) }
    try encoder?.finish()
    try file.commit()
  }
}

/// A file that is replaced atomically: it is written under a temporary name in its folder, then renamed. A pipe or
/// device is written directly, and a symbolic link is followed.
final class WholeFile: ByteSink {
  private let path: String
  /// The final path; nil for a pipe, a device or one of this process's descriptors, which are written directly.
  private let place: String?
  private let temporary: String
  private var descriptor: Int32
  private var isDone = false

  init(_ path: String) throws(PictureError) {
    self.path = path
    var status = stat()
    let isThere = stat(path, &status) == 0
    // '/dev/stdout' may refer to a file that the shell has opened. Such a file is appended to, not replaced.
    guard heldDescriptor(path) == nil, !isThere || status.st_mode & S_IFMT == S_IFREG else {
      descriptor = openFile(path, O_WRONLY | O_APPEND | O_CLOEXEC)
      guard descriptor >= 0 else { throw .file(FileError(.create, path: path, code: errno)) }
      (place, temporary) = (nil, path)
      return
    }
    // Opening the path fails if another user has replaced it with a link.
    let known = openFile(path, openPathOnly | O_CLOEXEC, isForWriting: true)
    if known >= 0 { close(known) }
    guard known >= 0 || errno == ENOENT else { throw .file(FileError(.create, path: path, code: errno)) }
    var target = path
    if isThere, let real = realpath(path, nil) {
      target = PathBytes.text(real)
      free(real)
    }
    place = target
    (descriptor, temporary) = makeTemporaryFile(target + ".XXXXXX")
    guard descriptor >= 0 else { throw .file(FileError(.create, path: path, code: errno)) }
    let mask = umask(0o077)
    umask(mask)
    fchmod(descriptor, 0o666 & ~mask)
  }

  /// Returns whether the file at a path may be replaced: it is missing, empty, or no regular file, or `isEarlier` finds
  /// in its first 16 KiB that imghost has written it.
  static func mayReplace(_ path: String, _ isEarlier: (String) -> Bool) -> Bool {
    // A file that the shell has opened is appended to.
    if heldDescriptor(path) != nil { return true }
    guard let file = try? InputFile(path: path),
      let bytes = try? file.bytes(at: 0, count: min(16 << 10, file.byteCount))
    else {
      var status = stat()
      // An unreadable file must stay. Anything that is not a regular file is reported when it is opened.
      return stat(path, &status) != 0 || status.st_mode & S_IFMT != S_IFREG
    }
    return bytes.isEmpty || isEarlier(String(decoding: bytes, as: UTF8.self))
  }

  deinit {
    if descriptor >= 0 { close(descriptor) }
    if place != nil, !isDone { unlink(temporary) }
  }

  func write(_ bytes: UnsafeRawBufferPointer) throws(PictureError) {
    let code = writeAll(bytes, to: descriptor)
    if code != 0 { throw .file(FileError(.write, path: path, code: code)) }
  }

  func commit() throws(PictureError) {
    let closed = close(descriptor)
    descriptor = -1
    guard closed == 0, place.map({ rename(temporary, $0) == 0 }) ?? true else {
      throw .file(FileError(.write, path: path, code: errno))
    }
    isDone = true
  }

  static func write(_ text: String, to path: String) throws(PictureError) {
    let file = try WholeFile(path)
    try Array(text.utf8).withUnsafeBufferPointer { (bytes) throws(PictureError) in
      try file.write(UnsafeRawBufferPointer(bytes))
    }
    try file.commit()
  }
}
