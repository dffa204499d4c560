import ImageCore

/// A designed book with every page as a script can declare it.
package struct DesignRecord: Sendable {
  package struct Page: Sendable {
    package let page: DeclaredPage
    /// The places of its pictures in `pictures`.
    package let pictures: [Int]
    /// The number of the page, its template, and why it is as it is.
    package let comment: String

    package init(_ page: DeclaredPage, pictures: [Int], comment: String) {
      (self.page, self.pictures, self.comment) = (page, pictures, comment)
    }
  }

  package enum Part: Sendable {
    case page(Page)
    /// A picture that the book leaves out, by its place, and the reason.
    case leftOut(Int, reason: String)
  }

  /// Consecutive pages of a group, or of none.
  package struct Section: Sendable {
    /// Nil without groups, and between two of them.
    package let name: String?
    package var parts: [Part]

    package init(name: String?, parts: [Part] = []) { (self.name, self.parts) = (name, parts) }
  }

  /// A cover of the book.
  package struct Cover: Sendable {
    package let path: String
    package let pictures: [Picture]
    /// The options as they were given.
    package let options: RawArguments
  }

  package let path: String
  package let position: ScriptPosition?
  /// All pictures of the call.
  package let pictures: [Picture]
  /// The options as they were given.
  package let options: RawArguments
  package let sections: [Section]
  package internal(set) var covers: [Cover] = []
  /// Why a script cannot declare the pages; nil if it can.
  package let problem: String?

  package init(_ request: OutputRequest, sections: [Section], problem: String? = nil) {
    (path, position, pictures, options) = (request.name, request.position, request.pictures, request.options)
    (self.sections, self.problem) = (sections, problem)
  }
}
