import BLECore
import BLEWire
import Testing

@Suite struct L2CAPTests {
  @Test("every known command goes through the whole decoder")
  func everyKnownCommandGoesThroughTheWholeDecoderAgain() throws {
    for packet in L2CAPRegistry.all where packet.layer == .l2capSignaling {
      let code = UInt8(try #require(packet.code))
      for example in packet.examples() {
        let octets = [code, 7, UInt8(example.count), 0] + example
        var reader = ByteReader(octets, layer: "L2CAP")
        let pdu = try L2CAPSignalingPDU(from: &reader)
        #expect(pdu.octets == octets)
        #expect(pdu.identifier == 7)
        if case .unknown = pdu.command { Issue.record("\(packet.name) is not known") }
      }
    }
  }

  @Test("a length beyond the frame or beyond the command is refused")
  func aLengthBeyondTheFrameOrBeyondTheCommand() {
    for octets: [UInt8] in [[0x13, 1, 3, 0, 0, 0], [0x13, 1, 3, 0, 0, 0, 0], [0x13, 1, 1, 0, 0], [0x13, 1, 2]] {
      #expect(throws: DecodeError.self) {
        var reader = ByteReader(octets, layer: "L2CAP")
        _ = try L2CAPSignalingPDU(from: &reader)
      }
    }
  }

  @Test("the identifier of an unknown command can be read")
  func theIdentifierOfAnUnknownCommandCanBeRead() throws {
    var reader = ByteReader([0x12, 9, 8, 0, 1], layer: "L2CAP")
    let header = try L2CAPSignalingHeader(from: &reader)
    #expect(header == L2CAPSignalingHeader(code: .connectionParameterUpdateRequest, identifier: 9, length: 8))
  }

  @Test("the header is stored over headroom")
  func theHeaderIsStoredOverHeadroom() {
    var writer = ByteWriter(headroom: 8)
    ATTReadRequest(attributeHandle: AttributeHandle(3)).encodePDU(into: &writer)
    L2CAPHeader(length: UInt16(writer.count - 8), channel: .attributeProtocol).store(into: &writer, at: 4)
    #expect(writer.octets == [0, 0, 0, 0, 3, 0, 4, 0, 0x0A, 3, 0])
  }

  @Test(
    "connection parameters are checked against the ranges and the time-out",
    arguments: [
      (6, 6, 0, 10, true), (24, 40, 4, 600, true), (40, 24, 0, 600, false), (5, 6, 0, 100, false),
      (6, 3201, 0, 3200, false), (6, 6, 500, 3200, false), (3200, 3200, 0, 800, false), (3200, 3200, 0, 801, true),
      (6, 6, 0, 9, false), (6, 6, 0, 3201, false), (65535, 65535, 65535, 65535, false),
    ] as [(UInt16, UInt16, UInt16, UInt16, Bool)])
  func connectionParametersAreCheckedAgainstTheRangesAndTheTime(
    minimum: UInt16, maximum: UInt16, latency: UInt16, timeout: UInt16, isAcceptable: Bool
  ) {
    let request = L2CAPConnectionParameterUpdateRequest(
      intervalMin: minimum, intervalMax: maximum, latency: latency, timeout: timeout)
    #expect(request.isAcceptable == isAcceptable)
  }
}

@Suite struct SMPPDUTests {
  @Test("every known command goes through the whole decoder")
  func everyKnownCommandGoesThroughTheWholeDecoder() throws {
    for packet in SMPRegistry.all {
      let code = UInt8(try #require(packet.code))
      for example in packet.examples() {
        let octets = [code] + example
        let pdu = try SMPPDU(octets[...])
        #expect(pdu.octets == octets)
        if case .unknown = pdu { Issue.record("\(packet.name) is not known") }
        #expect(throws: DecodeError.self) { try SMPPDU(octets[...] + [0]) }
        #expect(throws: DecodeError.self) { try SMPPDU(octets.dropLast()) }
      }
    }
    #expect(try SMPPDU([0x0F, 1]) == .unknown(SMPCode(0x0F), parameters: [1]))
  }

  @Test("I13.9 keys are never printed")
  func keysAreNeverPrinted() throws {
    for code: UInt8 in [0x06, 0x08, 0x0A] {
      let pdu = try SMPPDU([code] + ArraySlice<UInt8>(repeating: 0xA5, count: 16))
      var dumped = ""
      dump(pdu, to: &dumped)
      for text in ["\(pdu)", String(reflecting: pdu), dumped] {
        #expect(!text.contains("165") && !text.lowercased().contains("a5"), "\(text)")
        #expect(text.contains("redacted"))
      }
    }
    let secret = HCISecret([UInt8](repeating: 0xA5, count: 16))
    var dumped = ""
    dump([secret], to: &dumped)
    for text in ["\(secret)", String(reflecting: secret), dumped] {
      #expect(text.contains("redacted") && !text.contains("165"), "\(text)")
    }
  }

  @Test("an identity address must be public or static random")
  func anIdentityAddressMustBePublicOrStaticRandom() {
    #expect(SMPIdentityAddressInformation(addressType: 0, deviceAddress: 1).identityAddress != nil)
    #expect(SMPIdentityAddressInformation(addressType: 1, deviceAddress: 0xC000_0000_0001).identityAddress != nil)
    #expect(SMPIdentityAddressInformation(addressType: 1, deviceAddress: 0x4000_0000_0001).identityAddress == nil)
    #expect(SMPIdentityAddressInformation(addressType: 2, deviceAddress: 1).identityAddress == nil)
  }
}
