import BLECore
import BLECrypto
import BLEVirtualRadio
import BLEWire
import Testing

@Suite("Encryption")
struct EncryptionTests {
  @Test("the central starts encryption with the key that the peripheral's host finds")
  func start() async throws {
    let link = try await EncryptedPair()
    link.enable(randomNumber: 0x0102_0304_0506_0708, diversifier: 0x1122)
    await link.run(.seconds(1))
    let request = try #require(link.peripheral.keyRequests.first)
    #expect(request.randomNumber == 0x0102_0304_0506_0708 && request.diversifier == 0x1122)
    for host in [link.central, link.peripheral] {
      #expect(host.encryptionChanges.map(\.status) == [.success])
      #expect(host.encryptionChanges.map(\.state) == [.on])
      #expect(host.keyRefreshes.isEmpty)
    }
    await link.exchangeData()
    #expect(link.central.completed == 1 && link.peripheral.completed == 1)
  }

  @Test("the packets on the air are those of the specification's formula, and are decrypted with the right key")
  func ciphertext() async throws {
    let link = try await EncryptedPair()
    let tap = DataTap()
    link.pair.air.tap = tap
    try await link.encrypt()
    await link.exchangeData()
    var request: EncryptionRequest?
    var response: EncryptionResponse?
    var cipher: LinkCipher?
    var counters: [Bool: UInt64] = [:]
    var plain: [[UInt8]] = []
    var isFromCentral = true
    var seen: Set<[UInt8]> = []
    for frame in tap.frames {
      var reader = ByteReader(frame.octets, layer: "test")
      let pdu = try DataChannelPDU(from: &reader)
      // Nothing was lost, so that each PDU is there once.
      #expect(seen.insert(Array(pdu.payload)).inserted)
      if let cipher {
        isFromCentral = opens(pdu, cipher, counters[true] ?? 0, true) != nil
        let payload: [UInt8] = try #require(opens(pdu, cipher, counters[isFromCentral] ?? 0, isFromCentral))
        counters[isFromCentral, default: 0] += 1
        plain.append(payload)
      } else if case .encryptionRequest(let pdu) = try LinkLayerControlPDU(payload: pdu.payload) {
        request = pdu
      } else if case .encryptionResponse(let pdu) = try LinkLayerControlPDU(payload: pdu.payload) {
        response = pdu
      } else if case .startEncryptionRequest = try LinkLayerControlPDU(payload: pdu.payload) {
        let request = try #require(request)
        let response = try #require(response)
        let diversifier = response.sessionKeyDiversifier.reversed() + request.sessionKeyDiversifier.reversed()
        let vector = request.initializationVector + response.initializationVector
        cipher = LinkCipher(
          longTermKey: SecretKey(leastSignificantFirst: EncryptedPair.key.octets),
          diversifier: try #require(AESBlock(mostSignificantFirst: diversifier)),
          vector: vector.reversed().reduce(0) { $0 << 8 | UInt64($1) })
      }
    }
    #expect(
      plain == [
        StartEncryptionResponse().payload, StartEncryptionResponse().payload, [1, 0, 4, 0, 7], [1, 0, 4, 0, 8],
      ])
  }

  private func opens(_ pdu: DataChannelPDU, _ cipher: LinkCipher, _ counter: UInt64, _ isFromCentral: Bool) -> [UInt8]?
  {
    cipher.open(pdu.payload, header: pdu.flags, counter: counter, isFromCentral: isFromCentral)
  }

  @Test("a wrong key is a failed integrity check at the peripheral; the central receives nothing more")
  func wrongKey() async throws {
    let link = try await EncryptedPair(answer: .key(EncryptedPair.otherKey))
    link.enable()
    await link.run(.seconds(5))
    #expect(link.peripheral.endReasons == [.messageIntegrityFailure])
    #expect(link.central.endReasons == [.connectionTimeout])
    #expect(link.central.encryptionChanges.isEmpty && link.peripheral.encryptionChanges.isEmpty)
  }

  @Test("without a key the link stays unencrypted, and the central gets the error that the key is missing")
  func missingKey() async throws {
    let link = try await EncryptedPair(answer: .noKey)
    link.enable()
    await link.run(.seconds(1))
    #expect(link.central.encryptionChanges.map(\.status) == [.pinOrKeyMissing])
    #expect(link.central.encryptionChanges.map(\.state) == [.off])
    #expect(link.peripheral.encryptionChanges.isEmpty)
    await link.exchangeData()
    try await link.encrypt()
    await link.exchangeData()
  }

  @Test("a host that masks out key requests has no keys")
  func maskedRequest() async throws {
    let link = try await EncryptedPair()
    link.peripheral.send(LESetEventMask(mask: LEEventMask(rawValue: .max & ~LEEventMask.longTermKeyRequest.rawValue)))
    link.enable()
    await link.run(.seconds(1))
    #expect(link.central.encryptionChanges.map(\.status) == [.pinOrKeyMissing])
    await link.exchangeData()
  }

  @Test("a host that never answers a key request ends the link after the procedure response time-out")
  func silentHost() async throws {
    let link = try await EncryptedPair(answer: .nothing)
    link.enable()
    await link.run(.seconds(39))
    #expect(link.central.endReasons.isEmpty)
    await link.run(.seconds(3))
    #expect(link.central.endReasons == [.linkLayerResponseTimeout])
    #expect(link.peripheral.endReasons == [.connectionTimeout])
  }

  @Test("data waits while encryption starts, and then arrives in order")
  func heldData() async throws {
    let link = try await EncryptedPair(answer: .nothing)
    link.enable()
    await link.run(.milliseconds(500))
    for number in 0..<5 as Range<UInt8> {
      link.central.send(data: [1, 0, 4, 0, number], to: link.handles.central)
      link.peripheral.send(data: [1, 0, 4, 0, number], to: link.handles.peripheral)
    }
    await link.run(.seconds(2))
    #expect(link.central.data.isEmpty && link.peripheral.data.isEmpty)
    #expect(link.central.completed == 0 && link.peripheral.completed == 0)
    link.peripheral.send(LELongTermKeyRequestReply(connectionHandle: link.handles.peripheral, key: EncryptedPair.key))
    await link.run(.seconds(1))
    for host in [link.central, link.peripheral] {
      #expect(host.data.map { $0.packet.payload.last } == [0, 1, 2, 3, 4])
      #expect(host.completed == 5)
      #expect(host.encryptionChanges.count == 1)
    }
  }

  @Test("an encrypted link gets another key: pause and restart, with data queued all the time")
  func refresh() async throws {
    let link = try await EncryptedPair()
    try await link.encrypt()
    link.central.send(data: [1, 0, 4, 0, 1], to: link.handles.central)
    link.peripheral.send(data: [1, 0, 4, 0, 1], to: link.handles.peripheral)
    link.answer = .key(EncryptedPair.otherKey)
    link.enable(EncryptedPair.otherKey)
    link.central.send(data: [1, 0, 4, 0, 2], to: link.handles.central)
    link.peripheral.send(data: [1, 0, 4, 0, 2], to: link.handles.peripheral)
    await link.run(.seconds(1))
    for host in [link.central, link.peripheral] {
      #expect(host.keyRefreshes.map(\.status) == [.success])
      #expect(host.encryptionChanges.count == 1)
      #expect(host.data.map { $0.packet.payload.last } == [1, 2])
    }
    await link.exchangeData()
  }

  @Test("a refresh without a key ends the link: it must not continue unencrypted")
  func refreshWithoutKey() async throws {
    let link = try await EncryptedPair()
    try await link.encrypt()
    link.answer = .noKey
    link.enable(EncryptedPair.otherKey)
    await link.run(.seconds(2))
    #expect(link.central.endReasons == [.pinOrKeyMissing])
    #expect(link.peripheral.endReasons == [.localHostTerminated])
  }

  @Test("a forged packet ends the link at its receiver")
  func forgery() async throws {
    let link = try await EncryptedPair()
    try await link.encrypt()
    link.peripheral.controller.inject(.spoilEncryptedPackets(count: 1))
    link.peripheral.send(data: [1, 0, 4, 0, 1], to: link.handles.peripheral)
    await link.run(.seconds(5))
    #expect(link.central.data.isEmpty)
    #expect(link.central.endReasons == [.messageIntegrityFailure])
    #expect(link.peripheral.endReasons == [.connectionTimeout])
  }

  @Test("encryption starts, refreshes and carries data though 30 % of all packets are lost")
  func loss() async throws {
    for seed in 1...10 as ClosedRange<UInt64> {
      let link = try await EncryptedPair(seed: seed, interval: 6, timeout: 600)
      link.pair.air.setLoss(.independent(rate: 0.3))
      link.enable()
      ConnectionTests.stream(50, from: link.central, link.handles.central)
      ConnectionTests.stream(50, from: link.peripheral, link.handles.peripheral)
      await link.run(.seconds(5))
      link.enable()
      await link.run(.seconds(20))
      for host in [link.central, link.peripheral] {
        #expect(host.encryptionChanges.map(\.status) == [.success], "seed \(seed)")
        #expect(host.keyRefreshes.map(\.status) == [.success], "seed \(seed)")
        let expected = (0..<50).flatMap { ConnectionTests.payload($0) }
        #expect(host.data.flatMap { $0.packet.payload } == expected, "seed \(seed)")
        #expect(host.endReasons.isEmpty)
      }
    }
  }
}
