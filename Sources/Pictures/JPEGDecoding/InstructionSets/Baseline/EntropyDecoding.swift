import JPEGTables

// This file is compiled once per instruction set: JPEGKernelsV3 contains symbolic links to the files of this folder. It
// uses only raw pointers and intrinsics, because generic functions, types and specialisations of the standard library
// would become weak symbols, which the linker may share with code for older processors.

/// Decodes MCUs (T.81, F.2.2) until `count` are done or `state.limit` is passed.
///
/// - Parameters:
///   - first: the index of the first MCU in the outputs of the blocks.
///   - count: the maximum number of MCUs to decode.
/// - Returns: the number of decoded MCUs; -1 for an invalid code, or for a coefficient that is past the end of a block
///   or larger than `EntropyLimits.largestCoefficient`. The outputs are then undefined.
public func decodeMCUs(_ state: UnsafeMutablePointer<EntropyState>, _ first: Int, _ count: Int) -> Int {
  var reader = BitReader(state)
  let start = state.pointee.bytes
  let limit = state.pointee.limit
  let blocks = state.pointee.blocks
  let blockCount = state.pointee.blockCount
  let dcOnlyCount = state.pointee.dcOnlyCount
  let predictions = state.pointee.predictions
  // The bits of all coefficients, each plus 2048. A bit above the lowest 12 shows that a coefficient was too large.
  var range = 0
  var done = 0
  while done < count, reader.next <= limit {
    let mcu = first &+ done
    var index = 0
    while index < dcOnlyCount {
      let block = blocks + index
      let (dc, ends) = decodeDC(&reader, block, predictions)
      range |= dc &+ 2048
      if !ends, !skipAC(&reader, block) { return -1 }
      (block.pointee.output + mcu &* block.pointee.pitch).storeBytes(of: Int16(truncatingIfNeeded: dc), as: Int16.self)
      index &+= 1
    }
    while index < blockCount {
      let block = blocks + index
      let output = block.pointee.output + mcu &* block.pointee.pitch
      clearBlock(output)
      let (dc, ends) = decodeDC(&reader, block, predictions)
      range |= dc &+ 2048
      output.storeBytes(of: Int16(truncatingIfNeeded: dc), as: Int16.self)
      let last = ends ? 0 : decodeAC(&reader, block, output, start, &range)
      if last < 0 { return -1 }
      block.pointee.lasts[mcu &* block.pointee.lastsPitch] = UInt8(truncatingIfNeeded: last)
      index &+= 1
    }
    done &+= 1
  }
  reader.save(state)
  return range &>> 12 == 0 ? done : -1
}

/// Returns the block's dequantised DC coefficient, and whether an end of block was consumed with it; if not, at least
/// 46 bits are loaded. For an invalid code, the coefficient is above the limit.
@inline(__always)
private func decodeDC(
  _ reader: inout BitReader, _ block: UnsafePointer<BlockState>, _ predictions: UnsafeMutablePointer<Int32>
) -> (dc: Int, ends: Bool) {
  reader.refill()
  let entry = block.pointee.tables.dc[reader.peek(EntropyLimits.lookUpBits)]
  var difference = Int(Int32(bitPattern: entry) &>> 16)
  if entry != 0 {
    reader.take(UInt64(entry))
  } else {
    let size = reader.symbol(block.pointee.tables.dcCodes)
    if size < 0 { return (1 << 20, true) }
    difference = reader.coefficient(size)
    reader.refill()
  }
  let dc = predictions[block.pointee.component] &+ Int32(truncatingIfNeeded: difference)
  predictions[block.pointee.component] = dc
  return (
    Int(dc) &* Int(block.pointee.steps[0] & 0xffff), entry & EntropyLimits.endsBlock != 0
  )
}

