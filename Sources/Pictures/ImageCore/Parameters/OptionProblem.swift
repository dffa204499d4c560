/// A problem with the options of a call.
package struct OptionProblem: Sendable, Hashable {
  /// The option that causes the problem; nil if there is no single one.
  package let option: String?
  /// The sentence for users. If there is an option, the sentence begins with its name in quotes.
  package let text: String

  package init(_ text: String) { (option, self.text) = (nil, text) }

  /// - Parameter clause: the rest of the sentence, after the option's name, such as `needs a paper`.
  package init(_ option: String, _ clause: String) { (self.option, text) = (option, "'\(option)' \(clause)") }

  /// - Parameter reason: a sentence about the value of the option.
  package init(_ option: String, because reason: String) {
    (self.option, text) = (option, "'\(option)': \(reason)")
  }
}

extension [OptionProblem] {
  package mutating func add(_ text: String) { append(OptionProblem(text)) }
  package mutating func add(_ option: String, _ clause: String) { append(OptionProblem(option, clause)) }
  package mutating func add(_ option: String, because reason: String) {
    append(OptionProblem(option, because: reason))
  }
}
