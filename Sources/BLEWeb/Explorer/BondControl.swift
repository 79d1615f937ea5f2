import BLEReports

/// The devices with which the adapter has paired.
package protocol BondControl: Sendable {
  /// - Throws: the reason, as the second half of a sentence, where they cannot be had.
  func bonds() async throws(BondControlError) -> [ExplorerBond]
  /// Removes the keys of a device. A link to it ends.
  /// - Returns: whether there were any.
  func remove(_ address: String) async throws(BondControlError) -> Bool
}

package struct BondControlError: Error {
  package let message: String
  package init(_ message: String) { self.message = message }
}

package struct ExplorerBond: Sendable {
  /// The identity address.
  package let address: String
  package let identifier: String?
  package let name: String?
  /// How it was paired, in words; `nil` where the system does not tell.
  package let protection: String?

  package init(address: String, identifier: String?, name: String?, protection: String?) {
    self.address = address
    self.identifier = identifier
    self.name = name
    self.protection = protection
  }
}

extension ExplorerBond: Report {
  package static let members: [ReportMember<Self>] = [
    .init("address") { .word($0.address) }, .init("identifier") { .word($0.identifier) },
    .init("name") { .text($0.name) },
    .init("protection") { .text($0.protection) },
  ]
}
