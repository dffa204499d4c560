import ImageCore
import Sharding

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

  /// Reads a record; nil if it is none, or one of another format.
  init?(_ json: JSON) {
    guard json["format"]?.integerValue == Self.format, let name = (json["name"]?.textValue).flatMap({ RunName($0) }),
      let folder = json["folder"]?.textValue, let command = ClusterCommand(json),
      let identity = json["identity"].flatMap(RunIdentity.init)
    else { return nil }
    let division = RunDivision(pictures: json["pictures"]?.items.compactMap(\.integerValue) ?? [])
    guard division.shards > 0 else { return nil }
    self.init(name: name, folder: folder, command: command, division: division, identity: identity)
    batch = json["batch"].map(BatchOptions.init) ?? BatchOptions()
    arrayJob = json["array_job"]?.textValue
    mergeJob = json["merge_job"]?.textValue
  }

  /// Reads the record of a run's folder; nil if there is none.
  package init?(in folder: RunFolder) {
    guard let text = try? folder.read(RunFolder.record), let json = JSONReader.value(of: text) else { return nil }
    self.init(json)
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

  fileprivate init(_ json: JSON) {
    self.init()
    (partition, account, time) = (json["partition"]?.textValue, json["account"]?.textValue, json["time"]?.textValue)
    (taskMemory, taskProcessors) = (json["task_memory"]?.integerValue, json["task_cpus"]?.integerValue)
    predictedMemory = json["predicted_memory"]?.integerValue ?? 0
    planMemory = json["plan_memory"]?.integerValue ?? 0
    further = json.texts("further")
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
  /// The texts of an array.
  fileprivate func texts(_ name: String) -> [String] { self[name]?.items.compactMap(\.textValue) ?? [] }
}
