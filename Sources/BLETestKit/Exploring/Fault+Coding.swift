import BLEFaults

// An event with a fault is passed to the processes of an exploration as any other event.

extension Fault: Codable {
  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    let file = try FaultFile(text: try container.decode(String.self), file: "fault")
    guard let fault = file.faults.first, file.faults.count == 1 else {
      throw DecodingError.dataCorruptedError(in: container, debugDescription: "one fault is expected")
    }
    self = fault
  }

  /// The text of a file with this fault alone.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(FaultFile(faults: [self]).json)
  }
}
