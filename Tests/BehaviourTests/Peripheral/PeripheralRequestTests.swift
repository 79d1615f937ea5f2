import BLETestKit
import CoreBluetooth
import TestSupport
import Testing

@Suite("Requests of centrals", .keepsCapture)
struct PeripheralRequestTests {
  private static func start(mtu: Int = 517) async throws -> Pair {
    try await Pair.start(
      [
        CBMutableService(
          "FF11",
          [
            CBMutableCharacteristic("FF22", [.read, .write, .writeWithoutResponse], [.readable, .writeable]),
            CBMutableCharacteristic("FF23", [.read, .write], [.readable, .writeable]),
          ])
      ], mtu: mtu)
  }

  @Test("B7.10 a long read asks for one part after the other: each answer begins at the request's offset")
  func longRead() async throws {
    let pair = try await Self.start(mtu: 23)
    pair.publisher.value = Data((0..<100).map { UInt8($0) })
    try await pair.read("FF22")
    #expect(pair.publisher.told == stride(from: 0, through: 88, by: 22).map { "read FF22 at \($0)" })
    #expect(pair.central.values == [pair.publisher.value])
  }

  @Test(
    "B7.10 a read of a value that ends with a full packet asks once more; an empty answer or an invalid offset is the end"
  )
  func fullPackets() async throws {
    let pair = try await Self.start(mtu: 23)
    let value = Data(repeating: 7, count: 44)
    pair.publisher.value = value
    try await pair.read("FF22")
    pair.publisher.onRead = { manager, request in
      guard request.offset < value.count else { return manager.respond(to: request, withResult: .invalidOffset) }
      request.value = value.subdata(in: request.offset..<value.count)
      manager.respond(to: request, withResult: .success)
    }
    try await pair.read("FF22")
    #expect(pair.publisher.told.map { $0.suffix(2) } == [" 0", "22", "44", " 0", "22", "44"])
    #expect(pair.central.values == [value, value])
  }

  @Test("B7.10 an offset past the end is refused with invalidOffset, and other reads with the program's error")
  func refused() async throws {
    let pair = try await Self.start()
    let codes: [CBATTError.Code] = [
      .invalidOffset, .readNotPermitted, .unlikelyError, CBATTError.Code(rawValue: 0x80)!,
    ]
    for code in codes {
      pair.publisher.onRead = { manager, request in manager.respond(to: request, withResult: code) }
      try await pair.read("FF22")
      #expect((pair.central.errors.last as? CBATTError)?.code == code)
    }
    #expect(pair.central.values.isEmpty)
  }

  @Test("B7.10 the first answer counts, and later ones do no harm")
  func answeredTwice() async throws {
    let pair = try await Self.start()
    pair.publisher.onRead = { manager, request in
      request.value = Data([1])
      manager.respond(to: request, withResult: .success)
      request.value = Data([2])
      manager.respond(to: request, withResult: .success)
      manager.respond(to: request, withResult: .unlikelyError)
    }
    for _ in 0..<3 { pair.peripheral.readValue(for: try pair.characteristic("FF22")) }
    await pair.world.settle()
    #expect(pair.central.values == Array(repeating: Data([1]), count: 3))
    #expect(pair.central.errors.isEmpty && pair.peripheral.state == .connected)
  }

  @Test("B7.11 a long write comes as one batch, and the answer to its first request is the answer to all")
  func batch() async throws {
    let pair = try await Self.start(mtu: 23)
    let text = Data((0..<60).map { UInt8($0) })
    try await pair.write(text, to: "FF22")
    let batch = try #require(pair.publisher.batches.first)
    #expect(pair.publisher.batches.count == 1 && batch.count > 1)
    #expect(batch.allSatisfy { $0.central === batch[0].central && $0.characteristic === batch[0].characteristic })
    #expect(batch.map { $0.value?.count ?? 0 }.reduce(0, +) == 60)
    var joined = Data()
    for request in batch {
      #expect(request.offset == joined.count)
      joined += request.value ?? Data()
    }
    #expect(joined == text)
    #expect(pair.central.told == ["wrote FF22"])
  }

  @Test("B7.11 a batch is refused as a whole")
  func refusedBatch() async throws {
    let pair = try await Self.start(mtu: 23)
    pair.publisher.onWrite = { manager, requests in
      manager.respond(to: requests[0], withResult: .invalidAttributeValueLength)
      // The batch is answered: this answer has no effect.
      manager.respond(to: requests[requests.count - 1], withResult: .success)
    }
    try await pair.write(Data(count: 60), to: "FF22")
    #expect(pair.central.told == ["wrote FF22 error 13"])
    pair.publisher.onWrite = nil
    try await pair.write(Data(count: 60), to: "FF22")
    #expect(pair.central.told.last == "wrote FF22")
  }

