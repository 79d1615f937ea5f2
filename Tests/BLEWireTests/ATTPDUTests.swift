import BLECore
import BLEWire
import Testing

@Suite struct ATTPDUTests {
  @Test("an unknown opcode is a value")
  func anUnknownOpcodeIsAValue() throws {
    let pdu = try ATTClientPDU([0x7F, 1, 2])
    #expect(pdu == .unknown(ATTOpcode(0x7F), parameters: [1, 2]))
    #expect(pdu.opcode.isCommand)
    #expect(pdu.octets == [0x7F, 1, 2])
    #expect(try !ATTClientPDU([0x3F]).opcode.isCommand)
    let other = try ATTServerPDU([0x7F, 1, 2])
    #expect(other == .unknown(ATTOpcode(0x7F), parameters: [1, 2]))
    #expect(other.octets == [0x7F, 1, 2])
  }

  @Test("an empty PDU is refused")
  func anEmptyPDUIsRefused() {
    #expect(throws: DecodeError.self) { try ATTClientPDU([]) }
    #expect(throws: DecodeError.self) { try ATTServerPDU([]) }
  }

  @Test("octets after a PDU of fixed length are refused")
  func octetsAfterAPDUOfFixedLengthAreRefused() {
    #expect(throws: DecodeError.self) { try ATTClientPDU([0x0A, 1, 0, 9]) }
    #expect(throws: DecodeError.self) { try ATTServerPDU([0x13, 0]) }
  }

  @Test("every known PDU goes through the whole decoder")
  func everyKnownPDUGoesThroughTheWholeDecoder() throws {
    for packet in ATTRegistry.all {
      let code = UInt8(try #require(packet.code))
      for example in packet.examples() {
        let octets = [code] + example
        // One of the two sides sends it, and the other one does not.
        let client = try ATTClientPDU(octets[...])
        let server = try ATTServerPDU(octets[...])
        for pdu in [(client.octets, client.opcode), (server.octets, server.opcode)] {
          #expect(pdu.0 == octets)
          #expect(pdu.1.rawValue == code)
        }
        var known: [Bool] = []
        if case .unknown = client { known.append(false) } else { known.append(true) }
        if case .unknown = server { known.append(false) } else { known.append(true) }
        let isFromServer = ATTOpcode(code).isFromServer
        #expect(known == [!isFromServer, isFromServer], "\(packet.name)")
      }
    }
  }

  @Test("values share the storage of the PDU")
  func valuesShareTheStorageOfThePDU() throws {
    let octets: ArraySlice<UInt8> = [0x1B, 3, 0, 1, 2, 3, 4]
    guard case .handleValueNotification(let notification) = try ATTServerPDU(octets) else {
      Issue.record("not a notification")
      return
    }
    #expect(notification.attributeValue.startIndex == 3)
  }

  @Test("a request has the opcode of its response")
  func aRequestHasTheOpcodeOfItsResponse() {
    #expect(ATTOpcode.readRequest.answer == .readResponse)
    #expect(ATTOpcode.handleValueIndication.answer == .handleValueConfirmation)
    #expect(ATTOpcode.writeCommand.answer == nil)
    #expect(ATTOpcode.signedWriteCommand.hasSignature)
  }

  @Test("an attribute type of 32 bits is refused")
  func anAttributeTypeOf32BitsIsRefused() {
    #expect(throws: DecodeError.self) { try ATTClientPDU([0x08, 1, 0, 0xFF, 0xFF, 1, 2, 3, 4]) }
    #expect(throws: DecodeError.self) { try ATTClientPDU([0x10, 1, 0, 0xFF, 0xFF]) }
  }

  @Test("a signed command shorter than its signature is refused")
  func aSignedCommandShorterThanItsSignatureIsRefused() {
    #expect(throws: DecodeError.self) { try ATTClientPDU([0xD2, 3, 0] + ArraySlice<UInt8>(repeating: 0, count: 11)) }
  }
}

@Suite struct ATTListTests {
  @Test("an unknown format of a find information response is refused", arguments: [UInt8(0), 3, 4, 255])
  func anUnknownFormatOfAFindInformationResponseIsRefused(format: UInt8) {
    let response = ATTFindInformationResponse(format: format, informationData: [1, 0, 0, 0x28])
    #expect(throws: DecodeError.self) { try response.entries() }
  }

