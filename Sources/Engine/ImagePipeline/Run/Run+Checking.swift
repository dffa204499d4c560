import ImageCore
import Scheduling

/// Turns what was recorded into tasks on the scheduler.
extension Run {
  /// Whether the mistakes found so far keep everything from running.
  private var mustStop: Bool {
    mistakes.contains { $0.kind.stopsRun }
      || (options.onError == .stop && !mistakes.isEmpty)
  }

  /// Checks everything recorded since the last time, and starts it if all is well.
  ///
  /// - Throws: `Stopped` if there are mistakes; nothing of this batch has been started then.
  ///
  /// - Parameters:
  ///   - isLast: whether the script has ended.
  ///   - onChecked: called between checking and starting.
  package func settle(isLast: Bool = false, onChecked: () -> Void = {}) throws(Stopped) {
    let calls = pending
    settings.close().forEach(note)
    let checked = check()
    // Only the tasks hold a book's pages from here on.
    let documents = checked.documents
    if mustStop {
      // A dry run reports everything.
      if options.isDryRun { for note in checked.notes { progress.observer(.note(note)) } }
      throw Stopped()
    }
    // Under `continue`, files that cannot be read are reported now and the rest goes on.
    mistakes.forEach(progress.fail)
    for note in checked.notes { progress.observer(.note(note)) }
    noted = DiagnosticLog()
    if options.keepsRecords { record(checked.files, checked.pages) }
    onChecked()
    let deepest = calls.flatMap(\.pictures).map(\.depth).max() ?? 0
    let tasks = withStack(forDepth: deepest) { () throws(Never) in
      let tasks = self.makeTasks(checked, isLast: isLast)
      if self.options.part.isWhole { self.describe(tasks) }
      return tasks
    }
    if options.isDryRun {
      if options.keepsPlan { planned += checked.planned }
      for call in calls { call.markPlanned() }
      return
    }
    start(tasks, documents: documents, jobs: calls.map(\.job))
  }

  /// Adds the lines of tasks to the plan, as many as are asked for.
  private func describe(_ tasks: [PictureTask]) {
    let most = options.isDryRun ? Int.max : options.mostPlanLines
    let left = most - planLines.count
    guard left > 0, !tasks.isEmpty else { return }
    planLines += PlanText.lines(Array(tasks.prefix(left))).prefix(left)
  }

  /// Finds the mistakes in what is recorded and not started, so that they are reported with the failure of the script
  /// itself.
  package func checkPending() { _ = check() }

  /// The results of checking. It does not hold the paths, which are many.
  private struct CheckedSinks {
    let files: [FileOutput]
    let pages: [DocumentEntry]
    let documents: [any Document]
    let notes: [Diagnostic]

    /// The outputs in the order of the calls that ask for them.
    var planned: [PlannedOutput] {
      let pictures =
        files.map { PlannedOutput($0) } + pages.filter { !($0.document is any PagedDocument) }.map { PlannedOutput($0) }
      return pictures + documents.compactMap { $0 as? any PagedDocument }.map { PlannedOutput($0) }
    }
  }

  /// Checks what is recorded and notes mistakes.
  private func check() -> CheckedSinks {
    let calls = pending
    pending = []
    for areBooks in [false, true] {
      readHeaders(calls.filter { ($0.job.kind == .book) == areBooks }.flatMap(\.pictures), lookingAtEnds: areBooks)
    }
    var checker = SinkChecker(
      environment: environment, options: options, claimedPaths: claimedPaths, taken: taken,
      locale: languageOfDates,
      knowledge: PictureKnowledge(traits: { self.traits(of: $0) }, hint: { self.hint(for: $0) }),
      lacksPictures: hasEmptyGlob)
    for call in calls {
      let sink: any Sink =
        switch call.job.kind {
        case .book: bookSink
        case .animation, .multipage: multipageSink
        case .tiles: tilesSink
        case .save, .verify: saveSink
        }
      sink.check(call, with: &checker)
    }
    saveSink.checkTogether(with: &checker)
    bookSink.checkTogether(with: &checker)
    checker.mistakes.forEach(note)
    noted.addFurther(checker.furtherMistakes)
    recordedByteCount += RecordedMemory.output * max(0, checker.claimedPaths.count - claimedPaths.count)
    claimedPaths = checker.claimedPaths
    designLines += checker.designLines
    designs += checker.designs
    for (book, cover) in checker.covers {
      if let index = designs.firstIndex(where: { $0.path == book }) { designs[index].covers.append(cover) }
    }
    return CheckedSinks(files: checker.files, pages: checker.pages, documents: checker.documents, notes: checker.notes)
  }