  @Test("B7.12 writes without response come the same way; answering them is accepted, and sends nothing")
  func commands() async throws {
    let pair = try await Self.start()
    pair.publisher.onWrite = { manager, requests in
      manager.respond(to: requests[0], withResult: .unlikelyError)
      manager.respond(to: requests[0], withResult: .success)
    }
    for number in UInt8(1)...3 {
      pair.peripheral.writeValue(Data([number]), for: try pair.characteristic("FF22"), type: .withoutResponse)
    }
    await pair.world.settle()
    #expect(pair.publisher.batches.map { $0[0].value } == [Data([1]), Data([2]), Data([3])])
    #expect(pair.central.told.isEmpty && pair.peripheral.state == .connected)
    try await pair.read("FF22")
    #expect(pair.central.told == ["value FF22 "])
  }

  @Test("B7.13 a request that is never answered ends the connection after 30 seconds")
  func neverAnswered() async throws {
    let pair = try await Self.start()
    pair.publisher.onRead = { _, _ in }
    pair.peripheral.readValue(for: try pair.characteristic("FF22"))
    await pair.world.advance(by: .seconds(29))
    #expect(pair.peripheral.state == .connected)
    #expect(pair.publisher.told == ["read FF22 at 0"])
    await pair.world.advance(by: .seconds(3))
    #expect(pair.peripheral.state == .disconnected)
    #expect(pair.central.told.last == "disconnected device error 6")
    // Too late: the request has ended.
    let again = try await pair.central.meet(in: pair.world)
    pair.publisher.onRead = nil
    pair.publisher.value = Data([9])
    pair.peripheral.readValue(for: try again.characteristic("FF22"))
    await pair.world.settle()
    #expect(pair.central.values == [Data([9])])
  }

  @Test(
    "B7.13 an answer that comes late, but in time, is valid; one to a central that has left does no harm"
  )
  func lateAnswers() async throws {
    let pair = try await Self.start()
    pair.publisher.onRead = { _, request in pair.publisher.batches.append([request]) }
    pair.peripheral.readValue(for: try pair.characteristic("FF22"))
    await pair.world.advance(by: .seconds(20))
    let request = pair.publisher.batches[0][0]
    request.value = Data([5])
    pair.publisher.manager.respond(to: request, withResult: .success)
    await pair.world.settle()
    #expect(pair.central.values == [Data([5])])
    pair.peripheral.readValue(for: try pair.characteristic("FF22"))
    await pair.world.advance(by: .seconds(1))
    await pair.disconnect()
    pair.publisher.manager.respond(to: pair.publisher.batches[1][0], withResult: .success)
    await pair.world.settle()
    #expect(pair.central.values.count == 1)
  }

  @Test("B7.13 unanswered requests of a manager are refused when the manager is released")
  func released() async throws {
    let pair = try await Self.start()
    let line = CBMutableCharacteristic("FF32", [.read, .write], [.readable, .writeable])
    let service = CBMutableService("FF31", [line])
    let delegate = PeripheralApp(pair.device.options)
    delegate.onRead = { _, _ in }
    await pair.world.settle()
    var manager: CBPeripheralManager? = CBPeripheralManager(
      delegate: delegate, queue: delegate.queue, options: pair.device.options)
    await pair.world.settle()
    manager?.add(service)
    await pair.world.settle()
    await pair.discoverAll()
    pair.central.forget()
    pair.peripheral.readValue(for: try pair.characteristic("FF32"))
    await pair.world.advance(by: .seconds(1))
    #expect(delegate.told.last == "read FF32 at 0" && pair.central.told.isEmpty)
    manager = nil
    await pair.world.advance(by: .seconds(1))
    #expect(pair.central.told.first == "value FF32 error 14")
    #expect(pair.central.told.contains("modified FF31"))
    #expect(pair.peripheral.state == .connected)
  }

  /// Implements none of the methods that answer.
  ///
  /// `@unchecked Sendable`: it has no state.
  private final class Mute: NSObject, CBPeripheralManagerDelegate, @unchecked Sendable {
    func peripheralManagerDidUpdateState(_ peripheral: CBPeripheralManager) {}
  }

  @Test(
    "B7.14 without the answering method, and without a delegate, a request is not supported",
    arguments: [true, false])
  func noMethods(_ hasDelegate: Bool) async throws {
    let pair = try await Self.start()
    let mute = Mute()
    pair.publisher.manager.delegate = hasDelegate ? mute : nil
    pair.peripheral.readValue(for: try pair.characteristic("FF22"))
    try await pair.write(Data([1]), to: "FF22")
    #expect(pair.central.told == ["value FF22 error 6", "wrote FF22 error 6"])
  }
}