/// Stores the block's dequantised AC coefficients, and returns the index of the last one; negative for an invalid
/// block.
@inline(__always)
private func decodeAC(
  _ reader: inout BitReader, _ block: UnsafePointer<BlockState>,
  _ output: UnsafeMutableRawPointer, _ start: UnsafeRawPointer, _ range: inout Int
) -> Int {
  let table = block.pointee.tables.ac
  let steps = block.pointee.steps
  // The zigzag index of the last coefficient.
  var index = 0
  while true {
    // At least 46 bits are loaded, which is enough for four table indices of 10 bits. Paths that need more bits load
    // them first.
    var round = 0
    while round < 4 {
      let entry = table[reader.peek(EntropyLimits.lookUpBits)]
      if entry & 0xff == 0 {
        reader.refill()
        if entry != 0 {
          reader.take((entry &>> 8) & 0xff)
          let value = reader.coefficient(Int(truncatingIfNeeded: (entry &>> 32) & 0xff))
          index = index &+ Int(truncatingIfNeeded: (entry &>> 16) & 0xff)
          range |= value &* Int(steps[index] & 0xffff) &+ 2048
          store(Int16(truncatingIfNeeded: value), steps[index], output)
        } else {
          (reader, index) = longAC(reader, block.pointee.tables.acCodes, steps, output, index)
        }
        if index >= 63 { return isPastEnd(index) ? -1 : index & 127 }
        break
      }
      reader.take(entry)
      let first = index &+ Int(truncatingIfNeeded: (entry &>> 16) & 0xff)
      index = index &+ Int(truncatingIfNeeded: (entry &>> 24) & 0xff)
      store(Int16(truncatingIfNeeded: entry &>> 32), steps[first], output)
      store(Int16(truncatingIfNeeded: entry &>> 48), steps[index], output)
      if index >= 63 {
        if !isPastEnd(index) { return index & 127 }
        // If the first symbol was the block's last coefficient, the second symbol belongs to the next block.
        if first != 63 { return -1 }
        let length = Int(truncatingIfNeeded: (entry & 0xff) &- ((entry &>> 8) & 0xff))
        reader.giveBack(length, start)
        return 63
      }
      round &+= 1
    }
    reader.refill()
  }
}

/// Returns whether an index of 63 or more is neither the last coefficient nor a valid end of block.
@inline(__always)
private func isPastEnd(_ index: Int) -> Bool {
  index != 63 && UInt(bitPattern: index &- EntropyLimits.endOfBlock) > 62
}

@inline(__always)
private func store(_ value: Int16, _ step: UInt32, _ output: UnsafeMutableRawPointer) {
  (output + Int(step &>> 16)).storeBytes(of: value &* Int16(truncatingIfNeeded: step), as: Int16.self)
}

/// Decodes one AC symbol without the table, and returns the new index; 64 for an invalid code, or for a coefficient
/// that is too large.
///
/// The reader is passed by value, which lets callers keep theirs in registers. The function is not private, because a
/// private function with several callers would become a weak symbol.
@inline(never)
func longAC(
  _ given: BitReader, _ codes: UnsafeRawPointer, _ steps: UnsafePointer<UInt32>,
  _ output: UnsafeMutableRawPointer?, _ index: Int
) -> (reader: BitReader, index: Int) {
  var reader = given
  reader.refill()
  let symbol = reader.symbol(codes)
  if symbol < 0 { return (reader, 64) }
  let size = symbol & 15
  // EOB runs, which only occur in progressive files, end the block as in libjpeg.
  if size == 0 { return (reader, index &+ (symbol &>> 4 == 15 ? 16 : EntropyLimits.endOfBlock)) }
  let value = reader.coefficient(size)
  let next = index &+ symbol &>> 4 &+ 1
  if let output {
    let product = value &* Int(steps[next] & 0xffff)
    if UInt(bitPattern: product &+ 2048) > 4095 { return (reader, 64) }
    store(Int16(truncatingIfNeeded: value), steps[next], output)
  }
  return (reader, next)
}

/// Skips the block's AC coefficients. Returns false for an invalid block.
@inline(__always)
private func skipAC(_ reader: inout BitReader, _ block: UnsafePointer<BlockState>) -> Bool {
  let table = block.pointee.tables.skip
  var index = 0
  while true {
    let entry = UInt64(table[reader.peek(EntropyLimits.skipBits)])
    let next = index &+ Int(truncatingIfNeeded: entry &>> 8)
    // If the entry's symbols go past the end of the block, some may belong to the next block, so only one is consumed.
    if entry == 0 || (next > 63 && isPastEnd(next)) {
      let codes = block.pointee.tables.acCodes
      (reader, index) = longAC(reader, codes, block.pointee.steps, nil, index)
    } else {
      reader.take(entry)
      index = next
    }
    if index >= 63 { break }
    reader.refill()
  }
  return !isPastEnd(index)
}
