import ImageCore
import Platform

/// The address of a preview: a port of this machine and a random word that other programs and web pages cannot guess.
///
/// Both are kept for the script, so that an open page finds a preview that was started again.
struct PreviewAddress {
  let socket: Int32
  let port: Int
  let token: String
  /// A file of this user alone that leads a browser to the address; nil without a folder.
  let linkFile: String?

  var text: String { "http://127.0.0.1:\(port)/\(token)/" }

  /// Why no port can be had, as a clause for the user.
  struct Failure: Error { let reason: String }

  /// Takes a port.
  ///
  /// - Parameters:
  ///   - port: the port that the user wants; nil for that of the last time, or any.
  ///   - script: the script's absolute path.
  ///   - folder: the folder in which addresses are kept; nil for none.
  init(port wanted: Int?, script: String, folder: String?) throws(Failure) {
    let file = folder.map { $0 + "/preview-" + SHA256.digest(of: Array(script.utf8)).description.prefix(16) }
    let known = file.flatMap(Self.read)
    token = known?.token ?? Self.randomWord()
    if let wanted {
      guard let socket = Self.listen(on: wanted) else {
        throw Failure(reason: "port \(wanted) is taken; choose another with --port, or leave it out")
      }
      (self.socket, port) = (socket, wanted)
    } else {
      guard let socket = known.flatMap({ Self.listen(on: $0.port) }) ?? Self.listen(on: 0) else {
        throw Failure(reason: "the system gives no port: " + systemText(errno))
      }
      (self.socket, port) = (socket, Self.port(of: socket))
    }
    linkFile = file.map { $0 + ".html" }
    if let file { Self.write("\(port) \(token)\n", to: file) }
    if let linkFile {
      let target = "http://127.0.0.1:\(port)/\(token)/"
      Self.write("<!doctype html>\n<meta http-equiv=\"refresh\" content=\"0; url=\(target)\">\n", to: linkFile)
    }
  }

  private static func read(_ path: String) -> (port: Int, token: String)? {
    guard let file = try? InputFile(path: path), file.byteCount < 200,
      let bytes = try? file.bytes(at: 0, count: file.byteCount)
    else { return nil }
    let words = String(decoding: bytes, as: UTF8.self).split(whereSeparator: \.isWhitespace)
    guard words.count == 2, let port = Int(words[0]), (1...65_535).contains(port), words[1].utf8.count == 32 else {
      return nil
    }
    return (port, String(words[1]))
  }

  /// A file that cannot be written costs a page that does not find its preview again.
  private static func write(_ text: String, to path: String) {
    unlink(path)
    let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { return }
    _ = Array(text.utf8).withUnsafeBytes { writeAll($0, to: descriptor) }
    close(descriptor)
  }

  /// 128 bits of the system's random numbers.
  private static func randomWord() -> String {
    var generator = SystemRandomNumberGenerator()
    return Hexadecimal.text((0..<16).map { _ in UInt8.random(in: .min ... .max, using: &generator) })
  }

  private static func listen(on port: Int) -> Int32? {
    let descriptor = listenLocally(port: UInt16(port))
    return descriptor < 0 ? nil : descriptor
  }

  private static func port(of socket: Int32) -> Int { Int(localPort(of: socket)) }
}
