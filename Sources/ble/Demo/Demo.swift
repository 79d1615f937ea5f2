import BLESession
import Foundation

/// A peripheral in a second process and this process as its central: each main feature once, in a few seconds.
@MainActor final class Demo {
  private let session: Session
  private let stage: DemoStage
  private let peripheral: ChildProcess
  private var device: KeptDevice?
  private let start = Date()
  /// The events that the peripheral printed.
  private var events: [PeripheralEvent] = []
  private var received: [[UInt8]] = []

  private static let notifications = 3
  private static let greeting = "你好, Bluetooth 👋"

  private struct PeripheralEvent: Decodable {
    let event: String
    let characteristic: String?
    let value: Value?

    struct Value: Decodable { let hex: String }
  }

  init(on stage: DemoStage, in session: Session) {
    self.session = session
    self.stage = stage
    peripheral = ChildProcess(
      // With a time limit, in case it cannot be ended otherwise.
      [
        "serve", "owenli", "--adapter", "radio:\(stage.air)/peripheral", "--json", "--until-input-ends", "--duration",
        "60",
      ],
      waiting: session.waiting)
  }

  func run() async throws(ToolError) {
    var failure: ToolError?
    do {
      try await play()
    } catch {
      failure = error
    }
    await device?.close()
    await peripheral.end()
    stage.leave()
    if let failure { throw failure }
    // Captured packets are written to the file with a short delay.
    try await session.waiting.pass(seconds: 0.5)
    try summarise()
  }

  private func play() async throws(ToolError) {
    try await startPeripheral()
    let searching = Date()
    let device = try await KeptDevice(.name("Owenli"), in: session)
    self.device = device
    let identifier = device.identifier?.uuidString ?? ""
    tell("found", "'Owenli' after \(Self.seconds(since: searching)) s, known here as \(identifier)")
    try await device.connect()
    tell("connected", "link to 'Owenli' is up")
    try await explore(device)
    try await write(device)
    try await subscribe(device)
    await device.close()
    try await expect("unsubscribed", "FFF1")
    tell("disconnected", "the link was closed, and the peripheral knows it")
  }

  private func startPeripheral() async throws(ToolError) {
    // A capture holds the traffic of one program, which is this one.
    let capture = getenv("BLE_CAPTURE").map { String(cString: $0) }
    unsetenv("BLE_CAPTURE")
    defer { if let capture { setenv("BLE_CAPTURE", capture, 1) } }
    try peripheral.start { [weak self] line in
      guard let self, let event = try? JSONDecoder().decode(PeripheralEvent.self, from: Data(line.utf8)) else { return }
      self.events.append(event)
      self.session.waiting.changed()
    }
    try await expect("advertising", nil)
    tell("advertising", "'ble serve owenli' is a second process, \(peripheral.number), on the air '\(stage.air)'")
  }

  /// Waits until the peripheral has printed an event.
  private func expect(_ event: String, _ characteristic: String?, hex: String? = nil) async throws(ToolError) {
    let late = ToolError(.timedOut, "The peripheral did not report '\(event)' within \(session.timeout.plain) s.")
    try await session.waiting.until(within: session.timeout, else: late) { () throws(ToolError) in
      let isTold = self.events.contains {
        $0.event == event && $0.characteristic == characteristic && (hex == nil || $0.value?.hex == hex)
      }
      if !isTold, !self.peripheral.isRunning { throw ToolError(.failed, "The peripheral's process has ended.") }
      return isTold
    }
  }

  private func explore(_ device: KeptDevice) async throws(ToolError) {
    let tree = try await device.explore()
    let characteristics = tree.services.reduce(0) { $0 + $1.characteristics.count }
    guard tree.services.count >= 2, characteristics >= 3 else {
      throw ToolError(
        .failed, "Only \(tree.services.count) services and \(characteristics) characteristics were found.")
    }
    tell("explored", "\(tree.services.count) services with \(characteristics) characteristics")
    if !session.output.isJSON {
      for line in tree.lines(session.output.style) { session.output.line("                  " + line) }
    }
  }

  private func write(_ device: KeptDevice) async throws(ToolError) {
    let path = try await device.find(try Self.characteristic("FFF2")).path
    let before = try await device.read(path)
    tell("read", "FFF2 is \(ValueText(before).description)")
    let greeting = Array(Self.greeting.utf8)
    try await device.ask("Writing FFF2") { (device) async throws(SessionError) in
      try await device.write(Data(greeting), to: path)
    }
    try await expect("written", "FFF2", hex: ValueText(greeting).hexadecimal)
    let after = try await device.read(path)
    guard after == greeting else {
      throw ToolError(.failed, "FFF2 was written, but reads \(ValueText(after).description).")
    }
    tell("written", "FFF2 is \"\(Self.greeting)\" now, and reads so")
  }

  private func subscribe(_ device: KeptDevice) async throws(ToolError) {
    let counter = try await device.find(try Self.characteristic("FFF1")).path
    _ = try await device.subscribe(to: counter) { [weak self] value in
      guard let self, received.count < Self.notifications else { return }
      received.append(value)
      tell("notified", "FFF1 says \(ValueText(value).description)")
    }
    try await expect("subscribed", "FFF1")
    tell("subscribed", "FFF1 notifies each second from now on")
    try await device.until(within: session.timeout) { self.received.count >= Self.notifications }
    guard received.allSatisfy({ $0.starts(with: "send data : ".utf8) }), Set(received).count == received.count else {
      throw ToolError(.failed, "What was notified is not what the peripheral counts.")
    }
  }

  private static func characteristic(_ name: String) throws(ToolError) -> CharacteristicName {
    do throws(ArgumentValueError) {
      return try CharacteristicName(argument: name)
    } catch {
      throw ToolError(.failed, error.reason)
    }
  }

  /// Reports a completed step.
  private func tell(_ step: String, _ text: String) {
    let label = session.output.style.strong(step) + String(repeating: " ", count: max(1, 14 - step.count))
    session.output.event("step", .object(["step": .string(step), "text": .string(text)]), "  ✓ \(label)\(text)")
  }

  /// Checks the capture and prints the summary.
  private func summarise() throws(ToolError) {
    let packets = try CaptureFile.countPackets(at: stage.capture)
    guard packets > 0 else { throw ToolError(.failed, "The capture \(stage.capture) has no packets.") }
    tell("captured", "\(packets) packets in \(stage.capture), for Wireshark or 'ble capture show'")
    let seconds = Self.seconds(since: start)
    let members: JSONValue = [
      "succeeded": .bool(true), "notifications": .integer(received.count), "capture": .string(stage.capture),
      "packets": .integer(packets), "seconds": .number(seconds),
    ]
    session.output.event(
      "summary", members,
      "Found, connected, explored, read, written, notified \(received.count) times, disconnected: all in \(seconds) s.")
  }

  private static func seconds(since start: Date) -> Double {
    (Date().timeIntervalSince(start) * 10).rounded() / 10
  }
}
