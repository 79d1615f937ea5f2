import BLEDeviceFiles
import BLESession
import CoreBluetooth

extension Fuzzer {
  /// A device description file, as `ble command` and programs read it.
  static let deviceFile = Fuzzer(name: "device-file") { octets in
    do throws(DeviceFileError) {
      let description = try DeviceDescription(octets: Data(octets), file: "f")
      require(!description.name.isEmpty || octets.count < 1 << 20, "a name from nowhere")
      for command in description.commands {
        require(description.command(named: command.name)?.name == command.name, "a command that is not found")
        for field in command.parameters + command.results { require(field.width ?? 1 > 0, "a field without octets") }
      }
      if let handshake = description.conversation?.handshake {
        require(description.command(named: handshake.command) != nil, "a handshake without its command")
      }
    } catch {
      require(!error.mistakes.isEmpty && error.mistakes.count <= 50, "no mistake, or too many")
      let positions = error.mistakes.map(\.position)
      require(positions == positions.sorted(), "mistakes out of order")
      for line in error.lines {
        let acts = line.unicodeScalars.contains { $0.value < 0x20 || $0.value == 0x7F }
        require(!acts, "a message that acts on a terminal")
      }
    }
  } seeds: {
    [
      #"{"format": "ble-device/1", "name": "t", "match": {"names": ["t"]}, "commands": {"a": {"read": "180F/2A19", "fields": [{"name": "charge", "range": [0, 100], "unit": "%"}]}, "b": {"write": "1802/2A06", "send": [{"name": "level", "values": {"off": 0, "high": 2}, "default": "high"}]}}, "notifications": {"n": {"from": "FFE0/FFE1", "every": 2, "fields": [{"name": "charge"}]}}, "simulation": {"advertise": {"name": "t", "services": ["180F"]}, "state": {"charge": 5, "level": "off"}}}"#,
      #"{"format": "ble-device/1", "name": "l", "description": "d", "match": {"name_prefix": "L", "ignoring_case": true, "services": ["FFF0"], "manufacturer": {"company": "0x4C4B", "prefix": "01"}, "address": {"offset": 1, "order": "little"}}, "wake": {"hint": "h", "after": 3}, "conversation": {"write": "FFF0/FFF1", "answers": "FFF0/FFF2", "codec": [{"xor": "5AA5"}, {"modulo": {"add": -3, "multiply": 5}}, {"frame": {"start": "55", "fields": [{"meaning": "type"}, {"meaning": "sequence"}, {"meaning": "length", "octets": 2, "order": "big"}], "length_counts": "rest", "check": {"algorithm": "CRC-8/MAXIM", "covers": "everything"}, "end": "AA", "longest_payload": 64}}, {"cipher": {"mode": "ccm", "key": "000102030405060708090a0b0c0d0e0f", "nonce": "00010203040506", "tag_length": 8}}], "handshake": {"command": "hi", "values": {"key": "0011"}, "time_limit": 1, "retries": 2}, "time_limit": 2, "retries": 1}, "commands": {"hi": {"type": 1, "send": [{"name": "key", "as": "hex", "octets": 2}, {"constant": "00"}], "answer": {"type": 129, "fields": [{"name": "label", "as": "text"}]}, "refusal": {"type": 129, "fields": [{"name": "why", "octets": 2, "signed": true}]}, "repeatable": true, "simulated": {"requires": ["key"], "otherwise": {"why": -1}, "sets": {"label": "x"}, "after": 0.5, "notifies": ["n"]}}}, "notifications": {"n": {"type": 7, "fields": []}}, "simulation": {"state": {"key": "0011", "label": "y"}, "complaint": {"type": 255, "fields": [{"constant": "01"}]}}}"#,
    ].map { Array($0.utf8) }
  }

  /// Frames off the air, in the layout that the first octets choose.
  static let frames = Fuzzer(name: "frames") { octets in
    guard octets.count > 4, let format = format(octets[0], octets[1]) else { return }
    var parser = FrameParser(format: format)
    var rest = octets.dropFirst(2)
    var (given, found) = (0, 0)
    while !rest.isEmpty {
      let piece = rest.prefix(Int(octets[0] % 20) + 1)
      rest = rest.dropFirst(piece.count)
      given += piece.count
      for finding in parser.append(piece) {
        guard case .frame(let frame) = finding else { continue }
        found += 1
        require(frame.payload.count <= format.maximumPayload, "a payload longer than is believed")
        // A frame that was read can be written.
        require((try? format.encode(frame)) != nil, "a frame that cannot be written")
      }
      require(parser.pending <= given && parser.pending <= 4_096 + 64, "more is kept than came")
    }
    require(found <= given, "more frames than octets")
  } seeds: {
    [[0, 1, 0x55, 0x01, 0x02, 0x03], [7, 3, 0xAB, 0, 1, 2, 9, 9, 0x0C, 0x5A], [255, 255, 1, 2, 3, 4]]
  }

  /// One of 256 layouts.
  private static func format(_ choice: UInt8, _ more: UInt8) -> FrameFormat? {
    var fields: [FrameFormat.Field] = []
    if choice & 1 != 0 { fields.append(.init(.type, width: 1 + Int(more & 3), order: .bigEndian)) }
    if choice & 2 != 0 { fields.append(.init(.sequence)) }
    if choice & 4 != 0 { fields.append(.init(.length, width: 1 + Int(more >> 2 & 1))) }
    let check: FrameCheck? =
      choice & 8 == 0
      ? nil : FrameCheck(choice & 16 == 0 ? .sum : .cyclicRedundancyCheck("CRC-8/MAXIM-DOW"), covers: .everything)
    return try? FrameFormat(
      start: choice & 32 == 0 ? Data() : Data([0x55]), fields: fields,
      lengthCounts: choice & 64 == 0 ? .payload : .frame, check: check, end: choice & 128 == 0 ? Data() : Data([0x5A]),
      maximumPayload: 64)
  }
}
