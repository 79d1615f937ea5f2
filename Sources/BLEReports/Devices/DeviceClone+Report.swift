import BLECapture
import BLEClone
import BLECore
import BLEDeviceFiles
import BLESession

extension DeviceClone {
  /// - Parameter file: where its device file was written to.
  package func json(file: String?) -> JSONValue {
    let counts = learned.counts
    return .object([
      "name": .string(learned.name), "address": isAnonymous ? .null : .string(log.address.description),
      "file": .string(orNull: file), "links": .integer(log.links.count), "pdus": .integer(log.pdus.count),
      "attributes": .integer(counts.attributes), "undiscovered": .integer(counts.undiscovered),
      "rules": .integer(counts.rules), "streams": .integer(counts.streams), "sequences": .integer(counts.sequences),
      "exchanges": .integer(counts.exchanges), "device_pdus": .integer(report.total),
      "reproduced": .integer(report.reproduced), "share": .number(Double(report.share) / 10_000),
      "surplus": .integer(report.surplus), "notes": .array(learned.recording.notes.map(JSONValue.string)),
      "differences": .array(
        differences.map { difference in
          .object([
            "pdu": .integer(difference.number),
            "seconds": .number(Double(difference.time.nanoseconds &- (log.links.first?.began.nanoseconds ?? 0)) / 1e9),
            "expected": .string(Hexadecimal.encode(difference.expected)),
            "found": .string(orNull: difference.found.map { Hexadecimal.encode($0) }),
          ])
        }),
    ])
  }

  /// The share that is reproduced in per cent, rounded down: 100 means all.
  package var percent: String {
    let (whole, part) = (report.share / 100, report.share % 100)
    return part == 0 ? "\(whole)" : "\(whole).\(part < 10 ? "0" : "")\(part)"
  }
}
