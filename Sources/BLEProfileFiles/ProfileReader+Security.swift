import BLEHost
import BLEPairing
import BLEText

extension ProfileReader {
  /// The member `security` of a profile.
  package static func requirements(_ json: PositionedJSON) throws(PositionedError) -> SecurityRequirements {
    var object = try ObjectReader(json, "security")
    var requirements = SecurityRequirements()
    let io = try object.optional("io")
    if let io {
      let name: CapabilityName = try io.word("what can be shown and typed")
      requirements.capability = name.capability
    }
    let level = try object.optional("minimum_level")
    if let level {
      let name: LevelName = try level.word("a level of security")
      requirements.minimumLevel = name.level
    }
    if let passkey = try object.optional("passkey") {
      guard case .string(let text) = passkey.content, let digits = SixDigits(text) else {
        throw PositionedError(passkey.position, "expected six digits as a string, such as \"012345\"")
      }
      guard requirements.capability != .noInputNoOutput else {
        throw PositionedError(passkey.position, "a passkey is unusable where nothing can be shown or typed (\"io\")")
      }
      requirements.passkey = digits
    }
    if let level, requirements.capability == .noInputNoOutput, requirements.minimumLevel != .encrypted {
      throw PositionedError(
        level.position, "where nothing can be shown or typed (\"io\") a pairing proves nothing: expected encrypted")
    }
    try object.finish()
    return requirements
  }
}
