import BLEDeviceFiles
import BLESession

/// The contents of a device description file, as text and JSON.
@MainActor struct DeviceFilePage {
  private let description: DeviceDescription

  init(_ description: DeviceDescription) { self.description = description }

  func printCheck(of path: String, to output: Output) {
    if output.isJSON {
      return output.json([
        "file": .string(path), "name": .string(description.name), "commands": .integer(description.commands.count),
        "notifications": .integer(description.notifications.count), "simulation": .bool(description.simulation != nil),
      ])
    }
    let simulation = description.simulation == nil ? "no simulation" : "a simulation"
    output.line(
      "\(path.inert): '\(description.name.inert)', \(Self.count(description.commands.count, "command")), "
        + "\(Self.count(description.notifications.count, "notification")), \(simulation): no mistakes.")
    guard let plan = description.simulation else { return }
    let advertised = AdvertisingPlan(localName: plan.advertisedName, services: plan.advertisedServices)
    for problem in advertised.problems { output.note("Note: \(problem.inert).") }
  }

  private static func count(_ number: Int, _ what: String) -> String { "\(number) \(what)\(number == 1 ? "" : "s")" }

  func printList(to output: Output) {
    if output.isJSON { return output.json(description.json) }
    output.line(output.style.strong(description.name.inert) + (description.summary.map { ": \($0.inert)" } ?? ""))
    if let handshake = description.conversation?.handshake {
      output.line("Verified by its answer to '\(handshake.command)'.")
    }
    section("Commands", description.commands.map { ($0.name, $0.parameters, $0.results, $0.summary) }, output)
    section("Notifications", description.notifications.map { ($0.name, [], $0.layout.fields, $0.summary) }, output)
  }

  private typealias Entry = (name: String, parameters: [DescribedField], results: [DescribedField], summary: String?)

  private func section(_ title: String, _ entries: [Entry], _ output: Output) {
    guard !entries.isEmpty else { return }
    output.line("")
    output.line("\(title):")
    for entry in entries {
      let words = [output.style.strong(entry.name)] + entry.parameters.map(Self.usage)
      output.line("  " + words.joined(separator: " "))
      if let summary = entry.summary { output.line("      \(summary.inert)") }
      for field in entry.parameters {
        let text = field.summary.map { "\($0.inert) " } ?? ""
        output.line("      \(field.name): \(text)\(field.expectation)\(field.unit.map { " (\($0.inert))" } ?? "")")
      }
      if !entry.results.isEmpty {
        output.line("      returns \(entry.results.map(\.name).joined(separator: ", "))")
      }
    }
  }

  private static func usage(_ field: DescribedField) -> String {
    guard let standard = field.standard else { return "\(field.name)=..." }
    return "[\(field.name)=\(field.shown(standard).inert)]"
  }
}
