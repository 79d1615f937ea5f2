import BLECapture
import BLECore
import BLETimeline
import BLEWire
import Foundation

/// A page that was written, with its data as the page's script reads it.
struct ReadPage {
  struct Row {
    let kind: Int
    let device: Int
    let isError: Bool
    let nanoseconds: Int
    let text: String
    let peer: String
    let octets: [UInt8]
    let causes: [Int]
  }

  let html: String
  var rows: [Row] = []
  let devices: [String]
  let notes: [String]

  init(_ octets: [UInt8]) throws {
    html = String(decoding: octets, as: UTF8.self)
    let parts = try Self.elements("class=\"rows\"", html)
    let texts = try Self.elements("class=\"texts\"", html)
    var time = 0
    for (part, text) in zip(parts, texts) {
      let (times, codes, joins) = (Self.numbers(part, "t"), Self.numbers(part, "c"), Self.numbers(part, "j"))
      let strings = text["s"] as? [String] ?? []
      let (says, peers, octets) = (Self.numbers(text, "x"), Self.numbers(text, "p"), Self.numbers(text, "o"))
      let base = rows.count
      for (place, code) in codes.enumerated() {
        time += times[place]
        let causes = stride(from: 0, to: joins.count, by: 2).filter { joins[$0] == place }.map {
          base + place - joins[$0 + 1]
        }
        rows.append(
          Row(
            kind: code >> 2 & 15, device: code >> 6, isError: code & 2 != 0, nanoseconds: time,
            text: strings[says[place]], peer: strings[peers[place]],
            octets: Array(Data(base64Encoded: strings[octets[place]]) ?? Data()), causes: causes))
      }
    }
    let about = try Self.elements("id=\"about\"", html).first ?? [:]
    devices = about["devices"] as? [String] ?? []
    notes = about["notes"] as? [String] ?? []
  }

  private static func numbers(_ part: [String: Any], _ name: String) -> [Int] { part[name] as? [Int] ?? [] }

  private static func elements(_ mark: String, _ html: String) throws -> [[String: Any]] {
    try html.components(separatedBy: "<script type=\"application/json\" \(mark)>").dropFirst().map { rest in
      let text = rest.components(separatedBy: "</script>")[0]
      return try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any] ?? [:]
    }
  }
}

/// Writes a page of a conversation step by step, a millisecond apart.
final class PageMaker {
  static let handle = ConnectionHandle(0x0040)
  private let memory = CaptureMemory()
  private let dissection: CaptureDissection
  let writer: TimelineWriter
  private var nanoseconds: Int64 = 0

  init(title: String = "a test", takesSecretsOut: Bool = true, devices: [String] = ["phone"]) {
    dissection = CaptureDissection(takesSecretsOut: takesSecretsOut)
    writer = TimelineWriter(title: title, to: memory)
    for device in devices { _ = writer.addDevice(device) }
  }

  private var next: CaptureTimestamp {
    nanoseconds += 1_000_000
    return CaptureTimestamp(StackInstant(nanoseconds: nanoseconds), origin: .virtualOrigin)
  }

  func pass(_ time: Duration) { nanoseconds += Int64(time / .nanoseconds(1)) }

  func packet(_ packet: HCIPacket, _ direction: CaptureDirection, device: Int = 0) {
    writer.add(
      dissection.dissect(CapturedPacket(timestamp: next, interface: device, content: .hci(packet, direction))),
      device: device)
  }

  func data(_ payload: [UInt8], _ direction: CaptureDirection, channel: UInt16 = 4, device: Int = 0) {
    packet(Self.frame(payload, channel: channel), direction, device: device)
  }

  static func frame(_ payload: [UInt8], channel: UInt16 = 4) -> HCIPacket {
    var frame = ByteWriter()
    L2CAPHeader(length: UInt16(payload.count), channel: ChannelIdentifier(channel)).encode(into: &frame)
    frame.append(contentsOf: payload)
    return HCIPacket(HCIACLPacket(connectionHandle: handle, boundary: .firstNonFlushable, payload: frame.octets[...]))
  }

  func call(_ name: String, type: UInt16? = nil, device: Int = 0) {
    writer.add(ProgramStep(.call, name, attributeType: type.map { BLEUUID($0) }), device: device, at: next)
  }

  func callback(_ name: String, type: UInt16? = nil, device: Int = 0) {
    writer.add(ProgramStep(.callback, name, attributeType: type.map { BLEUUID($0) }), device: device, at: next)
  }

  func mark(_ mark: TimelineMark, device: Int? = nil) { writer.add(mark, device: device, at: next) }

  func page() throws -> ReadPage {
    writer.finish()
    return try ReadPage(memory.octets)
  }
}
