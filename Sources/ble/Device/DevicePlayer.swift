import BLEDefaultStack
import BLEDeviceFiles
import BLEHost
import BLESession
import BLESessionCryptography
import CoreBluetooth

/// `ble serve` of a device description file: the simulated device.
@MainActor final class DevicePlayer {
  private let device: SimulatedDevice
  private let session: Session
  private var isOver = false

  init(_ description: DeviceDescription, name: String?, in session: Session) throws(ToolError) {
    self.session = session
    do throws(SessionError) {
      device = try SimulatedDevice(description, advertisedName: name, cryptography: SystemCryptography())
    } catch {
      throw ToolError(.badData, ToolError(error).message)
    }
  }

  /// Ends `run()`.
  func end() {
    isOver = true
    session.waiting.changed()
  }

  func run() async throws(ToolError) {
    for problem in device.advertisement.problems { session.output.note("Note: \(problem.inert).") }
    // Core Bluetooth cannot advertise manufacturer data; the stack below can.
    if let data = device.manufacturerData {
      (DefaultStack.adapter as? HostStack)?.setManufacturerData(Array(data))
    }
    let (device, session) = (device, session)
    let events = device.events()
    let printing = Task { @MainActor in for await event in events { self.show(event) } }
    defer { printing.cancel() }
    try await session.adapterIsReady { self.isOver }
    try await session.wait(within: session.timeout, else: .lateAdapter(session)) { () async throws(SessionError) in
      try await device.start()
    }
    try await session.waiting.until(within: nil) { self.isOver }
  }

  /// `button` sends the notification of that name, `charge=50` changes a field of the state.
  func type(_ line: String) {
    let parts = line.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
    do throws(SessionError) {
      if parts.count == 2 {
        try device.set(parts[0].trimmingCharacters(in: .whitespaces), to: .text(parts[1]))
        session.output.note("\(parts[0].inert) is \(parts[1].inert) from now on.")
      } else {
        try device.sendNotification(line.trimmingCharacters(in: .whitespaces))
      }
    } catch {
      session.output.note(ToolError(error).message)
    }
  }

  private func show(_ event: SimulationEvent) {
    let output = session.output
    switch event {
    case .advertising:
      let data = device.manufacturerData.map { Hexadecimal.encode($0) }
      output.advertising(device.advertisement, ["manufacturer_data": .string(orNull: data)])
    case .unavailable: output.unavailable()
    case .subscribed(let central, let path): report("subscribed", central, path, nil)
    case .unsubscribed(let central, let path): report("unsubscribed", central, path, nil)
    case .read(let central, let path, let value): report("read", central, path, value)
    case .wrote(let central, let path, let value): report("written", central, path, value)
    case .command(let name, let fields, let outcome):
      let given = fields.map { "\($0.name) \($0.description.inert)" }.joined(separator: ", ")
      let reason = outcome == .untrusted ? " before the handshake" : ""
      output.event(
        "command",
        .object(["command": .string(name), "outcome": .string(outcome.rawValue), "fields": fields.json]),
        "\(outcome.rawValue) \(output.style.strong(name))\(reason)" + (given.isEmpty ? "" : ": \(given)"))
    case .damaged(let octets): unread("damaged", octets, "no frame")
    case .unknown(let octets): unread("unknown", octets, "no command")
    case .said(let name):
      output.event("said", .object(["notification": .string(name)]), "said \(output.style.strong(name))")
    case .failed(let error):
      output.event("failed", .object(["message": .string(error.description)]), "Failed: \(error.description.inert)")
    }
  }

  private func report(_ event: String, _ central: UUID, _ path: CharacteristicPath, _ value: Data?) {
    let name = session.output.style.strong(path.characteristic.uuidString)
    session.output.attribute(event, path, central, value.map { Array($0) }) {
      "\(event) \(name) \(ValueText($0).description)"
    }
  }

  private func unread(_ event: String, _ octets: Data, _ what: String) {
    let text = ValueText(Array(octets))
    session.output.event(event, .object(["value": text.json]), "\(event): \(what): \(text.hexadecimal)")
  }
}
