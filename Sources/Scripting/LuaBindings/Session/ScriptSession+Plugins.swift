import ImageCore
import ImagePipeline
import LuaRuntime

extension ScriptSession {
  func registerPlugins() {
    register("on_load_plugin") { (session, arguments, _) throws(LuaHostError) in
      if case .function(let loader)? = arguments.first { session.plugins.loader = loader }
      return []
    }
    register("require_plugin") { (session, arguments, position) throws(LuaHostError) in
      try session.requirePlugin(arguments, position)
    }
    register("define_plugin") { (session, arguments, position) throws(LuaHostError) in
      guard case .table(let table)? = arguments.first else {
        throw .mistake("plugin takes a table of names: name, parameters, apply")
      }
      do throws(LuaHostError) {
        return [.string(try session.define(table, at: position))]
      } catch {
        throw .mistake("plugin: " + error.message)
      }
    }
  }

  /// Reads every file with Lua plugins, and returns the files with their plugins, or with the reasons why they are not
  /// used, for callers that run no script. If the run is cancelled, the list ends with the file that was being read.
  package func listPlugins() -> [LuaPluginListing] {
    do throws(LuaError) {
      // Runs an empty script, because the limits of the session count from the start of a script.
      try lua.run(source: [], name: "plugins", arguments: [])
      try loadPlugins()
    } catch {
      list(plugins.lastPath, .failure(.mistake("it exceeds the limit of time or memory, or stops the run")))
    }
    return plugins.listings
  }

  /// Returns the Lua plugin with this name; nil if there is none, or a native one comes first.
  ///
  /// Files that seem to declare the plugin are read first. They contain its name and `apply`, a field that each plugin
  /// must have. All other files are read only if no native plugin has the name, either.
  func luaPlugin(named name: String) throws(LuaHostError) -> LuaPlugin? {
    if let plugin = plugins.found[name] { return plugin }
    guard plugins.asked.insert(name).inserted else { return nil }
    do throws(LuaError) {
      try loadPlugins { mentions(name, $0) && mentions("apply", $0) }
      if plugins.found[name] == nil, nativePlugin(name) == nil { try loadPlugins() }
    } catch {
      throw LuaHostError(error)
    }
    return plugins.found[name]
  }

  /// Returns the reasons why files that seem to contain this plugin are not used, as sentences with the files' paths.
  func luaRefusals(ofPlugin name: String) -> [String] {
    let refused = plugins.listings.compactMap { listing -> (path: String, reason: String)? in
      guard case .failure(let refusal) = listing.outcome else { return nil }
      return (listing.path, refusal.description)
    }
    let named = refused.filter { PathName.stem(String(PathName.name($0.path))) == name }
    return (named.isEmpty ? refused.filter { mentions(name, $0.path) } : named).map { "\($0.path) \($0.reason)" }
  }

  private func mentions(_ name: String, _ path: String) -> Bool {
    guard let bytes = try? bytes(of: path) else { return PathName.stem(String(PathName.name(path))) == name }
    return String(decoding: bytes, as: UTF8.self).contains(name)
  }

  /// Refuses outputs within a plugin: only scripts may write files.
  func refuseOutputsOfPlugins(_ name: String) throws(LuaHostError) {
    guard plugins.loading != nil || !plugins.callers.isEmpty else { return }
    throw LuaHostError(message: "\(name): a plugin returns a picture and writes no files")
  }

