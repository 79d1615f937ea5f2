import BLETestKit
import CoreBluetooth
import TestSupport
import Testing

@Suite("Behaviour 3: how connections end", .keepsCapture)
struct CentralLinkLossTests {
  enum Ending: CaseIterable {
    case timeout, closedByPeer, failure, request

    var code: CBError.Code? {
      switch self {
      case .timeout: .connectionTimeout
      case .closedByPeer: .peripheralDisconnected
      case .failure: .connectionFailed
      case .request: nil
      }
    }

    var text: String? {
      switch self {
      case .timeout: "The connection has timed out unexpectedly."
      case .closedByPeer: "The specified device has disconnected from us."
      case .failure: "The connection has failed unexpectedly."
      case .request: nil
      }
    }
  }

  @Test("B3.10 a connection ends in four ways, each with its error", arguments: Ending.allCases)
  func endings(_ ending: Ending) async throws {
    let meeting = try await Meeting.withTag().connected()
    switch ending {
    case .timeout: meeting.tag?.cutPower()
    case .closedByPeer: meeting.tag?.disconnect(reason: 0x13)
    // Unacceptable Connection Parameters: neither the user's request nor a loss.
    case .failure: meeting.tag?.disconnect(reason: 0x3B)
    case .request: meeting.central.manager.cancelPeripheralConnection(meeting.found)
    }
    await meeting.world.advance(by: .seconds(60))
    let suffix = ending.code.map { " error \($0.rawValue)" } ?? ""
    #expect(meeting.central.told == ["disconnected tag\(suffix)"])
    let error = meeting.central.errors.first
    #expect((error as? CBError)?.code == ending.code)
    #expect((error as NSError?)?.domain == (ending.code == nil ? nil : CBErrorDomain))
    #expect(error?.localizedDescription == ending.text)
  }

  @Test("B3.11 the codes of CBError are Apple's")
  func codes() {
    let codes: [(CBError.Code, Int)] = [
      (.unknown, 0), (.invalidParameters, 1), (.invalidHandle, 2), (.notConnected, 3), (.outOfSpace, 4),
      (.operationCancelled, 5), (.connectionTimeout, 6), (.peripheralDisconnected, 7), (.uuidNotAllowed, 8),
      (.alreadyAdvertising, 9), (.connectionFailed, 10), (.connectionLimitReached, 11), (.unknownDevice, 12),
      (.operationNotSupported, 13), (.peerRemovedPairingInformation, 14), (.encryptionTimedOut, 15),
      (.tooManyLEPairedDevices, 16),
    ]
    for (code, number) in codes { #expect(code.rawValue == number && CBError(code).errorCode == number) }
  }

  @Test("B3.11 an attempt beyond the controller's capacity fails with the connection limit reached")
  func limit() async throws {
    let meeting = try await Meeting.withTag { _, phone in
      var configuration = ControllerConfiguration()
      configuration.connectionLimit = 1
      phone.setController(configuration)
      phone.powerOff()
      phone.powerOn()
    }
    let second = meeting.world.makeScriptedDevice("second")
    second.advertise(Advertisement.named("second"))
    let other = try await Meeting.find("second", by: meeting.central, in: meeting.world)
    _ = try await meeting.connected()
    meeting.central.manager.connect(other)
    await meeting.world.advance(by: .seconds(10))
    #expect(meeting.central.told == ["failed second error \(CBError.connectionLimitReached.rawValue)"])
    #expect(meeting.found.state == .connected)
  }

  @Test("B3.12 after the end of a connection no callback or answer comes for it")
  func silence() async throws {
    let meeting = try await Meeting.talking()
    let (central, found, characteristic) = (meeting.central, meeting.found, try meeting.characteristic())
    await found.notify(true, characteristic, in: meeting.world)
    meeting.accessory?.answersRequests = false
    central.forget()
    found.readValue(for: characteristic)
    found.writeValue(Data([1]), for: characteristic, type: .withResponse)
    found.discoverDescriptors(for: characteristic)
    meeting.accessory?.push(Data([1]), "FFF1")
    await meeting.world.advance(by: .milliseconds(500))
    meeting.device?.cutPower()
    await meeting.world.advance(by: .seconds(60))
    #expect(central.told == ["value FFF1 01", "disconnected lamp error \(CBError.connectionTimeout.rawValue)"])
  }

  @Test("B3.13 discovered objects are invalid after the connection; they must be discovered again")
  func stale() async throws {
    let meeting = try await Meeting.talking()
    let (central, found) = (meeting.central, meeting.found)
    let (service, characteristic) = (try meeting.service("FFF0"), try meeting.characteristic())
    central.manager.cancelPeripheralConnection(found)
    await meeting.world.advance(by: .seconds(2))
    #expect(found.services == nil)
    let connected = try await meeting.connected()
    found.readValue(for: characteristic)
    found.discoverCharacteristics(nil, for: service)
    await meeting.world.settle()
    let code = CBATTError.invalidHandle.rawValue
    #expect(central.told == ["value FFF1 error \(code)", "characteristics FFF0 error \(code)"])
    let walked = try await connected.walked()
    #expect(try walked.service("FFF0") !== service)
    found.readValue(for: try walked.characteristic())
    await meeting.world.settle()
    #expect(central.told == ["value FFF1 "])
  }
}
