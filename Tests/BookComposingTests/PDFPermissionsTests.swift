import ImageCore
import Testing

@testable import BookComposing

/// The qpdf options that limit readers without the owner's password.
@Suite struct PDFPermissionsTests {
  typealias Permission = PDFPermissions.Permission

  static let rows: [([Permission], String)] = [
    ([], "none n n n n n"), ([.print], "full n n n n n"), ([.printDraft], "low n n n n n"),
    ([.print, .printDraft], "full n n n n n"), ([.copy], "none y n n n n"),
    ([.change], "none n y y y y"), ([.annotate], "none n n y n n"),
    ([.fillForms], "none n n n y n"), ([.assemble], "none n n n n y"),
  ]

  @Test(arguments: rows) func options(_ allowed: [Permission], _ values: String) {
    let names = ["print", "extract", "modify-other", "annotate", "form", "assemble"]
    let expected = zip(names, values.split(separator: " ")).map { "--\($0)=\($1)" }
    #expect(PDFPermissions(allowed: Set(allowed)).options == expected)
  }

  @Test(arguments: Permission.allCases) func everyPermissionHasARow(_ permission: Permission) {
    #expect(Self.rows.contains { $0.0 == [permission] })
  }
}
