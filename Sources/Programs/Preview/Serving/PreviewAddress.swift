import ImageCore
import Platform

/// The address of a preview: a port of this machine, and a random token that other programs and web pages cannot guess.
///
/// Each start by the user has a new token, because a page that was opened earlier may have sent the old token to
/// another program that took the port in between. The port is stored for each script, so that such a page can find out
/// that the preview was started again.
struct PreviewAddress {
  let socket: Int32
  let port: Int
  let token: String
  /// A private file that redirects a browser to the address; nil if it could not be written.
  let link: String?
  /// The folder of `link` and of the stored port; nil for none.
  private let folder: CacheFolder?
  private let name: String

  /// The prefix of all paths of the page.
  var root: String { "/\(token)/" }
  var text: String { "http://127.0.0.1:\(port)" + root }

  /// Opens a port.
  ///
  /// - Parameters:
  ///   - port: the port that the user wants; nil for the previous one, or any.
  ///   - script: the script's absolute path.
  ///   - folder: the folder that stores ports; nil for none. Files of other users in it are ignored.
  init(port wanted: Int?, script: String, folder path: String?) throws(PreviewServer.Failure) {
    folder = path.map { CacheFolder(path: $0) }
    name = "preview-" + SHA256.digest(of: Array(script.utf8)).description.prefix(16)
    if let (socket, token) = Self.handedOver() {
      (self.socket, self.token) = (socket, token)
    } else {
      token = Self.randomWord()
      socket = try Self.listen(wanted, known: folder.flatMap { [name] in Self.port(name, in: $0) })
    }
    port = Int(localPort(of: socket))
    let target = "http://127.0.0.1:\(port)/\(token)/"
    let page = "<!doctype html>\n<meta http-equiv=\"refresh\" content=\"0; url=\(target)\">\n"
    let hasLink = folder?.keep(Array(page.utf8), name + ".html") ?? false
    link = hasLink ? path.map { [name] in $0 + "/" + name + ".html" } : nil
    folder?.keep(Array("\(port)\n".utf8), name)
  }

  private static func listen(_ wanted: Int?, known: Int?) throws(PreviewServer.Failure) -> Int32 {
    if let wanted {
      guard let socket = listen(on: wanted) else {
        throw PreviewServer.Failure(reason: "port \(wanted) is taken; choose another with --port, or leave it out")
      }
      return socket
    }
    guard let socket = known.flatMap({ listen(on: $0) }) ?? listen(on: 0) else {
      throw PreviewServer.Failure(reason: "the system gives no port: " + systemText(errno))
    }
    return socket
  }

  /// Returns the stored port; nil if there is none.
  private static func port(_ name: String, in folder: CacheFolder) -> Int? {
    guard let bytes = folder.read(name, atMost: 200) else { return nil }
    let word = String(decoding: bytes, as: UTF8.self).split(whereSeparator: \.isWhitespace).first
    return word.flatMap { Int($0) }.flatMap { (1...65_535).contains($0) ? $0 : nil }
  }

  /// Returns 128 random bits from the system.
  private static func randomWord() -> String {
    var generator = SystemRandomNumberGenerator()
    return Hexadecimal.text((0..<16).map { _ in UInt8.random(in: .min ... .max, using: &generator) })
  }

  private static func listen(on port: Int) -> Int32? {
    let descriptor = listenLocally(port: UInt16(port))
    return descriptor < 0 ? nil : descriptor
  }

  /// Removes the file that redirects to the page.
  func forget() { folder?.remove(name + ".html") }

  /// Returns the HMAC-SHA256 (RFC 2104), with the token as the key, of a random number that a page has chosen. This
  /// proves to the page that this program knows the token, without revealing the token.
  func proof(of nonce: String) -> String {
    // The token is shorter than a block of the hash.
    let key = Array(token.utf8) + [UInt8](repeating: 0, count: 64 - token.utf8.count)
    let inner = SHA256.digest(of: key.map { $0 ^ 0x36 } + Array(nonce.utf8))
    return SHA256.digest(of: key.map { $0 ^ 0x5c } + inner.bytes).description
  }

  // MARK: - a program that starts itself again

  /// The environment variable that passes on the socket and the token. Other users cannot read a program's environment.
  private static let variable = "IMGHOST_PREVIEW_ADDRESS"

  /// Passes the address on to the program that replaces this one in its process. The socket stays open, so that no
  /// other program can take the port.
  func keepForRestart() {
    _ = fcntl(socket, F_SETFD, 0)
    setenv(Self.variable, "\(socket) \(token)", 1)
  }

  /// Returns the socket and the token of the previous program; nil if no valid ones were passed on.
  private static func handedOver() -> (Int32, String)? {
    guard let text = getenv(variable).map({ String(cString: $0) }) else { return nil }
    unsetenv(variable)
    let words = text.split(separator: " ")
    guard words.count == 2, let socket = Int32(words[0]), words[1].utf8.count == 32, localPort(of: socket) > 0 else {
      return nil
    }
    _ = fcntl(socket, F_SETFD, FD_CLOEXEC)
    return (socket, String(words[1]))
  }
}
