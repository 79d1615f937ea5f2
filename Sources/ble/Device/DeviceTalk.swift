import BLECore
import BLEDeviceFiles
import BLESession
import BLESessionCryptography
import CoreBluetooth

/// One session with a described device: finds it, connects, verifies, uses and disconnects it.
@MainActor final class DeviceTalk {
  let description: DeviceDescription
  let session: Session
  private let target: Target?
  private let keepsDevice: Bool
  private(set) var discovery: Discovery?
  private(set) var device: DescribedDevice?
  let record: DeviceTalkRecord
  private var listening: Task<Void, Never>?

  /// - Parameter keepsDevice: whether the session reconnects.
  init(_ description: DeviceDescription, _ target: Target?, keepsDevice: Bool = false, in session: Session) {
    self.description = description
    self.target = target
    self.keepsDevice = keepsDevice
    self.session = session
    record = DeviceTalkRecord(output: session.output)
  }

  /// Finds the device, connects, carries out the handshake, runs `work`, and disconnects in any case.
  func run(_ work: @MainActor () async throws(ToolError) -> Void) async throws(ToolError) {
    let central = try await Central.started(in: session)
    let discovery = try await DeviceSearch(description, target).find(by: central, in: session)
    self.discovery = discovery
    session.output.note("Found \(title).")
    let device = try makeDevice(in: central, discovery.identifier)
    self.device = device
    await device.session.observe { [record] timed in
      onMain { record.happened(timed.event) }
    }
    let overhearing = overhear(device)
    defer { overhearing?.cancel() }
    try await always({ await leave(device) }) { () async throws(ToolError) in
      try await session.wait { () async throws(SessionError) in try await device.connect() }
      try await work()
    }
  }

  /// The name of the device in messages.
  var title: String {
    let name = discovery?.name.map { "'\($0.inert)'" } ?? "a device without a name"
    guard let discovery, let address = description.recognition.addressRule?.address(in: discovery.advertisement) else {
      return name
    }
    return "\(name) (\(address))"
  }

  private func makeDevice(in central: Central, _ identifier: UUID) throws(ToolError) -> DescribedDevice {
    let policy = ReconnectPolicy(isAutomatic: keepsDevice, budget: .seconds(session.timeout))
    do throws(SessionError) {
      return try DescribedDevice(
        description, in: central, target: .device(identifier), configuration: SessionConfiguration(policy: policy),
        cryptography: SystemCryptography()
      ) { [record] report in
        onMain { record.told(report) }
      }
    } catch {
      throw ToolError(error)
    }
  }

  /// With `--verbose`: prints all raw values of the answer characteristic, which helps to find mistakes in a file.
  private func overhear(_ device: DescribedDevice) -> Task<Void, Never>? {
    guard session.options.verbosity > 0, let conversation = description.conversation else { return nil }
    let values = device.session.notifications(from: conversation.answerPath)
    let output = session.output
    return Task { @MainActor in for await value in values { output.note("Received \(Hexadecimal.encode(value)).") } }
  }

  private func leave(_ device: DescribedDevice) async {
    record.isLeaving = true
    listening?.cancel()
    await session.settle(within: 3) { await device.disconnect() }
  }

  // MARK: Operations

  func perform(_ name: String, _ values: [String: FieldValue]) async throws(ToolError) {
    guard let device else { return }
    let readings = try await session.wait { () async throws(SessionError) in try await device.perform(name, values) }
    let output = session.output
    if output.isJSON {
      let members: JSONValue = [
        "command": .string(name), "answer": readings.json, "attempts": .integer(max(1, record.attempts)),
        "handshake": record.json,
      ]
      output.json(members.preceded(by: place))
    } else if readings.isEmpty {
      output.note("Done.")
    } else {
      for reading in readings { output.line("\(output.style.strong(reading.name)): \(reading.description.inert)") }
    }
  }

  /// Sends octets, and prints the first answer of the device.
  func send(_ octets: Data, isUnframed: Bool) async throws(ToolError) {
    guard let device, let conversation = description.conversation, let queue = device.queue else { return }
    let answer: Data
    let late = ToolError(.timedOut, "The octets were written; there was no answer within \(session.timeout.plain) s.")
    if isUnframed {
      let values = device.session.notifications(from: conversation.answerPath)
      answer = try await session.wait(within: session.timeout, else: late) { () async throws(SessionError) in
        try await device.session.write(octets, to: conversation.commandPath)
        for await value in values { return value }
        return Data()
      }
    } else {
      let limit = session.timeout
      answer = try await session.wait { () async throws(SessionError) in
        try await queue.send(
          Command(octets, answer: .judged { _ in .accepted }, timeLimit: .seconds(limit)))
      }
    }
    let value = ValueText(Array(answer))
    guard session.output.isJSON else { return session.output.line(value.description) }
    let members: JSONValue = [
      "sent": ValueText(Array(octets)).json, "answer": value.json, "handshake": record.json,
    ]
    session.output.json(members.preceded(by: place))
  }

  /// Prints the device's notifications from now on.
  func beginListening() {
    guard let device else { return }
    let names = description.notifications.map(\.name).joined(separator: ", ")
    session.output.note("Listening for \(names).")
    let stream = device.notifications()
    let (place, output) = (place, session.output)
    listening = Task { @MainActor in
      for await said in stream {
        let fields = said.readings.map { "\($0.name) \($0.description.inert)" }.joined(separator: ", ")
        let members: JSONValue = ["notification": .string(said.name), "fields": said.readings.json]
        output.event(
          "notification", members.preceded(by: place),
          "\(output.style.strong(said.name))" + (fields.isEmpty ? "" : ": " + fields))
      }
    }
  }

  /// Continues listening for a time; without one, until the session ends.
  func listen(for seconds: Double?) async throws(ToolError) {
    record.waiting = session.waiting
    try await record.waitForEnd(within: seconds, session.waiting)
  }

  private var place: KeyValuePairs<String, JSONValue> {
    let identifier = discovery?.identifier.uuidString
    return ["identifier": .string(orNull: identifier), "name": .string(orNull: discovery?.name)]
  }
}
