import BLEAdapter
import BLECore
import BLECrypto
import BLEHost
import BLEWire

/// One procedure of a client under test, and what it reports.
final class ClientRun: GATTClientEvents {
  typealias NotUnderstood = AttributeVectors.NotUnderstood

  private let channel = VectorChannel()
  private let client: GATTClient
  private let procedure: String
  private let arguments: JSONValue
  private let remote: VectorDatabase?
  /// What the procedure has reported, by the names of the file.
  var report: [String: JSONValue] = [:]
  private var peer: ScriptedPeer?
  private var isSubscribed = false

  init(_ test: JSONValue, _ procedure: String, _ arguments: JSONValue, _ remote: VectorDatabase?) throws {
    self.procedure = procedure
    self.arguments = arguments
    self.remote = remote
    let mtu = test["mtu"]
    let receiveMTU =
      try procedure == "exchange_mtu" ? arguments.integer("client_rx_mtu") : mtu?.integer("client_rx_mtu")
    let bearer = ATTBearer(loop: VirtualLoop(), channel: channel, receiveMTU: receiveMTU ?? 23)
    if procedure != "exchange_mtu", let serverMTU = mtu?["server_rx_mtu"]?.integer { bearer.assumeMTU(serverMTU) }
    client = GATTClient(bearer: bearer)
    client.events = self
  }

  func client(_ client: GATTClient, didReceive value: ArraySlice<UInt8>, of handle: AttributeHandle) -> Bool {
    // Nothing is delivered before the subscription stands. Which characteristic it is of is not judged: some exchanges
    // subscribe to one and are notified of another.
    if isSubscribed { report["received_value"] = .string(value.hexadecimal) }
    return true
  }

  // MARK: Playing

  func play(_ script: ScriptedPeer, _ outcome: inout VectorOutcome) throws {
    peer = script
    defer { close() }
    client.raiseSecurity = { [self] _, answer in
      answer(peer?.advance(past: .local(.raiseLinkSecurityThenRetry)) == true ? .raised : .failed)
    }
    try start()
    while outcome.failures.isEmpty {
      while let sent = channel.take() {
        if peer?.advance(past: .toServer(sent)) != true {
          outcome.failures.append(peer?.mismatch(sent) ?? "")
          return
        }
      }
      guard let entry = peer?.first?.next else { break }
      switch entry {
      case .fromServer(let octets):
        _ = peer?.advance(past: entry)
        client.bearer.receive(octets[...])
      case .local(.subscriptionConfirmed):
        _ = peer?.advance(past: entry)
        if !isSubscribed { outcome.failures.append("the subscription was not reported") }
      case .toServer, .local:
        // The first sequence continues with what the client does not do; another one may have ended.
        if peer?.finished == nil { outcome.failures.append(peer?.mismatch([]) ?? "") }
        if outcome.failures.isEmpty { judge(peer?.finished?.expected, &outcome) }
        return
      }
    }
    if outcome.failures.isEmpty { judge(peer?.finished?.expected, &outcome) }
  }

  /// Plays against a server that holds the database: only what is reported counts.
  func play(server database: VectorDatabase, expected: JSONValue, _ outcome: inout VectorOutcome) throws {
    let serverChannel = VectorChannel()
    let bearer = ATTBearer(loop: VirtualLoop(), channel: serverChannel, receiveMTU: client.bearer.mtu)
    bearer.assumeMTU(client.bearer.mtu)
    let server = try database.makeServer()
    let link = database.serve(server, on: bearer)
    defer { close() }
    try start()
    while let sent = channel.take() {
      bearer.receive(sent[...])
      while let answer = serverChannel.take() { client.bearer.receive(answer[...]) }
    }
    link.close()
    judge(expected, &outcome)
  }

  /// What did not happen by now will not be reported any more.
  private func close() {
    client.events = nil
    client.raiseSecurity = nil
    client.bearer.close()
  }

  private func judge(_ expected: JSONValue?, _ outcome: inout VectorOutcome) {
    guard let expected = expected?.object else { return outcome.notUnderstood("expected") }
    if channel.all.contains([0x1E]) { report["confirmation_sent"] = .boolean(true) }
    for (key, wanted) in expected.sorted(by: { $0.key < $1.key }) {
      guard Self.expectations.contains(key) else {
        outcome.notUnderstood("expected.\(key)")
        continue
      }
      let got = report[key] ?? .null
      if !wanted.isMatched(by: got) { outcome.failures.append("\(key): wanted \(wanted.text), got \(got.text)") }
    }
  }

  private static let expectations: Set<String> = [
    "att_error", "services", "includes", "characteristics", "descriptors", "values", "terminating_error", "value",
    "received_value", "confirmation_sent",
  ]

  // MARK: The procedures

  private func start() throws {
    switch procedure {
    case "exchange_mtu": client.exchangeMTU { [self] in note($0) { _ in [:] } }
    case "discover_all_primary_services", "discover_primary_services_by_uuid", "find_included_services",
      "discover_all_characteristics", "discover_characteristics_by_uuid", "discover_all_descriptors":
      try startDiscovery()
    case "read_characteristic_value", "read_descriptor", "read_long_value", "read_multiple",
      "read_using_characteristic_uuid":
      try startReading()
    case "write_with_response", "write_without_response", "write_long_value", "reliable_write",
      "signed_write_without_response":
      try startWriting()
    case "subscribe_notifications", "subscribe_indications": try startSubscription()
    default: throw NotUnderstood("procedure \(procedure)")
    }
  }

