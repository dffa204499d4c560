import ImageCore
import PluginHost
import Synchronization

/// Computes conversions between profiles with the colour plugin, in a confined worker, and caches them. May be used
/// from any thread. Threads that need the same new conversion at the same time each compute it, because waiting would
/// take as long.
///
/// The plugin is a codec whose files are pairs of profiles and whose pictures are tables of numbers: Plugins/Colour
/// documents the format.
package final class ProfileConverter: ColourConverter {
  private let codecs: CodecRegistry
  private let known = Mutex<[Key: Result<ColourTransform?, OperationError>]>([:])
  /// The maximum number of cached conversions. Most runs need only a few; the limit is for runs with a different
  /// profile in every file.
  private static let most = 64

  private struct Key: Hashable {
    let source: SHA256Digest
    let target: SHA256Digest
    let intent: RenderingIntent
    let blackPoint: Bool
  }

  package init(_ codecs: CodecRegistry) { self.codecs = codecs }

  package func transform(from source: [UInt8], to target: [UInt8], _ intent: RenderingIntent, blackPoint: Bool)
    throws(OperationError) -> ColourTransform?
  {
    let key = Key(
      source: SHA256.digest(of: source), target: SHA256.digest(of: target), intent: intent, blackPoint: blackPoint)
    if let known = known.withLock({ $0[key] }) { return try known.get() }
    let made = Result { () throws(OperationError) in try make(source, target, intent, blackPoint) }
    known.withLock { known in
      if known.count >= Self.most { known = [:] }
      known[key] = made
    }
    return try made.get()
  }

  private func make(_ source: [UInt8], _ target: [UInt8], _ intent: RenderingIntent, _ blackPoint: Bool)
    throws(OperationError) -> ColourTransform?
  {
    guard let codec = codecs.colour else {
      throw .unsuitable("needs the plugin 'colour': install the package imghost, or libColourPlugin.so beside imghost")
    }
    do throws(PictureError) {
      return try ask(codec, Self.request(source, target, intent, blackPoint))
    } catch .codec(.refused("source")) {
      return nil
    } catch .codec(.refused("target")) {
      throw .unsuitable("cannot be converted to this profile, which is damaged or of an unknown kind")
    } catch {
      throw .unsuitable("cannot convert colours: \(error)")
    }
  }

  private static func request(_ source: [UInt8], _ target: [UInt8], _ intent: RenderingIntent, _ blackPoint: Bool)
    -> [UInt8]
  {
    func bytes(_ value: Int) -> [UInt8] { (0..<4).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) } }
    let head = Array("imghost colour 1\n".utf8) + bytes(intent.rawValue) + bytes(blackPoint ? 1 : 0)
    return head + bytes(source.count) + source + target
  }

  private func ask(_ codec: PluginCodec, _ request: [UInt8]) throws(PictureError) -> ColourTransform {
    let file = try InputFile.inMemory(request, label: "colour profiles")
    let header = try codec.readHeader(file)
    if header.pageCount == 2, let matrix = Self.matrix(header.details) { return try matrices(codec, file, matrix) }
    let samples = try samples(codec, file, header)
    guard header.pageCount == 2, header.details["light"] == .integer(1), samples.targetBands == 3,
      case .samples(let conversion) = samples.tables
    else { return samples }
    let selection = PageSelection(page: 2)
    let curves = try numbers(codec, file, try codec.readHeader(file, selection), selection)
    guard curves.count == 3 * MatrixTables.steps else { throw .codec(.changed) }
    return ColourTransform(
      .light(
        SampledConversion(steps: conversion.steps, samples: conversion.samples.map(LightCurves.sample)),
        LightCurves(encoded: curves)), sourceBands: samples.sourceBands, targetBands: 3)
  }

  private static func matrix(_ facts: [String: MetadataValue]) -> [Float]? {
    let numbers = (0..<9).compactMap { index -> Float? in
      switch facts["m\(index)"] {
      case .number(let value): Float(value)
      case .integer(let value): Float(value)
      default: nil
      }
    }
    return numbers.count == 9 && numbers.allSatisfy(\.isFinite) ? numbers : nil
  }

  private func matrices(_ codec: PluginCodec, _ file: InputFile, _ matrix: [Float]) throws(PictureError)
    -> ColourTransform
  {
    let selection = PageSelection(page: 2)
    let header = try codec.readHeader(file, selection)
    let rows = try numbers(codec, file, header, selection)
    let steps = MatrixTables.steps
    guard header.layout.width == steps, rows.count == 6 * steps else { throw .codec(.changed) }
    let light = rows[..<(3 * steps)].map { $0 * $0 }
    let tables = MatrixTables(light: light, matrix: matrix, encoded: Array(rows[(3 * steps)...]))
    return ColourTransform(tables.isIdentity ? .identity : .matrix(tables), sourceBands: 3, targetBands: 3)
  }

  private func samples(_ codec: PluginCodec, _ file: InputFile, _ header: PictureHeader) throws(PictureError)
    -> ColourTransform
  {
    let layout = header.layout
    let (steps, sourceBands): (Int, Int)
    switch (layout.width, layout.height) {
    case (4096, 1): (steps, sourceBands) = (4096, 1)
    case (33 * 33, 33): (steps, sourceBands) = (33, 3)
    case (25 * 25, 25 * 25): (steps, sourceBands) = (25, 4)
    default: throw .codec(.changed)
    }
    // The plugin encodes values from -0.5 to 1.5 as samples.
    let samples = try numbers(codec, file, header, .first).map { $0 * 2 - 0.5 }
    return ColourTransform(
      .samples(SampledConversion(steps: steps, samples: samples)), sourceBands: sourceBands, targetBands: layout.bands)
  }

  /// Returns all samples of a page, scaled to 0…1.
  private func numbers(_ codec: PluginCodec, _ file: InputFile, _ header: PictureHeader, _ selection: PageSelection)
    throws(PictureError) -> [Float]
  {
    guard header.layout.format.sample == .u16 else { throw .codec(.changed) }
    let source = try codec.makeDecoder(file, header: header, options: DecodeOptions(selection: selection))
    let frame = try source.readAll(.serial)
    var numbers: [Float] = []
    for y in 0..<frame.layout.height {
      let row = frame.row(y)
      for index in 0..<frame.layout.width * frame.layout.bands {
        numbers.append(Float(row.load(fromByteOffset: index * 2, as: UInt16.self)) / 65_535)
      }
    }
    return numbers
  }
}

extension MatrixTables {
  /// Whether the conversion leaves 8-bit colours practically unchanged, as between two encodings of the same profile:
  /// the matrix is almost the identity, and at 256 equal steps each curve changes by less than 0.4 levels.
  fileprivate var isIdentity: Bool {
    let one: [Float] = [1, 0, 0, 0, 1, 0, 0, 0, 1]
    guard zip(matrix, one).allSatisfy({ abs($0 - $1) < 0.002 }) else { return false }
    let steps = Self.steps
    return (0..<3).allSatisfy { band in
      stride(from: 0, to: steps, by: 16).allSatisfy { step in
        let root = light[band * steps + step].squareRoot() * Float(steps - 1)
        let encoded = encoded[band * steps + min(Int(root.rounded()), steps - 1)]
        return abs(encoded - Float(step) / Float(steps - 1)) < 0.4 / 255
      }
    }
  }
}
