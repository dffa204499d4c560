import ImageCore
import ImagePipeline
import Platform
import PluginHost
import Reporting
import Scheduling

/// The list of the paths that a run has written, read and searched, for `imghost run --watch`. Each path ends with a
/// zero byte, and an empty path follows each of the first two groups.
struct WatchedFiles: RunObserver {
  /// The environment variable with the path of the list.
  static let variable = "IMGHOST_WATCHED_FILES"
  /// The path of the list; nil if this process was not started by `imghost run --watch`. Programs that this one starts,
  /// such as the one that draws the thumbnails of a report, must not write the list.
  static let list: String? = {
    let path = Executable.environment(variable)
    unsetenv(variable)
    return path
  }()

  private let path: String

  /// Returns nil if this process was not started by `imghost run --watch`.
  init?() {
    guard let path = Self.list else { return nil }
    self.path = path
  }

  func describeOutputs(of outcome: RunOutcome, on scheduler: Scheduler, _: PluginHost) -> Diagnostic? {
    let run = outcome.run
    let outputs = run.jobs.flatMap(\.result.outputs).map(\.path).filter { OutputPipe($0) == nil }
    // Missing files are included, because creating them may change the outputs.
    let read = Set(DependencyFile.files(of: run)).union(run.graph.inputs.pictures.map(\.text))
      .subtracting([PipedInput.standardInput])
    let names = outputs + [""] + read + [""] + run.graph.inputs.searched.keys.map(\.text)
    do throws(PictureError) {
      let file = try OutputFile(path: path)
      try file.write(names.flatMap { PathBytes.bytes(of: $0) + [0] })
      try file.commit()
      return nil
    } catch {
      return Diagnostic(.output, at: nil, subject: RunWatch.option.name, message: error.description)
    }
  }

  struct Paths {
    var outputs: Set<String> = []
    var read: Set<String> = []
    var searched: Set<String> = []
  }

  /// Reads the list that a run has written; nil if it is missing or invalid.
  static func read(_ path: String) -> Paths? {
    guard let file = try? InputFile(path: path), let bytes = try? file.bytes(at: 0, count: file.byteCount) else {
      return nil
    }
    let names = bytes.split(separator: 0, omittingEmptySubsequences: false).map { PathBytes.text(bytes: $0) }
    let groups = names.dropLast().split(separator: "", omittingEmptySubsequences: false).map(Set.init)
    guard groups.count == 3 else { return nil }
    return Paths(outputs: groups[0], read: groups[1], searched: groups[2])
  }
}
