import BookExpectations
import ImageCodecs
import ImageCore
import PDFVerify
import Platform

/// Checks one PDF in this process, within limits.
struct Worker {
  let options: Options

  /// Runs the check, and returns the exit status.
  func run() -> Int32 {
    PopplerData.useOwn()
    Limits.set(memory: options.memory ?? 0)
    let expected: VerificationExpectations?
    do {
      expected = try options.expectations.map(Self.readExpectations)
    } catch {
      complain("\(options.expectations ?? ""): \(error)")
      return 2
    }
    let progress = Progress(options.progress, path: options.paths[0])
    let verifier: Verifier
    do {
      verifier = try makeVerifier(progress)
    } catch {
      report(error, of: "against")
      return 2
    }
    let errorOutput = ErrorOutput()
    let report = verifier.verify(options.paths[0], expecting: expected).adding(messages: errorOutput.lines())
    progress.end()
    return deliver(report, progress)
  }

  private func makeVerifier(_ progress: Progress) throws(FileError) -> Verifier {
    let (isJSON, junit) = (options.isJSON, options.junitDescriptor)
    var verifier = Verifier(
      jobs: options.jobs ?? max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN))), deadline: options.timeout,
      decodeJPEG: decodeEmbeddedJPEG
    ) { report in
      let code = Output.write(report, asJSON: isJSON, junit: junit)
      if code != 0 { progress.complain(Output.failure(code)) }
      // Threads that hang would block an orderly exit, too.
      _exit(4)
    }
    verifier.requirements = options.requirements
    if let memory = options.memory { verifier.memory = memory }
    verifier.password = options.passwordDescriptor.map(Self.password)
    verifier.drawsPages = options.contact != nil
    verifier.sources = try options.against.map { (folder) throws(FileError) in
      try SourceFolder(folder)
    }
    verifier.onPage = { done, pages in progress.page(done, of: pages) }
    return verifier
  }

  /// Reports a folder that cannot be opened: with `--json` as an object that names the option, else as a message.
  private func report(_ error: FileError, of option: String) {
    let text = "\(error.path): \(Self.folderText(error))"
    guard options.isJSON else { return complain("--\(option): \(text)") }
    let finding = JSON.object([("severity", .text("error")), ("text", .text(text))])
    let report = JSON.object([
      ("file", .text(options.paths[0])), ("ok", .boolean(false)), ("option", .text(option)),
      ("findings", .array([finding])),
    ])
    print(report.line)
  }

  /// Returns the reason why a folder cannot be opened.
  private static func folderText(_ error: FileError) -> String {
    var status = stat()
    if error.code == ENOENT { return "there is no such folder" }
    if error.code == ENOTDIR, stat(error.path, &status) == 0 {
      return "it is a file, not a folder; give the folder that it is in"
    }
    return error.description
  }

  /// Writes the report to all requested places, and returns the exit status.
  private func deliver(_ report: VerificationReport, _ progress: Progress) -> Int32 {
    let code = Output.write(report, asJSON: options.isJSON, junit: options.junitDescriptor)
    var status: Int32 = report.isSound ? 0 : report.isUnreadable ? 1 : 4
    if code != 0 {
      progress.complain(Output.failure(code))
      status = max(status, 1)
    }
    if let contact = options.contact, !report.isUnreadable {
      do {
        try ContactFile.write(report, to: contact)
      } catch {
        progress.complain("--contact: \(contact): \(error)")
        status = max(status, 1)
      }
    }
    return status
  }

  /// Reads the password. Wraps `pread(2)`, which leaves the file offset unchanged for later workers.
  private static func password(_ descriptor: Int32) -> String {
    var bytes = [UInt8](repeating: 0, count: 4_096)
    let count = max(0, pread(descriptor, &bytes, bytes.count, 0))
    return String(decoding: bytes[..<count], as: UTF8.self)
  }

  private static func readExpectations(_ path: String) throws -> VerificationExpectations {
    var parser = ExpectationsParser(keepingFingerprintsIn: FingerprintFile())
    if path == "-" {
      try parser.add(readStandardInput())
      return try parser.finish()
    }
    let file = try InputFile(path: path)
    for offset in stride(from: 0, to: file.byteCount, by: 1 << 18) {
      try parser.add(file.bytes(at: offset, count: 1 << 18))
    }
    return try parser.finish()
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

/// Writes one line to standard error.
func complain(_ text: String) {
  let line = Array("imghost-verify: \(text)\n".utf8)
  _ = write(2, line, line.count)
}

/// Captures the lines that libraries, such as the libjpeg that poppler uses, print on standard error, for the report.
struct ErrorOutput {
  private let file: UnsafeMutablePointer<FILE>?

  /// Redirects standard error to an unnamed file. Wraps `tmpfile(3)` and `dup2(2)`.
  init() {
    file = tmpfile()
    if let file { dup2(fileno(file), 2) }
  }

  /// Returns the lines so far, from the first 64 KB.
  func lines() -> [String] {
    guard let file else { return [] }
    var bytes = [UInt8](repeating: 0, count: 65_536)
    let count = pread(fileno(file), &bytes, bytes.count, 0)
    return bytes[..<max(0, count)].split(separator: 10).map { String(decoding: $0, as: UTF8.self) }
  }
}

/// Decodes an embedded JPEG with imghost's own decoder, which is independent of poppler's.
///
/// A damaged stream is an error here, even if poppler shows part of it.
@Sendable
func decodeEmbeddedJPEG(_ bytes: [UInt8]) throws(PictureError) -> any RowSource {
  let details = try JPEGCodec().readHeader(bytes).details
  guard details["arithmetic"] == nil else {
    throw .codec(.unsupported("arithmetic coding, which readers show blank,"))
  }
  return try JPEGCodec().makeDecoder(bytes)
}
