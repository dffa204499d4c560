import CommandInterface
import ImageCore
import ImagePipeline
import Sharding

/// The facts about a run that its batch scripts and later commands need: the file `run.json`.
package struct RunRecord: Sendable, Equatable {
  package var name: RunName
  /// The absolute path of the run's folder.
  package var folder: String
  package var command: ClusterCommand
  package var batch = BatchOptions()
  package var division: RunDivision
  /// The identity of the run, which the manifests of its shards contain.
  package var identity: RunIdentity
  /// The numbers of the most recent jobs: for messages, and to ignore ended jobs of earlier attempts with the same
  /// names.
  package var arrayJob: String?
  package var mergeJob: String?

  /// - Parameters:
  ///   - division: the division into shards. By default, the division and the identity are planned later.
  package init(
    name: RunName, folder: String, command: ClusterCommand, division: RunDivision = RunDivision(pictures: []),
    identity: RunIdentity = RunIdentity(version: "", script: "", digest: "", arguments: [], options: [])
  ) {
    self.identity = identity
    self.name = name
    self.folder = folder
    self.command = command
    self.division = division
  }

  /// The argument that stands for the run in commands, quoted for a shell: its name, or its folder if that is not in
  /// the default place.
  package var reference: String {
    folder.hasSuffix("/imghost/runs/" + name.text) ? name.text : ShellWord.quoted(printable(folder))
  }
}

/// The division of a run into shards, as planned.
package struct RunDivision: Sendable, Equatable {
  /// The number of pictures of each shard.
  package var pictures: [Int]

  package init(pictures: [Int]) { self.pictures = pictures }

  package var shards: Int { pictures.count }
}

/// The command that runs on the nodes.
package struct ClusterCommand: Sendable, Equatable {
  /// The version and the path of imghost.
  package var version = ""
  package var program = "imghost"
  /// The folder that relative paths refer to.
  package var workingFolder = "/"
  /// The script as the user named it.
  package var script = ""
  package var arguments: [String] = []
  /// The folder of the outputs as the user named it.
  package var outputFolder = "."
  /// Options of both `run` and `merge`, each with its value in one word: `--out=/shared`.
  package var words: [String] = []
  /// Whether nodes copy pictures to their local disks before decoding them.
  package var isStaged = false
  /// Whether `--on-error` is `stop`.
  package var stopsAtFailure = true

  package init() {}

  package var absoluteOutputFolder: String { PathName.absolute(outputFolder, in: workingFolder) }
}

// MARK: - JSON

/// The record as JSON.
extension RunRecord {
  private static let format = 1

  var json: JSON {
    .object([
      ("format", .integer(Self.format)), ("name", .text(name.text)), ("folder", .text(folder)),
      ("version", .text(command.version)), ("program", .text(command.program)),
      ("working_folder", .text(command.workingFolder)), ("script", .text(command.script)),
      ("arguments", .array(command.arguments.map { .text($0) })), ("out", .text(command.outputFolder)),
      ("options", .array(command.words.map { .text($0) })),
      ("stage", .boolean(command.isStaged)),
      ("stop_at_failure", .boolean(command.stopsAtFailure)),
      ("batch", batch.json), ("pictures", .array(division.pictures.map { .integer($0) })),
      ("identity", identity.json), ("array_job", .optional(arrayJob)), ("merge_job", .optional(mergeJob)),
    ])
  }

  /// Parses a record; returns nil if the JSON is not a valid record of this format.
  init?(_ json: JSON) {
    guard json["format"]?.integerValue == Self.format, let name = (json["name"]?.textValue).flatMap({ RunName($0) }),
      let folder = json["folder"]?.textValue, let command = ClusterCommand(json),
      let identity = json["identity"].flatMap(RunIdentity.init)
    else { return nil }
    let division = RunDivision(pictures: json["pictures"]?.items.compactMap(\.countValue) ?? [])
    guard division.shards > 0, division.shards <= ShardIndex.most else { return nil }
    self.init(name: name, folder: folder, command: command, division: division, identity: identity)
    guard let batch = BatchOptions(json["batch"] ?? .object([])) else { return nil }
    self.batch = batch
    arrayJob = json["array_job"]?.textValue
    mergeJob = json["merge_job"]?.textValue
  }

  /// Parses the text of a record; returns nil for any other text or format.
  package init?(_ bytes: [UInt8]) {
    guard let json = JSONReader.value(of: String(decoding: bytes, as: UTF8.self)) else { return nil }
    self.init(json)
  }

  /// Reads the record in a run's folder; returns nil if it is missing or invalid.
  package init?(in folder: RunFolder) {
    guard let text = try? folder.read(RunFolder.record) else { return nil }
    self.init(Array(text.utf8))
  }
}

extension ClusterCommand {
  fileprivate init?(_ json: JSON) {
    guard let version = json["version"]?.textValue, let program = json["program"]?.textValue,
      let workingFolder = json["working_folder"]?.textValue, let script = json["script"]?.textValue,
      let outputFolder = json["out"]?.textValue
    else { return nil }
    self.init()
    (self.version, self.program, self.workingFolder) = (version, program, workingFolder)
    (self.script, self.outputFolder) = (script, outputFolder)
    arguments = json.texts("arguments")
    words = json.texts("options")
    isStaged = json["stage"]?.isTrue ?? false
    stopsAtFailure = json["stop_at_failure"]?.isTrue ?? true
  }
}

extension BatchOptions {
  fileprivate var json: JSON {
    .object([
      ("partition", .optional(partition)), ("account", .optional(account)), ("time", .optional(time)),
      ("task_memory", .optional(taskMemory)), ("task_cpus", .optional(taskProcessors)),
      ("predicted_memory", .integer(predictedMemory)), ("plan_memory", .integer(planMemory)),
      ("further", .array(further.map { .text($0) })),
    ])
  }

  /// Parses the options of a batch script. Returns nil if a value would add further options or lines to the script.
  fileprivate init?(_ json: JSON) {
    self.init()
    (partition, account, time) = (json["partition"]?.textValue, json["account"]?.textValue, json["time"]?.textValue)
    (taskMemory, taskProcessors) = (json["task_memory"]?.countValue, json["task_cpus"]?.countValue)
    predictedMemory = json["predicted_memory"]?.countValue ?? 0
    planMemory = json["plan_memory"]?.countValue ?? 0
    further = json.texts("further")
    guard [partition, account, time].allSatisfy({ $0.map(Self.isPlain) ?? true }),
      further.allSatisfy({ !$0.utf8.contains(UInt8(ascii: "\n")) })
    else { return nil }
  }
}

extension RunIdentity {
  fileprivate var json: JSON {
    .object([
      ("version", .text(version)), ("script", .text(script)), ("sha256", .text(digest)),
      ("arguments", .array(arguments.map { .text($0) })), ("options", .array(options.map { .text($0) })),
    ])
  }

  fileprivate init?(_ json: JSON) {
    guard let version = json["version"]?.textValue, let script = json["script"]?.textValue,
      let digest = json["sha256"]?.textValue
    else { return nil }
    self.init(
      version: version, script: script, digest: digest, arguments: json.texts("arguments"),
      options: json.texts("options"))
  }
}

extension JSON {
  /// Returns the strings in the array with this name; empty if there is none.
  fileprivate func texts(_ name: String) -> [String] { self[name]?.items.compactMap(\.textValue) ?? [] }
}
