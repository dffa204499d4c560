import ImageCore
import ImageKernels

/// Converts CMYK by a grid of linear light, and the light by curves. Made once for all pictures.
///
/// Halfway between two points of a grid, light is nearly that of half the ink. Encoded values are not: with 25 steps,
/// against Little CMS in floating point, the largest error for FOGRA39 to sRGB falls from 20 levels to 3, and pixels with
/// more than 1.5 levels from 4 % to 0.06 %.
final class LightConversion: Sendable {
  /// The grid works on 16 bits; light has no room in 8.
  private let grid: SampledKernels.Grid
  private let tables: Tables

  /// - Parameter sample: that of the rows.
  init(_ conversion: SampledConversion, _ curves: LightCurves, _ sample: SampleType) {
    grid = SampledKernels.Grid(
      conversion.samples, steps: conversion.steps, sourceBands: 4, targetBands: 3, sampleBytes: 2)
    tables = Tables(curves, sample)
  }

  func open(_ upstream: any RowSource, to format: PixelFormat, _ context: OperationContext) -> any RowSource {
    let source = upstream.layout.format
    let wide = source.with(sample: .u16)
    let widening = FormatConversion(from: source, to: wide)
    let (grid, tables) = (grid, tables)
    return ConvertingSource(upstream, to: format, context) { from, to, width in
      // Pieces that stay in the first-level cache.
      let piece = 1024
      withUnsafeTemporaryAllocation(byteCount: piece * 2 * wide.bytesPerPixel, alignment: 16) { memory in
        let (inks, lights) = (memory.baseAddress!, memory.baseAddress! + piece * wide.bytesPerPixel)
        for start in stride(from: 0, to: width, by: piece) {
          let count = min(piece, width - start)
          let pixels = from + start * source.bytesPerPixel
          if source != wide { widening.convert(pixels, to: inks, width: count) }
          SampledKernels.convert(
            source == wide ? pixels : UnsafeRawPointer(inks), to: lights, width: count, hasAlpha: source.hasAlpha,
            sampleBytes: 2, by: grid)
          tables.encode(lights, to: to + start * format.bytesPerPixel, count, hasAlpha: source.hasAlpha)
        }
      }
    }
  }

  /// The encoded levels of all 65,536 lights of each band.
  private struct Tables: Sendable {
    private let small: [UInt8]
    private let large: [UInt16]

    init(_ curves: LightCurves, _ sample: SampleType) {
      let top = Float(sample.maximum)
      let levels = (0..<3).flatMap { band in
        (0...65_535).map { UInt16(curves.value(Float($0) / 65_535, band: band) * top + 0.5) }
      }
      small = sample == .u8 ? levels.map { UInt8($0) } : []
      large = sample == .u8 ? [] : levels
    }

    func encode(_ lights: UnsafeRawPointer, to output: UnsafeMutableRawPointer, _ count: Int, hasAlpha: Bool) {
      let lights = lights.assumingMemoryBound(to: UInt16.self)
      if small.isEmpty {
        Self.encode(lights, output.assumingMemoryBound(to: UInt16.self), count, hasAlpha, large) { $0 }
      } else {
        Self.encode(lights, output.assumingMemoryBound(to: UInt8.self), count, hasAlpha, small) {
          UInt8(truncatingIfNeeded: (UInt32($0) + 128) / 257)
        }
      }
    }

    @inline(__always)
    private static func encode<Sample>(
      _ lights: UnsafePointer<UInt16>, _ output: UnsafeMutablePointer<Sample>, _ count: Int, _ hasAlpha: Bool,
      _ levels: [Sample], alpha: (UInt16) -> Sample
    ) {
      levels.withUnsafeBufferPointer { levels in
        let bands = hasAlpha ? 4 : 3
        for index in 0..<count {
          let (from, to) = (lights + index * bands, output + index * bands)
          for band in 0..<3 { to[band] = levels[band << 16 + Int(from[band])] }
          if hasAlpha { to[3] = alpha(from[3]) }
        }
      }
    }
  }
}
