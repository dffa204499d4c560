import ImageCore
import PDFVerify

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Checks one PDF in this process, within limits.
struct Worker {
  let options: Options

  /// The exit status.
  func run() -> Int32 {
    Limits.set()
    let expected: VerificationExpectations?
    do {
      expected = try options.expectations.map(Self.readExpectations)
    } catch {
      complain("\(options.expectations ?? ""): \(error)")
      return 2
    }
    let (path, isJSON, timeout) = (options.paths[0], options.isJSON, options.timeout)
    let verifier = Verifier(
      jobs: options.jobs ?? max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN))), deadline: timeout,
      decodeJPEG: decodeEmbeddedJPEG
    ) { page in
      let text =
        page == 0
        ? "opening it takes more than \(timeout) s; it was given up"
        : "rendering takes more than \(timeout) s; the document was given up"
      Output.write(
        VerificationReport(path: path, page: page == 0 ? nil : page, failure: text),
        asJSON: isJSON)
      _exit(4)
    }
    let errorOutput = ErrorOutput()
    let report = verifier.verify(path, expecting: expected).adding(messages: errorOutput.lines())
    Output.write(report, asJSON: isJSON)
    return report.isVerified ? 0 : report.isUnreadable ? 1 : 4
  }

  private static func readExpectations(_ path: String) throws -> VerificationExpectations {
    let bytes = path == "-" ? readStandardInput() : try readFile(path)
    return try VerificationExpectations(text: String(decoding: bytes, as: UTF8.self))
  }

  private static func readFile(_ path: String) throws -> [UInt8] {
    let file = try InputFile(path: path)
    return try file.bytes(at: 0, count: file.byteCount)
  }

  private static func readStandardInput() -> [UInt8] {
    var bytes: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 65_536)
    while true {
      let count = read(0, &chunk, chunk.count)
      if count < 0 && errno == EINTR { continue }
      guard count > 0 else { return bytes }
      bytes += chunk[..<count]
    }
  }
}

/// One line on standard error.
func complain(_ text: String) {
  let line = Array("imghost-verify: \(text)\n".utf8)
  _ = write(2, line, line.count)
}
