import CoreBluetooth
import Testing

/// How programs use errors.
@Suite("Errors")
struct ErrorTests {
  @Test("are caught, matched and compared as on Apple's systems")
  func matching() throws {
    let error: any Error = CBError(.connectionTimeout)
    do {
      throw error
    } catch CBError.connectionFailed {
      Issue.record("the wrong code matched")
    } catch CBError.connectionTimeout {
    }
    do {
      throw CBATTError(.readNotPermitted) as any Error
    } catch let error as CBATTError where error.code == .readNotPermitted {
      #expect(error.errorCode == 2)
    }
    switch error {
    case CBATTError.success: Issue.record("the wrong domain matched")
    case CBError.connectionTimeout: break
    default: Issue.record("nothing matched")
    }
    #expect((error as? CBError)?.code == .connectionTimeout)
    #expect(error as? CBATTError == nil)
    #expect((error as NSError).domain == "CBErrorDomain")
    #expect((error as NSError).code == 6)
  }

  @Test("carry the values they were made with")
  func userInfo() {
    let error = CBATTError(.unlikelyError, userInfo: [NSLocalizedDescriptionKey: "Never seen"])
    #expect(error.localizedDescription == "Never seen")
    #expect(error.userInfo[NSLocalizedDescriptionKey] as? String == "Never seen")
    #expect(error.errorUserInfo.count == 1)
    #expect(CBATTError.errorDomain == CBATTErrorDomain)
    #expect(CBError.errorDomain == CBErrorDomain)
  }

  @Test("can be kept in sets")
  func hashing() {
    #expect(Set([CBError(.unknown), CBError(.notConnected), CBError(.unknown)]).count == 2)
    #expect(Set([CBATTError(.success), CBATTError(.invalidPdu), CBATTError(.success)]).count == 2)
    #expect(CBError(.unknown) == CBError(.unknown))
    #expect(CBError(.unknown) != CBError(.notConnected))
  }

  @Test("accept unlisted codes of applications")
  func applicationCodes() throws {
    let code = try #require(CBATTError.Code(rawValue: 0x80))
    #expect(code.rawValue == 0x80)
    switch code {
    case .success: Issue.record("it is not success")
    default: break
    }
    #expect(CBATTError(code).code == code)
    #expect(CBManagerState(rawValue: 99)?.rawValue == 99)
  }

  @Test("have Apple's numbers")
  func numbers() {
    #expect(CBError.Code.invalidParameters.rawValue == 1)
    #expect(CBError.Code.uuidNotAllowed.rawValue == 8)
    #expect(CBError.Code.unknownDevice.rawValue == 12)
    #expect(CBError.unknownDevice == CBError.Code.unknownDevice)
    #expect(CBError.Code.leGattNearBackgroundNotificationLimit.rawValue == 18)
    #expect(CBATTError.Code.insufficientResources.rawValue == 17)
    #expect(CBATTError.Code.prepareQueueFull.rawValue == 9)
  }
}
