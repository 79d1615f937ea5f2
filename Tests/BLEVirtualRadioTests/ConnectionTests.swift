import BLECore
import BLEVirtualRadio
import BLEWire
import Testing

@Suite("Connections")
struct ConnectionTests {
  @Test("both hosts are notified of the connection, exchange data and are notified of its end")
  func lifeOfAConnection() async throws {
    let pair = try TestPair()
    let handles = try await pair.connect()
    let event = try #require(pair.central.connections.first?.event)
    #expect(event.role == .central && event.interval.rawValue == 24 && event.supervisionTimeout.rawValue == 100)
    #expect(event.peerAddress == HCIAddress(pair.peripheral.address))
    #expect(pair.peripheral.connections.first?.event.role == .peripheral)
    #expect(pair.peripheral.connections.first?.event.peerAddress == HCIAddress(pair.central.address))

    pair.central.send(data: [1, 0, 4, 0, 7], to: handles.central)
    pair.peripheral.send(data: [1, 0, 4, 0, 8], to: handles.peripheral)
    await pair.loop.run(until: .quiet(limit: pair.loop.now + .seconds(1)))
    #expect(pair.peripheral.data.map { Array($0.packet.payload) } == [[1, 0, 4, 0, 7]])
    #expect(pair.central.data.map { Array($0.packet.payload) } == [[1, 0, 4, 0, 8]])
    #expect(pair.central.completed == 1 && pair.peripheral.completed == 1)

    pair.central.send(HCIDisconnect(connectionHandle: handles.central, reason: .remoteUserTerminated))
    await pair.run(.seconds(1))
    #expect(pair.central.disconnections.map(\.event.reason) == [.localHostTerminated])
    #expect(pair.peripheral.disconnections.map(\.event.reason) == [.remoteUserTerminated])
  }

  @Test("a disconnection by the peripheral is reported to the central")
  func peripheralDisconnects() async throws {
    let pair = try TestPair()
    let handles = try await pair.connect()
    pair.peripheral.send(data: [1, 0, 4, 0, 9], to: handles.peripheral)
    pair.peripheral.send(HCIDisconnect(connectionHandle: handles.peripheral, reason: .remotePowerOff))
    await pair.run(.seconds(1))
    #expect(pair.central.data.count == 1)
    #expect(pair.central.disconnections.map(\.event.reason) == [.remotePowerOff])
    #expect(pair.peripheral.disconnections.map(\.event.reason) == [.localHostTerminated])
  }

  @Test("data arrives whole and in order in both directions though 30 % of all packets are lost")
  func dataUnderLoss() async throws {
    for seed in 1...5 as ClosedRange<UInt64> {
      let pair = try TestPair(seed: seed)
      let handles = try await pair.connect(interval: 6, timeout: 600)
      pair.air.setLoss(.independent(rate: 0.3))
      let count = 200
      Self.stream(count, from: pair.central, handles.central)
      Self.stream(count, from: pair.peripheral, handles.peripheral)
      await pair.run(.seconds(60))
      for host in [pair.central, pair.peripheral] {
        let received = host.data.flatMap { $0.packet.payload }
        let expected = (0..<count).flatMap { Self.payload($0) }
        #expect(received == expected, "seed \(seed)")
        #expect(host.completed == count, "seed \(seed)")
      }
    }
  }

