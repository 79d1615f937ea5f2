import BLEText

extension GatewayConfigurationReader {
  /// `{"file": "keys.json"}` or `{"credential": "keys"}`. What else stands there is not repeated: it could be keys.
  func keys(_ json: PositionedJSON) throws(PositionedError) -> SecretSource? {
    guard case .object(let members) = json.content, members.count == 1, let member = members.first,
      member.key == "file" || member.key == "credential"
    else {
      throw PositionedError(
        json.position,
        "expected {\"file\": PATH} or {\"credential\": NAME}: keys do not belong into the configuration, but into a file of mode 0600"
      )
    }
    return member.key == "file"
      ? .file(try file(member.value)) : .credential(try member.value.name("the name of a credential"))
  }
}
