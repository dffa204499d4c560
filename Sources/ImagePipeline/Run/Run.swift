import ImageCore
import Scheduling

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// One run of a script: records what the script asks for, checks it whole, and carries it out.
///
/// Used by the script's thread alone, but for `cancel()`. What it starts ends with it: `finish()` waits
/// for every job.
public final class Run {
  /// Why the script cannot go on: the mistakes have been collected.
  public struct Stopped: Error {}

  public let environment: Environment
  public let options: RunOptions
  private let scheduler: Scheduler
  private let progress: RunProgress
  /// Cancels the whole run.
  public let cancellation: CancellationToken

  /// Everything wrong with the script and its pictures that was found before running.
  public private(set) var mistakes: [Diagnostic] = []
  /// The plan, a line an output, where that was asked for.
  public private(set) var planLines: [String] = []
  private var files: [String: PictureFile] = [:]
  private var readPaths: Set<String> = []
  private var pending: [Sink] = []
  private var claimedPaths: [String: ScriptPosition?] = [:]
  private var sharedFrames: [ObjectIdentifier: SharedFrame] = [:]
  private let workingFolder: String

  public init(
    environment: Environment, options: RunOptions, scheduler: Scheduler,
    cancellation: CancellationToken, observer: @escaping @Sendable (RunEvent) -> Void
  ) {
    self.environment = environment
    self.options = options
    self.scheduler = scheduler
    self.cancellation = cancellation
    progress = RunProgress(
      environment: environment, options: options, cancellation: cancellation, observer: observer)
    let folder = getcwd(nil, 0)
    workingFolder = folder.map { String(cString: $0) } ?? "/"
    free(folder)
  }

  // MARK: - building the graph

  /// A picture file. Nothing is read yet.
  ///
  /// - Parameter raw: options, see `SourceParameters.open`.
  public func open(_ path: String, _ raw: RawArguments, at position: ScriptPosition?) -> Picture {
    let arguments: Arguments
    do throws(ArgumentErrors) {
      arguments = try Arguments(raw, parameters: SourceParameters.open, positionalCount: 0)
    } catch {
      for error in error.errors { report("open", error.description, position) }
      return Picture(.invalid, position: position)
    }
    guard !path.utf8.contains(0) else {
      report("open", "a path cannot contain a zero byte", position)
      return Picture(.invalid, position: position)
    }
    let file = files[path] ?? PictureFile(path: path, recognise: environment.recognise)
    files[path] = file
    readPaths.insert(PathName.absolute(path, in: workingFolder))
    let source = Picture.Step.source(
      file, orient: arguments.boolean("orient"),
      acceptsDamage: arguments.text("damaged") == "accept")
    return Picture(source, position: position, origin: file)
  }

  /// A plain area of one colour, opaque sRGB unless the colour is not.
  public func canvas(_ raw: RawArguments, at position: ScriptPosition?) -> Picture {
    do {
      let arguments = try Arguments(
        raw, parameters: SourceParameters.canvas, positionalCount: 2)
      let colour = arguments.colour("background")
      let layout = try PictureLayout.checked(
        width: arguments.integer("width"), height: arguments.integer("height"),
        format: colour.alpha < 1 ? .rgba8 : .rgb8)
      return Picture(.canvas(layout, colour), position: position)
    } catch let errors as ArgumentErrors {
      for error in errors.errors { report("canvas", error.description, position) }
    } catch {
      report("canvas", "\(error)", position)
    }
    return Picture(.invalid, position: position)
  }

  /// An operation on a picture. Mistakes in the arguments are collected, not thrown.
  ///
  /// - Parameter pictures: the pictures among the arguments, in the order of their indices from 1.
  public func apply(
    _ definition: OperationDefinition, named name: String? = nil, to picture: Picture,
    pictures: [Picture] = [], _ raw: RawArguments, at position: ScriptPosition?
  ) -> Picture {
    let name = name ?? definition.descriptor.name
    let inputs = [picture] + pictures
    do {
      let arguments = try Arguments(raw, for: definition.descriptor)
      let operation = try definition.make(arguments)
      return Picture(
        .operation(name: name, operation, arguments), inputs: inputs, position: position)
    } catch let errors as ArgumentErrors {
      for error in errors.errors { report(name, error.description, position) }
    } catch {
      report(name, "\(error)", position)
    }
    return Picture(.invalid, inputs: inputs, position: position)
  }

