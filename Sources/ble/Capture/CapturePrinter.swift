import BLECapture
import BLECore
import BLETimeline
import Foundation

/// What becomes of the packets of a capture that are shown.
@MainActor protocol CapturePrinter {
  /// - Parameters:
  ///   - number: the packet's number in the file, from 1.
  ///   - names: the names of the file's interfaces so far.
  func add(_ dissected: DissectedPacket, number: Int, names: [Int: String])
  /// Ends the output, and returns what is to be said about it.
  func finish() throws(ToolError) -> String?
}

/// A line for each packet.
@MainActor final class CaptureLines: CapturePrinter {
  private let output: Output
  private let dissector: Dissector

  init(_ output: Output, _ dissector: Dissector) {
    self.output = output
    self.dissector = dissector
  }

  func add(_ dissected: DissectedPacket, number: Int, names: [Int: String]) {
    let text = dissector.line(
      dissected.packet, saying: dissected.text,
      interfaceName: names.count > 1 ? names[dissected.packet.interface] : nil, deviceName: dissected.deviceName)
    output.collect(output.isJSON ? Self.json(dissected, number, text).text : text)
  }

  func finish() -> String? { nil }

  private static func json(_ dissected: DissectedPacket, _ number: Int, _ text: String) -> JSONValue {
    let packet = dissected.packet
    let time = Date(timeIntervalSince1970: Double(packet.timestamp.nanoseconds) / 1e9)
      .formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true))
    let direction =
      switch packet.content {
      case .hci(_, .sent): "host-to-controller"
      case .hci(_, .received): "controller-to-host"
      case .air: "air"
      case .other: "other"
      }
    let device = dissected.devices.count == 1 ? dissected.devices.first : nil
    return .object([
      "number": .integer(number), "time": .string(time), "interface": .integer(packet.interface),
      "direction": .string(direction), "device": device.map { .string($0.description) } ?? .null,
      "name": dissected.deviceName.map { .string($0) } ?? .null, "text": .string(text),
    ])
  }
}

/// A page for a browser.
@MainActor final class CapturePage: CapturePrinter {
  private let path: String
  private let writer: TimelineWriter
  private var devices: [Int: Int] = [:]
  /// The number of interfaces whose devices are kept apart; further ones count as the last of them.
  private static let interfaceLimit = 4_096

  /// - Parameter source: the path of the capture.
  init(of source: String, to path: String) throws(ToolError) {
    self.path = path
    let output = try CaptureFile.output(to: path, insteadOf: source)
    writer = TimelineWriter(title: "Capture \(URL(fileURLWithPath: source).lastPathComponent)", to: output)
  }

  func add(_ dissected: DissectedPacket, number: Int, names: [Int: String]) {
    let interface = dissected.packet.interface
    let device: Int
    if let known = devices[interface] {
      device = known
    } else if devices.count >= Self.interfaceLimit {
      device = writer.addDevice("others")
    } else {
      let usual =
        if case .air = dissected.packet.content { "air" } else {
          devices.isEmpty ? "device" : "device \(interface + 1)"
        }
      device = writer.addDevice(names[interface] ?? usual)
      devices[interface] = device
    }
    writer.add(dissected, device: device)
  }

  func finish() throws(ToolError) -> String? {
    writer.finish()
    if let failure = writer.failure { throw ToolError(.noInput, failure.description.inert) }
    return "\(path.inert): a page of \(writer.eventCount) events."
  }
}
