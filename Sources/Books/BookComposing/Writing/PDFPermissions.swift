import ImageCore

/// The permissions for readers who do not have an encrypted book's owner password (ISO 32000-2:2020, 7.6.4.2). Programs
/// honour them voluntarily.
struct PDFPermissions: Sendable, Equatable {
  /// The permissions in the order of help.
  enum Permission: String, CaseIterable {
    case print
    /// Printing, but only at a resolution for proofs.
    case printDraft = "print_draft"
    case copy
    /// Every change, including the three below.
    case change
    case annotate
    case fillForms = "fill_forms"
    case assemble
  }

  let allowed: Set<Permission>

  /// The default permissions of a book with an owner password: readers may print.
  static let standard = PDFPermissions(allowed: [.print])
  static let all = PDFPermissions(allowed: Set(Permission.allCases))
  static let names = Permission.allCases.map(\.rawValue)

  private func allows(_ permission: Permission) -> Bool {
    allowed.contains(permission) || allowed.contains(.change)
  }

  /// The arguments for qpdf between the passwords and `--`. Screen readers are always allowed, as PDF 2.0 requires.
  var options: [String] {
    func word(_ isAllowed: Bool) -> String { isAllowed ? "y" : "n" }
    let print =
      allowed.contains(.print) ? "full" : allowed.contains(.printDraft) ? "low" : "none"
    return [
      "--print=\(print)", "--extract=\(word(allowed.contains(.copy)))",
      "--modify-other=\(word(allowed.contains(.change)))",
      "--annotate=\(word(allows(.annotate)))", "--form=\(word(allows(.fillForms)))",
      "--assemble=\(word(allows(.assemble)))",
    ]
  }
}

extension PDFPermissions {
  init(_ arguments: Arguments) {
    guard arguments.has("allow") else {
      self = arguments.optionalText("owner_password") == nil ? .all : .standard
      return
    }
    let names = arguments.texts("allow").inOrder
    self.init(allowed: Set(names.compactMap(Permission.init)))
  }

  /// Returns mistakes in the option `allow`, one clause each.
  static func problems(with arguments: Arguments) -> [OptionProblem] {
    guard arguments.has("allow") else { return [] }
    let (named, inOrder) = arguments.texts("allow")
    guard named.isEmpty else {
      return [OptionProblem("allow", "takes a list, such as { \"print\", \"copy\" }; valid: " + validNames)]
    }
    var problems = inOrder.filter { Permission(rawValue: $0) == nil }.map { name in
      let hint = Suggestion.nearest(to: name, in: names).map { " (did you mean '\($0)'?)" } ?? ""
      return OptionProblem("allow", "has '\(name)'\(hint); valid: " + validNames)
    }
    let owner = arguments.optionalText("owner_password")
    if owner == nil || owner == arguments.optionalText("password") {
      problems.add(
        "allow",
        "needs an owner password, because the password that opens the book allows everything; add "
          + "owner_password = \"…\", different from 'password'")
    }
    return problems
  }

  private static var validNames: String { names.joined(separator: ", ") }
}
