import BLEDeviceFiles
import BLEText

extension GatewayConfigurationReader {
  func broker(_ json: PositionedJSON) -> BrokerSettings? {
    guard var object = FileObject(json, "\"broker\"", mistakes) else { return nil }
    let host = object.required("host") { (json) throws(PositionedError) -> String? in
      let text = try json.text(longest: 253, "the host")
      // A slash in front would be a socket in the file system.
      guard !text.isEmpty, text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F && $0 != 0x2F }) else {
        throw PositionedError(
          json.position, "expected a name or an address, such as \"broker.example\" or \"127.0.0.1\"")
      }
      return text
    }
    let tls = object.optional("tls") { (json) -> BrokerSettings.Security? in self.security(json) }
    var settings = BrokerSettings(host: host ?? "", port: tls == nil ? 1883 : 8883)
    settings.security = tls
    let port = object.optional("port") { (json) throws(PositionedError) in try json.integer(1...65_535, "the port") }
    if let port { settings.port = UInt16(port) }
    settings.user = object.optional("user") { (json) throws(PositionedError) in
      try json.text(longest: 1_024, "the user")
    }
    if let inline = object.member("password") {
      mistakes.note(
        PositionedError(
          inline.position,
          "a password does not belong into the configuration: write it into a file of mode 0600 and name that with \"password_file\""
        ))
    }
    let file = object.optional("password_file") { (json) throws(PositionedError) in try self.file(json) }
    let credential = object.optional("password_credential") { (json) throws(PositionedError) in
      try json.name("the name of a credential")
    }
    settings.password = file.map { .file($0) } ?? credential.map { .credential($0) }
    if file != nil, credential != nil {
      mistakes.note(PositionedError(json.position, "\"password_file\" and \"password_credential\" exclude each other"))
    }
    if settings.password != nil, settings.user == nil {
      mistakes.note(PositionedError(json.position, "\"broker\" has a password, and no \"user\""))
    }
    settings.version = object.optional("mqtt") { (json) throws(PositionedError) -> MQTTVersion? in
      try json.word("a version of MQTT")
    }
    object.set(&settings.largestMessage, "largest_message") { (json) throws(PositionedError) in
      try json.integer(1_024...(16 << 20), "the longest message")
    }
    object.set(&settings.waitsForSubscriber, "wait_for_subscriber") { (json) throws(PositionedError) in
      try json.boolean()
    }
    settings.longestPause = object.optional("longest_pause") { (json) throws(PositionedError) in
      .seconds(try json.integer(1...3_600, "the longest pause, in seconds"))
    }
    object.finish()
    return host.map { _ in settings }
  }

  private func security(_ json: PositionedJSON) -> BrokerSettings.Security? {
    guard var object = FileObject(json, "\"tls\"", mistakes) else { return nil }
    let authorities = object.optional("ca") { (json) throws(PositionedError) in try self.file(json) }
    let certificate = object.optional("certificate") { (json) throws(PositionedError) in try self.file(json) }
    let key = object.optional("key") { (json) throws(PositionedError) in try self.file(json) }
    object.finish()
    if (certificate == nil) != (key == nil), mistakes.count == 0 {
      mistakes.note(PositionedError(json.position, "\"certificate\" and \"key\" belong together"))
    }
    return BrokerSettings.Security(authorities: authorities, certificate: certificate, key: key)
  }
}
