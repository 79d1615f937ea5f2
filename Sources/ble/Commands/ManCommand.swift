/// `ble man`: the manual.
struct ManCommand: ToolCommand {
  static let node = CommandNode(
    "man", abstract: "Print the manual as a page for 'man'.",
    discussion: """
      To read it, or to have it where 'man' finds it:

        ble man | man -l -
        ble man > ~/.local/share/man/man1/ble.1
      """, make: Self.init)

  func run(in session: Session) async throws(ToolError) {
    session.output.raw(Array(ManualPage(Tool.parser).text.utf8))
  }
}
