/// The coefficients of one component, for the whole picture or for one MCU row.
final class CoefficientPlane {
  /// 64 coefficients for each block, in rows.
  var values: [Int16]
  let blocksAcross: Int

  init(blocksAcross: Int, blocksDown: Int) {
    self.blocksAcross = blocksAcross
    values = Array(repeating: 0, count: blocksAcross * blocksDown * 64)
  }

  /// Returns the index in `values` of a block's first coefficient.
  func block(_ x: Int, _ y: Int) -> Int { (y * blocksAcross + x) * 64 }

  func clear() { for index in values.indices { values[index] = 0 } }
}
