extension Substring {
  /// The text with a capital first letter.
  var capitalized: String { prefix(1).uppercased() + dropFirst() }
}
