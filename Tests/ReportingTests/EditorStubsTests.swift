import ImageCore
import Testing

@testable import Reporting

struct EditorStubsTests {
  private let reference = ScriptReference(
    operations: [
      OperationDescriptor(
        name: "soft_glow", family: "colour", summary: "Make it glow",
        parameters: [
          ParameterDescriptor("amount", .number(0...1), required: true, help: "the amount"),
          ParameterDescriptor("mode", .choice(["a", "b"]), help: "the mode"),
        ], positional: 1), OperationDescriptor(name: "flip", family: "shape", summary: "Flip it", parameters: []),
    ], codecs: [], measurements: [],
    textPicture: OperationDescriptor(name: "img.text", family: "source", summary: "Make a text"),
    bookParameters: [ParameterDescriptor("title", .text, help: "the title")])

  @Test func calls() {
    let calls = reference.all.map(\.call)
    #expect(calls.contains("picture:soft_glow(amount, { … })"))
    #expect(calls.contains("picture:flip()"))
    #expect(calls.contains("img.book(\"book.pdf\", pictures, { … })"))
  }

  @Test func pluginCalls() {
    let mixer = OperationDescriptor(
      name: "mix", family: "plugin", summary: "",
      parameters: [ParameterDescriptor("second", .picture, required: true, help: "")])
    #expect(ScriptReference.plugin(mixer).call == "picture:plugin(\"mix\", second, { … })")
  }

  @Test func methods() {
    let text = EditorStubs.text(reference)
    #expect(
      text.contains(
        """
        ---@class imghost.SoftGlowOptions
        ---@field amount? number the amount
        ---@field mode? "a"|"b" the mode

        ---Make it glow
        ---@overload fun(self: imghost.Picture, options: imghost.SoftGlowOptions): imghost.Picture
        ---@param amount number the amount
        ---@param options? imghost.SoftGlowOptions
        ---@return imghost.Picture
        function Picture:soft_glow(amount, options) end
        """))
    #expect(text.contains("---Flip it\n---@return imghost.Picture\nfunction Picture:flip() end\n"))
    #expect(text.contains("---@class imghost.BookOptions\n---@field title? string the title\n"))
    #expect(text.hasPrefix("---@meta imghost\n") && text.hasSuffix("return imghost"))
  }
}
