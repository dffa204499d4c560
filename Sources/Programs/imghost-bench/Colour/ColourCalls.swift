import CBenchColour
import CBenchJPEG
import ImageCore
import ImageKernels
import PluginCodecs

/// Converts a photograph's colours with our kernels and with Little CMS in alternation, on one thread. This process is
/// made for that, see `Measurement`.
enum ColourCalls {
  /// Pixels of a call: a row, as in a run.
  private static let strip = 4000

  /// `JOB PHOTO PAIRS`: a line a pair, `OURS THEIRS` in nanoseconds of processor time, and then the largest difference
  /// from Little CMS in floating point, in levels, and the noise in dB.
  static func run(_ arguments: [String]) -> Int32 {
    guard arguments.count == 3, let job = ColourJob(rawValue: arguments[0]), let pairs = Int(arguments[2]),
      let photo = photograph(arguments[1]), let theirs = littleCMS(job, job.sampleBytes)
    else { return 2 }
    defer { bench_colour_destroy(theirs) }
    let host = PluginCalls.host(inProcess: false)
    defer { host.invalidate() }
    let converter = ProfileConverter(CodecRegistry(host))
    guard
      let transform = try? converter.transform(from: job.source, to: job.target, .relative, blackPoint: true),
      let ours = OurConversion(transform, sampleBytes: job.sampleBytes)
    else { return 1 }
    let count = photo.count / 3
    let source = job.samples(UnsafeBufferPointer(photo))
    let pixel = (source: job.sourceBands * job.sampleBytes, target: 3 * job.sampleBytes)
    let result = UnsafeMutableRawPointer.allocate(byteCount: count * max(pixel.source, pixel.target), alignment: 64)
    // Little CMS's goes elsewhere, so that ours can be judged.
    let other = UnsafeMutableRawPointer.allocate(byteCount: count * pixel.target, alignment: 64)
    func nanoseconds(_ isOurs: Bool) -> Int {
      // Rows are converted in place, as in a run.
      if isOurs && ours.isInPlace { result.copyMemory(from: source, byteCount: count * pixel.source) }
      let start = Clock.processorNanoseconds
      for first in stride(from: 0, to: count, by: strip) {
        let (from, number) = (source + first * pixel.source, min(strip, count - first))
        if isOurs {
          ours.convert(from, to: result + first * pixel.target, count: number)
        } else {
          bench_colour_run(theirs, from, other + first * pixel.target, number)
        }
      }
      return Clock.processorNanoseconds - start
    }
    // A pair that does not count: pages that nobody has touched yet.
    for pair in -1..<pairs {
      let first = nanoseconds(pair % 2 == 0)
      let second = nanoseconds(pair % 2 != 0)
      if pair >= 0 { print(pair % 2 == 0 ? "\(first) \(second)" : "\(second) \(first)") }
    }
    guard let (largest, decibels) = judge(job, source, result, count) else { return 1 }
    print(largest, decibels)
    return 0
  }

  private static func photograph(_ path: String) -> UnsafeMutableBufferPointer<UInt8>? {
    var (width, height): (Int32, Int32) = (0, 0)
    guard bench_jpeg_size(path, &width, &height) == 0 else { return nil }
    let pixels = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: Int(width) * Int(height) * 3)
    return bench_jpeg_decode(path, 1, pixels.baseAddress) == 0 ? pixels : nil
  }

  private static func littleCMS(_ job: ColourJob, _ sampleBytes: Int) -> OpaquePointer? {
    bench_colour_create(job.source, job.source.count, job.target, job.target.count, Int32(sampleBytes))
  }

  private static func judge(
    _ job: ColourJob, _ source: UnsafeRawPointer, _ result: UnsafeRawPointer, _ count: Int
  ) -> (largest: Int, decibels: Double)? {
    guard let exact = littleCMS(job, 4) else { return nil }
    defer { bench_colour_destroy(exact) }
    let top = job.sampleBytes == 1 ? 255.0 : 65_535.0
    func level(_ samples: UnsafeRawPointer, _ index: Int) -> Double {
      job.sampleBytes == 1
        ? Double(samples.load(fromByteOffset: index, as: UInt8.self))
        : Double(samples.load(fromByteOffset: index * 2, as: UInt16.self))
    }
    let inputs = UnsafeMutablePointer<Float>.allocate(capacity: strip * job.sourceBands)
    let outputs = UnsafeMutablePointer<Float>.allocate(capacity: strip * 3)
    defer {
      inputs.deallocate()
      outputs.deallocate()
    }
    let scale = (job.sourceBands == 4 ? 100 : 1) / top
    var error = ErrorSum()
    for first in stride(from: 0, to: count, by: strip) {
      let number = min(strip, count - first)
      for index in 0..<number * job.sourceBands {
        inputs[index] = Float(level(source, first * job.sourceBands + index) * scale)
      }
      bench_colour_run(exact, inputs, outputs, number)
      for index in 0..<number * 3 {
        let wanted = min(max(Double(outputs[index]), 0), 1) * top
        error.add(Int(level(result, first * 3 + index)), against: wanted)
      }
    }
    return (error.largest, error.decibels(largest: top))
  }
}

/// Our kernels for a conversion, on one thread.
private struct OurConversion {
  private enum Kernel {
    case matrix(ProfileKernels.Matrix)
    case grid(SampledKernels.Grid)
    case light(LightGrid)
  }

  private let kernel: Kernel
  private let sampleBytes: Int

  init?(_ transform: ColourTransform?, sampleBytes: Int) {
    self.sampleBytes = sampleBytes
    switch transform?.tables {
    case .matrix(let tables):
      kernel = .matrix(
        ProfileKernels.Matrix(
          light: tables.light, matrix: tables.matrix, encoded: tables.encoded, sampleBytes: sampleBytes))
    case .samples(let conversion):
      kernel = .grid(
        SampledKernels.Grid(
          conversion.samples, steps: conversion.steps, sourceBands: transform!.sourceBands,
          targetBands: transform!.targetBands, sampleBytes: sampleBytes))
    case .light(let conversion, let curves):
      kernel = .light(
        LightGrid(conversion.samples, steps: conversion.steps, sampleBytes: sampleBytes) {
          curves.value($0, band: $1)
        })
    case .identity, nil: return nil
    }
  }

  /// Whether `convert` reads the target, which then holds the source's pixels.
  var isInPlace: Bool { if case .matrix = kernel { true } else { false } }

  func convert(_ source: UnsafeRawPointer, to target: UnsafeMutableRawPointer, count: Int) {
    switch kernel {
    case .matrix(let matrix):
      ProfileKernels.convert(target, width: count, bands: 3, sampleBytes: sampleBytes, by: matrix)
    case .light(let grid): grid.convert(source, to: target, width: count, hasAlpha: false)
    case .grid(let grid):
      SampledKernels.convert(source, to: target, width: count, hasAlpha: false, sampleBytes: sampleBytes, by: grid)
    }
  }
}