  private func startDiscovery() throws {
    switch procedure {
    case "discover_all_primary_services":
      client.discoverServices { [self] in
        note($0) { services in
          [
            "services": .list(services) {
              ["start": .handle($0.handles.lowerBound), "end": .handle($0.handles.upperBound), "uuid": .uuid($0.uuid)]
            }
          ]
        }
      }
    case "discover_primary_services_by_uuid":
      let uuid = try arguments.uuid("uuid")
      let onAir: BLEUUID
      switch arguments["uuid_on_air"]?.string {
      case "16-bit":
        guard let short = uuid.short else { throw NotUnderstood("uuid_on_air") }
        onAir = BLEUUID(short)
      case "128-bit": onAir = BLEUUID(high: uuid.high, low: uuid.low)
      default: throw NotUnderstood("uuid_on_air")
      }
      client.discoverServices(with: onAir) { [self] in
        note($0) { services in
          [
            "services": .list(services) {
              ["start": .handle($0.handles.lowerBound), "end": .handle($0.handles.upperBound), "uuid": .uuid($0.uuid)]
            }
          ]
        }
      }
    case "find_included_services":
      client.findIncludedServices(from: try arguments.handle("start"), through: try arguments.handle("end")) {
        [self] in
        note($0) { includes in
          [
            "includes": .list(includes) {
              [
                "handle": .handle($0.handle), "start": .handle($0.start), "end": .handle($0.end),
                "uuid": $0.uuid.map { .uuid($0) } ?? .null,
              ]
            }
          ]
        }
      }
    case "discover_all_descriptors":
      client.discoverDescriptors(from: try arguments.handle("start"), through: try arguments.handle("end")) {
        [self] in
        note($0) { found in
          ["descriptors": .list(found) { ["handle": .handle($0.handle), "uuid": .uuid($0.uuid)] }]
        }
      }
    default:
      client.discoverCharacteristics(from: try arguments.handle("start"), through: try arguments.handle("end")) {
        [self] in
        note($0) { found in
          [
            "characteristics": .list(found) {
              [
                "handle": .handle($0.handle), "properties": .number(Double($0.properties)),
                "value_handle": .handle($0.valueHandle), "uuid": .uuid($0.uuid),
              ]
            }
          ]
        }
      }
    }
  }

  private func startReading() throws {
    let noteValue: GATTClient.Completion<ArraySlice<UInt8>> = { [self] in
      note($0) { ["value": .string($0.hexadecimal)] }
    }
    switch procedure {
    case "read_long_value":
      client.readLong(
        try arguments.handle("handle"), from: try arguments.integer("offset"), noteValue)
    case "read_multiple":
      let handles = try arguments.entries("handles").map { entry in
        guard let number = entry.hexadecimalNumber.flatMap(UInt16.init(exactly:)) else {
          throw NotUnderstood("handles")
        }
        return AttributeHandle(number)
      }
      client.readMultiple(handles, noteValue)
    case "read_using_characteristic_uuid":
      let (first, last) = (try arguments.handle("start"), try arguments.handle("end"))
      client.readValues(of: try arguments.uuid("uuid"), from: first, through: last) { [self] result in
        note(result) { search in
          [
            "values": .list(search.values) {
              ["handle": .handle($0.handle), "value": .string($0.value.hexadecimal)]
            },
            "terminating_error": search.terminatingError.map { .error($0.rawValue) } ?? .null,
          ]
        }
        if case .failure(.attribute(let code)) = result {
          report["values"] = .array([])
          report["terminating_error"] = .error(code)
        }
      }
    default: client.read(try arguments.handle("handle"), noteValue)
    }
  }

  private func startWriting() throws {
    let handle = try arguments.handle("handle")
    let value = try arguments.octets("value")
    let noteDone: GATTClient.Completion<Void> = { [self] in note($0) { [:] } }
    switch procedure {
    case "write_with_response": client.write(value[...], to: handle, noteDone)
    case "write_without_response":
      client.writeCommand(value[...], to: handle)
      noteDone(.success(()))
    case "signed_write_without_response":
      let key = SecretKey(leastSignificantFirst: try arguments.octets("csrk"))
      guard let isEncrypted = arguments["link_encrypted"]?.boolean else { throw NotUnderstood("link_encrypted") }
      client.security.isEncrypted = isEncrypted
      let counter = try isEncrypted ? 0 : arguments.integer("sign_counter")
      guard let counter = UInt32(exactly: counter) else { throw NotUnderstood("sign_counter") }
      client.signedWrite(value[...], to: handle, SignatureAlgorithm(csrk: key), signCounter: counter)
      noteDone(.success(()))
    default:
      client.writeLong(
        value[...], to: handle, at: try arguments.integer("offset"), checksEcho: procedure == "reliable_write",
        noteDone)
    }
  }

  private func startSubscription() throws {
    let value = try arguments.handle("value_handle")
    let wanted = try arguments.octets("cccd_value")
    guard wanted.count == 2 else { throw NotUnderstood("cccd_value") }
    guard let configuration = remote?.configuration(of: value) ?? value.next else {
      throw NotUnderstood("value_handle")
    }
    let flags = ClientConfiguration(rawValue: UInt16(wanted[0]) | UInt16(wanted[1]) << 8)
    client.configure(flags, at: configuration) { [self] result in
      if case .success = result { isSubscribed = true }
      note(result) { [:] }
    }
  }

  private func note<Value>(
    _ result: Result<Value, GATTClient.Failure>, _ describe: (Value) -> [String: JSONValue]
  ) {
    switch result {
    case .success(let value):
      report["att_error"] = .number(0)
      report.merge(describe(value)) { _, new in new }
    case .failure(.attribute(let code)): report["att_error"] = .number(Double(code))
    // No error code of the protocol says what these are.
    case .failure(let error): report["att_error"] = .string("\(error)")
    }
  }
}
