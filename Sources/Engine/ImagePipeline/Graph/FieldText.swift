import ImageCore
import Platform

/// An operation that draws a text with fields, and the text's template, whose fields are filled in for each picture.
package struct FieldText: PictureOperation {
  private let operation: any PictureOperation
  private let template: NameTemplate

  /// Creates the operation; nil if the given operation draws no text with fields.
  ///
  /// - Parameter locale: the language of dates.
  package init?(_ operation: any PictureOperation, locale: TimeLocale) throws(NameTemplate.TemplateError) {
    guard let text = operation.template else { return nil }
    self.operation = operation
    template = try NameTemplate(text, use: .picture, locale: locale)
  }

  /// Returns the text that is drawn for a picture, or the reason why none can be.
  func text(for picture: Picture) -> String {
    var missing = NameTemplate.Gaps()
    do {
      let input = picture.inputs[0]
      return try template.caption(for: input, info: input.info(), index: 1, missing: &missing)
    } catch {
      return "\(error)"
    }
  }

  /// Returns the operation with the text for one picture.
  func filled(for picture: Picture, _ info: Picture.Info) throws(OperationError) -> any PictureOperation {
    var missing = NameTemplate.Gaps()
    do throws(NameTemplate.TemplateError) {
      let text = try template.caption(for: picture, info: info, index: 1, missing: &missing)
      let note =
        missing.isEmpty
        ? nil
        : "the text leaves out what the picture lacks (\(missing.clauses.joined(separator: ", "))); write "
          + "\(missing.examples) for a text instead"
      return operation.filled(with: text, notes: note.map { [$0] } ?? [])
    } catch {
      throw .unsuitable(error.description)
    }
  }

  package func outputLayout(of inputs: [PictureLayout]) throws(OperationError) -> PictureLayout {
    try operation.outputLayout(of: inputs)
  }

  package func workingByteCount(for inputs: [PictureLayout]) -> Int { operation.workingByteCount(for: inputs) }

  package func open(_ inputs: [any RowSource], nominal: [PictureLayout], context: OperationContext)
    throws(PictureError) -> any RowSource
  {
    preconditionFailure("a text was drawn before it was filled in")
  }
}
