import ImageCore
import Platform

/// Maps the range from `black` to `white` to the range from `out_black` to `out_white`, with a power curve for the
/// middle tones: `out_black + (out_white - out_black) * ((sample - black) / (white - black)) ^ (1 / gamma)`.
///
/// All points are on a scale of 0 to 255 at any depth. Samples outside the points are clipped. Alpha stays unchanged.
package struct Levels: DescribedOperation {
  private let black: [Double]
  private let white: [Double]
  private let gamma: [Double]
  private let outBlack: Double
  private let outWhite: Double

  package static let descriptor = OperationDescriptor(
    name: "levels", family: "colour", summary: "Set the black point, the white point and the middle tones",
    parameters: [
      .init(
        "black", .numbers(1...3), default: .list([.number(0)]),
        help: "samples that become black, on a scale of 0 to 255; one number, or one for each colour band"),
      .init(
        "white", .numbers(1...3), default: .list([.number(255)]),
        help: "samples that become white, above black; one number, or one for each colour band"),
      .init(
        "gamma", .numbers(1...3), default: .list([.number(1)]),
        help: "0.01 to 100: above 1 brightens the middle tones; one number, or one for each colour band"),
      .init("out_black", .number(0...255), default: .number(0), help: "what black becomes"),
      .init("out_white", .number(0...255), default: .number(255), help: "what white becomes"),
    ], positional: 3)

  package init(_ arguments: Arguments) throws(OperationError) {
    black = arguments.numbers("black")
    white = arguments.numbers("white")
    gamma = arguments.numbers("gamma")
    outBlack = arguments.number("out_black")
    outWhite = arguments.number("out_white")
    for (name, list) in [("black", black), ("white", white)] {
      guard list.allSatisfy({ (0...255).contains($0) }) else { throw .unsuitable("'\(name)' must be from 0 to 255") }
    }
    guard gamma.allSatisfy({ (0.01...100).contains($0) }) else {
      throw .unsuitable("'gamma' must be from 0.01 to 100")
    }
    guard (0..<3).allSatisfy({ Self.value(white, $0) > Self.value(black, $0) }) else {
      throw .unsuitable("'white' must be above 'black'")
    }
  }

  /// Returns the number for a band. The list has one number for all bands, or one for each.
  private static func value(_ list: [Double], _ band: Int) -> Double { list[min(band, list.count - 1)] }

  package func outputLayout(of inputs: [PictureLayout]) throws(OperationError) -> PictureLayout {
    let colours = inputs[0].format.model.bandCount
    for (name, list) in [("black", black), ("white", white), ("gamma", gamma)] {
      guard [1, colours].contains(list.count) else {
        let takes = colours == 1 ? "1" : "1 or \(colours)"
        throw .unsuitable("'\(name)' has \(list.count) numbers; a \(inputs[0].format) picture takes \(takes)")
      }
    }
    return inputs[0]
  }

  package func open(
    _ inputs: [any RowSource], nominal: [PictureLayout], context: OperationContext
  ) throws(PictureError) -> any RowSource {
    let isUniform = [black, white, gamma].allSatisfy { $0.count == 1 }
    let bands = isUniform ? 1 : inputs[0].layout.format.model.bandCount
    return SampleTables.open(inputs[0], context, colour: (0..<bands).map(curve))
  }

  private func curve(_ band: Int) -> SampleTables.Curve {
    let (low, high) = (Self.value(black, band), Self.value(white, band))
    let exponent = 1 / Self.value(gamma, band)
    let (start, range) = (outBlack / 255, (outWhite - outBlack) / 255)
    return { sample in
      let place = max(0, min(1, (sample * 255 - low) / (high - low)))
      return start + range * (exponent == 1 ? place : pow(place, exponent))
    }
  }
}
