import ImageCore

/// An output, and the files that it is made from.
package struct OutputRecord: Sendable {
  package let job: Job
  /// The output's index in the job.
  package let index: Int
  /// The files that the output is made from. The file at the start of the picture's chain comes first, then the files
  /// of pictures among the arguments of operations.
  package internal(set) var sources: [PictureFile]
  /// The rotations and crops of the picture's steps; empty if there are none, and for a document.
  package internal(set) var view = ""
}

/// The facts about a run that are kept for reports.
package struct RunResults: Sendable {
  /// The plan, if requested: one line for each output and, in a dry run, for each verification.
  package internal(set) var planLines: [String] = []
  /// The sinks' descriptions of outputs in a dry run, one line each.
  package internal(set) var descriptions: [String] = []
  /// Records of sinks, for observers that know their types, if the run's options request them.
  package internal(set) var sinkRecords: [any Sendable] = []
  /// The checked graphs of a dry run, if the run's options request them.
  package internal(set) var checked: [CheckedGraph] = []
  /// The files from which the outputs are made, if they are recorded.
  package internal(set) var outputs: [OutputRecord] = []
  /// All files that the outputs depend on, except for the script's files and imghost itself; empty unless
  /// `RunOptions.keepsDependencies` is set.
  package internal(set) var read: Set<String> = []
  /// Whether the script has verified a document, which is a result without an output.
  package internal(set) var hasVerified = false
  /// The reports that `img.verify` has returned, in the order of the calls.
  package internal(set) var documentReports: [DocumentReport] = []

  mutating func addSources(of checked: CheckedGraph) {
    outputs += checked.outputs.files.map {
      OutputRecord(job: $0.job, index: $0.index, sources: $0.picture.sources.files, view: $0.picture.view)
    }
    var known: [ObjectIdentifier: Int] = [:]
    var paths: [ObjectIdentifier: Set<String>] = [:]
    for page in checked.outputs.entries {
      let key = ObjectIdentifier(page.document)
      let place = known[key] ?? outputs.count
      if place == outputs.count {
        known[key] = place
        outputs.append(OutputRecord(job: page.job, index: page.document.outputIndex, sources: []))
      }
      for file in page.picture.sources.files where paths[key, default: []].insert(file.path).inserted {
        outputs[place].sources.append(file)
      }
    }
  }
}

extension Picture {
  /// The rotations and crops from the source to this picture, in their order, as text.
  fileprivate var view: String {
    var changes: [String] = []
    for current in chain {
      if case .operation(_, let declared, _) = current.step {
        // `auto_orient` turns by its picture's metadata.
        let metadata = try? current.inputs.first?.info().metadata
        let operation = metadata.flatMap { declared.adapted(to: $0) } ?? declared
        if let turning = operation.turning { changes.append("\(turning)") }
        if let region = operation.cutRegion { changes.append("\(region)") }
      }
    }
    return changes.reversed().joined(separator: " ")
  }
}
