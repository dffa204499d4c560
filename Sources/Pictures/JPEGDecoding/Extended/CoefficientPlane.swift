/// The coefficients of one component: of the whole picture, or of the row of MCUs that is decoded.
final class CoefficientPlane {
  /// 64 each block, in rows.
  var values: [Int16]
  let blocksAcross: Int

  init(blocksAcross: Int, blocksDown: Int) {
    self.blocksAcross = blocksAcross
    values = Array(repeating: 0, count: blocksAcross * blocksDown * 64)
  }

  /// Where a block begins in `values`.
  func block(_ x: Int, _ y: Int) -> Int { (y * blocksAcross + x) * 64 }

  func clear() {
    for index in values.indices { values[index] = 0 }
  }
}
