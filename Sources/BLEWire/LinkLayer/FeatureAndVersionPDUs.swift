import BLECore

/// LL_FEATURE_REQ: the central's features, asking for the peripheral's (Core, Vol 6 Part B 2.4.2.9).
public struct FeatureRequest: LinkLayerControlPacket, Hashable {
  public static let name = "LL_FEATURE_REQ"
  public static let opcode: UInt8 = 0x08

  /// FeatureSet: a bit for each feature.
  public let features: UInt64

  public init(features: UInt64) {
    self.features = features
  }

  public init(from reader: inout ByteReader) throws(DecodeError) {
    features = try reader.uint64("FeatureSet")
  }

  public func encode(into writer: inout ByteWriter) {
    writer.append(features)
  }

  public static var examples: [FeatureRequest] { [FeatureRequest(features: 0x0000_0000_0000_51FF)] }
}

/// LL_FEATURE_RSP: the features that both sides have (Core, Vol 6 Part B 2.4.2.10).
public struct FeatureResponse: LinkLayerControlPacket, Hashable {
  public static let name = "LL_FEATURE_RSP"
  public static let opcode: UInt8 = 0x09

  /// FeatureSet: a bit for each feature.
  public let features: UInt64

  public init(features: UInt64) {
    self.features = features
  }

  public init(from reader: inout ByteReader) throws(DecodeError) {
    features = try reader.uint64("FeatureSet")
  }

  public func encode(into writer: inout ByteWriter) {
    writer.append(features)
  }

  public static var examples: [FeatureResponse] { [FeatureResponse(features: 0x0000_0000_0000_51FF)] }
}

/// LL_PERIPHERAL_FEATURE_REQ: the peripheral's features, asking for the central's (Core, Vol 6 Part B 2.4.2.15).
public struct PeripheralFeatureRequest: LinkLayerControlPacket, Hashable {
  public static let name = "LL_PERIPHERAL_FEATURE_REQ"
  public static let opcode: UInt8 = 0x0E

  /// FeatureSet: a bit for each feature.
  public let features: UInt64

  public init(features: UInt64) {
    self.features = features
  }

  public init(from reader: inout ByteReader) throws(DecodeError) {
    features = try reader.uint64("FeatureSet")
  }

  public func encode(into writer: inout ByteWriter) {
    writer.append(features)
  }

  public static var examples: [PeripheralFeatureRequest] { [PeripheralFeatureRequest(features: 0x0000_0000_0000_51FF)] }
}

/// LL_FEATURE_EXT_REQ: a further page of features, asking for the other side's (Core, Vol 6 Part B 2.4.2.44).
public struct FeatureExtendedRequest: LinkLayerControlPacket, Hashable {
  public static let name = "LL_FEATURE_EXT_REQ"
  public static let opcode: UInt8 = 0x2B

  /// MaxPage: the last page that is not all zero.
  public let maximumPage: UInt8
  /// PageNumber.
  public let page: UInt8
  /// FeaturePage, 24 octets.
  public let features: [UInt8]

  public init(maximumPage: UInt8, page: UInt8, features: [UInt8]) {
    self.maximumPage = maximumPage
    self.page = page
    self.features = features
  }

  public init(from reader: inout ByteReader) throws(DecodeError) {
    maximumPage = try reader.uint8("MaxPage")
    page = try reader.uint8("PageNumber")
    features = Array(try reader.octets(24, "FeaturePage"))
  }

  public func encode(into writer: inout ByteWriter) {
    writer.append(maximumPage)
    writer.append(page)
    writer.append(contentsOf: features, paddedTo: 24)
  }

  public static var examples: [FeatureExtendedRequest] {
    [FeatureExtendedRequest(maximumPage: 1, page: 1, features: Array(1...24))]
  }
}

/// LL_FEATURE_EXT_RSP: a further page of features (Core, Vol 6 Part B 2.4.2.45).
public struct FeatureExtendedResponse: LinkLayerControlPacket, Hashable {
  public static let name = "LL_FEATURE_EXT_RSP"
  public static let opcode: UInt8 = 0x2C

  /// MaxPage: the last page that is not all zero.
  public let maximumPage: UInt8
  /// PageNumber.
  public let page: UInt8
  /// FeaturePage, 24 octets.
  public let features: [UInt8]

  public init(maximumPage: UInt8, page: UInt8, features: [UInt8]) {
    self.maximumPage = maximumPage
    self.page = page
    self.features = features
  }

  public init(from reader: inout ByteReader) throws(DecodeError) {
    maximumPage = try reader.uint8("MaxPage")
    page = try reader.uint8("PageNumber")
    features = Array(try reader.octets(24, "FeaturePage"))
  }

  public func encode(into writer: inout ByteWriter) {
    writer.append(maximumPage)
    writer.append(page)
    writer.append(contentsOf: features, paddedTo: 24)
  }

  public static var examples: [FeatureExtendedResponse] {
    [FeatureExtendedResponse(maximumPage: 1, page: 1, features: Array(1...24))]
  }
}

/// LL_VERSION_IND: who made the controller (Core, Vol 6 Part B 2.4.2.13).
public struct VersionIndication: LinkLayerControlPacket, Hashable {
  public static let name = "LL_VERSION_IND"
  public static let opcode: UInt8 = 0x0C

  /// Version: an assigned number, 0x0D for 5.4.
  public let version: UInt8
  /// Company_Identifier.
  public let company: UInt16
  /// Subversion.
  public let subversion: UInt16

  public init(version: UInt8, company: UInt16, subversion: UInt16) {
    self.version = version
    self.company = company
    self.subversion = subversion
  }

  public init(from reader: inout ByteReader) throws(DecodeError) {
    version = try reader.uint8("Version")
    company = try reader.uint16("Company_Identifier")
    subversion = try reader.uint16("Subversion")
  }

  public func encode(into writer: inout ByteWriter) {
    writer.append(version)
    writer.append(company)
    writer.append(subversion)
  }

  public static var examples: [VersionIndication] { [VersionIndication(version: 0x0D, company: 0x05F1, subversion: 1)] }
}
