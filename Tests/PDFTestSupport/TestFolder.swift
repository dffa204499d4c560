import Foundation
import PDFBook

/// A folder for one test, removed with its last reference.
package final class TestFolder: Sendable {
  package let path: String

  package init() {
    path = NSTemporaryDirectory() + "imghost-pdf-" + UUID().uuidString
    try! FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  package func file(_ name: String) -> String { path + "/" + name }

  /// Writes a file, and returns its path.
  package func write(_ bytes: [UInt8], as name: String) -> String {
    _ = FileManager.default.createFile(atPath: file(name), contents: Data(bytes))
    return file(name)
  }

  package func read(_ name: String) -> [UInt8] { Array(FileManager.default.contents(atPath: file(name))!) }

  /// Makes a book with a closure, and returns its bytes and its summary.
  @discardableResult
  package func book(
    _ name: String = "book.pdf", settings: DocumentSettings = DocumentSettings(), _ body: (PDFWriter) throws -> Void
  ) throws -> (bytes: [UInt8], summary: PDFSummary) {
    let descriptor = open(file(name), O_CREAT | O_TRUNC | O_WRONLY, 0o644)
    defer { close(descriptor) }
    let writer = try PDFWriter(descriptor: descriptor, path: file(name), settings: settings)
    try body(writer)
    let summary = try writer.finish()
    return (read(name), summary)
  }
}

/// Runs a program from the PATH; nil if it is not installed.
package func runTool(_ name: String, _ arguments: [String]) throws -> (status: Int32, text: String)? {
  let folders = ProcessInfo.processInfo.environment["PATH"]?.split(separator: ":") ?? []
  guard
    let folder = folders.first(where: {
      FileManager.default.isExecutableFile(atPath: "\($0)/\(name)")
    })
  else { return nil }
  return try runProgram("\(folder)/\(name)", arguments)
}

/// Runs a program, and returns its output and error text.
package func runProgram(_ path: String, _ arguments: [String]) throws -> (status: Int32, text: String) {
  let process = Process()
  let pipe = Pipe()
  process.executableURL = URL(fileURLWithPath: path)
  process.arguments = arguments
  process.standardOutput = pipe
  process.standardError = pipe
  try process.run()
  let data = pipe.fileHandleForReading.readDataToEndOfFile()
  process.waitUntilExit()
  return (process.terminationStatus, String(decoding: data, as: UTF8.self))
}
