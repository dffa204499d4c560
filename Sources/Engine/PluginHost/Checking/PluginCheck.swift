import ImageCore

/// Tests a plugin in worker processes with a deadline, so that it cannot harm this process.
package final class PluginCheck {
  /// The number of pictures in the leak test, and the number of bytes by which the worker may grow between the 20th and
  /// the last picture.
  static let leakPictures = 200
  static let leakAllowance = 2 << 20

  private let plugin: PluginDescription
  private let launcher: WorkerLauncher
  private let pool: WorkerPool
  private let hugeSize: (width: Int, height: Int)
  private var faults: [PluginVerdict.Property: String] = [:]

  /// Creates a check of a plugin file, and describes the plugin in a worker.
  ///
  /// - Parameters:
  ///   - worker: the path of `imghost-plugin-worker`.
  ///   - deadline: the time limit of one call.
  ///   - command: the command that workers run under, see `PluginHost.Configuration`; nil for none.
  ///   - cacheFolder: the folder for cached descriptions, from which the entry for this file is removed.
  ///   - onPrinted: called with each line that the plugin prints.
  package convenience init(
    file: String, worker: String, deadline: Duration, command: String? = nil, cacheFolder: String? = nil,
    onPrinted: @escaping @Sendable (String) -> Void = { _ in }
  ) throws(PluginRefusal) {
    if let cacheFolder {
      let cache = DescriptionCache(folder: cacheFolder, worker: worker)
      cache.remove(cache.key(library: file))
    }
    try self.init(
      file: file, worker: worker, deadline: deadline, command: command, hugeSize: (6000, 4000), onPrinted: onPrinted)
  }

  /// Creates a check of a plugin file, with a custom size for the huge picture.
  init(
    file: String, worker: String, deadline: Duration, describeDeadline: Duration? = nil,
    command: String? = nil, hugeSize: (width: Int, height: Int),
    onPrinted: @escaping @Sendable (String) -> Void = { _ in }
  ) throws(PluginRefusal) {
    self.hugeSize = hugeSize
    try LibraryFile.check(path: file)
    var launcher = WorkerLauncher(
      program: worker, library: file, deadline: deadline,
      describeDeadline: describeDeadline ?? min(deadline, .seconds(10)))
    launcher.output = command == nil ? PrintedOutput(onLine: onPrinted) : nil
    launcher.clearsMemory = true
    var (plugin, body) = try launcher.describe(orUnder: command)
    launcher.readable.allow(plugin.dataPaths)
    if plugin.origin != .native { plugin.sideMultiple = 8 }
    launcher.expected = ExpectedDescription(body, isKept: false)
    launcher.clearsMemory = plugin.origin != .native
    self.plugin = plugin
    launcher = launcher.under(command)
    self.launcher = launcher
    pool = Self.pool(plugin, launcher)
  }

  deinit { pool.invalidate() }

  /// Runs all tests, which make several hundred calls.
  package func run() -> PluginVerdict {
    let rows = [
      sizes(), tried(.huge, huge), tried(.parameters, parameters), nan(),
      tried(.repeatable, repeatable), tried(.unset, unset), tried(.strips, strips), tried(.threads, threads),
      tried(.leak, leak),
    ]
    let seen = [PluginVerdict.Property.crash, .hang, .input, .bounds].map { property in
      PluginVerdict.Row(property, faults[property] == nil ? .good : .bad, faults[property] ?? "")
    }
    return PluginVerdict(plugin: plugin.name, rows: seen + rows)
  }

  /// Runs a test and returns its row. After a hang, further tests are skipped, because each would take two deadlines.
  private func tried(_ property: PluginVerdict.Property, _ body: () -> PluginVerdict.Row) -> PluginVerdict.Row {
    faults[.hang] == nil ? body() : PluginVerdict.Row(property, .notTried, "it hangs")
  }

  // MARK: Properties

  private func sizes() -> PluginVerdict.Row {
    let sizes = [(1, 1), (1, 9), (9, 1), (2, 2), (63, 61), (65, 3), (5000, 2), (2, 5000), (640, 480)]
    for (width, height) in sizes {
      for format in CheckPicture.formats {
        let picture = CheckPicture.make(width, height, format)
        if let failure = failure(of: picture) { return row(.sizes, "\(width)x\(height) \(format): \(failure)") }
      }
    }
    return PluginVerdict.Row(.sizes, .good, "\(sizes.count) sizes from 1x1, \(CheckPicture.formats.count) formats each")
  }

  private func huge() -> PluginVerdict.Row {
    let size = "\(hugeSize.width)x\(hugeSize.height)"
    let clock = ContinuousClock()
    let start = clock.now
    if let failure = failure(of: CheckPicture.make(hugeSize.width, hugeSize.height, .rgb8)) {
      return row(.huge, "\(size): \(failure)")
    }
    let milliseconds = Int((clock.now - start) / .milliseconds(1))
    return PluginVerdict.Row(.huge, .good, "\(size) in \(milliseconds) ms")
  }

  /// Tests each parameter with its `extremes`, while all other parameters have their defaults.
  private func parameters() -> PluginVerdict.Row {
    var count = 0
    for parameter in plugin.parameters {
      for value in parameter.extremes {
        count += 1
        let picture = CheckPicture.make(97, 61, .rgba8)
        if let failure = failure(of: picture, [(parameter.name, value)]) {
          return row(.parameters, "\(parameter.name) = \(value.text): \(failure)")
        }
      }
    }
    return PluginVerdict.Row(.parameters, .good, "\(count) value\(count == 1 ? "" : "s")")
  }

  /// Tests that the host rejects NaN before the plugin receives it.
  private func nan() -> PluginVerdict.Row {
    let numbers = plugin.parameters.filter(\.isNumber)
    for parameter in numbers {
      let value: ParameterValue =
        if case .point = parameter.type { .list([.number(.nan), .number(.nan)]) } else { .number(.nan) }
      let raw = raw([(parameter.name, value)], width: 8, height: 8)
      if (try? Arguments(raw, for: plugin.operation)) != nil {
        return row(.nan, "\(parameter.name) accepts NaN")
      }
    }
    let detail =
      switch numbers.count {
      case 0: "no parameter is a number"
      case 1: "imghost rejects NaN for 1 parameter"
      case let count: "imghost rejects NaN for \(count) parameters"
      }
    return PluginVerdict.Row(.nan, .good, detail)
  }

  private func repeatable() -> PluginVerdict.Row {
    guard plugin.isDeterministic else { return PluginVerdict.Row(.repeatable, .notDeclared) }
    let fresh = Self.pool(plugin, launcher)
    defer { fresh.invalidate() }
    return compare(.repeatable, with: [pool, fresh], "same and another process")
  }

  /// Tests whether results depend on the initial content of memory.
  private func unset() -> PluginVerdict.Row {
    guard plugin.isDeterministic else { return PluginVerdict.Row(.unset, .notDeclared) }
    guard launcher.command == nil else {
      return PluginVerdict.Row(.unset, .notTried, "the command looks at memory itself")
    }
    let pools = [0x5a, 0xa5].map { byte in
      var launcher = launcher
      launcher.fill = byte
      return Self.pool(plugin, launcher)
    }
    defer { for pool in pools { pool.invalidate() } }
    return compare(.unset, with: pools, "new memory with other content")
  }

  private func strips() -> PluginVerdict.Row {
    guard case .rows = plugin.extent else { return PluginVerdict.Row(.strips, .notDeclared) }
    return compareWorkers(.strips, mode: "check-strips", "strips of 1, 7 and 64 rows")
  }

  private func threads() -> PluginVerdict.Row {
    switch plugin.threads {
    case .one: return PluginVerdict.Row(.threads, .notDeclared)
    case .instances:
      return compareWorkers(.threads, mode: "check-instances", "4 instances at once")
    case .regions:
      return compareWorkers(.threads, mode: "check-regions", "4 regions of an instance at once")
    }
  }

  /// Tests whether a worker's resident memory keeps growing.
  private func leak() -> PluginVerdict.Row {
    guard launcher.command == nil else {
      return PluginVerdict.Row(.leak, .notTried, "the memory of the command would count")
    }
    let fresh = Self.pool(plugin, launcher)
    defer { fresh.invalidate() }
    let picture = CheckPicture.make(320, 240, .rgb8)
    var early = 0
    for index in 1...Self.leakPictures {
      if let failure = failure(of: picture, pool: fresh) { return row(.leak, failure) }
      if index == 20 { early = fresh.residentByteCount ?? 0 }
    }
    guard let late = fresh.residentByteCount, early > 0 else {
      return PluginVerdict.Row(.leak, .notTried, "the worker ended during the test")
    }
    let growth = "\(max(0, late - early) / 1024) KiB more after \(Self.leakPictures) pictures"
    return PluginVerdict.Row(.leak, late - early > Self.leakAllowance ? .bad : .good, growth)
  }

  // MARK: Calls

  private static func pool(_ plugin: PluginDescription, _ launcher: WorkerLauncher) -> WorkerPool {
    WorkerPool(plugin: plugin.name, launcher: launcher, mostWorkers: 1, onEvent: { _ in })
  }

  private func compareWorkers(_ property: PluginVerdict.Property, mode: String, _ what: String) -> PluginVerdict.Row {
    var launcher = launcher
    launcher.serveMode = mode
    let other = Self.pool(plugin, launcher)
    defer { other.invalidate() }
    // The comparison runs three times, because threads interfere only by chance.
    return compare(property, with: [other, other, other], what)
  }

  private func compare(
    _ property: PluginVerdict.Property, with pools: [WorkerPool], _ what: String
  ) -> PluginVerdict.Row {
    for (width, height) in [(211, 173), (64, 5), (33, 1)] {
      let picture = CheckPicture.make(width, height, .rgb8)
      do throws(PictureError) {
        let expected = try call(pool, picture, [])
        for other in pools {
          guard try call(other, picture, []) == expected else {
            return row(property, "a different result for \(width)x\(height) (\(what))")
          }
        }
      } catch {
        return row(property, note(error))
      }
    }
    return PluginVerdict.Row(property, .good, what)
  }

  private func row(_ property: PluginVerdict.Property, _ detail: String) -> PluginVerdict.Row {
    PluginVerdict.Row(property, .bad, detail)
  }

  /// Makes one call, and returns the text of its failure; nil for none.
  private func failure(
    of picture: PixelBuffer, _ options: [(name: String, value: ParameterValue)] = [], pool: WorkerPool? = nil
  ) -> String? {
    do throws(PictureError) {
      _ = try call(pool ?? self.pool, picture, options)
      return nil
    } catch .operation {
      // The host never passes this picture to this plugin: a colour picture to a plugin for gray pictures, for example.
      return nil
    } catch {
      return note(error)
    }
  }

  /// Returns the text of a failure, and records the failure if it is the first of its property.
  private func note(_ error: PictureError) -> String {
    guard case .plugin(let failure) = error, let cause = failure.cause as? CallFailure else {
      return error.description
    }
    if let property = cause.property, faults[property] == nil { faults[property] = cause.description }
    return cause.description
  }

  private func call(_ pool: WorkerPool, _ picture: PixelBuffer, _ options: [(name: String, value: ParameterValue)])
    throws(PictureError) -> [UInt8]
  {
    let count = max(plugin.kind.inputCount, 1)
    let layouts = Array(repeating: picture.layout, count: count)
    let operation: PluginOperation
    do {
      let raw = raw(options, width: picture.layout.width, height: picture.layout.height)
      let arguments = try Arguments(raw, for: plugin.operation)
      operation = try PluginOperation(plugin, pool: pool, arguments: arguments, onDepthLost: {})
      _ = try operation.outputLayout(of: layouts)
    } catch let error as OperationError {
      throw .operation(error)
    } catch {
      throw .operation(.unsuitable("\(error)"))
    }
    let source = try operation.open(layouts.map { _ in BufferSource(picture) }, nominal: layouts, context: .serial)
    return try CheckPicture.bytes(of: source)
  }

  /// Adds the arguments that a source or a mixer needs: a size, or additional pictures.
  private func raw(_ options: [(name: String, value: ParameterValue)], width: Int, height: Int) -> RawArguments {
    let needed: [(name: String, value: ParameterValue)] =
      switch plugin.kind {
      case .filter, .codec: []
      case .source: [("width", .integer(width)), ("height", .integer(height))]
      case .mixer: plugin.reservedNames.enumerated().map { ($1, .picture($0 + 1)) }
      }
    return RawArguments(named: needed + options)
  }
}
