import BLEHost
import BLEPairing
import BLEText

extension ProfileReader {
  /// The member `security` of a profile.
  func requirements(_ json: PositionedJSON) -> SecurityRequirements? {
    guard var object = FileObject(json, "security", mistakes) else { return nil }
    var requirements = SecurityRequirements()
    requirements.capability = object.optional("io") { (json) throws(PositionedError) -> PairingCapability? in
      let name: CapabilityName = try json.word("what can be shown and typed")
      return name.capability
    }
    let canProve = requirements.capability != .noInputNoOutput
    requirements.minimumLevel = object.optional("minimum_level") { (json) throws(PositionedError) -> SecurityLevel? in
      let name: LevelName = try json.word("a level of security")
      guard canProve || name == .encrypted else {
        throw PositionedError(
          json.position, "where nothing can be shown or typed (\"io\") a pairing proves nothing: expected encrypted")
      }
      return name.level
    }
    requirements.passkey = object.optional("passkey") { (json) throws(PositionedError) -> SixDigits? in
      guard case .string(let text) = json.content, let digits = SixDigits(text) else {
        throw PositionedError(json.position, "expected six digits as a string, such as \"012345\"")
      }
      guard canProve else {
        throw PositionedError(json.position, "a passkey is unusable where nothing can be shown or typed (\"io\")")
      }
      return digits
    }
    object.finish()
    return requirements
  }
}
