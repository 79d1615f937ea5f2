import BLECore

/// LL_FEATURE_REQ: the central's features, asking for the peripheral's (Core, Vol 6 Part B 2.4.2.9).
public struct FeatureRequest: LinkLayerControlPacket, Hashable, HasLayout {
  public static let (name, opcode) = ("LL_FEATURE_REQ", UInt8(0x08))

  /// FeatureSet: a bit for each feature.
  public let features: UInt64

  public init(features: UInt64) { self.features = features }

  static let layout = Layout(Self.init, Field("FeatureSet", \.features))
}

/// LL_FEATURE_RSP: the features that both sides have (Core, Vol 6 Part B 2.4.2.10).
public struct FeatureResponse: LinkLayerControlPacket, Hashable, HasLayout {
  public static let (name, opcode) = ("LL_FEATURE_RSP", UInt8(0x09))

  /// FeatureSet: a bit for each feature.
  public let features: UInt64

  public init(features: UInt64) { self.features = features }

  static let layout = Layout(Self.init, Field("FeatureSet", \.features))
}

/// LL_PERIPHERAL_FEATURE_REQ: the peripheral's features, asking for the central's (Core, Vol 6 Part B 2.4.2.15).
public struct PeripheralFeatureRequest: LinkLayerControlPacket, Hashable, HasLayout {
  public static let (name, opcode) = ("LL_PERIPHERAL_FEATURE_REQ", UInt8(0x0E))

  /// FeatureSet: a bit for each feature.
  public let features: UInt64

  public init(features: UInt64) { self.features = features }

  static let layout = Layout(Self.init, Field("FeatureSet", \.features))
}

/// LL_FEATURE_EXT_REQ: a further page of features, asking for the other side's (Core, Vol 6 Part B 2.4.2.44).
public struct FeatureExtendedRequest: LinkLayerControlPacket, Hashable, HasLayout {
  public static let (name, opcode) = ("LL_FEATURE_EXT_REQ", UInt8(0x2B))

  /// MaxPage: the last page that is not all zero.
  public let maximumPage: UInt8
  /// PageNumber.
  public let page: UInt8
  /// FeaturePage, 24 octets.
  public let features: [UInt8]

  static let layout = Layout(
    Self.init, Field("MaxPage", \.maximumPage), Field("PageNumber", \.page),
    Field("FeaturePage", \.features, .octets(24)))
}

/// LL_FEATURE_EXT_RSP: a further page of features (Core, Vol 6 Part B 2.4.2.45).
public struct FeatureExtendedResponse: LinkLayerControlPacket, Hashable, HasLayout {
  public static let (name, opcode) = ("LL_FEATURE_EXT_RSP", UInt8(0x2C))

  /// MaxPage: the last page that is not all zero.
  public let maximumPage: UInt8
  /// PageNumber.
  public let page: UInt8
  /// FeaturePage, 24 octets.
  public let features: [UInt8]

  static let layout = Layout(
    Self.init, Field("MaxPage", \.maximumPage), Field("PageNumber", \.page),
    Field("FeaturePage", \.features, .octets(24)))
}

/// LL_VERSION_IND: who made the controller (Core, Vol 6 Part B 2.4.2.13).
public struct VersionIndication: LinkLayerControlPacket, Hashable, HasLayout {
  public static let (name, opcode) = ("LL_VERSION_IND", UInt8(0x0C))

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

  static let layout = Layout(
    Self.init, Field("Version", \.version), Field("Company_Identifier", \.company), Field("Subversion", \.subversion))
}
