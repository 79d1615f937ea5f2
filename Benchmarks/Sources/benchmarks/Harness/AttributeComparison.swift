/// This package's ATT and GATT beside BlueZ's, client and server in one process, where their packets are a socket's: without facade, L2CAP,
/// controller and air.
struct AttributeComparison {
  /// The program `attributes`, as valgrind can read it.
  let program: String
  /// `peer/bluez/bluez_attributes.c`, if there is one.
  let bluez: String?
  let isBrief: Bool
  /// Where callgrind's files are kept.
  let profiles: String?

  static let names = [
    "att_notify_512", "att_write_without_response_510", "att_notify_20", "att_read_20", "att_discover_10x5",
  ]
  private static let rounds = 7

  func measure(_ names: [String]) throws -> [Report] {
    let instructions = try InstructionCounter(folder: profiles, program: program).count(names)
    let bluezInstructions = try bluez.map { try InstructionCounter(program: $0).count(names) }
    return try names.map { name in
      var measurement = Measurement()
      measurement.instructions = instructions[name]
      measurement.peerInstructions = bluezInstructions?[name]
      try time(name, &measurement)
      return Report(name, .rate, beside: "BlueZ", measurement)
    }
  }

  /// By turns, so that a slow while is slow for both.
  private func time(_ name: String, _ measurement: inout Measurement) throws {
    let ours = try Peer(name: "ours", program: program).visit(name)
    defer { ours.end() }
    let theirs = try bluez.map { try Peer(name: "BlueZ", program: $0).visit(name) }
    defer { theirs?.end() }
    // The first round does not count: what is made once is made in it. A brief measuring has no other, and takes the requests of it.
    for round in 0...(isBrief ? 0 : Self.rounds) {
      let (own, other) = (try ours.round(), try theirs?.round())
      if let requests = own.requests, requests > 0 { measurement.requests = requests }
      if let requests = other?.requests, requests > 0 { measurement.peerRequests = requests }
      guard round > 0 else { continue }
      measurement.values.append(own.value)
      if let other { measurement.peerValues.append(other.value) }
    }
  }
}