  /// Reads the headers of all files that are needed, several at a time. Threads that may wait read those that are not in
  /// the system's memory.
  ///
  /// - Parameter lookingAtEnds: whether the ends of files that may be stored unchanged are read, too.
  package func readHeaders(_ pictures: [Picture], lookingAtEnds: Bool = false) {
    let waiting = WorkGroup(on: scheduler)
    scheduler.parallelFor(pictures.count, qos: .userInitiated) { [scheduler] index in
      let picture = pictures[index]
      if HeaderWork.isAtHand(picture, lookingAtEnds: lookingAtEnds) {
        _ = try? picture.info()
      } else if let item = try? scheduler.submit(
        HeaderWork(picture, lookingAtEnds: lookingAtEnds), qos: .userInitiated)
      {
        // Headers that an invalidated scheduler refuses are read when they are needed.
        waiting.add(item)
      }
    }
    waiting.wait(as: .userInitiated)
  }

  private func makeTasks(_ checked: CheckedSinks, isLast: Bool) -> [PictureTask] {
    let checked = withEqualPictures(checked, isLast: isLast)
    shareInputs(of: checked.files.map(\.picture) + checked.pages.map(\.picture))
    let keptFrames = results.frames
    let decoded = checked.pages.filter { $0.copiesSource == nil }.map(\.picture) + checked.files.map(\.picture)
    // Shards divide a script alike, whatever their workers.
    var groups = TaskGroups(workers: options.part.isWhole ? scheduler.configuration.workers : 1)
    for page in checked.pages { groups.count(page.picture) }
    for file in checked.files { groups.count(file.picture) }
    // Books first: their pages are then made in the order they are written, and few wait in memory.
    let shared = PictureTask.Shared(
      opening: environment.opening, sharedFrames: sharedFrames, keptFrames: keptFrames,
      sharedShrinks: SharedShrinks(decoded, sharedFrames: sharedFrames, kept: keptFrames),
      results: isLast ? nil : results, run: progress, scheduler: scheduler)
    let make = { TaskBuilder() }
    for page in checked.pages { groups.builder(page.picture, for: page.job, make).add(page) }
    for file in checked.files { groups.builder(file.picture, for: file.job, make).add(file) }
    let builders = divided(groups.takeBuilders(), shared)
    let workers = scheduler.configuration.workers
    let parallelism = builders.count < workers ? workers : 1
    return TaskBuilder.joined(builders, workers: workers).map {
      $0.task(parallelism: parallelism, shared)
    }
  }

  /// Returns the outputs with one picture in the place of all that are described alike.
  private func withEqualPictures(_ checked: CheckedSinks, isLast: Bool) -> CheckedSinks {
    let all = checked.files.map(\.picture) + checked.pages.map(\.picture)
    if isLast, equalPictures.isEmpty, EqualPictures.areAllDifferent(all) { return checked }
    defer { if isLast { equalPictures = EqualPictures() } }
    return CheckedSinks(
      files: checked.files.map { $0.with(equalPictures.representative(of: $0.picture)) },
      pages: checked.pages.map { $0.with(equalPictures.representative(of: $0.picture)) }, documents: checked.documents,
      notes: checked.notes)
  }

