import Foundation
import Testing

/// Checks by other programs of a PDF that imghost has written.
enum SecondOpinions {
  /// Expects that `qpdf --check`, `mutool` and Ghostscript, if they are installed, read the whole file without any
  /// message.
  static func expectNoComplaint(_ path: String, sourceLocation: SourceLocation = #_sourceLocation) throws {
    for (program, arguments) in [
      ("qpdf", ["--check", path]),
      ("mutool", ["draw", "-q", "-r", "20", "-o", "/dev/null", "-F", "ppm", path]),
      (
        "gs", ["-q", "-dNOPAUSE", "-dBATCH", "-dSAFER", "-dPDFSTOPONERROR", "-sDEVICE=nullpage", path]
      ),
    ] {
      guard let outcome = try run(program, arguments) else { continue }
      // Debian's mutool says at each start that it was built without colour management.
      let words = outcome.text.lowercased().replacingOccurrences(of: "warning: icc support is not available", with: "")
      let isClean =
        outcome.status == 0 && !words.contains("warning") && !words.contains("error:")
      #expect(isClean, "\(program): \(outcome.text)", sourceLocation: sourceLocation)
    }
  }

  /// Expects that Apache PDFBox's Preflight, if Debian's packages of it are installed, accepts the file as PDF/A-1b.
  static func expectPDFA1b(_ path: String, sourceLocation: SourceLocation = #_sourceLocation) throws {
    let jars = [
      "javax.activation", "jaxb-api", "preflight", "pdfbox2", "xmpbox", "fontbox2",
      "commons-logging",
    ].map { "/usr/share/java/\($0).jar" }
    guard jars.allSatisfy({ FileManager.default.fileExists(atPath: $0) }),
      let outcome = try run(
        "java", ["-cp", jars.joined(separator: ":"), "org.apache.pdfbox.preflight.Validator_A1b", path])
    else { return }
    #expect(
      outcome.text.contains("is a valid PDF/A-1b file"), "\(outcome.text)",
      sourceLocation: sourceLocation)
  }

  /// Returns the exit status of a program, and both its outputs as text; nil if the program is not installed.
  static func run(_ program: String, _ arguments: [String]) throws -> (status: Int32, text: String)? {
    let folders = ProcessInfo.processInfo.environment["PATH"]?.split(separator: ":") ?? []
    let found = folders.map { "\($0)/\(program)" }.first { FileManager.default.isExecutableFile(atPath: $0) }
    guard let found else { return nil }
    let process = Process()
    let pipe = Pipe()
    process.executableURL = URL(fileURLWithPath: found)
    process.arguments = arguments
    process.standardOutput = pipe
    process.standardError = pipe
    try process.run()
    let data = pipe.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    return (process.terminationStatus, String(decoding: data, as: UTF8.self))
  }
}
