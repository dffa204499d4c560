import ImageCore

/// The pictures of which a run makes one output.
package struct OutputRecord: Sendable {
  package let job: Job
  /// The output's place in the job.
  package let index: Int
  /// The files that it is made of, the picture itself before what is put onto it.
  package internal(set) var sources: [PictureFile]
}

extension Run {
  /// Returns what the script says about a job's outputs for the manifest; nil for nothing.
  package func note(of job: Job) -> ParameterValue? { notes[ObjectIdentifier(job)] }

  /// Keeps which files the outputs are made of.
  func record(_ files: [FileOutput], _ pages: [PageOutput]) {
    outputRecords += files.map {
      OutputRecord(job: $0.job, index: $0.index, sources: $0.picture.sources.files)
    }
    var known: [ObjectIdentifier: Int] = [:]
    var paths: [ObjectIdentifier: Set<String>] = [:]
    for page in pages {
      let key = ObjectIdentifier(page.document)
      let place = known[key] ?? outputRecords.count
      if place == outputRecords.count {
        known[key] = place
        outputRecords.append(OutputRecord(job: page.job, index: page.document.outputIndex, sources: []))
      }
      for file in page.picture.sources.files where paths[key, default: []].insert(file.path).inserted {
        outputRecords[place].sources.append(file)
      }
    }
  }
}