  /// What stands for the result of a call that has been reported as wrong.
  public func invalid(from picture: Picture, at position: ScriptPosition?) -> Picture {
    Picture(.invalid, inputs: [picture], position: position)
  }

  /// Collects a mistake of the script.
  public func report(_ subject: String, _ message: String, _ position: ScriptPosition?) {
    note(Diagnostic(.script, at: position, subject: subject, message: message))
  }

  /// Collects a mistake once.
  public func note(_ diagnostic: Diagnostic) {
    if !mistakes.contains(diagnostic) { mistakes.append(diagnostic) }
  }

  /// Records a `save`.
  public func save(
    _ pictures: [Picture], to template: String, _ raw: RawArguments, at position: ScriptPosition?
  ) -> Job {
    record(.files(template: template, options: raw), .save, pictures, raw, position)
  }

  /// Records a `book`.
  public func book(
    _ path: String, of pictures: [Picture], _ raw: RawArguments, at position: ScriptPosition?
  ) -> Job {
    record(.book(path: path, options: raw), .book, pictures, raw, position)
  }

  private func record(
    _ target: Sink.Target, _ kind: Job.Kind, _ pictures: [Picture], _ raw: RawArguments,
    _ position: ScriptPosition?
  ) -> Job {
    var qos = options.defaultQoS
    if case .text(let name)? = raw.named.first(where: { $0.name == "qos" })?.value,
      let named = QualityOfService(name: name)
    {
      qos = named
    }
    let job = Job(kind, position: position, qos: qos, parent: cancellation)
    pending.append(Sink(target: target, pictures: pictures, job: job, position: position))
    return job
  }

  // MARK: - checking and starting

  /// Whether the mistakes found so far keep everything from running.
  private var mustStop: Bool {
    mistakes.contains { $0.kind == .script }
      || (options.onError == .stop && !mistakes.isEmpty)
  }

  /// Checks everything recorded since the last time, and starts it if all is well.
  ///
  /// - Throws: `Stopped` where there are mistakes; nothing of this batch has been started then.
  public func settle() throws(Stopped) {
    let sinks = pending
    pending = []
    readHeaders(sinks.flatMap(\.pictures))
    var checker = SinkChecker(
      environment: environment, options: options, claimedPaths: claimedPaths,
      sourcePaths: readPaths, workingFolder: workingFolder)
    for sink in sinks { checker.check(sink) }
    checker.mistakes.forEach(note)
    claimedPaths = checker.claimedPaths
    if mustStop { throw Stopped() }
    // Under `continue`, what cannot be read is told now and the rest goes on.
    mistakes.forEach(progress.fail)
    mistakes = []
    let tasks = makeTasks(checker)
    if options.isDryRun {
      planLines += PlanText.lines(tasks)
      for sink in sinks { sink.markPlanned() }
      return
    }
    start(tasks, books: checker.books, jobs: sinks.map(\.job))
  }

  /// Headers of all files that are needed, several at a time.
  public func readHeaders(_ pictures: [Picture]) {
    scheduler.parallelFor(pictures.count, qos: .userInitiated) { index in
      _ = try? pictures[index].info()
    }
  }

  private func makeTasks(_ checker: SinkChecker) -> [PictureTask] {
    shareInputs(of: checker.files.map(\.picture) + checker.pages.map(\.picture))
    var groups: [ObjectIdentifier: TaskBuilder] = [:]
    var order: [TaskBuilder] = []
    func builder(_ picture: Picture) -> TaskBuilder {
      let root = ObjectIdentifier(picture.root)
      if let known = groups[root] { return known }
      let fresh = TaskBuilder(orient: environment.orient, sharedFrames: sharedFrames)
      groups[root] = fresh
      order.append(fresh)
      return fresh
    }
    for file in checker.files { builder(file.picture).add(file) }
    for page in checker.pages { builder(page.picture).add(page) }
    return order.map { $0.task(run: progress, scheduler: scheduler) }
  }

  /// Pictures among the arguments of operations, such as a watermark, are made once for the run when
  /// more than one picture uses them.
  private func shareInputs(of pictures: [Picture]) {
    var users: [ObjectIdentifier: Int] = [:]
    var seen: Set<ObjectIdentifier> = []
    var stack = pictures
    while let picture = stack.popLast() {
      guard seen.insert(ObjectIdentifier(picture)).inserted else { continue }
      for input in picture.inputs.dropFirst() {
        let key = ObjectIdentifier(input)
        users[key, default: 0] += 1
        if users[key] == 2, sharedFrames[key] == nil { sharedFrames[key] = SharedFrame(input) }
      }
      stack += picture.inputs
    }
  }

