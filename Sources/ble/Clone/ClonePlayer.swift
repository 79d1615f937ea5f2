import BLEAdapter
import BLEClone
import BLECore
import BLEDefaultStack
import BLEDeviceFiles
import BLEHCI
import BLESession
import BLETransports
import BLEVirtualRadio
import BLEWire
import Foundation

/// `ble serve` of a clone on the embedded radio: the device of the log with its handles, below Core Bluetooth.
@MainActor final class ClonePlayer {
  private let recording: RecordedDevice
  private let radio: ControllerRadio
  private let loop = DispatchStackLoop(label: "ble.clone")
  private let session: Session
  private var isOver = false
  private var failure: ToolError?

  /// `nil` if the file is no clone, or has to be played by Core Bluetooth's API, which is then said.
  init?(
    _ description: DeviceDescription, name: String?, hasFaults: Bool, in session: Session
  ) throws(ToolError) {
    guard let recording = description.recording, description.simulation == nil else { return nil }
    self.recording = recording
    self.session = session
    guard let place = Self.place(recording, name, hasFaults, session) else { return nil }
    radio = ControllerRadio(
      air: place.air, device: place.device ?? RadioIdentity.programName, address: nil,
      recording: session.options.recording)
  }

  /// Where the device is played as it is; `nil` if it cannot be.
  private static func place(
    _ recording: RecordedDevice, _ name: String?, _ hasFaults: Bool, _ session: Session
  ) -> (air: String, device: String?)? {
    var obstacle = ClonedRadio.obstacle(recording)
    if name != nil { obstacle = "--name changes what the device advertised" }
    if hasFaults { obstacle = "--faults needs a host, whose packets it changes" }
    if session.options.capture != nil { obstacle = "--capture records a host and its controller" }
    guard obstacle == nil, case .radio(let air, let device)? = DefaultStack.adapterName else {
      let reason = obstacle ?? "Only the embedded radio plays a device as it is"
      session.output.note(
        "Note: \(reason): the clone is played by Core Bluetooth's API, with other handles and the same values.")
      return nil
    }
    session.output.note("The clone is played as it was recorded, with its handles.")
    return (air, device)
  }

  /// Ends `run()`.
  func end() {
    isOver = true
    session.waiting.changed()
  }

  func run() async throws(ToolError) {
    let stage = LoopBound(CloneStage(radio, recording))
    let loop = loop
    loop.submit(from: .common) {
      stage.value.begin(on: loop) { news in onMain { [weak self] in self?.show(news) } }
    }
    var end: ToolError?
    do throws(ToolError) {
      try await session.waiting.until(within: nil) { () throws(ToolError) in
        if let failure = self.failure { throw failure }
        return self.isOver
      }
    } catch {
      end = error
    }
    await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
      loop.submit(from: .common) {
        stage.value.end()
        continuation.resume()
      }
    }
    if let end { throw end }
  }

  private func show(_ news: CloneStage.News) {
    let output = session.output
    switch news {
    case .advertising(let address):
      output.event(
        "advertising", ["address": .string(address.description)], "Advertising as \(address).")
    case .connected: output.event("connected", [:], "A central has connected.")
    case .disconnected: output.event("disconnected", [:], "The central has disconnected.")
    case .pdu(let octets, let isFromDevice):
      let name = ATTOpcode(octets.first ?? 0).description
      let text = Hexadecimal.encode(octets.dropFirst())
      output.event(
        isFromDevice ? "sent" : "received", ["pdu": .string(name), "octets": .string(Hexadecimal.encode(octets))],
        ([isFromDevice ? "sent" : "received", name] + (text.isEmpty ? [] : [text])).joined(separator: " "))
    case .failed(let error): failure = ToolError(.unavailable, error.description.inert)
    }
    session.waiting.changed()
  }
}

/// The clone's radio, on its loop.
private final class CloneStage {
  enum News: Sendable {
    case advertising(DeviceAddress)
    case connected, disconnected
    case pdu([UInt8], isFromDevice: Bool)
    case failed(TransportError)
  }

  private let radio: ControllerRadio
  private let recording: RecordedDevice
  private var clone: ClonedRadio?
  private var scripted: ScriptedRadio?

  init(_ radio: ControllerRadio, _ recording: RecordedDevice) {
    self.radio = radio
    self.recording = recording
  }

  func begin(on loop: DispatchStackLoop, _ tell: @escaping @Sendable (News) -> Void) {
    do throws(TransportError) {
      let address = try radio.join(on: loop, log: DefaultStack.log)
      let scripted = ScriptedRadio(try radio.makeController())
      let clone = ClonedRadio(recording, on: scripted, loop: loop)
      clone.onLink = { tell($0 ? .connected : .disconnected) }
      clone.onPDU = { tell(.pdu($0, isFromDevice: $1)) }
      (self.scripted, self.clone) = (scripted, clone)
      scripted.start()
      clone.start()
      tell(.advertising(address))
    } catch {
      tell(.failed(error))
    }
  }

  func end() {
    radio.leave()
    (scripted, clone) = (nil, nil)
  }
}
