import BookExpectations

extension PageBox {
  init?(_ value: PDFValue, _ file: PDFFile) {
    let numbers = (value.array ?? []).compactMap { file.resolve($0).number }
    guard numbers.count == 4 else { return nil }
    self.init(left: numbers[0], bottom: numbers[1], right: numbers[2], top: numbers[3])
  }
}
