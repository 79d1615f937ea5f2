import BLETestKit
import CoreBluetooth
import TestSupport
import Testing

@Suite("Habits of apps: errors", .keepsCapture)
struct ErrorHabitTests {
  /// The error of a read that is not permitted, and the one of a lost connection.
  private func errors() async throws -> (attribute: any Error, link: any Error) {
    let pair = try await Pair.start([CBMutableService("FF11", [CBMutableCharacteristic("FF22", .notify)])])
    try await pair.read("FF22")
    pair.device.cutPower()
    await pair.world.advance(by: .seconds(20))
    try #require(pair.central.errors.count == 2)
    return (pair.central.errors[0], pair.central.errors[1])
  }

  @Test("I11.habits errors are distinguished by cast, by pattern, by number and by domain, all with one outcome")
  func toldApart() async throws {
    let (attribute, link) = try await errors()
    #expect(attribute is CBATTError && !(attribute is CBError) && link is CBError && !(link is CBATTError))
    switch link {
    case let error as CBATTError: Issue.record("\(error)")
    case let error as CBError where error.code == .connectionTimeout: break
    default: Issue.record("nothing matched")
    }
    switch (link as? CBError)?.code {
    case .peripheralDisconnected?, nil: Issue.record("the wrong code")
    case .connectionTimeout?: break
    default: Issue.record("no code")
    }
    let object = attribute as NSError
    #expect(object.domain == CBATTErrorDomain && object.code == CBATTError.readNotPermitted.rawValue)
    #expect(CBATTError.Code(rawValue: object.code) == .readNotPermitted)
    #expect(object.localizedDescription == attribute.localizedDescription)
    #expect(object.userInfo[NSLocalizedDescriptionKey] as? String == "Reading is not permitted.")
    #expect(attribute._code == 2 && attribute._domain == CBATTErrorDomain)
    #expect((link as? CBError)?.errorCode == 6 && (link as? any CustomNSError)?.errorCode == 6)
    let optional: (any Error)? = link
    #expect((optional as NSError?)?.code == 6 && (optional as? CBError)?.code.rawValue == 6)
    if case CBError.connectionTimeout? = optional as? CBError {} else { Issue.record("no match in an optional") }
  }

  @Test("I11.habits errors pass through throws, Result and continuations unchanged")
  func travelling() async throws {
    let (attribute, link) = try await errors()
    let result: Result<Data, any Error> = .failure(attribute)
    #expect(throws: CBATTError.self) { try result.get() }
    do {
      let _: Int = try await withCheckedThrowingContinuation { $0.resume(throwing: link) }
      Issue.record("nothing was thrown")
    } catch let error as CBError {
      #expect(error.code == .connectionTimeout)
    }
    do {
      throw attribute
    } catch CBATTError.insufficientEncryption, CBATTError.insufficientAuthentication {
      Issue.record("the wrong code")
    } catch CBATTError.readNotPermitted {
    } catch {
      Issue.record("\(error)")
    }
  }

  @Test("I11.habits errors are compared, as values and as objects, and stored in sets")
  func compared() async throws {
    let (attribute, link) = try await errors()
    #expect(link as? CBError == CBError(.connectionTimeout) && attribute as? CBATTError != CBATTError(.success))
    #expect((link as NSError) == (link as NSError) && (link as NSError) != (attribute as NSError))
    #expect((link as NSError).isEqual(link as NSError))
    let seen = try Set([#require(link as? CBError), CBError(.connectionTimeout), CBError(.unknown)])
    #expect(seen.count == 2)
  }
}
