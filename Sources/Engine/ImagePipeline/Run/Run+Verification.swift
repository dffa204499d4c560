import ImageCore
import Platform
import Scheduling
import VerifierOptions

/// Verifies documents while the script waits.
extension Run {
  /// Checks the options of `img.verify`; nil if they have mistakes, which are reported.
  package func documentCheck(_ path: String, _ raw: RawArguments, at position: ScriptPosition?) -> DocumentCheck? {
    guard let checker = environment.documents else {
      graph.report("verify", "documents cannot be verified here", position)
      return nil
    }
    if let claim = paths.claim(of: PathName.joined(options.outputFolder, path)), claim.hashedCount > 0 {
      graph.report(
        "verify",
        "'\(printable(path))' gets its name when it is complete; verify job:await().path, or give the book verify = true",
        position)
      return nil
    }
    var raw = raw
    var texts: [String] = []
    if let index = raw.named.firstIndex(where: { $0.name == "text" }) {
      // A `ParameterDescriptor` cannot express a list of texts.
      let value = raw.named[index].value
      let items = if case .list(let list) = value { list } else { [value] }
      texts = items.compactMap { if case .text(let text) = $0 { text } else { nil } }
      guard texts.count == items.count else {
        graph.report("verify", "'text' must be a text or a list of texts", position)
        return nil
      }
      if case .list = value { raw.named[index].value = .text("") }
      // The verifier receives the text as a process argument, which ends at the first NUL, so only a part of the text
      // would be searched.
      guard texts.allSatisfy({ !$0.utf8.contains(0) }) else {
        graph.report("verify", "'text' has a NUL, which no text of a PDF has", position)
        return nil
      }
      guard texts.allSatisfy({ $0.contains { !$0.isWhitespace } }), !texts.isEmpty else {
        graph.report("verify", "'text' is empty; which text must be there?", position)
        return nil
      }
    }
    do throws(ArgumentErrors) {
      let arguments = try Arguments(
        raw, parameters: VerifyParameters.all, positionalCount: 0)
      let problems = checker.problems(with: arguments)
      for problem in problems { graph.report("verify", problem.text, position) }
      return problems.isEmpty ? DocumentCheck(path: resolved(path), arguments: arguments, texts: texts) : nil
    } catch {
      graph.report(error, of: "verify", position)
      return nil
    }
  }

  /// Returns the path of a document: inside the output folder if this run writes the document, otherwise as it was
  /// given.
  private func resolved(_ path: String) -> String {
    let whole = PathName.joined(options.outputFolder, path)
    return writes(whole) ? whole : path
  }

  /// Returns whether the script makes a document.
  package func makes(document path: String) -> Bool { writes(PathName.joined(options.outputFolder, path)) }

  /// Returns whether this run writes the file at a path: an output has claimed the path, or a request to a sink of the
  /// environment names it.
  private func writes(_ path: String) -> Bool {
    let real = realPath(path)
    return paths.claims[real] != nil
      || graph.hasRequest { request in
        environment.sink(request.job.kind) != nil
          && realPath(PathName.joined(options.outputFolder, request.name)) == real
      }
  }

  /// Prevents outputs that are not claimed yet from replacing files that pages are compared with.
  private func addComparisons(in folder: String) {
    let own = Set(paths.claims.keys.compactMap { FileIdentity(at: $0.text) })
    for file in FolderFiles(in: folder).identities.subtracting(own) {
      fileRegister.read(file, for: .comparison)
    }
  }

  /// Returns the jobs that write the document, or files in the folder that it is compared with; none in a dry run.
  private func jobs(writing path: String, or folder: String?) -> [Job] {
    guard !options.isDryRun else { return [] }
    let place = realPath(path)
    let inside = folder.map { paths.real.folder($0) + "/" }
    var jobs: [ObjectIdentifier: Job] = [:]
    for (other, claim) in paths.claims {
      let isInside = inside.map { other.text.utf8.starts(with: $0.utf8) } ?? false
      if isInside || other == place { jobs[ObjectIdentifier(claim.job)] = claim.job }
    }
    return Array(jobs.values)
  }

  private func realPath(_ path: String) -> InternedPath { paths.real.place(of: path) }

  /// Verifies a document in the service class `utility`, after the jobs that write it. The script's thread waits, and
  /// reports jobs that finish meanwhile.
  ///
  /// In a dry run, a document that the run would write does not exist; its report says that it was not checked. Other
  /// documents are verified as usual.
  package func verify(_ check: DocumentCheck, onFinished: (Job) throws -> Void) throws -> DocumentReport {
    results.hasVerified = true
    let isWritten = writes(check.path)
    let isPlanned = options.isDryRun && isWritten
    if !isWritten { paths.reserved.addFile(check.path, for: .document) }
    let folder = check.arguments.optionalText("against")
    if let folder { addComparisons(in: folder) }
    try settle()
    if isPlanned { return planned(check) }
    for job in jobs(writing: check.path, or: folder) { try wait(forNextOf: [job], onFinished: onFinished) }
    guard let checker = environment.documents else {
      preconditionFailure("options of a check were accepted where nothing can be checked")
    }
    if options.isDryRun { results.planLines.append("verify \(check.path): done, as nothing here writes it") }
    let job = Job(.verify, position: nil, qos: .utility, parent: cancellation)
    job.state.withLock { state in
      state.isStarted = true
      state.remaining = 1
    }
    progress.state.withLock { $0.openJobs += 1 }
    let result = Monitor<DocumentReport?>(nil)
    let progress = self.progress
    do throws(SchedulingError) {
      try scheduler.submitWaiting(.utility, name: "verify " + check.path) {
        result.withLock { $0 = checker.check(check, job.cancellation) }
        job.state.withLock { $0.remaining = 0 }
        progress.finishIfDone(job)
      }
    } catch {
      preconditionFailure("a run outlived its scheduler")
    }
    try wait(forNextOf: [job], onFinished: onFinished)
    let report = result.withLock { $0 } ?? DocumentReport(path: check.path, failure: "it was not verified")
    results.documentReports.append(report)
    graph.recordedByteCount += RecordedMemory.documentReport
    return report
  }
}

extension Run {
  /// Returns the report on a document that the run would write if it were not a dry run.
  private func planned(_ check: DocumentCheck) -> DocumentReport {
    results.planLines.append("verify \(check.path): not done in a dry run")
    var report = DocumentReport(path: check.path, isSound: true)
    report.isLookedAt = false
    report.expectedPages = check.arguments.optionalInteger("pages")
    report.findings = [
      DocumentReport.Finding(page: nil, severity: "note", text: "it was not verified: a dry run writes no files")
    ]
    return report
  }
}

/// The options of `img.verify`.
package enum VerifyParameters {
  /// The options in the order of help.
  package static let all = (VerifyOption.requirements + VerifyOption.workings).compactMap(\.scriptParameter)
}
