import BLECore

/// How a request to open channels went (Core, Vol 3 Part A 4.23 and 4.26).
public struct L2CAPConnectionResult: WireNumber, Hashable, Sendable, CustomStringConvertible {
  public let rawValue: UInt16
  public init(rawValue: UInt16) { self.rawValue = rawValue }

  /// Successful; in an enhanced response, all channels were opened.
  public static let successful = L2CAPConnectionResult(rawValue: 0x0000)
  public static let spsmNotSupported = L2CAPConnectionResult(rawValue: 0x0002)
  /// No resources; in an enhanced response, for some of the channels.
  public static let noResources = L2CAPConnectionResult(rawValue: 0x0004)
  public static let insufficientAuthentication = L2CAPConnectionResult(rawValue: 0x0005)
  public static let insufficientAuthorization = L2CAPConnectionResult(rawValue: 0x0006)
  public static let encryptionKeySizeTooShort = L2CAPConnectionResult(rawValue: 0x0007)
  public static let insufficientEncryption = L2CAPConnectionResult(rawValue: 0x0008)
  public static let invalidSourceCID = L2CAPConnectionResult(rawValue: 0x0009)
  public static let sourceCIDAlreadyAllocated = L2CAPConnectionResult(rawValue: 0x000A)
  public static let unacceptableParameters = L2CAPConnectionResult(rawValue: 0x000B)
  public static let invalidParameters = L2CAPConnectionResult(rawValue: 0x000C)
  public static let pendingNoFurtherInformation = L2CAPConnectionResult(rawValue: 0x000D)
  public static let pendingAuthentication = L2CAPConnectionResult(rawValue: 0x000E)
  public static let pendingAuthorization = L2CAPConnectionResult(rawValue: 0x000F)

  static var example: Self { .successful }

  /// What happened, in words, and the number.
  public var description: String { "\(Self.names[self] ?? "reserved") (\(numberText(rawValue, digits: 4)))" }

  private static let names: [Self: String] = [
    .successful: "successful", .spsmNotSupported: "SPSM not supported", .noResources: "no resources available",
    .insufficientAuthentication: "insufficient authentication",
    .insufficientAuthorization: "insufficient authorization",
    .encryptionKeySizeTooShort: "encryption key size too short", .insufficientEncryption: "insufficient encryption",
    .invalidSourceCID: "invalid source CID", .sourceCIDAlreadyAllocated: "source CID already allocated",
    .unacceptableParameters: "unacceptable parameters", .invalidParameters: "invalid parameters",
    .pendingNoFurtherInformation: "pending", .pendingAuthentication: "authentication pending",
    .pendingAuthorization: "authorization pending",
  ]
}