  private func start(_ tasks: [PictureTask], books: [BookAssembler], jobs: [Job]) {
    progress.state.withLock { $0.openJobs += jobs.count }
    for job in jobs { job.state.withLock { $0.isStarted = true } }
    progress.observer(.started(pictures: tasks.count))
    for book in books { book.start(progress) }
    let progress = progress
    let workers = scheduler.configuration.workers
    let isFew = tasks.count < workers
    for task in tasks {
      let item = scheduler.submit(task.qos, byteCount: task.byteCount) {
        task.perform(parallelism: isFew ? workers : 1)
      }
      for job in task.jobs { job.state.withLock { $0.items.append(item) } }
    }
    for job in jobs { progress.finishIfDone(job) }
  }

  // MARK: - waiting

  /// Waits until `job` is over, raising its work to the class of somebody who waits.
  ///
  /// - Parameter onFinished: called on this thread for every job that finishes meanwhile.
  public func wait(for job: Job, onFinished: (Job) throws -> Void) throws {
    if options.isDryRun { return }
    for item in job.state.withLock(\.items) { scheduler.raise(item, to: .userInitiated) }
    while !job.isFinished { try drain(onFinished) }
    try drainReady(onFinished)
  }

  /// Starts what is left and waits for everything.
  public func finish(onFinished: (Job) throws -> Void) throws {
    try settle()
    while progress.state.withLock({ $0.openJobs > 0 }) { try drain(onFinished) }
    try drainReady(onFinished)
    // A callback may have asked for more.
    if !pending.isEmpty { try finish(onFinished: onFinished) }
  }

  /// Waits for every job that runs, without starting more or telling anybody: the end of a failed run.
  public func abandon() {
    cancellation.cancel()
    progress.state.wait { state in state.openJobs == 0 ? () : nil }
  }

  private func drain(_ onFinished: (Job) throws -> Void) throws {
    let jobs = progress.state.wait { state -> [Job]? in
      if state.finishedJobs.isEmpty && state.openJobs > 0 { return nil }
      defer { state.finishedJobs = [] }
      return state.finishedJobs
    }
    for job in jobs { try onFinished(job) }
  }

  private func drainReady(_ onFinished: (Job) throws -> Void) throws {
    let jobs = progress.state.withLock { state in
      defer { state.finishedJobs = [] }
      return state.finishedJobs
    }
    for job in jobs { try onFinished(job) }
  }

  /// Failures of outputs, in the order they happened.
  public var failures: [Diagnostic] { progress.state.withLock(\.failures) }
  /// Books that were written but did not verify.
  public var unverified: [Diagnostic] { progress.state.withLock(\.unverified) }

  // MARK: - pixels for the script

  /// Numbers about a picture's pixels; decodes it now.
  public func statistics(of picture: Picture) throws(Diagnostic) -> [(String, ParameterValue)] {
    let node: PlanNode
    var planner = Planner(orient: environment.orient, sharedFrames: [:])
    do throws(Picture.Problem) {
      node = try planner.plan(picture)
    } catch {
      switch error {
      case .diagnostic(let diagnostic): throw diagnostic
      case .reported:
        throw Diagnostic(
          .script, at: picture.position, subject: "stats", message: "of a picture that is not valid"
        )
      }
    }
    let scheduler = scheduler
    let token = cancellation
    let context = OperationContext(
      parallelism: scheduler.configuration.workers,
      parallelFor: { count, body in
        scheduler.parallelFor(count, qos: .userInitiated, body)
      }, isCancelled: { token.isCancelled })
    let chain = RowChain(
      consumers: planner.consumers, orient: environment.orient, context: context)
    do throws(PictureError) {
      return try environment.statistics(try chain.open(node), context)
    } catch {
      throw Diagnostic(
        .input, at: picture.position, subject: "stats", file: picture.origin?.path,
        message: error.description)
    }
  }
}

extension Picture {
  /// The file at the start of the chain of first inputs.
  var root: Picture {
    var picture = self
    while let first = picture.inputs.first { picture = first }
    return picture
  }
}
