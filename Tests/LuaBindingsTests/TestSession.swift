import BookComposing
import Foundation
import ImageCodecs
import ImageCore
import ImageOperations
import ImagePipeline
import LuaRuntime
import Scheduling

@testable import LuaBindings

/// A session with the program's operations and formats, and a folder for files.
final class TestSession {
  let folder = NSTemporaryDirectory() + "imghost-session-" + UUID().uuidString
  let run: Run
  private(set) var session: ScriptSession!
  private(set) var printed: [String] = []
  private let scheduler = Scheduler(
    Scheduler.Configuration(workers: 2, memoryBudget: 256 << 20))

  init(settings: [String: String] = [:], plugins: [String: String] = [:], isDryRun: Bool = false) throws {
    try FileManager.default.createDirectory(atPath: folder + "/plugins", withIntermediateDirectories: true)
    for (name, text) in plugins {
      try Data(text.utf8).write(to: URL(fileURLWithPath: folder + "/plugins/" + name))
    }
    let paths = plugins.keys.sorted().map { [folder] in folder + "/plugins/" + $0 }
    var options = RunOptions()
    options.outputFolder = folder
    options.isDryRun = isDryRun
    scheduler.activate()
    run = Run(
      environment: Self.environment, options: options, scheduler: scheduler,
      cancellation: CancellationToken(), observer: { _ in })
    session = ScriptSession(
      run: run,
      options: ScriptSession.Options(
        version: "1.2.3", settings: settings, limits: LuaLimits(),
        plugins: LuaPluginFiles(paths: { _ in paths })),
      onPrint: { [unowned self] in printed.append($0) }, onOverrun: { _ in })
  }

  deinit {
    session = nil
    scheduler.invalidate()
    try? FileManager.default.removeItem(atPath: folder)
  }

  /// Runs a script, which begins in line 2, and returns its messages without the folder's path.
  @discardableResult
  func execute(_ script: String) -> [String] {
    let source = Array(("local img = require \"imghost\"\n" + script).utf8)
    var failure: Diagnostic?
    do throws(ScriptSession.Failure) {
      try session.execute(source: source, name: "t.lua", arguments: [])
    } catch {
      if case .script(let diagnostic) = error { failure = diagnostic }
      run.abandon()
    }
    return (run.graph.mistakes + (failure.map { [$0] } ?? []))
      .map { $0.text.replacingOccurrences(of: folder + "/", with: "") }
  }

  private static let environment: Environment = {
    let jpeg = JPEGCodec()
    let tools = BookTools(
      resize: { _ in .invalid },
      focusSearch: FocusSearch(
        preview: .invalid, find: { (_, _, _, _, _, _) throws(PictureError) in throw .codec(.truncated) }),
      pageCodec: jpeg, pageArguments: { _, _ in preconditionFailure("no book of these tests encodes a page") },
      decodePage: { (_) throws(PictureError) in throw .codec(.truncated) },
      verifier: VerifierProgram(path: "/nowhere/imghost-verify", jobs: 1, memory: 1 << 20))
    var environment = Environment(
      codecs: CodecList.all, recognise: { file throws(PictureError) in try CodecList.recognise(file) },
      operations: OperationList.all,
      opening: OpeningSteps(
        orient: { AutoOrient($0) }, named: AutoOrient.descriptor.name, convert: OperationList.toSRGB,
        named: ToProfile.descriptor.name),
      sinks: [BookSink.definition(tools)])
    environment.measurements = MeasurementList.all
    environment.measureTraits = MeasurementList.traits
    environment.pluginNames = { ["native"] }
    return environment
  }()
}
