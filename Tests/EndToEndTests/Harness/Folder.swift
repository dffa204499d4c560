import Foundation
import TestSupport
import Testing

/// A new folder for one test, removed with its last reference.
final class Folder {
  let path: String

  init() throws {
    // Links followed, so that programs and tests call it by one name.
    let temporary = URL(fileURLWithPath: NSTemporaryDirectory()).resolvingSymlinksInPath().path
    path = temporary + "/imghost-e2e-" + UUID().uuidString
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  func callAsFunction(_ name: String) -> String { path + "/" + name }

  func write(_ name: String, _ text: String) throws { try write(name, Array(text.utf8)) }

  func write(_ name: String, _ bytes: [UInt8]) throws {
    try makeFolder((name as NSString).deletingLastPathComponent)
    try writeFile(bytes, to: self(name))
  }

  func makeFolder(_ name: String) throws {
    try FileManager.default.createDirectory(
      atPath: self(name), withIntermediateDirectories: true)
  }

  func copy(_ source: String, to name: String) throws {
    try makeFolder((name as NSString).deletingLastPathComponent)
    try FileManager.default.copyItem(atPath: source, toPath: self(name))
  }

  func link(_ name: String, to target: String) throws {
    try FileManager.default.createSymbolicLink(atPath: self(name), withDestinationPath: target)
  }

  func exists(_ name: String) -> Bool { FileManager.default.fileExists(atPath: self(name)) }
  func bytes(_ name: String) -> [UInt8] { [UInt8](FileManager.default.contents(atPath: self(name)) ?? Data()) }

  /// The paths of all files below the folder, sorted.
  var files: [String] {
    let walker = FileManager.default.enumerator(atPath: path)
    var files: [String] = []
    while let name = walker?.nextObject() as? String {
      var isFolder: ObjCBool = false
      _ = FileManager.default.fileExists(atPath: self(name), isDirectory: &isFolder)
      if !isFolder.boolValue { files.append(name) }
    }
    return files.sorted()
  }

  /// The temporary files of runs that have not been renamed yet.
  var temporaries: [String] { files.filter { $0.contains(".imghost-") } }

  /// Runs imghost in this folder.
  func imghost(_ arguments: String..., environment: [String: String?] = [:], input: String = "", seconds: Double = 20)
    throws -> Outcome
  {
    try imghost(arguments, environment: environment, input: input, seconds: seconds)
  }

  func imghost(_ arguments: [String], environment: [String: String?] = [:], input: String = "", seconds: Double = 20)
    throws -> Outcome
  {
    try Command(arguments: arguments, folder: path, environment: environment, input: input, seconds: seconds).run()
  }

  /// Runs a script as `t.lua`, after a first line `local img = require "imghost"`.
  func run(
    _ script: String, _ options: String..., arguments: [String] = [],
    environment: [String: String?] = [:], seconds: Double = 20
  ) throws -> Outcome {
    try write("t.lua", "local img = require \"imghost\"\n" + script)
    return try imghost(["run"] + options + ["t.lua"] + arguments, environment: environment, seconds: seconds)
  }
}
