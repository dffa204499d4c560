import ImageCore
import ImagePipeline
import LuaRuntime
import PictureTraits

extension ScriptSession {
  /// The properties that a picture's path and header determine, in the order of the documentation.
  static let headerProperties = [
    "width", "height", "bands", "bits", "format", "has_alpha", "path", "name", "stem", "exif",
    "xmp", "iptc", "dpi",
  ]
  /// The names of all properties.
  static let properties = headerProperties + traits

  func registerPictures() {
    register("operation_names") { (session, _, _) throws(LuaHostError) in
      let names = session.run.environment.operations.map(\.descriptor.name)
      return [.table(LuaTable(array: names.map { .string($0) }))]
    }
    register("property_names") { (_, _, _) throws(LuaHostError) in
      [.table(LuaTable(array: Self.properties.map { .string($0) }))]
    }
    register("picture_names") { (session, _, _) throws(LuaHostError) in
      let names =
        session.run.environment.operations.map(\.descriptor.name)
        + session.run.environment.measurements.map(\.descriptor.name) + ["plugin", "save", "tiles"] + Self.properties
      return [.table(LuaTable(array: names.map { .string($0) }))]
    }
    register("apply") { (session, arguments, position) throws(LuaHostError) in
      try session.apply(arguments, position)
    }
    register("plugin") { (session, arguments, position) throws(LuaHostError) in
      try session.plugin(arguments, position)
    }
    register("plugin_source") { (session, arguments, position) throws(LuaHostError) in
      try session.pluginSource(arguments, position)
    }
    register("property") { (session, arguments, _) throws(LuaHostError) in
      guard let picture = session.picture(arguments.first), case .string(let name)? = arguments.last
      else { return [] }
      return [try session.lua.waiting { () throws(LuaHostError) in try session.property(picture, name) }]
    }
    register("measurement_names") { (session, _, _) throws(LuaHostError) in
      let names = session.run.environment.measurements.map(\.descriptor.name)
      return [.table(LuaTable(array: names.map { .string($0) }))]
    }
    register("measure") { (session, arguments, position) throws(LuaHostError) in
      try session.measure(arguments, position)
    }
    register("describe") { (session, arguments, _) throws(LuaHostError) in
      guard let picture = session.picture(arguments.first) else { return [.string("picture")] }
      let info = session.lua.waiting { try? picture.info() }
      let size = info.map { " \($0.layout.width)x\($0.layout.height)" } ?? ""
      return [.string("picture \(picture.origin?.path ?? "canvas")\(size)")]
    }
  }

  private static func notAPicture(_ name: String) -> LuaHostError {
    .mistake("\(name) is called on a picture with a colon: picture:\(name)(…)")
  }

  private func measure(_ arguments: [LuaValue], _ position: ScriptPosition?) throws(LuaHostError) -> [LuaValue] {
    guard case .string(let name) = arguments[0] else { return [] }
    guard arguments.count > 1, let picture = picture(arguments[1]) else { throw Self.notAPicture(name) }
    let definition = run.environment.measurements.first { $0.descriptor.name == name }!
    var conversion = ArgumentConversion(pictures: [])
    let raw = conversion.raw(arguments.dropFirst(2), for: definition.descriptor.parameters)
    do throws(Picture.Problem) {
      let value = try lua.waiting { () throws(Picture.Problem) in
        try run.measure(picture, definition, raw, at: position)
      }
      guard case .operation(let operation) = definition.result, case .fields(let fields) = value else {
        return [LuaValue(value)]
      }
      return [object(apply(operation, to: picture, fields, at: position))]
    } catch {
      let kind: StandInKind = if case .text = definition.result { .string } else { .table }
      let stand = try unknownFact(error, kind)
      guard case .operation = definition.result else { return [stand] }
      return [object(graph.invalid(from: picture, at: position))]
    }
  }

  /// Applies an operation with the arguments that a measurement has chosen.
  private func apply(
    _ name: String, to picture: Picture, _ fields: [String: ParameterValue], at position: ScriptPosition?
  ) -> Picture {
    let definition = run.environment.operations.first { $0.descriptor.name == name }!
    let named = fields.sorted { $0.key < $1.key }.map { (name: $0.key, value: $0.value) }
    return graph.apply(definition, named: name, to: picture, pictures: [], RawArguments(named: named), at: position)
  }