  /// Applies a plugin: checks the options like those of an operation, and calls the plugin's function.
  func call(_ plugin: LuaPlugin, _ picture: Picture, _ arguments: ArraySlice<LuaValue>, _ position: ScriptPosition?)
    throws(LuaHostError) -> LuaValue
  {
    let name = plugin.descriptor.name
    guard plugins.callers.count < 64 else {
      throw LuaHostError(message: "plugin '\(name)' calls itself endlessly")
    }
    var conversion = ArgumentConversion(pictures: pictures)
    let raw = controlled(conversion.raw(arguments, for: plugin.descriptor.parameters), of: plugin.descriptor, position)
    let checked: Arguments
    do throws(ArgumentErrors) {
      checked = try Arguments(raw, for: plugin.descriptor)
    } catch {
      graph.report(error, of: name, position)
      return object(graph.invalid(from: picture, at: position))
    }
    let found = plugin.takesAnyRGB ? conversion.found : conversion.found.map { inSRGB($0, position) }
    let values = plugin.descriptor.parameters.compactMap { parameter in
      checked[parameter.name].map { (parameter.name, option($0, found)) }
    }
    let picture = plugin.takesAnyRGB ? picture : inSRGB(picture, position)
    plugins.callers.append((plugin, position))
    defer { plugins.callers.removeLast() }
    let results: [LuaValue]
    do throws(LuaError) {
      results = try lua.call(
        plugin.apply, [object(picture), .table(LuaTable(fields: values))])
    } catch .runtime(let message, let line) {
      let place = line.map { "\($0.file):\($0.line)" } ?? plugin.file
      throw LuaHostError(message: "plugin '\(name)' failed: \(place): \(message)")
    } catch {
      throw LuaHostError(error)
    }
    if let result = results.first, self.picture(result) != nil { return result }
    // The plugin used a value that could not be read, which has already been reported.
    if results.first?.hasStandIn ?? false { return object(graph.invalid(from: picture, at: position)) }
    let kind = results.first?.kindName ?? "nil"
    graph.report(name, "the plugin in \(plugin.file) returned \(kind), not a picture", position)
    return object(graph.invalid(from: picture, at: position))
  }

  /// Returns the picture in sRGB: the picture itself, unless it has another RGB profile.
  private func inSRGB(_ picture: Picture, _ position: ScriptPosition?) -> Picture {
    guard StandardProfile.isOtherRGB(picture.metadata().iccProfile),
      let definition = run.environment.operations.first(where: { $0.descriptor.name == "to_profile" })
    else { return picture }
    let options = RawArguments(named: [("profile", .text(StandardProfile.srgb.rawValue))])
    return graph.apply(definition, named: "to_profile", to: picture, options, at: position)
  }

  /// Returns a checked option for the plugin's function: colours as `{ r, g, b, a }` from 0 to 255.
  private func option(_ value: ParameterValue, _ found: [Picture]) -> LuaValue {
    switch value {
    case .colour(let colour):
      let components = [colour.red, colour.green, colour.blue, colour.alpha]
      return .table(LuaTable(array: components.map { .number($0 * 255) }))
    case .picture(let index): return object(found[index - 1])
    default: return LuaValue(value)
    }
  }

  /// Reads the wanted files that have not been read yet, in order. Their mistakes do not count as mistakes of the
  /// script.
  private func loadPlugins(where isWanted: (String) -> Bool = { _ in true }) throws(LuaError) {
    let paths = plugins.paths ?? options.plugins.paths(plugins.scriptFolder)
    plugins.paths = paths
    for path in paths where !plugins.loaded.contains(path) && isWanted(path) {
      plugins.loaded.insert(path)
      let (count, outer) = (plugins.listings.count, plugins.loading)
      plugins.loading = path
      plugins.lastPath = path
      defer { plugins.loading = outer }
      do throws(LuaHostError) {
        let (error, mistakes) = graph.collectingMistakes { load(path) }
        if let error, error != .abort || run.cancellation.isCancelled { throw error }
        if let mistake = mistakes.first { throw LuaHostError(message: mistake.text) }
        if error != nil { throw LuaHostError(message: "it stops the run") }
        if plugins.listings.count == count {
          throw LuaHostError(message: "it neither calls img.plugin{ … } nor returns a table")
        }
      } catch {
        if error == .abort { throw .aborted }
        list(path, .failure(.mistake(error.message)))
      }
    }
  }

  /// Runs a plugin's file, and returns its error; nil for success.
  private func load(_ path: String) -> LuaHostError? {
    do throws(LuaHostError) {
      try run(pluginFile: path)
      return nil
    } catch {
      return error
    }
  }

