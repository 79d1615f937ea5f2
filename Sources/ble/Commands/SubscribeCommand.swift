import BLESession

/// `ble subscribe`: the values that a characteristic notifies or indicates.
struct SubscribeCommand: ToolCommand {
  static let count = Parameter.option("count", "number", "End after so many values.", \Count.value)
  static let duration = Parameter.option("duration", "seconds", "End after this time.", \Seconds.value)

  static let node = CommandNode(
    "subscribe", abstract: "Print the values that a characteristic notifies.",
    discussion: """
      Runs until Ctrl-C, unless --count or --duration ends it; with both the status is 75 where the values did not come \
      in time.
      """,
    ExploreCommand.target, ReadCommand.characteristic, count, duration, ReadCommand.format, make: Self.init)

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