  private func apply(_ arguments: [LuaValue], _ position: ScriptPosition?) throws(LuaHostError) -> [LuaValue] {
    guard case .string(let name) = arguments[0] else { return [] }
    guard arguments.count > 1, let picture = picture(arguments[1]) else { throw Self.notAPicture(name) }
    let definition = run.environment.operations.first { $0.descriptor.name == name }!
    return [object(apply(definition, name, picture, arguments.dropFirst(2), position))]
  }

  private func apply(
    _ definition: OperationDefinition, _ name: String, _ picture: Picture,
    _ arguments: ArraySlice<LuaValue>, _ position: ScriptPosition?
  ) -> Picture {
    var conversion = ArgumentConversion(pictures: pictures)
    let raw = conversion.raw(arguments, for: definition.descriptor.parameters)
    return graph.apply(definition, named: name, to: picture, pictures: conversion.found, raw, at: position)
  }

  /// Applies a plugin to a picture: `picture:plugin("vignette", { strength = 0.5 })`.
  private func plugin(_ arguments: [LuaValue], _ position: ScriptPosition?) throws(LuaHostError) -> [LuaValue] {
    guard let picture = picture(arguments.first) else { throw Self.notAPicture("plugin") }
    guard arguments.count > 1, case .string(let name) = arguments[1] else {
      throw .mistake("plugin takes a name first: picture:plugin(\"vignette\", { … })")
    }
    if let plugin = try luaPlugin(named: name) {
      return [try call(plugin, picture, arguments.dropFirst(2), position)]
    }
    guard let definition = nativePlugin(name) else {
      reportMissing(name, position)
      return [object(graph.invalid(from: picture, at: position))]
    }
    graph.addPlugin(named: name)
    guard !definition.descriptor.isSource else {
      graph.report(name, "it takes no picture; write img.plugin(\"\(name)\", { width = …, height = … })", position)
      return [object(graph.invalid(from: picture, at: position))]
    }
    var conversion = ArgumentConversion(pictures: pictures)
    let raw = conversion.raw(arguments.dropFirst(2), for: definition.descriptor.parameters)
    let options = controlled(raw, of: definition.descriptor, position)
    return [
      object(graph.apply(definition, named: name, to: picture, pictures: conversion.found, options, at: position))
    ]
  }

  /// Calls a plugin that is a source: `img.plugin("test_card", { width = 640, height = 480 })`.
  private func pluginSource(_ arguments: [LuaValue], _ position: ScriptPosition?) throws(LuaHostError) -> [LuaValue] {
    guard case .string(let name)? = arguments.first else {
      throw .mistake("plugin takes a name first: img.plugin(\"name\", { width = …, height = … })")
    }
    guard try luaPlugin(named: name) == nil else { return reportNoSource(name, position) }
    guard let definition = nativePlugin(name) else {
      reportMissing(name, position)
      return [object(graph.invalid(at: position))]
    }
    graph.addPlugin(named: name)
    guard definition.descriptor.isSource else { return reportNoSource(name, position) }
    let raw = controlled(
      options(arguments.dropFirst(), for: definition.descriptor.parameters), of: definition.descriptor, position)
    return [object(graph.make(definition, named: name, raw, at: position))]
  }

  private func reportNoSource(_ name: String, _ position: ScriptPosition?) -> [LuaValue] {
    graph.report(name, "it needs a picture; write picture:plugin(\"\(name)\", { … })", position)
    return [object(graph.invalid(at: position))]
  }

  /// Returns the native plugin with this name; nil if there is none. The search reads files, and may start a process.
  func nativePlugin(_ name: String) -> OperationDefinition? { lua.waiting { run.environment.plugin(name) } }

