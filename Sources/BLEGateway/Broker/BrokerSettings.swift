/// How a broker is reached.
package struct BrokerSettings: Sendable, Equatable {
  /// Encryption, and who proves what by certificates.
  package struct Security: Sendable, Equatable {
    /// The file with the authorities that may have signed the broker's certificate (PEM); `nil`: those of the system.
    package var authorities: String?
    /// The files with this client's certificate and its private key (PEM).
    package var certificate: String?
    package var key: String?

    package init(authorities: String? = nil, certificate: String? = nil, key: String? = nil) {
      self.authorities = authorities
      self.certificate = certificate
      self.key = key
    }
  }

  /// A name or an address.
  package var host: String
  package var port: UInt16
  /// `nil`: not encrypted.
  package var security: Security?
  package var user: String?
  /// Where the password is read from at each connection, so that a changed file counts from the next one on.
  package var password: SecretSource?
  /// `nil`: MQTT 5, and 3.1.1 with a broker that does not know it.
  package var version: MQTTVersion?
  /// In octets: a longer message from the broker is refused.
  package var largestMessage = 262_144
  /// With MQTT 5, keeps a message that the broker has no subscriber for, and sends it again later.
  package var waitsForSubscriber = false
  /// The longest pause between attempts to reach the broker; `nil`: what the program has.
  package var longestPause: Duration?
  /// In seconds: how long the broker keeps subscriptions, and what arrives for them, while this client is away.
  package var sessionTime: UInt32 = 3_600

  /// For people.
  package var address: String { (host.contains(":") ? "[\(host)]" : host) + ":\(port)" }

  package init(host: String, port: UInt16) {
    self.host = host
    self.port = port
  }
}
