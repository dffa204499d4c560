import CommandInterface
import ImageCore
import ImagePipeline
import Sharding

/// Facts about a run that its scripts and its followers need: the file `run.json`.
package struct RunRecord: Sendable, Equatable {
  package var name: RunName
  /// The folder of the run, an absolute path.
  package var folder: String
  package var command: ClusterCommand
  package var batch = BatchOptions()
  package var division: RunDivision
  /// The identity that the manifests of its shards have.
  package var identity: RunIdentity
  /// The numbers of the last jobs. They are only shown: jobs are found by their names.
  package var arrayJob: String?
  package var mergeJob: String?

  /// - Parameters:
  ///   - division: planned later if not given, and so is the identity.
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

  /// The run as commands name it: by its name, or by its folder where that is not the usual one. Quoted for a shell.
  package var reference: String {
    folder.hasSuffix("/imghost/runs/" + name.text) ? name.text : ShellWord.quoted(printable(folder))
  }
}

/// The division of a run into shards, by the plan.
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
  /// The folder in which relative paths begin.
  package var workingFolder = "/"
  /// The script as it was named.
  package var script = ""
  package var arguments: [String] = []
  /// The folder of the outputs, as it was named.
  package var outputFolder = "."
  /// Options of both `run` and `merge`, each with its value in one word: `--out=/shared`.
  package var words: [String] = []
  /// Whether nodes copy pictures to their own disk before they decode them.
  package var isStaged = false
  /// Whether `--on-error` is `stop`.
  package var stopsAtFailure = true

  package init() {}

  package var absoluteOutputFolder: String { PathName.absolute(outputFolder, in: workingFolder) }
}
