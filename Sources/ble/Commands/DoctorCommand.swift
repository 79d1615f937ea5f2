/// `ble doctor`: reports what is available, what is missing, and what to do about it.
struct DoctorCommand: ToolCommand {
  static let node = CommandNode(
    "doctor", abstract: "Report what is available, what is missing, and what to do about it.",
    discussion: """
      Looks at the adapter and at what names it, at folders, permissions, variables, libraries and the terminal. Changes \
      nothing and opens no adapter. The status is 69 if there are problems.
      """, make: Self.init)

  func run(in session: Session) async throws(ToolError) {
    let examination = Examination(of: .this(option: session.options.adapter))
    let output = session.output
    if output.isJSON {
      output.json(examination.json)
    } else {
      for finding in examination.findings {
        output.collect(finding.line(output.style))
        if let remedy = finding.remedy { output.collect("    \(output.style.strong("→")) \(remedy)") }
      }
    }
    let count = examination.problems
    guard count > 0 else { return output.note("Everything needed is available.") }
    throw ToolError(
      .unavailable, count == 1 ? "1 problem was found." : "\(count) problems were found.")
  }
}

extension Finding {
  fileprivate func line(_ style: Style) -> String {
    let mark =
      switch verdict {
      case .good: "✓"
      case .note: "·"
      case .problem: "✗"
      }
    return "\(verdict == .problem ? style.strong(mark) : mark) \(style.strong(check.padded(to: 13)))\(text)"
  }
}

extension Finding: Report {
  static let members: [ReportMember<Self>] = [
    .init("check") { .word($0.check) }, .init("verdict") { .word($0.verdict.rawValue) },
    .init("text") { .text($0.text) },
    .init("remedy") { .text($0.remedy) },
  ]
}

extension Examination: Report {
  static let members: [ReportMember<Self>] = [
    .init("problems") { .integer($0.problems) }, .init("checks") { .parts($0.findings) },
  ]
}