  /// Finds pictures among the arguments of operations, such as a watermark, that several pictures use. They are made
  /// once for the run.
  private func shareInputs(of pictures: [Picture]) {
    var users: [ObjectIdentifier: Int] = [:]
    var seen: Set<ObjectIdentifier> = []
    var takenIn: Set<String> = []
    var stack = pictures
    while let picture = stack.popLast() {
      guard seen.insert(ObjectIdentifier(picture)).inserted else { continue }
      for input in picture.inputs.dropFirst() {
        if let file = input.origin, file !== picture.origin { takenIn.insert(file.path) }
        let key = ObjectIdentifier(input)
        users[key, default: 0] += 1
        if users[key] == 2, sharedFrames[key] == nil {
          sharedFrames[key] = SharedFrame(
            input, opening: environment.opening, cancellation: cancellation, colours: environment.colours,
            scheduler: scheduler, note: { [weak progress] note, file in progress?.add(note, of: file) })
        }
      }
      stack += picture.inputs
    }
    let origins = pictures.compactMap { picture in picture.origin.map { ObjectIdentifier($0) } }
    progress.state.withLock { state in
      state.origins.formUnion(origins)
      state.takenIn.formUnion(takenIn)
    }
  }

  private func start(_ tasks: [PictureTask], documents: [any Document], jobs: [Job]) {
    startedJobs += jobs
    progress.state.withLock { $0.openJobs += jobs.count }
    for job in jobs {
      job.state.withLock { $0.isStarted = true }
      for earlier in job.after { earlier.state.withLock { $0.hasFollowers = true } }
    }
    let pictureCount = tasks.reduce(0) { $0 + $1.pictureCount }
    progress.observer(.started(pictures: options.part.finished == nil ? pictureCount : leftPictureCount))
    let left = settleElsewhere(documents, of: jobs)
    for document in documents where !left.contains(ObjectIdentifier(document)) { document.start(progress) }
    do throws(SchedulingError) {
      for task in tasks { try submit(task) }
    } catch {
      preconditionFailure("a run outlived its scheduler")
    }
    for job in jobs { progress.finishIfDone(job) }
  }

  private func submit(_ task: PictureTask) throws(SchedulingError) {
    var dependencies: [WorkItem.Dependency] = []
    for frame in task.sharedFrames { dependencies.append(.end(of: try frame.item(scheduler, qos: task.qos))) }
    for job in task.after { dependencies.append(.success(of: try gate(of: job))) }
    let item = try scheduler.submit(task, qos: task.qos, byteCount: task.byteCount, after: dependencies)
    for job in task.jobs { job.add(item) }
  }

  /// Returns the item that ends with the job.
  private func gate(of job: Job) throws(SchedulingError) -> WorkItem {
    if let known = job.state.withLock({ $0.gate }) { return known }
    let items = job.state.withLock { $0.items }
    let place = job.position.map { " of \($0.file):\($0.line)" } ?? " before it"
    let gate = try scheduler.submitGate("the job" + place, for: items)
    job.state.withLock { $0.gate = gate }
    if job.isFinished {
      let result = job.result
      scheduler.complete(gate, result.isSuccess ? .finished : result.isCancelled ? .cancelled : .failed)
    }
    return gate
  }
}

/// Reads the header of a picture's file on a thread that may wait for the disk.
final class HeaderWork: Work {
  let name: String
  private let picture: Picture
  private let looksAtEnds: Bool

  /// - Parameter lookingAtEnds: see `Run.readHeaders`.
  init(_ picture: Picture, lookingAtEnds: Bool) {
    self.picture = picture
    looksAtEnds = lookingAtEnds
    name = "header of \(picture.origin?.name ?? "a picture")"
  }

  /// Whether all that is needed of the file is known without waiting for the disk.
  static func isAtHand(_ picture: Picture, lookingAtEnds: Bool) -> Bool {
    guard let file = picture.origin else { return true }
    return file.isHeaderAtHand(withEnd: lookingAtEnds && picture.untouchedFile != nil)
  }

  var isInputReady: Bool { Self.isAtHand(picture, lookingAtEnds: looksAtEnds) }

  func fetchInput() {
    _ = try? picture.origin?.read()
    if looksAtEnds { _ = picture.untouchedFile?.endsProperly }
  }

  func step() -> WorkStep {
    _ = try? picture.info()
    return .finished
  }

  var isCancelled: Bool { false }
  func abandon(_ reason: CancellationReason) {}
}