  private func run(pluginFile path: String) throws(LuaHostError) {
    guard let loader = plugins.loader else { return }
    guard let text = String(validating: try bytes(of: path), as: UTF8.self) else {
      throw LuaHostError(message: "it is not UTF-8")
    }
    let results: [LuaValue]
    do throws(LuaError) {
      results = try lua.call(loader, [.string(text), .string(path)])
    } catch {
      if case .runtime(let message, _) = error, message.hasPrefix(path) { throw LuaHostError(message: message) }
      throw LuaHostError(error)
    }
    if case .table(let table)? = results.first {
      _ = try define(table, at: ScriptPosition(file: path, line: 1))
    }
  }

  private func bytes(of path: String) throws(LuaHostError) -> [UInt8] {
    do throws(FileError) {
      let bytes = try lua.waiting { () throws(FileError) -> [UInt8]? in
        let file = try InputFile(path: path)
        graph.addScript(path)
        return file.byteCount <= 1 << 20 ? try file.bytes(at: 0, count: file.byteCount) : nil
      }
      if let bytes { return bytes }
    } catch {
      throw LuaHostError(message: "\(error)")
    }
    throw LuaHostError(message: "it is larger than 1 MiB")
  }

  /// Registers a declared plugin, and returns its name. If another plugin with this name comes first, a plugin in a
  /// file is listed as hidden, and one in the script itself is refused.
  private func define(_ table: LuaTable, at position: ScriptPosition?) throws(LuaHostError) -> String {
    let plugin = try LuaPluginDeclaration.read(table, file: position?.file ?? "script")
    let name = plugin.descriptor.name
    let path = plugins.loading ?? plugin.file
    // A plugin of the script itself comes before all files on the path.
    let other = plugins.found[name]?.file ?? (plugins.loading == nil ? nil : options.plugins.native(name, path))
    if let other {
      guard plugins.loading != nil else {
        throw LuaHostError(message: "'\(name)' is declared already, in \(other)")
      }
      list(path, .failure(.hidden(name: name, by: other)))
      return name
    }
    plugins.found[name] = plugin
    if plugins.loading != nil { list(path, .success(plugin.descriptor), version: plugin.version) }
    return name
  }

  private func list(
    _ path: String, _ outcome: Result<OperationDescriptor, LuaPluginRefusal>, version: String = ""
  ) {
    plugins.listings.append(LuaPluginListing(path: path, outcome: outcome, version: version))
  }
}

// MARK: - Requirements

/// The requirements of a script, which are checked before anything is decoded: `img.require_plugin("glow", ">= 1.2")`.
extension ScriptSession {
  /// Returns the version of a plugin; a stand-in, after a report, if no plugin with this name can be used. Throws if
  /// the plugin does not meet the requirement.
  func requirePlugin(_ arguments: [LuaValue], _ position: ScriptPosition?) throws(LuaHostError) -> [LuaValue] {
    let usage = "require_plugin takes a name and a requirement: img.require_plugin(\"glow\", \">= 1.2\")"
    guard case .string(let name)? = arguments.first, arguments.count <= 2 else { throw .mistake(usage) }
    var requirement: VersionRequirement?
    switch arguments.dropFirst().first {
    case nil, .some(LuaValue.none): break
    case .string(let text):
      requirement = VersionRequirement(text)
      guard requirement != nil else {
        throw .mistake(
          "require_plugin: invalid requirement '\(printable(text))': expected comparisons with versions, "
            + "such as \">= 1.2\" or \">= 1.2, < 2\"")
      }
    default: throw .mistake(usage)
    }
    guard let (version, file) = try foundPlugin(name) else {
      reportMissing(name, by: "require_plugin", position)
      return [standIn(.string)]
    }
    if let requirement, !requirement.accepts(version) {
      let what = version.isEmpty ? "has no version" : "is version \(printable(version))"
      throw .mistake(
        "require_plugin: plugin '\(printable(name))' \(what), but the script needs \(requirement.text); "
          + "it comes from \(printable(file))")
    }
    return [.string(version)]
  }

  /// Returns the version and the file of the plugin that a script would call by this name; nil if there is none.
  private func foundPlugin(_ name: String) throws(LuaHostError) -> (version: String, file: String)? {
    if let plugin = try luaPlugin(named: name) { return (plugin.version, plugin.file) }
    guard let version = lua.waiting({ run.environment.pluginVersion(name) }) else { return nil }
    return (version, run.environment.pluginFile(name) ?? "a library")
  }
}
