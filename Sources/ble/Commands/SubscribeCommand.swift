import BLESession

/// `ble subscribe`: the values that a characteristic notifies or indicates.
struct SubscribeCommand: ToolCommand {
  static let count = Option.value("count", "number", "End after so many values.")
  static let duration = Option.value("duration", "seconds", "End after this time.")

  static let node = CommandNode(
    "subscribe", abstract: "Print the values that a characteristic notifies.",
    discussion: """
      Runs until Ctrl-C, unless --count or --duration ends it; with both the status is 75 where the values did not come \
      in time.
      """,
    arguments: [ExploreCommand.target, ReadCommand.characteristic], options: [count, duration, ReadCommand.format]
  ) { (arguments) throws(UsageError) in
    SubscribeCommand(
      target: try arguments.value(of: ExploreCommand.target),
      characteristic: try arguments.value(of: ReadCommand.characteristic),
      count: (try arguments.value(of: count) as Count?)?.value,
      duration: (try arguments.value(of: duration) as Seconds?)?.value,
      format: try arguments.value(of: ReadCommand.format))
  }

  let target: Target
  let characteristic: CharacteristicName
  let count: Int?
  let duration: Double?
  let format: ValueFormat?

  func run(in session: Session) async throws(ToolError) {
    try await KeptDevice.use(target, in: session) { (device) async throws(ToolError) in
      try await listen(to: device, session.output)
    }
  }

  @MainActor private func listen(to device: KeptDevice, _ output: Output) async throws(ToolError) {
    let path = try await device.find(characteristic).path
    let place = AttributePlace(device, path)
    let (count, format) = (count, format)
    var received = 0
    var failure: ToolError?
    let values = try await device.subscribe(to: path) { value in
      guard count.map({ received < $0 }) ?? true else { return }
      received += 1
      guard !output.isJSON, let format else {
        return output.event(
          "value", place.json(["number": .integer(received)], value: value, format),
          AssignedValues.describe(value, of: place.characteristic))
      }
      do throws(ToolError) {
        try format.print(value, to: output)
      } catch {
        failure = error
      }
    }
    defer { values.cancel() }
    output.note("Subscribed to \(place.characteristic) of \(device.title).")
    do {
      try await device.until(within: duration) { failure != nil || (count.map { received >= $0 } ?? false) }
    } catch {
      guard error.status == .timedOut, count == nil else { throw error }
    }
    if let failure { throw failure }
  }
}