  /// Reports that there is no plugin with this name, or that it cannot be used, as a mistake in a call of `function`.
  func reportMissing(_ name: String, by function: String = "plugin", _ position: ScriptPosition?) {
    let natives = lua.waiting { run.environment.pluginNames() }
    let names = (natives + plugins.names).sorted()
    let refusals = run.environment.pluginRefusals(name) + luaRefusals(ofPlugin: name)
    guard refusals.isEmpty else {
      let words = "plugin '\(printable(name))' cannot be used: " + refusals.joined(separator: "; ")
      return graph.report(function, words, position)
    }
    // A name without its prefix, such as `glow` for `frei0r.glow`, counts as near.
    let near =
      names.first { $0.hasSuffix("." + name) } ?? Suggestion.nearest(to: name, in: names)
    // Collections such as frei0r have a hundred plugins, too many to list in a message.
    let listed = names.filter { !$0.contains(".") }
    let found =
      listed.isEmpty
      ? "\(names.isEmpty ? "none found, " : "")see 'imghost plugins'"
      : "found: " + listed.joined(separator: ", ")
    graph.report(
      function,
      "unknown plugin '\(printable(name))'"
        + (near.map { " (did you mean '\($0)'?)" } ?? "") + "; " + found
        + (near == nil ? plugins.problems : ""), position)
  }

  private func property(_ picture: Picture, _ name: String) throws(LuaHostError) -> LuaValue {
    switch name {
    case "path": return .string(picture.origin?.path ?? "")
    case "name": return .string(picture.origin?.name ?? "")
    case "stem": return .string(picture.origin?.stem ?? "")
    case _ where Self.traits.contains(name): return try trait(picture, name)
    default: break
    }
    let info: Picture.Info
    do throws(Picture.Problem) {
      info = try picture.info()
    } catch {
      return try unknownFact(error, Self.kind(ofProperty: name))
    }
    switch name {
    case "width": return .integer(info.layout.width)
    case "height": return .integer(info.layout.height)
    case "bands": return .integer(info.layout.bands)
    case "bits": return .integer(info.layout.format.sample.byteCount * 8)
    case "format": return .string(info.codec)
    case "has_alpha": return .boolean(info.layout.format.hasAlpha)
    case "dpi": return info.metadata.resolution.map { .number($0.horizontal) } ?? .none
    case "exif":
      return .table(LuaTable(fields: picture.metadata().exif.map { ($0.key, LuaValue($0.value)) }))
    case "xmp": return .table(LuaTable(fields: picture.xmpFields.map { ($0.key, LuaValue($0.value)) }))
    case "iptc": return .table(LuaTable(fields: picture.iptcFields.map { ($0.key, LuaValue($0.value)) }))
    default: preconditionFailure("property '\(name)' is listed but not served")
    }
  }

  /// Returns the type of a property that cannot be read.
  private static func kind(ofProperty name: String) -> StandInKind {
    switch name {
    case "format": .string
    case "has_alpha": .boolean
    case "exif", "xmp", "iptc": .table
    default: .number
    }
  }
}

/// Properties that describe what pictures show, and the script's wishes for pictures in books.
extension ScriptSession {
  /// The properties that are measured on a small version of a picture when a script reads them.
  static let traits = ["score", "sharpness", "exposure", "contrast", "attention", "horizon"]

  func registerTraits() {
    register("hint") { (session, arguments, position) throws(LuaHostError) in
      guard arguments.count == 2, case .table(let table) = arguments[1], table.array.isEmpty, !table.fields.isEmpty
      else { throw .mistake("hint takes pictures and a table of wishes: img.hint(photo, { hero = true })") }
      session.books.hint(session.pictures(in: arguments[0]), session.options(arguments.dropFirst()), at: position)
      return []
    }
  }

  func trait(_ picture: Picture, _ name: String) throws(LuaHostError) -> LuaValue {
    let traits: PictureTraits
    do throws(Picture.Problem) {
      traits = try run.traits(of: picture)
    } catch {
      return try unknownFact(error, name == "attention" ? .table : .number)
    }
    switch name {
    case "score": return Self.number(traits.score)
    case "sharpness": return Self.number(traits.sharpness)
    case "exposure": return Self.number(traits.exposure)
    case "contrast": return Self.number(traits.contrast)
    case "horizon": return traits.horizon.map(Self.number) ?? .none
    case "attention":
      let part = traits.attention.focus
      return .table(
        LuaTable(fields: [
          ("x", Self.number(part.left)), ("y", Self.number(part.top)), ("w", Self.number(part.width)),
          ("h", Self.number(part.height)),
        ]))
    default: preconditionFailure("property '\(name)' is listed but not served")
    }
  }

  /// Rounds a value to four decimals, because smaller differences are not meaningful.
  private static func number(_ value: Double) -> LuaValue { .number((value * 10_000).rounded() / 10_000) }
}
