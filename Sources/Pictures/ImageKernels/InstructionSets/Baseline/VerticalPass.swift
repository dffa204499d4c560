#if arch(x86_64)
  import CKernels
  import _Builtin_intrinsics.intel

  func filterRows16(_ pass: UnsafePointer<VerticalPass16>) {
    let pass = pass.pointee
    if let next = pass.nextCoefficients, let nextOutput = pass.nextOutput {
      filterTwoTargets(pass, next, nextOutput)
    } else {
      filterOneTarget(pass)
    }
  }

  @inline(__always)
  private func filterOneTarget(_ pass: VerticalPass16) {
    let (rows, taps, output) = (pass.rows, pass.taps, pass.output)
    let size = MemoryLayout<Vector>.size
    let half = broadcast(Int32(truncatingIfNeeded: 1 &<< (pass.shift &- 1)))
    let shiftCount = _mm_cvtsi32_si128(Int32(truncatingIfNeeded: pass.shift))
    let pairs = UnsafeRawPointer(pass.coefficients)
    let end = pass.count &* 2
    var at = 0
    while at < end {
      var a0 = half
      var a1 = half
      var b0 = half
      var b1 = half
      var k = 0
      while k < taps {
        let pair = broadcast(pairs.loadUnaligned(fromByteOffset: k &* 2, as: Int32.self))
        let upper = rows[k] + at
        let lower = rows[k &+ 1] + at
        let p = load(upper)
        let q = load(lower)
        a0 = dot(a0, unpackLow16(p, q), pair)
        a1 = dot(a1, unpackHigh16(p, q), pair)
        let r = load(upper + size)
        let s = load(lower + size)
        b0 = dot(b0, unpackLow16(r, s), pair)
        b1 = dot(b1, unpackHigh16(r, s), pair)
        k &+= 2
      }
      let first = pack16(shiftRight(a0, shiftCount), shiftRight(a1, shiftCount))
      let second = pack16(shiftRight(b0, shiftCount), shiftRight(b1, shiftCount))
      output.storeBytes(of: packBytes(first, second), toByteOffset: at &>> 1, as: Vector.self)
      at &+= 2 &* size
    }
  }

  /// Filters two target rows with the same source rows, which are loaded once.
  @inline(__always)
  private func filterTwoTargets(
    _ pass: VerticalPass16, _ next: UnsafePointer<Int16>, _ nextOutput: UnsafeMutableRawPointer
  ) {
    let (rows, taps, output) = (pass.rows, pass.taps, pass.output)
    let size = MemoryLayout<Vector>.size
    let half = broadcast(Int32(truncatingIfNeeded: 1 &<< (pass.shift &- 1)))
    let shiftCount = _mm_cvtsi32_si128(Int32(truncatingIfNeeded: pass.shift))
    let firstPairs = UnsafeRawPointer(pass.coefficients)
    let secondPairs = UnsafeRawPointer(next)
    let end = pass.count &* 2
    var at = 0
    while at < end {
      var a0 = half
      var a1 = half
      var a2 = half
      var a3 = half
      var b0 = half
      var b1 = half
      var b2 = half
      var b3 = half
      var k = 0
      while k < taps {
        let pair = broadcast(firstPairs.loadUnaligned(fromByteOffset: k &* 2, as: Int32.self))
        let nextPair = broadcast(secondPairs.loadUnaligned(fromByteOffset: k &* 2, as: Int32.self))
        let upper = rows[k] + at
        let lower = rows[k &+ 1] + at
        let p = load(upper)
        let q = load(lower)
        let low = unpackLow16(p, q)
        let high = unpackHigh16(p, q)
        a0 = dot(a0, low, pair)
        a1 = dot(a1, high, pair)
        b0 = dot(b0, low, nextPair)
        b1 = dot(b1, high, nextPair)
        let r = load(upper + size)
        let s = load(lower + size)
        let low2 = unpackLow16(r, s)
        let high2 = unpackHigh16(r, s)
        a2 = dot(a2, low2, pair)
        a3 = dot(a3, high2, pair)
        b2 = dot(b2, low2, nextPair)
        b3 = dot(b3, high2, nextPair)
        k &+= 2
      }
      let a = packBytes(
        pack16(shiftRight(a0, shiftCount), shiftRight(a1, shiftCount)),
        pack16(shiftRight(a2, shiftCount), shiftRight(a3, shiftCount)))
      let b = packBytes(
        pack16(shiftRight(b0, shiftCount), shiftRight(b1, shiftCount)),
        pack16(shiftRight(b2, shiftCount), shiftRight(b3, shiftCount)))
      output.storeBytes(of: a, toByteOffset: at &>> 1, as: Vector.self)
      nextOutput.storeBytes(of: b, toByteOffset: at &>> 1, as: Vector.self)
      at &+= 2 &* size
    }
  }

  func filterRowSums16(_ pass: UnsafePointer<VerticalPass16>) {
    let pass = pass.pointee
    let (rows, taps, output) = (pass.rows, pass.taps, pass.output)
    let size = MemoryLayout<Vector>.size
    let half = broadcast(Int32(truncatingIfNeeded: 1 &<< (pass.shift &- 1)))
    let shiftCount = _mm_cvtsi32_si128(Int32(truncatingIfNeeded: pass.shift))
    let pairs = UnsafeRawPointer(pass.coefficients)
    let end = pass.count &* 2
    var at = 0
    while at < end {
      var a0 = half
      var a1 = half
      var b0 = half
      var b1 = half
      var k = 0
      while k < taps {
        let pair = broadcast(pairs.loadUnaligned(fromByteOffset: k &* 2, as: Int32.self))
        let row0 = rows[2 &* k] + at
        let row1 = rows[2 &* k &+ 1] + at
        let row2 = rows[2 &* k &+ 2] + at
        let row3 = rows[2 &* k &+ 3] + at
        let p = add16(load(row0), load(row1))
        let q = add16(load(row2), load(row3))
        a0 = dot(a0, unpackLow16(p, q), pair)
        a1 = dot(a1, unpackHigh16(p, q), pair)
        let r = add16(load(row0 + size), load(row1 + size))
        let s = add16(load(row2 + size), load(row3 + size))
        b0 = dot(b0, unpackLow16(r, s), pair)
        b1 = dot(b1, unpackHigh16(r, s), pair)
        k &+= 2
      }
      let first = pack16(shiftRight(a0, shiftCount), shiftRight(a1, shiftCount))
      let second = pack16(shiftRight(b0, shiftCount), shiftRight(b1, shiftCount))
      output.storeBytes(of: first, toByteOffset: at, as: Vector.self)
      output.storeBytes(of: second, toByteOffset: at &+ size, as: Vector.self)
      at &+= 2 &* size
    }
  }
#endif
