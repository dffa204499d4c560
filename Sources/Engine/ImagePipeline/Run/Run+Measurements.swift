import ImageCore
import Scheduling

/// Facts about pixels for the script.
extension Run {
  /// A measurement that was made, kept for the next call that asks for it.
  struct Measured {
    let picture: Picture
    let name: String
    let arguments: Arguments
    let value: ParameterValue
  }

  /// Whether the script has asked for facts about pixels, which may be all that it wants.
  package var hasMeasured: Bool { !measured.isEmpty || !knownTraits.isEmpty }

  /// Decodes a picture now and measures it.
  ///
  /// - Throws: `Picture.Problem.reported` for wrong arguments, which have been reported.
  package func measure(
    _ picture: Picture, _ definition: MeasurementDefinition, _ raw: RawArguments, at position: ScriptPosition?
  ) throws(Picture.Problem) -> ParameterValue {
    let arguments: Arguments
    do throws(ArgumentErrors) {
      arguments = try Arguments(raw, for: definition.descriptor)
    } catch {
      report(error, of: definition.descriptor.name, position)
      throw .reported
    }
    return try withStack(forDepth: picture.depth) { () throws(Picture.Problem) in
      try self.measureHere(picture, definition, arguments)
    }
  }

  private func measureHere(_ picture: Picture, _ definition: MeasurementDefinition, _ arguments: Arguments)
    throws(Picture.Problem) -> ParameterValue
  {
    let name = definition.descriptor.name
    let picture = equalPictures.representative(of: picture)
    if let known = measured.first(where: { $0.picture === picture && $0.name == name && $0.arguments == arguments }) {
      return known.value
    }
    guard try picture.info().layout.format.model != .cmyk else {
      throw .diagnostic(
        Diagnostic(
          .input, at: picture.position, subject: name, file: picture.origin?.path,
          message: Picture.inkRefusal))
    }
    let end =
      try definition.side.map { side throws(Picture.Problem) in
        self.environment.inSRGB(try self.environment.reduced(picture, to: side))
      }
      ?? picture
    var planner = Planner(opening: environment.opening, sharedFrames: [:], keptFrames: results.frames, ends: [end])
    let node = try planner.plan(end)
    let scheduler = scheduler
    let token = cancellation
    let context = OperationContext(
      parallelism: scheduler.configuration.workers,
      parallelFor: { count, body in
        scheduler.parallelFor(count, qos: .userInitiated, body)
      }, isCancelled: { token.isCancelled }, colours: environment.colours)
    let chain = RowChain(consumers: planner.consumers, context: context)
    do throws(PictureError) {
      let value = try definition.measure(try chain.open(node), arguments, { end.metadata().iccProfile }, context)
      measured.append(Measured(picture: picture, name: name, arguments: arguments, value: value))
      if measured.count > 16 { measured.removeFirst() }
      return value
    } catch {
      var problem = Diagnostic(
        .input, at: picture.position, subject: name, file: picture.origin?.path, message: error.description)
      problem.advice = chain.failure.node?.advice(after: error)
      throw .diagnostic(problem)
    }
  }
}

extension Environment {
  /// Returns a version of a picture whose longest side is at most `side`.
  ///
  /// - Parameter coarsely: whether decoders may shrink to just that size, with aliases.
  func reduced(_ picture: Picture, to side: Int, coarsely: Bool = false) throws(Picture.Problem) -> Picture {
    let layout = try picture.info().layout
    guard max(layout.width, layout.height) > side else { return picture }
    return Picture(reduce(side, coarsely), inputs: [picture], position: picture.position, origin: picture.origin)
  }
}
