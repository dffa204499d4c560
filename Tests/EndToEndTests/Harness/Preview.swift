import Foundation
import ImageCore
import Platform
import Testing

/// A running `imghost preview`, and a client that sends the requests of a browser.
final class Preview {
  struct Answer {
    let status: Int
    let headers: [String: String]
    let body: [UInt8]

    var text: String { String(decoding: body, as: UTF8.self) }
    var json: JSON? { JSONReader.value(of: text) }
  }

  /// Not recorded as an issue, because a preview that restarts itself does not answer for a moment.
  private struct NoAnswer: Error { let request: String }

  let running: Command.Running
  let port: UInt16
  let token: String

  /// Starts a preview of a script in a folder, and waits for its address.
  init(_ script: String, _ options: [String] = [], in folder: Folder) throws {
    var command = Command(arguments: ["preview", "--no-browser"] + options + [script], folder: folder.path)
    command.environment = ["XDG_RUNTIME_DIR": folder.path]
    running = try command.start()
    var address = ""
    let running = running
    let isThere = running.wait {
      address =
        running.soFar.split(whereSeparator: \.isWhitespace).first { $0.hasPrefix("http://") }.map(String.init) ?? ""
      return address.hasSuffix("/")
    }
    try #require(isThere, "the preview gives no address: \(running.soFar)")
    let parts = address.split(separator: "/")
    port = try #require(UInt16(parts[1].split(separator: ":").last ?? ""))
    token = String(parts[2])
  }

  deinit {
    running.send(SIGKILL)
    _ = running.finish(within: 5)
  }

  /// Sends a request to a path below the preview's address.
  func ask(
    _ method: String = "GET", _ path: String, body: String = "", headers: [String: String] = [:], token: String? = nil,
    root: String? = nil
  ) throws -> Answer {
    var all = ["Host": "127.0.0.1:\(port)", "Connection": "close", "Content-Length": "\(body.utf8.count)"]
    if method == "POST" { all["X-Imghost"] = "preview" }
    all.merge(headers) { $1 }
    let head =
      "\(method) \(root ?? "/\(token ?? self.token)/")\(path) HTTP/1.1\r\n" + all.map { "\($0): \($1)\r\n" }.joined()
      + "\r\n"
    let bytes = try exchange(Array((head + body).utf8))
    guard let answer = Self.parsed(bytes) else { throw NoAnswer(request: "\(method) \(path)") }
    return answer
  }

  /// Waits until the state of the page meets a condition, and returns it.
  func state(where condition: (JSON) -> Bool = { !($0["status"]?.textValue == "evaluating") }) throws -> JSON {
    var state = JSON.null
    let isThere = running.wait {
      state = (try? ask("GET", "state").json) ?? .null
      return condition(state)
    }
    try #require(isThere, "the preview does not get into the expected state: \(state.line)")
    return state
  }

  /// Connects to the preview. The caller closes the socket.
  func connect() throws -> Int32 {
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
    let code = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        Platform.connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    guard code == 0 else {
      close(descriptor)
      throw NoAnswer(request: "connect")
    }
    return descriptor
  }

  private func exchange(_ request: [UInt8]) throws -> [UInt8] {
    let descriptor = try connect()
    defer { close(descriptor) }
    _ = request.withUnsafeBytes { send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 64 << 10)
    while true {
      let count = recv(descriptor, &buffer, buffer.count, 0)
      guard count > 0 else { return bytes }
      bytes += buffer[..<count]
    }
  }

  private static func parsed(_ bytes: [UInt8]) -> Answer? {
    let end = Array("\r\n\r\n".utf8)
    guard let start = bytes.firstRange(of: end) else { return nil }
    let lines = String(decoding: bytes[..<start.lowerBound], as: UTF8.self).components(separatedBy: "\r\n")
    guard let status = lines.first?.split(separator: " ").dropFirst().first.flatMap({ Int($0) }) else { return nil }
    var headers: [String: String] = [:]
    for line in lines.dropFirst() {
      let halves = line.split(separator: ":", maxSplits: 1).map { $0.trimmingCharacters(in: .whitespaces) }
      if halves.count == 2 { headers[halves[0].lowercased()] = halves[1] }
    }
    return Answer(status: status, headers: headers, body: Array(bytes[start.upperBound...]))
  }
}
