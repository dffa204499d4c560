import ImageCore
import ImagePipeline

/// A refusal by Slurm, or a failure to start its programs.
package enum SlurmError: Error, Equatable {
  case missingProgram(String)
  /// - Parameter code: the value of `errno`.
  case notStarted(String, code: Int32)
  /// The controller received the request and refused it.
  case refused(String)
  /// The controller does not answer, or does not know the user.
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

  /// Returns the reason from the output of a program: its own last line, without its name.
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

  /// Messages of slurm_errno.c, in lower case, that mean that the controller was not reached.
  private static let unreachable = [
    "unable to contact slurm controller", "timed out", "zero bytes were transmitted", "connection refused",
    "unable to establish", "authentication", "munge", "unable to determine this slurmd", "communication",
    "resource temporarily unavailable", "could not establish a configuration source",
  ]

  /// Returns advice for a refusal, chosen by messages of slurm_errno.c.
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
