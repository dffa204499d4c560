import ImageCore

/// The source pictures of one output.
package struct OutputRecord: Sendable {
  package let job: Job
  /// The output's place in the job.
  package let index: Int
  /// The files that the output is made of: that of the picture itself before those of what is put onto it.
  package internal(set) var sources: [PictureFile]
}

/// The facts that a run keeps for those who report on it.
package struct RunResults: Sendable {
  /// The plan, a line for each output, if it was asked for.
  package internal(set) var planLines: [String] = []
  /// The descriptions of outputs by their sinks in a dry run, a line each.
  package internal(set) var descriptions: [String] = []
  /// Values that sinks keep for observers that know their types, if the run's options ask for them.
  package internal(set) var sinkRecords: [any Sendable] = []
  /// The checked graphs of a dry run, if the run's options ask for them.
  package internal(set) var checked: [CheckedGraph] = []
  /// The files that the outputs are made of, if they are kept.
  package internal(set) var outputs: [OutputRecord] = []
  /// All files that the outputs depend on, except for those of the script and of imghost, if they are kept.
  package internal(set) var read: Set<String> = []
  /// Whether the script has verified a document, which is a result without an output.
  package internal(set) var hasVerified = false
  /// The reports that `img.verify` has given, in the order of the calls.
  package internal(set) var documentReports: [DocumentReport] = []

  /// Records which files the outputs are made of.
  mutating func addSources(of checked: CheckedGraph) {
    outputs += checked.outputs.files.map {
      OutputRecord(job: $0.job, index: $0.index, sources: $0.picture.sources.files)
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