  @Test("group lists with a length too small or not dividing are refused", arguments: [UInt8(0), 1, 3, 4, 5])
  func groupListsWithALengthTooSmallOrNotDividing(length: UInt8) {
    let response = ATTReadByGroupTypeResponse(length: length, attributeDataList: [1, 0, 9, 0, 0x00, 0x18])
    #expect(throws: DecodeError.self) { try response.entries() }
  }

  @Test("empty lists are refused")
  func emptyListsAreRefused() {
    #expect(throws: DecodeError.self) {
      try ATTReadByTypeResponse(length: 7, attributeDataList: []).entries()
    }
    #expect(throws: DecodeError.self) {
      try ATTFindByTypeValueResponse(handlesInformationList: []).entries()
    }
    #expect(throws: DecodeError.self) {
      try ATTFindInformationResponse(format: 1, informationData: []).entries()
    }
  }

  @Test("entries are read in place, also from the middle of an array")
  func entriesAreReadInPlace() throws {
    let octets: [UInt8] = [9, 9, 0x11, 6, 1, 0, 5, 0, 0x00, 0x18, 6, 0, 0xFF, 0xFF, 0x01, 0x18]
    guard case .readByGroupTypeResponse(let response) = try ATTServerPDU(octets[2...]) else {
      Issue.record("not a group response")
      return
    }
    let entries = try response.entries().ascending(from: .first, through: .last)
    #expect(entries.map(\.attributeHandle.rawValue) == [1, 6])
    #expect(entries.map(\.endGroupHandle.rawValue) == [5, 0xFFFF])
    #expect(entries.map { BLEUUID(octets: $0.attributeValue) } == [BLEUUID(0x1800), BLEUUID(0x1801)])
  }

  @Test(
    "handles that descend, repeat or were not requested are refused",
    arguments: [
      [2, 0, 0, 0x28, 1, 0, 0, 0x28], [1, 0, 0, 0x28, 1, 0, 0, 0x28], [0, 0, 0, 0x28], [0x21, 0, 0, 0x28],
    ] as [[UInt8]])
  func handlesThatDescendRepeatOrWereNotRequestedAreRefused(data: [UInt8]) throws {
    let entries = try ATTFindInformationResponse(format: 1, informationData: data[...]).entries()
    #expect(throws: DecodeError.self) {
      try entries.ascending(from: .first, through: AttributeHandle(0x20))
    }
  }

  @Test("nothing can follow a group that ends with the last handle")
  func nothingCanFollowAGroupThatEndsWithTheLast() throws {
    let entries = try ATTFindByTypeValueResponse([
      .init(foundAttributeHandle: .first, groupEndHandle: .last),
      .init(foundAttributeHandle: .last, groupEndHandle: .last),
    ]).entries()
    #expect(throws: DecodeError.self) { try entries.ascending(from: .first, through: .last) }
  }

  @Test("a multiple value notification with an excessive length is refused as a whole")
  func aMultipleValueNotificationWithAnExcessiveLengthIsRefused() {
    for octets: ArraySlice<UInt8> in [[3, 0, 4, 0, 1, 2, 3], [3, 0, 1], [3, 0, 0, 0, 7], [3, 0, 0xFF, 0xFF]] {
      let notification = ATTMultipleHandleValueNotification(handleLengthValueTupleList: octets)
      #expect(throws: DecodeError.self) { try notification.tuples() }
    }
  }

  @Test("only the last value of a read multiple variable response may be truncated")
  func onlyTheLastValueOfAReadMultipleVariableResponse() {
    let response = ATTReadMultipleVariableResponse(values: [[1, 2, 3], [4, 5, 6]], limit: 8)
    #expect(response.lengthValueTupleList == [3, 0, 1, 2, 3, 3, 0, 4])
    let tuples = response.tuples()
    #expect(tuples.map(\.isComplete) == [true, false])
    #expect(tuples.map(\.valueLength) == [3, 3])
    #expect(ATTReadMultipleVariableResponse(lengthValueTupleList: [0, 0, 5]).tuples().count == 1)
  }
}
