/// What a link layer can do (Core, Vol 6 Part B 4.6).
public struct LEFeatures: HCIBitField, WireValue {
  public static let width = 8
  public let rawValue: UInt64
  public init(rawValue: UInt64) { self.rawValue = rawValue }

  public static let encryption = Self(rawValue: 1 << 0)
  public static let connectionParametersRequest = Self(rawValue: 1 << 1)
  public static let extendedReject = Self(rawValue: 1 << 2)
  public static let peripheralFeaturesExchange = Self(rawValue: 1 << 3)
  public static let ping = Self(rawValue: 1 << 4)
  public static let dataPacketLengthExtension = Self(rawValue: 1 << 5)
  public static let privacy = Self(rawValue: 1 << 6)
  public static let extendedScannerFilterPolicies = Self(rawValue: 1 << 7)
  public static let phy2M = Self(rawValue: 1 << 8)
  public static let stableModulationTransmitter = Self(rawValue: 1 << 9)
  public static let stableModulationReceiver = Self(rawValue: 1 << 10)
  public static let codedPHY = Self(rawValue: 1 << 11)
  public static let extendedAdvertising = Self(rawValue: 1 << 12)
  public static let periodicAdvertising = Self(rawValue: 1 << 13)
  public static let channelSelectionAlgorithm2 = Self(rawValue: 1 << 14)
  public static let powerClass1 = Self(rawValue: 1 << 15)
  public static let minimumUsedChannels = Self(rawValue: 1 << 16)
  public static let connectionCTERequest = Self(rawValue: 1 << 17)
  public static let connectionCTEResponse = Self(rawValue: 1 << 18)
  public static let connectionlessCTETransmitter = Self(rawValue: 1 << 19)
  public static let connectionlessCTEReceiver = Self(rawValue: 1 << 20)
  public static let antennaSwitchingTransmit = Self(rawValue: 1 << 21)
  public static let antennaSwitchingReceive = Self(rawValue: 1 << 22)
  public static let receivingConstantToneExtensions = Self(rawValue: 1 << 23)
  public static let periodicSyncTransferSender = Self(rawValue: 1 << 24)
  public static let periodicSyncTransferRecipient = Self(rawValue: 1 << 25)
  public static let sleepClockAccuracyUpdates = Self(rawValue: 1 << 26)
  public static let remotePublicKeyValidation = Self(rawValue: 1 << 27)
  public static let connectedIsochronousCentral = Self(rawValue: 1 << 28)
  public static let connectedIsochronousPeripheral = Self(rawValue: 1 << 29)
  public static let isochronousBroadcaster = Self(rawValue: 1 << 30)
  public static let synchronizedReceiver = Self(rawValue: 1 << 31)
  public static let connectedIsochronousHostSupport = Self(rawValue: 1 << 32)
  public static let powerControlRequest = Self(rawValue: 1 << 33)
  public static let powerControlRequest2 = Self(rawValue: 1 << 34)
  public static let pathLossMonitoring = Self(rawValue: 1 << 35)
  public static let periodicAdvertisingADI = Self(rawValue: 1 << 36)
  public static let connectionSubrating = Self(rawValue: 1 << 37)
  public static let connectionSubratingHostSupport = Self(rawValue: 1 << 38)
  public static let channelClassification = Self(rawValue: 1 << 39)
}

/// What a controller can do on both transports, page 0 (Core, Vol 2 Part C 3.3).
public struct LMPFeatures: HCIBitField, WireValue {
  public static let width = 8
  public let rawValue: UInt64
  public init(rawValue: UInt64) { self.rawValue = rawValue }

  public static let brEDRNotSupported = Self(rawValue: 1 << 37)
  public static let leSupported = Self(rawValue: 1 << 38)
  public static let simultaneousLEAndBREDR = Self(rawValue: 1 << 49)
}

/// Which roles a controller can play at the same time, a bit for each combination (Core, Vol 4 Part E 7.8.27).
public struct LESupportedStates: HCIBitField, WireValue {
  public static let width = 8
  public let rawValue: UInt64
  public init(rawValue: UInt64) { self.rawValue = rawValue }
}

/// The events a host wants (Core, Vol 4 Part E 7.3.1).
public struct HCIEventMask: HCIBitField, WireValue {
  public static let width = 8
  public let rawValue: UInt64
  public init(rawValue: UInt64) { self.rawValue = rawValue }

  public static let disconnectionComplete = Self(rawValue: 1 << 4)
  public static let encryptionChange = Self(rawValue: 1 << 7)
  public static let readRemoteVersionInformationComplete = Self(rawValue: 1 << 11)
  public static let hardwareError = Self(rawValue: 1 << 15)
  public static let dataBufferOverflow = Self(rawValue: 1 << 25)
  public static let encryptionKeyRefreshComplete = Self(rawValue: 1 << 47)
  public static let leMeta = Self(rawValue: 1 << 61)
}

/// The events a host wants, second page (Core, Vol 4 Part E 7.3.69).
public struct HCIEventMaskPage2: HCIBitField, WireValue {
  public static let width = 8
  public let rawValue: UInt64
  public init(rawValue: UInt64) { self.rawValue = rawValue }

  public static let authenticatedPayloadTimeoutExpired = Self(rawValue: 1 << 23)
  public static let encryptionChangeV2 = Self(rawValue: 1 << 25)
}

/// The LE meta events a host wants (Core, Vol 4 Part E 7.8.1).
public struct LEEventMask: HCIBitField, WireValue {
  public static let width = 8
  public let rawValue: UInt64
  public init(rawValue: UInt64) { self.rawValue = rawValue }

  public static let connectionComplete = Self(rawValue: 1 << 0)
  public static let advertisingReport = Self(rawValue: 1 << 1)
  public static let connectionUpdateComplete = Self(rawValue: 1 << 2)
  public static let readRemoteFeaturesComplete = Self(rawValue: 1 << 3)
  public static let longTermKeyRequest = Self(rawValue: 1 << 4)
  public static let remoteConnectionParameterRequest = Self(rawValue: 1 << 5)
  public static let dataLengthChange = Self(rawValue: 1 << 6)
  public static let readLocalP256PublicKeyComplete = Self(rawValue: 1 << 7)
  public static let generateDHKeyComplete = Self(rawValue: 1 << 8)
  public static let enhancedConnectionComplete = Self(rawValue: 1 << 9)
  public static let directedAdvertisingReport = Self(rawValue: 1 << 10)
  public static let phyUpdateComplete = Self(rawValue: 1 << 11)
  public static let extendedAdvertisingReport = Self(rawValue: 1 << 12)
  public static let periodicAdvertisingSyncEstablished = Self(rawValue: 1 << 13)
  public static let periodicAdvertisingReport = Self(rawValue: 1 << 14)
  public static let periodicAdvertisingSyncLost = Self(rawValue: 1 << 15)
  public static let scanTimeout = Self(rawValue: 1 << 16)
  public static let advertisingSetTerminated = Self(rawValue: 1 << 17)
  public static let scanRequestReceived = Self(rawValue: 1 << 18)
  public static let channelSelectionAlgorithm = Self(rawValue: 1 << 19)
  public static let transmitPowerReporting = Self(rawValue: 1 << 32)
  public static let enhancedConnectionCompleteV2 = Self(rawValue: 1 << 40)
}