  static func payload(_ number: Int) -> [UInt8] {
    (0..<(20 + number % 200)).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ number) }
  }

  /// Keeps the controller's buffers full until `count` packets were sent.
  static func stream(_ count: Int, from host: TestHost, _ handle: ConnectionHandle, buffers: Int = 12) {
    var next = 0
    func fill(_ credits: Int) {
      for _ in 0..<credits where next < count {
        host.send(data: payload(next), to: handle)
        next += 1
      }
    }
    host.onCompleted = { fill($0) }
    fill(buffers)
  }

  @Test("a peer that falls silent is noticed at the supervision time-out, to the microsecond")
  func supervision() async throws {
    for latency in [0, 4] as [UInt16] {
      let pair = try TestPair()
      let handles = try await pair.connect(interval: 24, latency: latency, timeout: 200)
      _ = handles
      let connected = try #require(pair.central.connections.first?.at)
      pair.peripheral.controller.silence()
      let silent = pair.loop.now
      await pair.run(.seconds(10))
      let ends = [pair.central, pair.peripheral].map { $0.disconnections }
      for end in ends {
        let event = try #require(end.first)
        #expect(event.event.reason == .connectionTimeout)
        let heard = event.at - .seconds(2)
        // The last event at which the peripheral listened lies at most latency + 1 intervals before the silence.
        #expect(heard <= silent && silent - heard <= .milliseconds(30 * Int64(latency + 1)))
        let phase = (heard - connected - .microseconds(1_250)).nanoseconds % 30_000_000
        #expect(phase == 80_000 || phase == 310_000, "\(phase)")
      }
    }
  }

  @Test("a connection to a silent peer fails to be established after six intervals")
  func establishmentFailure() async throws {
    let pair = try TestPair()
    pair.air.setLoss(.independent(rate: 1), from: pair.central.controller, to: pair.peripheral.controller)
    pair.peripheral.advertise(interval: 0x20)
    pair.central.connect(to: pair.peripheral.address, interval: 24)
    await pair.run(.seconds(2))
    let connected = try #require(pair.central.connections.first)
    let ended = try #require(pair.central.disconnections.first)
    #expect(ended.event.reason == .failedToEstablish)
    #expect(ended.at - connected.at == .milliseconds(180))
    #expect(pair.peripheral.connections.isEmpty)
  }

  @Test("with latency the peripheral skips events, but sends immediately when it has data")
  func latency() async throws {
    let pair = try TestPair()
    let handles = try await pair.connect(interval: 24, latency: 9, timeout: 600)
    await pair.run(.seconds(1))
    let start = pair.loop.now
    pair.peripheral.send(data: [1, 0, 4, 0, 1], to: handles.peripheral)
    await pair.run(.seconds(1))
    let up = try #require(pair.central.data.first).at - start
    #expect(up <= .milliseconds(31))
    var downs: [StackDuration] = []
    for _ in 0..<20 {
      let start = pair.loop.now
      pair.peripheral.forget()
      pair.central.send(data: [1, 0, 4, 0, 1], to: handles.central)
      await pair.run(.milliseconds(1_017))
      downs.append(try #require(pair.peripheral.data.first).at - start)
    }
    #expect(downs.allSatisfy { $0 <= .milliseconds(301) })
    #expect(downs.contains { $0 > .milliseconds(150) })
  }

  @Test("parameters, PHY and data length change for both sides, at an instant")
  func updates() async throws {
    let pair = try TestPair(dataLength: 27)
    let handles = try await pair.connect(interval: 24)
    pair.central.send(
      LESetPHY(
        connectionHandle: handles.central, preference: [], transmitPHYs: .le2M, receivePHYs: .le2M, options: 0))
    pair.peripheral.send(
      LESetDataLength(connectionHandle: handles.peripheral, transmitOctets: 251, transmitTime: 2_120))
    await pair.run(.seconds(1))
    for host in [pair.central, pair.peripheral] {
      let phys = host.events.compactMap { if case .lePHYUpdateComplete(let event) = $0.event { event } else { nil } }
      #expect(phys.map(\.transmitPHY) == [.le2M] && phys.map(\.receivePHY) == [.le2M])
      let lengths = host.events.compactMap { if case .leDataLengthChange(let event) = $0.event { event } else { nil } }
      #expect(lengths.count == 1)
    }
    pair.central.send(
      LEConnectionUpdate(
        connectionHandle: handles.central,
        parameters: ConnectionParameters(
          intervalMinimum: ConnectionInterval(rawValue: 80), intervalMaximum: ConnectionInterval(rawValue: 80),
          latency: 0, supervisionTimeout: SupervisionTimeout(rawValue: 300))))
    await pair.run(.seconds(2))
    for host in [pair.central, pair.peripheral] {
      let updates = host.events.compactMap {
        if case .leConnectionUpdateComplete(let event) = $0.event { ($0.at, event) } else { nil }
      }
      #expect(updates.map(\.1.interval.rawValue) == [80])
    }
    // The connection continues at the new interval.
    pair.central.send(data: [1, 0, 4, 0, 5], to: handles.central)
    await pair.run(.seconds(1))
    #expect(pair.peripheral.data.count == 1)
    pair.peripheral.controller.silence()
    let silent = pair.loop.now
    await pair.run(.seconds(5))
    let end = try #require(pair.central.disconnections.first)
    #expect(end.at - silent <= .seconds(3) && end.at - silent >= .milliseconds(2_899))
  }

  @Test(
    "I11.33 the side whose host wants long packets starts the data length update, also the peripheral",
    arguments: [true, false])
  func eitherSideLengthens(asCentral: Bool) async throws {
    let pair = try TestPair(dataLength: 27)
    let host = asCentral ? pair.central : pair.peripheral
    host.send(LEWriteSuggestedDefaultDataLength(transmitOctets: 251, transmitTime: 2_120))
    let handles = try await pair.connect()
    let handle = asCentral ? handles.central : handles.peripheral
    let lengths = host.events.compactMap { if case .leDataLengthChange(let event) = $0.event { event } else { nil } }
    #expect(lengths.map(\.transmitOctets) == [251])
    // Values that the peer knows are not sent again; new ones are.
    host.forget()
    host.send(LESetDataLength(connectionHandle: handle, transmitOctets: 251, transmitTime: 2_120))
    await pair.run(.seconds(1))
    host.send(LESetDataLength(connectionHandle: handle, transmitOctets: 100, transmitTime: 1_000))
    await pair.run(.seconds(1))
    let changes = host.events.compactMap { if case .leDataLengthChange(let event) = $0.event { event } else { nil } }
    #expect(changes.map(\.transmitOctets) == [100])
  }

  @Test("the peripheral's proposal of parameters is passed to the central's host, whose answer decides")
  func parameterRequest() async throws {
    for accepts in [true, false] {
      let pair = try TestPair()
      let handles = try await pair.connect(interval: 24)
      let parameters = ConnectionParameters(
        intervalMinimum: ConnectionInterval(rawValue: 40), intervalMaximum: ConnectionInterval(rawValue: 48),
        latency: 2,
        supervisionTimeout: SupervisionTimeout(rawValue: 300))
      pair.peripheral.send(LEConnectionUpdate(connectionHandle: handles.peripheral, parameters: parameters))
      await pair.run(.seconds(1))
      let asked = pair.central.events.contains {
        if case .leRemoteConnectionParameterRequest(let event) = $0.event {
          event.intervalMaximum.rawValue == 48
        } else {
          false
        }
      }
      #expect(asked)
      if accepts {
        pair.central.send(
          LERemoteConnectionParameterRequestReply(connectionHandle: handles.central, parameters: parameters))
      } else {
        pair.central.send(
          LERemoteConnectionParameterRequestNegativeReply(
            connectionHandle: handles.central, reason: .unacceptableConnectionParameters))
      }
      await pair.run(.seconds(2))
      let updates = pair.peripheral.events.compactMap {
        if case .leConnectionUpdateComplete(let event) = $0.event { event } else { nil }
      }
      #expect(updates.count == 1)
      #expect(updates.first?.status == (accepts ? .success : .unacceptableConnectionParameters))
      #expect(updates.first?.interval.rawValue == (accepts ? 48 : 24))
    }
  }

  @Test("an extended advertiser on LE 2M is connected, and its set is reported")
  func extendedConnection() async throws {
    let pair = try TestPair()
    let handle = LEAdvertisingHandle(rawValue: 3)
    pair.peripheral.send(
      LESetExtendedAdvertisingParameters(
        advertisingHandle: handle, properties: .connectable,
        primaryIntervalMinimum: AdvertisingInterval(rawValue: 0x20),
        primaryIntervalMaximum: AdvertisingInterval(rawValue: 0x20), primaryChannels: .all, ownAddressType: .random,
        peerAddress: .none, filterPolicy: .all, transmitPower: 127, primaryPHY: .le1M, secondaryMaximumSkip: 0,
        secondaryPHY: .le2M, setIdentifier: 1, reportsScanRequests: false))
    pair.peripheral.send(
      LESetAdvertisingSetRandomAddress(advertisingHandle: handle, address: pair.peripheral.address))
    pair.peripheral.send(
      LESetExtendedAdvertisingEnable(
        isEnabled: true,
        sets: [.init(advertisingHandle: handle, duration: HCICentiseconds(rawValue: 0), maximumEvents: 0)]))
    let parameters = ConnectionParameters(
      intervalMinimum: ConnectionInterval(rawValue: 24), intervalMaximum: ConnectionInterval(rawValue: 24),
      supervisionTimeout: SupervisionTimeout(rawValue: 100))
    pair.central.send(
      LEExtendedCreateConnection(
        filterPolicy: .peerAddress, ownAddressType: .random, peerAddress: HCIAddress(pair.peripheral.address),
        phys: .le1M,
        entries: [
          .init(
            scanInterval: ScanInterval(rawValue: 0x30), scanWindow: ScanInterval(rawValue: 0x30), parameters: parameters
          )
        ]))
    await pair.run(.seconds(1))
    let central = try #require(pair.central.connections.first?.event)
    let peripheral = try #require(pair.peripheral.connections.first?.event)
    let ended = pair.peripheral.events.compactMap {
      if case .leAdvertisingSetTerminated(let event) = $0.event { event } else { nil }
    }
    #expect(ended.map(\.status) == [.success])
    #expect(ended.first?.connectionHandle == peripheral.connectionHandle)
    pair.central.send(LEReadPHY(connectionHandle: central.connectionHandle))
    pair.central.send(data: [1, 0, 4, 0, 3], to: central.connectionHandle)
    await pair.run(.seconds(1))
    #expect(pair.peripheral.data.count == 1)
    let phys = pair.central.events.compactMap {
      if case .commandComplete(let event) = $0.event, event.opcode == LEReadPHY.opcode { event } else { nil }
    }
    #expect(phys.first.map { Array($0.returnParameters.suffix(2)) } == [2, 2])
  }

  @Test("a directed advertiser is received by its target alone; at a high duty cycle it stops after 1.28 s")
  func directedAdvertising() async throws {
    let pair = try TestPair()
    let third = try TestHost(pair.air, loop: pair.loop, 3)
    third.start()
    third.connect(to: pair.peripheral.address)
    pair.peripheral.advertise(type: .directedHighDuty, peer: pair.central.address)
    await pair.run(.seconds(2))
    #expect(third.connections.isEmpty)
    let failure = try #require(pair.peripheral.connections.first)
    #expect(failure.event.status == .advertisingTimeout)
    pair.central.connect(to: pair.peripheral.address)
    pair.peripheral.forget()
    pair.peripheral.send(LESetAdvertisingEnable(isEnabled: true))
    await pair.run(.milliseconds(500))
    #expect(pair.peripheral.connections.map(\.event.status) == [.success])
    #expect(pair.central.connections.map(\.event.status) == [.success] && third.connections.isEmpty)
  }

  @Test("a connection attempt that is cancelled is reported as ended")
  func cancelling() async throws {
    let pair = try TestPair()
    pair.central.connect(to: pair.peripheral.address)
    await pair.run(.seconds(1))
    pair.central.send(LECreateConnectionCancel())
    await pair.run(.seconds(1))
    #expect(pair.central.connections.map(\.event.status) == [.unknownConnectionIdentifier])
    pair.peripheral.advertise()
    await pair.run(.seconds(1))
    #expect(pair.peripheral.connections.isEmpty)
  }

  @Test("both sides request other PHYs and parameters simultaneously: the link stays, and both are answered")
  func collidingProcedures() async throws {
    let pair = try TestPair()
    let handles = try await pair.connect()
    for (host, handle) in [(pair.central, handles.central), (pair.peripheral, handles.peripheral)] {
      host.send(LESetPHY(connectionHandle: handle, preference: [], transmitPHYs: .le2M, receivePHYs: .le2M, options: 0))
      host.send(LESetDataLength(connectionHandle: handle, transmitOctets: 100, transmitTime: 2_120))
      host.send(LEReadRemoteFeatures(connectionHandle: handle))
      host.send(
        LEConnectionUpdate(
          connectionHandle: handle,
          parameters: ConnectionParameters(
            intervalMinimum: ConnectionInterval(rawValue: 16), intervalMaximum: ConnectionInterval(rawValue: 16),
            supervisionTimeout: SupervisionTimeout(rawValue: 200))))
    }
    await pair.run(.seconds(60))
    for host in [pair.central, pair.peripheral] {
      #expect(host.disconnections.isEmpty)
      #expect(host.events.contains { if case .lePHYUpdateComplete = $0.event { true } else { false } })
      #expect(host.events.contains { if case .leConnectionUpdateComplete = $0.event { true } else { false } })
      #expect(host.events.contains { if case .leReadRemoteFeaturesComplete = $0.event { true } else { false } })
    }
    pair.central.send(data: [1, 0, 4, 0, 3], to: handles.central)
    await pair.run(.seconds(1))
    #expect(pair.peripheral.data.count == 1)
  }

  @Test("features and versions are exchanged over the air")
  func exchanges() async throws {
    let pair = try TestPair()
    let handles = try await pair.connect()
    pair.central.send(LEReadRemoteFeatures(connectionHandle: handles.central))
    pair.peripheral.send(LEReadRemoteFeatures(connectionHandle: handles.peripheral))
    pair.central.send(HCIReadRemoteVersionInformation(connectionHandle: handles.central))
    await pair.run(.seconds(1))
    for host in [pair.central, pair.peripheral] {
      let features = host.events.compactMap {
        if case .leReadRemoteFeaturesComplete(let event) = $0.event { event } else { nil }
      }
      #expect(features.map(\.status) == [.success])
      #expect(features.first?.features.contains(.dataPacketLengthExtension) == true)
    }
    let versions = pair.central.events.compactMap {
      if case .readRemoteVersionInformationComplete(let event) = $0.event { event.version } else { nil }
    }
    #expect(versions == [.v5_4])
  }

  @Test("a host with flow control gets no more data than it has buffers")
  func hostFlowControl() async throws {
    let pair = try TestPair()
    pair.peripheral.send(HCISetControllerToHostFlowControl(mode: .acl))
    pair.peripheral.send(
      HCIHostBufferSize(
        aclDataPacketLength: 251, synchronousDataPacketLength: 0, aclDataPacketCount: 3, synchronousDataPacketCount: 0))
    let handles = try await pair.connect(interval: 8)
    for number in 0..<10 { pair.central.send(data: [1, 0, 4, 0, UInt8(number)], to: handles.central) }
    await pair.run(.seconds(1))
    #expect(pair.peripheral.data.count == 3)
    pair.peripheral.send(
      HCIHostNumberOfCompletedPackets(
        counts: HCICompletedPackets([.init(connectionHandle: handles.peripheral, count: 3)])))
    await pair.run(.seconds(1))
    #expect(pair.peripheral.data.count == 6)
    #expect(pair.peripheral.data.map { $0.packet.payload.last } == (0..<6).map { UInt8($0) })
  }
}
