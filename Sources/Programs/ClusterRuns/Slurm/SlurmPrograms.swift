import ImageCore
import ImagePipeline
import Platform

/// Runs Slurm's programs, and waits for each to end.
package struct SlurmPrograms: Sendable {
  struct Answer {
    let ending: ProcessEnding
    let output: String
    let errors: String
  }

  /// The folder that contains the programs; nil to search the PATH.
  private let folder: String?

  package init(in folder: String? = nil) { self.folder = folder }

  /// Runs a program without input, in a process group of its own, so that Ctrl-C does not reach it.
  ///
  /// - Parameter words: the program's arguments.
  func run(_ program: String, _ words: [String]) throws(SlurmError) -> Answer {
    // Files accept any amount of output, whereas pipes would need another thread to read them.
    let (output, errors) = (makeMemoryFile(program), makeMemoryFile(program))
    defer { for descriptor in [output, errors] where descriptor >= 0 { close(descriptor) } }
    guard output >= 0, errors >= 0 else { throw .notStarted(program, code: errno) }
    let process: ChildProcess
    do throws(ChildProcess.Failure) {
      process = try ChildProcess(
        folder.map { $0 + "/" + program } ?? program, words,
        descriptors: [
          .open("/dev/null", flags: O_RDONLY, as: STDIN_FILENO), .duplicate(output, as: STDOUT_FILENO),
          .duplicate(errors, as: STDERR_FILENO),
        ], signals: .ownGroup)
    } catch {
      throw error.code == ENOENT ? .missingProgram(program) : .notStarted(program, code: error.code)
    }
    guard let ending = process.wait() else { throw .notStarted(program, code: errno) }
    return Answer(ending: ending, output: Self.text(of: output), errors: Self.text(of: errors))
  }

  private static func text(of descriptor: Int32) -> String {
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 65_536)
    while true {
      let count = pread(descriptor, &buffer, buffer.count, off_t(bytes.count))
      guard count > 0 else { return String(decoding: bytes, as: UTF8.self) }
      bytes += buffer[..<count]
    }
  }
}

/// A refusal by Slurm, or a failure to start its programs.
package enum SlurmError: Error, Equatable {
  case missingProgram(String)
  /// - Parameter code: the value of `errno`.
  case notStarted(String, code: Int32)
  /// The controller received the request and refused it.
  case refused(String)
  /// The controller cannot be reached, or the authentication failed.
  case unreachable(String)
  case unexpectedAnswer(String, String)

  /// Classifies the text that a program wrote to standard error.
  init(program: String, errors: String) {
    let words = Self.reason(errors, program: program)
    let isUnreachable = Self.unreachable.contains { words.lowercased().contains($0) }
    self = isUnreachable ? .unreachable(words) : .refused(words)
  }

  package var text: String {
    switch self {
    case .missingProgram(let name):
      "cannot find '\(name)' of Slurm; work on a machine of the cluster, or run each shard by "
        + "'imghost run --shard K/N' and then 'imghost merge'"
    case .notStarted(let name, let code): "cannot start '\(name)': \(systemText(code))"
    case .refused(let words): "Slurm refused the job: \(printable(words)); \(Self.advice(words))"
    case .unreachable(let words):
      "Slurm does not answer: \(printable(words)); try again when 'scontrol ping' finds a controller"
    case .unexpectedAnswer(let name, let words): "unexpected answer of '\(name)': '\(printable(words))'"
    }
  }

  /// Returns the reason from the output of a program: the last line that begins with the program's name, or else the
  /// last line, without that name and similar prefixes.
  ///
  ///     sbatch: error: invalid partition specified: night
  ///     sbatch: error: Batch job submission failed: Invalid partition name specified
  private static func reason(_ errors: String, program: String) -> String {
    let lines = errors.split(separator: "\n").map(String.init)
    let own = lines.last { $0.hasPrefix(program + ": ") } ?? lines.last ?? "no reason given"
    var words = Substring(own)
    for start in [program + ": ", "error: ", "fatal: ", "Batch job submission failed: "] where words.hasPrefix(start) {
      words = words.dropFirst(start.count)
    }
    return String(words)
  }

  /// Parts of messages of slurm_errno.c, in lower case: the controller was not reached, or the authentication failed.
  private static let unreachable = [
    "unable to contact slurm controller", "timed out", "zero bytes were transmitted", "connection refused",
    "unable to establish", "authentication", "munge", "unable to determine this slurmd", "communication",
    "resource temporarily unavailable", "could not establish a configuration source",
  ]

  /// Returns advice for a refusal, depending on its message, which is one of slurm_errno.c.
  private static func advice(_ words: String) -> String {
    let words = words.lowercased()
    return advices.first { words.contains($0.part) }?.text
      ?? "change the options of 'imghost submit', or the file of --sbatch"
  }

  private static let advices: [(part: String, text: String)] = [
    ("account", "choose one of yours with --account; 'sacctmgr show associations user=$USER' lists them"),
    ("partition", "choose one that 'sinfo' lists with --partition"),
    ("qos", "change it in the file of --sbatch; 'sacctmgr show qos' lists those there are"),
    ("time limit", "give a shorter --time, and more shards if that is too short"),
    ("memory", "give a smaller --task-memory; 'sinfo --format=\"%P %m\"' lists the nodes' megabytes"),
    ("array", "give fewer --shards; 'scontrol show config' lists the limit as MaxArraySize"),
    ("cpu count", "give fewer --task-cpus; 'sinfo --format=\"%P %c\"' lists the nodes' processors"),
    ("node configuration", "give fewer --task-cpus and a smaller --task-memory; 'sinfo --Node --long' lists the nodes"),
    ("policy", "the cluster limits what a user may ask for; give fewer --shards or a shorter --time"),
    ("permission", "ask those who run the cluster for access"),
  ]
}
